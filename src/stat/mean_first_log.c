/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* The Fréchet mean, roughly, as the start of a dearer climb: μ ← Exp_μ of the mean of Log_μ(x_i). */
#include "manifold/internal.h"
#include "stat/mean_search.h"

#include <manistat/geodesic.h>
#include <math.h>
#include <string.h>

enum { MOST_ROUNDS = 30 };

/* v: the mean Log at `at` over the rows that have one; the part of the standard error that it is. */
static mst_status mean_log(const mst_manifold *m, const fit_rows *rows, mst_geodesics *kept,
                           int threads, const double *at, double *room, double *v, double *part)
{
    size_t D = m->ambient, n = rows->n;
    double *from = room, *log = from + n * D, *length = log + n * D, total = 0, square = 0, size;
    mst_geodesic_options o = mst_geodesic_options_default();
    o.tolerance = 1e-4;
    o.threads = threads;
    o.warm = kept;
    mst_repeat_point(n, D, at, from);
    MST_TRY(mst_geodesic_solve(m, n, from, rows->x, &o,
                               &(mst_geodesic_output){.log_x = log, .length = length}));
    memset(v, 0, D * sizeof *v);
    for (size_t i = 0; i < n; i++) {
        double w = rows->weights != NULL ? rows->weights[i] : 1;
        if (isnan(length[i]) || w == 0)
            continue;
        total += w;
        square += w * length[i] * length[i];
        for (size_t k = 0; k < D; k++)
            v[k] += w * log[i * D + k];
    }
    for (size_t k = 0; k < D; k++)
        v[k] /= total;
    MST_TRY(mst_manifold_norm(m, 1, at, v, &size));
    *part = size / sqrt(square / total / (double)n);
    return MST_OK;
}

static mst_status iterate(const mst_manifold *m, const fit_rows *rows, int threads, double *at)
{
    size_t D = m->ambient, n = rows->n;
    mst_geodesics *kept;
    double *room, part = INFINITY, before = INFINITY;
    MST_TRY(mst_geodesics_new(&kept, m, n));
    mst_status status = mst_allocate(&room, n * (2 * D + 1) + 2 * D);
    double *v = status == MST_OK ? room + n * (2 * D + 1) : NULL, *next = v != NULL ? v + D : NULL;
    for (int k = 0; status == MST_OK && k < MOST_ROUNDS && part > 0.1; k++) {
        status = mean_log(m, rows, kept, threads, at, room, v, &part);
        if (status != MST_OK || !(part < 2 * before))
            break;
        before = part;
        status = mst_manifold_exp(m, 1, at, v, next);
        if (status == MST_OK)
            memcpy(at, next, D * sizeof *at);
    }
    mst_release(room);
    mst_geodesics_free(kept);
    return status;
}

mst_status mean_start_by_logs(const mst_manifold *m, const fit_rows *rows, int threads, double *at,
                              bool *found)
{
    size_t D = m->ambient, row;
    double total = 0;
    memset(at, 0, D * sizeof *at);
    for (size_t i = 0; i < rows->n; i++) {
        double w = rows->weights != NULL ? rows->weights[i] : 1;
        total += w;
        for (size_t k = 0; k < D; k++)
            at[k] += w * rows->x[i * D + k];
    }
    for (size_t k = 0; k < D; k++)
        at[k] /= total;
    mst_status status = mst_manifold_validate(m, 1, at, &row);
    if (status == MST_OK)
        status = iterate(m, rows, threads, at);
    *found = status == MST_OK;
    /* Without it the climb begins where others do. */
    return status == MST_MEMORY || status == MST_INTERRUPTED ? status : MST_OK;
}
