/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* How far apart points are, for starts, ties and clusters. Many manifolds know no distance, or only by a long
 * search: where no more is wanted than an idea of the size, chords do. */
#ifndef MST_STAT_DISTANCES_H
#define MST_STAT_DISTANCES_H

#include "base/internal.h"

#include <manistat/manifold.h>

/* Has it failed because something cannot be computed there, so that another way may be tried? */
bool distances_are_lost(mst_status status);

/* Distances r (n) of rows x (n, D) to one point y: mst_dist_to, or chords_to, √(2f) of the potential f of
 * mst_manifold_toward, which is the same to first order and never without an answer. */
typedef mst_status distance_function(const mst_manifold *m, size_t n, const double *x,
                                     const double *y, double *r);
MST_MUST_USE mst_status chords_to(const mst_manifold *m, size_t n, const double *x, const double *y,
                                  double *r);
/* The distance between two points where it is closed, else the chord. */
MST_MUST_USE mst_status distance_about(const mst_manifold *m, const double *x, const double *y,
                                       double *r);

/* Σ w dist²(x, y) / Σ w. */
MST_MUST_USE mst_status mean_squared_distance(const mst_manifold *m, size_t n, const double *x,
                                              const double *weights, const double *y, int threads,
                                              double *out);
/* The same by chords where distances are not closed or fail. */
MST_MUST_USE mst_status mean_squared_size(const mst_manifold *m, size_t n, const double *x,
                                          const double *weights, const double *y, int threads,
                                          double *out);

#endif
