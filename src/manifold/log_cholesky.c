/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Symmetric positive definite matrices with the log-Cholesky metric (Lin, 2019): P = L Lᵀ ↦ (L below its
 * diagonal, the logarithms of the diagonal) is an isometry to R^d. With S = L⁻¹ v L⁻ᵀ and half(S), S below
 * its diagonal and half of that, the differential of P ↦ L is v ↦ L half(S). Coordinates stand as in
 * symmetric.h: the entry (i, j) of L, i > j, where (j, i) of a symmetric matrix would. */
#include "base/linalg.h"
#include "manifold/flat_map.h"
#include "manifold/internal.h"
#include "manifold/symmetric.h"

#include <float.h>
#include <math.h>
#include <string.h>

typedef struct workspace {
    size_t n;
    double *l[2];      /* (most, n, n): factors */
    double *y;         /* (most, n, n): points that were reached */
    double *s, *t, *u; /* (n, n) */
    double *memory;
} workspace;

static void close_map(void *memory)
{
    workspace *w = memory;
    mst_release(w->memory);
    mst_release(w);
}

static mst_status open_map(const mst_manifold *m, void **out)
{
    size_t D = m->ambient, most = symmetric_chunk(D);
    workspace *w;
    *out = NULL;
    MST_TRY(mst_allocate(&w, 1));
    *w = (workspace){.n = symmetric_order(D)};
    mst_status status = mst_allocate(&w->memory, (3 * most + 3) * D);
    if (status != MST_OK) {
        close_map(w);
        return status;
    }
    double **large[] = {&w->l[0], &w->l[1], &w->y}, **single[] = {&w->s, &w->t, &w->u};
    double *next = w->memory;
    for (size_t i = 0; i < 3; i++, next += most * D)
        *large[i] = next;
    for (size_t i = 0; i < 3; i++, next += D)
        *single[i] = next;
    *out = w;
    return MST_OK;
}

static mst_status take(void *memory, int place, size_t row, size_t count, const double *x)
{
    workspace *w = memory;
    size_t bad = 0;
    mst_status status = mst_cholesky(count, w->n, x, w->l[place], &bad);
    if (status == MST_DOMAIN)
        return mst_fail(MST_DOMAIN, "row %zu: the point is not positive definite", row + bad + 1);
    return status;
}

static void value(void *memory, int place, size_t k, double *u)
{
    workspace *w = memory;
    size_t n = w->n;
    const double *l = w->l[place] + k * n * n;
    for (size_t j = 0; j < n; j++)
        for (size_t i = j; i < n; i++)
            *u++ = i == j ? log(l[i * n + i]) : l[i * n + j];
}

/* w->s = L⁻¹ v L⁻ᵀ */
static void whiten(workspace *w, const double *l, const double *v)
{
    memcpy(w->s, v, w->n * w->n * sizeof *v);
    mst_lower_solve(w->n, l, w->s);
    mst_transpose(w->n, w->s);
    mst_lower_solve(w->n, l, w->s);
}

/* Entry (i, j) of L K, K lower triangular. */
static double lower_product(size_t n, const double *l, const double *k, size_t i, size_t j)
{
    double sum = 0;
    for (size_t a = j; a <= i; a++)
        sum += l[i * n + a] * k[a * n + j];
    return sum;
}

static void push(void *memory, int place, size_t k, const double *v, double *u)
{
    workspace *w = memory;
    size_t n = w->n;
    const double *l = w->l[place] + k * n * n;
    whiten(w, l, v);
    for (size_t i = 0; i < n; i++)
        w->s[i * (n + 1)] *= 0.5;
    for (size_t j = 0; j < n; j++)
        for (size_t i = j; i < n; i++)
            *u++ = i == j ? w->s[i * (n + 1)] : lower_product(n, l, w->s, i, j);
}

/* w->t: the lower triangular matrix whose entries are u. */
static void unpack_lower(workspace *w, const double *u)
{
    size_t n = w->n;
    memset(w->t, 0, n * n * sizeof *w->t);
    for (size_t j = 0; j < n; j++)
        for (size_t i = j; i < n; i++)
            w->t[i * n + j] = *u++;
}

static void pull(void *memory, int place, size_t k, const double *u, double *v)
{
    workspace *w = memory;
    size_t n = w->n;
    const double *l = w->l[place] + k * n * n;
    unpack_lower(w, u);
    for (size_t i = 0; i < n; i++)
        w->t[i * (n + 1)] *= l[i * (n + 1)];
    mst_multiply_nt(n, w->t, l, w->s);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j <= i; j++)
            v[i * n + j] = v[j * n + i] = w->s[i * n + j] + w->s[j * n + i];
}

/* I + S = (I + K)(I + K)ᵀ, the lower triangular K into w->u without a difference to one: small S, of w->s,
 * have as many digits as large ones. */
static void factor_beside_one(workspace *w)
{
    size_t n = w->n;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j <= i; j++) {
            double rest = 0.5 * (w->s[i * n + j] + w->s[j * n + i]);
            for (size_t a = 0; a < j; a++)
                rest -= w->u[i * n + a] * w->u[j * n + a];
            w->u[i * n + j] = i == j ? rest / (1 + sqrt(1 + rest)) : rest / (1 + w->u[j * (n + 1)]);
        }
}

/* Of neighbours, Q = L (I + S) Lᵀ has the factor L (I + K). */
static void difference(void *memory, size_t k, const double *x, const double *y, double *u)
{
    workspace *w = memory;
    size_t n = w->n;
    const double *from = w->l[0] + k * n * n, *to = w->l[1] + k * n * n;
    double square = 0;
    for (size_t e = 0; e < n * n; e++)
        w->t[e] = y[e] - x[e];
    whiten(w, from, w->t);
    for (size_t e = 0; e < n * n; e++)
        square += w->s[e] * w->s[e];
    bool near = square <= 1.0 / 16;
    if (near)
        factor_beside_one(w);
    for (size_t j = 0; j < n; j++)
        for (size_t i = j; i < n; i++) {
            size_t e = i * n + j;
            if (near)
                *u++ = i == j ? log1p(w->u[e]) : lower_product(n, from, w->u, i, j);
            else
                *u++ = i == j ? log(to[e] / from[e]) : to[e] - from[e];
        }
}

/* Factors may be so uneven that no row of doubles tells their product from a singular matrix. */
static mst_status reach(void *memory, size_t row, size_t count, const double *u)
{
    workspace *w = memory;
    size_t n = w->n, D = n * n, bad = 0;
    for (size_t k = 0; k < count; k++) {
        double *l = w->l[1] + k * D;
        unpack_lower(w, u + k * symmetric_dim(n));
        for (size_t i = 0; i < n; i++)
            w->t[i * (n + 1)] = exp(w->t[i * (n + 1)]);
        memcpy(l, w->t, D * sizeof *l);
        mst_multiply_nt(n, l, l, w->y + k * D);
        bool fits = mst_all_finite(D, w->y + k * D);
        for (size_t i = 0; i < n && fits; i++)
            fits = w->y[k * D + i * (n + 1)] >= DBL_MIN;
        if (!fits)
            return mst_fail(MST_BREAKDOWN, "row %zu: the result is beyond the range of double",
                            row + k + 1);
    }
    mst_status status = MST_OK;
    for (size_t k = 0; k < count && status == MST_OK; k++) {
        status = mst_cholesky(1, n, w->y + k * D, w->s, &bad);
        if (status == MST_DOMAIN)
            return mst_fail(MST_BREAKDOWN,
                            "row %zu: the result is too near to singular for doubles", row + k + 1);
    }
    return status;
}

static void points(void *memory, size_t count, double *y)
{
    workspace *w = memory;
    memcpy(y, w->y, count * w->n * w->n * sizeof *y);
}

static const flat_map cholesky_factors = {
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

mst_status mst_spd_log_cholesky_new(mst_manifold **out, size_t n)
{
    return mst_flat_map_new(out, n, "log-cholesky", &cholesky_factors);
}
