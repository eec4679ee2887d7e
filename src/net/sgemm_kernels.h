/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Products of row-major float matrices on one thread, without any memory but the stack's. Every element of C
 * is summed in the order of k, in pieces of KC, whatever stands beside it. */
#ifndef MST_NET_SGEMM_KERNELS_H
#define MST_NET_SGEMM_KERNELS_H

#include "base/isa.h"

#include <stddef.h>

/* An operand: element (i, j) of op(A) is at[i * row + j * column], and one of the two steps is 1. */
typedef struct sgemm_operand {
    const float *at;
    size_t row, column;
} sgemm_operand;

struct sgemm_kernels {
    /* C (m, n; rows of ldc) ← A B + beta·C; with beta 0 C is not read. */
    void (*multiply)(size_t m, size_t n, size_t k, sgemm_operand a, sgemm_operand b, float beta,
                     float *c, size_t ldc);
};

MST_DECLARE_HOT(struct sgemm_kernels, sgemm_kernels);

#endif
