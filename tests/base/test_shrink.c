/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Shrinkage, and what kind of matrix a covariance is. */
#include "base/spectrum.h"
#include "support/support.h"

#include <manistat/shrink.h>
#include <string.h>

enum { MOST = 12 };

static void diagonal(size_t p, const double *values, double *s)
{
    memset(s, 0, p * p * sizeof *s);
    for (size_t i = 0; i < p; i++)
        s[i * (p + 1)] = values[i];
}

/* A covariance of `rank` random directions, of any size. */
static void random_covariance(dice *d, size_t p, size_t rank, double scale, double *s)
{
    memset(s, 0, p * p * sizeof *s);
    for (size_t k = 0; k < rank; k++) {
        double x[MOST];
        for (size_t i = 0; i < p; i++)
            x[i] = dice_normal(d);
        for (size_t i = 0; i < p; i++)
            for (size_t j = 0; j < p; j++)
                s[i * p + j] += scale * x[i] * x[j];
    }
}

/* Q S Qᵀ, Q a rotation of two coordinates. */
static void rotate(size_t p, size_t a, size_t b, double angle, double *s)
{
    double c = cos(angle), e = sin(angle);
    for (int side = 0; side < 2; side++)
        for (size_t k = 0; k < p; k++) {
            double *u = side == 0 ? &s[a * p + k] : &s[k * p + a],
                   *v = side == 0 ? &s[b * p + k] : &s[k * p + b], x = *u, y = *v;
            *u = c * x - e * y;
            *v = e * x + c * y;
        }
}

/* By hand: p = 2, S = diag(3, 1), n = 10: tr S = 4, tr S² = 10, a = 16/(10·2). p = 3, diag(4, 1, 1), n = 20:
 * tr S = 6, tr S² = 18, a = (18/3 + 36)/((21 − 2/3)·6). The same with n = 2 would be above 1. */
START_TEST(oas_by_hand)
{
    double s[9];
    diagonal(2, (double[]){3, 1}, s);
    assert_near(mst_shrink_oas(2, s, 10), 0.8, 4 * DBL_EPSILON, "diag(3, 1)");
    diagonal(3, (double[]){4, 1, 1}, s);
    assert_near(mst_shrink_oas(3, s, 20), 42.0 / 122, 4 * DBL_EPSILON, "diag(4, 1, 1)");
    ck_assert_double_eq(mst_shrink_oas(3, s, 2), 1);
    diagonal(3, (double[]){2, 2, 2}, s);
    ck_assert_double_eq(mst_shrink_oas(3, s, 1000), 1);
    diagonal(3, (double[]){0, 0, 0}, s);
    ck_assert_double_eq(mst_shrink_oas(3, s, 1000), 0);
    ck_assert_double_eq(mst_shrink_oas(1, (double[]){5}, 7), 1);
}
END_TEST

START_TEST(oas_knows_no_unit_and_no_axes)
{
    static const double scales[] = {1, 1e-27, 1e-200, 1e200, 4.9e-300};
    dice d = {4711};
    for (size_t round = 0; round < 200; round++) {
        size_t p = 2 + dice_below(&d, MOST - 1), rank = 1 + dice_below(&d, 2 * p);
        double s[MOST * MOST], unit[MOST * MOST], samples = (double)(rank + dice_below(&d, 300));
        dice again = d;
        random_covariance(&again, p, rank, 1, unit);
        random_covariance(&d, p, rank, scales[round % 5], s);
        double a = mst_shrink_oas(p, unit, samples);
        ck_assert(a >= 0 && a <= 1);
        assert_near(mst_shrink_oas(p, s, samples), a, 64 * DBL_EPSILON, "scale %zu", round);
        rotate(p, 0, 1 + dice_below(&d, p - 1), dice_uniform(&d, -3, 3), unit);
        /* Rounding of an entry relative to the distance from the target, which may be small for p = 2. */
        assert_near(mst_shrink_oas(p, unit, samples), a, 1e-11, "rotation %zu", round);
        ck_assert(mst_shrink_oas(p, unit, samples + 10) <= a);
    }
}
END_TEST

START_TEST(shrinking)
{
    dice d = {12};
    for (size_t round = 0; round < 100; round++) {
        size_t p = 1 + dice_below(&d, MOST);
        double s[MOST * MOST], t[MOST * MOST], scale = round % 2 == 0 ? 1 : 1e-27, trace[2] = {0};
        random_covariance(&d, p, 1 + dice_below(&d, p), scale, s);
        memcpy(t, s, sizeof t);
        mst_shrink_matrix(p, 0, t);
        ck_assert(memcmp(s, t, p * p * sizeof *s) == 0);
        double a = dice_uniform(&d, 0.001, 1);
        mst_shrink_matrix(p, a, t);
        for (size_t i = 0; i < p; i++) {
            trace[0] += s[i * (p + 1)];
            trace[1] += t[i * (p + 1)];
        }
        assert_near(trace[1], trace[0], 16 * DBL_EPSILON * trace[0], "the trace");
        for (size_t k = 0; k < p * p; k++) {
            double want = (1 - a) * s[k] + (k % (p + 1) == 0 ? a * trace[0] / (double)p : 0);
            assert_near(t[k], want, 16 * DBL_EPSILON * trace[0], "entry %zu", k);
        }
        /* However small its rank was, every eigenvalue is a times their mean at least. */
        mst_spectrum after;
        ASSERT_OK(mst_spectrum_of(p, t, &after));
        ck_assert_double_ge(after.least,
                            a * trace[0] / (double)p - 64 * DBL_EPSILON * (double)p * trace[0]);
    }
    ck_assert_str_eq(mst_shrink_name(MST_SHRINK_OAS), "oas");
    ck_assert_str_eq(mst_shrink_name(MST_SHRINK_LEDOIT_WOLF), "ledoit-wolf");
    ck_assert_str_eq(mst_shrink_name(MST_SHRINK_NONE), "none");
    ck_assert_str_eq(mst_shrink_name(MST_SHRINK_VALUE), "value");
}
END_TEST

/* The rank of sums of random directions is known, whatever the units of the rows; and in single precision,
 * where it shows by a negative eigenvalue. */
START_TEST(ranks)
{
    dice d = {99};
    size_t singles = 0;
    for (size_t round = 0; round < 300; round++) {
        size_t p = 2 + dice_below(&d, MOST - 1), rank = 1 + dice_below(&d, p);
        double s[MOST * MOST], work[MOST * MOST], unit[MOST];
        random_covariance(&d, p, rank, 1e-27, s);
        bool single = round % 3 == 0, units = round % 3 == 1;
        for (size_t i = 0; i < p; i++)
            unit[i] = units ? exp(dice_uniform(&d, -12, 12)) : 1;
        for (size_t i = 0; i < p; i++)
            for (size_t j = 0; j < p; j++) {
                s[i * p + j] *= unit[i] * unit[j];
                if (single)
                    s[i * p + j] = (float)s[i * p + j];
            }
        mst_spectrum got;
        ASSERT_OK(mst_spectrum_of(p, s, &got));
        ck_assert(!got.indefinite);
        if (rank < p && !single)
            ck_assert(mst_spectrum_suspect(p, s, work));
        if (single && rank < p && got.rank != rank) {
            singles++; /* all that should be zero has come out positive */
            ck_assert(got.rank > rank);
        } else if (!single) {
            ck_assert_msg(got.rank == rank, "round %zu: rank %zu instead of %zu of %zu", round,
                          got.rank, rank, p);
        }
    }
    ck_assert_uint_le(singles, 30);
}
END_TEST

START_TEST(indefinite_or_singular)
{
    static const struct {
        double values[3];
        bool indefinite;
        size_t rank;
    } cases[] = {
        {{1, 1, 1}, false, 3},     {{1, 1e-12, 1e-30}, false, 3}, {{1, 0, 2}, false, 2},
        {{0, 0, 0}, false, 0},     {{-1, 2, 3}, true, 2},         {{-1, -1, -1}, true, 0},
        {{1, 1, -1e-3}, true, 2},  {{1, 1, -1e-9}, false, 2},     {{1e-27, 0, 0}, false, 1},
        {{1e-27, 0, -1}, true, 1},
    };
    double s[9], work[9];
    mst_spectrum got;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        diagonal(3, cases[i].values, s);
        ASSERT_OK(mst_spectrum_of(3, s, &got));
        ck_assert_msg(got.indefinite == cases[i].indefinite &&
                          (got.indefinite || got.rank == cases[i].rank),
                      "case %zu: %d, rank %zu", i, got.indefinite, got.rank);
        ck_assert_msg(got.rank == 3 || mst_spectrum_suspect(3, s, work), "case %zu", i);
    }
    ASSERT_OK(mst_spectrum_of(2, (double[]){1, 1.5, 1.5, 1}, &got));
    ck_assert(got.indefinite);
    assert_near(got.least, -0.5, 8 * DBL_EPSILON, "least");
    assert_near(got.largest, 2.5, 8 * DBL_EPSILON, "largest");
    ASSERT_OK(mst_spectrum_of(2, (double[]){0, 1, 1, 0}, &got));
    ck_assert(got.indefinite);
}
END_TEST

int main(void)
{
    return RUN_SUITE("shrinkage", 20, {oas_by_hand, 0}, {oas_knows_no_unit_and_no_axes, 0},
                     {shrinking, 0}, {ranks, 0}, {indefinite_or_singular, 0});
}
