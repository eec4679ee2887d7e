/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Two manifolds given by slots of their metric only, and the isometries to those of the library. */
#ifndef TEST_METRIC_MANIFOLDS_H
#define TEST_METRIC_MANIFOLDS_H

#include "support/manifolds.h"

#include <manistat/metric.h>

/* The hyperbolic plane as the half-plane b > 0 of rows (a, b) with the metric |v|²/b²; as hyperbolic:2. */
void half_plane_to_hyperboloid(size_t n, const double *x, double *y);
void half_plane_from_hyperboloid(size_t n, const double *x, double *y);
void half_plane_push(size_t n, const double *x, const double *v, double *w);

/* The sphere in two stereographic charts, from the poles, rows (u, v, chart) with the metric |v|²/(1 +
 * |u|²/4)²: a point leaves its chart when |u| exceeds 2, at the equator. As sphere:2. */
void chart_sphere_to_sphere(size_t n, const double *x, double *y);
void chart_sphere_from_sphere(size_t n, const double *x, double *y);
void chart_sphere_push(size_t n, const double *x, const double *v, double *w);

/* Both, with the manifolds that they are isometric to. */
typedef struct metric_twin {
    mst_status (*make)(mst_manifold **out);
    const char *spec; /* has rows of three columns */
    void (*there)(size_t n, const double *x, double *y);
    void (*push)(size_t n, const double *x, const double *v, double *w); /* of vectors at x */
    double farthest;                                                     /* that log is asked for */
} metric_twin;
enum { HALF_PLANE, CHART_SPHERE, METRIC_TWINS };
extern const metric_twin metric_twins[METRIC_TWINS];

#endif
