/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* R^n. Points, vectors, frames and charts are all the same numbers. The flat slots are shared with the
 * torus, which differs from R^m only in how points wrap. */
#include "manifold/flat.h"
#include "manifold/internal.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

void mst_flat_start(const mst_manifold *m, double *x)
{
    memset(x, 0, m->ambient * sizeof *x);
}

mst_status mst_flat_tangent(const mst_manifold *m, size_t n, const double *x, const double *w,
                            double *v)
{
    (void)x;
    memmove(v, w, n * m->ambient * sizeof *v);
    return MST_OK;
}

mst_status mst_flat_inner(const mst_manifold *m, size_t n, const double *x, const double *u,
                          const double *v, double *out)
{
    (void)x;
    size_t D = m->ambient;
    for (size_t i = 0; i < n; i++) {
        double sum = 0;
        for (size_t a = 0; a < D; a++)
            sum += u[i * D + a] * v[i * D + a];
        out[i] = sum;
    }
    return MST_OK;
}

mst_status mst_flat_frame(const mst_manifold *m, size_t n, const double *x, const double *c,
                          double *v)
{
    return mst_flat_tangent(m, n, x, c, v);
}

mst_status mst_flat_transport(const mst_manifold *m, size_t n, const double *x, const double *v,
                              const double *u, double *out)
{
    (void)v;
    return mst_flat_tangent(m, n, x, u, out);
}

mst_status mst_flat_ricci(const mst_manifold *m, size_t n, const double *x, const double *v,
                          double *out)
{
    (void)x, (void)v;
    memset(out, 0, n * m->ambient * sizeof *out);
    return MST_OK;
}

mst_status mst_flat_metric(const mst_manifold *m, size_t n, const double *c, const double *u,
                           double *g)
{
    (void)c, (void)u;
    size_t d = m->dim;
    memset(g, 0, n * d * d * sizeof *g);
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < d; k++)
            g[(i * d + k) * d + k] = 1;
    return MST_OK;
}

mst_status mst_flat_christoffel(const mst_manifold *m, size_t n, const double *c, const double *u,
                                double *gamma)
{
    (void)c, (void)u;
    memset(gamma, 0, n * m->dim * m->dim * m->dim * sizeof *gamma);
    return MST_OK;
}

mst_status mst_flat_diffusion(const mst_manifold *m, size_t n, const double *c, const double *u,
                              double *b, double *sigma)
{
    memset(b, 0, n * m->dim * sizeof *b);
    return mst_flat_metric(m, n, c, u, sigma);
}

double mst_flat_radius(const mst_manifold *m)
{
    (void)m;
    return INFINITY;
}

static mst_status project(const mst_manifold *m, size_t n, const double *x, double *y)
{
    size_t row;
    MST_TRY(m->ops.validate(m, n, x, &row));
    memmove(y, x, n * m->ambient * sizeof *y);
    return MST_OK;
}

mst_status mst_flat_validate(const mst_manifold *m, size_t n, const double *x, size_t *row)
{
    size_t D = m->ambient;
    for (size_t i = 0; i < n * D; i++)
        if (!isfinite(x[i])) {
            *row = i / D;
            return mst_fail(MST_DOMAIN, "coordinate %zu is not finite", i % D + 1);
        }
    return MST_OK;
}

mst_status mst_flat_exp(const mst_manifold *m, size_t n, const double *x, const double *v,
                        double *y)
{
    for (size_t i = 0; i < n * m->ambient; i++)
        y[i] = x[i] + v[i];
    return MST_OK;
}

mst_status mst_flat_log(const mst_manifold *m, size_t n, const double *x, const double *y,
                        double *v, unsigned char *flag)
{
    for (size_t i = 0; i < n * m->ambient; i++)
        v[i] = y[i] - x[i];
    if (flag != NULL)
        memset(flag, 0, n);
    return MST_OK;
}

static mst_status chart_coords(const mst_manifold *m, size_t n, const double *c, const double *x,
                               double *u)
{
    return mst_flat_log(m, n, c, x, u, NULL);
}

double mst_flat_injectivity(const mst_manifold *m)
{
    (void)m;
    return INFINITY;
}

void mst_flat_traits(const mst_manifold *m, mst_manifold_traits *out)
{
    (void)m;
    out->closed |= MST_CLOSED_LOG | MST_CLOSED_DIST;
    out->compact = MST_NO;
    out->flat = out->hadamard = MST_YES;
    out->curvature = out->curvature_above = 0;
    out->embedding = 1;
    out->frame_is_divergence_free = true;
    out->unrolls = true;
}

static const mst_manifold_ops euclidean_ops = {
    .size = sizeof(mst_manifold_ops),
    .name = "euclidean",
    .traits = mst_flat_traits,
    .start = mst_flat_start,
    .project = project,
    .tangent = mst_flat_tangent,
    .inner = mst_flat_inner,
    .exp = mst_flat_exp,
    .validate = mst_flat_validate,
    .from_frame = mst_flat_frame,
    .to_frame = mst_flat_frame,
    .log = mst_flat_log,
    .transport = mst_flat_transport,
    .ricci = mst_flat_ricci,
    .injectivity = mst_flat_injectivity,
    .chart_coords = chart_coords,
    .chart_point = mst_flat_exp,
    .chart_metric = mst_flat_metric,
    .chart_christoffel = mst_flat_christoffel,
    .chart_radius = mst_flat_radius,
    .chart_diffusion = mst_flat_diffusion,
};

mst_status mst_euclidean_new(mst_manifold **out, size_t n)
{
    MST_TRY(mst_check_order(out, "euclidean", n, MST_MAX_VECTOR));
    char spec[40];
    snprintf(spec, sizeof spec, "euclidean:%zu", n);
    return mst_manifold_new(out, &euclidean_ops, spec, n, n, NULL);
}
