/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Symmetric positive definite matrices as what they are among the symmetric ones: an open convex cone, with
 * the flat metric tr(AB). In coordinates of the Cholesky factor, P = UᵀU, its Brownian motion is that of the
 * data published with the paper. Everything is as in sym.c, but geodesics, which are straight, end at the
 * singular matrices. The heat kernel is that of the whole flat space: right while singular matrices are out
 * of reach, and `remarks` says when they are not. */
#include "base/linalg.h"
#include "manifold/flat.h"
#include "manifold/internal.h"
#include "manifold/spd_kernels.h"
#include "manifold/symmetric.h"

#include <math.h>
#include <stdio.h>

/* Ten times the identity, from where the published data start. One identity would be a standard deviation of
 * Brownian motion of time 1 away from the border. */
static void start(const mst_manifold *m, double *x)
{
    size_t order = symmetric_order(m->ambient);
    mst_flat_start(m, x);
    for (size_t i = 0; i < order; i++)
        x[i * (order + 1)] = 10;
}

/* Sums in y that are positive definite; else none of them counts. */
static mst_status stay_inside(const mst_manifold *m, size_t n, const double *y)
{
    size_t row;
    mst_status status = mst_spd_validate(m, n, y, &row);
    if (status != MST_DOMAIN)
        return status;
    return mst_fail(status, "row %zu: the geodesic leaves the positive definite matrices", row + 1);
}

static mst_status exponential(const mst_manifold *m, size_t n, const double *x, const double *v,
                              double *y)
{
    MST_TRY(mst_flat_exp(m, n, x, v, y));
    return stay_inside(m, n, y);
}

static mst_status chart_point(const mst_manifold *m, size_t n, const double *c, const double *u,
                              double *x)
{
    MST_TRY(mst_symmetric_from_frame(m, n, c, u, x));
    return exponential(m, n, c, x, x);
}

static void traits(const mst_manifold *m, mst_manifold_traits *out)
{
    mst_flat_symmetric_traits(m, out);
    out->positive_definite = true;
    out->hadamard = MST_NO; /* not complete */
    out->has_border = true;
}

/* Along the eigenvector of the least eigenvalue λ, eᵀXe is normal with variance t: at least Φ(−λ/√t) of all
 * paths end outside. */
static size_t remarks(const mst_manifold *m, const double *x, double t, size_t most,
                      mst_remark *out)
{
    const double told = 1e-4;
    size_t order = symmetric_order(m->ambient);
    double *work;
    if (most == 0 || !(t > 0) || mst_allocate(&work, order * order + order) != MST_OK)
        return 0;
    double *values = work + order * order;
    mst_status status = mst_eigen_symmetric(1, order, x, values, work, NULL);
    double least = values[0];
    mst_release(work);
    double outside = 0.5 * erfc(least / sqrt(2 * t));
    if (status != MST_OK || !(outside > told))
        return 0;
    snprintf(out->word, sizeof out->word, "near-border");
    snprintf(
        out->text, sizeof out->text,
        "the least eigenvalue of the mean is %.2g and the time %.2g: %.2g %% or more of Brownian "
        "motion ends outside the positive definite matrices, of which the kernel of "
        "metric=frobenius knows nothing; the complete metrics have no such border",
        least, t, 100 * outside);
    return 1;
}

static const mst_manifold_ops frobenius_ops = {
    .size = sizeof(mst_manifold_ops),
    .name = "spd",
    .traits = traits,
    .start = start,
    .project = mst_spd_project,
    .tangent = mst_symmetric_tangent,
    .inner = mst_flat_inner,
    .exp = exponential,
    .validate = mst_spd_validate,
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
    .remarks = remarks,
};

mst_status mst_spd_frobenius_new(mst_manifold **out, size_t n)
{
    MST_TRY(mst_check_order(out, "spd", n, MST_MAX_ORDER));
    char spec[60];
    snprintf(spec, sizeof spec, "spd:%zu?metric=frobenius", n);
    return mst_manifold_new(out, &frobenius_ops, spec, symmetric_dim(n), n * n, NULL);
}
