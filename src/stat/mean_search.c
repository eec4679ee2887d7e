/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Climbs from several starts. */
#include "stat/mean_search.h"

#include "geodesic/own.h"
#include "manifold/barycentre.h"
#include "score/score_internal.h"
#include "stat/distances.h"
#include "stat/rows.h"

#include <math.h>
#include <string.h>

/* Who asks for more starts than by default gets those as well as the search. */
enum { USUAL_STARTS = 4 };

/* Anew; `near`: but for what is known next to the mean. */
static mst_status remember(mean_search *s, bool near)
{
    mst_score_free(s->memory);
    MST_TRY(mst_score_remember(&s->memory, s->model.model.source, s->rows.n));
    s->model.model.memory = s->memory;
    if (near && s->memory != NULL && s->near != NULL && s->near->kept != NULL &&
        geodesics_own(s->near->kept) != NULL)
        score_hint(s->memory, geodesics_own(s->near->kept));
    return MST_OK;
}

mst_status mean_search_new(mean_search *s, const mst_score *source, size_t n, const double *x,
                           const mst_mean_options *o, const mean_near *near)
{
    bool timed = mst_score_gives(source, MST_GIVES_TIME);
    *s = (mean_search){.o = o, .m = mst_score_manifold(source), .squared_distance = NAN};
    s->near = near;
    s->d = mst_manifold_dim(s->m);
    s->D = mst_manifold_ambient(s->m);
    s->time = timed ? fit_given_time(source, o->time) : 0;
    s->rows = (fit_rows){.n = n, .x = x, .weights = o->weights};
    s->total_weight = rows_weight(n, o->weights);
    s->model = fit_one_mean(source, &s->rows, timed && s->time == 0, o->threads);
    s->model.retract = o->retract && mst_score_gives(source, MST_GIVES_LOG_P);
    s->tolerances = fit_tolerances_of(&s->model.model, o->tolerance);
    MST_TRY(remember(s, true));
    size_t most = o->method == MST_MEAN_NEWTON ? 100 : 10000;
    s->climb = (fit_options){.method = o->method,
                             .tolerance = o->tolerance,
                             .rate = o->rate,
                             .normalise = o->normalise,
                             .iterations = o->iterations > 0 ? o->iterations : most,
                             .progress = o->progress};
    return MST_OK;
}

void mean_search_free(mean_search *s)
{
    for (size_t k = 0; k < s->room; k++)
        mst_release(s->candidates[k].state);
    mst_release(s->candidates);
    mst_score_free(s->memory);
    mst_release(s->start_rows);
    mst_release(s->sample_x);
    mst_release(s->sample_weights);
    mst_release(s->about);
    if (s->centre != NULL)
        s->centre->ops->free(s->centre);
}

/* The spread of the rows' gradients comes with any sweep; where sweeps take long none is made for it. */
static bool keeps_spread(const mean_search *s)
{
    const mst_score *source = s->model.model.source;
    return fit_is_slow(source) && mst_score_gives(source, MST_GIVES_TIME | MST_GIVES_HESSIAN);
}

mst_status mean_next_candidate(mean_search *s, mean_candidate **out)
{
    if (s->count == s->room) {
        size_t room = s->room > 0 ? 2 * s->room : 4;
        mean_candidate *more;
        MST_TRY(mst_allocate_zero(&more, room));
        if (s->room > 0)
            memcpy(more, s->candidates, s->room * sizeof *more);
        mst_release(s->candidates);
        s->candidates = more;
        s->room = room;
    }
    mean_candidate *c = &s->candidates[s->count];
    if (c->state == NULL) {
        size_t q = s->model.model.parameters;
        size_t matrices = s->total_only ? 0 : keeps_spread(s) ? 2 : 1;
        MST_TRY(mst_allocate_zero(&c->state, s->D + 1 + matrices * q * q));
        c->hessian = s->total_only ? NULL : c->state + s->D + 1;
    }
    c->outer = NULL;
    *out = c;
    return MST_OK;
}

double mean_scatter(const mean_search *s, const mean_candidate *c)
{
    const mst_score *source = s->model.model.source;
    if (mst_score_gives(source, MST_GIVES_TIME))
        return sqrt(*mean_time(s, c));
    return mst_score_gives(source, MST_GIVES_LOG_P)
               ? sqrt(fmax(0, -2 * c->outcome.value / s->total_weight))
               : c->outcome.row_size;
}

mst_status mean_is_known(const mean_search *s, const mean_candidate *c, double share, bool *known)
{
    double rounding = 1e-12;
    for (size_t k = 0; k < s->D; k++)
        rounding = fmax(rounding, 1e-12 * fabs(c->state[k]));
    *known = false;
    for (size_t k = 0; !*known && k < s->count; k++) {
        const mean_candidate *other = &s->candidates[k];
        double r;
        MST_TRY(distance_about(s->m, other->state, c->state, &r));
        *known = r <= fmax(rounding, share * mean_scatter(s, other));
    }
    return MST_OK;
}

/* What a source remembers must not have led it astray: it forgets all, and if it then finds something else
 * the climb goes on from there. */
static mst_status check_memory(mean_search *s, mean_candidate *c, const fit_options *climb)
{
    double *gradient;
    MST_TRY(remember(s, false));
    MST_TRY(mst_allocate(&gradient, s->model.model.parameters));
    fit_sums sums = {.gradient = gradient};
    mst_status status = fit_evaluate(&s->model.model, c->state, &sums);
    mst_release(gradient);
    double error = fmax(1e-9, s->tolerances.value);
    if (status != MST_OK || fabs(sums.value - c->outcome.value) <= error * fabs(sums.value))
        return status;
    size_t before = c->outcome.iterations;
    MST_TRY(fit_climb(&s->model.model, c->state, climb, &c->outcome));
    c->outcome.iterations += before;
    return MST_OK;
}

/* With a memory, the time costs nothing to change where the mean stays: t ← t(1 + 2t⟨∂ₜ log p⟩/d), which is
 * right at once in flat space. */
static mst_status settle_time(mean_search *s, mean_candidate *c)
{
    const fit_model *m = &s->model.model;
    size_t q = m->parameters;
    double *gradient, *time = mean_time(s, c), rise = INFINITY;
    if (s->memory == NULL || !m->time_is_free)
        return MST_OK;
    MST_TRY(mst_allocate(&gradient, q));
    mst_status status = MST_OK;
    for (int k = 0; status == MST_OK && k < 8 && fabs(rise) > 1e-6; k++) {
        fit_sums sums = {.gradient = gradient, .hessian = c->hessian};
        status = fit_evaluate(m, c->state, &sums);
        rise = status == MST_OK ? 2 * gradient[q - 1] / sums.total_weight / (double)s->d : NAN;
        if (!isfinite(rise))
            break;
        *time = fit_clamp_time(m->source, *time * exp(fmin(fmax(rise, -0.7), 0.7)));
    }
    mst_release(gradient);
    return status;
}

/* The geodesics that are remembered are those from the first state on, which were searched for there; as long
 * as the mean has moved by a small part of their lengths they lead from one state to the other without a
 * leap. */
static mst_status has_come_far(const mean_search *s, const double *from, const mean_candidate *c,
                               bool *far)
{
    double r, rows = mean_scatter(s, c);
    if (mst_score_gives(s->model.model.source, MST_GIVES_TIME))
        rows *= sqrt((double)s->d);
    MST_TRY(distance_about(s->m, from, c->state, &r));
    *far = !(r <= 0.1 * rows);
    return MST_OK;
}

static mst_status climb_from(mean_search *s, mean_candidate *c)
{
    fit_options climb = s->climb;
    double *from;
    bool far = false;
    climb.hessian = c->hessian;
    climb.outer = c->hessian != NULL && keeps_spread(s)
                      ? c->hessian + s->model.model.parameters * s->model.model.parameters
                      : NULL;
    MST_TRY(mst_allocate(&from, s->D));
    memcpy(from, c->state, s->D * sizeof *from);
    mst_status status = settle_time(s, c);
    if (status == MST_OK)
        status = mean_climb(s, c, &climb);
    if (status == MST_OK && s->memory != NULL)
        status = has_come_far(s, from, c, &far);
    if (status == MST_OK && far)
        status = check_memory(s, c, &climb);
    c->outer = climb.outer;
    mst_release(from);
    return status;
}

mst_status mean_climb_next(mean_search *s, bool look)
{
    mean_candidate *c = &s->candidates[s->count];
    bool known = false;
    if (look)
        MST_TRY(mean_look_first(s, c, &known));
    if (known)
        return MST_OK;
    MST_TRY(mean_first_time(s, &s->rows, c->state, mean_time(s, c)));
    if (s->count > 0)
        MST_TRY(remember(s, false));
    MST_TRY(climb_from(s, c));
    MST_TRY(mean_is_known(s, c, s->tolerances.same_mean, &known));
    s->count += known ? 0 : 1;
    return MST_OK;
}

static mst_status run_start(mean_search *s, size_t k)
{
    mean_candidate *c;
    MST_TRY(mean_next_candidate(s, &c));
    MST_TRY(mean_choose_start(s, k, c->state));
    return mean_climb_next(s, k > 0);
}

/* Do the coordinates of all rows with weight differ from those of the first by rounding only? */
static bool are_one(const mean_search *s, size_t first)
{
    const double *x = s->rows.x, *w = s->rows.weights;
    double largest = 0, apart = 0;
    for (size_t i = first; i < s->rows.n; i++)
        for (size_t a = 0; (w == NULL || w[i] > 0) && a < s->D; a++) {
            largest = fmax(largest, fabs(x[i * s->D + a]));
            apart = fmax(apart, fabs(x[i * s->D + a] - x[first * s->D + a]));
        }
    return apart <= 1e-12 * largest;
}

/* One point, or the same one many times: any time fits better than a larger one. The mean is then that point,
 * which is compared with the others by coordinates too, because distances of far points
 * carry rounding of their own. */
static mst_status collapse(const mean_search *s, bool *collapsed)
{
    size_t D = s->D, first = 0;
    const double *x = s->rows.x, *w = s->rows.weights;
    while (w != NULL && w[first] == 0)
        first++;
    bool same = true;
    for (size_t i = first + 1; same && i < s->rows.n; i++)
        same = (w != NULL && w[i] == 0) || memcmp(x + i * D, x + first * D, D * sizeof *x) == 0;
    double square = 0, rounding;
    MST_TRY(rows_rounding(s->m, s->rows.n, x, w, &rounding));
    if (!same)
        MST_TRY(mean_squared_size(s->m, s->rows.n, x, w, x + first * D, s->o->threads, &square));
    /* Distances need not grow with coordinates, as those of matrices do not: both must be lost. */
    *collapsed = same || (square <= rounding && are_one(s, first));
    if (*collapsed)
        memcpy(s->candidates[0].state, x + first * D, D * sizeof *x);
    return MST_OK;
}

static mst_status run_starts(mean_search *s)
{
    MST_TRY(mean_draw_starts(s));
    MST_TRY(run_start(s, 0));
    MST_TRY(mean_prove(s));
    if (s->scope == MEAN_ONLY || s->o->starts == 1)
        return MST_OK;
    MST_TRY(mean_look_around(s));
    for (size_t k = 1; k < s->o->starts; k++)
        if (s->scope == MEAN_LOCAL || k >= USUAL_STARTS)
            MST_TRY(run_start(s, k));
    return s->scope == MEAN_LOCAL ? mean_look_farther(s) : MST_OK;
}

mst_status mean_search_run(mean_search *s)
{
    const fit_model *model = &s->model.model;
    mean_candidate *c;
    bool collapsed = false, found = false;
    mean_plan_centre(s);
    if (s->by_centre)
        MST_TRY(mean_by_centre(s, &found));
    if (!found)
        MST_TRY(mean_next_candidate(s, &c));
    if (!found && mean_is_flat(s))
        MST_TRY(mean_flat(s, &found));
    if (found) {
        s->scope = MEAN_ONLY;
        return MST_OK;
    }
    if (model->time_is_free && !(mst_score_describe(model->source)->t_least > 0))
        MST_TRY(collapse(s, &collapsed));
    if (!collapsed)
        return run_starts(s);
    c->outcome = (fit_outcome){.end = MST_FIT_COLLAPSED,
                               .value = INFINITY,
                               .gradient_norm = NAN,
                               .decrement = NAN,
                               .least_curvature = NAN};
    s->count = 1;
    s->scope = MEAN_ONLY;
    return MST_OK;
}
