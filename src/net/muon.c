/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

#include "net/muon.h"

#include "net/gemm.h"

#include <math.h>
#include <string.h>

size_t muon_room(size_t rows, size_t columns)
{
    size_t least = rows < columns ? rows : columns;
    return 2 * rows * columns + 2 * least * least;
}

/* Momentum with a look ahead, of length one in the norm of Frobenius. */
static void look_ahead(const muon_settings *s, size_t size, size_t count, float *const *gradients,
                       float *first, float *x)
{
    double square = 0;
    for (size_t i = 0; i < size; i++) {
        float sum = 0;
        for (size_t k = 0; k < count; k++) {
            sum += gradients[k][i];
            gradients[k][i] = 0;
        }
        float fresh = (1 - s->momentum) * s->scale * sum;
        first[i] = s->momentum * first[i] + fresh;
        x[i] = s->momentum * first[i] + fresh;
        square += (double)x[i] * (double)x[i];
    }
    float inverse = square > 0 ? (float)(1 / sqrt(square)) : 0;
    for (size_t i = 0; i < size; i++)
        x[i] *= inverse;
}

/* X ← aX + bXA + cXA², A = XᵀX (or from the left with XXᵀ, whichever is smaller): σ ← aσ + bσ³ + cσ⁵ for the
 * singular values. Five rounds bring those above 0.003 to 0.7 … 1.2. */
static void level(size_t rows, size_t columns, float *x, float *room)
{
    const float a = 3.4445F, b = -4.7750F, c = 2.0315F;
    bool tall = rows > columns;
    size_t size = rows * columns, least = tall ? columns : rows, other = tall ? rows : columns;
    float *next = room, *first = next + size, *second = first + least * least;
    for (int round = 0; round < 5; round++) {
        gemm(tall, !tall, least, least, other, x, columns, x, columns, 0, first, least);
        gemm(false, false, least, least, least, first, least, first, least, 0, second, least);
        for (size_t i = 0; i < least * least; i++)
            second[i] = b * first[i] + c * second[i];
        for (size_t i = 0; i < size; i++)
            next[i] = a * x[i];
        gemm(false, false, rows, columns, least, tall ? x : second, tall ? columns : least,
             tall ? second : x, tall ? least : columns, 1, next, columns);
        memcpy(x, next, size * sizeof *x);
    }
}

void muon_update(const muon_settings *s, size_t rows, size_t columns, size_t count,
                 float *const *gradients, float *first, float *theta, float *room)
{
    size_t size = rows * columns;
    float *x = room;
    look_ahead(s, size, count, gradients, first, x);
    level(rows, columns, x, room + size);
    /* A matrix with singular values of 1 has entries of about 1/√(the larger side). */
    float step = s->rate * 0.2F * sqrtf((float)(rows > columns ? rows : columns));
    for (size_t i = 0; i < size; i++)
        theta[i] -= step * x[i];
}
