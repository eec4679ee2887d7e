/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* The small-time limit of a network: t·s → Log_y(x) and 2t²∂_t log p + d·t → dist², at
 * the least time it knows. */
#include "score/network.h"
#include "score/score_internal.h"

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

/* Of a source at all times in the network's range, which the limit owns, also on failure. */
static mst_status limit_new(mst_score **out, mst_score *score, double t)
{
    const mst_network *net = mst_score_network(score);
    limit *l = NULL;
    t = t > 0 ? t : net->info.t_min;
    mst_status status = network_check_times(net, 1, &t);
    if (status == MST_OK)
        status = mst_allocate_zero(&l, 1);
    if (status != MST_OK) {
        mst_score_free(score);
        return status;
    }
    *l = (limit){score, t};
    return mst_score_new(out, &limit_ops, net->m, l);
}

mst_status mst_score_network_log_new(mst_score **out, const mst_network *net, double t)
{
    mst_score *score;
    *out = NULL;
    MST_TRY(mst_score_network_new(&score, net, false));
    return limit_new(out, score, t);
}

mst_status network_limit_take(mst_score **out, mst_network *net, double t, bool alone)
{
    mst_score *score;
    *out = NULL;
    MST_TRY(network_source_take(&score, net, false, alone));
    return limit_new(out, score, t);
}

const mst_score *network_limit_of(const mst_score *s)
{
    return score_is(s, &limit_ops) ? ((const limit *)mst_score_data(s))->score : NULL;
}

double mst_score_limit_time(const mst_score *s)
{
    return score_is(s, &limit_ops) ? ((const limit *)mst_score_data(s))->t : 0;
}

/* By the network's own source. */
static mst_status small_time_log(const mst_score *score, size_t n, const double *x, const double *y,
                                 double t, double *v, double *square)
{
    const mst_network *net = mst_score_network(score);
    double *dt;
    t = t > 0 ? t : net->info.t_min;
    MST_TRY(network_check_times(net, 1, &t));
    MST_TRY(mst_allocate(&dt, n));
    /* The score is taken at the second point, and Log_x(y) lives at the first. */
    mst_heat_values values = {.score = v, .dt_log_p = square != NULL ? dt : NULL};
    mst_pairs pairs = mst_pairs_rows(net->m, n, y, x, &t);
    pairs.t_stride = 0;
    mst_status status = mst_score_evaluate(score, &pairs, &values);
    for (size_t k = 0; status == MST_OK && v != NULL && k < n * net->features->D; k++)
        v[k] *= t;
    for (size_t i = 0; status == MST_OK && square != NULL && i < n; i++)
        square[i] = fmax(0, 2 * t * t * dt[i] + (double)net->features->d * t);
    mst_release(dt);
    return status;
}

mst_status mst_network_log(const mst_network *net, size_t n, const double *x, const double *y,
                           double t, double *v, double *square)
{
    mst_score *score;
    MST_TRY(mst_score_network_new(&score, net, false));
    mst_status status = small_time_log(score, n, x, y, t, v, square);
    mst_score_free(score);
    return status;
}

static mst_status require_network(const mst_score *s)
{
    if (mst_score_network(s) != NULL)
        return MST_OK;
    return mst_fail(MST_ARGUMENT, "the score source '%s' is not a network", mst_score_name(s));
}

mst_status mst_score_network_log(const mst_score *s, size_t n, const double *x, const double *y,
                                 double *v, double *square)
{
    const mst_score *behind = network_limit_of(s);
    MST_TRY(require_network(s));
    return small_time_log(behind != NULL ? behind : s, n, x, y, mst_score_limit_time(s), v, square);
}

mst_status mst_score_network_limit_new(mst_score **out, const mst_score *s)
{
    const mst_score *behind = network_limit_of(s);
    const mst_network *net = mst_score_network(s);
    mst_score *score;
    *out = NULL;
    MST_TRY(require_network(s));
    MST_TRY(network_is_alone(behind != NULL ? behind : s)
                ? mst_score_network_alone_new(&score, net, false)
                : mst_score_network_new(&score, net, false));
    return limit_new(out, score, mst_score_limit_time(s));
}
