/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Covariances of signals and their intensities: by hand, against exact rational arithmetic
 * (tests/stat/reference_covariances.py), by what must not change them, and by whether they help. */
#include "support/support.h"

#include <manistat/covariance.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 16, LONGEST = 4096 };

static mst_covariance_options options(bool centre, bool unbiased, mst_shrink shrink)
{
    mst_covariance_options o = mst_covariance_options_default();
    o.centre = centre;
    o.unbiased = unbiased;
    o.shrink = shrink;
    return o;
}

static double intensity(size_t p, size_t T, const double *x, mst_covariance_options o)
{
    double s[MOST * MOST];
    mst_covariance_info info;
    ASSERT_OK(mst_covariance(p, T, x, &o, s, &info, NULL));
    return info.intensity;
}

/* Channels 2, −2, 0, 0 and 0, 0, 1, −1, `times` times. About zero S = diag(2, 1/2), Σ|x|⁴ = 34 for each four,
 * d = 9/8: a = (17/2 − 17/4)/(4 times)/(9/8) for Ledoit and Wolf, (25/4)/(4 times 9/8) for OAS. With mean and
 * T − 1 = 3 S = diag(8/3, 2/3), a = (34/3 − 68/9)/3/2. */
START_TEST(by_hand)
{
    double x[2 * 40] = {0}, s[4];
    mst_covariance_info info;
    for (size_t times = 1; times <= 10; times += 9) {
        size_t T = 4 * times;
        memset(x, 0, sizeof x);
        for (size_t k = 0; k < times; k++) {
            x[4 * k] = 2, x[4 * k + 1] = -2;
            x[T + 4 * k + 2] = 1, x[T + 4 * k + 3] = -1;
        }
        mst_covariance_options o = options(false, true, MST_SHRINK_NONE);
        ASSERT_OK(mst_covariance(2, T, x, &o, s, &info, NULL));
        ck_assert(s[0] == 2 && s[1] == 0 && s[2] == 0 && s[3] == 0.5);
        ck_assert(info.divisor == T && info.intensity == 0 && info.rank == 2);
        double n = (double)T;
        assert_near(intensity(2, T, x, options(false, true, MST_SHRINK_LEDOIT_WOLF)),
                    4.25 / n / 1.125, 4 * DBL_EPSILON, "Ledoit and Wolf");
        assert_near(intensity(2, T, x, options(false, true, MST_SHRINK_OAS)),
                    fmin(1, 6.25 / (n * 1.125)), 4 * DBL_EPSILON, "OAS");
    }
    memset(x, 0, sizeof x);
    x[0] = 2, x[1] = -2, x[4 + 2] = 1, x[4 + 3] = -1;
    mst_covariance_options o = options(true, true, MST_SHRINK_LEDOIT_WOLF);
    ASSERT_OK(mst_covariance(2, 4, x, &o, s, &info, NULL));
    double a = 17.0 / 27, mean = 5.0 / 3;
    assert_near(info.intensity, a, 4 * DBL_EPSILON, "unbiased");
    assert_near(s[0], (1 - a) * 8 / 3 + a * mean, 8 * DBL_EPSILON, "s11");
    assert_near(s[3], (1 - a) * 2 / 3 + a * mean, 8 * DBL_EPSILON, "s22");
    o = options(true, false, MST_SHRINK_VALUE);
    o.intensity = 0.25;
    ASSERT_OK(mst_covariance(2, 4, x, NULL, s, &info, NULL));
    assert_near(s[0], 8.0 / 3, 4 * DBL_EPSILON, "the default is unbiased");
    ASSERT_OK(mst_covariance(2, 4, x, &o, s, NULL, NULL));
    assert_near(s[0], 0.75 * 2 + 0.25 * 1.25, 4 * DBL_EPSILON, "a value");
}
END_TEST

START_TEST(rational_references)
{
    FILE *f = fopen(MST_TEST_DATA "/reference/covariances.txt", "r");
    size_t cases, p, T;
    ck_assert_ptr_nonnull(f);
    ck_assert_int_eq(fscanf(f, "%zu", &cases), 1);
    for (size_t k = 0; k < cases; k++) {
        int centre, unbiased;
        double lw, oas, x[LONGEST], want[MOST * MOST], s[MOST * MOST], largest = 0;
        ck_assert_int_eq(fscanf(f, "%zu %zu %d %d %lf %lf", &p, &T, &centre, &unbiased, &lw, &oas),
                         6);
        ck_assert(p <= MOST && p * T <= LONGEST);
        for (size_t i = 0; i < p * T; i++)
            ck_assert_int_eq(fscanf(f, "%lf", &x[i]), 1);
        for (size_t i = 0; i < p * p; i++) {
            ck_assert_int_eq(fscanf(f, "%lf", &want[i]), 1);
            largest = fmax(largest, fabs(want[i]));
        }
        mst_covariance_options o = options(centre, unbiased, MST_SHRINK_NONE);
        ASSERT_OK(mst_covariance(p, T, x, &o, s, NULL, NULL));
        /* Sums of T products. */
        double unit = (double)T * DBL_EPSILON;
        for (size_t i = 0; i < p * p; i++)
            assert_near(s[i], want[i], unit * largest, "case %zu, entry %zu", k, i);
        o.shrink = MST_SHRINK_LEDOIT_WOLF;
        assert_near(intensity(p, T, x, o), lw, 16 * unit, "case %zu, Ledoit and Wolf", k);
        o.shrink = MST_SHRINK_OAS;
        assert_near(intensity(p, T, x, o), oas, 16 * unit, "case %zu, OAS", k);
    }
    ck_assert_uint_ge(cases, 10);
    fclose(f);
}
END_TEST

static void random_signals(dice *d, size_t p, size_t T, double *x)
{
    double size[MOST];
    for (size_t i = 0; i < p; i++)
        size[i] = exp(dice_uniform(d, -1, 1));
    for (size_t t = 0; t < T; t++) {
        double common = dice_normal(d);
        for (size_t i = 0; i < p; i++)
            x[i * T + t] = size[i] * (dice_normal(d) + common);
    }
}

/* A power of two changes no digit, V² of 1e-27 and less included; an offset of a thousand and the order of
 * the samples only the last ones; a rotation of the channels turns S and leaves the intensity. */
START_TEST(what_does_not_matter)
{
    static const int powers[] = {-45, -90, -400, 300};
    static const mst_shrink kinds[] = {MST_SHRINK_NONE, MST_SHRINK_OAS, MST_SHRINK_LEDOIT_WOLF};
    dice d = {31};
    for (size_t round = 0; round < 120; round++) {
        size_t p = 2 + dice_below(&d, 8), T = 2 + dice_below(&d, 60);
        double x[LONGEST], y[LONGEST], s[MOST * MOST], r[MOST * MOST];
        mst_covariance_info a, b;
        mst_covariance_options o = options(round % 2, true, kinds[round % 3]);
        random_signals(&d, p, T, x);
        ASSERT_OK(mst_covariance(p, T, x, &o, s, &a, NULL));
        double scale = ldexp(1, powers[round % 4]), unit = 64 * (double)(p + T) * DBL_EPSILON;
        for (size_t k = 0; k < p * T; k++)
            y[k] = scale * x[k];
        ASSERT_OK(mst_covariance(p, T, y, &o, r, &b, NULL));
        ck_assert(a.intensity == b.intensity && a.rank == b.rank);
        for (size_t k = 0; k < p * p; k++)
            ck_assert_msg(r[k] == scale * s[k] * scale, "round %zu", round);
        double size = max_abs(p * p, s);
        for (size_t k = 0; k < p * T; k++)
            y[k] = x[k / T * T + T - 1 - k % T] + (o.centre ? 1000 : 0);
        ASSERT_OK(mst_covariance(p, T, y, &o, r, &b, NULL));
        /* Samples are rounded to 1000 ε, which changes S by that much relative to their size. */
        double loss = unit + (o.centre ? 4000 * DBL_EPSILON / sqrt(size) * (double)T : 0);
        assert_near(b.intensity, a.intensity, 8 * loss, "round %zu: order and offset", round);
        for (size_t k = 0; k < p * p; k++)
            assert_near(r[k], s[k], 4 * loss * size, "round %zu: order and offset", round);
        double c = cos(1.1), e = sin(1.1), trace = 0, turned = 0;
        memcpy(y, x, p * T * sizeof *y);
        for (size_t t = 0; t < T; t++) {
            y[t] = c * x[t] - e * x[T + t];
            y[T + t] = e * x[t] + c * x[T + t];
        }
        ASSERT_OK(mst_covariance(p, T, y, &o, r, &b, NULL));
        assert_near(b.intensity, a.intensity, 64 * unit, "round %zu: rotation", round);
        for (size_t i = 0; i < p; i++) {
            trace += s[i * (p + 1)];
            turned += r[i * (p + 1)];
        }
        assert_near(turned, trace, unit * trace, "round %zu: trace", round);
    }
}
END_TEST

/* Mean squared errors over 400 sets of p = 10 channels, T = 20 samples, true covariance diagonal from 1 to
 * 10: both estimators are far better than S, and nearly as good as the best intensity that is the same for
 * all sets. The numbers are fixed by the seed. */
START_TEST(shrinkage_helps)
{
    enum { P = 10, T = 20, SETS = 400, GRID = 41 };
    dice d = {2010};
    double errors[3] = {0}, grid[GRID] = {0};
    static const mst_shrink kinds[] = {MST_SHRINK_NONE, MST_SHRINK_OAS, MST_SHRINK_LEDOIT_WOLF};
    for (size_t set = 0; set < SETS; set++) {
        double x[P * T], s[P * P];
        for (size_t k = 0; k < (size_t)P * T; k++)
            x[k] = sqrt((double)(1 + k / T)) * dice_normal(&d);
        for (size_t kind = 0; kind < 3 + GRID; kind++) {
            mst_covariance_options o =
                options(true, true, kind < 3 ? kinds[kind] : MST_SHRINK_VALUE);
            o.intensity = kind < 3 ? 0 : (double)(kind - 3) / (GRID - 1);
            ASSERT_OK(mst_covariance(P, T, x, &o, s, NULL, NULL));
            double error = 0;
            for (size_t k = 0; k < (size_t)P * P; k++) {
                double off = s[k] - (k % (P + 1) == 0 ? (double)(1 + k / P) : 0);
                error += off * off / SETS;
            }
            *(kind < 3 ? &errors[kind] : &grid[kind - 3]) += error;
        }
    }
    double best = INFINITY;
    for (size_t k = 0; k < GRID; k++)
        best = fmin(best, grid[k]);
    ck_assert_double_eq(grid[0], errors[0]);
    /* Of normal samples E|S − Σ|² = (tr Σ² + tr²Σ)/ν: 385 + 3025 over 19; the spread over sets is a third, so
     * the mean of 400 is within 10 % at six standard errors. */
    assert_near(errors[0], 3410.0 / 19, 0.1 * 3410 / 19, "the error of S");
    ck_assert_msg(errors[1] < 0.5 * errors[0] && errors[2] < 0.5 * errors[0], "%g, %g of %g",
                  errors[1], errors[2], errors[0]);
    /* Over 4000 sets of this law scikit-learn 1.9 comes to 1.10 and 1.11 times the best; the spread of the
     * ratio over 400 is a few per cent. */
    ck_assert_msg(errors[1] < 1.2 * best && errors[2] < 1.2 * best, "%g, %g, the best is %g",
                  errors[1], errors[2], best);
}
END_TEST

START_TEST(faults)
{
    enum { P = 5, T = 30 };
    double x[P * T], y[P * T], s[P * P];
    size_t twin[P];
    mst_covariance_info info;
    dice d = {5};
    random_signals(&d, P, T, x);
    for (size_t k = 0; k < (size_t)P * T; k++)
        x[k] *= 1e-13;
    ASSERT_OK(mst_covariance(P, T, x, NULL, s, &info, twin));
    ck_assert(info.rank == P && !info.sums_to_zero && info.divisor == T - 1);
    for (size_t i = 0; i < P; i++)
        ck_assert_uint_eq(twin[i], i);
    memcpy(y, x, sizeof y);
    for (size_t t = 0; t < T; t++) {
        y[1 * T + t] = 0.1;
        y[3 * T + t] = -3 * x[t] + 1e-12;
    }
    ASSERT_OK(mst_covariance(P, T, y, NULL, s, &info, twin));
    ck_assert(info.rank == 3 && twin[1] == SIZE_MAX && twin[3] == 0 && twin[4] == 4);
    ck_assert(s[1 * (P + 1)] == 0); /* though 0.1 is no sum of powers of two */
    /* The average reference. */
    memcpy(y, x, sizeof y);
    for (size_t t = 0; t < T; t++) {
        double mean = 0;
        for (size_t i = 0; i < P; i++)
            mean += x[i * T + t] / P;
        for (size_t i = 0; i < P; i++)
            y[i * T + t] -= mean;
    }
    ASSERT_OK(mst_covariance(P, T, y, NULL, s, &info, twin));
    ck_assert(info.rank == P - 1 && info.sums_to_zero && twin[4] == 4);
    /* As many samples as channels, about their mean. */
    double few[P * P];
    for (size_t i = 0; i < P; i++)
        memcpy(few + i * P, x + i * T, P * sizeof *few);
    ASSERT_OK(mst_covariance(P, P, few, NULL, s, &info, NULL));
    ck_assert(info.rank == P - 1 && !info.sums_to_zero);
    mst_covariance_options o = options(true, true, MST_SHRINK_LEDOIT_WOLF);
    ASSERT_OK(mst_covariance(P, P, few, &o, s, &info, NULL));
    ck_assert(info.rank == P - 1 && info.intensity > 0 && s[0] > 0);
    memset(few, 0, sizeof few);
    o.shrink = MST_SHRINK_OAS;
    ASSERT_OK(mst_covariance(P, P, few, &o, s, &info, twin));
    ck_assert(info.rank == 0 && info.intensity == 0 && s[0] == 0 && twin[2] == SIZE_MAX);
}
END_TEST

START_TEST(refusals)
{
    double x[] = {1, 2, 3, 5, -1, 4}, s[9] = {7};
    mst_covariance_options o = mst_covariance_options_default();
    ASSERT_FAILS(MST_ARGUMENT, mst_covariance(3, 1, x, NULL, s, NULL, NULL));
    ASSERT_FAILS(MST_ARGUMENT, mst_covariance(0, 1, x, NULL, s, NULL, NULL));
    ASSERT_FAILS(MST_ARGUMENT, mst_covariance(3, 0, x, NULL, s, NULL, NULL));
    o.shrink = MST_SHRINK_VALUE;
    o.intensity = 1.5;
    ASSERT_FAILS(MST_ARGUMENT, mst_covariance(3, 2, x, &o, s, NULL, NULL));
    x[3] = NAN;
    ASSERT_FAILS(MST_DOMAIN, mst_covariance(3, 2, x, NULL, s, NULL, NULL));
    ck_assert_ptr_nonnull(strstr(mst_error_detail(), "channel 2"));
    ASSERT_FAILS(MST_BREAKDOWN,
                 mst_covariance(2, 2, (double[]){1e-170, 0, 0, 1e-170}, NULL, s, NULL, NULL));
    ASSERT_FAILS(MST_BREAKDOWN,
                 mst_covariance(2, 2, (double[]){1e170, 0, 0, 1e170}, NULL, s, NULL, NULL));
    ASSERT_FAILS(MST_BREAKDOWN,
                 mst_covariance(2, 2, (double[]){DBL_MAX, -DBL_MAX, 0, 1}, NULL, s, NULL, NULL));
    ck_assert_double_eq(s[0], 7); /* untouched */
    o = options(false, true, MST_SHRINK_NONE);
    ASSERT_OK(mst_covariance(2, 1, (double[]){2, 3}, &o, s, NULL, NULL));
    ck_assert(s[0] == 4 && s[1] == 6 && s[3] == 9);
}
END_TEST

int main(void)
{
    return RUN_SUITE("covariance", 30, {by_hand, 0}, {rational_references, 0},
                     {what_does_not_matter, 0}, {shrinkage_helps, 0}, {faults, 0}, {refusals, 0});
}
