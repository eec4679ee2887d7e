/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Symmetric positive definite matrices with the log-Euclidean metric (Arsigny, Fillard, Pennec and Ayache,
 * 2006): the matrix logarithm is an isometry to the symmetric matrices with the Frobenius metric. Its
 * differential at P = Wᵀ diag(p) W, ℓ = log p, is (Daletskii and Krein)
 *     Dlog_P[v] = Wᵀ (Φ ∘ (W v Wᵀ)) W,   Φ_ij = (ℓ_i − ℓ_j)/(p_i − p_j),   Φ_ii = 1/p_i,
 * and Dexp at log P divides by Φ. */
#include "base/linalg.h"
#include "manifold/flat_map.h"
#include "manifold/internal.h"
#include "manifold/spd_spectra.h"
#include "manifold/symmetric.h"

#include <float.h>
#include <math.h>
#include <string.h>

typedef struct workspace {
    size_t n;
    double *memory;
    spd_spectra place[2];
    double *c;             /* (most, n, n) */
    double *s, *t, *u, *v; /* (n, n) */
    double *phi;           /* (n, n): the divided differences of these eigenvalues, */
    const double *phi_of;  /* or of none: NULL */
} workspace;

static mst_status workspace_new(workspace *w, const mst_manifold *m)
{
    size_t D = m->ambient, most = symmetric_chunk(D);
    *w = (workspace){.n = symmetric_order(D)};
    MST_TRY(spd_spectra_new(&w->place[0], m));
    MST_TRY(spd_spectra_new(&w->place[1], m));
    MST_TRY(mst_allocate(&w->memory, (most + 5) * D));
    double **single[] = {&w->s, &w->t, &w->u, &w->v, &w->phi, &w->c};
    for (size_t i = 0; i < 6; i++)
        *single[i] = w->memory + i * D;
    return MST_OK;
}

static void close_map(void *memory)
{
    workspace *w = memory;
    spd_spectra_free(&w->place[0]);
    spd_spectra_free(&w->place[1]);
    mst_release(w->memory);
    mst_release(w);
}

static mst_status open_map(const mst_manifold *m, void **out)
{
    workspace *w;
    *out = NULL;
    MST_TRY(mst_allocate(&w, 1));
    mst_status status = workspace_new(w, m);
    if (status == MST_OK)
        *out = w;
    else
        close_map(w);
    return status;
}

static mst_status take(void *memory, int place, size_t row, size_t count, const double *x)
{
    workspace *w = memory;
    bool fresh;
    mst_status status = spd_spectra_take(&w->place[place], row, count, x, &fresh);
    if (fresh)
        w->phi_of = NULL;
    return status;
}

/* (log a − log b)/(a − b) without cancellation. */
static double divided_difference(double a, double b)
{
    double low = fmin(a, b), gap = fabs(a - b);
    return gap == 0 ? 1 / low : log1p(gap / low) / gap;
}

/* Φ of the eigenvalues p: all vectors of a frame share it. */
static const double *divided_differences(workspace *w, const double *p)
{
    size_t n = w->n;
    for (size_t i = 0; i < n && w->phi_of != p; i++)
        for (size_t j = 0; j <= i; j++)
            w->phi[i * n + j] = w->phi[j * n + i] = divided_difference(p[i], p[j]);
    w->phi_of = p;
    return w->phi;
}

/* Wᵀ diag(values) W */
static void from_spectrum(size_t n, const double *w, const double *values, double *work,
                          double *out)
{
    for (size_t k = 0; k < n * n; k++)
        work[k] = w[k] * values[k / n];
    mst_multiply_tn(n, w, work, out);
    symmetric_part(n, out, out);
}

/* w->t = W v Wᵀ. Frames are made of matrices with an entry or two, for which it is n times as fast. */
static void into_eigenbasis(workspace *w, const double *vectors, const double *v)
{
    size_t n = w->n, entries = 0;
    for (size_t k = 0; k < n * n; k++)
        entries += v[k] != 0;
    if (entries > 2) {
        mst_multiply(n, vectors, v, w->s);
        mst_multiply_nt(n, w->s, vectors, w->t);
        return;
    }
    memset(w->t, 0, n * n * sizeof *w->t);
    for (size_t k = 0; entries > 0 && k < n * n; k++) {
        if (v[k] == 0)
            continue;
        entries--;
        for (size_t j = 0; j < n; j++)
            w->s[j] = vectors[j * n + k % n];
        for (size_t i = 0; i < n; i++)
            for (size_t j = 0; j < n; j++)
                w->t[i * n + j] += vectors[i * n + k / n] * v[k] * w->s[j];
    }
}

/* out = Dlog_P[v], or Dexp_{log P}[v] if inverse; v may be out. */
static void differential(workspace *w, const spd_spectra *at, size_t row, bool inverse,
                         const double *v, double *out)
{
    size_t n = w->n;
    const double *vectors = spd_vectors(at, row), *p = spd_values(at, row);
    const double *phi = divided_differences(w, p);
    into_eigenbasis(w, vectors, v);
    for (size_t k = 0; k < n * n; k++)
        w->t[k] = inverse ? w->t[k] / phi[k] : w->t[k] * phi[k];
    mst_multiply(n, w->t, vectors, w->s);
    mst_multiply_tn(n, vectors, w->s, w->t);
    symmetric_part(n, w->t, out);
}

static void log_of(workspace *w, const spd_spectra *at, size_t row, double *out)
{
    size_t n = w->n, k = at->at[row];
    from_spectrum(n, at->w + k * n * n, at->log + k * n, w->s, out);
}

static void value(void *memory, int place, size_t k, double *u)
{
    workspace *w = memory;
    log_of(w, &w->place[place], k, w->t);
    symmetric_pack(w->n, w->t, u);
}

static void push(void *memory, int place, size_t k, const double *v, double *u)
{
    workspace *w = memory;
    differential(w, &w->place[place], k, false, v, w->u);
    symmetric_pack(w->n, w->u, u);
}

static void pull(void *memory, int place, size_t k, const double *u, double *v)
{
    workspace *w = memory;
    symmetric_unpack(w->n, u, w->u);
    differential(w, &w->place[place], k, true, w->u, v);
}

/* Spectra of the exponentials of symmetric matrices: they are the points' own. */
static mst_status reach(void *memory, size_t first_row, size_t count, const double *u)
{
    workspace *w = memory;
    spd_spectra *out = &w->place[1];
    size_t n = w->n, bad = 0;
    for (size_t i = 0; i < count; i++) {
        symmetric_unpack(n, u + i * symmetric_dim(n), w->c + i * n * n);
        if (!mst_all_finite(n * n, w->c + i * n * n))
            return mst_fail(MST_BREAKDOWN, "row %zu: the result is beyond the range of double",
                            first_row + i + 1);
    }
    out->single = false;
    w->phi_of = NULL;
    MST_TRY(mst_eigen_symmetric(count, n, w->c, out->log, out->w, &bad));
    for (size_t k = 0; k < count * n; k++) {
        out->at[k / n] = k / n;
        out->p[k] = exp(out->log[k]);
        if (!(out->p[k] >= DBL_MIN && out->p[k] <= DBL_MAX))
            return mst_fail(MST_BREAKDOWN, "row %zu: the result is beyond the range of double",
                            first_row + k / n + 1);
    }
    return MST_OK;
}

/* BᵀB with B = e^{ℓ/2} W. */
static void points(void *memory, size_t count, double *y)
{
    workspace *w = memory;
    const spd_spectra *at = &w->place[1];
    size_t n = w->n;
    for (size_t i = 0; i < count; i++) {
        for (size_t k = 0; k < n * n; k++)
            w->s[k] = at->w[i * n * n + k] * exp(0.5 * at->log[i * n + k / n]);
        mst_multiply_tn(n, w->s, w->s, y + i * n * n);
    }
}

/* log Q − log P for neighbours, relative to their distance: in the eigenbases of P and Q, rows W and Z, one
 * has W (log Q − log P) Zᵀ = Φ(p_i, q_j) ∘ (W (Q − P) Zᵀ), with the divided differences Φ
 * of the logarithm. */
static void near_difference(workspace *w, size_t row, const double *x, const double *y, double *out)
{
    size_t n = w->n;
    const spd_spectra *first = &w->place[0], *second = &w->place[1];
    const double *p = spd_values(first, row), *q = spd_values(second, row),
                 *from = spd_vectors(first, row), *to = spd_vectors(second, row);
    for (size_t k = 0; k < n * n; k++)
        w->s[k] = y[k] - x[k];
    mst_multiply(n, from, w->s, w->t);
    mst_multiply_nt(n, w->t, to, w->s);
    for (size_t k = 0; k < n * n; k++)
        w->s[k] *= divided_difference(p[k / n], q[k % n]);
    mst_multiply(n, w->s, to, w->t);
    mst_multiply_tn(n, from, w->t, w->s);
    symmetric_part(n, w->s, out);
}

static void difference(void *memory, size_t k, const double *x, const double *y, double *u)
{
    workspace *w = memory;
    double square = 0;
    log_of(w, &w->place[0], k, w->u);
    log_of(w, &w->place[1], k, w->v);
    for (size_t e = 0; e < w->n * w->n; e++) {
        w->v[e] -= w->u[e];
        square += w->v[e] * w->v[e];
    }
    if (square <= 1.0 / 16)
        near_difference(w, k, x, y, w->v);
    symmetric_pack(w->n, w->v, u);
}

static const flat_map logarithms = {
    .open = open_map,
    .close = close_map,
    .take = take,
    .value = value,
    .difference = difference,
    .push = push,
    .pull = pull,
    .reach = reach,
    .points = points,
};

mst_status mst_spd_log_euclidean_new(mst_manifold **out, size_t n)
{
    return mst_flat_map_new(out, n, "log-euclidean", &logarithms);
}
