/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* A climb by whatever method there is, and how it ended. */
#include "stat/fit_steps.h"

#include <math.h>
#include <string.h>

bool fit_has_converged(mst_fit_end end)
{
    return end == MST_FIT_SETTLED || end == MST_FIT_ROUNDING || end == MST_FIT_EDGE;
}

mst_time_limit fit_time_limit(const fit_outcome *out)
{
    return out->end == MST_FIT_COLLAPSED ? MST_TIME_ZERO
           : out->end == MST_FIT_UNIFORM ? MST_TIME_INFINITY
                                         : out->edge;
}

static void clamp_times(const fit_model *m, double *state)
{
    for (size_t k = 0; m->time_is_free && k < m->parts; k++) {
        fit_part part = m->ops->part(m, k);
        if (part.log_time)
            state[part.time] = fit_clamp_time(m->source, state[part.time]);
    }
}

/* Every step takes apart a matrix of order q: with 1000 that is seconds, with 3000 a minute and more. */
static mst_status check_order(const fit_work *r)
{
    enum { MOST = 1001 };
    const fit_model *m = r->model;
    if (!r->curved || m->parameters <= MOST)
        return MST_OK;
    return mst_fail(
        MST_UNABLE,
        "%s: an estimate of %zu parameters takes matrices of that order in every step, and at most "
        "%d are allowed; reduce the dimension first",
        mst_manifold_spec(mst_score_manifold(m->source)), m->parameters, MOST);
}

mst_status fit_climb(const fit_model *m, double *state, const fit_options *o, fit_outcome *out)
{
    *out = (fit_outcome){.end = MST_FIT_OUT_OF_STEPS,
                         .edge = MST_TIME_FINITE,
                         .least_curvature = NAN,
                         .decrement = NAN,
                         .row_size = NAN};
    fit_work r;
    MST_TRY(fit_work_new(&r, m, o->tolerance, o->outer != NULL));
    mst_status status = check_order(&r);
    if (status != MST_OK) {
        mst_release(r.memory);
        return status;
    }
    clamp_times(m, state);
    if (o->method != MST_MEAN_NEWTON)
        status = fit_ascend(state, o, &r, out);
    else
        status = r.curved ? fit_newton(state, o, &r, out) : fit_quasi_newton(state, o, &r, out);
    if (status == MST_OK && o->method != MST_MEAN_NEWTON && r.curved)
        status = fit_certify(state, &r, out);
    if (status == MST_OK && o->hessian != NULL && r.curved)
        memcpy(o->hessian, r.hessian, m->parameters * m->parameters * sizeof *r.hessian);
    if (status == MST_OK && r.outer != NULL)
        memcpy(o->outer, r.outer, m->parameters * m->parameters * sizeof *r.outer);
    /* A maximum at the edge of the range is one of its own kind. */
    if (out->end == MST_FIT_SETTLED && out->edge != MST_TIME_FINITE)
        out->end = MST_FIT_EDGE;
    mst_release(r.memory);
    return status;
}
