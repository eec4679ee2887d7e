/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Where a training was: users are warned of points beyond. */
#include "learned/learned.h"
#include "manifold/in_space.h"
#include "train/trainer.h"

#include <math.h>
#include <string.h>

/* How far do paths go? From the default start, or from the middle of the given ones. `x` and `y` (n, D). */
static mst_status find_reach(trainer *r, size_t n, const double *x, const double *y, double *work)
{
    const mst_manifold *m = r->m;
    size_t D = mst_manifold_ambient(m);
    double *centre = work, *mean = centre + D, *base = mean + D, *v = base + n * D, reach = 0;
    mst_manifold_start(m, centre);
    for (size_t i = 0; i < n; i++)
        memcpy(base + i * D, centre, D * sizeof *base);
    if (r->o->starts > 0) {
        memset(mean, 0, D * sizeof *mean);
        MST_TRY(mst_manifold_log(m, n, base, y, v, NULL));
        for (size_t i = 0; i < n * D; i++)
            mean[i % D] += v[i] / (double)n;
        MST_TRY(mst_manifold_exp(m, 1, centre, mean, centre));
        for (size_t i = 0; i < n; i++)
            memcpy(base + i * D, centre, D * sizeof *base);
    }
    for (int side = 0; side < 2; side++) {
        MST_TRY(mst_manifold_dist(m, n, base, side == 0 ? x : y, v));
        for (size_t i = 0; i < n; i++)
            reach = fmax(reach, v[i]);
    }
    return network_set_reach(r->net, centre, reach);
}

mst_status trainer_measure_reach(trainer *r, const sample_plan *plan)
{
    /* Where a logarithm is a search it takes milliseconds, and a training may have no more than a minute. */
    enum { PATHS = 2048, SEARCHED = 256, DEAR = 64 };
    size_t D = mst_manifold_ambient(r->m), slots = sample_plan_slots(plan);
    double *rows;
    bool closed = (mst_manifold_traits_of(r->m)->closed & MST_CLOSED_LOG) != 0,
         has_log = closed || mst_has_root(r->m);
    if (sample_plan_is_uniform(plan) || !has_log)
        return MST_OK;
    size_t n = closed ? PATHS : mst_manifold_is_learned(r->m) ? DEAR : SEARCHED;
    MST_TRY(mst_allocate(&rows, PATHS * (4 * D + 1) + 2 * D));
    double *y = rows + PATHS * D, *t = y + PATHS * D, *work = t + PATHS;
    mst_status status = sample_draw(plan, 0, n / slots, &(sample_rows){.x = rows, .y = y, .t = t});
    if (status == MST_OK)
        status = find_reach(r, n, rows, y, work);
    mst_release(rows);
    /* A search may give up, and so may a table's own log. */
    return status == MST_CONVERGENCE || status == MST_DOMAIN ? MST_OK : status;
}
