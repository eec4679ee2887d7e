/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* The lanes of spd:n, n ≤ 4, against LAPACK; walks; what validate and project say; failures. */
#include "base/linalg.h"
#include "manifold/fallback.h"
#include "manifold/internal.h"
#include "manifold/spd_kernels.h"
#include "manifold/symmetric.h"
#include "support/statistics.h"
#include "support/support.h"

#include <stdlib.h>
#include <string.h>

enum { ROWS = 130, SETS = 3, CASES = SETS * MST_SMALL_ORDER };

/* Loop value to order and instruction set. */
static size_t case_order(int i)
{
    static const char *const sets[SETS] = {"v4", "v3", "generic"};
    mst_isa_choose(sets[i / MST_SMALL_ORDER]);
    return (size_t)(i % MST_SMALL_ORDER) + 1;
}

static void random_points(const mst_manifold *m, uint64_t stream, size_t n, double *x)
{
    ASSERT_OK(mst_manifold_random_point(m, (mst_random){.seed = 5, .stream = stream}, 0, n, x));
}

static void assert_close(size_t n, const double *got, const double *want, double tolerance,
                         const char *what)
{
    double scale = max_abs(n, want);
    for (size_t k = 0; k < n; k++)
        assert_near(got[k], want[k], tolerance * scale, "%s, number %zu", what, k);
}

/* Every slot, lanes against LAPACK; and each row alone has the bits it has in the batch. */
START_TEST(lanes_and_lapack)
{
    size_t n = case_order(_i), D = n * n, d = symmetric_dim(n);
    mst_manifold *m, *plain;
    ASSERT_OK(mst_spd_new(&m, n));
    ASSERT_OK(mst_spd_plain_new(&plain, n));
    double *x = doubles(ROWS * D), *y = doubles(ROWS * D), *u = doubles(ROWS * D),
           *v = doubles(ROWS * D), *a = doubles(ROWS * D), *b = doubles(ROWS * D),
           *c = doubles(ROWS * d);
    random_points(m, 1, ROWS, x);
    random_points(m, 2, ROWS, y);
    mst_random_normals((mst_random){.seed = 5, .stream = 3}, 0, ROWS * d, c);
    const double tolerance = 1e-12;
#define COMPARE(slot, width, ...)                                            \
    do {                                                                     \
        double *out = a;                                                     \
        size_t rows = ROWS;                                                  \
        ASSERT_OK(m->ops.slot(m, rows, __VA_ARGS__));                        \
        out = b;                                                             \
        ASSERT_OK(plain->ops.slot(plain, rows, __VA_ARGS__));                \
        for (size_t i = 0; i < rows; i++)                                    \
            assert_close(width, a + i * (width), b + i * (width), tolerance, \
                         #slot " of lanes and LAPACK");                      \
        rows = 1;                                                            \
        ASSERT_OK(m->ops.slot(m, rows, __VA_ARGS__));                        \
        ck_assert_mem_eq(a, b, (width) * sizeof *a);                         \
    } while (0)
    /* The last comparison is of the first row alone (in b) with the batch. */
    COMPARE(from_frame, D, x, c, out);
    memcpy(v, a, ROWS * D * sizeof *v);
    mst_random_normals((mst_random){.seed = 5, .stream = 4}, 0, ROWS * d, c);
    COMPARE(from_frame, D, x, c, out);
    memcpy(u, a, ROWS * D * sizeof *u);
    COMPARE(to_frame, d, x, u, out);
    COMPARE(log, D, x, y, out, NULL);
    COMPARE(dist, 1, x, y, out);
    COMPARE(exp, D, x, v, out);
    COMPARE(transport, D, x, v, u, out);
    if (n > 1)
        COMPARE(ricci, D, x, u, out);
    ASSERT_OK(m->ops.inner(m, ROWS, x, u, v, a));
    ASSERT_OK(plain->ops.inner(plain, ROWS, x, u, v, b));
    for (size_t i = 0; i < ROWS; i++)
        assert_near(a[i], b[i], tolerance * 30, "inner product, row %zu", i);
    mst_manifold_free(m);
    mst_manifold_free(plain);
    free(x), free(y), free(u), free(v), free(a), free(b), free(c);
}
END_TEST

/* Neighbours take another way than distant points, also inside one block: lanes and LAPACK agree relative to
 * the distance, and a row has the same bits alone and in any company. */
START_TEST(neighbours)
{
    size_t n = case_order(_i), D = n * n;
    mst_manifold *m, *plain;
    ASSERT_OK(mst_spd_new(&m, n));
    ASSERT_OK(mst_spd_plain_new(&plain, n));
    double *x = doubles(ROWS * D), *y = doubles(ROWS * D), *v = doubles(ROWS * D),
           *w = doubles(ROWS * D), r;
    random_points(m, 1, ROWS, x);
    random_points(m, 2, ROWS, y);
    dice d = {42};
    for (size_t i = 0; i < ROWS; i++) { /* every fourth pair is far apart */
        double size = pow(10, -4 - (double)(i % 12));
        for (size_t k = 0; i % 4 != 0 && k < D; k++)
            y[i * D + k] = x[i * D + k] * (1 + size * dice_uniform(&d, -1, 1));
        symmetric_part(n, y + i * D, y + i * D);
    }
    ASSERT_OK(mst_manifold_project(m, ROWS, y, y));
    ASSERT_OK(mst_manifold_log(m, ROWS, x, y, v, NULL));
    ASSERT_OK(mst_manifold_log(plain, ROWS, x, y, w, NULL));
    for (size_t i = 0; i < ROWS; i++) {
        assert_close(D, v + i * D, w + i * D, 1e-9, "lanes and LAPACK");
        ASSERT_OK(mst_manifold_log(m, 1, x + i * D, y + i * D, w + i * D, NULL));
        ck_assert_mem_eq(w + i * D, v + i * D, D * sizeof *v);
        ASSERT_OK(mst_manifold_dist(m, 1, x + i * D, x + i * D, &r));
        ck_assert(r == 0);
    }
    mst_manifold_free(m);
    mst_manifold_free(plain);
    free(x), free(y), free(v), free(w);
}
END_TEST

/* Against the fall-back on LAPACK; and one call with many steps, many calls with one step, and a batch cut in
 * two give the same bits. */
START_TEST(walk)
{
    enum { STEPS = 20 };
    size_t n = case_order(_i), D = n * n;
    mst_manifold *m, *plain;
    ASSERT_OK(mst_spd_new(&m, n));
    ASSERT_OK(mst_spd_plain_new(&plain, n));
    double *x = doubles(ROWS * D), *whole = doubles(ROWS * D), *steps = doubles(ROWS * D),
           *parts = doubles(ROWS * D);
    random_points(m, 1, ROWS, x);
    memcpy(whole, x, ROWS * D * sizeof *x);
    memcpy(steps, x, ROWS * D * sizeof *x);
    memcpy(parts, x, ROWS * D * sizeof *x);
    mst_noise noise = {.seed = 8, .first_path = 1000, .first_step = 3};
    ASSERT_OK(mst_manifold_walk(m, ROWS, whole, 0.02, STEPS, noise));
    for (size_t k = 0; k < STEPS; k++) {
        mst_noise later = noise;
        later.first_step += k;
        ASSERT_OK(mst_manifold_walk(m, ROWS, steps, 0.02, 1, later));
    }
    ck_assert_mem_eq(whole, steps, ROWS * D * sizeof *x);
    mst_noise second = noise;
    second.first_path += 13;
    ASSERT_OK(mst_manifold_walk(m, 13, parts, 0.02, STEPS, noise));
    ASSERT_OK(mst_manifold_walk(m, ROWS - 13, parts + 13 * D, 0.02, STEPS, second));
    ck_assert_mem_eq(whole, parts, ROWS * D * sizeof *x);
    ASSERT_OK(mst_manifold_walk(plain, ROWS, x, 0.02, STEPS, noise));
    for (size_t i = 0; i < ROWS; i++)
        assert_close(D, whole + i * D, x + i * D, 1e-11, "walk");
    mst_manifold_free(m);
    mst_manifold_free(plain);
    free(x), free(whole), free(steps), free(parts);
}
END_TEST

/* log det is √n times a Brownian motion, and ½Δ P = (n+1)/4 P: E P_t = e^{(n+1)t/4} P_0. */
START_TEST(walk_moments)
{
    enum { PATHS = 40000, STEPS = 10 };
    size_t n = (size_t)_i + 1, D = n * n;
    const double time = 0.5;
    mst_manifold *m;
    ASSERT_OK(mst_spd_new(&m, n));
    double *x = doubles(PATHS * D), *l = doubles(PATHS * D);
    for (size_t i = 0; i < PATHS; i++)
        mst_manifold_start(m, x + i * D);
    ASSERT_OK(mst_manifold_walk(m, PATHS, x, time / STEPS, STEPS, (mst_noise){.seed = 9}));
    ASSERT_OK(mst_cholesky(PATHS, n, x, l, NULL));
    moments first = {0}, second = {0}, diagonal = {0};
    for (size_t i = 0; i < PATHS; i++) {
        double log_det = 0;
        for (size_t k = 0; k < D; k += n + 1)
            log_det += 2 * log(l[i * D + k]);
        moments_add(&first, log_det);
        moments_add(&second, log_det * log_det);
        moments_add(&diagonal, x[i * D + D - 1]);
    }
    assert_mean(&first, 0, 0, "log det");
    assert_mean(&second, (double)n * time, 0, "log det squared");
    /* The walk has weak order 2: bias of the size of h²·time. */
    assert_mean(&diagonal, exp((double)(n + 1) * time / 4), 2e-3, "diagonal");
    mst_manifold_free(m);
    free(x), free(l);
}
END_TEST

START_TEST(validation)
{
    mst_manifold *m;
    ASSERT_OK(mst_spd_new(&m, 2));
    double x[12] = {2, 1, 1, 2, 1, 0, 0, 1, 3, 0.5, 0.5, 1};
    size_t row = 9;
    ASSERT_OK(mst_manifold_validate(m, 3, x, &row));
    x[5] = x[6] = 1.3;
    ASSERT_FAILS(MST_DOMAIN, mst_manifold_validate(m, 3, x, &row));
    ck_assert_uint_eq(row, 1);
    ck_assert_str_eq(mst_error_detail(),
                     "matrix is not positive definite (smallest eigenvalue -0.3)");
    x[5] = 0.2, x[6] = 0.2 + 1e-9;
    ASSERT_OK(mst_manifold_validate(m, 3, x, &row));
    x[6] = 0.2 + 1e-7;
    ASSERT_FAILS(MST_DOMAIN, mst_manifold_validate(m, 3, x, &row));
    ck_assert_uint_eq(row, 1);
    ck_assert_ptr_nonnull(strstr(mst_error_detail(), "not symmetric"));
    x[11] = NAN, x[6] = 0.2;
    ASSERT_FAILS(MST_DOMAIN, mst_manifold_validate(m, 3, x, &row));
    ck_assert_uint_eq(row, 2);
    ck_assert_ptr_nonnull(strstr(mst_error_detail(), "entry (2, 2)"));
    mst_manifold_free(m);
    ASSERT_FAILS(MST_ARGUMENT, mst_spd_new(&m, 0));
    ck_assert_ptr_null(m);
    ASSERT_FAILS(MST_ARGUMENT, mst_spd_new(&m, MST_MAX_ORDER + 1));
    ASSERT_FAILS(MST_ARGUMENT, mst_spd_log_euclidean_new(&m, 0));
}
END_TEST

/* Points stay what they are; other matrices get their eigenvalues raised, and the result is a point. */
START_TEST(projection)
{
    for (size_t n = 2; n <= 7; n++) {
        mst_manifold *m;
        ASSERT_OK(mst_spd_new(&m, n));
        size_t D = n * n, row;
        double *x = doubles(3 * D), *y = doubles(3 * D), *z = doubles(3 * D);
        random_points(m, 6, 3, x);
        x[D] -= 100; /* indefinite */
        x[1] += 1e-9;
        ASSERT_OK(mst_manifold_project(m, 3, x, y));
        ASSERT_OK(mst_manifold_validate(m, 3, y, &row));
        ck_assert_mem_eq(y + 2 * D, x + 2 * D, D * sizeof *x);
        assert_near(y[1], x[1] - 5e-10, 1e-15, "symmetric part");
        ck_assert(y[1] == y[n]);
        /* The nearest positive semidefinite matrix: x = y − z with z ≥ 0 and tr yz = 0. */
        for (size_t k = 0; k < D; k++)
            z[k] = y[D + k] - 0.5 * (x[D + k] + x[D + k % n * n + k / n]);
        /* Up to the floor, 1e-12 of the largest eigenvalue times the trace of z, which is 100. */
        assert_near(dot(D, y + D, z), 0, 1e-12 * 200 * max_abs(D, y + D) * (double)n,
                    "complementary");
        ASSERT_OK(mst_manifold_project(m, 3, y, z));
        ck_assert_mem_eq(z, y, 3 * D * sizeof *z);
        ASSERT_OK(mst_manifold_project(m, 3, x, x));
        ck_assert_mem_eq(x, y, 3 * D * sizeof *x);
        for (size_t k = 0; k < D; k++)
            x[k] = k % (n + 1) == 0 ? -1 : 0;
        ASSERT_FAILS(MST_DOMAIN, mst_manifold_project(m, 3, x, y));
        x[0] = INFINITY;
        ASSERT_FAILS(MST_DOMAIN, mst_manifold_project(m, 3, x, y));
        mst_manifold_free(m);
        free(x), free(y), free(z);
    }
}
END_TEST

/* Nothing overflows or underflows silently. */
static void check_extremes(mst_manifold *m)
{
    size_t D = mst_manifold_ambient(m), n = symmetric_order(D);
    double *x = doubles(3 * D), *y = doubles(3 * D), *v = doubles(3 * D), r[3];
    for (size_t i = 0; i < 3; i++) {
        mst_manifold_start(m, x + i * D);
        mst_manifold_start(m, y + i * D);
        mst_manifold_start(m, v + i * D);
    }
    for (size_t k = 0; k < D; k++)
        v[D + k] *= 1e4;
    ASSERT_FAILS(MST_BREAKDOWN, mst_manifold_exp(m, 3, x, v, y));
    ASSERT_FAILS(MST_BREAKDOWN, mst_manifold_transport(m, 3, x, v, v, y));
    for (size_t k = 0; k < D; k++)
        v[D + k] *= -1;
    ASSERT_FAILS(MST_BREAKDOWN, mst_manifold_exp(m, 3, x, v, y));
    ck_assert_ptr_nonnull(strstr(mst_error_detail(), "row 2:"));
    y[2 * D] = -1;
    ASSERT_FAILS(MST_DOMAIN, mst_manifold_log(m, 3, x, y, v, NULL));
    ASSERT_FAILS(MST_DOMAIN, mst_manifold_dist(m, 3, x, y, r));
    ck_assert_ptr_nonnull(strstr(mst_error_detail(), "row 3:"));
    /* Far from the identity everything works: dist(1e150 I, 1e-150 I) = 300 log 10 √n. */
    for (size_t k = 0; k < D; k++) {
        y[k] = 1e-150 * x[k];
        x[k] *= 1e150;
    }
    ASSERT_OK(mst_manifold_dist(m, 1, x, y, r));
    assert_near(r[0], 300 * log(10) * sqrt((double)n), 1e-11, "a long way");
    ASSERT_OK(mst_manifold_log(m, 1, x, y, v, NULL));
    assert_near(v[0] / 1e150, -300 * log(10), 1e-11, "a long vector");
    ASSERT_OK(mst_manifold_exp(m, 1, x, v, v));
    assert_near(v[0] / 1e-150, 1, 1e-11, "and back");
    mst_manifold_free(m);
    free(x), free(y), free(v);
}

START_TEST(extremes)
{
    mst_manifold *m;
    size_t n = (size_t)_i + 1;
    ASSERT_OK(mst_spd_new(&m, n));
    check_extremes(m);
    ASSERT_OK(mst_spd_plain_new(&m, n));
    check_extremes(m);
    ASSERT_OK(mst_spd_log_euclidean_new(&m, n));
    check_extremes(m);
}
END_TEST

/* Rows that share their base point, as in the computation of a mean, give what they give alone. */
START_TEST(shared_base_points)
{
    mst_manifold *m[2];
    size_t n = 6, D = n * n;
    ASSERT_OK(mst_spd_new(&m[0], n));
    ASSERT_OK(mst_spd_log_euclidean_new(&m[1], n));
    double x[6 * 36], y[6 * 36], v[6 * 36], alone[36];
    for (size_t which = 0; which < 2; which++) {
        random_points(m[which], 1, 6, x);
        random_points(m[which], 2, 6, y);
        for (size_t i = 1; i < 4; i++)
            memcpy(x + i * D, x, D * sizeof *x);
        ASSERT_OK(mst_manifold_log(m[which], 6, x, y, v, NULL));
        for (size_t i = 0; i < 6; i++) {
            ASSERT_OK(mst_manifold_log(m[which], 1, x + i * D, y + i * D, alone, NULL));
            ck_assert_mem_eq(alone, v + i * D, D * sizeof *v);
        }
        mst_manifold_free(m[which]);
    }
}
END_TEST

/* The differential of the logarithm: Exp_P(hv) = P + hv + O(h²), also where eigenvalues (almost) agree. */
START_TEST(log_euclidean_differential)
{
    static const double spectra[][3] = {
        {7, 7, 7}, {7, 7 + 1e-10, 14}, {7, 7 + 1e-14, 1e-4}, {5, 1, 0.1}};
    mst_manifold *m;
    ASSERT_OK(mst_spd_log_euclidean_new(&m, 3));
    for (size_t k = 0; k < 4; k++) {
        /* Qᵀ diag Q with a rotation by 3-4-5 angles. */
        double q[9] = {0.6, 0.8, 0, -0.48, 0.36, 0.8, 0.64, -0.48, 0.6}, w[9], x[9], v[9], step[9],
               plus[9], minus[9];
        dice d = {41};
        for (size_t i = 0; i < 9; i++)
            w[i] = q[i] * spectra[k][i / 3];
        mst_multiply_tn(3, q, w, x);
        symmetric_part(3, x, x);
        for (size_t i = 0; i < 9; i++)
            v[i] = 0.1 * dice_normal(&d) * spectra[k][2];
        symmetric_part(3, v, v);
        const double h = 1e-4;
        for (size_t i = 0; i < 9; i++)
            step[i] = h * v[i];
        ASSERT_OK(mst_manifold_exp(m, 1, x, step, plus));
        for (size_t i = 0; i < 9; i++)
            step[i] = -h * v[i];
        ASSERT_OK(mst_manifold_exp(m, 1, x, step, minus));
        for (size_t i = 0; i < 9; i++)
            assert_near((plus[i] - minus[i]) / (2 * h), v[i], 1e-10 + 1e-7 * max_abs(9, v),
                        "spectrum %zu, entry %zu", k, i);
        /* Neighbours: Log is y − x up to a part of the size of their distance. */
        for (size_t i = 0; i < 9; i++)
            step[i] = x[i] + 1e-9 * v[i];
        ASSERT_OK(mst_manifold_log(m, 1, x, step, plus, NULL));
        for (size_t i = 0; i < 9; i++)
            assert_near(plus[i], step[i] - x[i], 1e-8 * max_abs(9, plus),
                        "neighbours, spectrum %zu, entry %zu", k, i);
    }
    mst_manifold_free(m);
}
END_TEST

/* Matrices that commute: both metrics agree, and the distance is that of the logarithms. */
START_TEST(commuting_matrices)
{
    for (size_t n = 1; n <= 6; n++) {
        mst_manifold *m[2];
        ASSERT_OK(mst_spd_new(&m[0], n));
        ASSERT_OK(mst_spd_log_euclidean_new(&m[1], n));
        double x[36] = {0}, y[36] = {0}, v[36], sum = 0, r;
        for (size_t k = 0; k < n; k++) {
            x[k * (n + 1)] = pow(10, (double)k - 3);
            y[k * (n + 1)] = pow(7, 2 - (double)k);
            double step = log(y[k * (n + 1)] / x[k * (n + 1)]);
            sum += step * step;
        }
        for (size_t which = 0; which < 2; which++) {
            ASSERT_OK(mst_manifold_dist(m[which], 1, x, y, &r));
            assert_near(r, sqrt(sum), 16 * DBL_EPSILON * r, "distance");
            ASSERT_OK(mst_manifold_log(m[which], 1, x, y, v, NULL));
            for (size_t k = 0; k < n * n; k++)
                assert_near(v[k], k % (n + 1) == 0 ? x[k] * log(y[k] / x[k]) : 0,
                            1e-13 * fabs(v[k]), "entry %zu", k);
            mst_manifold_free(m[which]);
        }
    }
}
END_TEST

int main(void)
{
    return RUN_SUITE("spd kernels", 60, {lanes_and_lapack, CASES}, {neighbours, CASES},
                     {walk, CASES}, {walk_moments, MST_SMALL_ORDER}, {validation, 0},
                     {projection, 0}, {extremes, 6}, {shared_base_points, 0},
                     {log_euclidean_differential, 0}, {commuting_matrices, 0});
}
