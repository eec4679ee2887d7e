/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

#include "manifold/internal.h"
#include "stat/kmeans_parts.h"

#include <math.h>
#include <string.h>

enum { ROWS = 256, BLOCK = 16 * ROWS };

static mst_status assign_block(void *context, size_t begin, size_t end)
{
    const kmeans_assignment *a = context;
    size_t D = mst_manifold_ambient(a->m), label[ROWS];
    double r[ROWS], best[ROWS];
    for (size_t at = begin; at < end; at += ROWS) {
        size_t n = end - at < ROWS ? end - at : ROWS;
        for (size_t i = 0; i < n; i++) {
            best[i] = INFINITY;
            label[i] = 0;
        }
        for (size_t c = 0; c < a->k; c++) {
            MST_TRY(kmeans_measure(a, c, at, n, NULL, a->x + at * D, r));
            for (size_t i = 0; i < n; i++)
                if (r[i] < best[i] || (r[i] == best[i] && c == a->labels[at + i])) {
                    best[i] = r[i];
                    label[i] = c;
                }
        }
        memcpy(a->labels + at, label, n * sizeof *label);
        for (size_t i = 0; a->squared != NULL && i < n; i++)
            a->squared[at + i] = best[i] * best[i];
    }
    return MST_OK;
}

mst_status kmeans_assign(kmeans_assignment a, size_t n, int threads)
{
    return mst_parallel_blocks(n, BLOCK, threads, (mst_progress){0}, assign_block, &a);
}

mst_status mst_kmeans_assign(const mst_manifold *m, size_t k, const double *centres, size_t n,
                             const double *x, int threads, size_t *labels, double *squared)
{
    if (k < 1)
        return mst_fail(MST_ARGUMENT, "there are no centres");
    /* Into memory of our own first: a failure leaves the outputs as they are. */
    size_t *found;
    double *distances;
    MST_TRY(mst_allocate(&found, n));
    mst_status status = mst_allocate(&distances, n);
    for (size_t i = 0; i < n; i++)
        found[i] = kmeans_no_label;
    kmeans_assignment a = {m, mst_dist_to, k, centres, x, found, distances, {0}};
    if (status == MST_OK)
        status = kmeans_assign(a, n, threads);
    if (distances_are_lost(status)) {
        a.distances = chords_to;
        for (size_t i = 0; i < n; i++)
            found[i] = kmeans_no_label;
        status = kmeans_assign(a, n, threads);
    }
    if (status == MST_OK && n > 0) {
        memcpy(labels, found, n * sizeof *labels);
        if (squared != NULL)
            memcpy(squared, distances, n * sizeof *squared);
    }
    mst_release(distances);
    mst_release(found);
    return status;
}
