/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Matrices of order 5 to 128, one per lane, against LAPACK and against what decompositions must satisfy; on
 * every instruction set that the processor has. */
#include "base/wide_matrices.h"

#include "base/linalg.h"
#include "support/support.h"

#include <stdlib.h>
#include <string.h>

enum { COUNT = 11, KINDS = 7, ORDERS = 6, SETS = 3, CASES = ORDERS * SETS };

static size_t case_order(int i)
{
    static const size_t orders[ORDERS] = {5, 14, 32, 33, 64, WIDE_ORDER};
    static const char *const sets[SETS] = {NULL, "v3", "generic"};
    mst_isa_choose(sets[i / ORDERS]);
    return orders[i % ORDERS];
}

/* ---- Symmetric matrices with a given spectrum, turned by reflections ---- */

static void turn(dice *d, size_t n, double *a)
{
    double *v = doubles(2 * n), *p = v + n;
    for (int times = 0; times < 3; times++) {
        double square = 0, along = 0;
        for (size_t i = 0; i < n; i++) {
            v[i] = dice_normal(d);
            square += v[i] * v[i];
        }
        double beta = 2 / square;
        for (size_t i = 0; i < n; i++) {
            p[i] = beta * dot(n, a + i * n, v);
            along += 0.5 * beta * p[i] * v[i];
        }
        for (size_t i = 0; i < n; i++)
            p[i] -= along * v[i];
        for (size_t i = 0; i < n; i++)
            for (size_t j = 0; j <= i; j++)
                a[i * n + j] = a[j * n + i] = a[i * n + j] - v[i] * p[j] - p[i] * v[j];
    }
    free(v);
}

/* Plain, repeated, clustered, of rank one, graded, tiny; and nothing at all. */
static void matrix_of_kind(dice *d, size_t n, size_t kind, double *a)
{
    memset(a, 0, n * n * sizeof *a);
    for (size_t k = 0; k < n && kind < KINDS - 1; k++) {
        double values[KINDS - 1] = {dice_normal(d),
                                    k < n / 2 ? 2 : -1,
                                    1 + 1e-13 * dice_normal(d),
                                    k == 0 ? 3 : 0,
                                    pow(10, -14 * (double)k / (double)n),
                                    1e-27 * dice_uniform(d, 1, 1e4)};
        a[k * (n + 1)] = values[kind];
    }
    turn(d, n, a);
}

static void assert_eigen(size_t n, size_t kind, const double *a, const double *values,
                         const double *vectors)
{
    double rounding = 4 * sqrt((double)n) * DBL_EPSILON, size = 0;
    for (size_t k = 0; k < n; k++)
        size = fmax(size, fabs(values[k]));
    for (size_t k = 0; k < n; k++) {
        ck_assert(k == 0 || values[k] >= values[k - 1]);
        for (size_t i = 0; i < n; i++) {
            assert_near(dot(n, a + i * n, vectors + k * n), values[k] * vectors[k * n + i],
                        8 * rounding * size, "order %zu, kind %zu, eigenvector %zu", n, kind, k);
            assert_near(dot(n, vectors + i * n, vectors + k * n), i == k, 4 * rounding,
                        "order %zu, kind %zu, vectors %zu and %zu", n, kind, i, k);
        }
    }
}

START_TEST(eigen)
{
    size_t n = case_order(_i), D = n * n;
    dice d = {23};
    double *a = doubles(COUNT * D), *values = doubles(COUNT * n), *vectors = doubles(COUNT * D);
    double *w = doubles(n), *v = doubles(D);
    unsigned char failed[COUNT];
    mst_dense dense;
    ASSERT_OK(mst_dense_new(&dense, n));
    for (size_t i = 0; i < COUNT; i++)
        matrix_of_kind(&d, n, i % KINDS, a + i * D);
    ASSERT_OK(wide_eigen(COUNT, n, a, values, vectors, failed));
    for (size_t i = 0; i < COUNT; i++) {
        ck_assert_uint_eq(failed[i], 0);
        assert_eigen(n, i % KINDS, a + i * D, values + i * n, vectors + i * D);
        ASSERT_OK(mst_dense_eigen(&dense, a + i * D, w, v));
        for (size_t k = 0; k < n; k++)
            assert_near(values[i * n + k], w[k],
                        8 * sqrt((double)n) * DBL_EPSILON * fmax(fabs(w[0]), fabs(w[n - 1])),
                        "order %zu, kind %zu, value %zu against LAPACK", n, i % KINDS, k);
        /* Alone, in its own place, it is the same. */
        memcpy(v, a + i * D, D * sizeof *v);
        ASSERT_OK(wide_eigen(1, n, v, w, v, failed));
        ck_assert_mem_eq(w, values + i * n, n * sizeof *w);
        ck_assert_mem_eq(v, vectors + i * D, D * sizeof *v);
    }
    mst_dense_release(&dense);
    free(a), free(values), free(vectors), free(w), free(v);
    mst_isa_choose(NULL);
}
END_TEST

START_TEST(cholesky)
{
    size_t n = case_order(_i), D = n * n, bad;
    dice d = {29};
    double *a = doubles(COUNT * D), *l = doubles(COUNT * D), *want = doubles(D);
    for (size_t i = 0; i < COUNT; i++) {
        memset(a + i * D, 0, D * sizeof *a);
        for (size_t k = 0; k < n; k++)
            a[i * D + k * (n + 1)] = pow(10, -6 * dice_uniform(&d, 0, 1));
        turn(&d, n, a + i * D);
    }
    ASSERT_OK(wide_cholesky(COUNT, n, a, l, &bad));
    ck_assert_uint_eq(bad, COUNT);
    for (size_t i = 0; i < COUNT; i++) {
        ck_assert(mst_dense_cholesky(n, a + i * D, want));
        for (size_t k = 0; k < D; k++) /* of condition 1e6 */
            assert_near(l[i * D + k], want[k], 1e-9, "order %zu, entry %zu", n, k);
        for (size_t r = 0; r < n; r++)
            for (size_t c = 0; c <= r; c++)
                assert_near(dot(c + 1, l + i * D + r * n, l + i * D + c * n), a[i * D + r * n + c],
                            4 * (double)n * DBL_EPSILON, "L times L'");
    }
    a[7 * D + D - 1] = -1;
    a[4 * D] = 0;
    ASSERT_OK(wide_cholesky(COUNT, n, a, l, &bad));
    ck_assert_uint_eq(bad, 4);
    free(a), free(l), free(want);
    mst_isa_choose(NULL);
}
END_TEST

/* ---- Products, entry by entry ---- */

/* Batches are aligned. */
static double *aligned(size_t count)
{
    double *a;
    ASSERT_OK(mst_allocate(&a, count));
    return a;
}

/* A batch of random matrices, with zeros above the diagonal or symmetric if wanted. */
static double *random_batch(dice *d, size_t n, size_t side, bool lower, bool symmetric)
{
    double *a = aligned(n * n * side);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            for (size_t k = 0; k < side; k++) {
                double value = i == j ? 2 : dice_normal(d) / (double)n;
                a[(i * n + j) * side + k] = lower && j > i ? 0 : value;
                if (symmetric && j < i)
                    a[(i * n + j) * side + k] = a[(j * n + i) * side + k];
            }
    return a;
}

static void lane(size_t n, size_t side, size_t k, const double *a, double *out)
{
    for (size_t e = 0; e < n * n; e++)
        out[e] = a[e * side + k];
}

/* The lower triangle, or all, of lane k. */
static void assert_lane(size_t n, size_t side, size_t k, const double *got, const double *want,
                        bool lower, const char *what)
{
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < (lower ? i + 1 : n); j++)
            assert_near(got[(i * n + j) * side + k], want[i * n + j], 100 * DBL_EPSILON,
                        "%s, order %zu, entry (%zu, %zu)", what, n, i, j);
}

START_TEST(products)
{
    size_t n = case_order(_i), D = n * n, side = MST_PICK(wide_eigen_kernels)->lanes;
    const struct wide_kernels *kernels = MST_PICK(wide_kernels);
    dice d = {31};
    double *l = random_batch(&d, n, side, true, false), *s = random_batch(&d, n, side, false, true);
    double *z = random_batch(&d, n, side, false, false), *out = aligned(D * side);
    double *room = aligned(2 * D * side), *b = random_batch(&d, n, side, true, false);
    double *w = doubles(6 * D), *one = w + D, *two = one + D, *first = two + D, *second = first + D,
           *third = second + D;
    lane(n, side, 0, l, w); /* shared by all lanes */
    for (size_t k = 0; k < side; k++) {
        lane(n, side, k, s, one);
        mst_multiply(n, w, one, first);
        mst_multiply_nt(n, first, w, second);
        kernels->shared_congruence(n, w, s, out, room);
        assert_lane(n, side, k, out, second, true, "W A W'");

        lane(n, side, k, b, one);
        mst_multiply_nt(n, one, one, first);
        kernels->lower_gram(n, b, out);
        assert_lane(n, side, k, out, first, true, "B B' of lower B");

        lane(n, side, k, z, two);
        mst_multiply_tn(n, two, one, first);
        kernels->times_lower(n, z, b, out);
        assert_lane(n, side, k, out, first, false, "Z' B");
        mst_multiply(n, one, two, first);
        kernels->lower_times(n, b, z, out);
        assert_lane(n, side, k, out, first, false, "L Z");
        mst_multiply_nt(n, two, two, first);
        kernels->gram(n, z, out);
        assert_lane(n, side, k, out, first, true, "Z Z'");

        lane(n, side, k, l, one);
        for (int triangular = 0; triangular < 2; triangular++) {
            memcpy(out, triangular ? b : s, D * side * sizeof *out);
            lane(n, side, k, out, first);
            kernels->lower_solve(n, l, triangular != 0, out);
            mst_lower_solve(n, one, first);
            assert_lane(n, side, k, out, first, triangular != 0, "L^-1 B");
        }

        /* Z diag(f) Z', added to Z Z' */
        kernels->gram(n, z, out);
        kernels->spectral(n, z, l, true, out, room);
        for (size_t e = 0; e < D; e++)
            first[e] = two[e] * (1 + l[(e % n) * side + k]);
        mst_multiply_nt(n, first, two, second);
        assert_lane(n, side, k, out, second, true, "Z diag(f) Z'");

        /* Z (phi o (Z' W Z)) Z' with a symmetric W and phi = s */
        for (size_t i = 0; i < n; i++)
            for (size_t j = 0; j < i; j++)
                w[j * n + i] = w[i * n + j];
        memset(out, 0, D * side * sizeof *out);
        kernels->between(n, z, s, w, out, room);
        mst_multiply(n, w, two, first);
        mst_multiply_tn(n, two, first, second);
        for (size_t e = 0; e < D; e++)
            second[e] *= s[e * side + k];
        mst_multiply(n, two, second, first);
        mst_multiply_nt(n, first, two, third);
        for (size_t e = 0; e < D; e++)
            third[e] /= 16, out[e * side + k] /= 16; /* to the size of the others */
        assert_lane(n, side, k, out, third, true, "Z (phi o Z' D Z) Z'");
        lane(n, side, 0, l, w);
    }
    double *batches[] = {l, s, z, out, room, b};
    for (size_t k = 0; k < sizeof batches / sizeof *batches; k++)
        mst_release(batches[k]);
    free(w);
    mst_isa_choose(NULL);
}
END_TEST

/* 9 (L Lᵀ)⁻¹ in every lane, from the factors. */
START_TEST(inverses)
{
    size_t n = case_order(_i), D = n * n, side = MST_PICK(wide_eigen_kernels)->lanes;
    _Alignas(64) const double nine[WIDE_MOST] = {9, 9, 9, 9, 9, 9, 9, 9};
    dice d = {47};
    double *l = random_batch(&d, n, side, true, false), *out = aligned(D * side);
    double *room = aligned(D * side), *want = doubles(D);
    memset(out, 0, D * side * sizeof *out);
    MST_PICK(wide_kernels)->add_inverse(n, l, nine, out, room);
    for (size_t k = 0; k < side; k++) {
        lane(n, side, k, l, want);
        mst_dense_cholesky_invert(n, want);
        for (size_t e = 0; e < D; e++)
            want[e] *= 9;
        assert_lane(n, side, k, out, want, true, "9 (L L')^-1");
    }
    mst_release(l);
    mst_release(out);
    mst_release(room);
    free(want);
    mst_isa_choose(NULL);
}
END_TEST

int main(void)
{
    return RUN_SUITE("wide matrices", 120, {eigen, CASES}, {cholesky, CASES}, {products, CASES},
                     {inverses, CASES});
}
