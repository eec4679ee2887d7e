/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* The first-order methods as published, for comparison: gradient ascent and Adam. */
#include "stat/fit_steps.h"

#include <math.h>
#include <string.h>

/* One look at the state: gradient of the mean log-likelihood into r->gradient, and whether it is an end. */
static mst_status look(const double *state, const fit_options *o, fit_work *r, fit_outcome *out,
                       bool *end)
{
    fit_sums sums = {.gradient = r->gradient};
    MST_TRY(fit_evaluate(r->model, state, &sums));
    out->edge = fit_hold_times(r->model, state, r->gradient);
    bool settled = fit_is_settled(state, &sums, r->gradient, r);
    for (size_t k = 0; k < r->model->parameters; k++)
        r->gradient[k] /= sums.total_weight;
    out->end = settled ? MST_FIT_SETTLED : MST_FIT_OUT_OF_STEPS;
    out->value = sums.value;
    out->gradient_norm = fit_norm(r->model->parameters, r->gradient);
    out->row_size = fit_row_size(&sums);
    *end = settled || out->iterations >= o->iterations;
    return fit_report(o, out);
}

/* Points, each factor of a product for itself, move by `rate`. */
static void normalise_steps(double rate, fit_work *r)
{
    const fit_model *m = r->model;
    for (size_t k = 0; k < m->parts; k++) {
        fit_part part = m->ops->part(m, k);
        double length = fit_norm(part.count, r->step + part.first);
        for (size_t a = 0; !part.log_time && length > 0 && a < part.count; a++)
            r->step[part.first + a] *= rate / length;
    }
}

/* Steps in log t are kept within a factor of two. */
static void limit_times(const double *state, bool adam, fit_work *r)
{
    const fit_model *m = r->model;
    for (size_t k = 0; m->time_is_free && k < m->parts; k++) {
        fit_part part = m->ops->part(m, k);
        if (!part.log_time)
            continue;
        double *step = &r->step[part.first], time = state[part.time];
        if (!adam) /* the gradient by t is that by log t over t, and so is its step in log t */
            *step /= time * time;
        *step = fmax(-0.69, fmin(0.69, *step));
    }
}

/* μ ← Exp_μ(rate · mean s) and t ← t + rate · mean ∂_t log p, or the same with Adam's moments. */
mst_status fit_ascend(double *state, const fit_options *o, fit_work *r, fit_outcome *out)
{
    const fit_model *m = r->model;
    bool adam = o->method == MST_MEAN_ADAM, end;
    double *first = r->extra, *second = r->values, decay1 = 1, decay2 = 1;
    size_t q = m->parameters;
    memset(first, 0, q * sizeof *first);
    memset(second, 0, q * sizeof *second);
    for (;; out->iterations++) {
        MST_TRY(look(state, o, r, out, &end));
        if (end)
            return MST_OK;
        decay1 *= 0.9;
        decay2 *= 0.999;
        for (size_t k = 0; k < q; k++) {
            double g = r->gradient[k];
            first[k] = 0.9 * first[k] + 0.1 * g;
            second[k] = 0.999 * second[k] + 0.001 * g * g;
            r->step[k] =
                adam ? o->rate * (first[k] / (1 - decay1)) / (sqrt(second[k] / (1 - decay2)) + 1e-8)
                     : o->rate * g;
        }
        if (o->normalise)
            normalise_steps(o->rate, r);
        limit_times(state, adam, r);
        MST_TRY(m->ops->move(m, state, r->step, r->trial));
        memcpy(state, r->trial, m->size * sizeof *state);
    }
}
