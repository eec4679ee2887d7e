/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

#include "support/metric_manifolds.h"

static void start(const mst_manifold *m, double *x)
{
    (void)m;
    x[0] = x[1] = x[2] = 0;
}

static double conformal(const double *u)
{
    return 1 / (1 + (u[0] * u[0] + u[1] * u[1]) / 4);
}

static mst_status lagrangian(const mst_manifold *m, size_t n, const double *x, const double *v,
                             double *l, double *l_x, double *l_v)
{
    (void)m;
    for (size_t i = 0; i < n; i++, x += 3, v += 3, l_x += 3, l_v += 3) {
        double c = conformal(x);
        l[i] = 0.5 * c * c * dot(2, v, v);
        for (size_t k = 0; k < 2; k++) {
            l_x[k] = -c * l[i] * x[k];
            l_v[k] = c * c * v[k];
        }
    }
    return MST_OK;
}

static mst_status lagrangian_hvp(const mst_manifold *m, size_t n, const double *x, const double *v,
                                 const double *dx, const double *dv, double *dl_x, double *dl_v)
{
    (void)m;
    for (size_t i = 0; i < n; i++, x += 3, v += 3, dx += 3, dv += 3, dl_x += 3, dl_v += 3) {
        double c = conformal(x), dc = -0.5 * c * c * dot(2, x, dx), square = dot(2, v, v);
        double mixed = dot(2, v, dv), cube = c * c * c;
        for (size_t k = 0; k < 2; k++) {
            dl_x[k] = -0.5 * (3 * c * c * dc * square * x[k] + 2 * cube * mixed * x[k] +
                              cube * square * dx[k]);
            dl_v[k] = 2 * c * dc * v[k] + c * c * dv[k];
        }
    }
    return MST_OK;
}

static void leave(const mst_manifold *m, size_t n, const double *x, double *chart)
{
    (void)m;
    for (size_t i = 0; i < n; i++, x += 3)
        chart[i] = dot(2, x, x) > 4 ? 1 - x[2] : x[2];
}

/* Inversion in the circle of radius 2. */
static void transition(const mst_manifold *m, size_t n, const double *x, const double *v,
                       const double *to, double *y, double *w)
{
    (void)m;
    for (size_t i = 0; i < n; i++, x += 3, y += 3) {
        double square = dot(2, x, x), factor = to[i] == x[2] ? 1 : 4 / square;
        for (size_t k = 0; k < 2; k++)
            y[k] = factor * x[k];
        if (v == NULL)
            continue;
        double along = to[i] == x[2] ? 0 : 2 * dot(2, x, v) / square;
        for (size_t k = 0; k < 2; k++)
            w[k] = factor * (v[k] - along * x[k]);
        v += 3;
        w += 3;
    }
}

static double injectivity(const mst_manifold *m)
{
    (void)m;
    return M_PI;
}

static void traits(const mst_manifold *m, mst_manifold_traits *t)
{
    (void)m;
    t->flat = MST_NO;
    t->curvature = t->curvature_above = 1;
}

static const mst_metric_ops table = {
    .size = sizeof(mst_metric_ops),
    .name = "chart sphere",
    .start = start,
    .lagrangian = lagrangian,
    .lagrangian_hvp = lagrangian_hvp,
    .traits = traits,
    .injectivity = injectivity,
    .charts = 2,
    .leave = leave,
    .transition = transition,
};

mst_status chart_sphere_new(mst_manifold **out)
{
    return mst_metric_new(out, &table, "chart sphere", 2, NULL);
}

void chart_sphere_to_sphere(size_t n, const double *x, double *y)
{
    for (size_t i = 0; i < n; i++, x += 3, y += 3) {
        double c = conformal(x), side = x[2] == 0 ? 1 : -1;
        y[0] = c * x[0];
        y[1] = c * x[1];
        y[2] = side * (2 * c - 1);
    }
}

void chart_sphere_from_sphere(size_t n, const double *x, double *y)
{
    for (size_t i = 0; i < n; i++, x += 3, y += 3) {
        double factor = 2 / (1 + fabs(x[2]));
        y[0] = factor * x[0];
        y[1] = factor * x[1];
        y[2] = x[2] < 0;
    }
}

void chart_sphere_push(size_t n, const double *x, const double *v, double *w)
{
    for (size_t i = 0; i < n; i++, x += 3, v += 3, w += 3) {
        double c = conformal(x), dc = -0.5 * c * c * dot(2, x, v), side = x[2] == 0 ? 1 : -1;
        w[0] = c * v[0] + dc * x[0];
        w[1] = c * v[1] + dc * x[1];
        w[2] = side * 2 * dc;
    }
}
