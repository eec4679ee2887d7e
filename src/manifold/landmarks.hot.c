/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

#include "base/hot.h"
#include "base/vecmath.h"
#include "manifold/landmarks_radial_hot.h"

#include <math.h>
#include <string.h>

enum { EIGHT = 8 };
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

static void radial(const landmark_shape *s, const double *u, int order, double *k0, double *k1,
                   double *k2, double *k3)
{
    if (order == 0)
        radial_to(s, u, 0, k0, k1, k2, k3);
    else if (order == 1)
        radial_to(s, u, 1, k0, k1, k2, k3);
    else if (order == 2)
        radial_to(s, u, 2, k0, k1, k2, k3);
    else
        radial_to(s, u, 3, k0, k1, k2, k3);
}

/* Squared distances of landmark a to those from `from` on. */
INLINE void distances(const landmark_shape *s, const double *restrict q, size_t a, size_t from,
                      double *restrict u)
{
    memset(u + from, 0, (s->wide - from) * sizeof *u);
    for (size_t c = 0; c < s->space; c++) {
        double at = q[c * s->wide + a];
        MST_SIMD
        for (size_t b = from; b < s->wide; b++) {
            double gap = at - q[c * s->wide + b];
            u[b] += gap * gap;
        }
    }
}

static void pairs(const landmark_shape *s, const double *q, int order,
                  double *const k[LANDMARK_ORDERS])
{
    size_t n = s->count, wide = s->wide;
    for (size_t a = 0; a < n; a++) {
        double *row[LANDMARK_ORDERS] = {NULL, NULL, NULL, NULL};
        for (int o = 0; o <= order; o++)
            row[o] = k[o] + a * wide;
        /* The distances stand where the values will. */
        distances(s, q, a, 0, row[order]);
        double own[EIGHT];
        for (size_t b = 0; b < wide; b += EIGHT) {
            landmark_shape part = *s;
            part.wide = EIGHT;
            memcpy(own, row[order] + b, sizeof own);
            radial(&part, own, order, row[0] + b, order > 0 ? row[1] + b : NULL,
                   order > 1 ? row[2] + b : NULL, order > 2 ? row[3] + b : NULL);
        }
        for (int o = 0; o <= order; o++) {
            for (size_t b = n; b < wide; b++)
                row[o][b] = 0;
            row[o][a] = o == 0 ? s->alpha + s->nugget : 0;
        }
    }
}

INLINE double sum_of(const vector *v)
{
    double sum = 0;
    for (size_t k = 0; k < VECTOR; k++)
        sum += (*v)[k];
    return sum;
}

/* What landmark a and those after it do to each other, so that no kernel is computed twice; `from` is the
 * first of their vectors. */
INLINE void slopes_of(const landmark_shape *s, size_t space, const double *q, const double *p,
                      size_t a, size_t from, const double *k, const double *k1, double *dq,
                      double *dp)
{
    size_t wide = s->wide;
    vector flow[LANDMARK_SPACE], force[LANDMARK_SPACE];
    for (size_t c = 0; c < space; c++)
        flow[c] = force[c] = (vector){0};
    for (size_t b = from; b < wide; b += VECTOR) {
        vector dot = {0}, here = LOAD_VECTOR(k + b);
        for (size_t c = 0; c < space; c++) {
            vector momentum = LOAD_VECTOR(p + c * wide + b);
            dot += p[c * wide + a] * momentum;
            flow[c] += here * momentum;
            *(loose_vector *)(dq + c * wide + b) += here * p[c * wide + a];
        }
        dot *= LOAD_VECTOR(k1 + b);
        for (size_t c = 0; c < space; c++) {
            vector push = dot * (q[c * wide + a] - LOAD_VECTOR(q + c * wide + b));
            force[c] += push;
            *(loose_vector *)(dp + c * wide + b) += push;
        }
    }
    for (size_t c = 0; c < space; c++) {
        dq[c * wide + a] += sum_of(&flow[c]) + (s->alpha + s->nugget) * p[c * wide + a];
        dp[c * wide + a] -= sum_of(&force[c]);
    }
}

INLINE void slopes_in(const landmark_shape *s, size_t space, const double *q, const double *p,
                      double *dq, double *dp, double *room)
{
    size_t n = s->count, wide = s->wide;
    double *u = room, *k = room + wide, *k1 = k + wide;
    memset(dq, 0, space * wide * sizeof *dq);
    memset(dp, 0, space * wide * sizeof *dp);
    for (size_t a = 0; a < n; a++) {
        size_t from = (a + 1) / VECTOR * VECTOR;
        landmark_shape part = *s;
        part.wide = wide - from;
        distances(s, q, a, from, u);
        radial(&part, u + from, 1, k + from, k1 + from, NULL, NULL);
        for (size_t b = from; b <= a; b++)
            k[b] = k1[b] = 0;
        slopes_of(s, space, q, p, a, from, k, k1, dq, dp);
    }
    for (size_t c = 0; c < space; c++)
        for (size_t b = n; b < wide; b++)
            dq[c * wide + b] = dp[c * wide + b] = 0;
}

static void slopes(const landmark_shape *s, const double *q, const double *p, double *dq,
                   double *dp, double *room)
{
    if (s->space == 2)
        slopes_in(s, 2, q, p, dq, dp, room);
    else
        slopes_in(s, 3, q, p, dq, dp, room);
}

/* Rows of landmark a in A: the columns of the other landmarks, and sums of them in its own. */
INLINE void linearise_row(const landmark_shape *s, size_t space, const double *q, const double *p,
                          double *const k[LANDMARK_ORDERS], size_t a, size_t lead,
                          double *restrict slope)
{
    size_t n = s->count, wide = s->wide, d = n * space;
    const double *k0 = k[0] + a * wide, *k1 = k[1] + a * wide, *k2 = k[2] + a * wide;
    double turn_own[LANDMARK_SPACE][LANDMARK_SPACE] = {{0}},
           bend_own[LANDMARK_SPACE][LANDMARK_SPACE] = {{0}};
    double *rows = slope + a * space * lead, *low = rows + d * lead;
    for (size_t b = 0; b < n; b++) {
        double gap[LANDMARK_SPACE], mine[LANDMARK_SPACE], theirs[LANDMARK_SPACE], dot = 0;
        for (size_t c = 0; c < space; c++) {
            gap[c] = q[c * wide + a] - q[c * wide + b];
            mine[c] = k1[b] * p[c * wide + a];
            theirs[c] = k1[b] * p[c * wide + b];
            dot += p[c * wide + a] * p[c * wide + b];
        }
        for (size_t c = 0; c < space; c++)
            for (size_t e = 0; e < space; e++) {
                size_t at = c * lead + b * space + e;
                double turn = theirs[c] * gap[e];
                double bend = dot * (k2[b] * gap[c] * gap[e] + (c == e ? k1[b] : 0));
                turn_own[c][e] += turn;
                bend_own[c][e] += bend;
                rows[at] = -turn;
                rows[at + d] = c == e ? k0[b] : 0;
                low[at] = bend;
                low[at + d] = -mine[e] * gap[c];
            }
    }
    for (size_t c = 0; c < space; c++)
        for (size_t e = 0; e < space; e++) {
            size_t at = c * lead + a * space + e;
            rows[at] = turn_own[c][e];
            low[at] = -bend_own[c][e];
            low[at + d] = -turn_own[e][c];
        }
}

static void linearise(const landmark_shape *s, const double *q, const double *p,
                      double *const k[LANDMARK_ORDERS], size_t lead, double *slope)
{
    pairs(s, q, 2, k);
    for (size_t a = 0; a < s->count; a++)
        if (s->space == 2)
            linearise_row(s, 2, q, p, k, a, lead, slope);
        else
            linearise_row(s, 3, q, p, k, a, lead, slope);
}

/* ---- Matrices ---- */

/* B goes through strips of two vectors, DEEP rows of them at once, that are copied to lie close together:
 * rows of B are a power of two apart as a rule, and would drive each other out of the cache. */
enum { STRIP = 2 * VECTOR, DEEP = 128 };

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
        for (size_t i = k + 1; i < n; i++)
            subtract_row(i, n, row[i], row, a + i * lead);
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

static void solve_upper(size_t n, size_t lead, const double *u, size_t width, size_t lead_b,
                        double *b)
{
    for (size_t k = n; k-- > 0;) {
        for (size_t i = k + 1; i < n; i++)
            subtract_row(0, width, u[k * lead + i], b + i * lead_b, b + k * lead_b);
        scale_row(width, 1 / u[k * lead + k], b + k * lead_b);
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
    for (size_t k = 1; k < n; k++)
        for (size_t i = 0; i < k; i++)
            subtract_row(0, width, lu[k * lead + i], b + i * lead_b, b + k * lead_b);
    for (size_t k = n; k-- > 0;) {
        for (size_t i = k + 1; i < n; i++)
            subtract_row(0, width, lu[k * lead + i], b + i * lead_b, b + k * lead_b);
        scale_row(width, 1 / lu[k * lead + k], b + k * lead_b);
    }
}

const struct landmark_kernels HOT(landmark_kernels) = {
    .pairs = pairs,
    .slopes = slopes,
    .linearise = linearise,
    .multiply = multiply,
    .cholesky = cholesky,
    .solve_lower = solve_lower,
    .solve_upper = solve_upper,
    .factor = factor,
    .solve = solve,
};
