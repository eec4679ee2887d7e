/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

#include "manifold/bures.h"

#include "base/linalg.h"
#include "manifold/flat.h"
#include "manifold/internal.h"
#include "manifold/spd_kernels.h"
#include "manifold/symmetric.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- What the files of this metric share ---- */

mst_status bures_open(bures *w, const mst_manifold *m)
{
    size_t D = m->ambient, most = symmetric_chunk(D);
    *w = (bures){.n = symmetric_order(D), .D = D, .most = most};
    MST_TRY(spd_spectra_new(&w->base, m));
    MST_TRY(mst_allocate(&w->memory, (3 * most + BURES_SINGLES + 1) * D + most * w->n));
    w->a = w->memory;
    w->b = w->a + most * D;
    w->c = w->b + most * D;
    w->product = w->c + most * D;
    for (size_t i = 0; i < BURES_SINGLES; i++)
        w->single[i] = w->product + (i + 1) * D;
    w->values = w->product + (BURES_SINGLES + 1) * D;
    return MST_OK;
}

mst_status bures_close(bures *w, mst_status status)
{
    spd_spectra_free(&w->base);
    mst_release(w->memory);
    return status;
}

void bures_turn(bures *w, size_t k, const double *v, double *out)
{
    const double *vectors = spd_vectors(&w->base, k);
    mst_multiply(w->n, vectors, v, w->product);
    mst_multiply_nt(w->n, w->product, vectors, out);
    symmetric_part(w->n, out, out);
}

void bures_turn_back(bures *w, size_t k, const double *s, double *out)
{
    const double *vectors = spd_vectors(&w->base, k);
    mst_multiply(w->n, s, vectors, w->product);
    mst_multiply_tn(w->n, vectors, w->product, out);
    symmetric_part(w->n, out, out);
}

void bures_divide(const bures *w, size_t k, double *v)
{
    const double *p = spd_values(&w->base, k);
    for (size_t e = 0; e < w->D; e++)
        v[e] /= p[e / w->n] + p[e % w->n];
}

void bures_multiply(const bures *w, size_t k, double *l)
{
    const double *p = spd_values(&w->base, k);
    for (size_t e = 0; e < w->D; e++)
        l[e] *= p[e / w->n] + p[e % w->n];
}

void bures_sandwich(bures *w, size_t k, const double *a, const double *b, double *out)
{
    const double *p = spd_values(&w->base, k);
    for (size_t e = 0; e < w->D; e++)
        w->product[e] = a[e] * p[e % w->n];
    mst_multiply(w->n, w->product, b, out);
    for (size_t i = 0; i < w->n; i++)
        for (size_t j = 0; j <= i; j++)
            out[i * w->n + j] = out[j * w->n + i] = out[i * w->n + j] + out[j * w->n + i];
}

/* ---- Slots ---- */

/* A hundred times the identity, ten away from the singular matrices, as the start of metric=frobenius is. */
static void start(const mst_manifold *m, double *x)
{
    size_t order = symmetric_order(m->ambient);
    mst_flat_start(m, x);
    for (size_t i = 0; i < order; i++)
        x[i * (order + 1)] = 100;
}

static mst_status inner(const mst_manifold *m, size_t n, const double *x, const double *u,
                        const double *v, double *out)
{
    bures w;
    mst_status status = bures_open(&w, m);
    BURES_CHUNKS(w, n, status)
    {
        status = spd_spectra_take(&w.base, i, count, x + i * w.D, NULL);
        for (size_t k = 0; k < count && status == MST_OK; k++) {
            bures_turn(&w, k, u + (i + k) * w.D, w.a);
            bures_turn(&w, k, v + (i + k) * w.D, w.b);
            bures_divide(&w, k, w.a);
            double sum = 0;
            for (size_t e = 0; e < w.D; e++)
                sum += w.a[e] * w.b[e];
            out[i + k] = 0.5 * sum;
        }
    }
    return bures_close(&w, status);
}

/* The frame: the square root of the metric as a linear map of symmetric matrices, which is smooth in P also
 * where eigenvalues meet. In the eigenbasis, a factor √(2(p_i + p_j)). */
static mst_status from_frame(const mst_manifold *m, size_t n, const double *x, const double *c,
                             double *v)
{
    bures w;
    mst_status status = bures_open(&w, m);
    BURES_CHUNKS(w, n, status)
    {
        status = spd_spectra_take(&w.base, i, count, x + i * w.D, NULL);
        for (size_t k = 0; k < count && status == MST_OK; k++) {
            const double *p = spd_values(&w.base, k);
            symmetric_unpack(w.n, c + (i + k) * m->dim, w.a);
            bures_turn(&w, k, w.a, w.b);
            for (size_t e = 0; e < w.D; e++)
                w.b[e] *= sqrt(2 * (p[e / w.n] + p[e % w.n]));
            bures_turn_back(&w, k, w.b, v + (i + k) * w.D);
        }
    }
    return bures_close(&w, status);
}

static mst_status to_frame(const mst_manifold *m, size_t n, const double *x, const double *v,
                           double *c)
{
    bures w;
    mst_status status = bures_open(&w, m);
    BURES_CHUNKS(w, n, status)
    {
        status = spd_spectra_take(&w.base, i, count, x + i * w.D, NULL);
        for (size_t k = 0; k < count && status == MST_OK; k++) {
            const double *p = spd_values(&w.base, k);
            bures_turn(&w, k, v + (i + k) * w.D, w.b);
            for (size_t e = 0; e < w.D; e++)
                w.b[e] /= sqrt(2 * (p[e / w.n] + p[e % w.n]));
            bures_turn_back(&w, k, w.b, w.a);
            symmetric_pack(w.n, w.a, c + (i + k) * m->dim);
        }
    }
    return bures_close(&w, status);
}

/* What part of the geodesic with the turned L is inside: up to where an eigenvalue of I + tL is zero. */
static mst_status say_leaving(bures *w, size_t row, const double *l)
{
    double *values = w->single[1];
    MST_TRY(mst_eigen_symmetric(1, w->n, l, values, w->single[2], NULL));
    return mst_fail(MST_DOMAIN,
                    "row %zu: the geodesic leaves the positive definite matrices after %.3g of its "
                    "length",
                    row + 1, fmin(1, -1 / values[0]));
}

/* y = Exp_x(v) of row k of the chunk, number `row`: P + v + L P L where that loses nothing, else T P T with
 * T = I + L as a product of one factor with itself. */
static mst_status follow(bures *w, size_t k, size_t row, const double *x, const double *v,
                         double *y)
{
    size_t n = w->n, D = w->D;
    const double *p = spd_values(&w->base, k);
    double *l = w->single[0], *t = w->single[1], square = 0;
    bures_turn(w, k, v, l);
    bures_divide(w, k, l);
    for (size_t e = 0; e < D; e++)
        square += l[e] * l[e];
    if (!(square < INFINITY))
        return mst_fail(MST_BREAKDOWN, "row %zu: the result is beyond the range of double",
                        row + 1);
    if (square <= 1.0 / 16) {
        bures_sandwich(w, k, l, l, t);
        bures_turn_back(w, k, t, t);
        for (size_t e = 0; e < D; e++)
            y[e] = x[e] + (v[e] + 0.5 * t[e]);
        return MST_OK;
    }
    for (size_t e = 0; e < D; e++)
        t[e] = l[e] + (e % (n + 1) == 0);
    mst_status status = mst_cholesky(1, n, t, w->single[2], NULL);
    if (status != MST_OK)
        return status == MST_DOMAIN ? say_leaving(w, row, l) : status;
    mst_multiply(n, t, spd_vectors(&w->base, k), w->single[2]);
    for (size_t e = 0; e < D; e++)
        w->single[2][e] *= sqrt(p[e / n]);
    mst_multiply_tn(n, w->single[2], w->single[2], y);
    return MST_OK;
}

static mst_status exponential(const mst_manifold *m, size_t n, const double *x, const double *v,
                              double *y)
{
    bures w;
    mst_status status = bures_open(&w, m);
    BURES_CHUNKS(w, n, status)
    {
        size_t bad = 0;
        status = spd_spectra_take(&w.base, i, count, x + i * w.D, NULL);
        for (size_t k = 0; k < count && status == MST_OK; k++)
            status = follow(&w, k, i + k, x + (i + k) * w.D, v + (i + k) * w.D, w.a + k * w.D);
        if (status == MST_OK && mst_cholesky(count, w.n, w.a, w.b, &bad) != MST_OK)
            status =
                mst_fail(MST_DOMAIN, "row %zu: the geodesic ends too near to the singular matrices",
                         i + bad + 1);
        if (status == MST_OK)
            memcpy(y + i * w.D, w.a, count * w.D * sizeof *y);
    }
    return bures_close(&w, status);
}

/* By O'Neill's formula for the quotient of a flat space, ⟨R(X, Y)Y, X⟩ = 3|A|², where A is the vertical part
 * of the derivative of Y along X; for X = L Z and Y = M Z that gives (3/2) Σ [L, M]_ij² p_i p_j/(p_i + p_j).
 * Summed over an orthonormal frame, in the eigenbasis,
 *     (Ric L)_ij = 3 L_ij Σ_k p_k/((p_k + p_i)(p_k + p_j)),   i ≠ j,
 *     (Ric L)_ii = 3 Σ_k p_k/(p_k + p_i)² (L_ii − L_kk). */
static void ricci_row(const bures *w, size_t k, const double *l, double *out)
{
    size_t n = w->n;
    const double *p = spd_values(&w->base, k);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j <= i; j++) {
            double sum = 0;
            for (size_t a = 0; a < n; a++) {
                double share = p[a] / (p[a] + p[i]) / (p[a] + p[j]);
                sum += share * (l[i * n + j] - (i == j ? l[a * (n + 1)] : 0));
            }
            out[i * n + j] = out[j * n + i] = 3 * sum;
        }
}

static mst_status ricci(const mst_manifold *m, size_t n, const double *x, const double *v,
                        double *out)
{
    bures w;
    mst_status status = bures_open(&w, m);
    BURES_CHUNKS(w, n, status)
    {
        status = spd_spectra_take(&w.base, i, count, x + i * w.D, NULL);
        for (size_t k = 0; k < count && status == MST_OK; k++) {
            bures_turn(&w, k, v + (i + k) * w.D, w.a);
            bures_divide(&w, k, w.a);
            ricci_row(&w, k, w.a, w.b);
            bures_multiply(&w, k, w.b);
            bures_turn_back(&w, k, w.b, out + (i + k) * w.D);
        }
    }
    return bures_close(&w, status);
}

static void traits(const mst_manifold *m, mst_manifold_traits *out)
{
    out->rows = MST_ROWS_SYMMETRIC;
    out->positive_definite = true;
    out->compact = out->hadamard = MST_NO; /* not complete, curvature ≥ 0 */
    out->flat = m->dim == 1 ? MST_YES : MST_NO;
    out->closed &= ~MST_CLOSED_TRANSPORT;
    out->has_border = true;
}

/* The singular matrices are √λ away, λ the least eigenvalue. A motion that goes toward the nearest of them is
 * normal with variance t: at least about Φ(−√(λ/t)) of all paths end there. */
static size_t remarks(const mst_manifold *m, const double *x, double t, size_t most,
                      mst_remark *out)
{
    const double told = 1e-4, singular = 1e-12;
    size_t order = symmetric_order(m->ambient);
    double *work;
    if (most == 0 || mst_allocate(&work, order * order + order) != MST_OK)
        return 0;
    double *values = work + order * order;
    mst_status status = mst_eigen_symmetric(1, order, x, values, work, NULL);
    double least = values[0], largest = values[order - 1];
    mst_release(work);
    double outside = t > 0 ? 0.5 * erfc(sqrt(fmax(least, 0) / (2 * t))) : 0;
    bool thin = least < singular * largest;
    if (status != MST_OK || !(outside > told || thin))
        return 0;
    snprintf(out->word, sizeof out->word, "near-border");
    if (thin)
        snprintf(out->text, sizeof out->text,
                 "the least eigenvalue of the mean is %.2g of the largest: at the border of "
                 "metric=bures-wasserstein, to which regions and tests know no limit",
                 least / largest);
    else
        snprintf(out->text, sizeof out->text,
                 "the least eigenvalue of the mean is %.2g and the time %.2g: about %.2g %% or "
                 "more of Brownian motion ends at the singular matrices, %.2g away, where "
                 "metric=bures-wasserstein ends",
                 least, t, 100 * outside, sqrt(least));
    return 1;
}

static const mst_manifold_ops bures_ops = {
    .size = sizeof(mst_manifold_ops),
    .name = "spd",
    .traits = traits,
    .start = start,
    .project = mst_spd_project,
    .tangent = mst_symmetric_tangent,
    .inner = inner,
    .exp = exponential,
    .validate = mst_spd_validate,
    .from_frame = from_frame,
    .to_frame = to_frame,
    .log = mst_bures_log,
    .dist = mst_bures_dist,
    .transport = mst_bures_transport,
    .ricci = ricci,
    .injectivity = mst_flat_injectivity, /* geodesics are unique and minimal as far as they go */
    .exp_derivative = mst_bures_exp_derivative,
    .exp_adjoint = mst_bures_exp_adjoint,
    .remarks = remarks,
};

mst_status mst_spd_bures_new(mst_manifold **out, size_t n)
{
    MST_TRY(mst_check_order(out, "spd", n, MST_MAX_ORDER));
    char spec[60];
    snprintf(spec, sizeof spec, "spd:%zu?metric=bures-wasserstein", n);
    return mst_manifold_new(out, &bures_ops, spec, symmetric_dim(n), n * n, NULL);
}
