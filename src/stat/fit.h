/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* The optimiser behind means and two-sample tests: maximise Σ_g Σ_i w_i log p_{t_g}(x_i, μ_g) over means and log times,
 * where groups of rows may share a mean or a time. One mean is one group. */
#ifndef MST_STAT_FIT_H
#define MST_STAT_FIT_H

#include "base/internal.h"

#include <manistat/mean.h>

/* Rows x (n, D) with weights (n) or null; numbers of the mean and the time they belong to. `first` is the number of the
 * first row among those of all groups. */
typedef struct fit_group {
    size_t n, first;
    const double *x, *weights;
    size_t mean, time;
} fit_group;

/* Parameters in one vector: frame coordinates of the means (means·d), then log times (free ones only). */
typedef struct fit_problem {
    const mst_score *source;
    size_t groups;
    const fit_group *group;
    size_t means, times;
    bool time_is_free; /* else the times stay as they are */
    int threads;
} fit_problem;

typedef struct fit_state {
    double *mean; /* (means, D) */
    double *time; /* (times) */
} fit_state;

/* Sums over all rows at one state. `hessian` is of the log-likelihood in the parameters, by differences in log t where
 * times are involved; the empirical Fisher information with a minus where the source has no Hessian. */
typedef struct fit_sums {
    double value;        /* log-likelihood */
    double total_weight; /* Σ w */
    /* Σ w (|s|² t + (t ∂_t log p)²), the latter for free times only: how far the law is from uniform */
    double score_square;
    double *gradient; /* (p) */
    double *hessian;  /* (p, p) or null: not wanted */
    double *outer;    /* (p, p) or null: Σ w² g gᵀ of the rows */
    /* (p, p) or null: the Hessian of a state so near that its second derivatives by log times will do, which saves a
     * sweep over the rows */
    const double *near;
} fit_sums;

size_t fit_parameters(const fit_problem *problem);
/* Natural units (p) of the parameters, in which second derivatives per row are of order one whatever the scale of the
 * data: √t for means (1 for sources without a time), 1 for log times. */
void fit_units(const fit_problem *problem, const fit_state *state, double *units);

/* What to sum beyond value and gradient is told by the pointers in `out`, which are the caller's. */
MST_MUST_USE mst_status fit_evaluate(const fit_problem *problem, const fit_state *state,
                                     fit_sums *out);

/* Sources without log p: the log-likelihood of one mean at `to` minus that at `from`, the gradient integrated along the
 * geodesic between the means and the line between the log times; and the integral of its absolute value. */
MST_MUST_USE mst_status fit_difference(const fit_problem *problem, const fit_state *from,
                                       const fit_state *to, double *difference, double *variation);

/* Does a row take so long that it is worth to think before one looks at it? */
bool fit_is_slow(const mst_score *source);
/* The nearest time that the source may be used for. */
double fit_clamp_time(const mst_score *source, double time);
/* MST_DOMAIN for a fixed time (0: none) that it may not be used for. */
MST_MUST_USE mst_status fit_check_time(const mst_score *source, double time);
/* The fixed time: `time`, or where that is 0, to be fitted, the only one that the source has. */
double fit_given_time(const mst_score *source, double time);
/* MST_TIME_LEAST or MST_TIME_LARGEST: the time is at that edge of the range and the likelihood rises outwards. */
mst_time_limit fit_edge(const mst_score *source, double time, double slope);
/* Sets the slopes of such times to 0, and tells. */
mst_time_limit fit_hold_times(const fit_problem *problem, const fit_state *state, double *gradient);

typedef struct fit_options {
    mst_mean_method method;
    double tolerance, rate;
    size_t iterations;
    mst_progress progress;
    /* (p, p) or null: that of the last state goes here, where Newton's method ran */
    double *hessian;
} fit_options;

typedef struct fit_outcome {
    bool converged;
    mst_time_limit limit;
    size_t iterations;
    double value, gradient_norm, decrement;
    /* smallest eigenvalue of the information in natural units over the largest; NAN unknown */
    double least_curvature;
} fit_outcome;

/* Climb from `state`, in place; free times start and stay in the range of the source. The tolerance is no less than what
 * the precision of the source allows. MST_OK also when it does not converge: the outcome says so. */
MST_MUST_USE mst_status fit_climb(const fit_problem *problem, fit_state *state,
                                  const fit_options *options, fit_outcome *out);

#endif
