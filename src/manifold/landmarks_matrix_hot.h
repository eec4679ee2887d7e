/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Dense matrices of the size that landmarks make, for landmarks.hot.c. */
#ifndef MST_MANIFOLD_LANDMARKS_MATRIX_HOT_H
#define MST_MANIFOLD_LANDMARKS_MATRIX_HOT_H

#include "base/hot.h"
#include "base/vecmath.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* Vectors as the instruction set has them: others would live in memory. Never passed by value: without
 * AVX-512 that has no fixed convention. What is in memory may stand anywhere; variables must not be of that
 * kind, for the compiler moves them as if they were aligned. */
#if defined __AVX512F__
enum { TILE = 8, VECTOR = 8 };
#elif defined __AVX2__
enum { TILE = 6, VECTOR = 4 };
#else
enum { TILE = 6, VECTOR = 2 };
#endif
typedef double vector __attribute__((vector_size(VECTOR * sizeof(double))));
typedef double loose_vector
    __attribute__((vector_size(VECTOR * sizeof(double)), aligned(8), may_alias));
#define LOAD_VECTOR(p) ((vector) * (const loose_vector *)(p))

#define INLINE static inline __attribute__((always_inline))

/* B goes through strips of two vectors, DEEP rows of them at once, that are copied to lie close together:
 * rows of B are a power of two apart as a rule, and would drive each other out of the cache. */
enum { STRIP = 2 * VECTOR, DEEP = 128, FEW = 4 };

/* `rows` ≤ TILE rows of C by a strip, of which `vectors` vectors are stored. */
INLINE void multiply_tile(size_t rows, size_t vectors, size_t inner, const double *a, size_t la,
                          const double *strip, double *c, size_t lc, bool add)
{
    vector sum[TILE][2];
    for (size_t i = 0; i < rows; i++)
        for (size_t v = 0; v < 2; v++)
            sum[i][v] = add && v < vectors
                            ? (vector) * (const loose_vector *)(c + i * lc + v * VECTOR)
                            : (vector){0};
    for (size_t k = 0; k < inner; k++) {
        vector right[2];
        for (size_t v = 0; v < 2; v++)
            right[v] = (vector) * (const loose_vector *)(strip + k * STRIP + v * VECTOR);
        for (size_t i = 0; i < rows; i++) {
            double left = a[i * la + k];
            for (size_t v = 0; v < 2; v++)
                sum[i][v] += left * right[v];
        }
    }
    for (size_t i = 0; i < rows; i++)
        for (size_t v = 0; v < vectors; v++)
            *(loose_vector *)(c + i * lc + v * VECTOR) = (loose_vector)sum[i][v];
}

static void multiply(size_t rows, size_t inner, size_t width, const double *a, size_t la,
                     const double *b, size_t lb, double *c, size_t lc, bool add)
{
    double strip[DEEP * STRIP];
    for (size_t from = 0; from < inner; from += DEEP)
        for (size_t j = 0; j < width; j += STRIP) {
            size_t depth = inner - from < DEEP ? inner - from : DEEP;
            size_t columns = width - j < STRIP ? width - j : STRIP, vectors = columns / VECTOR;
            for (size_t k = 0; k < depth; k++) {
                const double *row = b + (from + k) * lb + j;
                for (size_t e = 0; e < STRIP; e++)
                    strip[k * STRIP + e] = e < columns ? row[e] : 0;
            }
            bool more = add || from > 0;
            size_t i = 0;
            for (; rows - i >= TILE; i += TILE)
                multiply_tile(TILE, vectors, depth, a + i * la + from, la, strip, c + i * lc + j,
                              lc, more);
            for (; rows - i >= FEW; i += FEW)
                multiply_tile(FEW, vectors, depth, a + i * la + from, la, strip, c + i * lc + j, lc,
                              more);
            for (; i < rows; i++)
                multiply_tile(1, vectors, depth, a + i * la + from, la, strip, c + i * lc + j, lc,
                              more);
        }
}

/* y −= f x from column `begin` on. */
INLINE void subtract_row(size_t begin, size_t end, double f, const double *restrict x,
                         double *restrict y)
{
    MST_SIMD
    for (size_t j = begin; j < end; j++)
        y[j] -= f * x[j];
}

static bool cholesky(size_t n, size_t lead, double *a)
{
    for (size_t k = 0; k < n; k++) {
        double *row = a + k * lead;
        if (!(row[k] > 0) || !(row[k] < INFINITY))
            return false;
        double inverse = 1 / sqrt(row[k]);
        for (size_t j = k; j < n; j++)
            row[j] *= inverse;
        /* By whole vectors: what that does before the diagonal is zeroed below. */
        for (size_t i = k + 1; i < n; i++)
            for (size_t j = i / VECTOR * VECTOR; j < n; j += VECTOR)
                *(loose_vector *)(a + i * lead + j) -=
                    (loose_vector)(row[i] * LOAD_VECTOR(row + j));
    }
    for (size_t i = 1; i < n; i++)
        memset(a + i * lead, 0, i * sizeof *a);
    return true;
}

INLINE void scale_row(size_t width, double f, double *x)
{
    MST_SIMD
    for (size_t j = 0; j < width; j++)
        x[j] *= f;
}

static void solve_lower(size_t n, size_t lead, const double *u, size_t width, size_t lead_b,
                        double *b)
{
    for (size_t k = 0; k < n; k++) {
        scale_row(width, 1 / u[k * lead + k], b + k * lead_b);
        for (size_t i = k + 1; i < n; i++)
            subtract_row(0, width, u[k * lead + i], b + k * lead_b, b + i * lead_b);
    }
}

/* Each row is taken from all those that it is in at once, which do not wait for each other. */
static void solve_upper(size_t n, size_t lead, const double *u, size_t width, size_t lead_b,
                        double *b)
{
    for (size_t k = n; k-- > 0;) {
        scale_row(width, 1 / u[k * lead + k], b + k * lead_b);
        for (size_t i = 0; i < k; i++)
            subtract_row(0, width, u[i * lead + k], b + k * lead_b, b + i * lead_b);
    }
}

static bool factor(size_t n, size_t lead, double *a, size_t *pivot, double *log_det, double *sign)
{
    *log_det = 0;
    *sign = 1;
    for (size_t k = 0; k < n; k++) {
        size_t best = k;
        for (size_t i = k + 1; i < n; i++)
            best = vm_abs(a[i * lead + k]) > vm_abs(a[best * lead + k]) ? i : best;
        double *row = a + k * lead, *other = a + best * lead;
        pivot[k] = best;
        if (!(vm_abs(other[k]) > 0) || !(vm_abs(other[k]) < INFINITY))
            return false;
        for (size_t j = 0; best != k && j < n; j++) {
            double kept = row[j];
            row[j] = other[j];
            other[j] = kept;
        }
        *sign *= (best != k) == (row[k] > 0) ? -1 : 1;
        *log_det += log(vm_abs(row[k]));
        for (size_t i = k + 1; i < n; i++) {
            double *below = a + i * lead;
            below[k] /= row[k];
            subtract_row(k + 1, n, below[k], row, below);
        }
    }
    return true;
}

static void solve(size_t n, size_t lead, const double *lu, const size_t *pivot, size_t width,
                  size_t lead_b, double *b)
{
    for (size_t k = 0; k < n; k++) {
        double *row = b + k * lead_b, *other = b + pivot[k] * lead_b;
        for (size_t j = 0; pivot[k] != k && j < width; j++) {
            double kept = row[j];
            row[j] = other[j];
            other[j] = kept;
        }
    }
    for (size_t k = 0; k < n; k++)
        for (size_t i = k + 1; i < n; i++)
            subtract_row(0, width, lu[i * lead + k], b + k * lead_b, b + i * lead_b);
    solve_upper(n, lead, lu, width, lead_b, b);
}

/* out = from + h Σ weights·stages. */
static void blend(size_t size, size_t stages, double h, const double *weights, size_t apart,
                  const double *from, const double *stage, double *out)
{
    for (size_t k = 0; k < size; k += 2 * VECTOR) {
        vector sum[2] = {LOAD_VECTOR(from + k), LOAD_VECTOR(from + k + VECTOR)};
        for (size_t j = 0; j < stages; j++) {
            double factor = h * weights[j];
            const double *add = stage + j * apart + k;
            for (size_t v = 0; factor != 0 && v < 2; v++)
                sum[v] += factor * LOAD_VECTOR(add + v * VECTOR);
        }
        for (size_t v = 0; v < 2; v++)
            *(loose_vector *)(out + k + v * VECTOR) = (loose_vector)sum[v];
    }
}

#endif
