/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Products of row-major float matrices, the one place that knows who computes them. */
#ifndef MST_NET_GEMM_H
#define MST_NET_GEMM_H

#include <stdbool.h>
#include <stddef.h>

/* C (m, n) ← op(A) op(B) + beta·C, op(A) being (m, k) and op(B) (k, n); the leading dimensions are the row
 * lengths of the matrices as they are stored. Uses one thread. */
void gemm(bool transpose_a, bool transpose_b, size_t m, size_t n, size_t k, const float *a,
          size_t lda, const float *b, size_t ldb, float beta, float *c, size_t ldc);

/* "manistat", "oneDNN" or "CBLAS". */
const char *gemm_provider(void);

#endif
