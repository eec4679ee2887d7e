/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Prepared points of products: those of the factors side by side, and plain ones of factors that prepare
 * nothing. */
#include "base/columns.h"
#include "manifold/internal.h"
#include "manifold/product.h"

#include <math.h>
#include <string.h>

size_t mst_prepared_size(const mst_manifold *m)
{
    const mst_manifold_ops *ops = &m->ops;
    bool all = ops->prepared_size != NULL && ops->prepare != NULL && ops->dist_prepared != NULL;
    return all ? ops->prepared_size(m) : 0;
}

static size_t size_in_row(const mst_manifold *factor)
{
    size_t size = mst_prepared_size(factor);
    return size > 0 ? size : factor->ambient;
}

/* Nothing if no factor has anything to prepare, or one of them must be asked pair by pair because its
 * geodesics are searched for. */
size_t mst_product_prepared_size(const mst_manifold *m)
{
    size_t total = 0;
    bool any = false;
    for (size_t f = 0; f < mst_manifold_factor_count(m); f++) {
        const mst_manifold *factor = mst_manifold_factor(m, f);
        if ((factor->traits.closed & MST_CLOSED_EXP) == 0)
            return 0;
        any |= mst_prepared_size(factor) > 0;
        total += size_in_row(factor);
    }
    return any ? total : 0;
}

mst_status mst_product_prepare(const mst_manifold *m, size_t n, const double *x, double *prepared)
{
    size_t size = mst_product_prepared_size(m), from = 0, to = 0;
    double *rows, *made;
    mst_status status = MST_OK;
    MST_TRY(mst_allocate(&rows, n * (m->ambient + size)));
    made = rows + n * m->ambient;
    for (size_t f = 0; f < mst_manifold_factor_count(m) && status == MST_OK; f++) {
        const mst_manifold *factor = mst_manifold_factor(m, f);
        bool prepares = mst_prepared_size(factor) > 0;
        mst_take_columns(n, m->ambient, from, factor->ambient, x, rows);
        if (prepares)
            status = factor->ops.prepare(factor, n, rows, made);
        mst_put_columns(n, size, to, size_in_row(factor), prepares ? made : rows, prepared);
        from += factor->ambient;
        to += size_in_row(factor);
    }
    mst_release(rows);
    return status;
}

/* r (n) of one factor, from its columns x (S) and y (n, S); room (n, S). */
static mst_status dist_of_factor(const mst_manifold *factor, size_t n, const double *x,
                                 const double *y, double *room, double *r)
{
    if (mst_prepared_size(factor) > 0)
        return factor->ops.dist_prepared(factor, n, x, y, r);
    mst_repeat_point(n, factor->ambient, x, room);
    return mst_manifold_dist(factor, n, room, y, r);
}

mst_status mst_product_dist_prepared(const mst_manifold *m, size_t n, const double *x,
                                     const double *y, double *r)
{
    size_t size = mst_product_prepared_size(m), at = 0;
    double *rows;
    mst_status status = MST_OK;
    MST_TRY(mst_allocate(&rows, n * (2 * size + 1)));
    double *room = rows + n * size, *part = room + n * size;
    memset(r, 0, n * sizeof *r);
    for (size_t f = 0; f < mst_manifold_factor_count(m) && status == MST_OK; f++) {
        const mst_manifold *factor = mst_manifold_factor(m, f);
        mst_take_columns(n, size, at, size_in_row(factor), y, rows);
        status = dist_of_factor(factor, n, x + at, rows, room, part);
        for (size_t i = 0; i < n && status == MST_OK; i++)
            r[i] += part[i] * part[i];
        at += size_in_row(factor);
    }
    for (size_t i = 0; i < n && status == MST_OK; i++)
        r[i] = sqrt(r[i]);
    mst_release(rows);
    return status;
}
