/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* A few landmarks, eight points side by side: what the *.hot.c files share. */
#ifndef MST_MANIFOLD_LANDMARKS_EIGHT_HOT_H
#define MST_MANIFOLD_LANDMARKS_EIGHT_HOT_H

#include "geodesic/eight_hot.h"
#include "manifold/landmarks_radial_hot.h"
#include "manifold/landmarks_roll.h"

enum {
    DIM = LANDMARK_ROLL_DIM,
    COUNT = DIM / 2,
    PAIRS = COUNT * (COUNT - 1) / 2,
};

typedef eight matrix[COUNT][COUNT];

/* The place of the pair a > b. */
INLINE size_t pair_of(size_t a, size_t b)
{
    return a * (a - 1) / 2 + b;
}

#define EACH_PAIR                  \
    for (size_t a = 1; a < n; a++) \
        for (size_t b = 0; b < a; b++)

/* ---- Places ---- */

/* What a point has: D_ab of the pairs a > b, kernel and derivatives, K and K⁻¹ = L⁻ᵀL⁻¹. */
typedef struct place {
    size_t n, m, d;
    eight gap[PAIRS][LANDMARK_SPACE];
    eight square[PAIRS], k0[PAIRS], k1[PAIRS], k2[PAIRS];
    matrix k, root, root_inverse, inverse;
} place;

/* L of K, NAN where there is none, and its inverse. */
static void factor_matrix(size_t n, size_t most, const eight *k, eight *l, eight *inverse)
{
#define AT(x, a, b) (x)[(a)*most + (b)]
    for (size_t a = 0; a < n; a++) {
        for (size_t b = 0; b <= a; b++) {
            eight sum = AT(k, a, b);
            for (size_t c = 0; c < b; c++)
                sum -= AT(l, a, c) * AT(l, b, c);
            if (a == b)
                root(&sum);
            AT(l, a, b) = a == b ? sum : sum * AT(inverse, b, b);
            if (a == b)
                AT(inverse, a, a) = 1 / sum;
        }
        for (size_t b = 0; b < a; b++) {
            eight sum = zero;
            for (size_t c = b; c < a; c++)
                sum += AT(l, a, c) * AT(inverse, c, b);
            AT(inverse, a, b) = -sum * AT(inverse, a, a);
        }
    }
#undef AT
}

/* Pairs and K alone, with derivatives of the kernel up to the first or the second. */
static void pairs_at(place *at, const landmark_shape *s, const eight *q, int order)
{
    size_t n = at->n = s->count, m = at->m = s->space;
    at->d = n * m;
    EACH_PAIR
    {
        eight sum = zero, *gap = at->gap[pair_of(a, b)];
        for (size_t c = 0; c < m; c++) {
            gap[c] = q[a * m + c] - q[b * m + c];
            sum += gap[c] * gap[c];
        }
        at->square[pair_of(a, b)] = sum;
    }
    landmark_shape part = *s;
    part.wide = n * (n - 1) / 2 * EIGHT;
    if (order < 2)
        radial_to(&part, (const double *)at->square, 1, (double *)at->k0, (double *)at->k1, NULL,
                  NULL);
    else
        radial_to(&part, (const double *)at->square, 2, (double *)at->k0, (double *)at->k1,
                  (double *)at->k2, NULL);
    for (size_t a = 0; a < n; a++) {
        at->k[a][a] = zero + (s->alpha + s->nugget);
        for (size_t b = 0; b < a; b++)
            at->k[a][b] = at->k[b][a] = at->k0[pair_of(a, b)];
    }
}

/* K⁻¹ of L⁻¹. */
INLINE void invert(size_t n, const matrix *root_inverse, matrix *inverse)
{
    for (size_t a = 0; a < n; a++)
        for (size_t b = 0; b <= a; b++) {
            eight sum = zero;
            for (size_t c = a; c < n; c++)
                sum += (*root_inverse)[c][a] * (*root_inverse)[c][b];
            (*inverse)[a][b] = (*inverse)[b][a] = sum;
        }
}

INLINE void place_at(place *at, const landmark_shape *s, const eight *q, int order)
{
    pairs_at(at, s, q, order);
    factor_matrix(at->n, COUNT, at->k[0], at->root[0], at->root_inverse[0]);
    invert(at->n, (const matrix *)&at->root_inverse, &at->inverse);
}

/* y = (A ⊗ I) x. */
INLINE void apply(const place *at, const matrix *a, const eight *x, eight *y)
{
    for (size_t i = 0; i < at->n; i++)
        for (size_t c = 0; c < at->m; c++) {
            eight sum = (*a)[i][0] * x[c];
            for (size_t j = 1; j < at->n; j++)
                sum += (*a)[i][j] * x[j * at->m + c];
            y[i * at->m + c] = sum;
        }
}

INLINE void dot(size_t m, const eight *x, const eight *y, eight *out)
{
    *out = x[0] * y[0];
    for (size_t c = 1; c < m; c++)
        *out += x[c] * y[c];
}

/* 2k' D·(v_a − v_b): how k changes along v. */
INLINE void change(const place *at, size_t a, size_t b, const eight *v, eight *out)
{
    size_t pair = pair_of(a, b);
    eight sum = zero;
    for (size_t c = 0; c < at->m; c++)
        sum += at->gap[pair][c] * (v[a * at->m + c] - v[b * at->m + c]);
    *out = sum * at->k1[pair];
}

/* Hamilton's equations at the place: −∂H/∂q of the momentum p. */
INLINE void force_at(const place *at, const eight *p, eight *out)
{
    size_t n = at->n, m = at->m;
    for (size_t k = 0; k < at->d; k++)
        out[k] = zero;
    EACH_PAIR
    {
        size_t pair = pair_of(a, b);
        eight push;
        dot(m, p + a * m, p + b * m, &push);
        push *= at->k1[pair];
        for (size_t c = 0; c < m; c++) {
            out[a * m + c] -= push * at->gap[pair][c];
            out[b * m + c] += push * at->gap[pair][c];
        }
    }
}

#endif
