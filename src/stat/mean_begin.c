/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Where a sweep over the rows takes long, a climb begins on some of them. Far from the mean their gradient
 * leads where that of all would, and a step is taken only while it is longer than what the choice of rows
 * could make of it: no way is gone that all rows would not go. */
#include "score/score_internal.h"
#include "stat/fit_steps.h"
#include "stat/mean_search.h"
#include "stat/rows.h"

#include <math.h>
#include <string.h>

/* So many rows, of at least four times as many. */
enum { SOME_ROWS = 128 };

/* The square of a step that only chance makes, in units of what the rows know, is about q, and the step
 * promises to gain half of it. One twice as long in the square is believed; and on all rows the first one may
 * be no more than ten times as long. */
static const double believed = 1, lost = 5;

static bool is_worth_it(const mean_search *s)
{
    const mst_score *source = s->model.model.source;
    return s->climb.method == MST_MEAN_NEWTON && s->o->iterations == 0 && s->memory == NULL &&
           s->rows.n >= 4 * SOME_ROWS && s->sample.x != s->rows.x && s->sample.n >= SOME_ROWS &&
           fit_is_slow(source) && !score_solves(source) &&
           mst_score_gives(source, MST_GIVES_TIME | MST_GIVES_HESSIAN) &&
           !(mst_score_describe(source)->noise > 0);
}

static mst_status climb_some(const mean_search *s, const fit_rows *rows, mean_candidate *c)
{
    size_t q = s->model.model.parameters;
    fit_means model = s->model;
    fit_options climb = s->climb;
    model.model.rows = rows;
    climb.hessian = c->hessian;
    climb.rough = true;
    climb.least_gain = believed * (double)q;
    MST_TRY(fit_climb(&model.model, c->state, &climb, &c->outcome));
    for (size_t k = 0; k < q * q; k++)
        c->hessian[k] *= s->total_weight / rows_weight(rows->n, rows->weights);
    return MST_OK;
}

/* Moves the candidate nearer to its mean; *climb tells the climb on all rows from there. */
static mst_status begin(const mean_search *s, mean_candidate *c, fit_options *climb)
{
    fit_rows some = s->sample;
    some.n = SOME_ROWS;
    double share = s->total_weight / rows_weight(some.n, some.weights);
    if (!isfinite(share))
        return MST_OK;
    mst_status status = climb_some(s, &some, c);
    if (status != MST_OK)
        return fit_is_too_far(status) ? MST_OK : status;
    if (!fit_has_converged(c->outcome.end) || c->outcome.edge != MST_TIME_FINITE)
        return MST_OK;
    climb->near = c->hessian;
    climb->rough = true;
    climb->most_gain = lost * (double)s->model.model.parameters * share;
    return MST_OK;
}

mst_status mean_climb(const mean_search *s, mean_candidate *c, const fit_options *climb)
{
    fit_options rest = *climb;
    double *start;
    if (!is_worth_it(s))
        return fit_climb(&s->model.model, c->state, climb, &c->outcome);
    MST_TRY(mst_allocate(&start, s->D + 1));
    memcpy(start, c->state, (s->D + 1) * sizeof *start);
    mst_status status = begin(s, c, &rest);
    size_t before = c->outcome.iterations;
    bool astray = rest.near == NULL;
    if (status == MST_OK && !astray) {
        status = fit_climb(&s->model.model, c->state, &rest, &c->outcome);
        astray = fit_is_too_far(status) ||
                 (!fit_has_converged(c->outcome.end) && c->outcome.end != MST_FIT_UNIFORM);
        c->outcome.iterations += before;
    }
    if (astray && (status == MST_OK || fit_is_too_far(status))) {
        memcpy(c->state, start, (s->D + 1) * sizeof *start);
        status = fit_climb(&s->model.model, c->state, climb, &c->outcome);
    }
    mst_release(start);
    return status;
}
