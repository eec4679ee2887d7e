/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Positive definite matrices, both metrics. What every manifold must satisfy is in tests/conformance; here
 * are closed forms, the tuned kernels against LAPACK, and corners. */
#include "base/linalg.h"
#include "manifold/fallback.h"
#include "manifold/internal.h"
#include "manifold/spd_kernels.h"
#include "manifold/symmetric.h"
#include "support/statistics.h"
#include "support/support.h"

#include <stdlib.h>
#include <string.h>

enum { LARGEST = 6, ROWS = 130, DIM = LARGEST * (LARGEST + 1) / 2, ENTRIES = LARGEST * LARGEST };

typedef mst_status constructor(mst_manifold **out, size_t n);

/* Loop value to order and implementation: lanes and LAPACK for small orders, LAPACK for larger ones. */
enum { CASES = LARGEST + MST_SMALL_ORDER };
static mst_manifold *case_manifold(int i)
{
    mst_manifold *m;
    ASSERT_OK(i < LARGEST ? mst_spd_new(&m, (size_t)i + 1)
                          : mst_spd_plain_new(&m, (size_t)(i - LARGEST) + 1));
    return m;
}

static mst_manifold *flat_manifold(int i)
{
    mst_manifold *m;
    ASSERT_OK(mst_spd_log_euclidean_new(&m, (size_t)i + 1));
    return m;
}

/* A point L Lᵀ with L a random unit lower triangular matrix times 10^(−decades·uniform) on its columns. */
static void random_point(dice *d, size_t n, double decades, double *p)
{
    double l[ENTRIES] = {0};
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j <= i; j++)
            l[i * n + j] = i == j ? 1 : 0.5 * dice_normal(d);
    for (size_t j = 0; j < n; j++) {
        double s = pow(10, -decades / 2 * dice_uniform(d, 0, 1));
        for (size_t i = 0; i < n; i++)
            l[i * n + j] *= s;
    }
    mst_multiply_nt(n, l, l, p);
}

static void random_symmetric(dice *d, size_t n, double *v)
{
    double c[DIM] = {0};
    for (size_t k = 0; k < symmetric_dim(n); k++)
        c[k] = dice_normal(d);
    symmetric_unpack(n, c, v);
}

typedef struct sample {
    mst_manifold *m;
    size_t n, D, d;
    double *x, *y, *u, *v, *out, *r;
} sample;

static sample new_sample(mst_manifold *m, double decades)
{
    sample s = {.m = m, .D = mst_manifold_ambient(m), .d = mst_manifold_dim(m)};
    s.n = symmetric_order(s.D);
    double **arrays[] = {&s.x, &s.y, &s.u, &s.v, &s.out, &s.r};
    for (size_t i = 0; i < 6; i++)
        *arrays[i] = doubles(ROWS * s.D);
    dice d = {31};
    for (size_t i = 0; i < ROWS; i++) {
        random_point(&d, s.n, decades, s.x + i * s.D);
        random_point(&d, s.n, decades, s.y + i * s.D);
        double c[DIM] = {0};
        for (size_t k = 0; k < s.d; k++)
            c[k] = dice_normal(&d);
        ASSERT_OK(mst_manifold_from_frame(m, 1, s.x + i * s.D, c, s.v + i * s.D));
        random_symmetric(&d, s.n, s.u + i * s.D);
    }
    return s;
}

static void free_sample(sample *s)
{
    mst_manifold_free(s->m);
    free(s->x), free(s->y), free(s->u), free(s->v), free(s->out), free(s->r);
}

static void assert_rows(size_t n, const double *got, const double *want, double tolerance,
                        const char *what)
{
    double scale = max_abs(n, want);
    for (size_t k = 0; k < n; k++)
        assert_near(got[k], want[k], tolerance * scale, "%s, entry %zu", what, k);
}

/* With A integer, unit lower triangular, and D, E diagonal powers of two, P = A D Aᵀ and Q = A E Aᵀ are exact
 * in double, and Log_P(Q) = A D log(D⁻¹E) Aᵀ. If D and E grow along the diagonal, P and Q are well
 * conditioned up to scaling, and Cholesky with one-sided Jacobi gives all digits although the condition
 * numbers are 2^28; LAPACK loses those of the ratio of the singular values, 2^14 at most. In any other order
 * the problem itself has the condition number of the matrices. */
static void check_exact_logarithm(mst_manifold *m, bool ordered, double tolerance)
{
    size_t n = symmetric_order(mst_manifold_ambient(m)), D = n * n;
    dice d = {32};
    for (int round = 0; round < 100; round++) {
        double a[ENTRIES] = {0}, p[ENTRIES] = {0}, q[ENTRIES] = {0}, want[ENTRIES] = {0},
               v[ENTRIES], r, sum = 0;
        for (size_t i = 0; i < n; i++)
            for (size_t j = 0; j <= i; j++)
                a[i * n + j] = i == j ? 1 : (double)dice_below(&d, 3) - 1;
        for (size_t k = 0; k < n; k++) {
            size_t range = ordered ? 28 / LARGEST : 28, from = ordered ? k * range : 0;
            int e = (int)(from + dice_below(&d, range)), f = (int)(from + dice_below(&d, range));
            double step = (f - e) * log(2);
            sum += step * step;
            for (size_t i = 0; i < n; i++)
                for (size_t j = 0; j < n; j++) {
                    double product = ldexp(a[i * n + k] * a[j * n + k], e);
                    p[i * n + j] += product;
                    q[i * n + j] += ldexp(a[i * n + k] * a[j * n + k], f);
                    want[i * n + j] += product * step;
                }
        }
        unsigned char flag = 7;
        ASSERT_OK(mst_manifold_log(m, 1, p, q, v, &flag));
        ck_assert_uint_eq(flag, 0);
        assert_rows(D, v, want, tolerance, "log");
        ASSERT_OK(mst_manifold_dist(m, 1, p, q, &r));
        assert_near(r, sqrt(sum), tolerance * (1 + sqrt(sum)), "dist");
    }
}

START_TEST(exact_logarithm)
{
    mst_manifold *m = case_manifold(_i);
    check_exact_logarithm(m, true, _i < MST_SMALL_ORDER ? 64 * DBL_EPSILON : 0x1p14 * DBL_EPSILON);
    check_exact_logarithm(m, false, 0x1p28 * 64 * DBL_EPSILON);
    mst_manifold_free(m);
}
END_TEST

/* Exp and Log invert each other, the distance is symmetric and the norm of Log; condition numbers about
 * 10^decades, to which the error is proportional. */
static void check_round_trips(mst_manifold *m, double decades)
{
    double tolerance = 512 * DBL_EPSILON * pow(10, decades);
    sample s = new_sample(m, decades);
    ASSERT_OK(mst_manifold_log(m, ROWS, s.x, s.y, s.out, NULL));
    ASSERT_OK(mst_manifold_norm(m, ROWS, s.x, s.out, s.r));
    double *r = doubles(ROWS);
    ASSERT_OK(mst_manifold_dist(m, ROWS, s.x, s.y, r));
    for (size_t i = 0; i < ROWS; i++)
        assert_near(r[i], s.r[i], tolerance * (1 + r[i]), "norm of log, row %zu", i);
    ASSERT_OK(mst_manifold_dist(m, ROWS, s.y, s.x, s.r));
    for (size_t i = 0; i < ROWS; i++)
        assert_near(r[i], s.r[i], tolerance * (1 + r[i]), "symmetry, row %zu", i);
    /* In place, on x: Exp_x(Log_x(y)) = y, in the distance of the manifold. */
    ASSERT_OK(mst_manifold_exp(m, ROWS, s.x, s.out, s.x));
    ASSERT_OK(mst_manifold_dist(m, ROWS, s.x, s.y, r));
    for (size_t i = 0; i < ROWS; i++) {
        assert_near(r[i], 0, tolerance, "exp of log, row %zu", i);
        for (size_t a = 0; a < s.n; a++)
            for (size_t b = 0; b < a; b++)
                ck_assert(s.x[i * s.D + a * s.n + b] == s.x[i * s.D + b * s.n + a]);
    }
    free(r);
    free_sample(&s);
}

START_TEST(round_trips)
{
    check_round_trips(case_manifold(_i), 1);
    check_round_trips(case_manifold(_i), 8);
}
END_TEST

START_TEST(flat_round_trips)
{
    check_round_trips(flat_manifold(_i), 1);
    check_round_trips(flat_manifold(_i), 8);
}
END_TEST

START_TEST(isometries)
{
    sample s = new_sample(case_manifold(_i), 2);
    dice d = {33};
    size_t n = s.n, D = s.D;
    ASSERT_OK(mst_manifold_dist(s.m, ROWS, s.x, s.y, s.r));
    for (size_t i = 0; i < ROWS; i++) {
        double a[ENTRIES] = {0}, t[ENTRIES], p[ENTRIES], q[ENTRIES], r;
        for (size_t k = 0; k < D; k++)
            a[k] = 0.3 * dice_normal(&d) + (k % (n + 1) == 0 ? 1 : 0);
        mst_multiply(n, a, s.x + i * D, t);
        mst_multiply_nt(n, t, a, p);
        mst_multiply(n, a, s.y + i * D, t);
        mst_multiply_nt(n, t, a, q);
        symmetric_part(n, p, p);
        symmetric_part(n, q, q);
        size_t bad;
        if (mst_manifold_validate(s.m, 1, p, &bad) != MST_OK) /* a happens to be almost singular */
            continue;
        ASSERT_OK(mst_manifold_dist(s.m, 1, p, q, &r));
        assert_near(r, s.r[i], 1e-9 * (1 + s.r[i]), "congruence, row %zu", i);
    }
    free_sample(&s);
}
END_TEST

/* Transport preserves inner products, and carries the velocity along: v ends as −Log_y(x). */
static void check_transport(sample *s, double tolerance)
{
    mst_manifold *m = s->m;
    double *a = doubles(ROWS), *b = doubles(ROWS), *end = doubles(ROWS * s->D),
           *w = doubles(ROWS * s->D);
    ASSERT_OK(mst_manifold_exp(m, ROWS, s->x, s->v, end));
    ASSERT_OK(mst_manifold_inner(m, ROWS, s->x, s->u, s->v, a));
    ASSERT_OK(mst_manifold_transport(m, ROWS, s->x, s->v, s->v, s->out));
    ASSERT_OK(mst_manifold_transport(m, ROWS, s->x, s->v, s->u, w));
    ASSERT_OK(mst_manifold_inner(m, ROWS, end, w, s->out, b));
    for (size_t i = 0; i < ROWS; i++)
        assert_near(b[i], a[i], tolerance * (10 + fabs(a[i])), "inner product, row %zu", i);
    ASSERT_OK(mst_manifold_log(m, ROWS, end, s->x, w, NULL));
    for (size_t i = 0; i < ROWS * s->D; i++)
        w[i] = -w[i];
    for (size_t i = 0; i < ROWS; i++)
        for (size_t k = i * s->D; k < (i + 1) * s->D; k++)
            assert_near(s->out[k], w[k],
                        tolerance * (max_abs(s->D, w + i * s->D) + max_abs(s->D, end + i * s->D)),
                        "velocity, row %zu", i);
    free(a), free(b), free(end), free(w);
}

START_TEST(transport)
{
    sample s = new_sample(case_manifold(_i), 2);
    check_transport(&s, 1e-10);
    free_sample(&s);
}
END_TEST

START_TEST(flat_transport)
{
    sample s = new_sample(flat_manifold(_i), 2);
    check_transport(&s, 1e-10);
    free_sample(&s);
}
END_TEST

static void check_frame(sample *s)
{
    double *e = doubles(s->d * s->D), *c = doubles(s->d * s->d), *p = doubles(s->d * s->D), g;
    for (size_t i = 0; i < 10; i++) {
        for (size_t k = 0; k < s->d; k++)
            memcpy(p + k * s->D, s->x + i * s->D, s->D * sizeof *p);
        memset(c, 0, s->d * s->d * sizeof *c);
        for (size_t k = 0; k < s->d; k++)
            c[k * (s->d + 1)] = 1;
        ASSERT_OK(mst_manifold_from_frame(s->m, s->d, p, c, e));
        for (size_t k = 0; k < s->d; k++)
            for (size_t l = 0; l <= k; l++) {
                ASSERT_OK(mst_manifold_inner(s->m, 1, p, e + k * s->D, e + l * s->D, &g));
                assert_near(g, k == l, 1e-12, "vectors %zu and %zu", k, l);
            }
        ASSERT_OK(mst_manifold_to_frame(s->m, s->d, p, e, c));
        for (size_t k = 0; k < s->d * s->d; k++)
            assert_near(c[k], k % (s->d + 1) == 0, 1e-12, "coordinate %zu", k);
    }
    free(e), free(c), free(p);
}

START_TEST(frame)
{
    sample s = new_sample(case_manifold(_i), 2);
    check_frame(&s);
    free_sample(&s);
}
END_TEST

START_TEST(flat_frame)
{
    sample s = new_sample(flat_manifold(_i), 2);
    check_frame(&s);
    free_sample(&s);
}
END_TEST

/* Against the curvature of the chart, differenced: an independent way. */
START_TEST(ricci)
{
    sample s = new_sample(case_manifold(_i), 1);
    size_t rows = s.n > 3 ? 1 : 5;
    double *want = doubles(rows * s.D);
    ASSERT_OK(mst_manifold_ricci(s.m, rows, s.x, s.u, s.out));
    ASSERT_OK(mst_fallback_ricci(s.m, rows, s.x, s.u, want));
    for (size_t k = 0; k < rows * s.D; k++)
        assert_near(s.out[k], want[k], 1e-6 * (1 + max_abs(rows * s.D, s.u)), "entry %zu", k);
    ASSERT_OK(mst_manifold_ricci(s.m, ROWS, s.x, s.x, s.out)); /* the trace direction */
    for (size_t k = 0; k < ROWS * s.D; k++)
        assert_near(s.out[k], 0, 1e-13 * max_abs(ROWS * s.D, s.x), "trace part, entry %zu", k);
    free(want);
    free_sample(&s);
}
END_TEST

/* Coordinates invert points; the metric is that of the manifold, the symbols are those of the metric, the
 * diffusion is that of both. */
START_TEST(chart)
{
    mst_manifold *m = case_manifold(_i);
    size_t d = mst_manifold_dim(m), D = mst_manifold_ambient(m), n = symmetric_order(D);
    dice dice_ = {34};
    double c[ENTRIES], x[ENTRIES],
        u[DIM] = {0}, w[DIM], e[DIM], *g = doubles(d * d), *gamma = doubles(d * d * d),
        *plus = doubles(d * d), *minus = doubles(d * d), *dg = doubles(d * d * d), *b = doubles(d),
        *sigma = doubles(d * d);
    random_point(&dice_, n, 1, c);
    for (size_t k = 0; k < d; k++)
        u[k] = 0.1 / sqrt((double)d) * dice_normal(&dice_);
    ASSERT_OK(mst_manifold_chart_point(m, 1, c, u, x));
    ASSERT_OK(mst_manifold_chart_coords(m, 1, c, x, w));
    for (size_t k = 0; k < d; k++)
        assert_near(w[k], u[k], 1e-13, "coordinate %zu", k);
    ASSERT_OK(mst_manifold_chart_metric(m, 1, c, u, g));
    double *basis = doubles(d * D), value;
    for (size_t k = 0; k < d; k++) { /* the chart is affine: ∂x/∂u^k is the frame vector at c */
        memset(e, 0, sizeof e);
        e[k] = 1;
        ASSERT_OK(mst_manifold_from_frame(m, 1, c, e, basis + k * D));
    }
    for (size_t k = 0; k < d; k++)
        for (size_t l = 0; l < d; l++) {
            ASSERT_OK(mst_manifold_inner(m, 1, x, basis + k * D, basis + l * D, &value));
            assert_near(g[k * d + l], value, 1e-12, "metric %zu, %zu", k, l);
        }
    ASSERT_OK(mst_manifold_chart_christoffel(m, 1, c, u, gamma));
    const double h = 1e-5;
    for (size_t k = 0; k < d; k++) { /* dg[k] = ∂_k g */
        memcpy(w, u, d * sizeof *w);
        w[k] = u[k] + h;
        ASSERT_OK(mst_manifold_chart_metric(m, 1, c, w, plus));
        w[k] = u[k] - h;
        ASSERT_OK(mst_manifold_chart_metric(m, 1, c, w, minus));
        for (size_t j = 0; j < d * d; j++)
            dg[k * d * d + j] = (plus[j] - minus[j]) / (2 * h);
    }
    ASSERT_OK(mst_manifold_chart_diffusion(m, 1, c, u, b, sigma));
    for (size_t k = 0; k < d; k++)
        for (size_t i = 0; i < d; i++) {
            for (size_t j = 0; j < d; j++) { /* g_kl Γ^l_ij, step error h² */
                double sum = 0;
                for (size_t l = 0; l < d; l++)
                    sum += g[k * d + l] * gamma[(l * d + i) * d + j];
                assert_near(
                    sum,
                    (dg[(i * d + j) * d + k] + dg[(j * d + i) * d + k] - dg[(k * d + i) * d + j]) /
                        2,
                    1e-8, "symbol %zu, %zu, %zu", k, i, j);
            }
            double sum = 0; /* σᵀ g σ = I */
            for (size_t p = 0; p < d; p++)
                for (size_t q = 0; q < d; q++)
                    sum += sigma[p * d + k] * g[p * d + q] * sigma[q * d + i];
            assert_near(sum, k == i, 1e-12, "sigma %zu, %zu", k, i);
        }
    for (size_t k = 0; k < d; k++) { /* b = −½ σσᵀ : Γ */
        double sum = 0;
        for (size_t p = 0; p < d; p++)
            for (size_t q = 0; q < d; q++)
                for (size_t i = 0; i < d; i++)
                    sum += sigma[p * d + i] * sigma[q * d + i] * gamma[(k * d + p) * d + q];
        assert_near(b[k], -sum / 2, 1e-12, "drift %zu", k);
    }
    for (size_t k = 0; k < d; k++)
        u[k] = k == 0 ? -1.01 : 0;
    ASSERT_FAILS(MST_DOMAIN, mst_manifold_chart_point(m, 1, c, u, x));
    ASSERT_FAILS(MST_DOMAIN, mst_manifold_chart_diffusion(m, 1, c, u, b, sigma));
    free(g), free(gamma), free(plus), free(minus), free(dg), free(b), free(sigma), free(basis);
    mst_manifold_free(m);
}
END_TEST

int main(void)
{
    return RUN_SUITE("spd", 60, {exact_logarithm, CASES}, {round_trips, CASES},
                     {flat_round_trips, LARGEST}, {isometries, CASES}, {transport, CASES},
                     {flat_transport, LARGEST}, {frame, CASES}, {flat_frame, LARGEST},
                     {ricci, CASES}, {chart, CASES});
}
