/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* The Runge–Kutta pair 8(7) of Prince and Dormand (1981), and a driver with steps of each row's own. */
#ifndef MST_MANIFOLD_RUNGE_KUTTA_H
#define MST_MANIFOLD_RUNGE_KUTTA_H

#include "base/internal.h"

#include <stdbool.h>

enum { RK_STAGES = 13, RK_ROWS = 16 };

extern const double rk_weights[RK_STAGES][RK_STAGES - 1];
extern const double rk_eighth[RK_STAGES], rk_seventh[RK_STAGES];

/* A system of equations without time: rows of `width` numbers, of which the first `judged` take part in the
 * choice of the steps. */
typedef struct rk_system {
    size_t width, judged;
    /* out (n, width) at states (n, width); a row where there is no slope becomes NAN. */
    mst_status (*slopes)(void *context, size_t n, const double *state, double *out);
    /* May the row come to this state? Null: always. */
    bool (*inside)(void *context, const double *state);
    void *context;
    double tolerance; /* of a step, against the row's own size */
    size_t most;      /* steps before it gives up */
} rk_system;

/* n ≤ RK_ROWS states (n, width) from 0 to 1, in place; `size` (n) is the scale of each. status (n):
 * MST_OK, or for rows that then stand where they stopped MST_DOMAIN if they left where there are slopes, and
 * MST_CONVERGENCE if they took too many steps. */
MST_MUST_USE mst_status rk_run(const rk_system *s, size_t n, const double *size, double *state,
                               mst_status *status);

#endif
