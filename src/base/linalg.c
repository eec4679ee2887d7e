/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

#include "base/linalg.h"

#include "base/linalg_kernels.h"
#include "base/wide_matrices.h"

#include <lapacke.h>
#include <math.h>
#include <string.h>

bool mst_all_finite(size_t n, const double *a)
{
    /* Anything times zero is zero unless it is infinite or not a number. */
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += a[i] * 0;
    return sum == 0;
}

/* ---- products ---- */

void mst_multiply(size_t n, const double *a, const double *b, double *out)
{
    memset(out, 0, n * n * sizeof *out);
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < n; k++) {
            double s = a[i * n + k];
            if (s != 0) /* triangular factors are common here */
                for (size_t j = 0; j < n; j++)
                    out[i * n + j] += s * b[k * n + j];
        }
}

void mst_multiply_tn(size_t n, const double *a, const double *b, double *out)
{
    memset(out, 0, n * n * sizeof *out);
    for (size_t k = 0; k < n; k++)
        for (size_t i = 0; i < n; i++) {
            double s = a[k * n + i];
            if (s != 0)
                for (size_t j = 0; j < n; j++)
                    out[i * n + j] += s * b[k * n + j];
        }
}

void mst_multiply_nt(size_t n, const double *a, const double *b, double *out)
{
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) {
            const double *x = a + i * n, *y = b + j * n;
            double s[4] = {0};
            size_t k = 0;
            for (; k + 4 <= n; k += 4)
                for (size_t e = 0; e < 4; e++)
                    s[e] += x[k + e] * y[k + e];
            for (; k < n; k++)
                s[0] += x[k] * y[k];
            out[i * n + j] = (s[0] + s[1]) + (s[2] + s[3]);
        }
}

void mst_transpose(size_t n, double *a)
{
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < i; j++) {
            double t = a[i * n + j];
            a[i * n + j] = a[j * n + i];
            a[j * n + i] = t;
        }
}

void mst_lower_solve(size_t n, const double *l, double *b)
{
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < i; k++) {
            double s = l[i * n + k];
            for (size_t j = 0; j < n; j++)
                b[i * n + j] -= s * b[k * n + j];
        }
        double inverse = 1 / l[i * n + i];
        for (size_t j = 0; j < n; j++)
            b[i * n + j] *= inverse;
    }
}

/* ---- LAPACK. Its column-major matrices are the transposes of ours: our lower triangle is its upper one,
 * rows of eigenvectors are its columns, and A = U Σ Vt is Aᵀ = Vtᵀ Σ Uᵀ. ---- */

/* Workspaces are counted in 32 bits; that of dgesdd has 4n² + 7n numbers. */
enum { MOST_ORDER = 20000 };

mst_status mst_dense_new(mst_dense *d, size_t n)
{
    *d = (mst_dense){.n = n};
    if (n > MOST_ORDER)
        return mst_fail(MST_UNABLE, "a matrix of order %zu is too large for LAPACK, at most %d", n,
                        MOST_ORDER);
    int order = (int)n, isize[2] = {0};
    double size[2] = {0}, unused = 0;
    LAPACKE_dsyevd_work(LAPACK_COL_MAJOR, 'V', 'U', order, &unused, order, &unused, &size[0], -1,
                        &isize[0], -1);
    LAPACKE_dgesdd_work(LAPACK_COL_MAJOR, 'A', order, order, &unused, order, &unused, &unused,
                        order, &unused, order, &size[1], -1, &isize[1]);
    d->work_size = (int)fmax(size[0], size[1]);
    d->iwork_size = isize[0] > 8 * order ? isize[0] : 8 * order;
    MST_TRY(mst_allocate(&d->work, (size_t)d->work_size));
    MST_TRY(mst_allocate(&d->iwork, (size_t)d->iwork_size));
    return mst_allocate(&d->copy, n * n);
}

void mst_dense_release(mst_dense *d)
{
    mst_release(d->work);
    mst_release(d->iwork);
    mst_release(d->copy);
}

mst_status mst_dense_eigen(mst_dense *d, const double *a, double *values, double *vectors)
{
    int order = (int)d->n;
    if (a != vectors)
        memcpy(vectors, a, d->n * d->n * sizeof *a);
    if (LAPACKE_dsyevd_work(LAPACK_COL_MAJOR, 'V', 'U', order, vectors, order, values, d->work,
                            d->work_size, d->iwork, d->iwork_size) != 0)
        return mst_fail(MST_BREAKDOWN, "LAPACK's dsyevd did not converge");
    return MST_OK;
}

mst_status mst_dense_svd(mst_dense *d, const double *a, double *u, double *sigma, double *vt)
{
    int order = (int)d->n;
    memcpy(d->copy, a, d->n * d->n * sizeof *a);
    if (LAPACKE_dgesdd_work(LAPACK_COL_MAJOR, 'A', order, order, d->copy, order, sigma, vt, order,
                            u, order, d->work, d->work_size, d->iwork) != 0)
        return mst_fail(MST_BREAKDOWN, "LAPACK's dgesdd did not converge");
    return MST_OK;
}

bool mst_dense_cholesky(size_t n, const double *a, double *l)
{
    if (l != a)
        memcpy(l, a, n * n * sizeof *a);
    int info = LAPACKE_dpotrf_work(LAPACK_COL_MAJOR, 'U', (int)n, l, (int)n);
    for (size_t i = 0; i < n; i++)
        for (size_t j = i + 1; j < n; j++)
            l[i * n + j] = 0;
    return info == 0;
}

void mst_dense_cholesky_solve(size_t n, const double *l, size_t sides, double *b)
{
    LAPACKE_dpotrs_work(LAPACK_COL_MAJOR, 'U', (int)n, (int)sides, l, (int)n, b, (int)n);
}

void mst_dense_cholesky_invert(size_t n, double *l)
{
    LAPACKE_dpotri_work(LAPACK_COL_MAJOR, 'U', (int)n, l, (int)n);
    for (size_t i = 0; i < n; i++)
        for (size_t j = i + 1; j < n; j++)
            l[i * n + j] = l[j * n + i];
}

bool mst_dense_solve(mst_dense *d, size_t sides, const double *a, const double *b, double *x)
{
    int order = (int)d->n;
    memcpy(d->copy, a, d->n * d->n * sizeof *a);
    mst_transpose(d->n, d->copy);
    if (x != b)
        memcpy(x, b, sides * d->n * sizeof *b);
    return LAPACKE_dgesv_work(LAPACK_COL_MAJOR, order, (int)sides, d->copy, order, d->iwork, x,
                              order) == 0;
}

/* ---- batches ---- */

static mst_status fail_at(mst_status status, size_t index, size_t *bad, const char *what)
{
    if (bad != NULL)
        *bad = index;
    return mst_fail(status, "matrix %zu %s", index + 1, what);
}

static mst_status check_finite(size_t count, size_t n, const double *a, size_t *bad)
{
    for (size_t i = 0; i < count; i++)
        if (!mst_all_finite(n * n, a + i * n * n))
            return fail_at(MST_DOMAIN, i, bad, "has an entry that is not finite");
    return MST_OK;
}

static size_t block_size(size_t left)
{
    return left < MST_LANES ? left : MST_LANES;
}

mst_status mst_eigen_symmetric(size_t count, size_t n, const double *a, double *values,
                               double *vectors, size_t *bad)
{
    MST_TRY(check_finite(count, n, a, bad));
    if (n <= MST_SMALL_ORDER) {
        const struct linalg_kernels *kernels = MST_PICK(linalg_kernels);
        for (size_t at = 0; at < count; at += MST_LANES)
            kernels->eigen(block_size(count - at), n, a + at * n * n, values + at * n,
                           vectors + at * n * n);
        return MST_OK;
    }
    mst_dense d = {0};
    unsigned char *left; /* to LAPACK */
    MST_TRY(mst_allocate(&left, count));
    memset(left, 1, count);
    mst_status status = n <= WIDE_ORDER ? wide_eigen(count, n, a, values, vectors, left) : MST_OK;
    for (size_t i = 0; i < count && status == MST_OK; i++) {
        if (left[i] == 0)
            continue;
        if (d.work == NULL)
            status = mst_dense_new(&d, n);
        if (status == MST_OK)
            status = mst_dense_eigen(&d, a + i * n * n, values + i * n, vectors + i * n * n);
        if (status != MST_OK && bad != NULL)
            *bad = i;
    }
    mst_dense_release(&d);
    mst_release(left);
    return status;
}

mst_status mst_cholesky(size_t count, size_t n, const double *a, double *l, size_t *bad)
{
    static const char failure[] = "is not positive definite";
    MST_TRY(check_finite(count, n, a, bad));
    if (n <= MST_SMALL_ORDER) {
        const struct linalg_kernels *kernels = MST_PICK(linalg_kernels);
        for (size_t at = 0; at < count; at += MST_LANES) {
            size_t part = block_size(count - at);
            size_t first = kernels->cholesky(part, n, a + at * n * n, l + at * n * n);
            if (first < part)
                return fail_at(MST_DOMAIN, at + first, bad, failure);
        }
        return MST_OK;
    }
    size_t first = count;
    if (n <= WIDE_ORDER)
        MST_TRY(wide_cholesky(count, n, a, l, &first));
    for (size_t i = 0; n > WIDE_ORDER && i < count && first == count; i++)
        first = mst_dense_cholesky(n, a + i * n * n, l + i * n * n) ? count : i;
    return first < count ? fail_at(MST_DOMAIN, first, bad, failure) : MST_OK;
}

/* Replace the columns of u that belong to zero singular values, the last ones, so that u is orthogonal:
 * Gram–Schmidt, twice for accuracy, on the unit vector that the columns before span the least. */
static void complete_columns(size_t n, double *u, const double *sigma)
{
    for (size_t c = 0; c < n; c++) {
        if (sigma[c] > 0)
            continue;
        size_t best = 0;
        double least = INFINITY;
        for (size_t i = 0; i < n; i++) {
            double spanned = 0;
            for (size_t j = 0; j < c; j++)
                spanned += u[i * n + j] * u[i * n + j];
            if (spanned < least) {
                least = spanned;
                best = i;
            }
        }
        for (size_t i = 0; i < n; i++)
            u[i * n + c] = i == best ? 1 : 0;
        for (int pass = 0; pass < 2; pass++) {
            for (size_t j = 0; j < c; j++) {
                double dot = 0;
                for (size_t i = 0; i < n; i++)
                    dot += u[i * n + j] * u[i * n + c];
                for (size_t i = 0; i < n; i++)
                    u[i * n + c] -= dot * u[i * n + j];
            }
            double norm = 0;
            for (size_t i = 0; i < n; i++)
                norm += u[i * n + c] * u[i * n + c];
            for (size_t i = 0; i < n; i++)
                u[i * n + c] /= sqrt(norm);
        }
    }
}

mst_status mst_svd(size_t count, size_t n, const double *a, double *u, double *sigma, double *vt,
                   size_t *bad)
{
    MST_TRY(check_finite(count, n, a, bad));
    if (n <= MST_SMALL_ORDER) {
        const struct linalg_kernels *kernels = MST_PICK(linalg_kernels);
        for (size_t at = 0; at < count; at += MST_LANES)
            kernels->svd(block_size(count - at), n, a + at * n * n, u + at * n * n, sigma + at * n,
                         vt + at * n * n);
        for (size_t i = 0; i < count; i++)
            complete_columns(n, u + i * n * n, sigma + i * n);
        return MST_OK;
    }
    mst_dense d;
    mst_status status = mst_dense_new(&d, n);
    for (size_t i = 0; i < count && status == MST_OK; i++) {
        status = mst_dense_svd(&d, a + i * n * n, u + i * n * n, sigma + i * n, vt + i * n * n);
        if (status != MST_OK && bad != NULL)
            *bad = i;
    }
    mst_dense_release(&d);
    return status;
}

mst_status mst_solve(size_t count, size_t n, size_t sides, const double *a, const double *b,
                     double *x, size_t *bad)
{
    static const char failure[] = "is singular";
    MST_TRY(check_finite(count, n, a, bad));
    if (n <= MST_SMALL_ORDER) {
        const struct linalg_kernels *kernels = MST_PICK(linalg_kernels);
        for (size_t at = 0; at < count; at += MST_LANES) {
            size_t part = block_size(count - at);
            size_t first = kernels->solve(part, n, sides, a + at * n * n, b + at * sides * n,
                                          x + at * sides * n);
            if (first < part)
                return fail_at(MST_DOMAIN, at + first, bad, failure);
        }
        return MST_OK;
    }
    mst_dense d;
    mst_status status = mst_dense_new(&d, n);
    for (size_t i = 0; i < count && status == MST_OK; i++)
        if (!mst_dense_solve(&d, sides, a + i * n * n, b + i * sides * n, x + i * sides * n))
            status = fail_at(MST_DOMAIN, i, bad, failure);
    mst_dense_release(&d);
    return status;
}
