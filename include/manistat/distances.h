/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Distances of all pairs of points, for multidimensional scaling, nearest neighbours and clustering by
 * distances. A manifold may prepare each point once and then be quicker with the pairs (the slots
 * `prepared_size`, `prepare` and `dist_prepared` of its table); elsewhere they are those of
 * mst_manifold_dist.
 *
 * Results do not depend on the number of threads. Shapes: n and k points, D the numbers of a row. */
#ifndef MANISTAT_DISTANCES_H
#define MANISTAT_DISTANCES_H

#include <manistat/geodesic.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct mst_distances_options {
    size_t size;           /* set by the default: how much of the struct the program knows */
    int threads;           /* default 0: all cores */
    mst_progress progress; /* default none */
    /* default false: pairs without an answer are NAN; true: they have the best value that the search for a
     * geodesic has found, if any. Their status is the same. */
    bool best;
} mst_distances_options;
MST_API mst_distances_options mst_distances_options_default(void);

/* out (n, n): the distances between the points x (n, D), symmetric with a zero diagonal; each pair is
 * computed once. status (n, n) or null. MST_OK also if some pairs have no answer, which manifolds with closed
 * forms always have: see their status, one of those of mst_geodesic_solve. Options may be null. Takes n²
 * doubles in `out`, and in the memory that it allocates no more than a few for each number of x. */
MST_API MST_MUST_USE mst_status mst_distance_matrix(const mst_manifold *m, size_t n,
                                                    const double *x,
                                                    const mst_distances_options *options,
                                                    double *out, mst_geodesic_status *status);
/* The same for all pairs of two sets: out (n, k), row i the distances of point i of x (n, D) to the points
 * y (k, D); status (n, k) or null. */
MST_API MST_MUST_USE mst_status mst_distances_between(const mst_manifold *m, size_t n,
                                                      const double *x, size_t k, const double *y,
                                                      const mst_distances_options *options,
                                                      double *out, mst_geodesic_status *status);

#ifdef __cplusplus
}
#endif
#endif
