/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Rows whose geodesics leave the domain, beside others that do not. */
#include "manifold/leaving.h"

#include <math.h>
#include <string.h>

/* Rows that are tried together before each is tried alone. */
enum { BLOCK = 16 };

bool mst_can_be_left(const mst_manifold *m)
{
    return (m->traits.closed & MST_CLOSED_EXP) == 0 || m->traits.has_border;
}

bool mst_is_lost(size_t D, const double *row)
{
    for (size_t a = 0; a < D; a++)
        if (isnan(row[a]))
            return true;
    return false;
}

void mst_lose(size_t D, double *row)
{
    for (size_t a = 0; a < D; a++)
        row[a] = NAN;
}

static bool is_loss(mst_status status)
{
    return status == MST_DOMAIN || status == MST_CONVERGENCE;
}

/* One by one; x (n, D) overlaps nothing. */
static mst_status follow_singly(const mst_manifold *m, size_t n, const double *x, const double *v,
                                double *y, mst_status *ends)
{
    size_t D = m->ambient;
    for (size_t i = 0; i < n; i++) {
        bool lost = mst_is_lost(D, x + i * D) || mst_is_lost(D, v + i * D);
        mst_status status = lost ? MST_DOMAIN : m->ops.exp(m, 1, x + i * D, v + i * D, y + i * D);
        if (status != MST_OK && !is_loss(status))
            return status;
        ends[i] = status;
        if (status != MST_OK)
            mst_lose(D, y + i * D);
    }
    return MST_OK;
}

mst_status mst_exp_each(const mst_manifold *m, size_t n, const double *x, const double *v,
                        double *y, mst_status *ends)
{
    size_t D = m->ambient;
    double *kept; /* y may be x or v */
    MST_TRY(mst_allocate(&kept, 2 * BLOCK * D));
    mst_status status = MST_OK;
    for (size_t at = 0; status == MST_OK && at < n; at += BLOCK) {
        size_t count = n - at < BLOCK ? n - at : BLOCK;
        memcpy(kept, x + at * D, count * D * sizeof *kept);
        memcpy(kept + BLOCK * D, v + at * D, count * D * sizeof *kept);
        status = m->ops.exp(m, count, kept, kept + BLOCK * D, y + at * D);
        if (is_loss(status))
            status = follow_singly(m, count, kept, kept + BLOCK * D, y + at * D, ends + at);
        else
            for (size_t i = at; i < at + count; i++)
                ends[i] = MST_OK;
    }
    mst_release(kept);
    return status;
}
