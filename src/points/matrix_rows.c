/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

#include "points/matrix_rows.h"

#include "base/linalg.h"
#include "base/spectrum.h"

#include <stdio.h>

/* ---- Missing channels ---- */

bool mst_missing_channels(size_t order, const double *x, char text[MISSING_TEXT])
{
    enum { MOST = 12, LIST = 80 };
    char list[LIST] = "";
    size_t missing = 0, used = 0, none = 0;
    for (size_t i = 0; i < order; i++) {
        size_t gaps = 0;
        for (size_t j = 0; j < order; j++)
            gaps += isnan(x[i * order + j]) || isnan(x[j * order + i]);
        none += gaps;
        if (gaps == order && missing++ < MOST)
            used +=
                (size_t)snprintf(list + used, LIST - used, "%s%zu", used > 0 ? ", " : "", i + 1);
    }
    /* Pairs of which one channel at least is missing, in either order. */
    if (order < 2 || missing == 0 || none != missing * (2 * order - missing))
        return false;
    if (missing == order)
        snprintf(text, MISSING_TEXT, "all %zu channels are missing (nan)", order);
    else
        snprintf(
            text, MISSING_TEXT,
            "channel%s %s%s %s missing (nan in %s of the matrix); leave out the row, or the "
            "channel%s in all rows",
            missing > 1 ? "s" : "", list, missing > MOST ? ", …" : "", missing > 1 ? "are" : "is",
            missing > 1 ? "their rows and columns" : "its row and column", missing > 1 ? "s" : "");
    return true;
}

/* ---- Singular and indefinite ones ---- */

bool mst_point_is_singular(const mst_point_decoder *d, const double *x)
{
    bool singular = false;
    for (size_t l = 0; l < d->leaf_count; l++) {
        const mst_point_leaf *leaf = &d->leaves[l];
        size_t order = mst_matrix_order(leaf->width);
        mst_spectrum s;
        if (!leaf->positive || mst_spectrum_of(order, x + leaf->offset, &s) != MST_OK)
            continue;
        if (s.indefinite || s.rank == 0)
            return false;
        singular |= s.rank < order || !(s.least > 0);
    }
    return singular;
}

mst_status mst_notice_singular_points(const mst_point_decoder *d, size_t n, const double *x)
{
    size_t D = mst_manifold_ambient(d->m);
    double *work = NULL;
    mst_status status = MST_OK;
    for (size_t l = 0; l < d->leaf_count && status == MST_OK; l++) {
        size_t order = mst_matrix_order(d->leaves[l].width);
        if (!d->leaves[l].positive)
            continue;
        if (work == NULL)
            status = mst_allocate(&work, D);
        for (size_t i = 0; i < n && status == MST_OK; i++) {
            const double *a = x + i * D + d->leaves[l].offset;
            mst_spectrum s;
            if (!mst_spectrum_suspect(order, a, work))
                continue;
            status = mst_cholesky(1, order, a, work, NULL);
            bool refused = status == MST_DOMAIN; /* which others say */
            status = refused ? MST_OK : status;
            if (status == MST_OK && !refused)
                status = mst_spectrum_of(order, a, &s);
            if (status == MST_OK && !refused && s.rank < order)
                mst_notice_singular(d->notices, mst_point_row(d, i), s.rank, order);
        }
    }
    mst_release(work);
    return status;
}

/* ---- Shrinkage ---- */

static mst_status refuse_indefinite(const mst_point_decoder *d, size_t k, size_t order,
                                    const double *x)
{
    mst_spectrum s;
    char what[160];
    MST_TRY(mst_spectrum_of(order, x, &s));
    if (!s.indefinite)
        return MST_OK;
    snprintf(what, sizeof what,
             "matrix is not positive definite (smallest eigenvalue %.3g), and no covariance matrix "
             "that could be shrunk; correct it or pass `force`",
             s.least);
    return mst_point_off(d, k, what, false);
}

mst_status mst_shrink_points(const mst_point_decoder *d, size_t n, double *x)
{
    const mst_points_options *o = &d->options;
    size_t D = mst_manifold_ambient(d->m);
    double *work;
    if (o->shrink == MST_SHRINK_NONE)
        return MST_OK;
    MST_TRY(mst_allocate(&work, D));
    mst_status status = MST_OK;
    for (size_t i = 0; i < n && status == MST_OK; i++)
        for (size_t l = 0; l < d->leaf_count && status == MST_OK; l++) {
            double *a = x + i * D + d->leaves[l].offset;
            size_t order = mst_matrix_order(d->leaves[l].width);
            if (!d->leaves[l].positive)
                continue;
            if (!o->force && mst_spectrum_suspect(order, a, work))
                status = refuse_indefinite(d, i, order, a);
            double intensity = o->shrink == MST_SHRINK_OAS
                                   ? mst_shrink_oas(order, a, (double)o->samples)
                                   : o->intensity;
            if (status != MST_OK)
                break;
            mst_shrink_matrix(order, intensity, a);
            mst_notice_shrunk(d->notices, mst_point_row(d, i), intensity);
        }
    mst_release(work);
    return status;
}
