/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* A manifold of two dimensions with one chart, as the heat equation sees it: the metric at points (u, v), the
 * domain and the periods. */
#ifndef MST_PDE_PLANE_H
#define MST_PDE_PLANE_H

#include "manifold/internal.h"

typedef struct pde_plane {
    const mst_manifold *m; /* borrowed */
    double period[2];      /* 0: not periodic */
} pde_plane;

/* MST_UNABLE, with the reason and what to do, where the manifold is something else. */
MST_MUST_USE mst_status pde_plane_of(pde_plane *p, const mst_manifold *m);
/* g (n, 3): g_uu, g_uv, g_vv at points (n, 2). inside (n): is it in the domain, and g positive definite? g is
 * 0 where it is not. */
MST_MUST_USE mst_status pde_plane_metric(const pde_plane *p, size_t n, const double *x, double *g,
                                         unsigned char *inside);
/* ∇_a ∂_b of a function at one point, (uu, uv, vv), from its first and second derivatives in the chart. */
MST_MUST_USE mst_status pde_plane_bend(const pde_plane *p, const double *x, double turn[3][2]);
/* To the period about 0. */
void pde_plane_wrap(const pde_plane *p, double *x);

#endif
