/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Brownian bridges: paths that are led from y to x, and what they say about the heat kernel of any manifold.
 *
 * A path of `steps` geodesic steps from y is pulled toward x, and its weight is the density of the free walk
 * against that of the led one, times the density of the last step, which ends at x. The mean of the weights
 * is p_t(x, y) up to the error of the steps, whatever the guide is: a guide decides how much the weights
 * scatter, not what they estimate, so it may jump at the cut locus. The weighted means of the weights of
 * Bismut, Elworthy and Li along the same paths are the score and the time derivative: nothing has to be
 * differentiated. docs/bridges.md derives it.
 *
 * On a manifold that paths can leave, those that do have the weight 0: the kernel is that of Brownian motion
 * that ends at the border. */
#ifndef MANISTAT_BRIDGE_H
#define MANISTAT_BRIDGE_H

#include <manistat/heat.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum mst_bridge_guide {
    /* Log where it is a closed form, else the slot `toward` */
    MST_GUIDE_BEST,
    MST_GUIDE_LOG,    /* the logarithm, searched for where that must be */
    MST_GUIDE_SMOOTH, /* the slot `toward`, smooth across the cut locus */
} mst_bridge_guide;

typedef struct mst_bridge_options {
    size_t size; /* set by the default: how much of the struct the program knows */
    /* of a pair, at least 2; default 0: mst_mean_fit chooses by the noise, everything else takes 200 */
    size_t paths;
    size_t steps;           /* default 48 a path, at least 4; shorter toward the end */
    uint64_t seed;          /* default 2712 */
    mst_bridge_guide guide; /* default MST_GUIDE_BEST */
    int threads;            /* default 0: all cores; the result does not depend on it */
    mst_progress progress;  /* default none; in pairs */
    uint64_t first;         /* default 0, mst_bridge_sample only: the number of its first bridge */
} mst_bridge_options;

MST_API mst_bridge_options mst_bridge_options_default(void);

/* Where to put the results of n rows; what is null is not computed. */
typedef struct mst_bridge_values {
    double *log_p;    /* (n) */
    double *dt_log_p; /* (n) */
    double *score;    /* (n, D): a tangent vector at y */
    /* Standard errors (n); that of the score is the root of the trace of its covariance. */
    double *log_p_se, *dt_log_p_se, *score_se;
    /* (n): the number of equal weights that would scatter as these, from 1 to `paths`. The standard errors
     * are to be trusted from about 30 on. */
    double *ess;
    /* (n): how far log p is off because of the length of the steps, estimated by half of the steps with the
     * same noise. It takes half as much time again. */
    double *step_error;
} mst_bridge_values;

/* The kernel of rows by bridges. Row number pairs->first + i draws the same random numbers in every call, so
 * that the estimates are smooth in y and t. MST_BREAKDOWN if all paths of a row left the manifold, with the
 * row; other failures as those of Exp. */
MST_API MST_MUST_USE mst_status mst_bridge_pairs(const mst_manifold *m, const mst_pairs *pairs,
                                                 const mst_bridge_options *options,
                                                 const mst_bridge_values *out);

/* n bridges from `from` to `to` (D) that take the time `time`: path (n, steps+1, D), at times (steps+1) from
 * 0 to `time`, which get denser toward the end. Each is drawn from options->paths led ones by their weights,
 * so that it has the law of a bridge as well as these represent it; *ess, or null, is the effective
 * number of these, on the average over the n. */
MST_API MST_MUST_USE mst_status mst_bridge_sample(const mst_manifold *m, size_t n,
                                                  const double *from, const double *to, double time,
                                                  const mst_bridge_options *options, double *path,
                                                  double *times, double *ess);

#ifdef __cplusplus
}
#endif
#endif
