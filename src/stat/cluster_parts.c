/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

#include "stat/cluster_parts.h"

#include "stat/rows.h"

mst_status cluster_check(const mst_manifold *m, size_t n, const double *x, size_t k,
                         const double *weights, size_t restarts, size_t iterations)
{
    MST_TRY(rows_check(m, n, x, weights));
    if (k == 0)
        return mst_fail(MST_ARGUMENT,
                        "k is missing: give the options how many clusters, from 1 to %zu", n);
    if (k > n)
        return mst_fail(MST_ARGUMENT, "k must be from 1 to the number of points, %zu, not %zu", n,
                        k);
    if (restarts < 1 || iterations < 1)
        return mst_fail(MST_ARGUMENT, "restarts and iterations must be at least 1");
    return MST_OK;
}

cluster_threads cluster_split_threads(size_t restarts, int threads)
{
    int count = mst_thread_count(threads);
    bool side_by_side = restarts >= (size_t)count;
    return (cluster_threads){side_by_side ? count : 1, side_by_side ? 1 : count};
}

void cluster_order(size_t k, const double *key, size_t *order)
{
    for (size_t i = 0; i < k; i++) {
        size_t at = i;
        for (; at > 0 && key[order[at - 1]] < key[i]; at--)
            order[at] = order[at - 1];
        order[at] = i;
    }
}
