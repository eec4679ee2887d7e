/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Rows that depend on each other: which they are, and the covariance that knows it. */
#ifndef MST_STAT_MEAN_CLUSTERS_H
#define MST_STAT_MEAN_CLUSTERS_H

#include "stat/fit.h"

/* Clusters by number, in the order in which their first rows come. */
typedef struct mean_clusters {
    size_t count; /* that weigh; 0: rows are independent */
    size_t *of;   /* (n); SIZE_MAX for rows without weight; null: rows are independent */
} mean_clusters;

/* Of rows with weights (n) or null; names (n) are any numbers, or null. */
MST_MUST_USE mst_status mean_clusters_new(mean_clusters *c, size_t n, const double *weights,
                                          const size_t *names);
void mean_clusters_free(mean_clusters *c);

/* outer (q, q): G/(G−1) Σ_c g_c g_cᵀ with the gradients g_c = Σ w g of the clusters' rows, the middle of the
 * sandwich; without the factor where `of` is null and each row is one of its own (then `count` is the number
 * of all rows). Clusters may have rows in several groups of the model. */
MST_MUST_USE mst_status mean_cluster_spread(const fit_model *model, const double *state,
                                            size_t count, const size_t *of, double *outer);

#endif
