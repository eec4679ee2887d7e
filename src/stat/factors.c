/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

#include "stat/factors.h"

#include <string.h>

mst_status factor_open(factor_view *v, const mst_score *source, size_t i, size_t n, const double *x)
{
    const mst_manifold *whole = mst_score_manifold(source);
    size_t D = mst_manifold_ambient(whole);
    *v = (factor_view){.m = mst_manifold_factor(whole, i)};
    v->d = mst_manifold_dim(v->m);
    v->D = mst_manifold_ambient(v->m);
    for (size_t f = 0; f < i; f++) {
        v->first += mst_manifold_dim(mst_manifold_factor(whole, f));
        v->first_at += mst_manifold_ambient(mst_manifold_factor(whole, f));
    }
    MST_TRY(mst_score_factor(&v->source, source, i));
    MST_TRY(mst_allocate(&v->x, n * v->D));
    for (size_t row = 0; row < n; row++)
        memcpy(v->x + row * v->D, x + row * D + v->first_at, v->D * sizeof *x);
    return MST_OK;
}

void factor_close(factor_view *v)
{
    mst_score_free(v->source);
    mst_release(v->x);
}
