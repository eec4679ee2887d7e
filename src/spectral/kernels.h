/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* The products that take the time. */
#ifndef MST_SPECTRAL_KERNELS_H
#define MST_SPECTRAL_KERNELS_H

#include "base/isa.h"

#include <stddef.h>

/* Of panels. */
enum { SPECTRAL_WIDTH = 8 };

typedef struct spectral_kernels {
    /* sum (m, m), its lower triangle and some more, gets the products of columns of length n with each other.
     * m is a multiple of SPECTRAL_WIDTH, and so many columns stand together: panels (m/WIDTH, n, WIDTH). */
    void (*gram)(size_t n, size_t m, const double *panels, double *sum);
    /* Rows (n, m) times the first k columns of a matrix (m, stride), to out, whose rows are `step` apart. */
    void (*multiply)(size_t n, size_t m, size_t k, size_t stride, const double *rows,
                     const double *matrix, size_t step, double *out);
} spectral_kernels;
MST_DECLARE_HOT(spectral_kernels, spectral_kernels);

#endif
