/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* What the methods of the optimiser share. */
#ifndef MST_STAT_FIT_STEPS_H
#define MST_STAT_FIT_STEPS_H

#include "stat/fit.h"

/* One climb: what is fitted, how, and the workspace for q parameters. */
typedef struct fit_work {
    const fit_model *model;
    fit_tolerances tolerances;
    bool curved;                                                       /* it has matrices */
    double *gradient, *trial_gradient, *step, *values, *extra, *units; /* (q) */
    double *leaving, *arriving;                                        /* (q) */
    double *held;  /* (q): 1 for parameters that must not move, else 0 */
    double *trial; /* a state */
    double *hessian, *trial_hessian, *vectors; /* (q, q), or null */
    double *outer, *trial_outer;               /* (q, q), or null: not wanted */
    bool rough; /* second derivatives by the log time are those of an earlier state */
    double
        drift; /* how far the state has come from that of a Hessian by differences, in natural units */
    double *memory;
} fit_work;

/* `outer`: with room for Σ w g gᵀ. */
MST_MUST_USE mst_status fit_work_new(fit_work *r, const fit_model *model, double tolerance,
                                     bool outer);

/* Did a step lead where nothing can be computed? A shorter one may not. */
bool fit_is_too_far(mst_status status);
double fit_norm(size_t n, const double *v);
/* MST_INTERRUPTED if the caller wants to stop. */
MST_MUST_USE mst_status fit_report(const fit_options *o, const fit_outcome *out);

/* Sets the slopes of times that are at an edge of their range and would go on to 0, and tells. */
mst_time_limit fit_hold_times(const fit_model *model, const double *state, double *gradient);

/* Size of the rows' own gradients in natural units, root of the mean square. */
double fit_row_size(const fit_sums *sums);
/* Root of the mean squared distance, for sources without a time: their value is −½ Σ w dist², their scores
 * are as long as the distances. */
double fit_spread(const fit_model *model, const fit_sums *sums);
/* The gradient per weight, in natural units. */
double fit_steepness(const double *state, const fit_sums *sums, const double *gradient,
                     fit_work *r);
/* `factor` times the tolerance that was asked for, in natural units or, without a time, in units of the
 * spread; but not less than `rounding` times what the error of the source makes of the
 * gradient of one row. */
double fit_threshold(const fit_work *r, const fit_sums *sums, double factor, double rounding);
/* Is the gradient per weight small enough, steepness against threshold? */
bool fit_is_settled(const double *state, const fit_sums *sums, const double *gradient, fit_work *r);

/* The gain of log-likelihood by a step to `to`, without log p: from the gradients at its ends. */
MST_MUST_USE mst_status fit_gain(const double *from, const double *gradient, const double *step,
                                 const double *to, const double *gradient_there, fit_work *r,
                                 double *gain);

/* Newton's method in a trust region; MST_OK however it ends. */
MST_MUST_USE mst_status fit_newton(double *state, const fit_options *o, fit_work *r,
                                   fit_outcome *out);
/* After a method without Hessian has settled: is it a maximum? */
MST_MUST_USE mst_status fit_certify(const double *state, fit_work *r, fit_outcome *out);
/* Gradient ascent and Adam. */
MST_MUST_USE mst_status fit_ascend(double *state, const fit_options *o, fit_work *r,
                                   fit_outcome *out);
/* BFGS with limited memory, where there is no curvature to be had. */
MST_MUST_USE mst_status fit_quasi_newton(double *state, const fit_options *o, fit_work *r,
                                         fit_outcome *out);

#endif
