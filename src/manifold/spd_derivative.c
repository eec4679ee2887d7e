/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Jacobi fields of the affine-invariant metric. With P = L Lᵀ and S = L⁻¹ v L⁻ᵀ = Qᵀ diag(λ) Q, a tangent
 * vector u at P has the coordinates U = Q L⁻¹ u L⁻ᵀ Qᵀ, in which the curvature along v multiplies U_ij by
 * −δ²/4, δ = λ_i − λ_j. So
 *
 *     J_ij(1) = cosh(δ/2) dX_ij + sinh(δ/2)/(δ/2) dV_ij,
 *
 * parallel transport multiplies by e^{(λ_i + λ_j)/2}, and the Hessian of ½r² in y = P has the eigenvalues
 * (δ/2) coth(δ/2). Chunks of small orders run through the lanes of mst_cholesky and mst_eigen_symmetric. */
#include "base/linalg.h"
#include "manifold/internal.h"
#include "manifold/spd_kernels.h"
#include "manifold/symmetric.h"

#include <math.h>
#include <string.h>

typedef struct workspace {
    size_t n, most;      /* order, rows of a chunk */
    double *block;       /* all of these: */
    double *l, *q;       /* (most, n, n) */
    double *lambda;      /* (most, n) */
    double *a, *b, *sum; /* (n, n) */
} workspace;

static mst_status open_workspace(workspace *w, const mst_manifold *m)
{
    size_t D = m->ambient;
    *w = (workspace){.n = symmetric_order(D), .most = symmetric_chunk(D)};
    MST_TRY(mst_allocate(&w->block, w->most * (2 * D + w->n) + 3 * D));
    w->l = w->block;
    w->q = w->l + w->most * D;
    w->lambda = w->q + w->most * D;
    w->a = w->lambda + w->most * w->n;
    w->b = w->a + D;
    w->sum = w->b + D;
    return MST_OK;
}

static mst_status out_of_range(size_t row)
{
    return mst_fail(MST_BREAKDOWN, "row %zu: the result is beyond the range of double", row);
}

static mst_status factor(workspace *w, size_t first_row, size_t count, const double *x)
{
    size_t bad = 0;
    mst_status status = mst_cholesky(count, w->n, x, w->l, &bad);
    if (status == MST_DOMAIN)
        return mst_fail(MST_DOMAIN, "row %zu: the base point is not positive definite",
                        first_row + bad);
    return status;
}

/* s = L⁻¹ u L⁻ᵀ, symmetric to the last bit. */
static void whiten(const workspace *w, size_t k, const double *u, double *s)
{
    const double *l = w->l + k * w->n * w->n;
    memcpy(s, u, w->n * w->n * sizeof *s);
    mst_lower_solve(w->n, l, s);
    mst_transpose(w->n, s);
    mst_lower_solve(w->n, l, s);
    symmetric_part(w->n, s, s);
}

/* Factors of the points and spectra of the vectors of a chunk. */
static mst_status take(workspace *w, size_t first_row, size_t count, const double *x,
                       const double *v)
{
    size_t n = w->n, D = n * n;
    MST_TRY(factor(w, first_row, count, x));
    for (size_t k = 0; k < count; k++) {
        whiten(w, k, v + k * D, w->q + k * D);
        if (!mst_all_finite(D, w->q + k * D))
            return out_of_range(first_row + k);
    }
    return mst_eigen_symmetric(count, n, w->q, w->lambda, w->q, NULL);
}

/* U of u, into w->a. */
static void to_basis(workspace *w, size_t k, const double *u)
{
    const double *q = w->q + k * w->n * w->n;
    whiten(w, k, u, w->a);
    mst_multiply(w->n, q, w->a, w->b);
    mst_multiply_nt(w->n, w->b, q, w->a);
}

/* The vector of the coordinates w->sum. */
static mst_status from_basis(workspace *w, size_t row, size_t k, double *u)
{
    size_t n = w->n;
    mst_multiply(n, w->sum, w->q + k * n * n, w->a);
    mst_multiply_tn(n, w->q + k * n * n, w->a, w->b);
    mst_multiply(n, w->l + k * n * n, w->b, w->a);
    mst_multiply_nt(n, w->a, w->l + k * n * n, w->b);
    if (!mst_all_finite(n * n, w->b))
        return out_of_range(row);
    symmetric_part(n, w->b, u);
    return MST_OK;
}

/* w->sum += w->a times the factor of dX (or dV) and e^{±(λ_i + λ_j)/2}. */
static void add_field(workspace *w, size_t k, bool by_dx, int sign)
{
    size_t n = w->n;
    const double *lambda = w->lambda + k * n;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) {
            double half = 0.5 * (lambda[i] - lambda[j]);
            double field = by_dx ? cosh(half) : half != 0 ? sinh(half) / half : 1;
            w->sum[i * n + j] +=
                field * exp(0.5 * sign * (lambda[i] + lambda[j])) * w->a[i * n + j];
        }
}

static mst_status forward(workspace *w, size_t row, size_t k, const double *dx, const double *dv,
                          double *dy)
{
    const double *in[2] = {dx, dv};
    memset(w->sum, 0, w->n * w->n * sizeof *w->sum);
    for (int e = 0; e < 2; e++)
        if (in[e] != NULL) {
            to_basis(w, k, in[e]);
            add_field(w, k, e == 0, 1);
        }
    return from_basis(w, row, k, dy);
}

static mst_status backward(workspace *w, size_t row, size_t k, const double *u, double *dx,
                           double *dv)
{
    double *out[2] = {dx, dv};
    for (int e = 0; e < 2; e++)
        if (out[e] != NULL) {
            memset(w->sum, 0, w->n * w->n * sizeof *w->sum);
            to_basis(w, k, u);
            add_field(w, k, e == 0, -1);
            MST_TRY(from_basis(w, row, k, out[e]));
        }
    return MST_OK;
}

mst_status mst_spd_exp_derivative(const mst_manifold *m, size_t n, const double *x, const double *v,
                                  const double *dx, const double *dv, double *dy)
{
    size_t D = m->ambient;
    workspace w;
    MST_TRY(open_workspace(&w, m));
    mst_status status = MST_OK;
    for (size_t i = 0; status == MST_OK && i < n; i += w.most) {
        size_t count = n - i < w.most ? n - i : w.most;
        status = take(&w, i, count, x + i * D, v + i * D);
        for (size_t k = 0; status == MST_OK && k < count; k++) {
            size_t at = (i + k) * D;
            status = forward(&w, i + k, k, dx != NULL ? dx + at : NULL, dv != NULL ? dv + at : NULL,
                             dy + at);
        }
    }
    mst_release(w.block);
    return status;
}

mst_status mst_spd_exp_adjoint(const mst_manifold *m, size_t n, const double *x, const double *v,
                               const double *u, double *dx, double *dv)
{
    size_t D = m->ambient;
    workspace w;
    MST_TRY(open_workspace(&w, m));
    mst_status status = MST_OK;
    for (size_t i = 0; status == MST_OK && i < n; i += w.most) {
        size_t count = n - i < w.most ? n - i : w.most;
        status = take(&w, i, count, x + i * D, v + i * D);
        for (size_t k = 0; status == MST_OK && k < count; k++) {
            size_t at = (i + k) * D;
            status = backward(&w, i + k, k, u + at, dx != NULL ? dx + at : NULL,
                              dv != NULL ? dv + at : NULL);
        }
    }
    mst_release(w.block);
    return status;
}

/* Exp to second order, P + v + ½ v P⁻¹ v, as ½(P + Z Zᵀ) with Z = L + v L⁻ᵀ: a sum of positive parts. */
mst_status mst_spd_retract(const mst_manifold *m, size_t n, const double *x, const double *v,
                           double *y)
{
    size_t D = m->ambient;
    workspace w;
    MST_TRY(open_workspace(&w, m));
    mst_status status = MST_OK;
    for (size_t i = 0; status == MST_OK && i < n; i += w.most) {
        size_t count = n - i < w.most ? n - i : w.most;
        status = factor(&w, i, count, x + i * D);
        for (size_t k = 0; status == MST_OK && k < count; k++) {
            size_t at = (i + k) * D;
            memcpy(w.a, v + at, D * sizeof *v);
            mst_lower_solve(w.n, w.l + k * D, w.a);
            mst_transpose(w.n, w.a);
            for (size_t e = 0; e < D; e++)
                w.a[e] += w.l[k * D + e];
            mst_multiply_nt(w.n, w.a, w.a, w.b);
            for (size_t e = 0; e < D; e++)
                w.b[e] = 0.5 * (w.b[e] + x[at + e]);
            if (!mst_all_finite(D, w.b))
                status = out_of_range(i + k);
            else
                symmetric_part(w.n, w.b, y + at);
        }
    }
    mst_release(w.block);
    return status;
}

static void from_spectrum(size_t n, const double *lambda, double *f, double *laplacian)
{
    double square = 0, trace = (double)n;
    for (size_t i = 0; i < n; i++) {
        square += lambda[i] * lambda[i];
        for (size_t j = 0; j < i; j++) {
            double half = 0.5 * (lambda[i] - lambda[j]);
            trace += half != 0 ? half / tanh(half) : 1;
        }
    }
    if (f != NULL)
        *f = 0.5 * square;
    if (laplacian != NULL)
        *laplacian = trace;
}

mst_status mst_spd_toward(const mst_manifold *m, size_t n, const double *x, const double *y,
                          double *f, double *v, double *laplacian)
{
    if (v != NULL)
        MST_TRY(mst_manifold_log(m, n, x, y, v, NULL));
    if (f == NULL && laplacian == NULL)
        return MST_OK;
    size_t D = m->ambient;
    double *own = NULL;
    workspace w;
    MST_TRY(open_workspace(&w, m));
    mst_status status = v == NULL ? mst_allocate(&own, w.most * D) : MST_OK;
    for (size_t i = 0; status == MST_OK && i < n; i += w.most) {
        size_t count = n - i < w.most ? n - i : w.most;
        const double *logs = v != NULL ? v + i * D : own;
        if (v == NULL)
            status = mst_manifold_log(m, count, x + i * D, y + i * D, own, NULL);
        if (status == MST_OK)
            status = take(&w, i, count, x + i * D, logs);
        for (size_t k = 0; status == MST_OK && k < count; k++)
            from_spectrum(w.n, w.lambda + k * w.n, f != NULL ? f + i + k : NULL,
                          laplacian != NULL ? laplacian + i + k : NULL);
    }
    mst_release(own);
    mst_release(w.block);
    return status;
}
