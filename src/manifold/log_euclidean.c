/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Symmetric positive definite matrices with the log-Euclidean metric (Arsigny, Fillard, Pennec and Ayache,
 * 2006): the matrix logarithm is an isometry to the symmetric matrices with the Frobenius metric. Its
 * differential at P = Wᵀ diag(p) W, ℓ = log p, is (Daletskii and Krein)
 *     Dlog_P[v] = Wᵀ (Φ ∘ (W v Wᵀ)) W,   Φ_ij = (ℓ_i − ℓ_j)/(p_i − p_j),   Φ_ii = 1/p_i,
 * and Dexp at log P divides by Φ. */
#include "base/linalg.h"
#include "manifold/flat.h"
#include "manifold/internal.h"
#include "manifold/spd_kernels.h"
#include "manifold/symmetric.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* Spectra of a chunk of points: equal neighbours share one. */
typedef struct spectra {
    size_t *at;  /* which spectrum belongs to the row */
    double *p;   /* eigenvalues */
    double *log; /* and their logarithms */
    double *w;   /* eigenvectors as rows */
    bool single; /* all rows of the chunk have one */
} spectra;

typedef struct workspace {
    size_t n, most; /* order, rows of a chunk */
    double *memory;
    size_t *index;
    spectra first, second;
    double *a, *b, *c;     /* (most, n, n) */
    double *s, *t, *u, *v; /* (n, n) */
    double *phi;           /* (n, n): the divided differences of these eigenvalues, */
    const double *phi_of;  /* or of none: NULL */
} workspace;

static mst_status workspace_new(workspace *w, const mst_manifold *m)
{
    size_t n = symmetric_order(m->ambient), D = m->ambient, most = symmetric_chunk(D);
    *w = (workspace){.n = n, .most = most};
    MST_TRY(mst_allocate(&w->index, 2 * most));
    MST_TRY(mst_allocate(&w->memory, most * (5 * D + 4 * n) + 5 * D));
    double *next = w->memory;
    double **large[] = {&w->first.w, &w->second.w, &w->a, &w->b, &w->c};
    double **small[] = {&w->first.p, &w->first.log, &w->second.p, &w->second.log};
    double **single[] = {&w->s, &w->t, &w->u, &w->v, &w->phi};
    for (size_t i = 0; i < 5; i++, next += most * D)
        *large[i] = next;
    for (size_t i = 0; i < 4; i++, next += most * n)
        *small[i] = next;
    for (size_t i = 0; i < 5; i++, next += D)
        *single[i] = next;
    w->first.at = w->index;
    w->second.at = w->index + most;
    return MST_OK;
}

static mst_status workspace_close(workspace *w, mst_status status)
{
    mst_release(w->memory);
    mst_release(w->index);
    return status;
}

/* The first row that has spectrum number k. */
static size_t row_of(const spectra *s, size_t k)
{
    size_t row = 0;
    while (s->at[row] < k)
        row++;
    return row;
}

/* Do these rows go on with the point that all of the chunk before them had? */
static bool is_still(size_t D, size_t first_row, size_t count, const double *x, const spectra *s)
{
    bool same = first_row > 0 && s->single;
    for (size_t i = 0; same && i < count; i++)
        same = memcmp(x + i * D, x - D, D * sizeof *x) == 0;
    return same;
}

/* By the singular values σ of the Cholesky factor, p = σ²: small eigenvalues keep twice as many digits as in
 * an eigenproblem for P. */
static mst_status decompose(workspace *w, size_t first_row, size_t count, const double *x,
                            spectra *out)
{
    size_t n = w->n, D = n * n, different = 0, bad = 0;
    if (is_still(D, first_row, count, x, out)) {
        memset(out->at, 0, count * sizeof *out->at);
        return MST_OK;
    }
    w->phi_of = NULL;
    for (size_t i = 0; i < count; i++) {
        if (i == 0 || memcmp(x + i * D, x + (i - 1) * D, D * sizeof *x) != 0)
            memcpy(w->a + different++ * D, x + i * D, D * sizeof *x);
        out->at[i] = different - 1;
    }
    mst_status status = mst_cholesky(different, n, w->a, w->a, &bad);
    if (status != MST_OK && status != MST_DOMAIN)
        return status;
    if (status == MST_DOMAIN)
        return mst_fail(MST_DOMAIN, "row %zu: the point is not positive definite",
                        first_row + row_of(out, bad) + 1);
    MST_TRY(mst_svd(different, n, w->a, out->w, out->p, w->b, NULL));
    for (size_t i = 0; i < different; i++) {
        mst_transpose(n, out->w + i * D);
        for (size_t k = i * n; k < (i + 1) * n; k++) {
            if (!(out->p[k] > 0))
                return mst_fail(MST_DOMAIN, "row %zu: the point is singular",
                                first_row + row_of(out, i) + 1);
            out->log[k] = 2 * log(out->p[k]);
            out->p[k] *= out->p[k];
        }
    }
    out->single = different == 1;
    return MST_OK;
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
static void differential(workspace *w, const spectra *at, size_t row, bool inverse, const double *v,
                         double *out)
{
    size_t n = w->n;
    const double *vectors = at->w + at->at[row] * n * n, *p = at->p + at->at[row] * n;
    const double *phi = divided_differences(w, p);
    into_eigenbasis(w, vectors, v);
    for (size_t k = 0; k < n * n; k++)
        w->t[k] = inverse ? w->t[k] / phi[k] : w->t[k] * phi[k];
    mst_multiply(n, w->t, vectors, w->s);
    mst_multiply_tn(n, vectors, w->s, w->t);
    symmetric_part(n, w->t, out);
}

static void log_of(workspace *w, const spectra *at, size_t row, double *out)
{
    size_t n = w->n, k = at->at[row];
    from_spectrum(n, at->w + k * n * n, at->log + k * n, w->s, out);
}

/* Spectra of the exponentials of the symmetric matrices w->c (count, n, n): they are the points' own. */
static mst_status exponentiate(workspace *w, size_t first_row, size_t count, spectra *out)
{
    size_t n = w->n, bad = 0;
    for (size_t i = 0; i < count; i++)
        if (!mst_all_finite(n * n, w->c + i * n * n))
            return mst_fail(MST_BREAKDOWN, "row %zu: the result is beyond the range of double",
                            first_row + i + 1);
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

/* The points of these spectra, as B ᵀB with B = e^{ℓ/2} W. */
static void points_of(workspace *w, const spectra *at, size_t count, double *y)
{
    size_t n = w->n;
    for (size_t i = 0; i < count; i++) {
        for (size_t k = 0; k < n * n; k++)
            w->s[k] = at->w[i * n * n + k] * exp(0.5 * at->log[i * n + k / n]);
        mst_multiply_tn(n, w->s, w->s, y + i * n * n);
    }
}

/* Begins a loop over chunks of the n rows: row numbers i … i+count−1. */
#define FOR_CHUNKS(w, n, status)                                                             \
    for (size_t i = 0, count;                                                                \
         i < (n) && (status) == MST_OK && (count = (n)-i < (w).most ? (n)-i : (w).most) > 0; \
         i += count)

static mst_status inner(const mst_manifold *m, size_t n, const double *x, const double *u,
                        const double *v, double *out)
{
    size_t D = m->ambient;
    workspace w;
    mst_status status = workspace_new(&w, m);
    FOR_CHUNKS(w, n, status)
    {
        status = decompose(&w, i, count, x + i * D, &w.first);
        for (size_t k = 0; k < count && status == MST_OK; k++) {
            differential(&w, &w.first, k, false, u + (i + k) * D, w.u);
            differential(&w, &w.first, k, false, v + (i + k) * D, w.v);
            double sum = 0;
            for (size_t e = 0; e < D; e++)
                sum += w.u[e] * w.v[e];
            out[i + k] = sum;
        }
    }
    return workspace_close(&w, status);
}

/* log x + Dlog_x[v] into w->c, and its exponential's spectra into w->second. */
static mst_status follow(workspace *w, size_t i, size_t count, const double *x, const double *v)
{
    size_t D = w->n * w->n;
    MST_TRY(decompose(w, i, count, x, &w->first));
    for (size_t k = 0; k < count; k++) {
        differential(w, &w->first, k, false, v + k * D, w->u);
        log_of(w, &w->first, k, w->c + k * D);
        for (size_t e = 0; e < D; e++)
            w->c[k * D + e] += w->u[e];
    }
    return exponentiate(w, i, count, &w->second);
}

static mst_status exponential(const mst_manifold *m, size_t n, const double *x, const double *v,
                              double *y)
{
    size_t D = m->ambient;
    workspace w;
    mst_status status = workspace_new(&w, m);
    FOR_CHUNKS(w, n, status)
    {
        status = follow(&w, i, count, x + i * D, v + i * D);
        if (status == MST_OK)
            points_of(&w, &w.second, count, y + i * D);
    }
    return workspace_close(&w, status);
}

/* A point with its spectrum. */
typedef struct known_point {
    const double *x, *w, *p; /* (n, n), (n, n) eigenvectors as rows, (n) */
} known_point;

/* log Q − log P for neighbours, relative to their distance: in the eigenbases of P and Q, rows W and Z, one
 * has W (log Q − log P) Zᵀ = Φ(p_i, q_j) ∘ (W (Q − P) Zᵀ), with the divided differences Φ
 * of the logarithm. s and t (n, n) are work space. */
static void near_difference(size_t n, known_point x, known_point y, double *s, double *t,
                            double *out)
{
    for (size_t k = 0; k < n * n; k++)
        s[k] = y.x[k] - x.x[k];
    mst_multiply(n, x.w, s, t);
    mst_multiply_nt(n, t, y.w, s);
    for (size_t k = 0; k < n * n; k++)
        s[k] *= divided_difference(x.p[k / n], y.p[k % n]);
    mst_multiply(n, s, y.w, t);
    mst_multiply_tn(n, x.w, t, s);
    symmetric_part(n, s, out);
}

/* out = b − a, the logarithms of x and y; again if they are near each other, where rounding would show. */
static void log_difference(size_t n, const double *a, const double *b, known_point x, known_point y,
                           double *s, double *t, double *out)
{
    double square = 0;
    for (size_t e = 0; e < n * n; e++) {
        out[e] = b[e] - a[e];
        square += out[e] * out[e];
    }
    if (square <= 1.0 / 16)
        near_difference(n, x, y, s, t, out);
}

static known_point point_of(size_t n, const spectra *at, size_t row, const double *x)
{
    return (known_point){x + row * n * n, at->w + at->at[row] * n * n, at->p + at->at[row] * n};
}

/* w->c = log y − log x */
static mst_status difference(workspace *w, size_t i, size_t count, const double *x, const double *y)
{
    size_t D = w->n * w->n;
    MST_TRY(decompose(w, i, count, x, &w->first));
    MST_TRY(decompose(w, i, count, y, &w->second));
    for (size_t k = 0; k < count; k++) {
        log_of(w, &w->first, k, w->u);
        log_of(w, &w->second, k, w->v);
        log_difference(w->n, w->u, w->v, point_of(w->n, &w->first, k, x),
                       point_of(w->n, &w->second, k, y), w->s, w->t, w->c + k * D);
    }
    return MST_OK;
}

static mst_status logarithm(const mst_manifold *m, size_t n, const double *x, const double *y,
                            double *v, unsigned char *flag)
{
    size_t D = m->ambient;
    workspace w;
    mst_status status = workspace_new(&w, m);
    FOR_CHUNKS(w, n, status)
    {
        status = difference(&w, i, count, x + i * D, y + i * D);
        for (size_t k = 0; k < count && status == MST_OK; k++)
            differential(&w, &w.first, k, true, w.c + k * D, v + (i + k) * D);
    }
    if (status == MST_OK && flag != NULL)
        memset(flag, 0, n);
    return workspace_close(&w, status);
}

static double frobenius(size_t D, const double *a)
{
    double sum = 0;
    for (size_t e = 0; e < D; e++)
        sum += a[e] * a[e];
    return sqrt(sum);
}

static mst_status distance(const mst_manifold *m, size_t n, const double *x, const double *y,
                           double *r)
{
    size_t D = m->ambient;
    workspace w;
    mst_status status = workspace_new(&w, m);
    FOR_CHUNKS(w, n, status)
    {
        status = difference(&w, i, count, x + i * D, y + i * D);
        for (size_t k = 0; k < count && status == MST_OK; k++)
            r[i + k] = frobenius(D, w.c + k * D);
    }
    return workspace_close(&w, status);
}

/* A prepared point: the matrix, its eigenvectors, its logarithm and its eigenvalues. */
static size_t prepared_size(const mst_manifold *m)
{
    return 3 * m->ambient + symmetric_order(m->ambient);
}

static mst_status prepare(const mst_manifold *m, size_t n, const double *x, double *prepared)
{
    size_t D = m->ambient, order = symmetric_order(D), size = prepared_size(m);
    workspace w;
    mst_status status = workspace_new(&w, m);
    FOR_CHUNKS(w, n, status)
    {
        status = decompose(&w, i, count, x + i * D, &w.first);
        for (size_t k = 0; k < count && status == MST_OK; k++) {
            double *out = prepared + (i + k) * size;
            size_t at = w.first.at[k];
            memcpy(out, x + (i + k) * D, D * sizeof *out);
            memcpy(out + D, w.first.w + at * D, D * sizeof *out);
            log_of(&w, &w.first, k, out + 2 * D);
            memcpy(out + 3 * D, w.first.p + at * order, order * sizeof *out);
        }
    }
    return workspace_close(&w, status);
}

static mst_status dist_prepared(const mst_manifold *m, size_t n, const double *x, const double *y,
                                double *r)
{
    size_t D = m->ambient, order = symmetric_order(D), size = prepared_size(m);
    double *work;
    MST_TRY(mst_allocate(&work, 3 * D));
    for (size_t i = 0; i < n; i++, y += size) {
        log_difference(order, x + 2 * D, y + 2 * D, (known_point){x, x + D, x + 3 * D},
                       (known_point){y, y + D, y + 3 * D}, work, work + D, work + 2 * D);
        r[i] = frobenius(D, work + 2 * D);
    }
    mst_release(work);
    return MST_OK;
}

static mst_status transport(const mst_manifold *m, size_t n, const double *x, const double *v,
                            const double *u, double *out)
{
    size_t D = m->ambient;
    workspace w;
    mst_status status = workspace_new(&w, m);
    FOR_CHUNKS(w, n, status)
    {
        status = follow(&w, i, count, x + i * D, v + i * D);
        for (size_t k = 0; k < count && status == MST_OK; k++) {
            differential(&w, &w.first, k, false, u + (i + k) * D, w.u);
            differential(&w, &w.second, k, true, w.u, out + (i + k) * D);
        }
    }
    return workspace_close(&w, status);
}

static mst_status from_frame(const mst_manifold *m, size_t n, const double *x, const double *c,
                             double *v)
{
    size_t D = m->ambient;
    workspace w;
    mst_status status = workspace_new(&w, m);
    FOR_CHUNKS(w, n, status)
    {
        status = decompose(&w, i, count, x + i * D, &w.first);
        for (size_t k = 0; k < count && status == MST_OK; k++) {
            symmetric_unpack(w.n, c + (i + k) * m->dim, w.u);
            differential(&w, &w.first, k, true, w.u, v + (i + k) * D);
        }
    }
    return workspace_close(&w, status);
}

static mst_status to_frame(const mst_manifold *m, size_t n, const double *x, const double *v,
                           double *c)
{
    size_t D = m->ambient;
    workspace w;
    mst_status status = workspace_new(&w, m);
    FOR_CHUNKS(w, n, status)
    {
        status = decompose(&w, i, count, x + i * D, &w.first);
        for (size_t k = 0; k < count && status == MST_OK; k++) {
            differential(&w, &w.first, k, false, v + (i + k) * D, w.u);
            symmetric_pack(w.n, w.u, c + (i + k) * m->dim);
        }
    }
    return workspace_close(&w, status);
}

/* The chart is the logarithm itself, moved to its centre. */
static mst_status chart_coords(const mst_manifold *m, size_t n, const double *c, const double *x,
                               double *u)
{
    size_t D = m->ambient;
    workspace w;
    mst_status status = workspace_new(&w, m);
    FOR_CHUNKS(w, n, status)
    {
        status = difference(&w, i, count, c + i * D, x + i * D);
        for (size_t k = 0; k < count && status == MST_OK; k++)
            symmetric_pack(w.n, w.c + k * D, u + (i + k) * m->dim);
    }
    return workspace_close(&w, status);
}

static mst_status chart_point(const mst_manifold *m, size_t n, const double *c, const double *u,
                              double *x)
{
    size_t D = m->ambient;
    workspace w;
    mst_status status = workspace_new(&w, m);
    FOR_CHUNKS(w, n, status)
    {
        status = decompose(&w, i, count, c + i * D, &w.first);
        for (size_t k = 0; k < count && status == MST_OK; k++) {
            symmetric_unpack(w.n, u + (i + k) * m->dim, w.u);
            log_of(&w, &w.first, k, w.c + k * D);
            for (size_t e = 0; e < D; e++)
                w.c[k * D + e] += w.u[e];
        }
        if (status == MST_OK)
            status = exponentiate(&w, i, count, &w.second);
        if (status == MST_OK)
            points_of(&w, &w.second, count, x + i * D);
    }
    return workspace_close(&w, status);
}

static void traits(const mst_manifold *m, mst_manifold_traits *out)
{
    mst_flat_symmetric_traits(m, out);
    out->positive_definite = true;
    out->embedding = NAN; /* of the logarithms, not of the rows */
}

static const mst_manifold_ops log_euclidean_ops = {
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
    .prepared_size = prepared_size,
    .prepare = prepare,
    .dist_prepared = dist_prepared,
    .transport = transport,
    .ricci = mst_flat_ricci,
    .injectivity = mst_spd_injectivity,
    .chart_coords = chart_coords,
    .chart_point = chart_point,
    .chart_metric = mst_flat_metric,
    .chart_christoffel = mst_flat_christoffel,
    .chart_radius = mst_flat_radius,
    .chart_diffusion = mst_flat_diffusion,
};

mst_status mst_spd_log_euclidean_new(mst_manifold **out, size_t n)
{
    MST_TRY(mst_check_order(out, "spd", n, MST_MAX_ORDER));
    char spec[60];
    snprintf(spec, sizeof spec, "spd:%zu?metric=log-euclidean", n);
    return mst_manifold_new(out, &log_euclidean_ops, spec, symmetric_dim(n), n * n, NULL);
}
