/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Climbs from several starts. */
#include "stat/mean_search.h"

#include "stat/distances.h"
#include "stat/rows.h"

#include <math.h>
#include <string.h>

mst_status mean_search_new(mean_search *s, const mst_score *source, size_t n, const double *x,
                           const mst_mean_options *o)
{
    bool timed = mst_score_gives(source, MST_GIVES_TIME);
    *s = (mean_search){.o = o, .m = mst_score_manifold(source), .squared_distance = NAN};
    s->d = mst_manifold_dim(s->m);
    s->D = mst_manifold_ambient(s->m);
    s->time = timed ? fit_given_time(source, o->time) : 0;
    s->rows = (fit_rows){.n = n, .x = x, .weights = o->weights};
    s->total_weight = rows_weight(n, o->weights);
    s->model = fit_one_mean(source, &s->rows, timed && s->time == 0, o->threads);
    s->tolerances = fit_tolerances_of(&s->model.model, o->tolerance);
    size_t most = o->method == MST_MEAN_NEWTON ? 100 : 10000;
    s->climb = (fit_options){.method = o->method,
                             .tolerance = o->tolerance,
                             .rate = o->rate,
                             .iterations = o->iterations > 0 ? o->iterations : most,
                             .progress = o->progress};
    size_t q = s->model.model.parameters, each = s->D + 1 + q * q;
    MST_TRY(mst_allocate_zero(&s->candidates, o->starts));
    MST_TRY(mst_allocate(&s->memory, o->starts * each));
    for (size_t k = 0; k < o->starts; k++) {
        s->candidates[k].state = s->memory + k * each;
        s->candidates[k].hessian = s->memory + k * each + s->D + 1;
    }
    return MST_OK;
}

void mean_search_free(mean_search *s)
{
    mst_release(s->candidates);
    mst_release(s->memory);
    mst_release(s->start_rows);
    mst_release(s->sample_x);
    mst_release(s->sample_weights);
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

static mst_status run_start(mean_search *s, size_t k)
{
    mean_candidate *c = &s->candidates[s->count];
    fit_options climb = s->climb;
    climb.hessian = c->hessian;
    MST_TRY(mean_choose_start(s, k, c->state));
    bool known = false;
    if (k > 0)
        MST_TRY(mean_look_first(s, c, &known));
    if (known)
        return MST_OK;
    MST_TRY(mean_first_time(s, &s->rows, c->state, mean_time(s, c)));
    MST_TRY(fit_climb(&s->model.model, c->state, &climb, &c->outcome));
    MST_TRY(mean_is_known(s, c, s->tolerances.same_mean, &known));
    s->count += known ? 0 : 1;
    return MST_OK;
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
    double square = 0;
    if (!same)
        MST_TRY(mean_squared_size(s->m, s->rows.n, x, w, x + first * D, s->o->threads, &square));
    *collapsed = same || square <= rows_rounding(s->m, s->rows.n, x, w);
    if (*collapsed)
        memcpy(s->candidates[0].state, x + first * D, D * sizeof *x);
    return MST_OK;
}

mst_status mean_search_run(mean_search *s)
{
    const fit_model *model = &s->model.model;
    bool collapsed = false, found = false;
    if (mean_is_flat(s))
        MST_TRY(mean_flat(s, &found));
    if (found)
        return MST_OK;
    if (model->time_is_free && !(mst_score_describe(model->source)->t_least > 0))
        MST_TRY(collapse(s, &collapsed));
    if (collapsed) {
        s->candidates[0].outcome = (fit_outcome){.end = MST_FIT_COLLAPSED,
                                                 .value = INFINITY,
                                                 .gradient_norm = NAN,
                                                 .decrement = NAN,
                                                 .least_curvature = NAN};
        s->count = 1;
        return MST_OK;
    }
    MST_TRY(mean_draw_starts(s));
    for (size_t k = 0; k < s->o->starts; k++)
        MST_TRY(run_start(s, k));
    return MST_OK;
}
