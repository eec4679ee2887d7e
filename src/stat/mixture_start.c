/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Where mixtures begin: clusters by k-means. */
#include "stat/distances.h"
#include "stat/fit.h"
#include "stat/mixture_parts.h"
#include "stat/rows.h"

#include <math.h>
#include <string.h>

/* The automatic least_time in units of the variance of all the points per dimension: components may be a
 * thousand times narrower than the whole. All the points being one, there is no such unit: then the number
 * itself, a time that every kernel can still compute with. */
static const double least_time_fraction = 1e-6, least_time_of_a_point = 1e-12;

/* Fréchet centres where the logarithm is closed, which are fast; else those of the
 * source, which needs none. */
static mst_kmeans_options cluster_options(const mixture_em *e)
{
    const mst_manifold_traits *traits = mst_manifold_traits_of(mst_score_manifold(e->source));
    mst_kmeans_options o = mst_kmeans_options_default();
    o.kind = (traits->closed & MST_CLOSED_LOG) != 0 ? NULL : e->source;
    o.weights = e->o->weights;
    return o;
}

/* Should a logarithm that counts as closed fail after all, the source takes over. */
static mst_status find_clusters(const mixture_em *e, mst_kmeans_options *o, mst_kmeans_result **out)
{
    const mst_manifold *m = mst_score_manifold(e->source);
    mst_status status = mst_kmeans_fit(out, m, e->n, e->x, o);
    if (*out != NULL || o->kind != NULL || !distances_are_lost(status))
        return *out != NULL ? MST_OK : status;
    o->kind = e->source;
    status = mst_kmeans_fit(out, m, e->n, e->x, o);
    return *out != NULL ? MST_OK : status;
}

/* Shares, times and centres from the clusters. Narrow clusters, such as single points, start with the pooled
 * time: at their own they would never let go. */
static void start_from(mixture_em *e, const mst_kmeans_result *clusters, const double *squared)
{
    double pooled = 0;
    for (size_t j = 0; j < e->k; j++)
        e->shares[j] = e->times[j] = 0;
    for (size_t i = 0; i < e->n; i++) {
        e->shares[clusters->labels[i]] += mixture_weight(e, i);
        e->times[clusters->labels[i]] += mixture_weight(e, i) * squared[i];
        pooled += mixture_weight(e, i) * squared[i];
    }
    pooled = fmax(pooled / (e->total * (double)e->d), e->least_time);
    for (size_t j = 0; j < e->k; j++) {
        double own = e->times[j] / (e->shares[j] * (double)e->d);
        e->times[j] =
            fit_clamp_time(e->source, own > 0.01 * pooled ? fmax(own, e->least_time) : pooled);
        /* An empty cluster gets a small share, so that it may yet find points. */
        e->shares[j] = (e->shares[j] / e->total + 0.01 / (double)e->k) / 1.01;
    }
    memcpy(e->centres, clusters->centres, e->k * e->D * sizeof *e->centres);
}

/* The first restart comes from settled k-means clusters, the others from seeds after one iteration: settled
 * ones would often be the same again. */
mst_status mixture_start(mixture_em *e, size_t restart)
{
    const mst_manifold *m = mst_score_manifold(e->source);
    mst_kmeans_options o = cluster_options(e);
    o.k = e->k;
    o.seed = e->o->seed + restart;
    o.restarts = restart == 0 ? 4 : 1;
    o.iterations = restart == 0 ? 100 : 1;
    o.threads = e->threads;
    mst_kmeans_result *clusters;
    MST_TRY(find_clusters(e, &o, &clusters));
    mst_status status = mst_kmeans_assign(m, e->k, clusters->centres, e->n, e->x, e->threads,
                                          clusters->labels, e->weights);
    if (status == MST_OK)
        start_from(e, clusters, e->weights);
    mst_kmeans_result_free(clusters);
    return status;
}

/* The automatic least_time, from the one cluster of all points. */
mst_status mixture_choose_least_time(mixture_em *e)
{
    e->least_time = e->o->least_time;
    if (e->least_time > 0)
        return MST_OK;
    mst_kmeans_options o = cluster_options(e);
    o.k = o.restarts = 1;
    o.seed = e->o->seed;
    o.threads = e->o->threads;
    mst_kmeans_result *all;
    double rounding;
    MST_TRY(rows_rounding(mst_score_manifold(e->source), e->n, e->x, e->o->weights, &rounding));
    MST_TRY(find_clusters(e, &o, &all));
    double variance = all->inertia / (e->total * (double)e->d);
    bool one_point = all->inertia / e->total <= rounding;
    e->least_time = one_point ? least_time_of_a_point : least_time_fraction * variance;
    mst_kmeans_result_free(all);
    return MST_OK;
}
