/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Newton's method in a trust region. */
#include "base/linalg.h"
#include "stat/fit_steps.h"

#include <math.h>
#include <string.h>

/* Could the law become uniform as t grows? Where nobody knows, a finite injectivity
 * radius makes it worth looking. */
static bool may_be_compact(const mst_manifold *m)
{
    mst_answer compact = mst_manifold_traits_of(m)->compact;
    return compact == MST_YES || (compact == MST_UNKNOWN && isfinite(mst_manifold_injectivity(m)));
}

/* On a compact manifold the law becomes uniform as t grows. The sum of squared scores is about how much
 * better than the uniform law (in log-likelihood) the law at t can be at all; when this is nothing, μ and t
 * mean nothing. What is nothing goes by rows of mean weight, so that a factor of all weights changes no
 * verdict. */
static bool is_uniform(const fit_model *m, const fit_sums *sums)
{
    double rows = 0;
    for (size_t g = 0; g < m->groups; g++)
        rows += (double)m->rows[g].n;
    return m->time_is_free && mst_score_gives(m->source, MST_GIVES_TIME) &&
           sums->score_square <= fmax(1e-6 / rows, 1e-10) * sums->total_weight &&
           may_be_compact(mst_score_manifold(m->source));
}

/* step = I⁻¹ g with the information I = −H made positive: eigenvalues below a millionth of the largest are
 * lifted, so that the step is an ascent direction also at saddles. Gives the decrement ½ gᵀ I⁻¹ g. Values and
 * eigenvectors stay, in natural units: in any other the largest would be that of the means or of the times
 * alone when t is far from 1. Parameters that are held have no part in it, but for a
 * curvature of the usual size. */
static mst_status solve_step(const double *state, fit_work *r, double total_weight,
                             fit_outcome *out)
{
    size_t q = r->model->parameters;
    r->model->ops->units(r->model, state, r->units);
    for (size_t a = 0; a < q; a++)
        for (size_t b = 0; b < q; b++)
            r->vectors[a * q + b] = r->held[a] + r->held[b] > 0
                                        ? (a == b ? -total_weight : 0)
                                        : r->hessian[a * q + b] * r->units[a] * r->units[b];
    MST_TRY(mst_eigen_symmetric(1, q, r->vectors, r->values, r->vectors, NULL));
    double largest = fmax(fabs(r->values[0]), fabs(r->values[q - 1]));
    out->least_curvature = largest > 0 ? -r->values[q - 1] / largest : 0;
    memset(r->step, 0, q * sizeof *r->step);
    double decrement = 0;
    for (size_t k = 0; k < q; k++) {
        const double *v = r->vectors + k * q;
        double value = fmax(fabs(r->values[k]), 1e-6 * largest), along = 0;
        for (size_t a = 0; a < q; a++)
            along += r->held[a] > 0 ? 0 : v[a] * r->units[a] * r->gradient[a];
        for (size_t a = 0; value > 0 && a < q; a++)
            r->step[a] += along / value * v[a] * r->units[a];
        decrement += value > 0 ? 0.5 * along * along / value : 0;
    }
    out->decrement = decrement / total_weight;
    return MST_OK;
}

/* Holds log times that are at an edge and would leave along `direction` (q); true if there is a new one. */
static bool hold(const double *state, const double *direction, fit_work *r)
{
    const fit_model *m = r->model;
    bool found = false;
    for (size_t k = 0; m->time_is_free && k < m->parts; k++) {
        fit_part part = m->ops->part(m, k);
        if (!part.log_time || r->held[part.first] > 0 ||
            fit_edge(m->source, state[part.time], direction[part.first]) == MST_TIME_FINITE)
            continue;
        r->held[part.first] = 1;
        found = true;
    }
    return found;
}

/* Newton's step where times may be at an edge of the range: those that rest there are held, and those that
 * the step would drive out though their own slope points inwards. */
static mst_status newton_step(const double *state, fit_work *r, double total_weight,
                              fit_outcome *out)
{
    memset(r->held, 0, r->model->parameters * sizeof *r->held);
    hold(state, r->gradient, r);
    do
        MST_TRY(solve_step(state, r, total_weight, out));
    while (hold(state, r->step, r));
    return MST_OK;
}

/* After newton_step: is there a direction in which the likelihood curves upwards, beyond rounding? */
static bool is_saddle(const fit_work *r, double total_weight)
{
    size_t q = r->model->parameters;
    double largest = fmax(fabs(r->values[0]), fabs(r->values[q - 1]));
    double noise = r->model->time_is_free ? r->tolerances.time_noise * total_weight : 0;
    return r->values[q - 1] > fmax(r->tolerances.curvature * largest, noise);
}

/* The size of the picture: points may move by about this much at once. */
static double picture(const fit_model *m, const fit_sums *sums)
{
    size_t d = mst_manifold_dim(mst_score_manifold(m->source));
    return mst_score_gives(m->source, MST_GIVES_TIME)
               ? fmax(1, sqrt((double)d * sums->longest_time))
               : fit_spread(m, sums);
}

/* The longest part of a step: of a point in units of the picture or of what its space allows, of a log time
 * in units of 1. */
static double longest_part(const fit_work *r, double size)
{
    const fit_model *m = r->model;
    double longest = 0;
    for (size_t k = 0; k < m->parts; k++) {
        fit_part part = m->ops->part(m, k);
        double unit = part.log_time ? 1 : fmax(1, fmin(size, part.reach));
        longest = fmax(longest, fit_norm(part.count, r->step + part.first) / unit);
    }
    return longest;
}

static void scale_step(fit_work *r, double factor)
{
    for (size_t k = 0; k < r->model->parameters; k++)
        r->step[k] *= factor;
}

/* The step in natural units. */
static double natural_length(const fit_work *r)
{
    double square = 0;
    for (size_t k = 0; k < r->model->parameters; k++)
        square += r->step[k] / r->units[k] * (r->step[k] / r->units[k]);
    return sqrt(square);
}

/* The state and the sums of the trial take the place of the current ones. */
static void accept(fit_work *r, const fit_sums *next, double *state, fit_sums *sums)
{
    memcpy(state, r->trial, r->model->size * sizeof *state);
    double *gradient = r->gradient, *hessian = r->hessian, *outer = r->outer;
    r->gradient = r->trial_gradient;
    r->trial_gradient = gradient;
    r->hessian = r->trial_hessian;
    r->trial_hessian = hessian;
    r->outer = r->trial_outer;
    r->trial_outer = outer;
    r->rough = next->near != NULL && (r->rough || natural_length(r) >= r->tolerances.near);
    r->drift = next->near != NULL ? r->drift + natural_length(r) : 0;
    *sums = *next;
}

/* Where the information is small, as on the way to t = ∞, a small gradient alone says little: Newton's step
 * must be small, too, as far as rounding lets it. */
static double short_step(const fit_work *r, const fit_sums *sums)
{
    return fmax(1e-6, fmin(1e-2, fit_threshold(r, sums, 0, 300)));
}

/* Where a row takes milliseconds, a step of a hundredth of the standard errors is not worth another sweep:
 * 2·decrement is its square in units of the information of a row. */
static bool is_close(const fit_work *r, const fit_sums *sums, const fit_outcome *out)
{
    const double dear = 1000; /* microseconds */
    return r->model->memory != NULL && mst_score_describe(r->model->source)->cost >= dear &&
           out->iterations > 0 && 2 * out->decrement * sums->total_weight <= 1e-4;
}

/* What newton_step says about the current state. True: it is an end, and the outcome says which. At a saddle
 * the step becomes one along the direction of upward curvature. */
static bool is_end(const double *state, const fit_sums *sums, double size, fit_work *r,
                   fit_outcome *out)
{
    if (is_uniform(r->model, sums)) {
        out->end = MST_FIT_UNIFORM;
        return true;
    }
    bool close = is_close(r, sums, out);
    if (!close && !fit_is_settled(state, sums, r->gradient, r))
        return false;
    if (is_saddle(r, sums->total_weight)) {
        size_t q = r->model->parameters;
        for (size_t k = 0; k < q; k++)
            r->step[k] = r->vectors[(q - 1) * q + k] * r->units[k];
        return false;
    }
    if (!close && longest_part(r, size) > short_step(r, sums))
        return false;
    out->end = MST_FIT_SETTLED;
    return true;
}

/* Is the trial better than the current state? And if it is not to be told from it, has the climb come as far
 * as rounding lets it? With log p the value tells, without it the gradients at both ends of the step. */
typedef struct judgement {
    bool better, stuck;
} judgement;

static judgement judge_by_value(const fit_work *r, const fit_sums *sums, const fit_sums *next,
                                double next_norm, const fit_outcome *out)
{
    bool timed = mst_score_gives(r->model->source, MST_GIVES_TIME);
    /* Logarithms of densities may add up to nothing while each is of order one. */
    double slack = r->tolerances.value * fmax(fabs(sums->value), timed ? sums->total_weight : 0);
    /* Within rounding of the value only the gradient tells progress. */
    bool flat = fabs(next->value - sums->value) <= slack;
    return (judgement){.better = next->value >= sums->value - slack,
                       .stuck = flat && next_norm >= out->gradient_norm &&
                                out->decrement < r->tolerances.decrement};
}

static mst_status judge(const double *state, fit_work *r, const fit_sums *sums,
                        const fit_sums *next, const fit_outcome *out, judgement *j)
{
    const fit_model *m = r->model;
    double next_norm = fit_norm(m->parameters, r->trial_gradient) / next->total_weight;
    *j = (judgement){0};
    if (!isfinite(next->value) || !isfinite(next_norm))
        return MST_OK;
    if (mst_score_gives(m->source, MST_GIVES_LOG_P)) {
        *j = judge_by_value(r, sums, next, next_norm, out);
        return MST_OK;
    }
    double gain, rounding = r->tolerances.gain * fit_row_size(sums);
    MST_TRY(fit_gain(state, r->gradient, r->step, r->trial, r->trial_gradient, r, &gain));
    double slack = rounding * natural_length(r) * sums->total_weight;
    j->better = gain >= -slack;
    memcpy(r->extra, r->trial_gradient, m->parameters * sizeof *r->extra);
    fit_hold_times(m, r->trial, r->extra);
    double before = fit_steepness(state, sums, r->gradient, r);
    /* From a saddle the way up is steeper as well, but it gains; a step that is too long loses. */
    j->stuck = j->better && gain <= 4 * slack && before <= fit_threshold(r, sums, 1, 16) &&
               fit_steepness(r->trial, next, r->extra, r) >= before;
    return MST_OK;
}

/* The step to the trial and its sums; what they are worth. */
static mst_status try_step(const double *state, const fit_options *o, fit_work *r,
                           const fit_sums *sums, fit_sums *next, const fit_outcome *out,
                           judgement *j)
{
    const fit_model *m = r->model;
    double length = natural_length(r), kept = r->tolerances.kept;
    bool near = kept > 0 ? r->drift + length < kept
                         : length < fmax(r->tolerances.near, o->rough ? r->tolerances.roughly : 0);
    *next = (fit_sums){.gradient = r->trial_gradient,
                       .hessian = r->trial_hessian,
                       .outer = r->trial_outer,
                       .near = near ? r->hessian : NULL};
    *j = (judgement){0};
    MST_TRY(m->ops->move(m, state, r->step, r->trial));
    MST_TRY(fit_evaluate(m, r->trial, next));
    return judge(state, r, sums, next, out, j);
}

static mst_status solve_here(const double *state, const fit_sums *sums, fit_work *r,
                             fit_outcome *out)
{
    out->edge = fit_hold_times(r->model, state, r->gradient);
    out->gradient_norm = fit_norm(r->model->parameters, r->gradient) / sums->total_weight;
    out->row_size = fit_row_size(sums);
    return newton_step(state, r, sums->total_weight, out);
}

/* Adds second derivatives by the log time that were left for later, or all of them if the state has come
 * farther; of a time at an edge those are of no use. */
static mst_status complete(const double *state, const fit_sums *sums, fit_work *r,
                           const fit_outcome *out)
{
    bool far = r->drift > r->tolerances.kept_to_end;
    if (!far && (!r->rough || out->edge != MST_TIME_FINITE))
        return MST_OK;
    r->rough = false;
    r->drift = 0;
    if (far)
        return fit_evaluate(r->model, state,
                            &(fit_sums){.gradient = r->gradient, .hessian = r->hessian});
    return fit_add_time_row(r->model, state, sums);
}

/* What is known of the current state, with all second derivatives when the end is near. */
static mst_status describe(const double *state, const fit_sums *sums, fit_work *r, fit_outcome *out)
{
    out->value = sums->value;
    MST_TRY(solve_here(state, sums, r, out));
    bool close =
        natural_length(r) < r->tolerances.near || fit_is_settled(state, sums, r->gradient, r);
    if (!close || !(r->rough || r->drift > r->tolerances.kept_to_end))
        return MST_OK;
    MST_TRY(complete(state, sums, r, out));
    return solve_here(state, sums, r, out);
}

static mst_status take_step(double *state, fit_work *r, fit_outcome *out)
{
    const fit_model *m = r->model;
    MST_TRY(m->ops->move(m, state, r->step, r->trial));
    memcpy(state, r->trial, m->size * sizeof *state);
    out->iterations++;
    return MST_OK;
}

/* The two ends that are those of a caller who has more rows, or another start. */
static bool is_far_enough(const fit_options *o, const fit_sums *sums, fit_outcome *out)
{
    double gain = out->decrement * sums->total_weight;
    if (o->least_gain > 0 && gain <= o->least_gain) {
        out->end = MST_FIT_SETTLED;
        return true;
    }
    bool lost = !(gain <= o->most_gain) || !(out->least_curvature > 0);
    if (o->most_gain > 0 && out->iterations == 0 && lost)
        out->end = MST_FIT_STALLED;
    return out->end == MST_FIT_STALLED;
}

mst_status fit_newton(double *state, const fit_options *o, fit_work *r, fit_outcome *out)
{
    const double widest = 0.7; /* times change by a factor of two at most */
    double radius = widest;
    fit_sums sums = {.gradient = r->gradient,
                     .hessian = r->hessian,
                     .outer = r->outer,
                     .near = o->near},
             next;
    r->rough = o->near != NULL && o->rough;
    MST_TRY(fit_evaluate(r->model, state, &sums));
    for (;; out->iterations++) {
        double size = picture(r->model, &sums);
        MST_TRY(describe(state, &sums, r, out));
        if (is_end(state, &sums, size, r, out) || is_far_enough(o, &sums, out) ||
            out->iterations >= o->iterations)
            return MST_OK;
        double longest = longest_part(r, size);
        if (longest > radius)
            scale_step(r, radius / longest);
        if (o->blind)
            return take_step(state, r, out);
        judgement j;
        mst_status status = try_step(state, o, r, &sums, &next, out, &j);
        if (fit_is_too_far(status) && radius > 1e-10) {
            radius = fmin(radius, longest) / 4;
            continue;
        }
        MST_TRY(status);
        if (!j.stuck && j.better) {
            accept(r, &next, state, &sums);
            radius = fmin(widest, 2 * radius);
        } else {
            radius = fmin(radius, longest) / 4;
            MST_TRY(complete(state, &sums, r, out));
        }
        if (j.stuck || radius < r->tolerances.radius) {
            out->end =
                fit_steepness(state, &sums, r->gradient, r) <= fit_threshold(r, &sums, 1e3, 16)
                    ? MST_FIT_ROUNDING
                    : MST_FIT_STALLED;
            return MST_OK;
        }
        MST_TRY(fit_report(o, out));
    }
}

mst_status fit_certify(const double *state, fit_work *r, fit_outcome *out)
{
    fit_sums sums = {.gradient = r->gradient, .hessian = r->hessian, .outer = r->outer};
    MST_TRY(fit_evaluate(r->model, state, &sums));
    out->edge = fit_hold_times(r->model, state, r->gradient);
    MST_TRY(newton_step(state, r, sums.total_weight, out));
    if (is_uniform(r->model, &sums))
        out->end = MST_FIT_UNIFORM;
    else if (!fit_has_converged(out->end))
        return MST_OK;
    else if (is_saddle(r, sums.total_weight))
        out->end = MST_FIT_SADDLE;
    else if (longest_part(r, picture(r->model, &sums)) > short_step(r, &sums))
        out->end = MST_FIT_STALLED;
    return MST_OK;
}
