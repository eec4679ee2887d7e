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
    double *tangent, *carried; /* (D) */
    double *arrived;           /* (d) */
    double *held;              /* (q): 1 for parameters that must not move, else 0 */
    double *block;
} fit_room;

MST_MUST_USE mst_status fit_room_new(fit_room *r, const fit_problem *p);

/* to = Exp(step) of all means, times e^step. */
MST_MUST_USE mst_status fit_move(const fit_problem *p, const fit_state *from, const double *step,
                                 fit_room *r, fit_state *to);
/* Did a step lead where nothing can be computed? A shorter one may not. */
bool fit_is_too_far(mst_status status);
double fit_norm(size_t n, const double *v);
/* The gradient per weight, in natural units. */
double fit_steepness(const fit_problem *p, const fit_state *s, const fit_sums *sums,
                     const double *gradient, fit_room *r);
/* `tolerance` in natural units or, without a time, in units of the spread; but not less than `rounding` times what the
 * precision of the source makes of the gradient of one row. */
double fit_threshold(const fit_problem *p, const fit_sums *sums, double tolerance, double rounding);
/* Is the gradient per weight small enough, steepness against threshold? */
bool fit_is_settled(const fit_problem *p, const fit_state *s, const fit_sums *sums,
                    double tolerance, const double *gradient, fit_room *r);

/* The gain of log-likelihood by a step, without log p: from the gradients at its ends. */
MST_MUST_USE mst_status fit_gain(const fit_problem *p, const fit_state *from,
                                 const double *gradient, const double *step, const fit_state *to,
                                 const double *gradient_there, fit_room *r, double *gain);

/* Gradient ascent and Adam. */
MST_MUST_USE mst_status fit_ascend(const fit_problem *p, fit_state *state, const fit_options *o,
                                   fit_room *r, fit_outcome *out);
/* BFGS with limited memory, for sources without Hessian and time. */
MST_MUST_USE mst_status fit_quasi_newton(const fit_problem *p, fit_state *state,
                                         const fit_options *o, fit_room *r, fit_outcome *out);

#endif
