/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Positive definite matrices of any order with the affine-invariant metric, row by row through LAPACK: for
 * n > 4, and the reference of spd_small.hot.c below. The formulas stand there. A base point that is the same
 * as in the row before, as in the computation of a mean, is factored once. */
#include "base/linalg.h"
#include "manifold/internal.h"
#include "manifold/spd_kernels.h"
#include "manifold/symmetric.h"

#include <float.h>
#include <math.h>
#include <string.h>

typedef struct workspace {
    size_t n;
    mst_dense dense;
    double *memory;
    double *base;              /* the point that l is the factor of */
    double *l, *a, *b, *c, *e; /* (n, n) */
    double *values;            /* (n) */
    bool factored;
} workspace;

static mst_status workspace_new(workspace *w, const mst_manifold *m)
{
    size_t n = symmetric_order(m->ambient), size = n * n;
    *w = (workspace){.n = n};
    MST_TRY(mst_dense_new(&w->dense, n));
    MST_TRY(mst_allocate(&w->memory, 6 * size + n));
    double **parts[] = {&w->base, &w->l, &w->a, &w->b, &w->c, &w->e, &w->values};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        *parts[i] = w->memory + i * size;
    return MST_OK;
}

static mst_status workspace_close(workspace *w, mst_status status)
{
    mst_dense_release(&w->dense);
    mst_release(w->memory);
    return status;
}

static mst_status factor(workspace *w, size_t row, const double *x)
{
    size_t bytes = w->n * w->n * sizeof *x;
    if (w->factored && memcmp(w->base, x, bytes) == 0)
        return MST_OK;
    memcpy(w->base, x, bytes);
    w->factored = mst_dense_cholesky(w->n, x, w->l);
    if (!w->factored)
        return mst_fail(MST_DOMAIN, "row %zu: the base point is not positive definite", row + 1);
    return MST_OK;
}

static mst_status out_of_range(size_t row)
{
    return mst_fail(MST_BREAKDOWN, "row %zu: the result is beyond the range of double", row + 1);
}

/* s = L⁻¹ v L⁻ᵀ, symmetric to the last bit; v may be s. */
static void whiten(const workspace *w, const double *v, double *s)
{
    memmove(s, v, w->n * w->n * sizeof *s);
    mst_lower_solve(w->n, w->l, s);
    mst_transpose(w->n, s);
    mst_lower_solve(w->n, w->l, s);
    symmetric_part(w->n, s, s);
}

/* v = L s Lᵀ, through w->e. */
static void colour(const workspace *w, const double *s, double *v)
{
    mst_multiply(w->n, w->l, s, w->e);
    mst_multiply_nt(w->n, w->e, w->l, v);
    symmetric_part(w->n, v, v);
}

mst_status mst_spd_plain_inner(const mst_manifold *m, size_t n, const double *x, const double *u,
                               const double *v, double *out)
{
    size_t D = m->ambient;
    workspace w;
    mst_status status = workspace_new(&w, m);
    for (size_t i = 0; i < n && status == MST_OK; i++) {
        status = factor(&w, i, x + i * D);
        if (status != MST_OK)
            break;
        whiten(&w, u + i * D, w.a);
        whiten(&w, v + i * D, w.b);
        double sum = 0;
        for (size_t k = 0; k < D; k++)
            sum += w.a[k] * w.b[k];
        out[i] = sum;
    }
    return workspace_close(&w, status);
}

/* The eigenvectors of L⁻¹ v L⁻ᵀ as rows of w->b, and e^{λ/2} in w->values. */
static mst_status half_exponential(workspace *w, size_t row, const double *x, const double *v)
{
    MST_TRY(factor(w, row, x));
    whiten(w, v, w->b);
    if (!mst_all_finite(w->n * w->n, w->b))
        return out_of_range(row);
    MST_TRY(mst_dense_eigen(&w->dense, w->b, w->values, w->b));
    for (size_t k = 0; k < w->n; k++)
        w->values[k] = exp(0.5 * w->values[k]);
    return MST_OK;
}

mst_status mst_spd_plain_exp(const mst_manifold *m, size_t n, const double *x, const double *v,
                             double *y)
{
    size_t D = m->ambient;
    workspace w;
    mst_status status = workspace_new(&w, m);
    for (size_t i = 0; i < n && status == MST_OK; i++) {
        status = half_exponential(&w, i, x + i * D, v + i * D);
        if (status != MST_OK)
            break;
        mst_multiply_nt(w.n, w.l, w.b, w.a);
        for (size_t k = 0; k < D; k++)
            w.a[k] *= w.values[k % w.n];
        mst_multiply_nt(w.n, w.a, w.a, w.c);
        for (size_t k = 0; k < w.n && status == MST_OK; k++)
            if (!(w.c[k * (w.n + 1)] >= DBL_MIN && w.c[k * (w.n + 1)] <= DBL_MAX))
                status = out_of_range(i);
        if (status == MST_OK)
            memcpy(y + i * D, w.c, D * sizeof *y);
    }
    return workspace_close(&w, status);
}

/* The eigenvectors, columns of w->b, and eigenvalues w->values of L_P⁻¹ Log_P(Q) L_P⁻ᵀ: for neighbours from
 * their difference, else from L_P⁻¹ L_Q = U Σ Wᵀ; see spd_small.hot.c. */
static mst_status relative_spectrum(workspace *w, size_t row, const double *x, const double *y)
{
    size_t n = w->n;
    MST_TRY(factor(w, row, x));
    if (!mst_dense_cholesky(n, y, w->a))
        return mst_fail(MST_DOMAIN, "row %zu: the second point is not positive definite", row + 1);
    double square = 0;
    for (size_t k = 0; k < n * n; k++)
        w->b[k] = y[k] - x[k];
    whiten(w, w->b, w->b);
    for (size_t k = 0; k < n * n; k++)
        square += w->b[k] * w->b[k];
    if (square <= 1.0 / 16) {
        MST_TRY(mst_dense_eigen(&w->dense, w->b, w->values, w->b));
        mst_transpose(n, w->b);
        for (size_t k = 0; k < n; k++)
            w->values[k] = log1p(w->values[k]);
        return MST_OK;
    }
    mst_lower_solve(n, w->l, w->a);
    if (!mst_all_finite(n * n, w->a))
        return out_of_range(row);
    MST_TRY(mst_dense_svd(&w->dense, w->a, w->b, w->values, w->c));
    for (size_t k = 0; k < n; k++) {
        if (!(w->values[k] > 0))
            return out_of_range(row);
        w->values[k] = 2 * log(w->values[k]);
    }
    return MST_OK;
}

mst_status mst_spd_plain_log(const mst_manifold *m, size_t n, const double *x, const double *y,
                             double *v, unsigned char *flag)
{
    size_t D = m->ambient;
    workspace w;
    mst_status status = workspace_new(&w, m);
    for (size_t i = 0; i < n && status == MST_OK; i++) {
        status = relative_spectrum(&w, i, x + i * D, y + i * D);
        if (status != MST_OK)
            break;
        mst_multiply(w.n, w.l, w.b, w.a);
        for (size_t k = 0; k < D; k++)
            w.c[k] = w.a[k] * w.values[k % w.n];
        mst_multiply_nt(w.n, w.c, w.a, w.b);
        symmetric_part(w.n, w.b, v + i * D);
    }
    if (status == MST_OK && flag != NULL)
        memset(flag, 0, n);
    return workspace_close(&w, status);
}

mst_status mst_spd_plain_dist(const mst_manifold *m, size_t n, const double *x, const double *y,
                              double *r)
{
    size_t D = m->ambient;
    workspace w;
    mst_status status = workspace_new(&w, m);
    for (size_t i = 0; i < n && status == MST_OK; i++) {
        status = relative_spectrum(&w, i, x + i * D, y + i * D);
        double sum = 0;
        for (size_t k = 0; k < w.n && status == MST_OK; k++)
            sum += w.values[k] * w.values[k];
        if (status == MST_OK)
            r[i] = sqrt(sum);
    }
    return workspace_close(&w, status);
}

mst_status mst_spd_plain_transport(const mst_manifold *m, size_t n, const double *x,
                                   const double *v, const double *u, double *out)
{
    size_t D = m->ambient;
    workspace w;
    mst_status status = workspace_new(&w, m);
    for (size_t i = 0; i < n && status == MST_OK; i++) {
        status = half_exponential(&w, i, x + i * D, v + i * D);
        if (status != MST_OK)
            break;
        /* a = exp(S/2) */
        for (size_t k = 0; k < D; k++)
            w.c[k] = w.b[k] * w.values[k / w.n];
        mst_multiply_tn(w.n, w.b, w.c, w.a);
        symmetric_part(w.n, w.a, w.a);
        whiten(&w, u + i * D, w.b);
        mst_multiply(w.n, w.a, w.b, w.c);
        mst_multiply(w.n, w.c, w.a, w.b);
        colour(&w, w.b, w.c);
        if (mst_all_finite(D, w.c))
            memcpy(out + i * D, w.c, D * sizeof *out);
        else
            status = out_of_range(i);
    }
    return workspace_close(&w, status);
}

mst_status mst_spd_plain_ricci(const mst_manifold *m, size_t n, const double *x, const double *v,
                               double *out)
{
    size_t D = m->ambient;
    workspace w;
    mst_status status = workspace_new(&w, m);
    for (size_t i = 0; i < n && status == MST_OK; i++) {
        status = factor(&w, i, x + i * D);
        if (status != MST_OK)
            break;
        whiten(&w, v + i * D, w.a);
        double trace = 0;
        for (size_t k = 0; k < D; k += w.n + 1)
            trace += w.a[k];
        for (size_t k = 0; k < D; k++)
            w.b[k] = -0.25 * (double)w.n * v[i * D + k] + 0.25 * trace * x[i * D + k];
        symmetric_part(w.n, w.b, out + i * D);
    }
    return workspace_close(&w, status);
}

mst_status mst_spd_plain_from_frame(const mst_manifold *m, size_t n, const double *x,
                                    const double *c, double *v)
{
    size_t D = m->ambient;
    workspace w;
    mst_status status = workspace_new(&w, m);
    for (size_t i = 0; i < n && status == MST_OK; i++) {
        status = factor(&w, i, x + i * D);
        if (status != MST_OK)
            break;
        symmetric_unpack(w.n, c + i * m->dim, w.a);
        colour(&w, w.a, v + i * D);
    }
    return workspace_close(&w, status);
}

mst_status mst_spd_plain_to_frame(const mst_manifold *m, size_t n, const double *x, const double *v,
                                  double *c)
{
    size_t D = m->ambient;
    workspace w;
    mst_status status = workspace_new(&w, m);
    for (size_t i = 0; i < n && status == MST_OK; i++) {
        status = factor(&w, i, x + i * D);
        if (status != MST_OK)
            break;
        whiten(&w, v + i * D, w.a);
        symmetric_pack(w.n, w.a, c + i * m->dim);
    }
    return workspace_close(&w, status);
}
