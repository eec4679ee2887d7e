/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

#include "base/linalg.h"

#include "base/isa.h"
#include "support/support.h"

#include <stdlib.h>
#include <string.h>

/* Every test runs for the orders 1 … LARGEST; MST_SMALL_ORDER of them go through the lanes, and those once
 * per instruction set. */
enum { LARGEST = 9, COUNT = 130, KINDS = 9, CASES = LARGEST + 2 * MST_SMALL_ORDER };

static size_t case_order(int i)
{
    static const char *const sets[] = {"generic", "v3"};
    if (i < LARGEST)
        return (size_t)i + 1;
    mst_isa_choose(sets[(i - LARGEST) / MST_SMALL_ORDER]);
    return (size_t)((i - LARGEST) % MST_SMALL_ORDER) + 1;
}

static void random_orthogonal(dice *d, size_t n, double *q)
{
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < n; j++)
            q[i * n + j] = dice_normal(d);
        for (int pass = 0; pass < 2; pass++) {
            for (size_t k = 0; k < i; k++) {
                double s = dot(n, q + i * n, q + k * n);
                for (size_t j = 0; j < n; j++)
                    q[i * n + j] -= s * q[k * n + j];
            }
            double norm = euclidean_norm(n, q + i * n);
            for (size_t j = 0; j < n; j++)
                q[i * n + j] /= norm;
        }
    }
}

/* Qᵀ diag(values) Q, symmetric to the last bit. */
static void with_spectrum(dice *d, size_t n, const double *values, double *a)
{
    double q[LARGEST * LARGEST];
    random_orthogonal(d, n, q);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j <= i; j++) {
            double sum = 0;
            for (size_t k = 0; k < n; k++)
                sum += q[k * n + i] * values[k] * q[k * n + j];
            a[i * n + j] = a[j * n + i] = sum;
        }
}

/* Corner cases of symmetric matrices, by number. */
static void symmetric_case(dice *d, size_t n, size_t kind, double *a)
{
    double values[LARGEST] = {0};
    for (size_t k = 0; k < n; k++) {
        switch (kind % KINDS) {
        case 0:
            values[k] = dice_normal(d);
            break;
        case 1:
            values[k] = k < n / 2 ? 2 : -1;
            break; /* repeated */
        case 2:
            values[k] = pow(10, -1.0 * (double)(4 * k));
            break; /* condition 1e32 */
        case 3:
            values[k] = 1e150 * dice_normal(d);
            break;
        case 4:
            values[k] = 1e-150 * dice_normal(d);
            break;
        case 5:
            values[k] = 0;
            break;
        case 6:
            values[k] = k == 0 ? 3 : 0;
            break; /* rank one */
        case 7:
            values[k] = 1 + 1e-14 * dice_normal(d);
            break;
        default:
            values[k] = dice_uniform(d, 1, 2) * pow(2, (double)dice_below(d, 600) - 300);
            break;
        }
    }
    with_spectrum(d, n, values, a);
    if (kind >= KINDS) /* diagonal */
        for (size_t k = 0; k < n * n; k++)
            a[k] = k % (n + 1) == 0 ? values[k / n] : 0;
}

static void assert_orthogonal(size_t n, const double *q, size_t kind)
{
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            assert_near(dot(n, q + i * n, q + j * n), i == j, 16 * (double)n * DBL_EPSILON,
                        "order %zu, kind %zu, rows %zu and %zu", n, kind, i, j);
}

/* A v = λ v and orthogonality to a small multiple of the rounding unit, relative to |A|. */
static void assert_eigen(size_t n, size_t kind, const double *a, const double *values,
                         const double *vectors)
{
    double tolerance = 16 * (double)n * DBL_EPSILON * max_abs(n * n, a);
    for (size_t k = 0; k < n; k++) {
        ck_assert(k == 0 || values[k] >= values[k - 1]);
        for (size_t i = 0; i < n; i++)
            assert_near(dot(n, a + i * n, vectors + k * n), values[k] * vectors[k * n + i],
                        tolerance, "order %zu, kind %zu, eigenvector %zu", n, kind, k);
    }
    assert_orthogonal(n, vectors, kind);
}

START_TEST(eigen)
{
    size_t n = case_order(_i), D = n * n;
    dice d = {17};
    double *a = doubles(COUNT * D), *values = doubles(COUNT * n), *vectors = doubles(COUNT * D);
    for (size_t i = 0; i < COUNT; i++)
        symmetric_case(&d, n, i % (2 * KINDS), a + i * D);
    ASSERT_OK(mst_eigen_symmetric(COUNT, n, a, values, vectors, NULL));
    mst_dense dense;
    ASSERT_OK(mst_dense_new(&dense, n));
    double *w = doubles(n), *v = doubles(D);
    for (size_t i = 0; i < COUNT; i++) {
        assert_eigen(n, i % (2 * KINDS), a + i * D, values + i * n, vectors + i * D);
        ASSERT_OK(mst_dense_eigen(&dense, a + i * D, w, v));
        assert_eigen(n, i % (2 * KINDS), a + i * D, w, v);
        for (size_t k = 0; k < n; k++)
            assert_near(values[i * n + k], w[k],
                        16 * (double)n * DBL_EPSILON * max_abs(D, a + i * D),
                        "order %zu, kind %zu, value %zu", n, i % (2 * KINDS), k);
        /* A matrix alone gives the bits it gives in a batch. */
        ASSERT_OK(mst_eigen_symmetric(1, n, a + i * D, w, v, NULL));
        ck_assert_mem_eq(w, values + i * n, n * sizeof *w);
        ck_assert_mem_eq(v, vectors + i * D, D * sizeof *v);
    }
    /* In place. */
    ASSERT_OK(mst_eigen_symmetric(COUNT, n, a, values, a, NULL));
    ck_assert_mem_eq(a, vectors, COUNT * D * sizeof *a);
    mst_dense_release(&dense);
    free(a), free(values), free(vectors), free(w), free(v);
}
END_TEST

/* D H D with H well conditioned has eigenvalues of high relative accuracy although its condition is 1e32; the
 * two by two case has a closed form, λ₁λ₂ = det. */
START_TEST(graded_eigenvalues)
{
    double a[4] = {1, 5e-17, 5e-17, 1e-32}, values[2], vectors[4];
    ASSERT_OK(mst_eigen_symmetric(1, 2, a, values, vectors, NULL));
    assert_near(values[0] / 7.5e-33, 1, 16 * DBL_EPSILON, "small eigenvalue");
}
END_TEST

START_TEST(cholesky)
{
    size_t n = case_order(_i), D = n * n;
    dice d = {18};
    double *a = doubles(COUNT * D), *l = doubles(COUNT * D), *r = doubles(D);
    for (size_t i = 0; i < COUNT; i++) {
        double values[LARGEST] = {0}, size = pow(10, (double)(i % 5) * 75 - 150);
        for (size_t k = 0; k < n; k++)
            values[k] = size * pow(10, -12.0 * (double)k / LARGEST) * dice_uniform(&d, 1, 2);
        with_spectrum(&d, n, values, a + i * D);
    }
    ASSERT_OK(mst_cholesky(COUNT, n, a, l, NULL));
    for (size_t i = 0; i < COUNT; i++) {
        const double *f = l + i * D;
        ck_assert(mst_dense_cholesky(n, a + i * D, r));
        for (size_t j = 0; j < n; j++)
            for (size_t k = 0; k < n; k++) {
                if (k > j)
                    ck_assert(f[j * n + k] == 0 && r[j * n + k] == 0);
                double scale = sqrt(a[i * D + j * (n + 1)] * a[i * D + k * (n + 1)]);
                assert_near(dot(n, f + j * n, f + k * n), a[i * D + j * n + k],
                            4 * (double)n * DBL_EPSILON * scale, "order %zu", n);
                assert_near(dot(n, r + j * n, r + k * n), a[i * D + j * n + k],
                            4 * (double)n * DBL_EPSILON * scale, "order %zu, LAPACK", n);
            }
    }
    /* The first matrix that is not positive definite is named, in place or not. */
    size_t bad = 0;
    a[100 * D + D - 1] *= -1;
    a[77 * D] = 0;
    ASSERT_FAILS(MST_DOMAIN, mst_cholesky(COUNT, n, a, l, &bad));
    ck_assert_uint_eq(bad, 77);
    ck_assert_ptr_nonnull(strstr(mst_error_detail(), "matrix 78 ")); /* people count from 1 */
    a[120 * D] = NAN;
    ASSERT_FAILS(MST_DOMAIN, mst_cholesky(COUNT, n, a, a, &bad));
    ck_assert_uint_eq(bad, 120);
    free(a), free(l), free(r);
}
END_TEST

static void assert_svd(size_t n, size_t kind, const double *a, const double *u, const double *sigma,
                       const double *vt)
{
    double tolerance = 16 * (double)n * DBL_EPSILON * max_abs(n * n, a);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) {
            double sum = 0;
            for (size_t k = 0; k < n; k++)
                sum += u[i * n + k] * sigma[k] * vt[k * n + j];
            assert_near(sum, a[i * n + j], tolerance, "order %zu, kind %zu", n, kind);
        }
    for (size_t k = 0; k < n; k++)
        ck_assert(sigma[k] >= 0 && (k == 0 || sigma[k] <= sigma[k - 1]));
    assert_orthogonal(n, vt, kind);
    assert_orthogonal(n, u, kind);
}

START_TEST(svd)
{
    size_t n = case_order(_i), D = n * n;
    dice d = {19};
    double *a = doubles(COUNT * D), *u = doubles(COUNT * D), *vt = doubles(COUNT * D),
           *sigma = doubles(COUNT * n), q[LARGEST * LARGEST];
    for (size_t i = 0; i < COUNT; i++) {
        double s[LARGEST * LARGEST];
        symmetric_case(&d, n, i % (2 * KINDS), s);
        random_orthogonal(&d, n, q);
        mst_multiply(n, s, q, a + i * D);
        if (i % 5 == 0) { /* columns that are almost orthogonal already */
            random_orthogonal(&d, n, a + i * D);
            for (size_t k = 0; k < D; k++)
                a[i * D + k] += 1e-9 * dice_normal(&d);
        }
    }
    ASSERT_OK(mst_svd(COUNT, n, a, u, sigma, vt, NULL));
    mst_dense dense;
    ASSERT_OK(mst_dense_new(&dense, n));
    double *u1 = doubles(D), *s1 = doubles(n), *vt1 = doubles(D);
    for (size_t i = 0; i < COUNT; i++) {
        assert_svd(n, i % (2 * KINDS), a + i * D, u + i * D, sigma + i * n, vt + i * D);
        ASSERT_OK(mst_dense_svd(&dense, a + i * D, u1, s1, vt1));
        assert_svd(n, i % (2 * KINDS), a + i * D, u1, s1, vt1);
        for (size_t k = 0; k < n; k++)
            assert_near(sigma[i * n + k], s1[k],
                        16 * (double)n * DBL_EPSILON * max_abs(D, a + i * D),
                        "order %zu, kind %zu, value %zu", n, i % (2 * KINDS), k);
        ASSERT_OK(mst_svd(1, n, a + i * D, u1, s1, vt1, NULL));
        ck_assert_mem_eq(u1, u + i * D, D * sizeof *u);
        ck_assert_mem_eq(s1, sigma + i * n, n * sizeof *s1);
    }
    ASSERT_OK(mst_svd(COUNT, n, a, a, sigma, vt, NULL));
    ck_assert_mem_eq(a, u, COUNT * D * sizeof *a);
    mst_dense_release(&dense);
    free(a), free(u), free(vt), free(sigma), free(u1), free(s1), free(vt1);
}
END_TEST

/* Orthogonal times diagonal: the singular values are the diagonal, each to full relative accuracy. */
START_TEST(graded_singular_values)
{
    dice d = {20};
    for (size_t n = 2; n <= MST_SMALL_ORDER; n++) {
        double q[16], a[16], u[16], vt[16], sigma[4];
        random_orthogonal(&d, n, q);
        for (size_t k = 0; k < n * n; k++)
            a[k] = q[k] * pow(2, -30.0 * (double)(k % n));
        ASSERT_OK(mst_svd(1, n, a, u, sigma, vt, NULL));
        for (size_t k = 0; k < n; k++)
            assert_near(sigma[k] * pow(2, 30.0 * (double)k), 1, 32 * DBL_EPSILON,
                        "order %zu, value %zu", n, k);
    }
}
END_TEST

/* Zero singular values exactly: the columns of U that belong to them are filled in. */
START_TEST(exact_rank_one)
{
    for (size_t n = 1; n <= LARGEST; n++) {
        double a[LARGEST * LARGEST] = {0}, u[LARGEST * LARGEST], vt[LARGEST * LARGEST],
                           sigma[LARGEST];
        for (size_t i = 0; i < n; i++)
            a[i * n + n / 2] = (double)i + 1;
        ASSERT_OK(mst_svd(1, n, a, u, sigma, vt, NULL));
        assert_svd(n, 0, a, u, sigma, vt);
    }
}
END_TEST

START_TEST(solve)
{
    enum { SIDES = 3 };
    size_t n = case_order(_i), D = n * n;
    dice d = {21};
    double *a = doubles(COUNT * D), *b = doubles(COUNT * SIDES * n),
           *x = doubles(COUNT * SIDES * n);
    for (size_t i = 0; i < COUNT; i++) {
        double size = pow(10, (double)(i % 5) * 75 - 150);
        for (size_t k = 0; k < D; k++)
            a[i * D + k] = size * dice_normal(&d);
        if (i % 3 == 0) /* a pivot that is not on the diagonal */
            a[i * D] = n == 1 ? size : 0;
    }
    for (size_t k = 0; k < COUNT * SIDES * n; k++)
        b[k] = dice_normal(&d);
    ASSERT_OK(mst_solve(COUNT, n, SIDES, a, b, x, NULL));
    mst_dense dense;
    ASSERT_OK(mst_dense_new(&dense, n));
    double *y = doubles(SIDES * n);
    for (size_t i = 0; i < COUNT; i++) {
        ck_assert(mst_dense_solve(&dense, SIDES, a + i * D, b + i * SIDES * n, y));
        for (size_t s = 0; s < SIDES; s++)
            for (size_t j = 0; j < n; j++) {
                size_t at = (i * SIDES + s) * n;
                /* Gaussian elimination: residual a small multiple of eps·|A||x|. */
                double tolerance = 32 * (double)n * DBL_EPSILON * max_abs(D, a + i * D);
                assert_near(dot(n, a + i * D + j * n, x + at), b[at + j],
                            tolerance * max_abs(n, x + at), "order %zu, matrix %zu", n, i);
                assert_near(dot(n, a + i * D + j * n, y + s * n), b[at + j],
                            tolerance * max_abs(n, y + s * n), "LAPACK, order %zu", n);
            }
    }
    size_t bad = 0;
    memset(a + 70 * D, 0, n * sizeof *a);
    ASSERT_FAILS(MST_DOMAIN, mst_solve(COUNT, n, SIDES, a, b, b, &bad));
    ck_assert_uint_eq(bad, 70);
    mst_dense_release(&dense);
    free(a), free(b), free(x), free(y);
}
END_TEST

START_TEST(empty_batches)
{
    size_t n = case_order(_i);
    ASSERT_OK(mst_eigen_symmetric(0, n, NULL, NULL, NULL, NULL));
    ASSERT_OK(mst_cholesky(0, n, NULL, NULL, NULL));
    ASSERT_OK(mst_svd(0, n, NULL, NULL, NULL, NULL, NULL));
    ASSERT_OK(mst_solve(0, n, 2, NULL, NULL, NULL, NULL));
}
END_TEST

START_TEST(not_finite)
{
    size_t n = case_order(_i), bad = 0;
    double a[2 * LARGEST * LARGEST] = {0}, b[2 * LARGEST * LARGEST], w[2 * LARGEST],
                           c[2 * LARGEST * LARGEST];
    a[2 * n * n - 1] = INFINITY;
    ASSERT_FAILS(MST_DOMAIN, mst_eigen_symmetric(2, n, a, w, b, &bad));
    ck_assert_uint_eq(bad, 1);
    a[0] = NAN;
    ASSERT_FAILS(MST_DOMAIN, mst_svd(2, n, a, b, w, c, &bad));
    ck_assert_uint_eq(bad, 0);
    ck_assert_str_eq(mst_error_detail(), "matrix 1 has an entry that is not finite");
}
END_TEST

START_TEST(products)
{
    size_t n = case_order(_i);
    dice d = {22};
    double a[LARGEST * LARGEST] = {0}, b[LARGEST * LARGEST] = {0}, ab[LARGEST * LARGEST],
                       abt[LARGEST * LARGEST], atb[LARGEST * LARGEST];
    for (size_t k = 0; k < n * n; k++) {
        a[k] = k % n > k / n ? 0 : (double)dice_below(&d, 9) + 1; /* lower triangular */
        b[k] = (double)dice_below(&d, 19) - 9;
    }
    mst_multiply(n, a, b, ab);
    mst_multiply_nt(n, a, b, abt);
    mst_multiply_tn(n, a, b, atb);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) {
            double s[3] = {0};
            for (size_t k = 0; k < n; k++) {
                s[0] += a[i * n + k] * b[k * n + j];
                s[1] += a[i * n + k] * b[j * n + k];
                s[2] += a[k * n + i] * b[k * n + j];
            }
            ck_assert(s[0] == ab[i * n + j] && s[1] == abt[i * n + j] && s[2] == atb[i * n + j]);
        }
    mst_lower_solve(n, a, ab);
    for (size_t k = 0; k < n * n; k++) /* a is as badly conditioned as 9^n */
        assert_near(ab[k], b[k], 1e-15 * pow(9, (double)n), "order %zu", n);
}
END_TEST

/* LAPACK counts its workspace in 32 bits. */
START_TEST(beyond_lapack)
{
    mst_dense d;
    ASSERT_FAILS(MST_UNABLE, mst_dense_new(&d, 32767));
    mst_dense_release(&d);
}
END_TEST

/* A factor of LAPACK solves, and becomes the inverse. */
START_TEST(positive_definite)
{
    enum { N = 9, SIDES = 3 };
    double a[N * N], l[N * N], values[N], x[SIDES * N], b[SIDES * N];
    dice d = {21};
    for (size_t k = 0; k < N; k++)
        values[k] = dice_uniform(&d, 0.5, 2);
    with_spectrum(&d, N, values, a);
    for (size_t i = 0; i < SIDES * N; i++)
        b[i] = x[i] = dice_normal(&d);
    ck_assert(mst_dense_cholesky(N, a, l));
    mst_dense_cholesky_solve(N, l, SIDES, x);
    mst_dense_cholesky_invert(N, l);
    /* Condition 4, norms below 2, sums of nine terms. */
    for (size_t s = 0; s < SIDES; s++)
        for (size_t i = 0; i < N; i++) {
            assert_near(dot(N, a + i * N, x + s * N), b[s * N + i], 1e3 * DBL_EPSILON, "A x = b");
            assert_near(dot(N, l + i * N, b + s * N), x[s * N + i], 1e3 * DBL_EPSILON,
                        "the inverse");
        }
}
END_TEST

int main(void)
{
    return RUN_SUITE("linalg", 60, {eigen, CASES}, {graded_eigenvalues, 0}, {cholesky, CASES},
                     {svd, CASES}, {graded_singular_values, 0}, {exact_rank_one, 0}, {solve, CASES},
                     {empty_batches, CASES}, {not_finite, CASES}, {products, LARGEST},
                     {beyond_lapack, 0}, {positive_definite, 0});
}
