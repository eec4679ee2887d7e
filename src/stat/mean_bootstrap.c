/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* The covariance of a mean from refitted resamples. */
#include "stat/mean_search.h"

#include <math.h>
#include <string.h>

/* One resample per item: refitted parameters minus the estimate, (resamples, q); NAN
 * where there is no estimate. */
typedef struct bootstrap {
    const fit_means *model;
    const double *state;
    const mst_mean_options *o;
    mean_draws draws;
    double *deviation;
} bootstrap;

static mst_status refit(const bootstrap *b, size_t number, double *counts, double *state)
{
    fit_rows rows = b->model->model.rows[0];
    mean_draw(&b->draws, b->o->seed, number, counts);
    rows.weights = counts;
    fit_means one = *b->model;
    one.model.rows = &rows;
    one.model.threads = 1;
    memcpy(state, b->state, one.model.size * sizeof *state);
    fit_options climb = {
        .method = MST_MEAN_NEWTON, .tolerance = 1e-8, .rate = b->o->rate, .iterations = 50};
    fit_outcome outcome;
    double *deviation = b->deviation + number * one.model.parameters;
    MST_TRY(fit_climb(&one.model, state, &climb, &outcome));
    if (!fit_has_converged(outcome.end)) {
        deviation[0] = NAN;
        return MST_OK;
    }
    return one.model.ops->difference(&one.model, b->state, state, deviation);
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

/* The covariance of the deviations that are there; false if more than one in twenty is not, for then the
 * estimate itself is in doubt. */
static bool deviation_covariance(size_t count, size_t q, const double *deviation, double *centre,
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

mst_status mean_bootstrap(const fit_means *model, const double *state, const mst_mean_options *o,
                          double *covariance, bool *defined)
{
    size_t count = o->resamples, q = model->model.parameters;
    *defined = false;
    if (count < 2)
        return mst_fail(MST_ARGUMENT, "the bootstrap needs at least 2 resamples, not %zu", count);
    bootstrap b = {.model = model, .state = state, .o = o};
    MST_TRY(mean_draws_new(&b.draws, &model->model.rows[0], o));
    mst_status status = mst_allocate(&b.deviation, count * q + q);
    if (status == MST_OK)
        status = mst_parallel_blocks(count, 1, o->threads, o->progress, run_resamples, &b);
    *defined = status == MST_OK &&
               deviation_covariance(count, q, b.deviation, b.deviation + count * q, covariance);
    for (size_t k = 0; *defined && k < q * q; k++)
        covariance[k] *= b.draws.scale;
    mean_draws_free(&b.draws);
    mst_release(b.deviation);
    return status;
}
