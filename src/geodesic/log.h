/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* The slots `log` and `dist` of manifolds that the solver can do. */
#ifndef MST_GEODESIC_LOG_H
#define MST_GEODESIC_LOG_H

#include "manifold/internal.h"

mst_status geodesic_log(const mst_manifold *m, size_t n, const double *x, const double *y,
                        double *v, unsigned char *flag);
mst_status geodesic_dist(const mst_manifold *m, size_t n, const double *x, const double *y,
                         double *r);

#endif
