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
        mixture_em_free(e);
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
    mst_status status = mixture_em_new(&e);
    mixture_place(&e, r->weights);
    if (status == MST_OK)
        status = mixture_expect(&e);
    if (status == MST_OK) {
        memcpy(r->responsibilities, e.responsibilities, n * k * sizeof *r->responsibilities);
        r->log_likelihood = e.log_likelihood;
    }
    mixture_em_free(&e);
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

/* ---- Many rows ---- */

/* The restarts of the rows of `start`; s has room for them. */
static mst_status run_restarts(const mixture_em *start, cluster_threads threads, search *s)
{
    size_t restarts = start->o->restarts;
    MST_TRY(mst_allocate_zero(&s->restarts, restarts));
    MST_TRY(mst_allocate(&s->parameters, restarts * mixture_size(start->k, start->D)));
    for (size_t r = 0; r < restarts; r++)
        s->restarts[r] = *start;
    return mst_parallel_blocks(restarts, 1, threads.restarts, start->o->progress, run_restart, s);
}

/* Log-likelihoods (n) of the rows at the parameters of a restart. */
static mst_status row_values(const mixture_em *restart, double *values)
{
    mixture_em e = *restart;
    e.values = values;
    mst_status status = mixture_em_new(&e);
    mixture_place(&e, restart->shares);
    if (status == MST_OK)
        status = mixture_expect(&e);
    mixture_em_free(&e);
    return status;
}

/* Which restarts go on: the best, and others that it does not surely beat. */
static mst_status choose_some(const search *s, const cluster_sample *some, size_t restarts,
                              bool *chosen)
{
    const mixture_em *best = best_of(s, restarts);
    double *values, gap = cluster_same * fabs(best->log_likelihood);
    MST_TRY(mst_allocate(&values, 2 * best->n));
    double *others = values + best->n;
    mst_status status = row_values(best, values);
    for (size_t r = 0; r < restarts && status == MST_OK; r++) {
        const mixture_em *e = &s->restarts[r];
        chosen[r] = e == best;
        if (e == best || e->degenerate != best->degenerate)
            continue;
        bool same = fabs(e->log_likelihood - best->log_likelihood) <= gap;
        for (size_t q = 0; q < r; q++)
            same = same ||
                   (chosen[q] && fabs(e->log_likelihood - s->restarts[q].log_likelihood) <= gap);
        if (!same)
            status = row_values(e, others);
        chosen[r] = !same && status == MST_OK && !cluster_is_worse(some, others, values);
    }
    mst_release(values);
    return status;
}

/* From the maximum of the sample to that of all rows. */
static mst_status go_on(mixture_em *e, const mixture_em *all)
{
    mixture_em next = *all;
    next.threads = all->o->threads;
    mixture_place(&next, e->shares);
    next.iterations = e->iterations;
    mst_status status = mixture_em_new(&next);
    if (status == MST_OK)
        status = mixture_iterate(&next);
    mixture_em_free(&next);
    *e = next;
    return status;
}

/* Long heaps among the rows of the sample; the BIC that it finds is said relative to that of all rows. */
static mst_status find_elongated(const cluster_sample *some, const mixture_em *start,
                                 mst_mixture_result *r)
{
    mst_mixture_result part = *r;
    size_t k = r->k;
    MST_TRY(mst_allocate(&part.responsibilities, some->n * k));
    for (size_t i = 0; i < some->n; i++)
        memcpy(part.responsibilities + i * k, r->responsibilities + some->rows[i] * k,
               k * sizeof *part.responsibilities);
    double round_bic = INFINITY;
    mst_status status = mixture_find_elongated(start, &part, &round_bic);
    mst_release(part.responsibilities);
    r->elongated = part.elongated;
    r->is_elongated = part.is_elongated;
    r->elongated_bic = r->bic + (part.elongated_bic - round_bic);
    return status;
}

static mst_status fit_many(const mixture_em *all, cluster_threads threads, search *s,
                           mst_mixture_result *result, bool *done)
{
    size_t restarts = all->o->restarts;
    cluster_sample some;
    bool *chosen = NULL;
    mixture_em start = *all;
    mst_mixture_options o = *all->o;
    mst_status status = cluster_sample_draw(&some, (mst_random){o.seed, CLUSTER_STREAM},
                                            CLUSTER_SOME, all->n, all->D, all->x, o.weights);
    *done = status == MST_OK && cluster_sample_is_fair(&some, all->k);
    if (!*done) {
        cluster_sample_free(&some);
        return status;
    }
    o.weights = some.weights;
    start.o = &o;
    start.n = some.n;
    start.x = some.x;
    start.total = rows_weight(some.n, some.weights);
    status = run_restarts(&start, threads, s);
    if (status == MST_OK)
        status = mst_allocate_zero(&chosen, restarts);
    if (status == MST_OK)
        status = choose_some(s, &some, restarts, chosen);
    size_t count = 0;
    for (size_t r = 0; r < restarts && status == MST_OK; r++)
        if (chosen[r]) {
            status = go_on(&s->restarts[r], all);
            s->restarts[count++] = s->restarts[r];
        }
    if (status == MST_OK)
        status = describe(best_of(s, count), result);
    if (status == MST_OK)
        status = find_elongated(&some, &start, result);
    mst_release(chosen);
    cluster_sample_free(&some);
    return status;
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
    mst_status status = MST_OK;
    double round_bic;
    bool done = false;
    if (cluster_has_sample(n, o->k))
        status = fit_many(&start, threads, &s, result, &done);
    if (status == MST_OK && !done) {
        status = run_restarts(&start, threads, &s);
        if (status == MST_OK)
            status = describe(best_of(&s, o->restarts), result);
        round_bic = result->bic;
        if (status == MST_OK)
            status = mixture_find_elongated(&start, result, &round_bic);
    }
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
