/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

#include "stat/distributions.h"
#include "support/support.h"

#include <arb.h>
#include <arb_hypgeom.h>

/* The promise of the header. */
static const double accuracy = 1e-12;
enum { BITS = 400 };

static double value_of(const arb_t a)
{
    return arf_get_d(arb_midref(a), ARF_RND_NEAR);
}

/* P(Z ≤ x) = ½ erfc(−x/√2). */
static double arb_normal_cdf(double x)
{
    arb_t a, root;
    arb_init(a);
    arb_init(root);
    arb_sqrt_ui(root, 2, BITS);
    arb_set_d(a, -x);
    arb_div(a, a, root, BITS);
    arb_hypgeom_erfc(a, a, BITS);
    arb_mul_2exp_si(a, a, -1);
    double value = value_of(a);
    arb_clear(a);
    arb_clear(root);
    return value;
}

/* P = e^(−z) z^a/Γ(a + 1) (1 + z/(a+1) + z²/((a+1)(a+2)) + …) with z = x/2, a = k/2, all terms positive; Q =
 * 1 − P with enough bits for the smallest double. What is left out of the sum is below the last bit: terms
 * fall by more than half once j > 2z. */
static double arb_chi_square(double x, double k, bool upper)
{
    const slong bits = upper ? 1300 : 200;
    arb_t a, z, term, sum;
    arb_init(a);
    arb_init(z);
    arb_init(term);
    arb_init(sum);
    arb_set_d(a, k / 2);
    arb_set_d(z, x / 2);
    arb_pow(term, z, a, bits);
    arb_neg(sum, z);
    arb_exp(sum, sum, bits);
    arb_mul(term, term, sum, bits);
    arb_add_ui(a, a, 1, bits);
    arb_gamma(sum, a, bits);
    arb_div(term, term, sum, bits);
    arb_zero(sum);
    for (double j = 1; j < 1e6; j++) {
        arb_add(sum, sum, term, bits + 64);
        arb_mul(term, term, z, bits);
        arb_div(term, term, a, bits);
        arb_add_ui(a, a, 1, bits);
        double last = value_of(term);
        if (j > x + 2 && (upper ? arf_cmpabs_2exp_si(arb_midref(term), -bits) < 0
                                : last <= 1e-30 * value_of(sum)))
            break;
    }
    if (upper)
        arb_sub_ui(sum, sum, 1, bits);
    double out = fabs(value_of(sum));
    arb_clear(a);
    arb_clear(z);
    arb_clear(term);
    arb_clear(sum);
    return out;
}

static void assert_relative(double got, double want, const char *what, double a, double b)
{
    /* Below the smallest normal number only an absolute unit is left. */
    assert_near(got, want, accuracy * fabs(want) + DBL_MIN, "%s(%.17g, %.17g)", what, a, b);
}

START_TEST(normal_values)
{
    dice d = {1};
    for (int k = 0; k < 400; k++) {
        double x = k < 20 ? k - 10 : dice_uniform(&d, -37, 8);
        assert_relative(mst_normal_cdf(x), arb_normal_cdf(x), "normal cdf", x, 0);
    }
    ck_assert_double_eq(mst_normal_cdf(0), 0.5);
    ck_assert_double_eq(mst_normal_cdf(INFINITY), 1);
    ck_assert_double_eq(mst_normal_cdf(-INFINITY), 0);
}
END_TEST

/* The quantile inverts Arb's distribution function: an error δ of x shows as δ·φ/Φ of the probability. */
START_TEST(normal_quantiles)
{
    dice d = {2};
    for (int k = 0; k < 600; k++) {
        double p = k % 3 == 0   ? dice_uniform(&d, 0, 1)
                   : k % 3 == 1 ? exp(dice_uniform(&d, -700, 0))
                                : 0.5 + ldexp(dice_uniform(&d, -1, 1), -(int)dice_below(&d, 50));
        if (!(p > 0 && p < 1))
            continue;
        double x = mst_normal_quantile(p), tail = p < 0.5 ? p : 1 - p;
        double got = arb_normal_cdf(p < 0.5 ? x : -x);
        double slope = exp(-0.5 * x * x) / sqrt(2 * M_PI) * fabs(x) / tail;
        assert_near(got / tail, 1, accuracy * slope + 4 * DBL_EPSILON, "Φ(quantile(%.17g))", p);
        if (p > 0.25)
            ck_assert_double_eq(mst_normal_quantile(1 - p),
                                p == 1 - p ? x : -mst_normal_quantile(1 - (1 - p)));
    }
    /* Tables of Φ; the last are correctly rounded values of Arb. */
    assert_relative(mst_normal_quantile(0.975), 1.9599639845400542, "quantile", 0.975, 0);
    ck_assert_double_eq(mst_normal_quantile(0.5), 0);
    /* Near ½ the relative accuracy holds: Φ⁻¹(½ + ε) = ε√(2π)(1 + O(ε²)). */
    assert_relative(mst_normal_quantile(0.5 + 0x1p-40), 0x1p-40 * sqrt(2 * M_PI), "quantile",
                    0x1p-40, 0);
    ck_assert(isinf(mst_normal_quantile(1)) && mst_normal_quantile(1) > 0);
    ck_assert(isinf(mst_normal_quantile(0)) && mst_normal_quantile(0) < 0);
    ck_assert(mst_normal_quantile(DBL_TRUE_MIN) < -38 && mst_normal_quantile(DBL_TRUE_MIN) > -39);
}
END_TEST

static double some_degrees(dice *d)
{
    static const double special[] = {1, 2, 3, 4, 19.999, 20, 21, 0.5, 100, 1000, 1e4};
    size_t k = dice_below(d, 22);
    return k < 11 ? special[k] : exp(dice_uniform(d, log(0.1), log(3000)));
}

START_TEST(chi_square_values)
{
    dice d = {3};
    for (int j = 0; j < 900; j++) {
        double k = some_degrees(&d);
        double x =
            j % 3 == 0 ? k * (1 + dice_normal(&d) / sqrt(k)) : k * exp(dice_uniform(&d, -3, 3));
        if (j % 50 == 0)
            x = dice_uniform(&d, 0, 1400);
        x = fabs(x);
        double cdf = arb_chi_square(x, k, false), survival = arb_chi_square(x, k, true);
        assert_relative(mst_chi_square_cdf(x, k), cdf, "cdf", x, k);
        assert_relative(mst_chi_square_survival(x, k), survival, "survival", x, k);
    }
}
END_TEST

START_TEST(chi_square_closed_forms)
{
    for (double x = 0.01; x < 1400; x *= 1.7) {
        assert_relative(mst_chi_square_survival(x, 2), exp(-x / 2), "survival", x, 2);
        assert_relative(mst_chi_square_survival(x, 1), erfc(sqrt(x / 2)), "survival", x, 1);
        assert_relative(mst_chi_square_cdf(x, 1), erf(sqrt(x / 2)), "cdf", x, 1);
    }
    for (double p = 1e-300; p < 1; p = p < 1e-3 ? p * 1e9 : p + 0.07)
        assert_relative(mst_chi_square_quantile(p, 2), -2 * log1p(-p), "quantile", p, 2);
    assert_relative(mst_chi_square_quantile(0.95, 1), 1.9599639845400542 * 1.9599639845400542,
                    "quantile", 0.95, 1);
    ck_assert_double_eq(mst_chi_square_cdf(0, 3), 0);
    ck_assert_double_eq(mst_chi_square_survival(0, 3), 1);
    ck_assert_double_eq(mst_chi_square_survival(-1, 3), 1);
    ck_assert_double_eq(mst_chi_square_survival(INFINITY, 3), 0);
    ck_assert_double_eq(mst_chi_square_quantile(0, 3), 0);
    ck_assert(isinf(mst_chi_square_quantile(1, 3)));
}
END_TEST

START_TEST(chi_square_quantiles)
{
    dice d = {4};
    for (int j = 0; j < 600; j++) {
        double k = some_degrees(&d);
        double p = j % 2 == 0 ? dice_uniform(&d, 0, 1) : exp(dice_uniform(&d, -60, 0));
        if (j % 5 == 0)
            p = 1 - ldexp(1, -1 - (int)dice_below(&d, 52));
        double x = mst_chi_square_quantile(p, k), tail = p > 0.5 ? 1 - p : p;
        if (x < 1e-280)
            continue;
        double got = arb_chi_square(x, k, p > 0.5);
        /* An error δ of log x shows as δ·x f(x)/tail, x f(x) = e^(a log(x/2) − x/2)/Γ(a). */
        double a = k / 2, density = exp(a * log(x / 2) - x / 2 - lgamma(a));
        assert_near(got / tail, 1, 1e-12 * density / tail + 1e-13, "quantile(%.17g, %.17g)", p, k);
    }
}
END_TEST

/* With two degrees of freedom above, P(X > x) = (1 + 2x/l)^(−l/2); X is 1/X' of the degrees exchanged; tables
 * of Student's law, t² for k = 1. */
START_TEST(f_closed_forms)
{
    static const double degrees[] = {1, 2.5, 7, 30, 400};
    for (size_t j = 0; j < 5; j++)
        for (double x = 0.01; x < 200; x *= 1.7) {
            double l = degrees[j], p = mst_f_survival(x, 3, l);
            double want = exp(-l / 2 * log1p(2 * x / l));
            assert_near(mst_f_survival(x, 2, l), want, 1e-11 * want, "survival %g, %g", x, l);
            assert_near(p + mst_f_survival(1 / x, l, 3), 1, 1e-12, "exchanged %g, %g", x, l);
            if (p > 1e-6)
                assert_near(mst_f_quantile(1 - p, 3, l), x, 1e-8 * x, "quantile %g, %g", x, l);
        }
    assert_near(sqrt(mst_f_quantile(0.95, 1, 11)), 2.200985160082949, 1e-11, "Student, 11");
    assert_near(sqrt(mst_f_quantile(0.95, 1, 1)), 12.706204736432095, 1e-9, "Student, 1");
    assert_near(4 * mst_f_quantile(0.95, 4, 1e6), mst_chi_square_quantile(0.95, 4), 1e-4, "limit");
}
END_TEST

START_TEST(outside_the_domain)
{
    static const double bad_p[] = {-0.1, 1.1, NAN, INFINITY}, bad_k[] = {0, -1, NAN, INFINITY};
    for (int j = 0; j < 4; j++) {
        ck_assert(isnan(mst_normal_quantile(bad_p[j])));
        ck_assert(isnan(mst_chi_square_quantile(bad_p[j], 3)));
        ck_assert(isnan(mst_chi_square_quantile(0.5, bad_k[j])));
        ck_assert(isnan(mst_chi_square_cdf(1, bad_k[j])));
        ck_assert(isnan(mst_chi_square_survival(1, bad_k[j])));
        ck_assert(isnan(mst_f_quantile(bad_p[j], 3, 4)));
        ck_assert(isnan(mst_f_quantile(0.5, bad_k[j], 4)));
        ck_assert(isnan(mst_f_survival(1, 3, bad_k[j])));
    }
    ck_assert(isnan(mst_chi_square_cdf(NAN, 1)));
    ck_assert(isnan(mst_normal_cdf(NAN)));
}
END_TEST

int main(void)
{
    return RUN_SUITE("distributions", 60, {normal_values, 0}, {normal_quantiles, 0},
                     {chi_square_values, 0}, {chi_square_closed_forms, 0},
                     {chi_square_quantiles, 0}, {f_closed_forms, 0}, {outside_the_domain, 0});
}
