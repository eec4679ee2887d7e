/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Numbers of a Cholesky factor whose supernodes are known. */
#ifndef MST_PDE_CHOLESKY_H
#define MST_PDE_CHOLESKY_H

#include "base/isa.h"
#include "pde/grid.h"

typedef struct pde_cholesky_kernels {
    /* C (rows, columns) −= A Bᵀ, A (rows, count) and B (columns, count) by columns `step` apart, those of C
     * `jump`. */
    void (*subtract)(size_t rows, size_t columns, size_t count, const double *a, const double *b,
                     size_t step, double *c, size_t jump);
} pde_cholesky_kernels;
MST_DECLARE_HOT(pde_cholesky_kernels, pde_cholesky_kernels);

/* `value` of the factor f of the symmetric matrix with the rows `line`, whose row order[k] is row k of the
 * factor. MST_BREAKDOWN if it is not positive definite. */
MST_MUST_USE mst_status pde_cholesky(const pde_factor *f, const size_t *line, const int *column,
                                     const double *matrix, const int *order, double *value);

#endif
