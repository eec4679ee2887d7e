/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

#include "base/options.h"
#include "manifold/internal.h"
#include "score/score_internal.h"
#include "stat/mean_doubts.h"
#include "stat/mean_search.h"
#include "stat/mean_weights.h"
#include "stat/rows.h"
#include "util/clock.h"

#include <math.h>

mst_mean_options mst_mean_options_default(void)
{
    return (mst_mean_options){.size = sizeof(mst_mean_options),
                              .method = MST_MEAN_NEWTON,
                              .starts = 4,
                              .tolerance = 1e-10,
                              .rate = 0.1,
                              .resamples = 1000,
                              .confidence = 0.95,
                              .seed = 2712};
}

static mst_status check_points(const mst_manifold *m, size_t n, const double *x,
                               const mst_mean_options *o)
{
    size_t D = mst_manifold_ambient(m), row;
    MST_TRY(rows_check(m, n, x, o->weights));
    for (size_t k = 0; o->start != NULL && k < D; k++)
        if (!isfinite(o->start[k]))
            return mst_fail(MST_ARGUMENT, "start: %g is not a coordinate", o->start[k]);
    return o->start != NULL ? mst_manifold_validate(m, 1, o->start, &row) : MST_OK;
}

static mst_status check_options(const mst_score *source, const mst_mean_options *o)
{
    if (mst_score_gives(source, MST_GIVES_TIME) && (o->time < 0 || !isfinite(o->time)))
        return mst_fail(MST_ARGUMENT, "the time must be positive, not %g", o->time);
    MST_TRY(fit_check_time(source, o->time));
    if (o->starts < 1 || o->starts > 1000)
        return mst_fail(MST_ARGUMENT, "the number of starts must be from 1 to 1000, not %zu",
                        o->starts);
    if (!(o->tolerance > 0) || !(o->rate > 0))
        return mst_fail(MST_ARGUMENT, "tolerance and rate must be positive");
    if (!(o->start_time >= 0) || isinf(o->start_time))
        return mst_fail(MST_ARGUMENT, "`start_time` must be positive, not %g", o->start_time);
    if (o->normalise && o->method != MST_MEAN_GRADIENT)
        return mst_fail(MST_ARGUMENT, "`normalise` is for the method gradient");
    if (!(o->confidence > 0 && o->confidence < 1))
        return mst_fail(MST_ARGUMENT, "the confidence must lie between 0 and 1, not %g",
                        o->confidence);
    return MST_OK;
}

/* By the root of the ratio, about the time that it is of. */
static void widen_interval(mst_mean_result *r, double ratio)
{
    double about =
        r->time_corrected > 0 && isfinite(r->time_corrected) ? r->time_corrected : r->time;
    r->time_low = about * pow(r->time_low / about, sqrt(ratio));
    r->time_high = about * pow(r->time_high / about, sqrt(ratio));
}

/* The status of a result: not converged is said, with the reason. */
static mst_status verdict(const mst_mean_result *r)
{
    if (r->converged)
        return MST_OK;
    if (r->end == MST_FIT_COLLAPSED)
        return mst_fail(MST_CONVERGENCE, "all the points are one: the time runs to zero");
    if (r->end == MST_FIT_UNIFORM)
        return mst_fail(MST_CONVERGENCE,
                        "the points are spread uniformly: the time runs to infinity and "
                        "the mean is undetermined");
    if (r->time_limit == MST_TIME_LONG)
        return mst_fail(MST_CONVERGENCE,
                        "the time runs to longer ones than those for which the source holds");
    return mst_fail(MST_CONVERGENCE, "not converged after %zu iterations: gradient norm %.2g",
                    r->iterations, r->gradient_norm);
}

static mst_status search(mean_search *s, const mst_mean_options *o, mst_mean_result **out)
{
    MST_TRY(mean_search_run(s));
    MST_TRY(mean_rank(s));
    MST_TRY(mean_judge(s));
    MST_TRY(mean_describe(s, out));
    (*out)->effective_n = s->total_weight;
    if (mean_weights_look_relative(o, s->rows.n))
        (*out)->notes |= MST_NOTE_WEIGHTS_SUM_TO_ONE;
    MST_TRY(mean_compare_times(*out, &s->model, o));
    mst_mean_options robust = *o;
    if (((*out)->notes & MST_NOTE_UNEQUAL_TIMES) != 0 && o->covariance == MST_COVARIANCE_OBSERVED)
        robust.covariance = MST_COVARIANCE_SANDWICH;
    mean_cut_term cut;
    double ratio;
    MST_TRY(mean_add_errors(*out, &s->model, &robust, s->candidates[0].hessian, &cut));
    MST_TRY(mean_judge_model(*out, &s->model, &robust, &s->candidates[0], &ratio));
    MST_TRY(mean_allow_for_skewness(*out, &s->model, s->o->confidence));
    MST_TRY(mean_add_doubts(*out, &s->model, &robust, &cut));
    if (ratio > 1)
        widen_interval(*out, ratio);
    /* Rows all over the space, as uniform ones are: what they say of this mean they might as well say of
     * another. */
    bool rough = false;
    if (((*out)->notes & (MST_NOTE_MAYBE_UNIFORM | MST_NOTE_UNIFORM_PART)) != 0 && (*out)->unique)
        MST_TRY(mean_is_rough(s, 0, &rough));
    /* Where nobody knows how far geodesics are minimal, no theorem decides, and how often the search misses
     * another mean has not been measured. */
    bool strange = (*out)->unique && (*out)->uniqueness == MST_UNIQUENESS_SEARCHED &&
                   isnan(mst_manifold_injectivity(s->m)) &&
                   mst_manifold_traits_of(s->m)->hadamard != MST_YES;
    if (rough || strange) {
        (*out)->unique = false;
        (*out)->uniqueness = MST_UNIQUENESS_NOT_ESTABLISHED;
    }
    return MST_OK;
}

/* Is it worth while to come near the mean by geodesics first? Where each row takes a search, and where a
 * source solves for every row anew when the time is far from those it knows: chords may be wrong by orders of
 * magnitude, as those across the hole of a learned ring are. */
static bool start_is_dear(const mst_score *source)
{
    const mst_manifold *m = mst_score_manifold(source);
    bool closed = (mst_manifold_traits_of(m)->closed & (MST_CLOSED_DIST | MST_CLOSED_LOG)) != 0;
    return m->own != NULL || (score_solves(source) && !closed);
}

static mst_status fit_whole(mst_mean_result **out, const mst_score *source, size_t n,
                            const double *x, const mst_mean_options *o)
{
    mean_search s;
    const mst_manifold *m = mst_score_manifold(source);
    mst_mean_options own = *o;
    mean_near near = {0};
    mst_status status = MST_OK;
    if (start_is_dear(source) && o->start == NULL && mst_score_gives(source, MST_GIVES_TIME)) {
        const fit_rows rows = {.n = n, .x = x, .weights = o->weights};
        status = mean_near_new(&near, m, &rows, m->own == NULL, o->threads);
        own.start = near.found ? near.at : NULL;
        /* The fit would be refused after a long search for geodesics; mean_near_new has said why. */
        if (near.lost && mst_score_gives(source, MST_GIVES_VALIDITY))
            status = MST_UNABLE;
    }
    if (status == MST_OK) {
        status = mean_search_new(&s, source, n, x, &own, near.found ? &near : NULL);
        if (status == MST_OK)
            status = search(&s, &own, out);
        mean_search_free(&s);
    }
    mean_near_free(&near);
    return status;
}

/* How many paths the rows need, by a trial at the first start. */
static mst_status try_bridges(const mst_score *source, size_t n, const double *x,
                              const mst_mean_options *o, size_t *paths)
{
    mean_search s;
    double *state = NULL;
    mst_status status = mean_search_new(&s, source, n, x, o, NULL);
    if (status == MST_OK)
        status = mean_draw_starts(&s);
    if (status == MST_OK)
        status = mst_allocate(&state, s.D + 1);
    if (status == MST_OK)
        status = mean_choose_start(&s, 0, state);
    if (status == MST_OK)
        status = mean_first_time(&s, &s.rows, state, state + s.D);
    if (status == MST_OK)
        status = mean_choose_paths(&s, state, paths);
    mst_release(state);
    mean_search_free(&s);
    return status;
}

/* The noise at the mean may be more than it was at the start: fits are repeated from where they ended, until
 * it is as small as it is to be. */
static mst_status fit_by_bridges(mst_mean_result **out, const mst_score *source, size_t n,
                                 const double *x, const mst_mean_options *options)
{
    mst_bridge_options b = *mst_score_bridge(source);
    mst_mean_options o = *options;
    mst_mean_result *before = NULL;
    mst_status status = try_bridges(source, n, x, &o, &b.paths);
    while (status == MST_OK) {
        mst_score *settled = NULL;
        status = mst_score_bridge_new(&settled, mst_score_manifold(source), &b);
        if (status == MST_OK)
            status = fit_whole(out, settled, n, x, &o);
        mst_score_free(settled);
        size_t paths = status == MST_OK ? mean_more_paths(*out) : b.paths;
        if (paths <= b.paths)
            break;
        b.paths = paths;
        mst_mean_result_free(before);
        before = *out; /* o points to its mean */
        *out = NULL;
        o.start = before->mean;
        o.start_time = before->time > 0 ? before->time : 0;
    }
    mst_mean_result_free(before);
    return status;
}

static mst_status fit_with(mst_mean_result **out, const mst_score *source, size_t n,
                           const double *x, const mst_mean_options *o)
{
    if (o->time_per_factor)
        return mean_fit_per_factor(out, source, n, x, o);
    return score_bridge_is_open(source) ? fit_by_bridges(out, source, n, x, o)
                                        : fit_whole(out, source, n, x, o);
}

mst_status mean_fit_rows(mst_mean_result **out, const mst_score *source, size_t n, const double *x,
                         const mst_mean_options *options)
{
    mst_mean_options o = *options;
    double *weights;
    mst_mean_result *r = NULL;
    MST_TRY(mean_take_weights(n, &o.weights, o.weights_are, &weights));
    mst_status status = fit_with(&r, source, n, x, &o);
    mst_release(weights);
    if (status != MST_OK) {
        mst_mean_result_free(r);
        if (status == MST_DOMAIN && mst_manifold_traits_of(mst_score_manifold(source))->has_border)
            return mst_fail(status,
                            "the fit has come to the border of %s, where geodesics end: the mean, "
                            "or a step that its errors need, is not inside",
                            mst_manifold_spec(mst_score_manifold(source)));
        /* MST_CONVERGENCE promises a result; a logarithm that could not be found leaves none. */
        return status == MST_CONVERGENCE ? mst_fail(MST_BREAKDOWN, "%s", mst_error_detail())
                                         : status;
    }
    r->different_rows = n;
    *out = r;
    return verdict(r);
}

mst_status mst_mean_fit(mst_mean_result **out, const mst_score *source, size_t n, const double *x,
                        const mst_mean_options *options)
{
    *out = NULL;
    double begin = mst_clock_seconds();
    size_t *names, different;
    mst_mean_options o;
    MST_TRY(MST_TAKE_OPTIONS(&o, mst_mean_options, options));
    MST_TRY(check_options(source, &o));
    MST_TRY(check_points(mst_score_manifold(source), n, x, &o));
    MST_TRY(mst_score_prepare(source, n, x));
    MST_TRY(mean_take_copies(n, mst_manifold_ambient(mst_score_manifold(source)), x, &o, &names,
                             &different));
    mst_status status = mean_fit_rows(out, source, n, x, &o);
    mst_release(names);
    if (*out == NULL)
        return status;
    (*out)->different_rows = different;
    if (different < n)
        (*out)->notes |= MST_NOTE_COPIES;
    (*out)->seconds = mst_clock_seconds() - begin;
    return status;
}
