/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

#include "manifold/internal.h"
#include "stat/mean_parts.h"

#include <math.h>
#include <string.h>

/* Columns of the factors m of rows of width `stride`. */
static mst_status extrinsic_columns(const mst_manifold *m, size_t n, const double *x, size_t stride,
                                    const double *weights, double *out)
{
    if (mst_manifold_factor(m, 0) != m) {
        for (size_t f = 0; f < mst_manifold_factor_count(m); f++) {
            const mst_manifold *factor = mst_manifold_factor(m, f);
            MST_TRY(extrinsic_columns(factor, n, x, stride, weights, out));
            x += factor->ambient;
            out += factor->ambient;
        }
        return MST_OK;
    }
    bool angles = mst_is_family(m, "circle") || mst_is_family(m, "torus");
    double total = 0;
    for (size_t i = 0; i < n; i++)
        total += weights != NULL ? weights[i] : 1;
    for (size_t a = 0; a < m->ambient; a++) {
        double sum = 0, sine = 0;
        for (size_t i = 0; i < n; i++) {
            double w = weights != NULL ? weights[i] : 1, value = x[i * stride + a];
            sum += w * (angles ? cos(value) : value);
            sine += angles ? w * sin(value) : 0;
        }
        if (angles && hypot(sum, sine) < 1e-9 * total)
            return mst_fail(MST_DOMAIN, "the angles have no mean direction");
        out[a] = angles ? atan2(sine, sum) : sum / total;
    }
    /* Rounding leaves something of the order of 1e-17 of opposite points: that is not a direction. */
    double size = 0;
    for (size_t a = 0; a < m->ambient; a++)
        size = fmax(size, fabs(out[a]));
    if (mst_is_family(m, "sphere") && size < 1e-9)
        return mst_fail(MST_DOMAIN, "the points have no mean direction");
    return mst_manifold_project(m, 1, out, out);
}

mst_status mean_extrinsic(const mst_manifold *m, size_t n, const double *x, const double *weights,
                          double *out)
{
    return extrinsic_columns(m, n, x, mst_manifold_ambient(m), weights, out);
}

enum { ROWS = 256, BLOCK = 16 * ROWS };

typedef struct job {
    const mst_manifold *m;
    const double *x, *weights, *y;
    double *partial; /* (blocks, 2): Σ w d², Σ w */
} job;

static mst_status run_block(void *context, size_t begin, size_t end)
{
    const job *j = context;
    size_t D = mst_manifold_ambient(j->m);
    double r[ROWS], *sum = j->partial + 2 * (begin / BLOCK);
    sum[0] = sum[1] = 0;
    mst_status status = MST_OK;
    for (size_t at = begin; status == MST_OK && at < end; at += ROWS) {
        size_t n = end - at < ROWS ? end - at : ROWS;
        status = mst_dist_to(j->m, n, j->x + at * D, j->y, r);
        for (size_t i = 0; status == MST_OK && i < n; i++) {
            double w = j->weights != NULL ? j->weights[at + i] : 1;
            sum[0] += w > 0 ? w * r[i] * r[i] : 0; /* r² may be beyond the range of doubles */
            sum[1] += w;
        }
    }
    return status;
}

mst_status mean_squared_distance(const mst_manifold *m, size_t n, const double *x,
                                 const double *weights, const double *y, int threads, double *out)
{
    size_t blocks = n / BLOCK + (n % BLOCK != 0);
    job j = {m, x, weights, y, NULL};
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
