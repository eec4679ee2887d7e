/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Geodesics of rows that are asked for again and again with ends that move little: those of the last time
 * are led to the new ends, and others are looked for only where there may be some. */
#ifndef MST_SCORE_EXPANSION_PATHS_H
#define MST_SCORE_EXPANSION_PATHS_H

#include <manistat/geodesic.h>

typedef struct expansion_paths expansion_paths;

/* For rows 0 … rows − 1, up to `several` geodesics each. */
MST_MUST_USE mst_status expansion_paths_new(expansion_paths **out, const mst_manifold *m,
                                            size_t rows, size_t several);
void expansion_paths_free(expansion_paths *p);
/* The geodesics of rows `first` … from x to y, as mst_geodesic_solve has them, at least within the window of
 * the options: length (n, several), log_x and log_y (n, several, D) and status are wanted, and nothing
 * else. Calls for other rows may run meanwhile. */
MST_MUST_USE mst_status expansion_paths_find(expansion_paths *p, size_t first, size_t n,
                                             const double *x, const double *y,
                                             const mst_geodesic_options *options,
                                             const mst_geodesic_output *out);

#endif
