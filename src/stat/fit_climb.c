/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Newton's method in a trust region, and the plain ascents that are published for comparison. */
#include "base/linalg.h"
#include "stat/fit.h"
#include "stat/fit_steps.h"

#include <math.h>
#include <string.h>

mst_status fit_room_new(fit_room *r, const fit_problem *p)
{
    const mst_manifold *m = mst_score_manifold(p->source);
    size_t d = mst_manifold_dim(m), D = mst_manifold_ambient(m), q = fit_parameters(p);
    MST_TRY(mst_allocate(&r->block, 7 * q + 3 * q * q + p->means * D + p->times + 2 * D + d));
    *r = (fit_room){.block = r->block, .parameters = q, .d = d, .D = D};
    r->gradient = r->block;
    r->trial_gradient = r->gradient + q;
    r->step = r->trial_gradient + q;
    r->values = r->step + q;
    r->extra = r->values + q;
    r->units = r->extra + q;
    r->hessian = r->units + q;
    r->trial_hessian = r->hessian + q * q;
    r->vectors = r->trial_hessian + q * q;
    r->trial.mean = r->vectors + q * q;
    r->trial.time = r->trial.mean + p->means * D;
    r->tangent = r->trial.time + p->times;
    r->carried = r->tangent + D;
    r->arrived = r->carried + D;
    r->held = r->arrived + d;
    return MST_OK;
}

mst_status fit_move(const fit_problem *p, const fit_state *from, const double *step, fit_room *r,
                    fit_state *to)
{
    const mst_manifold *m = mst_score_manifold(p->source);
    for (size_t k = 0; k < p->means; k++) {
        const double *mean = from->mean + k * r->D;
        MST_TRY(mst_manifold_from_frame(m, 1, mean, step + k * r->d, r->tangent));
        MST_TRY(mst_manifold_exp(m, 1, mean, r->tangent, to->mean + k * r->D));
    }
    for (size_t k = 0; k < p->times; k++)
        to->time[k] =
            p->time_is_free
                ? fit_clamp_time(p->source, from->time[k] * exp(step[p->means * r->d + k]))
                : from->time[k];
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

/* Size of the rows' own gradients in natural units, root of the mean square. */
static double row_size(const fit_sums *sums)
{
    return sqrt(sums->score_square / sums->total_weight);
}

/* Root of the mean squared distance, for sources without a time: their value is −½ Σ w dist², their scores are as long
 * as the distances. */
static double spread(const fit_problem *p, const fit_sums *sums)
{
    return mst_score_gives(p->source, MST_GIVES_LOG_P)
               ? sqrt(fmax(0, -2 * sums->value / sums->total_weight))
               : row_size(sums);
}

/* Rounding leaves a share of the rows' own scores, which have the size 1/√t or, without a time, of the distances. How it
 * adds up over the rows is not known: a few times that of one row is always enough. */
static const double rounding_of_sums = 4;

double fit_threshold(const fit_problem *p, const fit_sums *sums, double tolerance, double rounding)
{
    double scale = mst_score_gives(p->source, MST_GIVES_TIME) ? 1 : fmax(1e-2, spread(p, sums));
    double least = rounding_of_sums * mst_score_describe(p->source)->precision * row_size(sums);
    return fmax(tolerance * scale, rounding * least);
}

double fit_steepness(const fit_problem *p, const fit_state *s, const fit_sums *sums,
                     const double *gradient, fit_room *r)
{
    double square = 0;
    fit_units(p, s, r->units);
    for (size_t k = 0; k < r->parameters; k++)
        square += r->units[k] * gradient[k] * r->units[k] * gradient[k];
    return sqrt(square) / sums->total_weight;
}

bool fit_is_settled(const fit_problem *p, const fit_state *s, const fit_sums *sums,
                    double tolerance, const double *gradient, fit_room *r)
{
    return fit_steepness(p, s, sums, gradient, r) <= fit_threshold(p, sums, tolerance, 1);
}

static bool is_compact(const fit_problem *p)
{
    return isfinite(mst_manifold_injectivity(mst_score_manifold(p->source)));
}

/* On a compact manifold the law becomes uniform as t grows. The sum of squared scores is about how much better than the
 * uniform law (in log-likelihood) the law at t can be at all; when this is nothing, μ and t mean nothing. */
static bool is_uniform(const fit_problem *p, const fit_sums *sums)
{
    return p->time_is_free && mst_score_gives(p->source, MST_GIVES_TIME) && is_compact(p) &&
           sums->score_square <= fmax(1e-6, 1e-10 * sums->total_weight);
}

/* Differences leave an error of 1e-9 in the second derivatives by log t of one row, or the root of the precision. */
static double time_noise(const fit_problem *p)
{
    return fmax(1e-7, sqrt(mst_score_describe(p->source)->precision));
}

/* step = I⁻¹ g with the information I = −H made positive: eigenvalues below a millionth of the largest are lifted, so
 * that the step is an ascent direction also at saddles. Gives the decrement ½ gᵀ I⁻¹ g. Values and eigenvectors stay,
 * in natural units: in any other the largest would be that of the means or of the times alone when t is far from 1.
 * Parameters that are held have no part in it, but for a curvature of the usual size. */
static mst_status solve_step(const fit_problem *p, const fit_state *s, fit_room *r,
                             double total_weight, fit_outcome *out)
{
    size_t q = r->parameters;
    fit_units(p, s, r->units);
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

/* Newton's step where times may be at an edge of the range: those that rest there are held, and those that the step would
 * drive out though their own slope points inwards. */
static mst_status newton_step(const fit_problem *p, const fit_state *s, fit_room *r,
                              double total_weight, fit_outcome *out)
{
    size_t first = p->means * r->d;
    for (size_t k = 0; k < r->parameters; k++)
        r->held[k] = k >= first &&
                     fit_edge(p->source, s->time[k - first], r->gradient[k]) != MST_TIME_FINITE;
    for (bool again = true; again;) {
        MST_TRY(solve_step(p, s, r, total_weight, out));
        again = false;
        for (size_t k = first; k < r->parameters; k++)
            if (!(r->held[k] > 0) &&
                fit_edge(p->source, s->time[k - first], r->step[k]) != MST_TIME_FINITE) {
                r->held[k] = 1;
                again = true;
            }
    }
    return MST_OK;
}

/* After newton_step: is there a direction in which the likelihood curves upwards, beyond rounding? */
static bool is_saddle(const fit_problem *p, const fit_room *r, double total_weight)
{
    size_t q = r->parameters;
    double largest = fmax(fabs(r->values[0]), fabs(r->values[q - 1]));
    double rounding = fmax(1e-8, 10 * mst_score_describe(p->source)->precision) * largest;
    return r->values[q - 1] > fmax(rounding, p->time_is_free ? time_noise(p) * total_weight : 0);
}

/* The size of the picture: means may move by about this much at once. */
static double reach(const fit_problem *p, const fit_state *s, const fit_sums *sums, size_t d)
{
    double unit = mst_score_gives(p->source, MST_GIVES_TIME) ? 1 : spread(p, sums);
    for (size_t k = 0; mst_score_gives(p->source, MST_GIVES_TIME) && k < p->times; k++)
        unit = fmax(unit, sqrt((double)d * s->time[k]));
    if (is_compact(p))
        unit = fmin(unit, mst_manifold_injectivity(mst_score_manifold(p->source)) / 2);
    return fmax(1, unit);
}

/* The longest part of a step: of a mean in units of `unit`, of a log time in units of 1. */
static double longest_part(const fit_problem *p, const fit_room *r, double unit)
{
    double longest = 0;
    for (size_t k = 0; k < p->means; k++)
        longest = fmax(longest, fit_norm(r->d, r->step + k * r->d) / unit);
    for (size_t k = p->means * r->d; k < r->parameters; k++)
        longest = fmax(longest, fabs(r->step[k]));
    return longest;
}

static void scale_step(fit_room *r, double factor)
{
    for (size_t k = 0; k < r->parameters; k++)
        r->step[k] *= factor;
}

/* The state and the sums of the trial take the place of the current ones. */
static void accept(const fit_problem *p, fit_room *r, const fit_sums *next, fit_state *state,
                   fit_sums *sums)
{
    memcpy(state->mean, r->trial.mean, p->means * r->D * sizeof *state->mean);
    memcpy(state->time, r->trial.time, p->times * sizeof *state->time);
    double *gradient = r->gradient, *hessian = r->hessian;
    r->gradient = r->trial_gradient;
    r->trial_gradient = gradient;
    r->hessian = r->trial_hessian;
    r->trial_hessian = hessian;
    *sums = *next;
}

/* Where the information is small, as on the way to t = ∞, a small gradient alone says little: Newton's step must be small,
 * too, as far as rounding lets it. */
static double short_step(const fit_problem *p, const fit_sums *sums)
{
    return fmax(1e-6, fmin(1e-2, fit_threshold(p, sums, 0, 300)));
}

/* What newton_step says about the current state. True: it is an end, and the outcome says which. At a saddle the step
 * becomes one along the direction of upward curvature. */
static bool is_end(const fit_problem *p, const fit_state *state, const fit_options *o,
                   const fit_sums *sums, double unit, fit_room *r, fit_outcome *out)
{
    if (is_uniform(p, sums)) {
        out->limit = MST_TIME_INFINITY;
        return true;
    }
    if (!fit_is_settled(p, state, sums, o->tolerance, r->gradient, r))
        return false;
    if (is_saddle(p, r, sums->total_weight)) {
        size_t q = r->parameters;
        for (size_t k = 0; k < q; k++)
            r->step[k] = r->vectors[(q - 1) * q + k] * r->units[k];
        return false;
    }
    out->converged = longest_part(p, r, unit) <= short_step(p, sums);
    return out->converged;
}

/* The step in natural units. */
static double natural_length(const fit_room *r)
{
    double square = 0;
    for (size_t k = 0; k < r->parameters; k++)
        square += r->step[k] / r->units[k] * (r->step[k] / r->units[k]);
    return sqrt(square);
}

/* Is the trial better than the current state? And if it is not to be told from it, has the climb come as far as rounding
 * lets it? With log p the value tells, without it the gradients at both ends of the step. */
typedef struct judgement {
    bool better, stuck;
} judgement;

static mst_status judge(const fit_problem *p, const fit_state *state, const fit_options *o,
                        fit_room *r, const fit_sums *sums, const fit_sums *next,
                        const fit_outcome *out, judgement *j)
{
    double next_norm = fit_norm(r->parameters, r->trial_gradient) / next->total_weight;
    *j = (judgement){0};
    if (!isfinite(next->value) || !isfinite(next_norm))
        return MST_OK;
    if (mst_score_gives(p->source, MST_GIVES_LOG_P)) {
        /* Logarithms of densities may add up to nothing while each is of order one. */
        double slack = fmax(1e-13, mst_score_describe(p->source)->precision) *
                       fmax(fabs(sums->value),
                            mst_score_gives(p->source, MST_GIVES_TIME) ? sums->total_weight : 0);
        /* Within rounding of the value only the gradient tells progress. */
        bool flat = fabs(next->value - sums->value) <= slack;
        j->stuck = flat && next_norm >= out->gradient_norm &&
                   out->decrement < fmax(1e-15, mst_score_describe(p->source)->precision);
        j->better = next->value >= sums->value - slack;
        return MST_OK;
    }
    double gain, rounding = rounding_of_sums *
                            fmax(1e-15, mst_score_describe(p->source)->precision) * row_size(sums);
    MST_TRY(fit_gain(p, state, r->gradient, r->step, &r->trial, r->trial_gradient, r, &gain));
    double slack = rounding * natural_length(r) * sums->total_weight;
    j->better = gain >= -slack;
    memcpy(r->extra, r->trial_gradient, r->parameters * sizeof *r->extra);
    fit_hold_times(p, &r->trial, r->extra);
    double before = fit_steepness(p, state, sums, r->gradient, r);
    /* From a saddle the way up is steeper as well, but it gains; a step that is too long loses. */
    j->stuck = j->better && gain <= 4 * slack &&
               before <= fit_threshold(p, sums, o->tolerance, 16) &&
               fit_steepness(p, &r->trial, next, r->extra, r) >= before;
    return MST_OK;
}

/* Steps shorter than this in natural units leave the second derivatives by log t as they are, to three digits; worth it
 * where a sweep over the rows takes long. */
static const double near_enough = 3e-3;

static mst_status newton(const fit_problem *p, fit_state *state, const fit_options *o, fit_room *r,
                         fit_outcome *out)
{
    double precision = mst_score_describe(p->source)->precision;
    const double widest = 0.7; /* times change by a factor of two at most */
    double radius = widest;
    fit_sums sums = {.gradient = r->gradient, .hessian = r->hessian};
    MST_TRY(fit_evaluate(p, state, &sums));
    for (;; out->iterations++) {
        double unit = reach(p, state, &sums, r->d);
        out->value = sums.value;
        out->limit = fit_hold_times(p, state, r->gradient);
        out->gradient_norm = fit_norm(r->parameters, r->gradient) / sums.total_weight;
        MST_TRY(newton_step(p, state, r, sums.total_weight, out));
        if (is_end(p, state, o, &sums, unit, r, out) || out->iterations >= o->iterations)
            return MST_OK;
        double longest = longest_part(p, r, unit);
        if (longest > radius)
            scale_step(r, radius / longest);
        bool near = fit_is_slow(p->source) && natural_length(r) < near_enough;
        fit_sums next = {.gradient = r->trial_gradient,
                         .hessian = r->trial_hessian,
                         .near = near ? r->hessian : NULL};
        mst_status status = fit_move(p, state, r->step, r, &r->trial);
        judgement j = {0};
        if (status == MST_OK)
            status = fit_evaluate(p, &r->trial, &next);
        if (status == MST_OK)
            status = judge(p, state, o, r, &sums, &next, out, &j);
        if (fit_is_too_far(status) && radius > 1e-10) {
            radius = fmin(radius, longest) / 4;
            continue;
        }
        MST_TRY(status);
        if (!j.stuck && j.better) {
            accept(p, r, &next, state, &sums);
            radius = fmin(widest, 2 * radius);
        } else {
            radius = fmin(radius, longest) / 4;
        }
        if (j.stuck || radius < fmax(1e-15, precision)) {
            out->converged = fit_steepness(p, state, &sums, r->gradient, r) <=
                             fit_threshold(p, &sums, 1e3 * o->tolerance, 16);
            return MST_OK;
        }
        if (o->progress.report != NULL &&
            o->progress.report(o->progress.user, (double)out->iterations, (double)o->iterations) !=
                0)
            return mst_fail(MST_INTERRUPTED, "stopped on request");
    }
}

/* The first-order methods stop where the gradient is small; the Hessian tells whether this is a maximum. */
static mst_status certify(const fit_problem *p, const fit_state *state, fit_room *r,
                          fit_outcome *out)
{
    fit_sums sums = {.gradient = r->gradient, .hessian = r->hessian};
    MST_TRY(fit_evaluate(p, state, &sums));
    out->limit = fit_hold_times(p, state, r->gradient);
    MST_TRY(newton_step(p, state, r, sums.total_weight, out));
    if (is_uniform(p, &sums))
        out->limit = MST_TIME_INFINITY;
    if (out->limit == MST_TIME_INFINITY || is_saddle(p, r, sums.total_weight) ||
        longest_part(p, r, reach(p, state, &sums, r->d)) > short_step(p, &sums))
        out->converged = false;
    return MST_OK;
}

mst_status fit_climb(const fit_problem *p, fit_state *state, const fit_options *options,
                     fit_outcome *out)
{
    *out = (fit_outcome){.limit = MST_TIME_FINITE, .least_curvature = NAN, .decrement = NAN};
    fit_room r;
    MST_TRY(fit_room_new(&r, p));
    bool curved =
        mst_score_gives(p->source, MST_GIVES_HESSIAN) || mst_score_gives(p->source, MST_GIVES_TIME);
    for (size_t k = 0; p->time_is_free && k < p->times; k++)
        state->time[k] = fit_clamp_time(p->source, state->time[k]);
    mst_status status;
    if (options->method == MST_MEAN_NEWTON)
        status = curved ? newton(p, state, options, &r, out)
                        : fit_quasi_newton(p, state, options, &r, out);
    else
        status = fit_ascend(p, state, options, &r, out);
    if (status == MST_OK && options->method != MST_MEAN_NEWTON && curved)
        status = certify(p, state, &r, out);
    if (status == MST_OK && options->hessian != NULL && curved)
        memcpy(options->hessian, r.hessian, r.parameters * r.parameters * sizeof *r.hessian);
    mst_release(r.block);
    return status;
}
