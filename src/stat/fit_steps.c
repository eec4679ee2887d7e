/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

#include "stat/fit_steps.h"

#include <math.h>

/* Curvature is there where the source has it, or a time, whose law makes the rows' scores an information; and
 * where the model can bear matrices. */
static bool is_curved(const fit_model *m)
{
    return m->ops->pull_matrix != NULL && (mst_score_gives(m->source, MST_GIVES_HESSIAN) ||
                                           mst_score_gives(m->source, MST_GIVES_TIME));
}

mst_status fit_work_new(fit_work *r, const fit_model *m, double tolerance, bool outer)
{
    size_t q = m->parameters;
    bool curved = is_curved(m);
    double *at;
    MST_TRY(mst_allocate(&at, 9 * q + m->size + (curved ? (outer ? 5 : 3) * q * q : 0)));
    *r = (fit_work){
        .model = m, .tolerances = fit_tolerances_of(m, tolerance), .curved = curved, .memory = at};
    double **vectors[] = {&r->gradient, &r->trial_gradient, &r->step,     &r->values, &r->extra,
                          &r->units,    &r->leaving,        &r->arriving, &r->held};
    for (size_t k = 0; k < sizeof vectors / sizeof *vectors; k++, at += q)
        *vectors[k] = at;
    r->trial = at;
    if (curved) {
        r->hessian = at + m->size;
        r->trial_hessian = r->hessian + q * q;
        r->vectors = r->trial_hessian + q * q;
        r->outer = outer ? r->vectors + q * q : NULL;
        r->trial_outer = outer ? r->outer + q * q : NULL;
    }
    return MST_OK;
}

bool fit_is_too_far(mst_status status)
{
    return status == MST_DOMAIN || status == MST_BREAKDOWN || status == MST_CONVERGENCE;
}

double fit_norm(size_t n, const double *v)
{
    double sum = 0;
    for (size_t k = 0; k < n; k++)
        sum += v[k] * v[k];
    return sqrt(sum);
}

mst_status fit_report(const fit_options *o, const fit_outcome *out)
{
    if (o->progress.report != NULL &&
        o->progress.report(o->progress.user, (double)out->iterations, (double)o->iterations) != 0)
        return mst_fail(MST_INTERRUPTED, "stopped on request");
    return MST_OK;
}

double fit_row_size(const fit_sums *sums)
{
    return sqrt(sums->score_square / sums->total_weight);
}

double fit_spread(const fit_model *m, const fit_sums *sums)
{
    return mst_score_gives(m->source, MST_GIVES_LOG_P)
               ? sqrt(fmax(0, -2 * sums->value / sums->total_weight))
               : fit_row_size(sums);
}

/* Lengths of about one are the scale of a manifold that curves or closes there. One that ends somewhere has
 * no such scale: as matrices shrink, so do their distances, and only the spread of the rows tells what is
 * small. */
double fit_threshold(const fit_work *r, const fit_sums *sums, double factor, double rounding)
{
    const fit_model *m = r->model;
    bool ends = mst_manifold_traits_of(mst_score_manifold(m->source))->has_border;
    double scale =
        mst_score_gives(m->source, MST_GIVES_TIME) ? 1 : fmax(ends ? 0 : 1e-2, fit_spread(m, sums));
    double least = r->tolerances.gradient * fit_row_size(sums);
    return fmax(factor * r->tolerances.asked * scale, rounding * least);
}

double fit_steepness(const double *state, const fit_sums *sums, const double *gradient, fit_work *r)
{
    double square = 0;
    r->model->ops->units(r->model, state, r->units);
    for (size_t k = 0; k < r->model->parameters; k++)
        square += r->units[k] * gradient[k] * r->units[k] * gradient[k];
    return sqrt(square) / sums->total_weight;
}

bool fit_is_settled(const double *state, const fit_sums *sums, const double *gradient, fit_work *r)
{
    return fit_steepness(state, sums, gradient, r) <= fit_threshold(r, sums, 1, 1);
}
