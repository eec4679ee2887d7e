/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

#include "base/hot.h"
#include "spectral/kernels.h"

enum { W = SPECTRAL_WIDTH, LANES = 4, PARTS = W / LANES, TALL = 4 };

/* At any address of doubles. */
typedef double wide __attribute__((vector_size(LANES * sizeof(double)), aligned(8), may_alias));
#define INLINE static inline __attribute__((always_inline))

/* TALL rows and W columns of the sums, both from panels. */
INLINE void gram_tile(size_t n, size_t m, const double *row, const double *column, double *sum)
{
    wide tile[TALL][PARTS] = {{{0}}};
    for (size_t i = 0; i < n; i++) {
        const wide *right = (const wide *)(column + i * W);
        for (size_t q = 0; q < TALL; q++)
            for (size_t k = 0; k < PARTS; k++)
                tile[q][k] += row[i * W + q] * right[k];
    }
    for (size_t q = 0; q < TALL; q++)
        for (size_t k = 0; k < PARTS; k++)
            ((wide *)(sum + q * m))[k] += tile[q][k];
}

static void gram(size_t n, size_t m, const double *panels, double *sum)
{
    for (size_t c = 0; c < m; c += W)
        for (size_t r = c; r < m; r += TALL)
            gram_tile(n, m, panels + r / W * W * n + r % W, panels + c * n, sum + r * m + c);
}

static void multiply(size_t n, size_t m, size_t k, size_t stride, const double *rows,
                     const double *matrix, size_t step, double *out)
{
    for (size_t i = 0; i < n; i++) {
        double *to = out + i * step;
        const double *row = rows + i * m;
        size_t j = 0;
        for (; j + LANES <= k; j += LANES) {
            wide sum = {0};
            for (size_t r = 0; r < m; r++)
                sum += row[r] * *(const wide *)(matrix + r * stride + j);
            *(wide *)(to + j) = sum;
        }
        for (; j < k; j++) {
            double sum = 0;
            for (size_t r = 0; r < m; r++)
                sum += row[r] * matrix[r * stride + j];
            to[j] = sum;
        }
    }
}

const spectral_kernels HOT(spectral_kernels) = {.gram = gram, .multiply = multiply};
