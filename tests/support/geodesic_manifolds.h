/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Metrics, embeddings and equations written out by hand, for the solver of geodesics. */
#ifndef TEST_GEODESIC_MANIFOLDS_H
#define TEST_GEODESIC_MANIFOLDS_H

#include <manistat/constraint.h>
#include <manistat/metric.h>

/* The unit sphere of dimension d in the stereographic chart, 4|v|²/(1 + |x|²)². */
mst_status stereographic_new(mst_manifold **out, size_t d);
void stereographic_to_sphere(size_t d, const double *x, double *y);
void stereographic_from_sphere(size_t d, const double *x, double *y);

/* ((R + r cos v) cos u, (R + r cos v) sin u, r sin v), periodic in both; as a bare metric or as a map. */
mst_status torus_chart_new(mst_manifold **out, double R, double r, bool embedded);

/* Equations: Σ (x_k/axis_k)² = 1 in R^D, |x| = 1 + 0.15 cos 3θ at the polar angle θ, and the torus. */
mst_status ellipsoid_equation_new(mst_manifold **out, size_t D, const double *axes);
mst_status bumpy_equation_new(mst_manifold **out);
mst_status torus_equation_new(mst_manifold **out, double R, double r);

#endif
