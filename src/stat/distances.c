/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

#include "stat/distances.h"

#include "manifold/internal.h"

#include <math.h>
#include <string.h>

enum { ROWS = 256, BLOCK = 16 * ROWS };

bool distances_are_lost(mst_status status)
{
    return status == MST_UNABLE || status == MST_DOMAIN || status == MST_CONVERGENCE ||
           status == MST_BREAKDOWN;
}

mst_status chords_to(const mst_manifold *m, size_t n, const double *x, const double *y, double *r)
{
    size_t D = mst_manifold_ambient(m), most = n < ROWS ? n : ROWS;
    double *rows;
    MST_TRY(mst_allocate(&rows, most * D));
    mst_repeat_point(most, D, y, rows);
    mst_status status = MST_OK;
    for (size_t at = 0; status == MST_OK && at < n; at += ROWS) {
        size_t count = n - at < ROWS ? n - at : ROWS;
        status = mst_manifold_toward(m, count, x + at * D, rows, r + at, NULL, NULL);
        for (size_t i = at; status == MST_OK && i < at + count; i++)
            r[i] = sqrt(fmax(0, 2 * r[i]));
    }
    mst_release(rows);
    return status;
}

static bool are_closed(const mst_manifold *m)
{
    return (mst_manifold_traits_of(m)->closed & (MST_CLOSED_DIST | MST_CLOSED_LOG)) != 0;
}

mst_status distance_about(const mst_manifold *m, const double *x, const double *y, double *r)
{
    mst_status status = MST_UNABLE;
    if (are_closed(m))
        status = mst_manifold_dist(m, 1, x, y, r);
    if (!distances_are_lost(status))
        return status;
    return chords_to(m, 1, x, y, r);
}

typedef struct job {
    const mst_manifold *m;
    const double *x, *weights, *y;
    distance_function *distances;
    double *partial; /* (blocks, 2): Σ w d², Σ w */
} job;

static mst_status run_block(void *context, size_t begin, size_t end)
{
    const job *j = context;
    size_t D = mst_manifold_ambient(j->m);
    double r[ROWS], *sum = j->partial + 2 * (begin / BLOCK);
    sum[0] = sum[1] = 0;
    for (size_t at = begin; at < end; at += ROWS) {
        size_t n = end - at < ROWS ? end - at : ROWS;
        MST_TRY(j->distances(j->m, n, j->x + at * D, j->y, r));
        for (size_t i = 0; i < n; i++) {
            double w = j->weights != NULL ? j->weights[at + i] : 1;
            sum[0] += w > 0 ? w * r[i] * r[i] : 0; /* r² may be beyond the range of doubles */
            sum[1] += w;
        }
    }
    return MST_OK;
}

static mst_status mean_square(job j, size_t n, int threads, double *out)
{
    size_t blocks = n / BLOCK + (n % BLOCK != 0);
    MST_TRY(mst_allocate(&j.partial, 2 * blocks + 2));
    mst_status status = mst_parallel_blocks(n, BLOCK, threads, (mst_progress){0}, run_block, &j);
    double sum = 0, total = 0;
    for (size_t b = 0; status == MST_OK && b < blocks; b++) {
        sum += j.partial[2 * b];
        total += j.partial[2 * b + 1];
    }
    *out = sum / total;
    mst_release(j.partial);
    return status;
}

mst_status mean_squared_distance(const mst_manifold *m, size_t n, const double *x,
                                 const double *weights, const double *y, int threads, double *out)
{
    return mean_square((job){m, x, weights, y, mst_dist_to, NULL}, n, threads, out);
}

mst_status mean_squared_size(const mst_manifold *m, size_t n, const double *x,
                             const double *weights, const double *y, int threads, double *out)
{
    mst_status status = MST_UNABLE;
    if (are_closed(m))
        status = mean_squared_distance(m, n, x, weights, y, threads, out);
    if (!distances_are_lost(status))
        return status;
    return mean_square((job){m, x, weights, y, chords_to, NULL}, n, threads, out);
}
