/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* The product that takes the time in a Cholesky factor by supernodes. */
#include "pde/cholesky.h"
#include "base/hot.h"

#include <string.h>

enum { W = 8, HIGH = 2, WIDE = 4 };

typedef double wide __attribute__((vector_size(8 * sizeof(double)), aligned(8)));
#define INLINE static inline __attribute__((always_inline))

/* HIGH·W rows and `columns` ≤ WIDE columns. */
INLINE void tile(size_t columns, size_t count, const double *a, const double *b, size_t step,
                 double *c, size_t jump)
{
    wide sum[WIDE][HIGH] = {{{0}}};
    for (size_t k = 0; k < count; k++) {
        wide row[HIGH];
        memcpy(row, a + k * step, sizeof row);
        for (size_t j = 0; j < columns; j++)
            for (size_t h = 0; h < HIGH; h++)
                sum[j][h] += row[h] * b[j + k * step];
    }
    for (size_t j = 0; j < columns; j++) {
        wide to[HIGH];
        memcpy(to, c + j * jump, sizeof to);
        for (size_t h = 0; h < HIGH; h++)
            to[h] -= sum[j][h];
        memcpy(c + j * jump, to, sizeof to);
    }
}

static void rest(size_t rows, size_t count, const double *a, const double *b, size_t step,
                 double *c)
{
    double sum[HIGH * W] = {0};
    for (size_t k = 0; k < count; k++)
        for (size_t i = 0; i < rows; i++)
            sum[i] += a[i + k * step] * b[k * step];
    for (size_t i = 0; i < rows; i++)
        c[i] -= sum[i];
}

static void subtract(size_t rows, size_t columns, size_t count, const double *a, const double *b,
                     size_t step, double *c, size_t jump)
{
    for (size_t j = 0; j < columns;) {
        size_t some = columns - j >= WIDE ? WIDE : 1, i = 0;
        for (; i + HIGH * W <= rows; i += HIGH * W)
            if (some == WIDE)
                tile(WIDE, count, a + i, b + j, step, c + i + j * jump, jump);
            else
                tile(1, count, a + i, b + j, step, c + i + j * jump, jump);
        for (size_t e = j; i < rows && e < j + some; e++)
            rest(rows - i, count, a + i, b + e, step, c + i + e * jump);
        j += some;
    }
}

const pde_cholesky_kernels HOT(pde_cholesky_kernels) = {.subtract = subtract};
