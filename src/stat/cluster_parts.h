/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* What k-means and mixtures share. */
#ifndef MST_STAT_CLUSTER_PARTS_H
#define MST_STAT_CLUSTER_PARTS_H

#include "base/internal.h"

#include <manistat/cluster.h>

/* rows_check, 1 ≤ k ≤ n, restarts and iterations at least 1: else MST_ARGUMENT. */
MST_MUST_USE mst_status cluster_check(const mst_manifold *m, size_t n, const double *x, size_t k,
                                      const double *weights, size_t restarts, size_t iterations);

/* Restarts run side by side when there are enough of them to feed all threads; else one after another with
 * the rows shared out. Neither changes a bit of the result. */
typedef struct cluster_threads {
    int restarts, rows;
} cluster_threads;
cluster_threads cluster_split_threads(size_t restarts, int threads);

/* The order of k items by decreasing `key`, ties as they stand. */
void cluster_order(size_t k, const double *key, size_t *order);

#endif
