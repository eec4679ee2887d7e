/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

#ifndef MST_BASE_LINALG_KERNELS_H
#define MST_BASE_LINALG_KERNELS_H

#include "base/isa.h"
#include "base/lanes.h"

#include <stddef.h>

/* The batches of linalg.h for n ≤ 4 and up to MST_LANES matrices. cholesky and solve return the index of the
 * first matrix that fails, or count. svd leaves not-a-number in columns of u whose singular value is 0. */
struct linalg_kernels {
    void (*eigen)(size_t count, size_t n, const double *a, double *values, double *vectors);
    size_t (*cholesky)(size_t count, size_t n, const double *a, double *l);
    void (*svd)(size_t count, size_t n, const double *a, double *u, double *sigma, double *vt);
    size_t (*solve)(size_t count, size_t n, size_t sides, const double *a, const double *b,
                    double *x);
};
MST_DECLARE_HOT(struct linalg_kernels, linalg_kernels);

#endif
