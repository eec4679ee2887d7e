/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* First-order methods: the published gradient ascent and Adam, and limited-memory BFGS for Fréchet means of manifolds
 * whose Hessian is not closed-form. */
#include "stat/fit_steps.h"

#include <math.h>
#include <string.h>

/* What one look at a state tells. */
typedef struct view {
    bool go_on;
    double steepness;
    double rounding; /* what rounding makes of it */
    double loose;    /* not worth another step if that does not make it less */
} view;

/* One look at the state: value, gradient of the mean log-likelihood into r->gradient, and whether to go on. */
static mst_status look(const fit_problem *p, const fit_state *state, const fit_options *o,
                       fit_room *r, fit_outcome *out, view *v)
{
    fit_sums sums = {.gradient = r->gradient};
    MST_TRY(fit_evaluate(p, state, &sums));
    out->limit = fit_hold_times(p, state, r->gradient);
    out->converged = fit_is_settled(p, state, &sums, o->tolerance, r->gradient, r);
    v->steepness = fit_steepness(p, state, &sums, r->gradient, r);
    v->rounding = fit_threshold(p, &sums, 0, 1);
    v->loose = fit_threshold(p, &sums, o->tolerance, 16);
    for (size_t k = 0; k < r->parameters; k++)
        r->gradient[k] /= sums.total_weight;
    out->value = sums.value;
    out->gradient_norm = fit_norm(r->parameters, r->gradient);
    v->go_on = !out->converged && out->iterations < o->iterations;
    if (o->progress.report != NULL &&
        o->progress.report(o->progress.user, (double)out->iterations, (double)o->iterations) != 0)
        return mst_fail(MST_INTERRUPTED, "stopped on request");
    return MST_OK;
}

/* μ ← Exp_μ(rate · mean s) and t ← t + rate · mean ∂_t log p, or the same with Adam's moments. Steps in log t are kept
 * within a factor of two. */
mst_status fit_ascend(const fit_problem *p, fit_state *state, const fit_options *o, fit_room *r,
                      fit_outcome *out)
{
    bool adam = o->method == MST_MEAN_ADAM;
    view v;
    double *first = r->extra, *second = r->values, decay1 = 1, decay2 = 1;
    size_t q = r->parameters, means = p->means * r->d;
    memset(first, 0, q * sizeof *first);
    memset(second, 0, q * sizeof *second);
    for (;; out->iterations++) {
        MST_TRY(look(p, state, o, r, out, &v));
        if (!v.go_on)
            return MST_OK;
        decay1 *= 0.9;
        decay2 *= 0.999;
        for (size_t k = 0; k < q; k++) {
            double g = r->gradient[k];
            first[k] = 0.9 * first[k] + 0.1 * g;
            second[k] = 0.999 * second[k] + 0.001 * g * g;
            double step = o->rate * g;
            if (k >=
                means) /* the gradient by t is that by log t over t, and so is its step in log t */
                step /= state->time[k - means] * state->time[k - means];
            if (adam)
                step =
                    o->rate * (first[k] / (1 - decay1)) / (sqrt(second[k] / (1 - decay2)) + 1e-8);
            r->step[k] = k < means ? step : fmax(-0.69, fmin(0.69, step));
        }
        MST_TRY(fit_move(p, state, r->step, r, &r->trial));
        memcpy(state->mean, r->trial.mean, p->means * r->D * sizeof *state->mean);
        memcpy(state->time, r->trial.time, p->times * sizeof *state->time);
    }
}

enum { MEMORY = 8 };

/* Pairs of steps and gradient changes, carried along in frame coordinates: between close points the frames differ by the
 * curvature times the area of the step, which only costs speed of convergence. */
typedef struct memory {
    size_t count, q;
    double *s, *y, rho[MEMORY], *block;
} memory;

/* direction = H g by the two-loop recursion; H₀ is the identity scaled by the newest pair. */
static void two_loop(const memory *m, const double *gradient, double *direction)
{
    double alpha[MEMORY], scale = 1;
    memcpy(direction, gradient, m->q * sizeof *direction);
    size_t kept = m->count < MEMORY ? m->count : MEMORY;
    for (size_t k = 0; k < kept; k++) {
        size_t at = (m->count - 1 - k) % MEMORY;
        const double *s = m->s + at * m->q, *y = m->y + at * m->q;
        double dot = 0, yy = 0;
        for (size_t a = 0; a < m->q; a++) {
            dot += s[a] * direction[a];
            yy += y[a] * y[a];
        }
        alpha[k] = m->rho[at] * dot;
        if (k == 0)
            scale = 1 / (m->rho[at] * yy);
        for (size_t a = 0; a < m->q; a++)
            direction[a] -= alpha[k] * y[a];
    }
    for (size_t a = 0; a < m->q; a++)
        direction[a] *= scale;
    for (size_t k = kept; k-- > 0;) {
        size_t at = (m->count - 1 - k) % MEMORY;
        const double *s = m->s + at * m->q, *y = m->y + at * m->q;
        double dot = 0;
        for (size_t a = 0; a < m->q; a++)
            dot += y[a] * direction[a];
        for (size_t a = 0; a < m->q; a++)
            direction[a] += s[a] * (alpha[k] - m->rho[at] * dot);
    }
}

/* Is the trial uphill from `state`, or as flat as rounding makes it? r->extra and r->gradient are the gradients per
 * weight, r->trial_gradient the step. */
static mst_status is_uphill(const fit_problem *p, const fit_state *state, fit_room *r,
                            double before, double now, double rounding, bool *uphill)
{
    if (mst_score_gives(p->source, MST_GIVES_LOG_P)) {
        *uphill =
            now >= before - fmax(1e-13, mst_score_describe(p->source)->precision) * fabs(before);
        return MST_OK;
    }
    double gain;
    MST_TRY(fit_gain(p, state, r->extra, r->trial_gradient, &r->trial, r->gradient, r, &gain));
    *uphill = gain >= -rounding * fit_norm(r->parameters, r->trial_gradient);
    return MST_OK;
}

/* For −½ Σ w dist² the Hessian per weight lies between the identity and what curvature makes of it, so a full step
 * is a good first one. */
mst_status fit_quasi_newton(const fit_problem *p, fit_state *state, const fit_options *o,
                            fit_room *r, fit_outcome *out)
{
    size_t q = r->parameters;
    memory m = {.q = q};
    MST_TRY(mst_allocate(&m.block, 2 * MEMORY * q));
    m.s = m.block;
    m.y = m.s + MEMORY * q;
    const double shortest = fmax(1e-10, mst_score_describe(p->source)->precision);
    const bool noisy = !mst_score_gives(p->source, MST_GIVES_LOG_P);
    view here, there;
    mst_status status = look(p, state, o, r, out, &here);
    double previous = out->value;
    bool stuck = false;
    while (status == MST_OK && here.go_on) {
        fit_outcome kept = *out;
        two_loop(&m, r->gradient, r->step);
        memcpy(r->extra, r->gradient, q * sizeof *r->extra);
        double shorten = 1;
        for (bool uphill = false;; shorten /= 4) {
            for (size_t k = 0; k < q; k++)
                r->trial_gradient[k] = shorten * r->step[k];
            status = fit_move(p, state, r->trial_gradient, r, &r->trial);
            out->iterations++;
            if (status == MST_OK)
                status = look(p, &r->trial, o, r, out, &there);
            if (fit_is_too_far(status) && shorten > shortest)
                continue;
            /* Without values, rounding of the gradient is all that is left to see. */
            if (status == MST_OK)
                status = is_uphill(p, state, r, previous, out->value, here.rounding, &uphill);
            stuck = status == MST_OK && noisy && here.steepness <= here.loose &&
                    (uphill || shorten < shortest) && there.steepness >= here.steepness;
            if (status != MST_OK || stuck || uphill || shorten < shortest)
                break;
        }
        if (status != MST_OK || stuck) {
            kept.iterations = out->iterations;
            *out = kept;
            out->converged = stuck;
            memcpy(r->gradient, r->extra, q * sizeof *r->gradient);
            break;
        }
        here = there;
        previous = out->value;
        memcpy(state->mean, r->trial.mean, p->means * r->D * sizeof *state->mean);
        size_t at = m.count % MEMORY;
        double curvature = 0;
        for (size_t k = 0; k < q; k++) {
            m.s[at * q + k] = shorten * r->step[k];
            m.y[at * q + k] = r->extra[k] - r->gradient[k];
            curvature += m.s[at * q + k] * m.y[at * q + k];
        }
        if (curvature > 0) {
            m.rho[at] = 1 / curvature;
            m.count++;
        }
        if (shorten < shortest)
            break;
    }
    if (status == MST_OK) {
        two_loop(&m, r->gradient, r->step);
        out->decrement = 0;
        for (size_t k = 0; k < q; k++)
            out->decrement += 0.5 * r->gradient[k] * r->step[k];
    }
    mst_release(m.block);
    return status;
}
