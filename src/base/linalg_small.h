/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Matrices of order ≤ 4 in structure-of-arrays form, MST_LANES of them at once, for *.hot.c files: entry
 * (i, j) of all matrices is one array, number i·n + j. Symmetric and triangular matrices use the lower
 * triangle, j ≤ i, only. A lane that has converged is rotated by exactly nothing, so the number of sweeps,
 * which the slowest lane decides, does not change the bits of the others; neither does one of NaNs. */
#ifndef MST_BASE_LINALG_SMALL_H
#define MST_BASE_LINALG_SMALL_H

#include "base/lanes.h"
#include "base/vecmath.h"

enum { LANES_ORDER = 4, LANES_ENTRIES = LANES_ORDER * LANES_ORDER };

static inline size_t lanes_lower(size_t n, size_t i, size_t j)
{
    return i >= j ? i * n + j : j * n + i;
}

/* `count` matrices; the lanes beyond get a multiple of the identity. */
static inline void lanes_load(size_t n, size_t count, const double *rows, double diagonal,
                              lanes *out)
{
    lanes_load_rows(n * n, count, rows, 0, out);
    for (size_t i = 0; i < n; i++)
        for (size_t k = count; k < MST_LANES; k++)
            out[i * (n + 1)][k] = diagonal;
}

static inline void lanes_store_symmetric(size_t n, size_t count, const lanes *in, double *rows)
{
    for (size_t k = 0; k < count; k++)
        for (size_t i = 0; i < n; i++)
            for (size_t j = 0; j < n; j++)
                rows[(k * n + i) * n + j] = in[lanes_lower(n, i, j)][k];
}

static inline void lanes_fill(lanes *a, size_t entries, double value)
{
    for (size_t e = 0; e < entries; e++)
        LANES_LOOP a[e][k] = value;
}

/* c += a b, c −= a b */
static inline void lanes_add_product(const double *a, const double *b, double *restrict c)
{
    LANES_LOOP c[k] += a[k] * b[k];
}

static inline void lanes_subtract_product(const double *a, const double *b, double *restrict c)
{
    LANES_LOOP c[k] -= a[k] * b[k];
}

static inline void lanes_scale(const double *factor, double *restrict a)
{
    LANES_LOOP a[k] *= factor[k];
}

static inline void lanes_copy(const double *a, double *restrict b)
{
    LANES_LOOP b[k] = a[k];
}

/* A = L Lᵀ with the reciprocals r (n) of the diagonal of L; ok becomes 0 in lanes that are not positive
 * definite. l may be a. */
static inline void lanes_cholesky(size_t n, const lanes *a, lanes *l, lanes *r, double *ok)
{
    for (size_t j = 0; j < n; j++)
        for (size_t i = j; i < n; i++) {
            _Alignas(64) lanes sum;
            lanes_copy(a[i * n + j], sum);
            for (size_t m = 0; m < j; m++)
                lanes_subtract_product(l[i * n + m], l[j * n + m], sum);
            double *restrict out = l[i * n + j], *restrict inverse = r[j];
            if (i == j)
                LANES_LOOP
                {
                    ok[k] = sum[k] > 0 && sum[k] < INFINITY ? ok[k] : 0;
                    out[k] = sqrt(sum[k]);
                    inverse[k] = 1 / out[k];
                }
            else
                LANES_LOOP out[k] = sum[k] * inverse[k];
        }
}

/* The first of `count` lanes with ok = 0; `count` if there is none. */
static inline size_t lanes_first_bad(const double *ok, size_t count)
{
    for (size_t k = 0; k < count; k++)
        if (ok[k] == 0)
            return k;
    return count;
}

/* Powers of two f and 1/f, exactly, such that f·max|a| lies in [1, 2) unless that is beyond 2^±1022. */
static inline void lanes_range(size_t entries, const lanes *a, double *restrict f,
                               double *restrict inverse)
{
    _Alignas(64) lanes size = {0};
    for (size_t e = 0; e < entries; e++) {
        const double *in = a[e];
        LANES_LOOP size[k] = vm_max(vm_abs(in[k]), size[k]);
    }
    LANES_LOOP
    {
        double bounded = vm_min(vm_max(size[k], 0x1p-1022), 0x1p1022);
        uint64_t exponent = vm_bits(bounded) & UINT64_C(0x7ff0000000000000);
        inverse[k] = vm_double(exponent);
        f[k] = vm_double(UINT64_C(0x7fe0000000000000) - exponent);
    }
}

/* The tangent t of the Jacobi rotation that diagonalises [a g; g b], the smaller of the two solutions:
 * t = 2g / (d ± √(d² + 4g²)) with d = b − a and the sign of d (Golub and Van Loan, 8.5.2, multiplied out). */
static inline double lanes_jacobi(double a, double b, double g)
{
    double d = b - a, root = sqrt(d * d + 4 * g * g);
    return 2 * g / (d < 0 ? d - root : d + root);
}

static inline void lanes_rotate(const double *c, const double *s, double *restrict x,
                                double *restrict y)
{
    LANES_LOOP
    {
        double old = x[k];
        x[k] = c[k] * old - s[k] * y[k];
        y[k] = s[k] * old + c[k] * y[k];
    }
}

/* Far above what lanes need (orders ≤ 4 take 5 to 8); no lane may loop for ever. */
enum { LANES_SWEEPS = 40 };

/* Eigenvalues (n), not sorted, and eigenvectors, row i that of value i, by cyclic Jacobi rotations; a is
 * overwritten. Off-diagonal entries count as zero below 2^-54 √|a_pp a_qq| (this keeps the small eigenvalues
 * of graded positive definite matrices: Demmel and Veselić 1992) or 1e-40 of the largest entry. */
static inline void lanes_eigen(size_t n, lanes *a, lanes *values, lanes *vectors)
{
    _Alignas(64) lanes c, s, f, inverse;
    _Alignas(64) int64_t moved[MST_LANES];
    for (size_t i = 0; i < n; i++)
        for (size_t j = i + 1; j < n; j++)
            lanes_fill(&a[i * n + j], 1, 0);
    lanes_range(n * n, a, f, inverse);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) {
            lanes_scale(f, a[i * n + j]);
            lanes_fill(&vectors[i * n + j], 1, i == j ? 1 : 0);
        }
    for (int sweep = 0, busy = 1; busy && sweep < LANES_SWEEPS; sweep++) {
        for (size_t k = 0; k < MST_LANES; k++)
            moved[k] = 0;
        for (size_t p = 0; p < n; p++)
            for (size_t q = p + 1; q < n; q++) {
                double *restrict app = a[p * n + p], *restrict aqq = a[q * n + q],
                                 *restrict apq = a[q * n + p];
                LANES_LOOP
                {
                    double g = apq[k];
                    int skip = !(g * g > 0x1p-108 * vm_abs(app[k] * aqq[k]) + 1e-80);
                    double t = skip ? 0 : lanes_jacobi(app[k], aqq[k], g);
                    app[k] -= t * g;
                    aqq[k] += t * g;
                    apq[k] = skip ? g : 0;
                    c[k] = 1 / sqrt(1 + t * t);
                    s[k] = t * c[k];
                    moved[k] |= skip ? 0 : 1;
                }
                for (size_t i = 0; i < n; i++) {
                    if (i != p && i != q)
                        lanes_rotate(c, s, a[lanes_lower(n, i, p)], a[lanes_lower(n, i, q)]);
                    lanes_rotate(c, s, vectors[p * n + i], vectors[q * n + i]);
                }
            }
        busy = 0;
        for (size_t k = 0; k < MST_LANES; k++)
            busy |= (int)moved[k];
    }
    for (size_t i = 0; i < n; i++)
        LANES_LOOP values[i][k] = a[i * (n + 1)][k] * inverse[k];
}

/* One-sided Jacobi: rotate the columns of a until they are orthogonal, and those of v (if not null)
 * alongside; norms (n) are their squared lengths. So a = U Σ Wᵀ becomes U Σ, and v becomes v W. Small
 * singular values keep their relative accuracy, which squaring the matrix would lose. Cosines below 2^-51,
 * the rounding error of a dot product of four terms, count as zero. The entries of a
 * should lie within 2^±200. */
static inline void lanes_orthogonalise(size_t n, lanes *a, lanes *v, lanes *norms)
{
    _Alignas(64) lanes c, s, dot;
    _Alignas(64) int64_t moved[MST_LANES];
    for (int sweep = 0, busy = 1; busy && sweep < LANES_SWEEPS; sweep++) {
        for (size_t k = 0; k < MST_LANES; k++)
            moved[k] = 0;
        for (size_t i = 0; i < n; i++) {
            lanes_fill(&norms[i], 1, 0);
            for (size_t m = 0; m < n; m++)
                lanes_add_product(a[m * n + i], a[m * n + i], norms[i]);
        }
        for (size_t p = 0; p < n; p++)
            for (size_t q = p + 1; q < n; q++) {
                lanes_fill(&dot, 1, 0);
                for (size_t m = 0; m < n; m++)
                    lanes_add_product(a[m * n + p], a[m * n + q], dot);
                double *restrict np = norms[p], *restrict nq = norms[q];
                LANES_LOOP
                {
                    double g = dot[k];
                    int skip = !(g * g > 0x1p-102 * (np[k] * nq[k]));
                    double t = skip ? 0 : lanes_jacobi(np[k], nq[k], g);
                    np[k] -= t * g;
                    nq[k] += t * g;
                    c[k] = 1 / sqrt(1 + t * t);
                    s[k] = t * c[k];
                    moved[k] |= skip ? 0 : 1;
                }
                for (size_t m = 0; m < n; m++) {
                    lanes_rotate(c, s, a[m * n + p], a[m * n + q]);
                    if (v != NULL)
                        lanes_rotate(c, s, v[m * n + p], v[m * n + q]);
                }
            }
        busy = 0;
        for (size_t k = 0; k < MST_LANES; k++)
            busy |= (int)moved[k];
    }
}

#endif
