/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Brownian motion with generator ½Δ: at time t its law has the density p_t(start, ·), the heat kernel.
 *
 * On a manifold with a border, or where the metric ceases to be positive definite, a path may leave the
 * domain. It ends there: it is neither reflected nor drawn again, its rows are NAN from then on, and no other
 * row is. What is left of the paths then has another law than Brownian motion that goes on. */
#ifndef MANISTAT_BROWNIAN_H
#define MANISTAT_BROWNIAN_H

#include <manistat/manifold.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The share of paths that may leave the domain before commands and trainings refuse what is left of them. */
#define MST_BROWNIAN_MOST_LOST 0.001

typedef enum mst_brownian_method {
    /* Geodesic random walk with the step √h e^(−(h/12) Ric) ξ: weak order 2 in h = t/steps where the scalar
     * curvature is constant. */
    MST_BROWNIAN_TANGENT,
    /* Itô–Euler in a chart that is moved to the current point when its coordinates get
     * large: weak order 1. */
    MST_BROWNIAN_CHART,
    /* The exact law; only for some manifolds (MST_UNABLE otherwise). */
    MST_BROWNIAN_EXACT,
} mst_brownian_method;

typedef struct mst_brownian_options {
    size_t size;                /* set by the default: how much of the struct the program knows */
    mst_brownian_method method; /* default MST_BROWNIAN_TANGENT */
    size_t steps;               /* default 100; 1 … 10^9; the step is time/steps */
    uint64_t seed;              /* default 2712 */
    uint64_t first_path;   /* default 0: the number of row 0, to sample one long batch in pieces */
    int threads;           /* default 0: all cores; the result does not depend on it */
    mst_progress progress; /* default none; in paths */
    size_t *left; /* default null; else where the number of paths that left the domain goes */
} mst_brownian_options;

MST_API mst_brownian_options mst_brownian_options_default(void);

/* Can this manifold be sampled exactly? */
MST_API bool mst_brownian_has_exact(const mst_manifold *m);

/* End points at `time` of n paths, end (n, D). Path i starts at row i of start (n, D). */
MST_API MST_MUST_USE mst_status mst_brownian_endpoints(const mst_manifold *m, size_t n,
                                                       const double *start, double time,
                                                       const mst_brownian_options *options,
                                                       double *end);

/* Whole paths, path (n, steps+1, D) at times k·time/steps; row 0 of each is the start. The last rows are
 * the end points of mst_brownian_endpoints for the methods tangent and chart. */
MST_API MST_MUST_USE mst_status mst_brownian_paths(const mst_manifold *m, size_t n,
                                                   const double *start, double time,
                                                   const mst_brownian_options *options,
                                                   double *path);

#ifdef __cplusplus
}
#endif
#endif
