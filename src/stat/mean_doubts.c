/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

#include "stat/mean_doubts.h"

#include "base/linalg.h"
#include "manifold/internal.h"
#include "stat/marginal_time.h"
#include "stat/rows.h"
#include "stat/score_region.h"

#include <math.h>
#include <string.h>

/* Where geodesics are searched for, a source with a higher cost for a row has ellipsoids only. */
static const double highest_cost = 50;

/* Above this p-value the uniform law has not been rejected. */
static const double rejected = 0.05;
/* d/(n R̄²) from which on the fitted mean has followed the noise so far that the time is too low to be left
 * alone: measured, intervals about it hold 94 % there instead of 95 %. */
static const double absorbed = 0.25;

/* Of a quarter turn: how far a region may reach and be an ellipsoid, less if the time that it rests on is
 * biased, and an error from which on the mean is hardly determined. */
static const double wide = 0.2, wide_if_biased = 0.1, hardly = 0.5;

typedef struct doubts {
    mst_mean_result *r;
    const fit_means *model;
    const mst_mean_options *o;
    const mst_manifold *m;
    stat_pieces pieces;
    mst_uniformity_options uniform;
    /* Half the distance at which geodesics cease to be minimal, where that was searched for; else NAN. */
    double quarter;
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
    for (size_t k = 0; r->covariance != NULL && k < dim * dim; k++)
        r->covariance[k] = NAN;
    r->standard_error = r->region_volume = r->region_radius2 = NAN;
    r->region_kind = MST_REGION_NONE;
    r->no_region = MST_REGION_GIVEN; /* it is the errors that are not given */
    r->no_errors = MST_ERRORS_UNIFORM;
}

/* One row and one or two clusters could not tell whatever they were, and others say so. */
static bool could_tell(const doubts *d)
{
    const fit_rows *rows = &d->model->model.rows[0];
    return rows_weighing(rows->n, rows->weights) > 1 && (d->r->clusters == 0 || d->r->clusters > 2);
}

/* One factor, or one angle, may be uniform where the others are not, or are not compact. */
static mst_status ask_pieces(const doubts *d)
{
    mst_mean_result *r = d->r;
    const fit_rows *rows = &d->model->model.rows[0];
    double *p_values;
    MST_TRY(mst_allocate(&p_values, d->pieces.count));
    mst_status status = uniform_by_piece(&d->pieces, rows->n, rows->x, &d->uniform, p_values);
    for (size_t k = 0; status == MST_OK && k < d->pieces.count; k++)
        if (p_values[k] > rejected && !(p_values[k] <= r->uniform_part_p_value)) {
            r->notes |= MST_NOTE_UNIFORM_PART;
            r->uniform_first = d->pieces.piece[k].column;
            r->uniform_count = d->pieces.piece[k].ambient;
            r->uniform_part_p_value = p_values[k];
        }
    mst_release(p_values);
    return status;
}

/* The time of a fit that the uniform law is as good as, where nobody has integrated its likelihood. */
static void withdraw_time(mst_mean_result *r)
{
    r->time_standard_error = r->time_low = r->time_high = NAN;
}

/* On a compact manifold without a test of uniformity the likelihood may tell: that of long times, which a
 * source that judges itself may know, against that of the fit, whose d + 1 parameters gain about as much by
 * chance (docs/means.md says how often this misses). */
static mst_status ask_likelihood(const doubts *d)
{
    const mst_score *source = d->model->model.source;
    const fit_rows *rows = &d->model->model.rows[0];
    mst_mean_result *r = d->r;
    double t = 1e6 * r->time, chance = (double)mst_manifold_dim(d->m) + 1, log_p, validity;
    if (mst_manifold_traits_of(d->m)->compact != MST_YES || !(t > 0 && isfinite(t)) ||
        !mst_score_gives(source, MST_GIVES_LOG_P | MST_GIVES_VALIDITY) || !r->converged)
        return MST_OK;
    mst_pairs pair = mst_pairs_rows(d->m, 1, rows->x, r->mean, &t);
    MST_TRY(mst_score_validity(source, &pair, &(mst_heat_values){.log_p = &log_p}, &validity));
    double gain = r->log_likelihood - rows_weight(rows->n, rows->weights) * log_p;
    if (validity < MST_VALIDITY_LIMIT && 2 * gain < chance + 2 * sqrt(2 * chance)) {
        r->notes |= MST_NOTE_MAYBE_UNIFORM;
        withdraw_errors(d);
        if (r->no_errors == MST_ERRORS_UNIFORM)
            withdraw_time(r);
    }
    return MST_OK;
}

static mst_status ask_uniformity(const doubts *d)
{
    mst_mean_result *r = d->r;
    const fit_rows *rows = &d->model->model.rows[0];
    mst_uniformity found = {.axial_p_value = NAN};
    if (d->pieces.compact) {
        MST_TRY(uniform_test(&found, d->m, &d->pieces, rows->n, rows->x, &d->uniform));
        r->uniform_statistic = found.statistic;
        r->uniform_p_value = found.p_value;
        r->uniform_p_value_is_floor = found.p_value_is_floor;
    }
    if (!could_tell(d))
        return MST_OK;
    if (!d->pieces.compact && d->pieces.count == 1)
        return ask_likelihood(d);
    if (!d->pieces.compact || found.p_value <= rejected)
        return d->pieces.count > 1 ? ask_pieces(d) : MST_OK;
    r->notes |= MST_NOTE_MAYBE_UNIFORM;
    MST_TRY(uniform_axial(&found, &d->pieces, rows->n, mst_manifold_ambient(d->m), rows->x,
                          &d->uniform));
    r->axial_p_value = found.axial_p_value;
    withdraw_errors(d);
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
    /* It takes rows for independent: where the clusters do not tell more, neither does it. */
    if (d->o->clusters != NULL && isnan(r->time_low))
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
    if (share > absorbed && r->clusters != 1) /* one cluster has no time to correct */
        r->notes |= MST_NOTE_TIME_BIASED;
    bool known = marginal_time_is_known(d->model->model.source, &d->pieces);
    /* The likelihood integrated over μ, with the scatter of μ as in flat space. */
    if (!known && r->converged && d->m->own != NULL && r->effective_n > 1)
        r->time_corrected = r->time * r->effective_n / (r->effective_n - 1);
    return (away || r->converged) && known ? correct_time(d) : MST_OK;
}

/* The longest semi-axis of the region's shadow in a compact piece and the root of the covariance's trace
 * there, over the quarter turn that takes an axis to one that has nothing to do with it. The largest of all
 * pieces; 0 where there is no covariance. */
static mst_status relative_size(const doubts *d, double *axis, double *error)
{
    size_t dim = mst_manifold_dim(d->m);
    *axis = *error = 0;
    for (size_t k = 0; k < d->pieces.count && !isnan(d->r->standard_error); k++) {
        const stat_piece *p = &d->pieces.piece[k];
        double trace = 0, *block, quarter = p->features > 0 ? M_PI / 2 / p->scale : d->quarter;
        if (isnan(quarter))
            continue;
        MST_TRY(mst_allocate(&block, p->dim * (2 * p->dim + 1)));
        double *values = block + p->dim * p->dim, *vectors = values + p->dim;
        for (size_t a = 0; a < p->dim; a++) {
            memcpy(block + a * p->dim, d->r->covariance + (p->first + a) * dim + p->first,
                   p->dim * sizeof *block);
            trace += block[a * p->dim + a];
        }
        mst_status status = mst_eigen_symmetric(1, p->dim, block, values, vectors, NULL);
        if (status == MST_OK) {
            double radius2 = isnan(d->r->region_radius2) ? 0 : d->r->region_radius2;
            *axis = fmax(*axis, sqrt(fmax(values[p->dim - 1], 0) * radius2) / quarter);
            *error = fmax(*error, sqrt(trace) / quarter);
        }
        mst_release(block);
        MST_TRY(status);
    }
    return MST_OK;
}

/* A time for the scores of the region: any will do, so one at which they are not all next to nothing. */
static double region_time(const doubts *d)
{
    const mst_mean_result *r = d->r;
    double fastest = 0;
    if (!mst_score_gives(d->model->model.source, MST_GIVES_TIME))
        return NAN;
    for (size_t k = 0; k < d->pieces.count; k++)
        fastest = fmax(fastest, stat_decay(&d->pieces.piece[k]));
    double best = isfinite(r->time_corrected) ? r->time_corrected : r->time;
    double time = fmin(isfinite(best) ? best : INFINITY, 10 / fastest);
    return d->model->model.time_is_free ? fit_clamp_time(d->model->model.source, time) : r->time;
}

/* Other means that the data do not tell from this one may be in other pieces of the region. */
static mst_status find_edge(const doubts *d, const score_region *region, score_held *held)
{
    mst_mean_result *r = d->r;
    score_edge edge;
    size_t D = region->D;
    for (size_t k = 1; k < r->set_size && k <= ROOM_FOR_OTHERS; k++)
        memcpy(held->points + held->count++ * D, r->set[k].mean, D * sizeof *held->points);
    mst_status status =
        score_region_edge(&edge, region, r->mean, r->covariance, held, d->o->seed, d->o->threads);
    if (status == MST_OK) {
        r->no_axes = edge.no_axes;
        r->region_ellipsoid = edge.ellipsoid;
        r->boundary_parts = edge.parts;
        r->boundary_end = edge.end;
        r->boundary = edge.points;
    } else {
        score_edge_free(&edge);
    }
    return status;
}

static mst_status replace_region(const doubts *d)
{
    mst_mean_result *r = d->r;
    const fit_rows *rows = &d->model->model.rows[0];
    score_region region;
    score_held held = {0};
    bool whole = false;
    r->region_time = region_time(d);
    mst_status status = score_region_open(&region, d->model->model.source, &d->pieces, rows->n,
                                          rows->x, d->o, r->mean, r->region_time);
    if (status == MST_OK && mst_manifold_traits_of(d->m)->compact == MST_YES)
        status = score_region_survey(&region, r->mean, d->o->seed, d->o->threads, &whole,
                                     &r->region_share, &held);
    else if (status == MST_OK)
        status = mst_allocate(&held.points, ROOM_FOR_OTHERS * mst_manifold_ambient(d->m));
    if (status == MST_OK && !whole)
        status = find_edge(d, &region, &held);
    if (status == MST_OK) {
        r->region_kind = whole ? MST_REGION_WHOLE : MST_REGION_SCORE;
        r->no_region = MST_REGION_GIVEN;
        r->region_radius2 = region.limit;
        r->region_volume = NAN;
    }
    mst_release(held.points);
    score_region_close(&region);
    return status;
}

/* Is there another mean that the data do not tell from this one, outside an ellipsoid that knows this one
 * only? Resamples, which look everywhere, know both. */
static mst_status leaves_one_out(const doubts *d, bool *out)
{
    const mst_mean_result *r = d->r;
    const fit_rows *rows = &d->model->model.rows[0];
    *out = false;
    if (r->region_kind != MST_REGION_ELLIPSOID || r->covariance_kind == MST_COVARIANCE_BOOTSTRAP ||
        r->uniqueness != MST_UNIQUENESS_NOT_ESTABLISHED)
        return MST_OK;
    for (size_t k = 1; k < r->set_size && !*out; k++) {
        bool holds = true;
        mst_status status = mst_mean_region_holds(&holds, r, d->model->model.source, rows->n,
                                                  rows->x, d->o, r->set[k].mean);
        if (status != MST_OK) /* a covariance that is singular to rounding, say */
            return status == MST_MEMORY ? status : MST_OK;
        *out = !holds;
    }
    return MST_OK;
}

static void withdraw_region(mst_mean_result *r)
{
    r->region_kind = MST_REGION_NONE;
    r->no_region = MST_REGION_OTHER_MEANS;
    r->region_volume = r->region_radius2 = NAN;
}

/* The region is that of the scores where an ellipsoid in the tangent space reaches round the manifold or
 * leaves out another mean, and where there is no mean to put it at. If the scores cannot be surveyed either,
 * the result has no region. */
static mst_status ask_region(const doubts *d)
{
    bool another;
    mst_mean_result *r = d->r;
    double axis, error;
    bool uniform = (r->notes & MST_NOTE_MAYBE_UNIFORM) != 0;
    if (!(r->converged || r->time_limit == MST_TIME_INFINITY))
        return MST_OK;
    MST_TRY(leaves_one_out(d, &another));
    if (!(d->pieces.compact || d->quarter > 0)) {
        if (another)
            withdraw_region(r);
        return MST_OK;
    }
    MST_TRY(relative_size(d, &axis, &error));
    double reach = (r->notes & MST_NOTE_TIME_BIASED) != 0 ? wide_if_biased : wide;
    /* The ellipsoid of clusters allows for their number, and covers as it should (docs/means.md). */
    if ((axis > reach && r->clusters == 0) || another || (uniform && isnan(r->standard_error)))
        MST_TRY(replace_region(d));
    /* Geodesics may cease to be minimal long before they reach the other end of the manifold. */
    double most = d->quarter > 0 ? 2 * hardly : hardly;
    if (uniform || error > most || r->region_kind == MST_REGION_WHOLE)
        r->notes |= MST_NOTE_HARDLY_DETERMINED;
    return MST_OK;
}

/* How long a quarter turn is where the manifold does not say it: what was seen in the search for the errors,
 * or, for an ellipsoid by a source with a time that is long against the scatter of the
 * rows, what can be seen. */
static mst_status find_quarter(doubts *d, mean_cut_term cut)
{
    const mst_mean_result *r = d->r;
    const mst_score *source = d->model->model.source;
    if (d->pieces.count != 1 || d->pieces.piece->features > 0)
        return MST_OK;
    bool timed = mst_score_gives(source, MST_GIVES_TIME);
    if (timed && r->region_kind == MST_REGION_ELLIPSOID &&
        r->region_radius2 * r->standard_error * r->standard_error > 0.1 * r->variance &&
        mst_manifold_traits_of(d->m)->compact == MST_YES &&
        mst_score_describe(source)->cost <= highest_cost)
        MST_TRY(mean_see_cut_locus(d->m, &d->model->model.rows[0], r->mean, &cut));
    if (!isfinite(cut.radius))
        return MST_OK;
    d->quarter = cut.radius / 2;
    /* No point need be looked for farther away; on a closed curve none is. */
    d->pieces.piece->scale = M_PI / (mst_manifold_dim(d->m) > 1 ? cut.farthest : cut.radius);
    return MST_OK;
}

mst_status mean_add_doubts(mst_mean_result *result, const fit_means *model,
                           const mst_mean_options *options, const mean_cut_term *cut)
{
    doubts d = {.r = result,
                .model = model,
                .o = options,
                .m = mst_score_manifold(model->model.source),
                .uniform = mst_uniformity_options_default(),
                .quarter = NAN};
    d.uniform.weights = options->weights;
    d.uniform.weights_are = options->weights_are;
    d.uniform.clusters = options->clusters;
    d.uniform.seed = options->seed;
    MST_TRY(stat_pieces_new(&d.pieces, d.m));
    mst_status status = find_quarter(&d, *cut);
    if (status == MST_OK)
        status = ask_uniformity(&d);
    if (status == MST_OK)
        status = ask_time(&d);
    if (status == MST_OK)
        status = ask_region(&d);
    stat_pieces_free(&d.pieces);
    return status;
}
