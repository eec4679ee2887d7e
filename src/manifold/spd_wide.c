/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Positive definite matrices of orders 5 to 128 with the affine-invariant metric, some side by side
 * (wide_matrices.h). The formulas are those of spd_small.hot.c, the reference is spd_plain.c.
 *
 * The eigenvalues of A = B Bᵀ, B = L_P⁻¹L_Q, have absolute errors of ε‖A‖ only. So for Log the eigenvectors Z
 * count as almost right: C = Zᵀ B is found anew, C Cᵀ = Λ + E with entries that are right relative to the
 * lengths of the rows of C, and to first order in E
 *
 *     log A = Z (log Λ + Φ ∘ E) Zᵀ,   Φ_ij = (log λ_i − log λ_j)/(λ_i − λ_j).
 *
 * What is left is of the order (ε λ_max/λ_min)², nothing up to the condition 1e7; matrices beyond that go
 * through spd_plain.c. */
#include "base/linalg.h"
#include "base/wide_matrices.h"
#include "manifold/internal.h"
#include "manifold/spd_kernels.h"
#include "manifold/symmetric.h"

#include <float.h>
#include <math.h>
#include <string.h>

static const double most_condition = 1e7;

/* Up to here eigenvalues alone, without that correction, give distances to 1e-13. */
static const double plain_condition = 300;

typedef struct workspace {
    const mst_manifold *m;
    size_t n, side, matrix;
    const struct wide_kernels *kernels;
    const struct wide_eigen_kernels *eigen;
    double *p, *q, *a, *z, *room; /* batches; room for two */
    double *values, *work;        /* (n, side), (7n, side) */
    double *memory;
} workspace;

static mst_status workspace_new(workspace *w, const mst_manifold *m)
{
    size_t n = symmetric_order(m->ambient);
    *w = (workspace){.m = m, .n = n, .kernels = MST_PICK(wide_kernels)};
    w->eigen = MST_PICK(wide_eigen_kernels);
    w->side = w->eigen->lanes;
    w->matrix = n * n * w->side;
    MST_TRY(mst_allocate(&w->memory, 6 * w->matrix + 8 * n * w->side));
    double **parts[] = {&w->p, &w->q, &w->a, &w->z, &w->room};
    for (size_t k = 0; k < sizeof parts / sizeof *parts; k++)
        *parts[k] = w->memory + k * w->matrix;
    w->values = w->memory + 6 * w->matrix;
    w->work = w->values + n * w->side;
    return MST_OK;
}

/* Rows first … first + count − 1 of a call. */
typedef struct batch {
    size_t first, count;
    const double *x, *y; /* of all rows */
} batch;

/* Points to their factors; which of the two arguments is not positive definite is told by `what`. */
static mst_status factor(const workspace *w, const batch *b, const double *rows, const char *what,
                         double *l)
{
    wide_load(w->n, w->side, b->count, rows + b->first * w->m->ambient, l);
    unsigned bad = w->kernels->cholesky(w->n, l);
    for (size_t k = 0; k < b->count; k++)
        if ((bad >> k & 1U) != 0)
            return mst_fail(MST_DOMAIN, "row %zu: the %s point is not positive definite",
                            b->first + k + 1, what);
    return MST_OK;
}

static void transpose(const workspace *w, double *a)
{
    size_t n = w->n, side = w->side;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < i; j++)
            for (size_t k = 0; k < side; k++) {
                double *up = a + (j * n + i) * side + k, *down = a + (i * n + j) * side + k;
                double value = *up;
                *up = *down;
                *down = value;
            }
}

/* a ← L⁻¹ a L⁻ᵀ of all of a, which is symmetric; made so to the last bit. */
static void whiten(const workspace *w, const double *l, double *a)
{
    size_t n = w->n, side = w->side;
    w->kernels->lower_solve(n, l, false, a);
    transpose(w, a);
    w->kernels->lower_solve(n, l, false, a);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < i; j++)
            for (size_t k = 0; k < side; k++) {
                double *up = a + (j * n + i) * side + k, *down = a + (i * n + j) * side + k;
                *up = *down = 0.5 * (*up + *down);
            }
}

/* A = B Bᵀ for far pairs, w->q being B, and for near ones, of which the bits are told, A − I with the digits
 * that their difference has. */
static unsigned relative_matrix(const workspace *w, const batch *b)
{
    size_t n = w->n, side = w->side, D = n * n;
    unsigned near = 0;
    w->kernels->lower_solve(n, w->p, true, w->q);
    w->kernels->lower_gram(n, w->q, w->a);
    for (size_t k = 0; k < b->count; k++) {
        double square = 0;
        for (size_t i = 0; i < n; i++)
            for (size_t j = 0; j <= i; j++) {
                double e = w->a[(i * n + j) * side + k] - (i == j ? 1 : 0);
                square += (i == j ? 1 : 2) * e * e;
            }
        near |= square <= 1.0 / 16 ? 1U << k : 0;
    }
    if (near == 0)
        return near;
    for (size_t e = 0; e < D; e++)
        for (size_t k = 0; k < side; k++) {
            size_t at = (b->first + (k < b->count ? k : 0)) * D + e;
            w->room[e * side + k] = b->y[at] - b->x[at];
        }
    whiten(w, w->p, w->room);
    for (size_t e = 0; e < D; e++)
        for (size_t k = 0; k < side; k++)
            if ((near >> k & 1U) != 0)
                w->a[e * side + k] = w->room[e * side + k];
    return near;
}

/* The condition of lane k; infinite if its eigenvalues are of no use. */
static double condition(const workspace *w, size_t k, unsigned failed)
{
    double least = INFINITY, largest = 0;
    for (size_t i = 0; i < w->n; i++) {
        double value = w->values[i * w->side + k];
        least = value < least ? value : least;
        largest = value > largest ? value : largest;
    }
    bool good = (failed >> k & 1U) == 0 && least > 0 && largest < INFINITY;
    return good ? largest / least : INFINITY;
}

/* Bits of the lanes for spd_plain.c: far pairs of extreme condition. */
static unsigned beyond(const workspace *w, const batch *b, unsigned near, unsigned failed)
{
    unsigned bits = failed;
    for (size_t k = 0; k < b->count; k++)
        if ((near >> k & 1U) == 0 && !(condition(w, k, failed) <= most_condition))
            bits |= 1U << k;
    return bits;
}

/* ---- Log ---- */

/* The symmetric matrix log Λ + Φ ∘ E in w->a, from w->room = C Cᵀ; for near pairs log(1 + Λ). */
static void corrected_logs(const workspace *w, unsigned near)
{
    size_t n = w->n, side = w->side;
    double *value = w->work, *log_value = value + n * side;
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < side; k++) {
            bool close = (near >> k & 1U) != 0;
            size_t at = i * side + k;
            value[at] = close ? w->values[at] : w->room[(i * n + i) * side + k];
            log_value[at] = close ? log1p(value[at]) : log(value[at]);
        }
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j <= i; j++)
            for (size_t k = 0; k < side; k++) {
                double p = value[i * side + k], q = value[j * side + k], gap = p - q;
                double divided = fabs(gap) > 1e-4 * q
                                     ? (log_value[i * side + k] - log_value[j * side + k]) / gap
                                     : 2 / (p + q);
                bool close = (near >> k & 1U) != 0; /* where p and q may be 0 */
                double off = close ? 0 : divided * w->room[(i * n + j) * side + k];
                w->a[(i * n + j) * side + k] = i == j ? log_value[i * side + k] : off;
            }
}

static mst_status log_batch(const workspace *w, const batch *b, double *v)
{
    size_t n = w->n, D = n * n;
    MST_TRY(factor(w, b, b->x, "base", w->p));
    MST_TRY(factor(w, b, b->y, "second", w->q));
    unsigned near = relative_matrix(w, b);
    unsigned failed = w->eigen->eigen(n, w->a, w->values, w->z, w->work);
    unsigned apart = beyond(w, b, near, failed);
    double *c = w->room + w->matrix;
    w->kernels->times_lower(n, w->z, w->q, c);
    w->kernels->gram(n, c, w->room);
    corrected_logs(w, near);
    w->kernels->lower_times(n, w->p, w->z, c);
    w->kernels->turned(n, c, w->a, false, w->q, w->room);
    for (size_t k = 0; k < b->count; k++) {
        size_t at = (b->first + k) * D;
        if ((apart >> k & 1U) == 0)
            wide_store_symmetric(n, w->side, k, w->q, v + at);
        else
            MST_TRY(mst_spd_plain_log(w->m, 1, b->x + at, b->y + at, v + at, NULL));
    }
    return MST_OK;
}

/* ---- dist ---- */

/* Σ log² λ of lane k, from `values` (n, side). */
static double squared_distance(const workspace *w, size_t k, bool near, const double *values)
{
    double sum = 0;
    for (size_t i = 0; i < w->n; i++) {
        double value = values[i * w->side + k], ell = near ? log1p(value) : log(value);
        sum += ell * ell;
    }
    return sum;
}

static mst_status dist_batch(const workspace *w, const batch *b, double *r)
{
    size_t n = w->n, side = w->side;
    MST_TRY(factor(w, b, b->x, "base", w->p));
    MST_TRY(factor(w, b, b->y, "second", w->q));
    unsigned near = relative_matrix(w, b), careful = 0;
    memcpy(w->z, w->a, w->matrix * sizeof *w->z); /* in case that vectors are needed after all */
    unsigned failed = w->eigen->eigen(n, w->a, w->values, NULL, w->work);
    for (size_t k = 0; k < b->count; k++) {
        bool close = (near >> k & 1U) != 0;
        r[b->first + k] = sqrt(squared_distance(w, k, close, w->values));
        if (!close && !(condition(w, k, failed) <= plain_condition))
            careful |= 1U << k;
    }
    if ((careful | failed) == 0)
        return MST_OK;
    memcpy(w->a, w->z, w->matrix * sizeof *w->a);
    failed = w->eigen->eigen(n, w->a, w->values, w->z, w->work);
    unsigned apart = beyond(w, b, near, failed);
    w->kernels->times_lower(n, w->z, w->q, w->room);
    for (size_t i = 0; i < n; i++) /* Rayleigh's quotients, in w->work */
        for (size_t k = 0; k < side; k++) {
            double sum = 0;
            for (size_t j = 0; j < n; j++) {
                double entry = w->room[(i * n + j) * side + k];
                sum += entry * entry;
            }
            w->work[i * side + k] = sum;
        }
    for (size_t k = 0; k < b->count; k++) {
        size_t at = (b->first + k) * n * n;
        if ((apart >> k & 1U) != 0)
            MST_TRY(mst_spd_plain_dist(w->m, 1, b->x + at, b->y + at, r + b->first + k));
        else if ((careful >> k & 1U) != 0)
            r[b->first + k] = sqrt(squared_distance(w, k, false, w->work));
    }
    return MST_OK;
}

/* ---- All distances of many points ---- */

/* A prepared point: the matrix, its factor L, and L⁻¹. */
size_t mst_spd_wide_prepared_size(const mst_manifold *m)
{
    return 3 * m->ambient;
}

mst_status mst_spd_wide_prepare(const mst_manifold *m, size_t n, const double *x, double *prepared)
{
    size_t D = m->ambient, order = symmetric_order(D);
    for (size_t i = 0; i < n; i++, prepared += 3 * D) {
        double *l = prepared + D, *inverse = l + D;
        memcpy(prepared, x + i * D, D * sizeof *prepared);
        if (!mst_dense_cholesky(order, prepared, l))
            return mst_fail(MST_DOMAIN, "row %zu: the point is not positive definite", i + 1);
        memset(inverse, 0, D * sizeof *inverse);
        for (size_t k = 0; k < order; k++)
            inverse[k * (order + 1)] = 1;
        mst_lower_solve(order, l, inverse);
    }
    return MST_OK;
}

/* Distances from x to a batch of y, both prepared; bits of those that must be found with more care. */
static unsigned quick_distances(const workspace *w, size_t count, const double *x, const double *y,
                                double *r)
{
    size_t n = w->n, D = n * n;
    for (size_t k = 0; k < w->side; k++)
        for (size_t e = 0; e < D; e++)
            w->q[e * w->side + k] = y[(k < count ? k : 0) * 3 * D + D + e];
    w->kernels->shared_times_lower(n, x + 2 * D, w->q, w->z);
    w->kernels->lower_gram(n, w->z, w->a);
    unsigned left = w->eigen->eigen(n, w->a, w->values, NULL, w->work), failed = left;
    for (size_t k = 0; k < count; k++) {
        double square = squared_distance(w, k, false, w->values);
        r[k] = sqrt(square);
        /* The eigenvalues of neighbours are 1 to rounding. */
        if (!(square > 1.0 / 16) || !(condition(w, k, failed) <= plain_condition))
            left |= 1U << k;
    }
    return left;
}

mst_status mst_spd_wide_dist_prepared(const mst_manifold *m, size_t n, const double *x,
                                      const double *y, double *r)
{
    size_t D = m->ambient, found = 0;
    workspace w;
    double *pairs;
    size_t *row;
    MST_TRY(mst_allocate(&row, n));
    mst_status status = mst_allocate(&pairs, n * (2 * D + 1));
    if (status == MST_OK)
        status = workspace_new(&w, m);
    else
        w.memory = NULL;
    for (size_t at = 0; status == MST_OK && at < n; at += w.side) {
        size_t count = n - at < w.side ? n - at : w.side;
        unsigned left = quick_distances(&w, count, x, y + at * 3 * D, r + at);
        for (size_t k = 0; k < count; k++)
            if ((left >> k & 1U) != 0)
                row[found++] = at + k;
    }
    double *from = pairs, *to = pairs + found * D, *again = to + found * D;
    for (size_t i = 0; status == MST_OK && i < found; i++) {
        memcpy(from + i * D, x, D * sizeof *x);
        memcpy(to + i * D, y + row[i] * 3 * D, D * sizeof *y);
    }
    if (status == MST_OK && found > 0)
        status = mst_spd_wide_dist(m, found, from, to, again);
    for (size_t i = 0; status == MST_OK && i < found; i++)
        r[row[i]] = again[i];
    mst_release(w.memory);
    mst_release(pairs);
    mst_release(row);
    return status;
}

/* ---- Exp ---- */

/* L e^S Lᵀ in w->a as K Kᵀ, K = L Z e^{λ/2}, S standing there; the bits of the lanes that failed. */
static unsigned exponentials(const workspace *w)
{
    size_t n = w->n, side = w->side;
    unsigned failed = 0;
    for (size_t e = 0; e < w->matrix; e++)
        if (!isfinite(w->a[e])) {
            failed |= 1U << e % side;
            w->a[e] = 0;
        }
    failed |= w->eigen->eigen(n, w->a, w->values, w->z, w->work);
    w->kernels->lower_times(n, w->p, w->z, w->room);
    for (size_t k = 0; k < n * side; k++)
        w->values[k] = exp(0.5 * w->values[k]);
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < n * side; k++)
            w->room[i * n * side + k] *= w->values[k];
    w->kernels->gram(n, w->room, w->a);
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < side; k++) {
            double diagonal = w->a[(i * n + i) * side + k];
            if (!(diagonal >= DBL_MIN && diagonal <= DBL_MAX))
                failed |= 1U << k;
        }
    return failed;
}

static mst_status exp_batch(const workspace *w, const batch *b, double *y)
{
    size_t n = w->n, D = n * n;
    MST_TRY(factor(w, b, b->x, "base", w->p));
    wide_load(n, w->side, b->count, b->y + b->first * D, w->a);
    whiten(w, w->p, w->a);
    unsigned failed = exponentials(w);
    for (size_t k = 0; k < b->count; k++) {
        size_t at = (b->first + k) * D;
        if ((failed >> k & 1U) == 0)
            wide_store_symmetric(n, w->side, k, w->a, y + at);
        else if (mst_spd_plain_exp(w->m, 1, b->x + at, b->y + at, y + at) != MST_OK)
            return mst_fail(MST_BREAKDOWN, "row %zu: the result is beyond the range of double",
                            b->first + k + 1);
    }
    return MST_OK;
}

/* ---- The slots ---- */

typedef mst_status batch_function(const workspace *w, const batch *b, double *out);

static mst_status run(const mst_manifold *m, size_t n, const double *x, const double *y,
                      double *out, batch_function *function)
{
    workspace w;
    mst_status status = workspace_new(&w, m);
    for (size_t at = 0; status == MST_OK && at < n; at += w.side) {
        batch b = {.first = at, .count = n - at < w.side ? n - at : w.side, .x = x, .y = y};
        status = function(&w, &b, out);
    }
    mst_release(w.memory);
    return status;
}

mst_status mst_spd_wide_log(const mst_manifold *m, size_t n, const double *x, const double *y,
                            double *v, unsigned char *flag)
{
    if (flag != NULL)
        memset(flag, 0, n);
    return run(m, n, x, y, v, log_batch);
}

mst_status mst_spd_wide_dist(const mst_manifold *m, size_t n, const double *x, const double *y,
                             double *r)
{
    return run(m, n, x, y, r, dist_batch);
}

mst_status mst_spd_wide_exp(const mst_manifold *m, size_t n, const double *x, const double *v,
                            double *y)
{
    return run(m, n, x, v, y, exp_batch);
}
