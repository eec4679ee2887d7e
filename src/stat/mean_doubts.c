/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

#include "stat/mean_doubts.h"

#include "stat/marginal_time.h"
#include "stat/rows.h"
#include "stat/uniformity.h"

#include <math.h>

/* Above this p-value the uniform law has not been rejected. */
static const double rejected = 0.05;
/* d/(n R̄²) from which on the fitted mean has followed the noise so far that the time is too low to be left
 * alone: measured, intervals about it hold 94 % there instead of 95 %. */
static const double absorbed = 0.25;

typedef struct doubts {
    mst_mean_result *r;
    const fit_means *model;
    const mst_mean_options *o;
    const mst_manifold *m;
    stat_pieces pieces;
    mst_uniformity_options uniform;
} doubts;

/* There is no mean to have an error. With a fixed time the error is that of the model, whatever the data. */
static void withdraw_errors(const doubts *d)
{
    mst_mean_result *r = d->r;
    size_t dim = mst_manifold_dim(d->m);
    bool fixed =
        mst_score_gives(d->model->model.source, MST_GIVES_TIME) && !d->model->model.time_is_free;
    if (fixed || r->no_errors != MST_ERRORS_GIVEN)
        return;
    for (size_t k = 0; k < dim * dim; k++)
        r->covariance[k] = NAN;
    r->standard_error = r->region_volume = r->region_radius2 = NAN;
    r->region_kind = MST_REGION_NONE;
    r->no_errors = MST_ERRORS_UNIFORM;
}

static mst_status ask_uniformity(const doubts *d)
{
    mst_mean_result *r = d->r;
    const fit_rows *rows = &d->model->model.rows[0];
    mst_uniformity found;
    if (!d->pieces.compact)
        return MST_OK;
    MST_TRY(uniform_test(&found, d->m, &d->pieces, rows->n, rows->x, &d->uniform));
    r->uniform_statistic = found.statistic;
    r->uniform_p_value = found.p_value;
    if (found.p_value > rejected && rows->n > 1) {
        r->notes |= MST_NOTE_MAYBE_UNIFORM;
        withdraw_errors(d);
    }
    return MST_OK;
}

/* Σ d/(n R̄²) over the compact pieces: the share of the signal that the fitted mean has absorbed. In infinite
 * volume R̄ would be 1, and the loss is the factor (n − 1)/n that everybody knows. */
static mst_status absorbed_share(const doubts *d, double *share)
{
    const fit_rows *rows = &d->model->model.rows[0];
    uniform_tally *tallies;
    *share = 0;
    MST_TRY(mst_allocate(&tallies, d->pieces.count));
    mst_status status = uniform_tallies(&d->pieces, rows->n, rows->x, &d->uniform, tallies);
    for (size_t k = 0; k < d->pieces.count && status == MST_OK; k++)
        if (d->pieces.piece[k].features > 0)
            *share += (double)d->pieces.piece[k].dim * tallies[k].square / tallies[k].length2;
    mst_release(tallies);
    return status;
}

/* The interval is that of the integrated likelihood. Robust errors keep their own, which does not believe the
 * model, unless that one is about a time that is much too low: then it holds both. */
static mst_status correct_time(const doubts *d)
{
    mst_mean_result *r = d->r;
    marginal_time found;
    /* One observation has no spread about a mean. */
    if (rows_weight(r->n, d->model->model.rows[0].weights) < 2)
        return MST_OK;
    mst_status status =
        marginal_time_find(&found, d->model, &d->pieces, r->mean, r->time,
                           r->time_standard_error / r->time, r->variance, d->o->confidence);
    /* Times that the kernel cannot be asked for leave the usual interval as it is. */
    if (status == MST_ARGUMENT || status == MST_DOMAIN || status == MST_BREAKDOWN)
        return MST_OK;
    MST_TRY(status);
    r->time_corrected = found.time;
    bool robust = r->covariance_kind != MST_COVARIANCE_OBSERVED && !isnan(r->time_low);
    if (!robust) {
        r->time_low = found.low;
        r->time_high = found.high;
    } else if ((r->notes & (MST_NOTE_TIME_BIASED | MST_NOTE_MAYBE_UNIFORM)) != 0) {
        r->time_low = fmin(r->time_low, found.low);
        r->time_high = fmax(r->time_high, found.high);
    }
    return MST_OK;
}

static mst_status ask_time(const doubts *d)
{
    mst_mean_result *r = d->r;
    double share;
    bool away = r->time_limit == MST_TIME_INFINITY;
    if (!d->model->model.time_is_free || !(away || r->time_limit == MST_TIME_FINITE))
        return MST_OK;
    MST_TRY(absorbed_share(d, &share));
    if (share > absorbed)
        r->notes |= MST_NOTE_TIME_BIASED;
    return (away || r->converged) && marginal_time_is_known(d->model->model.source, &d->pieces)
               ? correct_time(d)
               : MST_OK;
}

mst_status mean_add_doubts(mst_mean_result *result, const fit_means *model,
                           const mst_mean_options *options)
{
    doubts d = {.r = result,
                .model = model,
                .o = options,
                .m = mst_score_manifold(model->model.source),
                .uniform = mst_uniformity_options_default()};
    d.uniform.weights = options->weights;
    d.uniform.weights_are = options->weights_are;
    d.uniform.clusters = options->clusters;
    d.uniform.seed = options->seed;
    MST_TRY(stat_pieces_new(&d.pieces, d.m));
    mst_status status = ask_uniformity(&d);
    if (status == MST_OK)
        status = ask_time(&d);
    stat_pieces_free(&d.pieces);
    return status;
}
