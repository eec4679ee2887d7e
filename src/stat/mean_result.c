/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* From the candidates to the result. */
#include "stat/distances.h"
#include "stat/mean_search.h"

#include <math.h>
#include <string.h>

mst_status mean_result_new(mst_mean_result **out, size_t d, size_t D, bool matrix, size_t set_size)
{
    mst_mean_result *r;
    size_t basis = matrix ? d * D : 0, covariance = matrix ? d * d : 0;
    MST_TRY(mst_allocate_zero(&r, 1));
    mst_status status = mst_allocate(&r->set, set_size);
    if (status == MST_OK)
        status = mst_allocate(&r->mean, (1 + set_size) * D + basis + covariance);
    if (status != MST_OK) {
        mst_release(r->set);
        mst_release(r);
        return status;
    }
    r->basis = matrix ? r->mean + D : NULL;
    r->covariance = matrix ? r->basis + basis : NULL;
    for (size_t k = 0; k < set_size; k++)
        r->set[k].mean = r->mean + D + basis + covariance + k * D;
    r->set_size = set_size;
    for (size_t k = 0; k < covariance; k++)
        r->covariance[k] = NAN;
    r->time = r->log_likelihood = r->variance = r->standard_error = r->time_standard_error = NAN;
    r->time_low = r->time_high = r->region_radius2 = r->region_volume = r->aic = r->bic = NAN;
    r->gradient_norm = r->decrement = NAN;
    r->degrees_of_freedom = INFINITY;
    r->effective_n = r->time_corrected = r->uniform_statistic = r->uniform_p_value = NAN;
    r->axial_p_value = r->uniform_part_p_value = NAN;
    r->bridge_share = NAN;
    r->region_share = r->region_time = r->equal_times_statistic = r->equal_times_p_value = NAN;
    *out = r;
    return MST_OK;
}

void mst_mean_result_free(mst_mean_result *r)
{
    if (r == NULL)
        return;
    mst_release(r->mean);
    mst_release(r->set);
    mst_release(r->times);
    mst_release(r->distances);
    mst_release(r->validity);
    mst_release(r->region_ellipsoid);
    mst_release(r->boundary_end);
    mst_release(r->boundary);
    mst_release(r);
}

static void fill_set(const mean_search *s, mst_mean_result *r)
{
    const mst_score *source = s->model.model.source;
    bool timed = mst_score_gives(source, MST_GIVES_TIME);
    bool valued = mst_score_gives(source, MST_GIVES_TIME | MST_GIVES_LOG_P);
    for (size_t k = 0; k < r->set_size; k++) {
        const mean_candidate *c = &s->candidates[k];
        bool has_time = timed && mean_has_time(fit_time_limit(&c->outcome));
        memcpy(r->set[k].mean, c->state, s->D * sizeof *c->state);
        r->set[k].time = has_time ? *mean_time(s, c) : NAN;
        r->set[k].log_likelihood = valued ? c->outcome.value : NAN;
    }
}

static void fill_outcome(const mean_search *s, const fit_outcome *best, mst_mean_result *r)
{
    r->end = best->end;
    r->time_limit = fit_time_limit(best);
    r->converged = fit_has_converged(best->end);
    r->iterations = best->iterations;
    r->gradient_norm = best->gradient_norm;
    r->decrement = best->decrement;
    /* Where curvature is nowhere positive there is no second mean, and a flat place is simulation noise. */
    bool noise = mst_score_describe(s->model.model.source)->noise > 0 &&
                 mst_manifold_traits_of(s->m)->hadamard == MST_YES;
    bool flat = s->ties > 1 || best->least_curvature < s->tolerances.unique;
    bool tied = (flat && !noise) || best->end == MST_FIT_UNIFORM;
    bool known = tied || (!flat && s->members == 1 && s->scope != MEAN_LOCAL);
    r->unique = known && !tied;
    r->uniqueness = !known                    ? MST_UNIQUENESS_NOT_ESTABLISHED
                    : s->scope >= MEAN_LISTED ? MST_UNIQUENESS_PROVEN
                                              : MST_UNIQUENESS_SEARCHED;
}

/* Distances of the rows from the geodesics that are known next to the mean, and the mean of their squares. */
static mst_status measure(const mean_search *s, mst_mean_result *r)
{
    double sum = 0, total = 0;
    MST_TRY(mst_allocate(&r->distances, r->n));
    MST_TRY(mean_measure(s->m, r->n, s->rows.x, r->mean, 1e-6, s->o->threads, s->near->kept, NULL,
                         r->distances));
    for (size_t i = 0; i < r->n; i++) {
        double w = s->rows.weights != NULL ? s->rows.weights[i] : 1;
        if (isnan(r->distances[i]))
            continue;
        sum += w * r->distances[i] * r->distances[i];
        total += w;
    }
    r->variance = sum / total;
    if (!(r->time > 0) || !mst_score_gives(s->model.model.source, MST_GIVES_VALIDITY))
        return MST_OK;
    MST_TRY(mst_allocate(&r->validity, r->n));
    return mst_score_validity(
        fit_source(&s->model.model),
        &(mst_pairs){
            .n = r->n, .first = s->rows.first, .x = s->rows.x, .y = r->mean, .t = &r->time},
        &(mst_heat_values){0}, r->validity);
}

/* The weighted share of rows by whose validity numbers the source is wrong by as much as their scores. */
static mst_status hopeless_share(const mean_search *s, const double *state, double time, double *v,
                                 double *share)
{
    const double hopeless = 1;
    size_t n = s->rows.n;
    mst_pairs pairs = {.n = n, .first = s->rows.first, .x = s->rows.x, .y = state, .t = &time};
    *share = 0;
    MST_TRY(mst_score_validity(s->model.model.source, &pairs, &(mst_heat_values){0}, v));
    for (size_t i = 0; i < n; i++)
        *share += !(v[i] < hopeless) ? (s->rows.weights != NULL ? s->rows.weights[i] : 1) : 0;
    *share /= s->total_weight;
    return MST_OK;
}

/* Has the time left those for which the source holds? Then half of the rows are lost there, and not at
 * shorter times. */
static mst_status judge_time(const mean_search *s, mst_mean_result *r)
{
    const fit_model *m = &s->model.model;
    enum { MOST_QUARTERS = 40 };
    double *v, share, shorter = 1, time = r->time;
    if (!m->time_is_free || !(time > 0) || !mst_score_gives(m->source, MST_GIVES_VALIDITY))
        return MST_OK;
    MST_TRY(mst_allocate(&v, s->rows.n));
    mst_status status = hopeless_share(s, r->mean, time, v, &share);
    for (int k = 0; status == MST_OK && share > 0.5 && shorter > 0.5 && k < MOST_QUARTERS; k++) {
        time /= 4;
        status = hopeless_share(s, r->mean, time, v, &shorter);
    }
    mst_release(v);
    if (status != MST_OK || !(share > 0.5) || shorter > 0.5)
        return status;
    r->time_limit = MST_TIME_LONG;
    r->converged = r->unique = false;
    r->uniqueness = MST_UNIQUENESS_NOT_ESTABLISHED;
    r->time = r->log_likelihood = r->aic = r->bic = NAN;
    for (size_t k = 0; k < r->set_size; k++)
        r->set[k].time = r->set[k].log_likelihood = NAN;
    return MST_OK;
}

mst_status mean_describe(const mean_search *s, mst_mean_result **out)
{
    const mean_candidate *best = &s->candidates[0];
    mst_mean_result *r;
    MST_TRY(mean_result_new(&r, s->d, s->D, !s->total_only, s->members));
    fill_set(s, r);
    fill_outcome(s, &best->outcome, r);
    memcpy(r->mean, best->state, s->D * sizeof *r->mean);
    r->n = s->rows.n;
    r->seed = s->o->seed;
    r->parameters = s->model.model.parameters;
    const mst_bridge_options *bridge = mst_score_bridge(s->model.model.source);
    r->bridge_paths = bridge != NULL ? bridge->paths : 0;
    r->time = r->set[0].time;
    if (!isnan(r->set[0].log_likelihood)) {
        r->log_likelihood = r->set[0].log_likelihood;
        r->aic = 2 * (double)r->parameters - 2 * r->log_likelihood;
        /* A weight is a number of repetitions. */
        r->bic = log(s->total_weight) * (double)r->parameters - 2 * r->log_likelihood;
    }
    *out = r;
    MST_TRY(judge_time(s, r));
    if (s->near != NULL && s->near->kept != NULL)
        return measure(s, r);
    /* A manifold may have no logarithm here: then there is no variance. */
    r->variance = s->squared_distance;
    if (isnan(r->variance) && mean_squared_distance(s->m, r->n, s->rows.x, s->rows.weights, r->mean,
                                                    s->o->threads, &r->variance) != MST_OK)
        r->variance = NAN;
    return MST_OK;
}
