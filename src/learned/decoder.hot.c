/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

#include "base/hot.h"
#include "learned/decoder_kernels.h"

static void multiply(size_t rows, size_t columns, const double *weight, const double *bias,
                     size_t channels, size_t stride, const double *from, double *to)
{
    for (size_t c = 0; c < channels; c++) {
        double *restrict out = to + c * stride;
        const double *x = from + c * stride;
        for (size_t i = 0; i < rows; i++)
            out[i] = c == 0 && bias != NULL ? bias[i] : 0;
        size_t j = 0;
        for (; j + 4 <= columns; j += 4) {
            const double *restrict w0 = weight + j * rows, *restrict w1 = w0 + rows,
                                   *restrict w2 = w1 + rows, *restrict w3 = w2 + rows;
            double x0 = x[j], x1 = x[j + 1], x2 = x[j + 2], x3 = x[j + 3];
            for (size_t i = 0; i < rows; i++)
                out[i] += (w0[i] * x0 + w1[i] * x1) + (w2[i] * x2 + w3[i] * x3);
        }
        for (; j < columns; j++) {
            const double *restrict w = weight + j * rows;
            double factor = x[j];
            for (size_t i = 0; i < rows; i++)
                out[i] += w[i] * factor;
        }
    }
}

const struct decoder_kernels HOT(decoder_kernels) = {.multiply = multiply};
