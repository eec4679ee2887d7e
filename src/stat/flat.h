/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Rows on manifolds that are R^d by their chart (the trait `unrolls`), in its coordinates: there every sum
 * over squared distances is known from sums and products of coordinates. */
#ifndef MST_STAT_FLAT_H
#define MST_STAT_FLAT_H

#include <manistat/score.h>

/* Is it the Gaussian kernel or the squared distance on such a manifold? */
bool flat_source(const mst_score *source);
/* u (n, d), the coordinates of x (n, D) about `centre` (D). */
MST_MUST_USE mst_status flat_coordinates(const mst_manifold *m, const double *centre, size_t n,
                                         const double *x, int threads, double *u);
/* Their weighted mean (d); weights (n) or null. */
void flat_mean(size_t n, size_t d, const double *u, const double *weights, double *mean);

#endif
