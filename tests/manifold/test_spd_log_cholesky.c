/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* The log-Cholesky metric: closed forms and invariances that no other metric has. What every manifold must
 * satisfy is in tests/conformance. */
#include "base/linalg.h"
#include "manifold/symmetric.h"
#include "support/spd_reference.h"

#include <manistat/manifold.h>
#include <string.h>

static mst_manifold *order(size_t n)
{
    mst_manifold *m;
    ASSERT_OK(mst_spd_log_cholesky_new(&m, n));
    return m;
}

static double dist_of(const mst_manifold *m, const double *x, const double *y)
{
    double r;
    ASSERT_OK(mst_manifold_dist(m, 1, x, y, &r));
    return r;
}

/* A factor with entries of a few units, and its point. */
static void random_factor(dice *d, size_t n, double *l, double *p)
{
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            l[i * n + j] = i == j ? exp(dice_normal(d)) : i > j ? dice_normal(d) : 0;
    mst_multiply_nt(n, l, l, p);
}

/* Diagonal matrices: half of the logarithms of the ratios, whatever the condition number. */
START_TEST(diagonal_matrices_have_a_closed_form)
{
    dice d = {301};
    for (size_t round = 0; round < 200; round++) {
        size_t n = 1 + round % SPD_LARGEST;
        mst_manifold *m = order(n);
        double p[SPD_ENTRIES] = {0}, q[SPD_ENTRIES] = {0}, square = 0;
        for (size_t i = 0; i < n; i++) {
            p[i * (n + 1)] = pow(10, dice_uniform(&d, -20, 20));
            q[i * (n + 1)] = pow(10, dice_uniform(&d, -20, 20));
            square += pow(0.5 * log(q[i * (n + 1)] / p[i * (n + 1)]), 2);
        }
        assert_near(dist_of(m, p, q), sqrt(square), 8 * (double)n * DBL_EPSILON * sqrt(square),
                    "diagonal matrices of order %zu", n);
        mst_manifold_free(m);
    }
}
END_TEST

/* The distance is that of the factors, their diagonals as logarithms. */
START_TEST(factors_are_flat_coordinates)
{
    dice d = {302};
    for (size_t round = 0; round < 200; round++) {
        size_t n = 1 + round % SPD_LARGEST;
        mst_manifold *m = order(n);
        double l[SPD_ENTRIES], k[SPD_ENTRIES], p[SPD_ENTRIES], q[SPD_ENTRIES], square = 0;
        double condition = 0, values[SPD_LARGEST], vectors[SPD_ENTRIES];
        random_factor(&d, n, l, p);
        random_factor(&d, n, k, q);
        for (size_t i = 0; i < n; i++)
            for (size_t j = 0; j <= i; j++)
                square += i == j ? pow(log(k[i * (n + 1)] / l[i * (n + 1)]), 2)
                                 : pow(k[i * n + j] - l[i * n + j], 2);
        for (int which = 0; which < 2; which++) {
            ASSERT_OK(mst_eigen_symmetric(1, n, which == 0 ? p : q, values, vectors, NULL));
            condition += values[n - 1] / values[0];
        }
        assert_near(dist_of(m, p, q), sqrt(square),
                    8 * (double)n * DBL_EPSILON * condition * (1 + sqrt(square)), "order %zu", n);
        mst_manifold_free(m);
    }
}
END_TEST

/* A ⊙ L: sums below the diagonal, products on it (Lin's group); and a change of signs of the variables. */
START_TEST(isometries)
{
    dice d = {303};
    for (size_t round = 0; round < 100; round++) {
        size_t n = 1 + round % 4;
        mst_manifold *m = order(n);
        double l[2][SPD_ENTRIES], a[SPD_ENTRIES], p[2][SPD_ENTRIES], q[2][SPD_ENTRIES],
            sign[SPD_ENTRIES] = {0};
        random_factor(&d, n, a, p[0]);
        for (size_t i = 0; i < n; i++)
            sign[i * (n + 1)] = dice_below(&d, 2) == 0 ? 1 : -1;
        for (size_t which = 0; which < 2; which++) {
            random_factor(&d, n, l[which], p[which]);
            for (size_t e = 0; e < n * n; e++)
                l[which][e] = e % (n + 1) == 0 ? l[which][e] * a[e] : l[which][e] + a[e];
            mst_multiply_nt(n, l[which], l[which], q[which]);
        }
        double r = dist_of(m, p[0], p[1]);
        /* Factors of the fourth order have condition numbers of 1e6 at times. */
        assert_near(dist_of(m, q[0], q[1]), r, 1e-8 * (1 + r), "translation, order %zu", n);
        for (size_t which = 0; which < 2; which++)
            congruent(n, sign, p[which], q[which]);
        assert_near(dist_of(m, q[0], q[1]), r, 4 * DBL_EPSILON * r, "signs, order %zu", n);
        mst_manifold_free(m);
    }
}
END_TEST

/* Against 80 digits, for condition numbers κ to 1e10: the factor of P is known to about n ε κ, and so are
 * distances, those of neighbours relative to themselves. */
static void compare_distance(const spd_pair *s)
{
    mst_manifold *m = order(s->n);
    double want = s->log_cholesky, size = want < 0.1 ? want : 1 + want;
    assert_near(dist_of(m, s->p, s->q), want, (double)s->n * DBL_EPSILON * s->condition * size,
                "order %zu, condition %g, %g apart", s->n, s->condition, want);
    mst_manifold_free(m);
}

START_TEST(distances_agree_with_high_precision)
{
    for_spd_pairs(compare_distance);
}
END_TEST

/* [[1, s], [s, 1 + s²]] has the factor [[1, 0], [s, 1]]: at s = 1e9 its row is that of a singular matrix. */
START_TEST(matrices_that_doubles_cannot_hold_are_refused)
{
    mst_manifold *m = order(2);
    double one[4] = {1, 0, 0, 1}, v[4] = {0, 1e6, 1e6, 0}, y[4];
    ASSERT_OK(mst_manifold_exp(m, 1, one, v, y));
    assert_near(y[3], 1 + 1e12, 1e-3, "far");
    v[1] = v[2] = 1e9;
    ASSERT_FAILS(MST_BREAKDOWN, mst_manifold_exp(m, 1, one, v, y));
    ck_assert_ptr_nonnull(strstr(mst_error_detail(), "too near to singular"));
    v[1] = v[2] = 0;
    v[0] = 2000;
    ASSERT_FAILS(MST_BREAKDOWN, mst_manifold_exp(m, 1, one, v, y));
    mst_manifold_free(m);
}
END_TEST

int main(void)
{
    return RUN_SUITE("spd_log_cholesky", 60, {diagonal_matrices_have_a_closed_form, 0},
                     {factors_are_flat_coordinates, 0}, {isometries, 0},
                     {distances_agree_with_high_precision, 0},
                     {matrices_that_doubles_cannot_hold_are_refused, 0});
}
