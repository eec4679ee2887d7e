/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Many rows against one point. The tables of manifolds take a point per row; here it is repeated for them. */
#include "manifold/internal.h"

#include <string.h>

enum { ROWS = 256 };

void mst_repeat_point(size_t n, size_t D, const double *x, double *rows)
{
    if (n > 0)
        memcpy(rows, x, D * sizeof *rows);
    /* What is there is copied as a whole: rows are short, and a call for each costs more than its bytes. */
    for (size_t have = 1, more; have < n; have += more) {
        more = have < n - have ? have : n - have;
        memcpy(rows + have * D, rows, more * D * sizeof *rows);
    }
}

static mst_status repeat(const mst_manifold *m, size_t n, const double *x, double **rows)
{
    size_t most = n < ROWS ? n : ROWS;
    MST_TRY(mst_allocate(rows, most * m->ambient));
    mst_repeat_point(most, m->ambient, x, *rows);
    return MST_OK;
}

mst_status mst_to_frame_at(const mst_manifold *m, size_t n, const double *x, const double *v,
                           double *c)
{
    double *points;
    MST_TRY(repeat(m, n, x, &points));
    mst_status status = MST_OK;
    for (size_t at = 0; status == MST_OK && at < n; at += ROWS)
        status = mst_manifold_to_frame(m, n - at < ROWS ? n - at : ROWS, points,
                                       v + at * m->ambient, c + at * m->dim);
    mst_release(points);
    return status;
}

mst_status mst_dist_to(const mst_manifold *m, size_t n, const double *x, const double *y, double *r)
{
    double *points;
    MST_TRY(repeat(m, n, y, &points));
    mst_status status = MST_OK;
    for (size_t at = 0; status == MST_OK && at < n; at += ROWS)
        status = mst_manifold_dist(m, n - at < ROWS ? n - at : ROWS, x + at * m->ambient, points,
                                   r + at);
    mst_release(points);
    return status;
}
