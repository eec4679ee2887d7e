/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Cholesky factors: the order and the supernodes, then the numbers. */
#ifndef MST_PDE_CHOLESKY_H
#define MST_PDE_CHOLESKY_H

#include "base/isa.h"
#include "pde/grid.h"
#include "pde/order.h"

typedef struct pde_cholesky_kernels {
    /* C (rows, columns) −= A Bᵀ, A (rows, count) and B (columns, count) by columns `step` apart, those of C
     * `jump`. */
    void (*subtract)(size_t rows, size_t columns, size_t count, const double *a, const double *b,
                     size_t step, double *c, size_t jump);
} pde_cholesky_kernels;
MST_DECLARE_HOT(pde_cholesky_kernels, pde_cholesky_kernels);

/* The factor of the symmetric matrix with these entries at the places of the graph, both triangles of it.
 * MST_BREAKDOWN if it is not positive definite. */
MST_MUST_USE mst_status pde_factor_new(pde_factor *f, const pde_graph *g, const double *value);
/* The same without `value`. */
MST_MUST_USE mst_status pde_factor_analyse(pde_factor *f, const pde_graph *g);
void pde_factor_free(pde_factor *f);

/* f->value, which comes in as 0. */
MST_MUST_USE mst_status pde_cholesky(const pde_factor *f, const pde_graph *g, const double *matrix);

#endif
