/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

#include "base/hot.h"
#include "pde/kernels.h"

#include <string.h>

enum { W = 8, L = PDE_LANES / W, TILE = 4, T = PDE_TIMES };

typedef double wide __attribute__((vector_size(8 * sizeof(double)), aligned(64)));
#define INLINE static inline __attribute__((always_inline))

/* Rows r … of a tile less their products with `count` rows of x; entry (row, k) of the block at step·row +
 * jump·k, row k of x at `from` (consecutive) or at those that `row` names. */
INLINE void subtract(size_t tile, size_t count, const double *block, size_t step, size_t jump,
                     const wide *x, const int *row, wide sum[TILE][L])
{
    for (size_t k = 0; k < count; k++) {
        const wide *from = x + (row != NULL ? (size_t)row[k] : k) * L;
        for (size_t r = 0; r < tile; r++)
            for (size_t w = 0; w < L; w++)
                sum[r][w] -= block[step * r + jump * k] * from[w];
    }
}

INLINE void subtract_any(size_t tile, size_t count, const double *block, size_t step, size_t jump,
                         const wide *x, const int *row, wide sum[TILE][L])
{
    if (tile == TILE)
        subtract(TILE, count, block, step, jump, x, row, sum);
    else
        for (size_t r = 0; r < tile; r++)
            subtract(1, count, block + step * r, step, jump, x, row, sum + r);
}

static void forward(const pde_factor *f, wide *x)
{
    for (size_t s = 0; s < f->supers; s++) {
        size_t first = (size_t)f->super[s], columns = (size_t)f->super[s + 1] - first;
        size_t rows = (size_t)(f->begin[s + 1] - f->begin[s]);
        const double *block = f->value + f->at[s];
        const int *row = f->row + f->begin[s];
        wide *own = x + first * L;
        for (size_t j = 0; j < columns; j++) {
            wide sum[TILE][L];
            memcpy(sum[0], own + j * L, sizeof sum[0]);
            subtract(1, j, block + j, 0, rows, own, NULL, sum);
            for (size_t w = 0; w < L; w++)
                own[j * L + w] = sum[0][w] / block[j + j * rows];
        }
        for (size_t i = columns; i < rows; i += TILE) {
            size_t tile = rows - i < TILE ? rows - i : TILE;
            wide sum[TILE][L];
            for (size_t r = 0; r < tile; r++)
                memcpy(sum[r], x + (size_t)row[i + r] * L, sizeof sum[r]);
            subtract_any(tile, columns, block + i, 1, rows, own, NULL, sum);
            for (size_t r = 0; r < tile; r++)
                memcpy(x + (size_t)row[i + r] * L, sum[r], sizeof sum[r]);
        }
    }
}

static void backward(const pde_factor *f, wide *x)
{
    for (size_t s = f->supers; s-- > 0;) {
        size_t first = (size_t)f->super[s], columns = (size_t)f->super[s + 1] - first;
        size_t rows = (size_t)(f->begin[s + 1] - f->begin[s]);
        const double *block = f->value + f->at[s];
        const int *row = f->row + f->begin[s];
        wide *own = x + first * L;
        for (size_t j = 0; j < columns; j += TILE) {
            size_t tile = columns - j < TILE ? columns - j : TILE;
            subtract_any(tile, rows - columns, block + columns + j * rows, rows, 1, x,
                         row + columns, (wide(*)[L])(own + j * L));
        }
        for (size_t j = columns; j-- > 0;) {
            wide sum[TILE][L];
            memcpy(sum[0], own + j * L, sizeof sum[0]);
            subtract(1, columns - j - 1, block + j + 1 + j * rows, 0, 1, own + (j + 1) * L, NULL,
                     sum);
            for (size_t w = 0; w < L; w++)
                own[j * L + w] = sum[0][w] / block[j + j * rows];
        }
    }
}

static void solve(const pde_factor *f, double *x)
{
    forward(f, (wide *)x);
    backward(f, (wide *)x);
}

static void multiply(const pde_grid *g, const double *x, double *y)
{
    const wide *from = (const wide *)x;
    wide *to = (wide *)y;
    for (size_t k = 0; k < g->n; k++) {
        wide sum[L] = {{0}};
        for (size_t e = g->line[k]; e < g->line[k + 1]; e++)
            for (size_t w = 0; w < L; w++)
                sum[w] += g->mass[e] * from[(size_t)g->column[e] * L + w];
        memcpy(to + k * L, sum, sizeof sum);
    }
}

static void advance(size_t n, const double *now, const double *before, double *next,
                    const double *weight, double *sum)
{
    const wide *a = (const wide *)now, *b = (const wide *)before;
    wide *c = (wide *)next, *to = (wide *)sum;
    for (size_t k = 0; k < n * L; k++)
        c[k] = 4 * c[k] - 2 * a[k] - b[k];
    for (size_t k = 0; k < n; k++)
        for (size_t t = 0; t < T; t++)
            for (size_t w = 0; w < L; w++)
                to[(k * T + t) * L + w] += weight[t] * c[k * L + w];
}

static void gather(const pde_stencil *s, const double *fields, const double *weight, double *out)
{
    for (size_t k = 0; k < PDE_STENCIL; k++) {
        wide sum[2] = {{0}};
        if (s->unknown[k] >= 0) {
            const wide *from = (const wide *)(fields + (size_t)s->unknown[k] * T);
            const wide *with = (const wide *)weight;
            for (size_t w = 0; w < T / W; w++) {
                sum[0] += from[w] * with[w];
                sum[1] += from[w] * with[T / W + w];
            }
        }
        for (size_t e = 0; e < 2; e++) {
            double total = 0;
            for (size_t w = 0; w < W; w++)
                total += sum[e][w];
            out[e * PDE_STENCIL + k] = total;
        }
    }
}

const pde_kernels HOT(pde_kernels) = {
    .solve = solve, .multiply = multiply, .advance = advance, .gather = gather};
