/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Where geodesics end and paths are lost because they leave the domain. The row of a lost path is NAN from
 * then on, which is how everything that simulates paths tells it. */
#ifndef MST_MANIFOLD_LEAVING_H
#define MST_MANIFOLD_LEAVING_H

#include "manifold/internal.h"

/* May a geodesic leave it? On manifolds with a closed Exp and no border MST_DOMAIN means an overflow. */
bool mst_can_be_left(const mst_manifold *m);

/* Is any number of the row NAN? And make all of them so. */
bool mst_is_lost(size_t D, const double *row);
void mst_lose(size_t D, double *row);

/* y = Exp_x(v), row by row; y may be x or v. ends (n): MST_OK, or why the row of y is NAN: MST_DOMAIN, it
 * left the domain, as did rows that were lost before, or MST_CONVERGENCE, it could not be followed. */
MST_MUST_USE mst_status mst_exp_each(const mst_manifold *m, size_t n, const double *x,
                                     const double *v, double *y, mst_status *ends);

#endif
