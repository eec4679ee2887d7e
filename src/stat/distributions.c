/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Distribution functions from erfc and the incomplete gamma function; quantiles by Newton's method on the
 * logarithm of the nearer tail. Those logarithms are concave, so Newton's method from the outer side of the
 * root runs to it monotonically and needs no safeguard. */
#include "stat/distributions.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>

enum { NEWTON_STEPS = 200 };

double mst_normal_cdf(double x)
{
    return 0.5 * erfc(-x * M_SQRT1_2);
}

static double normal_density(double x)
{
    return 0.5 * M_2_SQRTPI * M_SQRT1_2 * exp(-0.5 * x * x);
}

/* ½ < p: the quantile of a p near ½ is small, and erf keeps its relative accuracy. `above` is p − ½. */
static double normal_quantile_centre(double above)
{
    double x = above / normal_density(0);
    for (int k = 0; k < NEWTON_STEPS; k++) {
        double step = (above - 0.5 * erf(x * M_SQRT1_2)) / normal_density(x);
        x += step;
        if (!(step > DBL_EPSILON * x))
            break;
    }
    return x;
}

/* Φ(x)/φ(x) for x < 0. Beyond −36, where Φ is about to underflow, by its asymptotic series: the first term
 * left out is below 3e-12 of 1, and the quantile feels 1/x² of that. */
static double mills_ratio(double x)
{
    if (x > -36)
        return mst_normal_cdf(x) / normal_density(x);
    double s = 1 / (x * x);
    return -(1 - s * (1 - s * (3 - s * (15 - s * 105)))) / x;
}

/* p < ¼. Start: Φ(−y) ≤ ½ e^(−y²/2), so x = −√(−2 log p) lies on the left of the root. */
static double normal_quantile_tail(double p)
{
    double x = -sqrt(-2 * log(p)), log_front = log(2 * M_SQRT2 / M_2_SQRTPI); /* log √(2π) */
    for (int k = 0; k < NEWTON_STEPS; k++) {
        double ratio = mills_ratio(x);
        double step = (log(p) + 0.5 * x * x + log_front - log(ratio)) * ratio;
        x += step;
        if (!(step > -DBL_EPSILON * x))
            break;
    }
    return x;
}

double mst_normal_quantile(double p)
{
    if (!(p >= 0 && p <= 1))
        return NAN;
    if (p == 0 || p == 1)
        return p == 0 ? -INFINITY : INFINITY;
    /* p − ½ and 1 − p are exact where they are used. */
    if (p >= 0.25 && p <= 0.75)
        return p >= 0.5 ? normal_quantile_centre(p - 0.5) : -normal_quantile_centre(0.5 - p);
    return p < 0.5 ? normal_quantile_tail(p) : -normal_quantile_tail(1 - p);
}

/* log Γ(a + 1) − (a + ½) log a + a − ½ log 2π for a ≥ 10: Stirling's series, the next term is below 1e-15. */
static double stirling_rest(double a)
{
    double s = 1 / (a * a);
    return (1.0 / 12 -
            s * (1.0 / 360 -
                 s * (1.0 / 1260 - s * (1.0 / 1680 - s * (1.0 / 1188 - s * 691.0 / 360360))))) /
           a;
}

/* a log(a/x) + x − a without cancellation where x is near a: with v = (x − a)/(x + a) it is
 * (x − a) v − 2 a Σ v^(2j+1)/(2j+1), j ≥ 1 (Loader 2000, "Fast and accurate computation
 * of binomial probabilities"). */
static double deviance(double a, double x)
{
    if (fabs(x - a) >= 0.1 * (x + a))
        return a * log(a / x) + x - a;
    double v = (x - a) / (x + a), sum = (x - a) * v, power = 2 * a * v;
    for (int j = 1; j < 1000; j++) {
        power *= v * v;
        double next = sum - power / (2 * j + 1);
        if (next == sum)
            break;
        sum = next;
    }
    return sum;
}

/* x^a e^(−x)/Γ(a + 1), and its logarithm. */
static double gamma_front(double a, double x)
{
    if (a < 10) /* e^(−x) in two halves: it may underflow where the product does not */
        return exp(-0.5 * x) * pow(x, a) / tgamma(a + 1) * exp(-0.5 * x);
    return exp(-stirling_rest(a) - deviance(a, x)) / sqrt(2 * M_PI * a);
}

static double gamma_log_front(double a, double x)
{
    if (a < 10)
        return a * log(x) - x - log(tgamma(a + 1));
    return -stirling_rest(a) - deviance(a, x) - 0.5 * log(2 * M_PI * a);
}

/* P(a, x)/front = 1 + x/(a+1) + x²/((a+1)(a+2)) + …, for x < a + 1. */
static double lower_series(double a, double x)
{
    double term = 1, sum = 1;
    for (double j = 1; term > 0.1 * DBL_EPSILON * sum; j++) {
        term *= x / (a + j);
        sum += term;
    }
    return sum;
}

/* Q(a, x)/(a·front) = 1/(x + 1 − a − 1(1−a)/(x + 3 − a − 2(2−a)/(x + 5 − a − …))) for x ≥ a + 1, by Lentz's
 * method; the number of terms grows like √a. */
static double upper_fraction(double a, double x)
{
    double b = x + 1 - a, c = 1e300, d = 1 / b, h = d;
    for (double j = 1; j < 1e7; j++) {
        double numerator = -j * (j - a);
        b += 2;
        d = 1 / (numerator * d + b);
        c = b + numerator / c;
        double factor = d * c;
        h *= factor;
        if (fabs(factor - 1) <= DBL_EPSILON)
            break;
    }
    return h;
}

/* P(a, x) or Q(a, x), x ≥ 0. The one that is computed as a difference from 1 is never much smaller than the
 * other for a > 1/4; below, it loses about 1/a units in the last place. */
static double gamma_tail(double a, double x, bool upper)
{
    if (x <= 0 || isinf(x))
        return (x <= 0) == upper ? 1 : 0;
    bool below = x < a + 1;
    double front = gamma_front(a, x);
    double value = below ? front * lower_series(a, x) : a * front * upper_fraction(a, x);
    value = fmin(value, 1);
    return below == upper ? 1 - value : value;
}

static double chi_square_tail(double x, double k, bool upper)
{
    if (isnan(x) || !(k > 0) || isinf(k))
        return NAN;
    return gamma_tail(0.5 * k, 0.5 * x, upper);
}

double mst_chi_square_cdf(double x, double k)
{
    return chi_square_tail(x, k, false);
}

double mst_chi_square_survival(double x, double k)
{
    return chi_square_tail(x, k, true);
}

double mst_chi_square_quantile(double p, double k)
{
    if (!(p >= 0 && p <= 1) || !(k > 0) || isinf(k))
        return NAN;
    if (p == 0 || p == 1)
        return p == 0 ? 0 : INFINITY;
    /* Newton's method in log x on the logarithm of the smaller tail. Starts outside: P(a, x) ≤ x^a/Γ(a + 1),
     * and Q(a, x) ≤ q at x = a + √(2aL) + L with L = −log q (Laurent and Massart 2000, lemma 1). */
    bool upper = p > 0.5;
    double a = 0.5 * k, tail = upper ? 1 - p : p, large = -log(tail);
    double u = upper ? log(a + sqrt(2 * a * large) + large) : (lgamma(a + 1) - large) / a;
    for (int j = 0; j < NEWTON_STEPS; j++) {
        double x = exp(u);
        if (!(x > 0)) /* below the smallest double */
            return 0;
        /* The tail over its derivative by log x, a·front; the lower tail may underflow,
         * their ratio does not. */
        double ratio = !upper       ? lower_series(a, x) / a
                       : x >= a + 1 ? upper_fraction(a, x)
                                    : gamma_tail(a, x, true) / (a * gamma_front(a, x));
        double step = (-large - gamma_log_front(a, x) - log(a * ratio)) * ratio;
        u += upper ? -step : step;
        if (!(fabs(step) > 2 * DBL_EPSILON))
            break;
    }
    return 2 * exp(u);
}
