/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Symmetric positive definite matrices with the affine-invariant metric ⟨u, v⟩_P = tr(P⁻¹u P⁻¹v)
 * (Pennec, Fillard and Ayache, 2006). Orders up to 4 run in lanes (spd_small.hot.c), those up to 128 in lanes
 * of another kind (spd_wide.c), larger ones through LAPACK (spd_plain.c). */
#include "base/linalg.h"
#include "base/wide_matrices.h"
#include "manifold/barycentre.h"
#include "manifold/internal.h"
#include "manifold/spd_kernels.h"
#include "manifold/spec.h"
#include "manifold/symmetric.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* Where a matrix is not positive definite, its projection has no eigenvalue below this part of its largest:
 * far above rounding, far below what data say. */
#define EIGENVALUE_FLOOR 1e-12

/* ---- slots that do not depend on the metric ---- */

void mst_spd_start(const mst_manifold *m, double *x)
{
    size_t order = symmetric_order(m->ambient);
    memset(x, 0, m->ambient * sizeof *x);
    for (size_t i = 0; i < order; i++)
        x[i * (order + 1)] = 1;
}

double mst_spd_injectivity(const mst_manifold *m)
{
    (void)m;
    return INFINITY; /* complete, simply connected, curvature ≤ 0: Cartan and Hadamard */
}

/* The first of n rows, from `from` on, that has no Cholesky factor; n if all have one. */
static mst_status find_indefinite(const mst_manifold *m, size_t from, size_t n, const double *x,
                                  size_t *row)
{
    size_t D = m->ambient, order = symmetric_order(D), most = symmetric_chunk(D);
    double *l;
    MST_TRY(mst_allocate(&l, most * D));
    *row = n;
    mst_status status = MST_OK;
    for (size_t i = from, count; i < n && *row == n && status == MST_OK; i += count) {
        count = n - i < most ? n - i : most;
        size_t bad = 0;
        status = mst_cholesky(count, order, x + i * D, l, &bad);
        if (status == MST_DOMAIN) {
            *row = i + bad;
            status = MST_OK;
        }
    }
    mst_release(l);
    return status;
}

/* Raise the eigenvalues of one symmetric matrix, in place. */
static mst_status raise_spectrum(size_t n, size_t row, double *y)
{
    double *vectors;
    MST_TRY(mst_allocate(&vectors, n * n + n));
    double *values = vectors + n * n;
    mst_status status = mst_eigen_symmetric(1, n, y, values, vectors, NULL);
    double largest = status == MST_OK ? values[n - 1] : 0;
    if (status == MST_OK && !(largest > 0))
        status = mst_fail(MST_DOMAIN, "row %zu: no eigenvalue is positive (the largest is %.3g)",
                          row + 1, largest);
    if (status == MST_OK) {
        for (size_t k = 0; k < n * n; k++)
            vectors[k] *= sqrt(fmax(values[k / n], EIGENVALUE_FLOOR * largest));
        mst_multiply_tn(n, vectors, vectors, y);
    }
    mst_release(vectors);
    return status;
}

mst_status mst_spd_project(const mst_manifold *m, size_t n, const double *x, double *y)
{
    size_t D = m->ambient, order = symmetric_order(D);
    for (size_t i = 0; i < n; i++)
        if (!mst_all_finite(D, x + i * D))
            return mst_fail(MST_DOMAIN, "row %zu: an entry is not finite", i + 1);
    for (size_t i = 0; i < n; i++)
        symmetric_part(order, x + i * D, y + i * D);
    for (size_t row = 0;; row++) {
        MST_TRY(find_indefinite(m, row, n, y, &row));
        if (row == n)
            return MST_OK;
        MST_TRY(raise_spectrum(order, row, y + row * D));
    }
}

mst_status mst_spd_validate(const mst_manifold *m, size_t n, const double *x, size_t *row)
{
    size_t D = m->ambient, bad;
    MST_TRY(mst_symmetric_validate(m, n, x, row));
    MST_TRY(find_indefinite(m, 0, n, x, &bad));
    if (bad == n)
        return MST_OK;
    *row = bad;
    return mst_spd_explain(symmetric_order(D), x + bad * D);
}

/* ---- the kernels ---- */

/* Rows of `width_a`, `width_b` and `width_out` numbers in blocks of MST_LANES through one kernel. `second`
 * says that a holds points. */
typedef struct job {
    spd_kernel *kernel;
    size_t width_a, width_b, width_out;
    bool second;
} job;

static mst_status explain(size_t order, size_t row, const double *x, const double *y)
{
    double l[MST_SMALL_ORDER * MST_SMALL_ORDER];
    if (mst_cholesky(1, order, x, l, NULL) != MST_OK)
        return mst_fail(MST_DOMAIN, "row %zu: the base point is not positive definite", row + 1);
    if (y != NULL && mst_cholesky(1, order, y, l, NULL) != MST_OK)
        return mst_fail(MST_DOMAIN, "row %zu: the second point is not positive definite", row + 1);
    return mst_fail(MST_BREAKDOWN, "row %zu: the result is beyond the range of double", row + 1);
}

static mst_status run(const mst_manifold *m, job j, size_t n, const double *x, const double *a,
                      const double *b, double *out)
{
    size_t D = m->ambient, order = symmetric_order(D);
    for (size_t i = 0; i < n; i += MST_LANES) {
        size_t count = n - i < MST_LANES ? n - i : MST_LANES;
        const double *p = x + i * D, *q = a + i * j.width_a;
        size_t bad = j.kernel(order, count, p, q, b != NULL ? b + i * j.width_b : NULL,
                              out + i * j.width_out);
        if (bad < count)
            return explain(order, i + bad, p + bad * D, j.second ? q + bad * D : NULL);
    }
    return MST_OK;
}

static mst_status inner(const mst_manifold *m, size_t n, const double *x, const double *u,
                        const double *v, double *out)
{
    job j = {MST_PICK(spd_kernels)->inner, m->ambient, m->ambient, 1, false};
    return run(m, j, n, x, u, v, out);
}

static mst_status exponential(const mst_manifold *m, size_t n, const double *x, const double *v,
                              double *y)
{
    job j = {MST_PICK(spd_kernels)->exp, m->ambient, 0, m->ambient, false};
    return run(m, j, n, x, v, NULL, y);
}

static mst_status logarithm(const mst_manifold *m, size_t n, const double *x, const double *y,
                            double *v, unsigned char *flag)
{
    job j = {MST_PICK(spd_kernels)->log, m->ambient, 0, m->ambient, true};
    if (flag != NULL)
        memset(flag, 0, n);
    return run(m, j, n, x, y, NULL, v);
}

static mst_status distance(const mst_manifold *m, size_t n, const double *x, const double *y,
                           double *r)
{
    job j = {MST_PICK(spd_kernels)->dist, m->ambient, 0, 1, true};
    return run(m, j, n, x, y, NULL, r);
}

static mst_status transport(const mst_manifold *m, size_t n, const double *x, const double *v,
                            const double *u, double *out)
{
    job j = {MST_PICK(spd_kernels)->transport, m->ambient, m->ambient, m->ambient, false};
    return run(m, j, n, x, v, u, out);
}

static mst_status ricci(const mst_manifold *m, size_t n, const double *x, const double *v,
                        double *out)
{
    job j = {MST_PICK(spd_kernels)->ricci, m->ambient, 0, m->ambient, false};
    return run(m, j, n, x, v, NULL, out);
}

static mst_status from_frame(const mst_manifold *m, size_t n, const double *x, const double *c,
                             double *v)
{
    job j = {MST_PICK(spd_kernels)->from_frame, m->dim, 0, m->ambient, false};
    return run(m, j, n, x, c, NULL, v);
}

static mst_status to_frame(const mst_manifold *m, size_t n, const double *x, const double *v,
                           double *c)
{
    job j = {MST_PICK(spd_kernels)->to_frame, m->ambient, 0, m->dim, false};
    return run(m, j, n, x, v, NULL, c);
}

/* Ric is −n/4 on the trace-free part and 0 on the trace; the step takes I − A + ½A², A = (h/12) Ric. */
static mst_status walk(const mst_manifold *m, size_t n, double *x, double h, size_t steps,
                       mst_noise noise)
{
    const struct spd_kernels *kernels = MST_PICK(spd_kernels);
    size_t D = m->ambient, order = symmetric_order(D);
    double a = -h / 48 * (double)order;
    for (size_t i = 0; i < n; i += MST_LANES) {
        size_t count = n - i < MST_LANES ? n - i : MST_LANES;
        mst_noise part = noise;
        part.first_path += i;
        size_t bad =
            kernels->walk(order, count, x + i * D, sqrt(h), 1 - a + a * a / 2, steps, part);
        if (bad < count)
            return mst_fail(MST_BREAKDOWN,
                            "path %" PRIu64 " (counted from 1) went where doubles cannot hold a "
                            "positive definite matrix; use a shorter time",
                            part.first_path + bad + 1);
    }
    return MST_OK;
}

static void traits(const mst_manifold *m, mst_manifold_traits *out)
{
    static const double trace[] = {SYMMETRIC_SQRT_HALF, 0, SYMMETRIC_SQRT_HALF};
    out->rows = MST_ROWS_SYMMETRIC;
    out->positive_definite = true;
    out->compact = MST_NO;
    out->flat = m->dim == 1 ? MST_YES : MST_NO;
    out->hadamard = MST_YES;
    out->curvature_above = 0;
    if (m->dim == 3) { /* 2×2: the trace of the logarithm, and a hyperbolic plane */
        out->line = trace;
        out->beside_line = -0.5;
    }
}

static const mst_manifold_ops small_ops = {
    .size = sizeof(mst_manifold_ops),
    .name = "spd",
    .traits = traits,
    .start = mst_spd_start,
    .project = mst_spd_project,
    .tangent = mst_symmetric_tangent,
    .inner = inner,
    .exp = exponential,
    .validate = mst_spd_validate,
    .from_frame = from_frame,
    .to_frame = to_frame,
    .log = logarithm,
    .dist = distance,
    .transport = transport,
    .ricci = ricci,
    .injectivity = mst_spd_injectivity,
    .chart_coords = mst_spd_chart_coords,
    .chart_point = mst_spd_chart_point,
    .chart_metric = mst_spd_chart_metric,
    .chart_christoffel = mst_spd_chart_christoffel,
    .chart_radius = mst_spd_chart_radius,
    .chart_diffusion = mst_spd_chart_diffusion,
    .exp_derivative = mst_spd_exp_derivative,
    .exp_adjoint = mst_spd_exp_adjoint,
    .retract = mst_spd_retract,
    .toward = mst_spd_toward,
    .walk = walk,
    .weighted_walk = mst_spd_weighted_walk,
};

static const mst_manifold_ops plain_ops = {
    .size = sizeof(mst_manifold_ops),
    .name = "spd",
    .traits = traits,
    .start = mst_spd_start,
    .project = mst_spd_project,
    .tangent = mst_symmetric_tangent,
    .inner = mst_spd_plain_inner,
    .exp = mst_spd_plain_exp,
    .validate = mst_spd_validate,
    .from_frame = mst_spd_plain_from_frame,
    .to_frame = mst_spd_plain_to_frame,
    .log = mst_spd_plain_log,
    .dist = mst_spd_plain_dist,
    .transport = mst_spd_plain_transport,
    .ricci = mst_spd_plain_ricci,
    .injectivity = mst_spd_injectivity,
    .chart_coords = mst_spd_chart_coords,
    .chart_point = mst_spd_chart_point,
    .chart_metric = mst_spd_chart_metric,
    .chart_christoffel = mst_spd_chart_christoffel,
    .chart_radius = mst_spd_chart_radius,
    .chart_diffusion = mst_spd_chart_diffusion,
    .exp_derivative = mst_spd_exp_derivative,
    .exp_adjoint = mst_spd_exp_adjoint,
    .retract = mst_spd_retract,
    .toward = mst_spd_toward,
};

static mst_status new_with(mst_manifold **out, const mst_manifold_ops *ops, size_t n)
{
    MST_TRY(mst_check_order(out, "spd", n, MST_MAX_ORDER));
    char spec[40];
    snprintf(spec, sizeof spec, "spd:%zu", n);
    MST_TRY(mst_manifold_new(out, ops, spec, symmetric_dim(n), n * n, NULL));
    (*out)->barycentre = &mst_spd_barycentre;
    return MST_OK;
}

bool mst_is_affine_invariant(const mst_manifold *m)
{
    return m->ops.ricci == small_ops.ricci || m->ops.ricci == mst_spd_plain_ricci;
}

mst_status mst_spd_new(mst_manifold **out, size_t n)
{
    if (n <= MST_SMALL_ORDER)
        return new_with(out, &small_ops, n);
    mst_manifold_ops ops = plain_ops;
    if (n <= WIDE_ORDER) {
        ops.exp = mst_spd_wide_exp;
        ops.log = mst_spd_wide_log;
        ops.dist = mst_spd_wide_dist;
        ops.prepared_size = mst_spd_wide_prepared_size;
        ops.prepare = mst_spd_wide_prepare;
        ops.dist_prepared = mst_spd_wide_dist_prepared;
    }
    return new_with(out, &ops, n);
}

mst_status mst_spd_from_spec(mst_manifold **out, const mst_spec_arguments *a)
{
    const char *metric = a->value[0];
    if (metric == NULL || strcmp(metric, "affine-invariant") == 0 || strcmp(metric, "affine") == 0)
        return mst_spd_new(out, a->order[0]);
    if (strcmp(metric, "log-euclidean") == 0)
        return mst_spd_log_euclidean_new(out, a->order[0]);
    if (strcmp(metric, "log-cholesky") == 0)
        return mst_spd_log_cholesky_new(out, a->order[0]);
    if (strcmp(metric, "frobenius") == 0)
        return mst_spd_frobenius_new(out, a->order[0]);
    if (strcmp(metric, "bures-wasserstein") == 0 || strcmp(metric, "bures") == 0)
        return mst_spd_bures_new(out, a->order[0]);
    return mst_fail(MST_ARGUMENT,
                    "spd has the metrics affine-invariant, log-euclidean, log-cholesky, "
                    "bures-wasserstein and frobenius, not \"%.40s\"",
                    metric);
}

mst_status mst_spd_plain_new(mst_manifold **out, size_t n)
{
    return new_with(out, &plain_ops, n);
}
