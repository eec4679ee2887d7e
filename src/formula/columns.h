/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* The programs of a manifold from formulas, for callers whose points stand by columns and who call often. */
#ifndef MST_FORMULA_COLUMNS_H
#define MST_FORMULA_COLUMNS_H

#include "formula/program.h"

/* Null: there is none. */
typedef struct formula_columns {
    const formula_program *lagrangian; /* (x, v) to L, L_x, L_v, L_vv, L_xv, L_xx */
    const formula_program *slope;      /* (x, v) to the first three of them */
    const formula_program *product;    /* (x, v, dx, dv) to the Hessian of L times (dx, dv) */
    const formula_program *map;        /* x to f, ∂f */
    const formula_program *bend;       /* (x, c) to Σ c ∂²f */
    const formula_program *value;      /* x to h, ∇h */
    const formula_program *curl;       /* (x, λ) to Σ λ ∇²h */
    const formula_program *bounds;     /* x to what must be positive */
    const struct rolling *rolling;     /* programs of Brownian paths */
    bool here;                         /* the struct is filled at all */
} formula_columns;

#endif
