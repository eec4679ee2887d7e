/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* What the methods of the optimiser share. */
#ifndef MST_STAT_FIT_STEPS_H
#define MST_STAT_FIT_STEPS_H

#include "stat/fit.h"

/* Workspace of one climb, q parameters. */
typedef struct fit_room {
    size_t parameters, d, D;
    double *gradient, *trial_gradient, *step, *values, *extra, *units; /* (q) */
    double *hessian, *trial_hessian, *vectors;                         /* (q, q) */
    fit_state trial;
    double *tangent; /* (D) */
    double *block;
} fit_room;

MST_MUST_USE mst_status fit_room_new(fit_room *r, const fit_problem *p);

/* to = Exp(step) of all means, times e^step. */
MST_MUST_USE mst_status fit_move(const fit_problem *p, const fit_state *from, const double *step,
                                 fit_room *r, fit_state *to);
/* Did a step lead where nothing can be computed? A shorter one may not. */
bool fit_is_too_far(mst_status status);
double fit_norm(size_t n, const double *v);
/* Is the gradient per weight small enough, in natural units or, without a time, in units of the spread? */
bool fit_is_settled(const fit_problem *p, const fit_state *s, const fit_sums *sums,
                    double tolerance, const double *gradient, fit_room *r);

/* Gradient ascent and Adam. */
MST_MUST_USE mst_status fit_ascend(const fit_problem *p, fit_state *state, const fit_options *o,
                                   fit_room *r, fit_outcome *out);
/* BFGS with limited memory, for sources without Hessian and time. */
MST_MUST_USE mst_status fit_quasi_newton(const fit_problem *p, fit_state *state,
                                         const fit_options *o, fit_room *r, fit_outcome *out);

#endif
