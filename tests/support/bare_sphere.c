/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* A user-defined manifold with the five required slots and nothing else, so that every fall-back is used: the
 * sphere of radius 2 in R³. */
#include "support/manifolds.h"

enum { D = 3 };
static const double radius = 2;

static void start(const mst_manifold *m, double *x)
{
    (void)m;
    x[0] = x[1] = 0;
    x[2] = radius;
}

static mst_status project(const mst_manifold *m, size_t n, const double *x, double *y)
{
    (void)m;
    for (size_t i = 0; i < n * D; i += D) {
        double norm = euclidean_norm(D, x + i);
        if (!(norm > 0) || isinf(norm))
            return mst_fail(MST_DOMAIN, "norm %g", norm);
        for (size_t a = 0; a < D; a++)
            y[i + a] = x[i + a] * (radius / norm);
    }
    return MST_OK;
}

static mst_status tangent(const mst_manifold *m, size_t n, const double *x, const double *w,
                          double *v)
{
    (void)m;
    for (size_t i = 0; i < n * D; i += D) {
        double along = dot(D, x + i, w + i) / dot(D, x + i, x + i);
        for (size_t a = 0; a < D; a++)
            v[i + a] = w[i + a] - along * x[i + a];
    }
    return MST_OK;
}

static mst_status exponential(const mst_manifold *m, size_t n, const double *x, const double *v,
                              double *y)
{
    for (size_t i = 0; i < n * D; i += D) {
        double angle = euclidean_norm(D, v + i) / radius;
        double cosine = cos(angle), slope = angle > 0 ? sin(angle) / angle : 1;
        for (size_t a = 0; a < D; a++)
            y[i + a] = cosine * x[i + a] + slope * v[i + a];
    }
    return project(m, n, y, y);
}

static const mst_manifold_ops table = {
    .size = sizeof(mst_manifold_ops),
    .name = "bare",
    .start = start,
    .project = project,
    .tangent = tangent,
    .inner = ambient_inner,
    .exp = exponential,
};

mst_status bare_sphere_new(mst_manifold **out)
{
    return mst_manifold_new(out, &table, "bare", D - 1, D, NULL);
}
