/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* The optimiser behind all estimators: it climbs the log-likelihood of a fit_model. */
#ifndef MST_STAT_FIT_H
#define MST_STAT_FIT_H

#include "stat/fit_model.h"

#include <manistat/mean.h>

/* ---- Sums over all rows at one state ---- */

/* `hessian` is of the log-likelihood in the parameters, by differences in log t where times are involved and
 * by differences of scores where the source has no Hessian. */
typedef struct fit_sums {
    double value;        /* log-likelihood */
    double total_weight; /* Σ w */
    /* Σ w (|s|² t + (t ∂_t log p)²), the latter for free times only: how far the law is from uniform */
    double score_square;
    double longest_time; /* of all rows; 0 without times */
    double *gradient;    /* (q) */
    double *hessian;     /* (q, q) or null: not wanted */
    double *outer;       /* (q, q) or null: Σ w g gᵀ of the rows */
    /* (q, q) or null: the Hessian of a state so near that its second derivatives by log times will do, which
     * saves a sweep over the rows; of a source whose Hessian takes differences, all of it */
    const double *near;
} fit_sums;

/* What to sum beyond value and gradient is told by the pointers in `out`, which are the caller's. */
MST_MUST_USE mst_status fit_evaluate(const fit_model *model, const double *state, fit_sums *out);
/* Is there one log time, and predictions that groups share? Then the second derivatives that involve it can
 * be had later: */
bool fit_has_one_time(const fit_model *model);
/* into sums->hessian, from the gradient there and that at a time beside. */
MST_MUST_USE mst_status fit_add_time_row(const fit_model *model, const double *state,
                                         const fit_sums *sums);

/* Local gradients (n, d + 1), with no weight, of the rows of a group. */
MST_MUST_USE mst_status fit_row_gradients(const fit_model *model, const double *state, size_t group,
                                          double *gradients);
/* sums (count, q): Σ w g of the rows of each cluster. `of` counts rows through all groups and holds numbers
 * below `count`; null: each row is one of its own. */
MST_MUST_USE mst_status fit_cluster_gradients(const fit_model *model, const double *state,
                                              size_t count, const size_t *of, double *sums);

/* Sources without log p: the log-likelihood at `to` minus that at `from`, the gradient integrated along a way
 * between them; and the integral of its absolute value. Fails where no way is known. */
MST_MUST_USE mst_status fit_difference(const fit_model *model, const double *from, const double *to,
                                       double *difference, double *variation);

/* ---- Times, and the range of the source ---- */

/* Does a row take so long that it is worth thinking before looking at it? */
bool fit_is_slow(const mst_score *source);
/* May n rows that share their prediction be asked of tables (heat/radial_table.h)? */
bool fit_takes_tables(const mst_score *source, size_t n);
/* It has a time but no Hessian, which takes 2 d sweeps over the rows then. */
bool fit_takes_differences(const mst_score *source);
/* The nearest time that the source may be used for. */
double fit_clamp_time(const mst_score *source, double time);
/* MST_DOMAIN for a fixed time (0: none) that it may not be used for. */
MST_MUST_USE mst_status fit_check_time(const mst_score *source, double time);
/* The fixed time: `time`, or where that is 0, to be fitted, the only one that the source has. */
double fit_given_time(const mst_score *source, double time);
/* MST_TIME_LEAST or MST_TIME_LARGEST: the time is at that edge of the range and the
 * likelihood rises outwards. */
mst_time_limit fit_edge(const mst_score *source, double time, double slope);

/* ---- Tolerances ---- */

/* Everything that a climb and its reader hold to be nothing, made in one place from what was asked for and
 * from the error of the source: its precision or, if that is more, its noise as it is
 * left in a sum over the rows. */
typedef struct fit_tolerances {
    double error; /* relative, of the sums */
    /* of the gradient per weight in natural units or, without a time, in units of the spread */
    double asked;
    double gradient;  /* what the error makes of the gradient, in units of the rows' own */
    double gain;      /* the same of a gain that is found from gradients */
    double value;     /* relative: values that differ by less are the same */
    double decrement; /* no step promises to gain more than this: then values tell nothing */
    double radius;    /* trust radius below which nothing moves */
    double share;     /* the same of the share of a quasi-Newton step */
    double curvature; /* relative to the largest: upward curvature below this may be rounding */
    /* per weight: the same of second derivatives by log t, which are differences */
    double time_noise;
    double near;    /* steps below this leave those as they are, to three digits; 0: not worth it */
    double roughly; /* and these as far as the next step needs to know; 0: look again */
    /* A Hessian by differences is kept while the state is no farther from its own than this, for steps and
     * for an end; 0: the source has one */
    double kept, kept_to_end;
    double unique;     /* least curvature relative to the largest of a maximum that is one point */
    double invertible; /* the same of an information matrix that can be inverted */
    double same_mean;  /* means closer than this share of the spread are one */
    double difference; /* step of central differences of gradients, in natural units */
} fit_tolerances;

fit_tolerances fit_tolerances_of(const fit_model *model, double asked);

/* ---- The climb ---- */

typedef struct fit_options {
    mst_mean_method method;
    double tolerance, rate;
    size_t iterations;
    bool normalise; /* gradient ascent takes steps of the length `rate` on the manifold */
    mst_progress progress;
    /* (q, q) or null: that of the last state goes here, where there is one */
    double *hessian;
    /* Where there is curvature: one step, with no look at where it leads, which the caller has a guard
     * against. The outcome is that of the state before. */
    bool blind;
    const double *near; /* as in fit_sums, for the first state */
    bool
        rough; /* `near` will do for a step, but not for an end; so will those of a state on the way */
    /* (q, q) or null: Σ w g gᵀ of the last state goes here, for the methods with matrices */
    double *outer;
    /* Newton's method. The climb has SETTLED where a step promises to gain no more than `least_gain`, and has
     * STALLED at once if the first one promises more than `most_gain` or curves upwards. 0: any. */
    double least_gain, most_gain;
} fit_options;

typedef struct fit_outcome {
    mst_fit_end end;
    mst_time_limit edge; /* LEAST or LARGEST: a time is held there; else FINITE */
    size_t iterations;
    double value, gradient_norm, decrement;
    /* smallest eigenvalue of the information in natural units over the largest; NAN unknown */
    double least_curvature;
    /* size of the rows' own gradients in natural units, root of the mean square: of a source without a time,
     * how far the rows scatter */
    double row_size;
} fit_outcome;

/* Climb from `state`, in place; free times start and stay in the range of the source. The tolerance is no
 * less than what the error of the source allows. MST_OK however it ends: the outcome says. */
MST_MUST_USE mst_status fit_climb(const fit_model *model, double *state, const fit_options *options,
                                  fit_outcome *out);

/* Has the manifold a way of its own to the Fréchet mean of n rows (manifold/barycentre.h)? And that mean (D),
 * with −½ Σ w dist²; start (D) may be null. Not found: climb. */
bool fit_has_centre(const mst_score *source, size_t n);
MST_MUST_USE mst_status fit_centre(const mst_score *source, const fit_rows *rows,
                                   const double *start, double tolerance, int threads, double *mean,
                                   double *value, bool *found);

/* Has the climb ended in a maximum? */
bool fit_has_converged(mst_fit_end end);
/* Where the time went. */
mst_time_limit fit_time_limit(const fit_outcome *outcome);

#endif
