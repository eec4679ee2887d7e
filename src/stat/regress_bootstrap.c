/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* The covariance of a regression from refitted resamples of rows or whole clusters. */
#include "stat/mean_search.h"
#include "stat/regress_parts.h"

#include <math.h>
#include <string.h>

typedef struct bootstrap {
    const regress_job *j;
    const regress_model *model;
    const double *state;
    mean_draws draws;
    double *deviation; /* (resamples, q); NAN where there is no estimate */
} bootstrap;

static mst_status refit(const bootstrap *b, size_t number, double *counts, double *state)
{
    fit_rows rows = b->j->rows;
    regress_model one = *b->model;
    double *deviation = b->deviation + number * one.model.parameters;
    fit_outcome outcome;
    mean_draw(&b->draws, b->j->o->seed, number, counts);
    rows.weights = counts;
    one.model.rows = &rows;
    one.model.threads = 1;
    one.model.memory = NULL; /* others climb at the same time */
    memcpy(state, b->state, one.model.size * sizeof *state);
    fit_options climb = {
        .method = MST_MEAN_NEWTON, .tolerance = 1e-8, .rate = 0.1, .iterations = 50};
    mst_status status = fit_climb(&one.model, state, &climb, &outcome);
    bool found = status == MST_OK && fit_has_converged(outcome.end);
    if (status == MST_MEMORY)
        return status;
    /* A resample may lack whole levels of a factor: then it has no estimate. */
    if (found)
        return regress_difference(&one, b->state, state, deviation);
    deviation[0] = NAN;
    return MST_OK;
}

static mst_status run_resamples(void *context, size_t begin, size_t end)
{
    const bootstrap *b = context;
    double *counts;
    MST_TRY(mst_allocate(&counts, b->j->n + b->model->model.size));
    mst_status status = MST_OK;
    for (size_t k = begin; status == MST_OK && k < end; k++)
        status = refit(b, k, counts, counts + b->j->n);
    mst_release(counts);
    return status;
}

mst_status regress_bootstrap(const regress_job *j, const regress_model *m, const double *state,
                             double *covariance, bool *defined)
{
    size_t count = j->o->resamples, q = m->model.parameters;
    mst_mean_options o = mst_mean_options_default();
    o.clusters = j->o->clusters;
    bootstrap b = {.j = j, .model = m, .state = state};
    MST_TRY(mean_draws_new(&b.draws, &j->rows, &o));
    mst_status status = mst_allocate(&b.deviation, count * q + q);
    if (status == MST_OK)
        status = mst_parallel_blocks(count, 1, j->o->threads, j->o->progress, run_resamples, &b);
    *defined = status == MST_OK && mean_deviation_covariance(count, q, b.deviation,
                                                             b.deviation + count * q, covariance);
    for (size_t k = 0; *defined && k < q * q; k++)
        covariance[k] *= b.draws.scale;
    mean_draws_free(&b.draws);
    mst_release(b.deviation);
    return status;
}
