/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Symmetric n×n matrices with the Frobenius metric: R^d, d = n(n+1)/2, written as full matrices. */
#include "base/linalg.h"
#include "manifold/flat.h"
#include "manifold/internal.h"
#include "manifold/symmetric.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

mst_status mst_symmetric_validate(const mst_manifold *m, size_t n, const double *x, size_t *row)
{
    size_t D = m->ambient, order = symmetric_order(D);
    for (size_t r = 0; r < n; r++) {
        const double *a = x + r * D;
        *row = r;
        double largest = 0;
        for (size_t k = 0; k < D; k++) {
            if (!isfinite(a[k]))
                return mst_fail(MST_DOMAIN, "entry (%zu, %zu) of the matrix is not finite",
                                k / order + 1, k % order + 1);
            largest = fmax(largest, fabs(a[k]));
        }
        for (size_t i = 0; i < order; i++)
            for (size_t j = 0; j < i; j++)
                if (!(fabs(a[i * order + j] - a[j * order + i]) <=
                      MST_SYMMETRY_TOLERANCE * largest))
                    return mst_fail(MST_DOMAIN,
                                    "matrix is not symmetric (entries (%zu, %zu) and (%zu, %zu): "
                                    "%.9g and %.9g)",
                                    j + 1, i + 1, i + 1, j + 1, a[j * order + i], a[i * order + j]);
    }
    return MST_OK;
}

mst_status mst_symmetric_tangent(const mst_manifold *m, size_t n, const double *x, const double *w,
                                 double *v)
{
    (void)x;
    for (size_t i = 0; i < n; i++)
        symmetric_part(symmetric_order(m->ambient), w + i * m->ambient, v + i * m->ambient);
    return MST_OK;
}

static mst_status project(const mst_manifold *m, size_t n, const double *x, double *y)
{
    for (size_t i = 0; i < n; i++)
        if (!mst_all_finite(m->ambient, x + i * m->ambient))
            return mst_fail(MST_DOMAIN, "row %zu: an entry is not finite", i + 1);
    return mst_symmetric_tangent(m, n, x, x, y);
}

mst_status mst_symmetric_from_frame(const mst_manifold *m, size_t n, const double *x,
                                    const double *c, double *v)
{
    (void)x;
    for (size_t i = 0; i < n; i++)
        symmetric_unpack(symmetric_order(m->ambient), c + i * m->dim, v + i * m->ambient);
    return MST_OK;
}

mst_status mst_symmetric_to_frame(const mst_manifold *m, size_t n, const double *x, const double *v,
                                  double *c)
{
    (void)x;
    for (size_t i = 0; i < n; i++)
        symmetric_pack(symmetric_order(m->ambient), v + i * m->ambient, c + i * m->dim);
    return MST_OK;
}

mst_status mst_symmetric_chart_coords(const mst_manifold *m, size_t n, const double *c,
                                      const double *x, double *u)
{
    size_t D = m->ambient, order = symmetric_order(D);
    for (size_t r = 0; r < n; r++, c += D, x += D)
        for (size_t i = 0; i < order; i++)
            for (size_t j = i; j < order; j++) {
                double upper = x[i * order + j] - c[i * order + j],
                       lower = x[j * order + i] - c[j * order + i];
                *u++ = i == j ? upper : (upper + lower) * SYMMETRIC_SQRT_HALF;
            }
    return MST_OK;
}

static mst_status chart_point(const mst_manifold *m, size_t n, const double *c, const double *u,
                              double *x)
{
    MST_TRY(mst_symmetric_from_frame(m, n, c, u, x));
    return mst_flat_exp(m, n, c, x, x);
}

void mst_flat_symmetric_traits(const mst_manifold *m, mst_manifold_traits *out)
{
    mst_flat_traits(m, out);
    out->rows = MST_ROWS_SYMMETRIC;
}

static const mst_manifold_ops sym_ops = {
    .size = sizeof(mst_manifold_ops),
    .name = "sym",
    .traits = mst_flat_symmetric_traits,
    .start = mst_flat_start,
    .project = project,
    .tangent = mst_symmetric_tangent,
    .inner = mst_flat_inner,
    .exp = mst_flat_exp,
    .validate = mst_symmetric_validate,
    .from_frame = mst_symmetric_from_frame,
    .to_frame = mst_symmetric_to_frame,
    .log = mst_flat_log,
    .transport = mst_flat_transport,
    .ricci = mst_flat_ricci,
    .injectivity = mst_flat_injectivity,
    .chart_coords = mst_symmetric_chart_coords,
    .chart_point = chart_point,
    .chart_metric = mst_flat_metric,
    .chart_christoffel = mst_flat_christoffel,
    .chart_radius = mst_flat_radius,
    .chart_diffusion = mst_flat_diffusion,
};

mst_status mst_sym_new(mst_manifold **out, size_t n)
{
    MST_TRY(mst_check_order(out, "sym", n, MST_MAX_ORDER));
    char spec[40];
    snprintf(spec, sizeof spec, "sym:%zu", n);
    return mst_manifold_new(out, &sym_ops, spec, symmetric_dim(n), n * n, NULL);
}
