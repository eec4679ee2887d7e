/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* The small-time limit of a network: t·s → Log_y(x) and 2t²∂_t log p + d·t → dist², at the least time it knows. */
#include "score/network.h"

#include <math.h>

typedef struct limit {
    mst_score *score; /* the network's */
    double t;
} limit;

static mst_status evaluate(const mst_score *source, const mst_pairs *pairs,
                           const mst_heat_values *out)
{
    const limit *l = mst_score_data(source);
    size_t D = mst_manifold_ambient(mst_score_manifold(source));
    mst_pairs now = *pairs;
    now.t = &l->t;
    now.t_stride = 0;
    if (out->score == NULL)
        return MST_OK;
    MST_TRY(mst_score_evaluate(l->score, &now, &(mst_heat_values){.score = out->score}));
    for (size_t k = 0; k < pairs->n * D; k++)
        out->score[k] *= l->t;
    return MST_OK;
}

static void describe(const mst_score *source, mst_score_info *info)
{
    const limit *l = mst_score_data(source);
    info->precision = mst_score_describe(l->score)->precision;
    info->cost = mst_score_describe(l->score)->cost;
}

static void free_limit(void *data)
{
    limit *l = data;
    mst_score_free(l->score);
    mst_release(l);
}

static const mst_score_ops limit_ops = {
    .size = sizeof limit_ops,
    .name = "network",
    .describe = describe,
    .evaluate = evaluate,
    .free_data = free_limit,
};

mst_status mst_score_network_log_new(mst_score **out, const mst_network *net, double t)
{
    limit *l;
    *out = NULL;
    t = t > 0 ? t : net->info.t_min;
    MST_TRY(network_check_times(net, 1, &t));
    MST_TRY(mst_allocate_zero(&l, 1));
    l->t = t;
    mst_status status = mst_score_network_new(&l->score, net, false);
    if (status != MST_OK) {
        free_limit(l);
        return status;
    }
    return mst_score_new(out, &limit_ops, net->m, l);
}

mst_status mst_network_log(const mst_network *net, size_t n, const double *x, const double *y,
                           double t, double *v, double *square)
{
    mst_score *score;
    double *dt;
    t = t > 0 ? t : net->info.t_min;
    MST_TRY(mst_score_network_new(&score, net, false));
    mst_status status = mst_allocate(&dt, n);
    if (status == MST_OK) {
        /* The score is taken at the second point, and Log_x(y) lives at the first. */
        mst_heat_values values = {.score = v, .dt_log_p = square != NULL ? dt : NULL};
        mst_pairs pairs = mst_pairs_rows(net->m, n, y, x, &t);
        pairs.t_stride = 0;
        status = mst_score_evaluate(score, &pairs, &values);
        for (size_t k = 0; status == MST_OK && v != NULL && k < n * net->features->D; k++)
            v[k] *= t;
        for (size_t i = 0; status == MST_OK && square != NULL && i < n; i++)
            square[i] = fmax(0, 2 * t * t * dt[i] + (double)net->features->d * t);
        mst_release(dt);
    }
    mst_score_free(score);
    return status;
}
