/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* The covariance of a mean from refitted resamples. Where the rows have other means nearly as good, or lie
 * at the cut locus of theirs, a resample looks everywhere again: a climb from the mean alone would stay
 * beside it, and the errors would be too short. */
#include "base/linalg.h"
#include "stat/mean_search.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* One resample per item: refitted parameters minus the estimate, (resamples, q); NAN
 * where there is no estimate. */
typedef struct bootstrap {
    const fit_means *model;
    const double *state;
    const mst_mean_options *o;
    bool restart;
    mean_draws draws;
    double *deviation;
} bootstrap;

/* The best mean of rows that weigh `counts`, by the search that found the mean itself. */
static mst_status search_again(const bootstrap *b, const double *counts, double *state, bool *found)
{
    const fit_model *m = &b->model->model;
    mst_mean_options o = *b->o;
    o.weights = counts;
    o.weights_are = MST_WEIGHTS_COUNTS;
    o.clusters = NULL;
    o.start = b->state;
    o.threads = 1;
    o.progress = (mst_progress){0};
    o.tolerance = fmax(o.tolerance, 1e-8);
    if (mst_score_gives(m->source, MST_GIVES_TIME) && !m->time_is_free)
        o.time = b->state[m->size - 1];
    mean_search s;
    mst_status status = mean_search_new(&s, m->source, m->rows[0].n, m->rows[0].x, &o, NULL);
    if (status == MST_OK)
        status = mean_search_run(&s);
    if (status == MST_OK)
        status = mean_rank(&s);
    if (status == MST_OK) {
        *found = fit_has_converged(s.candidates[0].outcome.end);
        memcpy(state, s.candidates[0].state, m->size * sizeof *state);
    }
    mean_search_free(&s);
    return status;
}

static mst_status climb_again(const bootstrap *b, const double *counts, double *state, bool *found)
{
    fit_rows rows = b->model->model.rows[0];
    fit_means one = *b->model;
    rows.weights = counts;
    one.model.rows = &rows;
    one.model.threads = 1;
    one.model.memory = NULL; /* others climb at the same time */
    memcpy(state, b->state, one.model.size * sizeof *state);
    fit_options climb = {
        .method = MST_MEAN_NEWTON, .tolerance = 1e-8, .rate = b->o->rate, .iterations = 50};
    fit_outcome outcome;
    MST_TRY(fit_climb(&one.model, state, &climb, &outcome));
    *found = fit_has_converged(outcome.end);
    return MST_OK;
}

static mst_status refit(const bootstrap *b, size_t number, double *counts, double *state)
{
    const fit_model *m = &b->model->model;
    double *deviation = b->deviation + number * m->parameters;
    bool found = false;
    mean_draw(&b->draws, b->o->seed, number, counts);
    MST_TRY(b->restart ? search_again(b, counts, state, &found)
                       : climb_again(b, counts, state, &found));
    if (!found) {
        deviation[0] = NAN;
        return MST_OK;
    }
    return m->ops->difference(m, b->state, state, deviation);
}

static mst_status run_resamples(void *context, size_t begin, size_t end)
{
    const bootstrap *b = context;
    const fit_model *m = &b->model->model;
    double *counts;
    MST_TRY(mst_allocate(&counts, m->rows[0].n + m->size));
    mst_status status = MST_OK;
    for (size_t k = begin; status == MST_OK && k < end; k++)
        status = refit(b, k, counts, counts + m->rows[0].n);
    mst_release(counts);
    return status;
}

bool mean_deviation_covariance(size_t count, size_t q, const double *deviation, double *centre,
                               double *covariance)
{
    size_t found = 0;
    memset(centre, 0, q * sizeof *centre);
    memset(covariance, 0, q * q * sizeof *covariance);
    for (size_t k = 0; k < count; k++)
        found += isnan(deviation[k * q]) ? 0 : 1;
    if (found < 2 || count - found > count / 20)
        return false;
    for (size_t k = 0; k < count; k++)
        for (size_t a = 0; a < q && !isnan(deviation[k * q]); a++)
            centre[a] += deviation[k * q + a] / (double)found;
    for (size_t k = 0; k < count; k++)
        for (size_t a = 0; a < q && !isnan(deviation[k * q]); a++)
            for (size_t e = 0; e < q; e++)
                covariance[a * q + e] += (deviation[k * q + a] - centre[a]) *
                                         (deviation[k * q + e] - centre[e]) / ((double)found - 1);
    return true;
}

static int compare_numbers(const void *a, const void *b)
{
    double one = *(const double *)a, two = *(const double *)b;
    return (one > two) - (one < two);
}

/* The quantile of vᵀ C⁻¹ v over the deviations v of the mean, d of the q coordinates: resamples that went to
 * other means make them far from normal. NAN where there are too few in the tail or C is singular. */
static mst_status deviation_quantile(size_t count, size_t q, size_t d, const double *deviation,
                                     const double *covariance, double confidence, double *radius2)
{
    double *squares, above = (1 - confidence) * (double)count;
    size_t found = 0;
    *radius2 = NAN;
    if (above < 5)
        return MST_OK;
    MST_TRY(mst_allocate(&squares, count + 2 * d * d + d));
    double *block = squares + count, *l = block + d * d, *w = l + d * d;
    for (size_t k = 0; k < d * d; k++)
        block[k] = covariance[k / d * q + k % d];
    mst_status status = mst_cholesky(1, d, block, l, NULL);
    for (size_t k = 0; status == MST_OK && k < count; k++) {
        if (isnan(deviation[k * q]))
            continue;
        squares[found] = 0;
        for (size_t a = 0; a < d; a++) {
            double sum = deviation[k * q + a];
            for (size_t e = 0; e < a; e++)
                sum -= l[a * d + e] * w[e];
            w[a] = sum / l[a * d + a];
            squares[found] += w[a] * w[a];
        }
        found++;
    }
    if (status == MST_OK) {
        qsort(squares, found, sizeof *squares, compare_numbers);
        *radius2 =
            squares[(size_t)fmin(ceil(confidence * (double)(found + 1)) - 1, (double)found - 1)];
    }
    mst_release(squares);
    return status == MST_DOMAIN ? MST_OK : status;
}

mst_status mean_bootstrap(const fit_means *model, const double *state, const mst_mean_options *o,
                          bool restart, double *covariance, double *radius2, bool *defined)
{
    size_t count = o->resamples, q = model->model.parameters;
    size_t d = mst_manifold_dim(mst_score_manifold(model->model.source));
    *defined = false;
    *radius2 = NAN;
    if (count < 2)
        return mst_fail(MST_ARGUMENT, "the bootstrap needs at least 2 resamples, not %zu", count);
    bootstrap b = {.model = model, .state = state, .o = o, .restart = restart};
    MST_TRY(mean_draws_new(&b.draws, &model->model.rows[0], o));
    mst_status status = mst_allocate(&b.deviation, count * q + q);
    if (status == MST_OK)
        status = mst_parallel_blocks(count, 1, o->threads, o->progress, run_resamples, &b);
    *defined = status == MST_OK && mean_deviation_covariance(count, q, b.deviation,
                                                             b.deviation + count * q, covariance);
    if (*defined && restart)
        status = deviation_quantile(count, q, d, b.deviation, covariance, o->confidence, radius2);
    for (size_t k = 0; *defined && k < q * q; k++)
        covariance[k] *= b.draws.scale;
    mean_draws_free(&b.draws);
    mst_release(b.deviation);
    return status;
}
