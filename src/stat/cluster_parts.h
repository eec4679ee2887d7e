/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* What k-means and mixtures share. */
#ifndef MST_STAT_CLUSTER_PARTS_H
#define MST_STAT_CLUSTER_PARTS_H

#include "base/internal.h"

#include <manistat/cluster.h>
#include <manistat/random.h>

/* rows_check, 1 ≤ k ≤ n, restarts and iterations at least 1: else MST_ARGUMENT. */
MST_MUST_USE mst_status cluster_check(const mst_manifold *m, size_t n, const double *x, size_t k,
                                      const double *weights, size_t restarts, size_t iterations);

/* Restarts run side by side when there are enough of them to feed all threads; else one after another with
 * the rows shared out. Neither changes a bit of the result. */
typedef struct cluster_threads {
    int restarts, rows;
} cluster_threads;
cluster_threads cluster_split_threads(size_t restarts, int threads);

/* Of many rows, four times as many or more, restarts see some, drawn at random. */
enum { CLUSTER_SOME = 16384, CLUSTER_STREAM = 7 };
typedef struct cluster_sample {
    size_t n, *rows;
    double *x, *weights; /* (n, D), (n) */
} cluster_sample;
/* Have n rows such a sample that tells of k clusters? */
bool cluster_has_sample(size_t n, size_t k);
/* `some` of n rows; free it whatever becomes of it. */
MST_MUST_USE mst_status cluster_sample_draw(cluster_sample *s, mst_random stream, size_t some,
                                            size_t n, size_t D, const double *x,
                                            const double *weights);
/* False: too few of its rows have a weight for k clusters. */
bool cluster_sample_is_fair(const cluster_sample *s, size_t k);
void cluster_sample_free(cluster_sample *s);
/* Of what two restarts make of each row of a sample, less being better: is the second surely worse on all
 * rows? By five standard errors of the difference: one good one in three million is missed. */
bool cluster_is_worse(const cluster_sample *s, const double *first, const double *second);
/* Restarts whose sums differ by less, relatively, have found the same. */
static const double cluster_same = 1e-7;

/* The order of k items by decreasing `key`, ties as they stand. */
void cluster_order(size_t k, const double *key, size_t *order);

#endif
