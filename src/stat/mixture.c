/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Mixtures of Brownian motions: the best of several restarts of EM. */
#include "base/options.h"
#include "stat/cluster_parts.h"
#include "stat/fit.h"
#include "stat/mean_weights.h"
#include "stat/mixture_parts.h"
#include "stat/pieces.h"
#include "stat/rows.h"
#include "util/clock.h"

#include <math.h>
#include <string.h>

mst_mixture_options mst_mixture_options_default(void)
{
    return (mst_mixture_options){.size = sizeof(mst_mixture_options),
                                 .restarts = 5,
                                 .iterations = 500,
                                 .tolerance = 1e-9,
                                 .seed = 2712};
}

typedef struct search {
    mixture_em *restarts; /* their parameters stand in `parameters`, one after another */
    double *parameters;
} search;

static mst_status run_restart(void *context, size_t begin, size_t end)
{
    const search *s = context;
    for (size_t r = begin; r < end; r++) {
        mixture_em *e = &s->restarts[r];
        mixture_place(e, s->parameters + r * mixture_size(e->k, e->D));
        mst_status status = mixture_em_new(e);
        if (status == MST_OK)
            status = mixture_start(e, r);
        if (status == MST_OK)
            status = mixture_iterate(e);
        mst_release(e->memory);
        e->memory = NULL;
        MST_TRY(status);
    }
    return MST_OK;
}

/* A component on a single point has a likelihood as high as least_time allows and tells nothing: such a
 * restart wins only over its like. */
static const mixture_em *best_of(const search *s, size_t restarts)
{
    const mixture_em *best = &s->restarts[0];
    for (const mixture_em *e = best + 1; e < s->restarts + restarts; e++)
        if (e->degenerate != best->degenerate ? best->degenerate
                                              : e->log_likelihood > best->log_likelihood)
            best = e;
    return best;
}

void mst_mixture_result_free(mst_mixture_result *r)
{
    if (r == NULL)
        return;
    mst_release(r->labels);
    mst_release(r->weights);
    mst_release(r);
}

static mst_status result_new(mst_mixture_result **out, size_t n, size_t k, size_t D)
{
    mst_mixture_result *r;
    MST_TRY(mst_allocate_zero(&r, 1));
    mst_status status = mst_allocate(&r->labels, n + k);
    if (status == MST_OK)
        status = mst_allocate(&r->weights, mixture_size(k, D) + n * k);
    if (status != MST_OK) {
        mst_mixture_result_free(r);
        return status;
    }
    r->times = r->weights + k;
    r->centres = r->times + k;
    r->responsibilities = r->centres + k * D;
    r->n = n;
    r->k = k;
    *out = r;
    return MST_OK;
}

/* The best restart into the result, by decreasing weight; its responsibilities are made again rather than
 * kept for all restarts. */
static mst_status describe(const mixture_em *best, mst_mixture_result *r)
{
    size_t n = best->n, k = best->k, D = best->D, *order = r->labels + n;
    cluster_order(k, best->shares, order);
    for (size_t j = 0; j < k; j++) {
        r->weights[j] = best->shares[order[j]];
        r->times[j] = best->times[order[j]];
        memcpy(r->centres + j * D, best->centres + order[j] * D, D * sizeof *r->centres);
    }
    mixture_em e = *best;
    e.threads = e.o->threads;
    MST_TRY(mixture_em_new(&e));
    mixture_place(&e, r->weights);
    mst_status status = mixture_expect(&e);
    if (status == MST_OK) {
        memcpy(r->responsibilities, e.responsibilities, n * k * sizeof *r->responsibilities);
        r->log_likelihood = e.log_likelihood;
    }
    mst_release(e.memory);
    MST_TRY(status);
    for (size_t i = 0; i < n; i++) {
        r->labels[i] = 0;
        for (size_t j = 1; j < k; j++)
            if (r->responsibilities[i * k + j] > r->responsibilities[i * k + r->labels[i]])
                r->labels[i] = j;
    }
    r->parameters = k * (best->d + 1) + k - 1;
    r->aic = 2 * (double)r->parameters - 2 * r->log_likelihood;
    r->bic = log(best->total) * (double)r->parameters - 2 * r->log_likelihood;
    r->end = best->end;
    r->converged = fit_has_converged(best->end);
    r->seed = best->o->seed;
    r->degenerate = best->degenerate;
    r->iterations = best->iterations;
    return MST_OK;
}

/* −Σw log(volume): what the points are worth if they have no components at all. */
static mst_status ask_uniform(const mst_manifold *m, double total, double *log_likelihood)
{
    stat_pieces pieces;
    double log_volume = 0;
    MST_TRY(stat_pieces_new(&pieces, m));
    for (size_t k = 0; pieces.compact && k < pieces.count; k++)
        log_volume += stat_log_volume(&pieces.piece[k]);
    *log_likelihood = pieces.compact ? -total * log_volume : NAN;
    stat_pieces_free(&pieces);
    return MST_OK;
}

static mst_status fit(const mst_score *source, size_t n, const double *x,
                      const mst_mixture_options *o, mst_mixture_result *result)
{
    const mst_manifold *m = mst_score_manifold(source);
    cluster_threads threads = cluster_split_threads(o->restarts, o->threads);
    mixture_em start = {.source = source,
                        .o = o,
                        .n = n,
                        .k = o->k,
                        .d = mst_manifold_dim(m),
                        .D = mst_manifold_ambient(m),
                        .x = x,
                        .total = rows_weight(n, o->weights),
                        .threads = threads.rows};
    MST_TRY(mixture_choose_least_time(&start));
    start.least_time = fit_clamp_time(source, start.least_time);
    search s = {0};
    mst_status status = mst_allocate(&s.restarts, o->restarts);
    if (status == MST_OK)
        status = mst_allocate(&s.parameters, o->restarts * mixture_size(start.k, start.D));
    for (size_t r = 0; status == MST_OK && r < o->restarts; r++)
        s.restarts[r] = start;
    if (status == MST_OK)
        status =
            mst_parallel_blocks(o->restarts, 1, threads.restarts, o->progress, run_restart, &s);
    if (status == MST_OK)
        status = describe(best_of(&s, o->restarts), result);
    if (status == MST_OK)
        status = mixture_find_elongated(&start, result);
    if (status == MST_OK)
        status = ask_uniform(m, start.total, &result->uniform_log_likelihood);
    mst_release(s.parameters);
    mst_release(s.restarts);
    return status;
}

mst_status mst_mixture_fit(mst_mixture_result **out, const mst_score *source, size_t n,
                           const double *x, const mst_mixture_options *options)
{
    *out = NULL;
    double begin = mst_clock_seconds();
    mst_mixture_options o;
    MST_TRY(MST_TAKE_OPTIONS(&o, mst_mixture_options, options));
    const mst_manifold *m = mst_score_manifold(source);
    if (!mst_score_gives(source, MST_GIVES_TIME))
        return mst_fail(MST_UNABLE, "a mixture needs times, which the source \"%s\" has not",
                        mst_score_name(source));
    if (!mst_score_gives(source, MST_GIVES_LOG_P))
        return mst_fail(MST_UNABLE,
                        "a mixture needs log p, which the source \"%s\" does not give; use the "
                        "exact heat kernel",
                        mst_score_name(source));
    MST_TRY(cluster_check(m, n, x, o.k, o.weights, o.restarts, o.iterations));
    if (!(o.tolerance > 0))
        return mst_fail(MST_ARGUMENT, "the tolerance must be positive, not %g", o.tolerance);
    if (!(o.least_time >= 0) || !isfinite(o.least_time))
        return mst_fail(MST_ARGUMENT, "the least time must be a number ≥ 0, not %g", o.least_time);
    MST_TRY(mst_score_prepare(source, n, x));
    mst_mixture_result *result;
    double *weights;
    MST_TRY(result_new(&result, n, o.k, mst_manifold_ambient(m)));
    mst_status status = mean_take_weights(n, &o.weights, o.weights_are, &weights);
    if (status == MST_OK)
        status = fit(source, n, x, &o, result);
    mst_release(weights);
    if (status != MST_OK) {
        mst_mixture_result_free(result);
        return status;
    }
    result->seconds = mst_clock_seconds() - begin;
    *out = result;
    if (!result->converged)
        return mst_fail(MST_CONVERGENCE, "the log-likelihood still rises after %zu steps of EM",
                        result->iterations);
    return MST_OK;
}
