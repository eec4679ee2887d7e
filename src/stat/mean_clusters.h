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

/* outer (q, q): Σ_c g_c g_cᵀ with the gradients g_c = Σ w g of the clusters' rows, the middle of the sandwich
 * before it is multiplied by the factor below. Where `of` is null each row is one of its own, and `count` is
 * the number of all rows. Clusters may have rows in several groups of the model. */
MST_MUST_USE mst_status mean_cluster_spread(const fit_model *model, const double *state,
                                            size_t count, const size_t *of, double *outer);

/* What a covariance is worth that is learnt from few clusters, some of them larger than others. */
typedef struct mean_precision {
    double factor;  /* to be multiplied with: the mean was fitted to the same clusters */
    double degrees; /* of freedom */
    double effective_n;
} mean_precision;

/* Clusters of the share h of all weight have gradients u_c of variance v_c = σ² Σw + τ² (Σw)², of which the
 * fit leaves u − h Σu. The spread of these is too small by the factor Σv/tr K, and by Satterthwaite's rule it
 * has (tr K)²/tr K² degrees of freedom, K = (I − h 1ᵀ) diag(v) (I − 1 hᵀ); for clusters of one size these are
 * G/(G − 1) and G − 1. `of_rows` and `of_clusters` are the traces, in the coordinates of the mean, of the
 * spread of the rows, if they were independent, and of the clusters: they tell σ² from
 * τ². At least two clusters. */
MST_MUST_USE mst_status mean_cluster_precision(const mean_clusters *clusters, size_t n,
                                               const double *weights, bool relative, double of_rows,
                                               double of_clusters, mean_precision *out);
/* The same of independent rows of relative weights (n), of which two or more weigh. */
MST_MUST_USE mst_status mean_weights_precision(size_t n, const double *weights,
                                               mean_precision *out);

#endif
