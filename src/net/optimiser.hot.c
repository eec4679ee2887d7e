/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Element by element, so that a parameter's bits do not depend on how the block is shared out. */
#include "base/hot.h"
#include "net/optimiser_kernels.h"

#include <math.h>

enum { GROUP = 16 };

static void adam(const struct adam_numbers *numbers, size_t begin, size_t end, size_t count,
                 float *const *gradients, float *restrict first, float *restrict second,
                 float *restrict theta)
{
    const struct adam_numbers s = *numbers;
    for (size_t i = begin; i < end; i += GROUP) {
        float sum[GROUP] = {0};
        for (size_t k = 0; k < count; k++) {
            float *restrict gradient = gradients[k] + i;
            for (size_t l = 0; l < GROUP; l++) {
                sum[l] += gradient[l];
                gradient[l] = 0;
            }
        }
        MST_SIMD
        for (size_t l = 0; l < GROUP; l++) {
            float g = s.scale * sum[l];
            float m = s.beta1 * first[i + l] + (1 - s.beta1) * g;
            float v = s.beta2 * second[i + l] + (1 - s.beta2) * g * g;
            first[i + l] = m;
            second[i + l] = v;
            theta[i + l] -= s.rate * m / (sqrtf(v) * s.root + s.epsilon);
        }
    }
}

static double square(size_t begin, size_t end, size_t count, float *const *gradients)
{
    double total = 0;
    for (size_t i = begin; i < end; i += GROUP) {
        float sum[GROUP] = {0};
        for (size_t k = 0; k < count; k++)
            for (size_t l = 0; l < GROUP; l++)
                sum[l] += gradients[k][i + l];
        double squares[GROUP];
        for (size_t l = 0; l < GROUP; l++)
            squares[l] = (double)sum[l] * (double)sum[l];
        /* Halves onto halves: a fixed order that vectorises. */
        for (size_t half = GROUP / 2; half > 0; half /= 2)
            for (size_t l = 0; l < half; l++)
                squares[l] += squares[half + l];
        total += squares[0];
    }
    return total;
}

static void average(float decay, size_t begin, size_t end, const float *restrict theta,
                    float *restrict average)
{
    for (size_t i = begin; i < end; i++)
        average[i] = decay * average[i] + (1 - decay) * theta[i];
}

const struct optimiser_kernels HOT(optimiser_kernels) = {
    .adam = adam, .square = square, .average = average};
