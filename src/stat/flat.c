/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

#include "stat/flat.h"

#include "manifold/internal.h"
#include "score/score_internal.h"

#include <string.h>

enum { ROWS = 64, BLOCK = 4 * ROWS, WIDE = 100, WIDE_BLOCK = 16 };

bool flat_source(const mst_score *source)
{
    return mst_manifold_traits_of(mst_score_manifold(source))->unrolls &&
           (score_is_exact(source) || score_is_log(source));
}

typedef struct job {
    const mst_manifold *m;
    const double *centres; /* (ROWS, D), all the same */
    const double *x;
    double *u;
} job;

static mst_status run_block(void *context, size_t begin, size_t end)
{
    const job *j = context;
    size_t D = mst_manifold_ambient(j->m), d = mst_manifold_dim(j->m);
    for (size_t at = begin; at < end; at += ROWS)
        MST_TRY(mst_manifold_chart_coords(j->m, end - at < ROWS ? end - at : ROWS, j->centres,
                                          j->x + at * D, j->u + at * d));
    return MST_OK;
}

mst_status flat_coordinates(const mst_manifold *m, const double *centre, size_t n, const double *x,
                            int threads, double *u)
{
    size_t D = mst_manifold_ambient(m);
    double *centres;
    MST_TRY(mst_allocate(&centres, ROWS * D));
    mst_repeat_point(ROWS, D, centre, centres);
    /* A large matrix is work enough. */
    mst_status status = mst_parallel_blocks(n, D < WIDE ? BLOCK : WIDE_BLOCK, threads,
                                            (mst_progress){0}, run_block, &(job){m, centres, x, u});
    mst_release(centres);
    return status;
}

void flat_mean(size_t n, size_t d, const double *u, const double *weights, double *mean)
{
    double total = 0;
    memset(mean, 0, d * sizeof *mean);
    for (size_t i = 0; i < n; i++) {
        double w = weights != NULL ? weights[i] : 1;
        total += w;
        for (size_t a = 0; w > 0 && a < d; a++)
            mean[a] += w * u[i * d + a];
    }
    for (size_t a = 0; a < d; a++)
        mean[a] /= total;
}
