/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* BFGS with limited memory: for Fréchet means of manifolds whose Hessian is not closed-form, and for models
 * with so many parameters that no matrix fits. */
#include "stat/bfgs.h"
#include "stat/fit_steps.h"

#include <math.h>
#include <string.h>

/* What one look at a state tells. */
typedef struct view {
    bool settled;
    double steepness;
    double rounding; /* what rounding makes of it */
    double loose;    /* not worth another step if that does not make it less */
} view;

/* Gradient of the mean log-likelihood into r->gradient. */
static mst_status look(const double *state, const fit_options *o, fit_work *r, fit_outcome *out,
                       view *v)
{
    const fit_model *m = r->model;
    fit_sums sums = {.gradient = r->gradient};
    MST_TRY(fit_evaluate(m, state, &sums));
    out->edge = fit_hold_times(m, state, r->gradient);
    v->settled = fit_is_settled(state, &sums, r->gradient, r);
    v->steepness = fit_steepness(state, &sums, r->gradient, r);
    v->rounding = fit_threshold(r, &sums, 0, 1);
    v->loose = fit_threshold(r, &sums, 1, 16);
    for (size_t k = 0; k < m->parameters; k++)
        r->gradient[k] /= sums.total_weight;
    out->value = sums.value;
    out->gradient_norm = fit_norm(m->parameters, r->gradient);
    out->row_size = fit_row_size(&sums);
    return fit_report(o, out);
}

enum { MEMORY = 8 };

/* Pairs of steps and gradient changes in natural units, carried along in frame coordinates: between close
 * points the frames differ by the curvature times the area of the step, which only costs
 * speed of convergence. */
typedef struct memory {
    bfgs pairs;
    double *scale, *step, *change; /* (q): the units at the start, a place for a pair */
} memory;

static mst_status memory_new(memory *m, const fit_model *model, const double *state)
{
    size_t q = model->parameters;
    *m = (memory){0};
    MST_TRY(bfgs_new(&m->pairs, q, MEMORY));
    MST_TRY(mst_allocate(&m->scale, 3 * q));
    m->step = m->scale + q;
    m->change = m->step + q;
    model->ops->units(model, state, m->scale);
    return MST_OK;
}

static void memory_free(memory *m)
{
    bfgs_free(&m->pairs);
    mst_release(m->scale);
}

/* direction = H g; H₀ is the identity scaled by the newest pair. */
static void find_direction(const memory *m, const double *gradient, double *direction)
{
    double alpha[BFGS_MOST], scale = bfgs_scale(&m->pairs);
    for (size_t a = 0; a < m->pairs.q; a++)
        direction[a] = m->scale[a] * gradient[a];
    bfgs_begin(&m->pairs, direction, alpha);
    for (size_t a = 0; a < m->pairs.q; a++)
        direction[a] *= scale;
    bfgs_end(&m->pairs, alpha, direction);
    for (size_t a = 0; a < m->pairs.q; a++)
        direction[a] *= m->scale[a];
}

static void remember(memory *m, double shorten, const double *step, const double *before,
                     const double *now)
{
    for (size_t k = 0; k < m->pairs.q; k++) {
        m->step[k] = shorten * step[k] / m->scale[k];
        m->change[k] = (before[k] - now[k]) * m->scale[k];
    }
    bfgs_remember(&m->pairs, m->step, m->change);
}

/* Is the trial uphill from `state`, or as flat as rounding makes it? r->extra and r->gradient are the
 * gradients per weight, r->trial_gradient the step. */
static mst_status is_uphill(const double *state, fit_work *r, double before, double now,
                            double rounding, bool *uphill)
{
    if (mst_score_gives(r->model->source, MST_GIVES_LOG_P)) {
        *uphill = now >= before - r->tolerances.value * fabs(before);
        return MST_OK;
    }
    double gain;
    MST_TRY(fit_gain(state, r->extra, r->trial_gradient, r->trial, r->gradient, r, &gain));
    *uphill = gain >= -rounding * fit_norm(r->model->parameters, r->trial_gradient);
    return MST_OK;
}

/* The longest step in a log time that is not more than a factor of two. */
static double keep_times(const fit_work *r)
{
    const fit_model *m = r->model;
    double shorten = 1;
    for (size_t k = 0; m->time_is_free && k < m->parts; k++) {
        fit_part part = m->ops->part(m, k);
        if (part.log_time && fabs(r->step[part.first]) * shorten > 0.69)
            shorten = 0.69 / fabs(r->step[part.first]);
    }
    return shorten;
}

/* Along r->step from `state`, whose gradient is in r->extra and value in `before`, to a trial that is uphill:
 * the share of the step that was gone. `stuck`: rounding is all that is left to see. */
static mst_status search_line(const double *state, const fit_options *o, double before,
                              const view *here, fit_work *r, fit_outcome *out, view *there,
                              double *share, bool *stuck)
{
    const fit_model *m = r->model;
    const double shortest = r->tolerances.share;
    const bool noisy = !mst_score_gives(m->source, MST_GIVES_LOG_P);
    *stuck = false;
    for (*share = keep_times(r);; *share /= 4) {
        bool uphill = false;
        for (size_t k = 0; k < m->parameters; k++)
            r->trial_gradient[k] = *share * r->step[k];
        mst_status status = m->ops->move(m, state, r->trial_gradient, r->trial);
        out->iterations++;
        if (status == MST_OK)
            status = look(r->trial, o, r, out, there);
        if (fit_is_too_far(status) && *share > shortest)
            continue;
        MST_TRY(status);
        MST_TRY(is_uphill(state, r, before, out->value, here->rounding, &uphill));
        *stuck = noisy && here->steepness <= here->loose && (uphill || *share < shortest) &&
                 there->steepness >= here->steepness;
        if (*stuck || uphill || *share < shortest)
            return MST_OK;
    }
}

static mst_status climb(double *state, const fit_options *o, memory *m, fit_work *r,
                        fit_outcome *out)
{
    size_t q = r->model->parameters;
    view here, there;
    MST_TRY(look(state, o, r, out, &here));
    while (!here.settled && out->iterations < o->iterations) {
        fit_outcome kept = *out;
        double share;
        bool stuck;
        find_direction(m, r->gradient, r->step);
        memcpy(r->extra, r->gradient, q * sizeof *r->extra);
        MST_TRY(search_line(state, o, kept.value, &here, r, out, &there, &share, &stuck));
        if (stuck) {
            kept.iterations = out->iterations;
            *out = kept;
            out->end = MST_FIT_ROUNDING;
            memcpy(r->gradient, r->extra, q * sizeof *r->gradient);
            return MST_OK;
        }
        here = there;
        memcpy(state, r->trial, r->model->size * sizeof *state);
        remember(m, share, r->step, r->extra, r->gradient);
        if (share < r->tolerances.share) {
            out->end = here.settled ? MST_FIT_SETTLED : MST_FIT_STALLED;
            return MST_OK;
        }
    }
    out->end = here.settled ? MST_FIT_SETTLED : MST_FIT_OUT_OF_STEPS;
    return MST_OK;
}

/* For −½ Σ w dist² the Hessian per weight lies between the identity and what curvature makes of it, so a full
 * step is a good first one; in natural units that holds for all models. */
mst_status fit_quasi_newton(double *state, const fit_options *o, fit_work *r, fit_outcome *out)
{
    memory m;
    mst_status status = memory_new(&m, r->model, state);
    if (status == MST_OK)
        status = climb(state, o, &m, r, out);
    if (status == MST_OK) {
        find_direction(&m, r->gradient, r->step);
        out->decrement = 0;
        for (size_t k = 0; k < r->model->parameters; k++)
            out->decrement += 0.5 * r->gradient[k] * r->step[k];
    }
    memory_free(&m);
    return status;
}
