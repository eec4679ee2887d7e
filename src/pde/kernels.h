/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* The loops that take the time: many right-hand sides side by side. */
#ifndef MST_PDE_KERNELS_H
#define MST_PDE_KERNELS_H

#include "base/isa.h"
#include "pde/grid.h"

enum {
    PDE_LANES = 16, /* right-hand sides */
    PDE_TIMES = 16, /* times of a window at which solutions are kept */
};

typedef struct pde_kernels {
    /* x (n, PDE_LANES) becomes (L Lᵀ)⁻¹ x. */
    void (*solve)(const pde_factor *f, double *x);
    /* y = M x. */
    void (*multiply)(const pde_grid *g, const double *x, double *y);
    /* next = 2 (2 next − now) − before, and sum (n, PDE_TIMES, PDE_LANES) gets weight·next. */
    void (*advance)(size_t n, const double *now, const double *before, double *next,
                    const double *weight, double *sum);
    /* Of fields (n, PDE_TIMES), those of a stencil, joined by two rows of weights. */
    void (*gather)(const pde_stencil *s, const double *fields, const double *weight, double *out);
} pde_kernels;
MST_DECLARE_HOT(pde_kernels, pde_kernels);

#endif
