/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* What networks ask of manifolds that are given by a map into R^E, by equations in R^D or by a metric, beyond
 * the operations that every manifold has. */
#ifndef MST_MANIFOLD_IN_SPACE_H
#define MST_MANIFOLD_IN_SPACE_H

#include "base/internal.h"

#include <manistat/manifold.h>

/* Is it given by a metric or by equations, so that geodesics are found by solving for them? */
bool mst_has_root(const mst_manifold *m);
/* Is it given by equations? Then rows are points of R^D with its metric. */
bool mst_has_equations(const mst_manifold *m);
/* The left sides (n, D − d) of its equations at rows that need not be points. */
MST_MUST_USE mst_status mst_equations(const mst_manifold *m, size_t n, const double *x, double *h);
/* The dimension of the space that a metric is mapped into; 0: it is not, or not known to be. */
size_t mst_map_dim(const mst_manifold *m);
/* The images (n, mst_map_dim) of rows. */
MST_MUST_USE mst_status mst_map_points(const mst_manifold *m, size_t n, const double *x, double *f);
/* The periods of coordinates (d), 0 for those that have none; false: none has. */
bool mst_periods(const mst_manifold *m, double *period);

/* A step to first order: Exp_x(v) and this for v and −v are mirror images to second order. */
MST_MUST_USE mst_status mst_nudge(const mst_manifold *m, size_t n, const double *x, const double *v,
                                  double *y);

/* Of equations: orthonormal normals (n, D − d, D); the second fundamental form at one point on a frame (d,
 * D), II(E_a, E_b) as (d, d, D); and its trace (n, D), the mean curvature vector, which is the divergence of
 * the projections of constant fields. */
MST_MUST_USE mst_status mst_normals(const mst_manifold *m, size_t n, const double *x,
                                    double *normals);
MST_MUST_USE mst_status mst_second_form(const mst_manifold *m, const double *x, const double *frame,
                                        double *out);
MST_MUST_USE mst_status mst_mean_curvature(const mst_manifold *m, size_t n, const double *x,
                                           double *h);
/* Of a metric, at one point: <E_a, ∇_b E_k> of the fields of mst_manifold_frame, entry (b, a, k) of (d, d,
 * d), by differences that are good to about 1e-8. */
MST_MUST_USE mst_status mst_frame_connection(const mst_manifold *m, const double *x, double *omega);

#endif
