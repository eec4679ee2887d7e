/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

#include "stat/cluster_parts.h"

#include "base/linalg.h"

#include <math.h>
#include <time.h>

double cluster_clock(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

mst_status cluster_check(const mst_manifold *m, size_t n, const double *x, size_t k,
                         const double *weights, size_t restarts, size_t iterations)
{
    size_t D = mst_manifold_ambient(m);
    if (n < 1)
        return mst_fail(MST_ARGUMENT, "there are no points");
    if (k < 1 || k > n)
        return mst_fail(MST_ARGUMENT, "k must be from 1 to the number of points, %zu, not %zu", n,
                        k);
    if (restarts < 1 || iterations < 1)
        return mst_fail(MST_ARGUMENT, "restarts and iterations must be at least 1");
    for (size_t i = 0; i < n; i++)
        if (!mst_all_finite(D, x + i * D))
            return mst_fail(MST_ARGUMENT, "row %zu: a coordinate is not a finite number", i + 1);
    for (size_t i = 0; weights != NULL && i < n; i++)
        if (!(weights[i] >= 0) || !isfinite(weights[i]))
            return mst_fail(MST_ARGUMENT, "weight %zu is %g, not a number ≥ 0", i + 1, weights[i]);
    double total = cluster_total(n, weights);
    if (!(total > 0) || !isfinite(total))
        return mst_fail(MST_ARGUMENT, "the sum of the weights must be positive and finite, not %g",
                        total);
    return MST_OK;
}

double cluster_total(size_t n, const double *weights)
{
    if (weights == NULL)
        return (double)n;
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += weights[i];
    return sum;
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
