/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

#include "base/hot.h"
#include "geodesic/eight_hot.h"
#include "geodesic/sweep_kernels.h"

/* Cholesky's factor by tiles of four rows and four columns. All rows of the nodes inside an element and at
 * its right end begin at the same column. */
enum { TILE = 4 };

/* Rows r … r + rows − 1 less their products with rows c … over columns `from` … c − 1. */
INLINE void subtract(const mesh *g, const eight *restrict m, size_t from, size_t r, size_t rows,
                     size_t c, size_t columns, eight tile[TILE][TILE])
{
    const eight *left[TILE], *right[TILE];
    for (size_t i = 0; i < rows; i++)
        left[i] = m + g->line[r + i];
    for (size_t j = 0; j < columns; j++)
        right[j] = m + g->line[c + j];
    for (size_t k = from; k < c; k++)
        for (size_t i = 0; i < rows; i++)
            for (size_t j = 0; j < columns; j++)
                tile[i][j] -= left[i][k] * right[j][k];
}

INLINE void factor_tile(const mesh *g, eight *m, const eight *inverse, size_t from, size_t r,
                        size_t rows, size_t c, size_t columns)
{
    eight tile[TILE][TILE];
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < columns; j++)
            tile[i][j] = m[g->line[r + i] + (ptrdiff_t)(c + j)];
    subtract(g, m, from, r, rows, c, columns, tile);
    for (size_t j = 0; j < columns; j++)
        for (size_t i = 0; i < rows; i++) {
            for (size_t k = 0; k < j; k++)
                tile[i][j] -= tile[i][k] * m[g->line[c + j] + (ptrdiff_t)(c + k)];
            tile[i][j] *= inverse[c + j];
            m[g->line[r + i] + (ptrdiff_t)(c + j)] = tile[i][j];
        }
}

INLINE void factor_corner(const mesh *g, eight *m, eight *inverse, eight *ok, size_t from, size_t r,
                          size_t rows)
{
    eight tile[TILE][TILE];
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < rows; j++)
            tile[i][j] = j <= i ? m[g->line[r + i] + (ptrdiff_t)(r + j)] : zero;
    subtract(g, m, from, r, rows, r, rows, tile);
    for (size_t j = 0; j < rows; j++)
        for (size_t i = j; i < rows; i++) {
            for (size_t k = 0; k < j; k++)
                tile[i][j] -= tile[i][k] * tile[j][k];
            if (i == j) {
                eight pivot = tile[j][j], one = zero + 1;
                eight_mask good = (pivot > 0) & (pivot < zero + 1e300);
                *ok = EIGHT_CHOOSE(good, *ok, zero);
                pivot = EIGHT_CHOOSE(good, pivot, one);
                root(&pivot);
                tile[j][j] = pivot;
                inverse[r + j] = 1 / pivot;
            } else {
                tile[i][j] *= inverse[r + j];
            }
            m[g->line[r + i] + (ptrdiff_t)(r + j)] = tile[i][j];
        }
}

INLINE void factor_rows(const mesh *g, eight *m, eight *inverse, eight *ok, size_t from, size_t r,
                        size_t rows)
{
    size_t c = from;
    for (; c + TILE <= r; c += TILE)
        factor_tile(g, m, inverse, from, r, rows, c, TILE);
    if (c < r)
        factor_tile(g, m, inverse, from, r, rows, c, r - c);
    factor_corner(g, m, inverse, ok, from, r, rows);
}

static void factor(const mesh *g, eight *m, eight *inverse, eight *ok)
{
    size_t d = g->d, p = g->r->p;
    for (size_t e = 0; e < g->elements; e++) {
        size_t first_node = e * p + 1,
               end = (e + 1) * p < g->nodes - 1 ? (e + 1) * p : g->nodes - 2;
        size_t from = g->first[first_node], r = (first_node - 1) * d, stop = end * d;
        for (; r + TILE <= stop; r += TILE)
            factor_rows(g, m, inverse, ok, from, r, TILE);
        if (r < stop)
            factor_rows(g, m, inverse, ok, from, r, stop - r);
    }
}

/* L y = b, and Lᵀ x = y, by groups of rows. */
INLINE void forward_rows(const mesh *g, const eight *m, const eight *inverse, size_t from, size_t r,
                         size_t rows, eight *b)
{
    eight sum[TILE];
    const eight *left[TILE];
    for (size_t i = 0; i < rows; i++) {
        sum[i] = b[r + i];
        left[i] = m + g->line[r + i];
    }
    for (size_t k = from; k < r; k++)
        for (size_t i = 0; i < rows; i++)
            sum[i] -= left[i][k] * b[k];
    for (size_t i = 0; i < rows; i++) {
        for (size_t k = 0; k < i; k++)
            sum[i] -= left[i][r + k] * sum[k];
        sum[i] *= inverse[r + i];
        b[r + i] = sum[i];
    }
}

INLINE void backward_rows(const mesh *g, const eight *m, const eight *inverse, size_t from,
                          size_t r, size_t rows, eight *b)
{
    eight x[TILE];
    const eight *left[TILE];
    for (size_t i = rows; i-- > 0;) {
        left[i] = m + g->line[r + i];
        x[i] = b[r + i];
        for (size_t k = i + 1; k < rows; k++)
            x[i] -= left[k][r + i] * x[k];
        x[i] *= inverse[r + i];
        b[r + i] = x[i];
    }
    for (size_t k = from; k < r; k++) {
        eight value = b[k];
        for (size_t i = 0; i < rows; i++)
            value -= left[i][k] * x[i];
        b[k] = value;
    }
}

static void solve(const mesh *g, const eight *m, const eight *inverse, eight *b)
{
    size_t d = g->d, p = g->r->p;
    for (size_t e = 0; e < g->elements; e++) {
        size_t first_node = e * p + 1,
               end = (e + 1) * p < g->nodes - 1 ? (e + 1) * p : g->nodes - 2;
        size_t from = g->first[first_node], r = (first_node - 1) * d, stop = end * d;
        for (; r + TILE <= stop; r += TILE)
            forward_rows(g, m, inverse, from, r, TILE, b);
        if (r < stop)
            forward_rows(g, m, inverse, from, r, stop - r, b);
    }
    for (size_t e = g->elements; e-- > 0;) {
        size_t first_node = e * p + 1,
               end = (e + 1) * p < g->nodes - 1 ? (e + 1) * p : g->nodes - 2;
        size_t from = g->first[first_node], r = (first_node - 1) * d, stop = end * d;
        size_t rest = (stop - r) % TILE, at = stop;
        if (rest > 0)
            backward_rows(g, m, inverse, from, at -= rest, rest, b);
        while (at > r)
            backward_rows(g, m, inverse, from, at -= TILE, TILE, b);
    }
}

const struct cholesky_kernels HOT(cholesky_kernels) = {.factor = factor, .solve = solve};
