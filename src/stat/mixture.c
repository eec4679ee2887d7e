/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Generalised EM (Dempster, Laird and Rubin 1977): the M-step is a few Newton steps on each component, which never lower
 * its part of the expected log-likelihood, and so the log-likelihood never falls. */
#include "base/internal.h"
#include "base/options.h"
#include "stat/cluster_parts.h"
#include "stat/fit.h"
#include "stat/rows.h"

#include <math.h>
#include <string.h>

enum { ROWS = 256, BLOCK = 16 * ROWS };
enum { NEWTON_STEPS = 1 };

/* The automatic least_time in units of the variance of all the points per dimension: components may be a thousand times
 * narrower than the whole. All the points being one, there is no such unit: then the number itself, a time that every
 * kernel can still compute with. */
static const double least_time_fraction = 1e-6, least_time_of_a_point = 1e-12;
/* A component with less than this share of the points has lost them. */
static const double lost_share = 1e-8;
/* Rows with less responsibility than this are left out of the M-step: they cannot move a sum in its last bit. */
static const double negligible = 1e-25;

mst_mixture_options mst_mixture_options_default(void)
{
    return (mst_mixture_options){.size = sizeof(mst_mixture_options),
                                 .restarts = 5,
                                 .iterations = 500,
                                 .tolerance = 1e-9,
                                 .seed = 2712};
}

/* What a restart works on and ends with. */
typedef struct em {
    const mst_score *source;
    const mst_mixture_options *o;
    size_t n, k, d, D;
    const double *x;
    double total, least_time;
    int threads;
    double *shares, *times, *centres; /* (k), (k), (k, D): one block, `parameters` doubles */
    double *responsibilities;         /* (n, k) */
    double *rows, *weights;           /* of one component: (n, D), (n) */
    double *trial, *gradient;         /* (D + 1), (d + 1) */
    double *partial;                  /* a sum per block of rows */
    double *block;
    double log_likelihood;
    size_t iterations;
    bool converged, degenerate;
} em;

static size_t parameters_size(size_t k, size_t D)
{
    return k * (D + 2);
}

static void place_parameters(em *e, double *at)
{
    e->shares = at;
    e->times = at + e->k;
    e->centres = at + 2 * e->k;
}

static mst_status em_new(em *e)
{
    size_t blocks = e->n / BLOCK + 1;
    MST_TRY(mst_allocate(&e->block, e->n * (e->k + e->D + 1) + (e->D + 1) + (e->d + 1) + blocks));
    e->responsibilities = e->block;
    e->rows = e->responsibilities + e->n * e->k;
    e->weights = e->rows + e->n * e->D;
    e->trial = e->weights + e->n;
    e->gradient = e->trial + e->D + 1;
    e->partial = e->gradient + e->d + 1;
    return MST_OK;
}

static double weight_of(const em *e, size_t i)
{
    return e->o->weights != NULL ? e->o->weights[i] : 1;
}

/* ---- E-step ---- */

/* Turns log(π_j p_j) of one row into responsibilities and gives log Σ_j π_j p_j. */
static double normalise_row(size_t k, double *r)
{
    double largest = -INFINITY, sum = 0;
    for (size_t j = 0; j < k; j++)
        largest = fmax(largest, r[j]);
    for (size_t j = 0; j < k; j++) {
        r[j] = exp(r[j] - largest);
        sum += r[j];
    }
    for (size_t j = 0; j < k; j++)
        r[j] /= sum;
    return largest + log(sum);
}

static mst_status expect_block(void *context, size_t begin, size_t end)
{
    const em *e = context;
    double log_p[ROWS], sum = 0;
    mst_status status = MST_OK;
    for (size_t at = begin; status == MST_OK && at < end; at += ROWS) {
        size_t n = end - at < ROWS ? end - at : ROWS;
        for (size_t j = 0; status == MST_OK && j < e->k; j++) {
            mst_pairs pairs = {.n = n,
                               .x = e->x + at * e->D,
                               .y = e->centres + j * e->D,
                               .t = &e->times[j],
                               .first = at};
            status = mst_score_evaluate(e->source, &pairs, &(mst_heat_values){.log_p = log_p});
            double log_share = log(e->shares[j]);
            for (size_t i = 0; status == MST_OK && i < n; i++)
                e->responsibilities[(at + i) * e->k + j] = log_share + log_p[i];
        }
        for (size_t i = at; status == MST_OK && i < at + n; i++) {
            double value = normalise_row(e->k, e->responsibilities + i * e->k);
            if (!isfinite(value))
                status = mst_fail(MST_BREAKDOWN,
                                  "row %zu has no finite log-likelihood in the mixture", i + 1);
            sum += weight_of(e, i) * value;
        }
    }
    e->partial[begin / BLOCK] = sum;
    return status;
}

static mst_status expect(em *e)
{
    MST_TRY(mst_parallel_blocks(e->n, BLOCK, e->threads, (mst_progress){0}, expect_block, e));
    e->log_likelihood = 0;
    for (size_t b = 0; b * BLOCK < e->n; b++)
        e->log_likelihood += e->partial[b];
    return MST_OK;
}

/* ---- M-step ---- */

/* Rows and weights of component j; gives the sum of the weights. */
static double gather(const em *e, size_t j, fit_group *group)
{
    double mass = 0;
    *group = (fit_group){.x = e->rows, .weights = e->weights};
    for (size_t i = 0; i < e->n; i++) {
        double w = weight_of(e, i) * e->responsibilities[i * e->k + j];
        mass += w;
        if (w <= negligible * weight_of(e, i))
            continue;
        memcpy(e->rows + group->n * e->D, e->x + i * e->D, e->D * sizeof *e->x);
        e->weights[group->n++] = w;
    }
    return mass;
}

/* From the present parameters of component j to trial, at the time `time` if that is not 0. */
static mst_status climb(const em *e, size_t j, const fit_group *group, double time, double *value)
{
    memcpy(e->trial, e->centres + j * e->D, e->D * sizeof *e->trial);
    e->trial[e->D] = time > 0 ? time : e->times[j];
    fit_problem problem = {.source = e->source,
                           .groups = 1,
                           .group = group,
                           .means = 1,
                           .times = 1,
                           .time_is_free = !(time > 0) && fit_given_time(e->source, 0) == 0,
                           .threads = e->threads};
    fit_options options = {
        .method = MST_MEAN_NEWTON, .tolerance = 1e-12, .rate = 0.1, .iterations = NEWTON_STEPS};
    fit_outcome outcome;
    MST_TRY(fit_climb(&problem, &(fit_state){e->trial, e->trial + e->D}, &options, &outcome));
    *value = outcome.value;
    return MST_OK;
}

static mst_status value_now(const em *e, size_t j, const fit_group *group, double *value)
{
    fit_problem problem = {.source = e->source,
                           .groups = 1,
                           .group = group,
                           .means = 1,
                           .times = 1,
                           .threads = e->threads};
    fit_sums sums = {.gradient = e->gradient};
    MST_TRY(fit_evaluate(&problem, &(fit_state){e->centres + j * e->D, e->times + j}, &sums));
    *value = sums.value;
    return MST_OK;
}

static mst_status improve(em *e, size_t j)
{
    fit_group group;
    double mass = gather(e, j, &group), value, before;
    e->shares[j] = mass / e->total;
    if (e->shares[j] < lost_share || group.n == 0)
        return MST_OK;
    MST_TRY(climb(e, j, &group, 0, &value));
    if (!(e->trial[e->D] >= e->least_time)) {
        /* Stop at the least time. Should that be worse than before, keep the time and move the mean only. */
        MST_TRY(value_now(e, j, &group, &before));
        MST_TRY(climb(e, j, &group, e->least_time, &value));
        if (!(value >= before))
            MST_TRY(climb(e, j, &group, e->times[j], &value));
    }
    memcpy(e->centres + j * e->D, e->trial, e->D * sizeof *e->trial);
    e->times[j] = e->trial[e->D];
    return MST_OK;
}

static mst_status iterate(em *e)
{
    MST_TRY(expect(e));
    while (!e->converged && e->iterations < e->o->iterations) {
        double before = e->log_likelihood;
        for (size_t j = 0; j < e->k; j++)
            MST_TRY(improve(e, j));
        MST_TRY(expect(e));
        e->iterations++;
        e->converged =
            e->log_likelihood - before <= e->o->tolerance * fmax(1, fabs(e->log_likelihood));
        MST_TRY(mst_parallel_tick(1 / ((double)e->o->iterations + 1)));
    }
    for (size_t j = 0; j < e->k; j++)
        e->degenerate |= e->shares[j] < lost_share || e->times[j] <= e->least_time;
    return MST_OK;
}

/* ---- Starts ---- */

/* Shares, times and centres from the clusters. Narrow clusters, such as single points, start with the pooled time: at
 * their own they would never let go. */
static void start_from(em *e, const mst_kmeans_result *clusters, const double *squared)
{
    double pooled = 0;
    for (size_t j = 0; j < e->k; j++)
        e->shares[j] = e->times[j] = 0;
    for (size_t i = 0; i < e->n; i++) {
        e->shares[clusters->labels[i]] += weight_of(e, i);
        e->times[clusters->labels[i]] += weight_of(e, i) * squared[i];
        pooled += weight_of(e, i) * squared[i];
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

/* The first restart comes from settled k-means clusters, the others from seeds after one iteration: settled ones would
 * often be the same again. */
static mst_status seed(em *e, size_t restart)
{
    const mst_manifold *m = mst_score_manifold(e->source);
    mst_kmeans_options o = mst_kmeans_options_default();
    o.k = e->k;
    o.weights = e->o->weights;
    o.seed = e->o->seed + restart;
    o.restarts = restart == 0 ? 4 : 1;
    o.iterations = restart == 0 ? 100 : 1;
    o.threads = e->threads;
    mst_kmeans_result *clusters;
    mst_status status = mst_kmeans_fit(&clusters, m, e->n, e->x, &o);
    if (clusters == NULL)
        return status;
    status = mst_kmeans_assign(m, e->k, clusters->centres, e->n, e->x, e->threads, clusters->labels,
                               e->weights);
    if (status == MST_OK)
        start_from(e, clusters, e->weights);
    mst_kmeans_result_free(clusters);
    return status;
}

/* The automatic least_time, from the one cluster of all points. */
static mst_status choose_least_time(em *e)
{
    e->least_time = e->o->least_time;
    if (e->least_time > 0)
        return MST_OK;
    mst_kmeans_options o = mst_kmeans_options_default();
    o.k = o.restarts = 1;
    o.weights = e->o->weights;
    o.seed = e->o->seed;
    o.threads = e->o->threads;
    mst_kmeans_result *all;
    mst_status status = mst_kmeans_fit(&all, mst_score_manifold(e->source), e->n, e->x, &o);
    if (all == NULL)
        return status;
    double variance = all->inertia / (e->total * (double)e->d);
    bool one_point = all->inertia / e->total <=
                     rows_rounding(mst_score_manifold(e->source), e->n, e->x, e->o->weights);
    e->least_time = one_point ? least_time_of_a_point : least_time_fraction * variance;
    mst_kmeans_result_free(all);
    return MST_OK;
}

/* ---- All restarts ---- */

typedef struct search {
    em *restarts; /* their parameters stand in `parameters`, one after another */
    double *parameters;
} search;

static mst_status run_restart(void *context, size_t begin, size_t end)
{
    const search *s = context;
    for (size_t r = begin; r < end; r++) {
        em *e = &s->restarts[r];
        place_parameters(e, s->parameters + r * parameters_size(e->k, e->D));
        mst_status status = em_new(e);
        if (status == MST_OK)
            status = seed(e, r);
        if (status == MST_OK)
            status = iterate(e);
        mst_release(e->block);
        e->block = NULL;
        MST_TRY(status);
    }
    return MST_OK;
}

/* A component on a single point has a likelihood as high as least_time allows and tells nothing: such a restart wins
 * only over its like. */
static const em *best_of(const search *s, size_t restarts)
{
    const em *best = &s->restarts[0];
    for (const em *e = best + 1; e < s->restarts + restarts; e++)
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
        status = mst_allocate(&r->weights, parameters_size(k, D) + n * k);
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

/* The best restart into the result, by decreasing weight; its responsibilities are made again rather than kept for all
 * restarts. */
static mst_status describe(const em *best, mst_mixture_result *r)
{
    size_t n = best->n, k = best->k, D = best->D, *order = r->labels + n;
    cluster_order(k, best->shares, order);
    for (size_t j = 0; j < k; j++) {
        r->weights[j] = best->shares[order[j]];
        r->times[j] = best->times[order[j]];
        memcpy(r->centres + j * D, best->centres + order[j] * D, D * sizeof *r->centres);
    }
    em e = *best;
    e.threads = e.o->threads;
    MST_TRY(em_new(&e));
    place_parameters(&e, r->weights);
    mst_status status = expect(&e);
    if (status == MST_OK) {
        memcpy(r->responsibilities, e.responsibilities, n * k * sizeof *r->responsibilities);
        r->log_likelihood = e.log_likelihood;
    }
    mst_release(e.block);
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
    r->converged = best->converged;
    r->degenerate = best->degenerate;
    r->iterations = best->iterations;
    return MST_OK;
}

static mst_status fit(const mst_score *source, size_t n, const double *x,
                      const mst_mixture_options *o, mst_mixture_result *result)
{
    const mst_manifold *m = mst_score_manifold(source);
    cluster_threads threads = cluster_split_threads(o->restarts, o->threads);
    em start = {.source = source,
                .o = o,
                .n = n,
                .k = o->k,
                .d = mst_manifold_dim(m),
                .D = mst_manifold_ambient(m),
                .x = x,
                .total = rows_weight(n, o->weights),
                .threads = threads.rows};
    MST_TRY(choose_least_time(&start));
    start.least_time = fit_clamp_time(source, start.least_time);
    search s = {0};
    mst_status status = mst_allocate(&s.restarts, o->restarts);
    if (status == MST_OK)
        status = mst_allocate(&s.parameters, o->restarts * parameters_size(start.k, start.D));
    for (size_t r = 0; status == MST_OK && r < o->restarts; r++)
        s.restarts[r] = start;
    if (status == MST_OK)
        status =
            mst_parallel_blocks(o->restarts, 1, threads.restarts, o->progress, run_restart, &s);
    if (status == MST_OK)
        status = describe(best_of(&s, o->restarts), result);
    mst_release(s.parameters);
    mst_release(s.restarts);
    return status;
}

mst_status mst_mixture_fit(mst_mixture_result **out, const mst_score *source, size_t n,
                           const double *x, const mst_mixture_options *options)
{
    *out = NULL;
    double begin = rows_clock();
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
    mst_mixture_result *result;
    MST_TRY(result_new(&result, n, o.k, mst_manifold_ambient(m)));
    mst_status status = fit(source, n, x, &o, result);
    if (status != MST_OK) {
        mst_mixture_result_free(result);
        return status;
    }
    result->seconds = rows_clock() - begin;
    *out = result;
    if (!result->converged)
        return mst_fail(MST_CONVERGENCE, "the log-likelihood still rises after %zu steps of EM",
                        result->iterations);
    return MST_OK;
}
