/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* The law F of a ratio of chi-squares, by the continued fraction of the incomplete beta function. */
#include "stat/distributions.h"

#include <float.h>
#include <math.h>

/* I_x(a, b)·a B(a, b)/(x^a (1−x)^b) for x < (a + 1)/(a + b + 2), where it converges quickly, by Lentz's
 * method (DLMF 8.17.22). */
static double beta_fraction(double a, double b, double x)
{
    double c = 1, d = 1 / (1 - (a + b) * x / (a + 1)), h = d;
    for (double j = 1; j < 1e6; j++) {
        double even = j * (b - j) * x / ((a + 2 * j - 1) * (a + 2 * j));
        d = 1 / (1 + even * d);
        c = 1 + even / c;
        h *= d * c;
        double odd = -(a + j) * (a + b + j) * x / ((a + 2 * j) * (a + 2 * j + 1));
        d = 1 / (1 + odd * d);
        c = 1 + odd / c;
        h *= d * c;
        if (fabs(d * c - 1) <= DBL_EPSILON)
            break;
    }
    return h;
}

/* I_x(a, b); `rest` is 1 − x. */
static double beta_share(double a, double b, double x, double rest)
{
    if (x <= 0 || rest <= 0)
        return x <= 0 ? 0 : 1;
    double front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log(rest));
    return x < (a + 1) / (a + b + 2) ? front * beta_fraction(a, b, x) / a
                                     : 1 - front * beta_fraction(b, a, rest) / b;
}

double mst_f_survival(double x, double k, double l)
{
    if (isnan(x) || !(k > 0) || !(l > 0) || isinf(k) || isinf(l))
        return NAN;
    if (x <= 0 || isinf(x))
        return x <= 0 ? 1 : 0;
    double share = l / (l + k * x);
    return beta_share(l / 2, k / 2, share, k * x / (l + k * x));
}

double mst_f_quantile(double p, double k, double l)
{
    if (!(p >= 0 && p <= 1) || !(k > 0) || !(l > 0) || isinf(k) || isinf(l))
        return NAN;
    if (p == 0 || p == 1)
        return p == 0 ? 0 : INFINITY;
    double low = -700, high = 700; /* of log x */
    while (high - low > 1e-14 * fmax(1, fabs(low))) {
        double middle = low + (high - low) / 2;
        if (middle <= low || middle >= high)
            break;
        if (mst_f_survival(exp(middle), k, l) > 1 - p)
            low = middle;
        else
            high = middle;
    }
    return exp(low + (high - low) / 2);
}
