/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* The memory of BFGS: the inverse of minus a Hessian, from what the last steps did to the gradient. */
#ifndef MST_STAT_BFGS_H
#define MST_STAT_BFGS_H

#include "base/internal.h"

enum { BFGS_MOST = 20 };

typedef struct bfgs {
    size_t count, q;
    size_t capacity; /* pairs that are kept, BFGS_MOST or fewer */
    double *s, *y;   /* (capacity, q): steps, and by how much the gradient then was less */
    double rho[BFGS_MOST];
} bfgs;

MST_MUST_USE mst_status bfgs_new(bfgs *m, size_t q, size_t capacity);
void bfgs_free(bfgs *m);
/* A step and its change of the gradient, unless the function curves upwards along it. */
void bfgs_remember(bfgs *m, const double *step, const double *change);

/* The two loops of H g, in place; what stands in for H without a memory comes between them. */
void bfgs_begin(const bfgs *m, double *direction, double alpha[BFGS_MOST]);
void bfgs_end(const bfgs *m, const double alpha[BFGS_MOST], double *direction);
/* Of the newest pair, sᵀy/yᵀy: a scalar that may stand in for it; 1 if there is none. */
double bfgs_scale(const bfgs *m);

#endif
