/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* mst_geodesic_solve for a problem that was made before. */
#ifndef MST_GEODESIC_SOLVE_H
#define MST_GEODESIC_SOLVE_H

#include "geodesic/problem.h"

#include <manistat/geodesic.h>

MST_MUST_USE mst_status geodesic_solve(const geodesic_problem *p, size_t n, const double *x,
                                       const double *y, const mst_geodesic_options *options,
                                       const mst_geodesic_output *out);
/* The same where the kept paths are those of pair `first` on. Other calls may use the others meanwhile. */
MST_MUST_USE mst_status geodesic_solve_from(const geodesic_problem *p, size_t first, size_t n,
                                            const double *x, const double *y,
                                            const mst_geodesic_options *options,
                                            const mst_geodesic_output *out);
/* Kept paths with room for so many of each pair, which such calls must not make themselves. */
MST_MUST_USE mst_status geodesics_new_several(mst_geodesics **out, const mst_manifold *m, size_t n,
                                              size_t several);

#endif
