/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* ℓ_m(t) = max_μ ℓ(μ, t) + log ∫ e^(ℓ(μ, t) − max) dμ/volume, the integral by the shape of the peak (peak.h)
 * of each piece. On a sphere k(t) = −Δℓ/m at the maximum gives log Γ(ν + 1) − ν log(k/2) + log I_ν(k) − k.
 * Everything is in u = log t, in which ℓ_m is nearly a parabola for large samples. */
#include "stat/marginal_time.h"

#include "base/linalg.h"
#include "stat/distributions.h"
#include "stat/peak.h"

#include <math.h>
#include <string.h>

typedef struct curve {
    fit_means model; /* with its time fixed */
    const stat_pieces *pieces;
    size_t d, D;
    bool flat; /* one Gaussian: values need no rows */
    double variance, weight, log_volume;
    double end; /* of log t on a compact space: beyond it the law is uniform; INFINITY elsewhere */
    double
        share; /* of the value that was asked for last: log of what the integral makes of the peak */
    double *state; /* mean (D) and time */
    double *gradient, *hessian, *block, *step;
} curve;

bool marginal_time_is_known(const mst_score *source, const stat_pieces *pieces)
{
    const mst_score_info *info = mst_score_describe(source);
    if (!mst_score_gives(source, MST_GIVES_LOG_P | MST_GIVES_TIME | MST_GIVES_HESSIAN))
        return false;
    if (info->t_least > 0 || !isinf(info->t_largest))
        return false;
    for (size_t k = 0; k < pieces->count; k++)
        if (pieces->piece[k].kind == PIECE_UNKNOWN)
            return false;
    return true;
}

static mst_status curve_open(curve *c, const fit_means *model, const stat_pieces *pieces,
                             const double *mean, double variance)
{
    const mst_manifold *m = mst_score_manifold(model->model.source);
    const fit_rows *rows = &model->model.rows[0];
    size_t d = mst_manifold_dim(m), D = mst_manifold_ambient(m);
    *c = (curve){.model = fit_with_fixed_times(model),
                 .pieces = pieces,
                 .d = d,
                 .D = D,
                 .flat = mst_manifold_is_flat(m) && isinf(mst_manifold_injectivity(m)) &&
                         isfinite(variance),
                 .variance = variance,
                 .end = -INFINITY};
    for (size_t i = 0; i < rows->n; i++)
        c->weight += rows->weights != NULL ? rows->weights[i] : 1;
    for (size_t k = 0; k < pieces->count; k++) {
        const stat_piece *p = &pieces->piece[k];
        bool open = p->kind == PIECE_OPEN;
        double features = fmax((double)p->features, 1), n = fmax(c->weight, 1);
        /* e^(−λt/2) times all rows' features is next to nothing there. */
        c->end = open ? INFINITY : fmax(c->end, log(2 * log(1e4 * n * features) / stat_decay(p)));
        c->log_volume += open ? 0 : stat_log_volume(p);
    }
    MST_TRY(mst_allocate(&c->state, D + 1 + 2 * d + 2 * d * d));
    c->gradient = c->state + D + 1;
    c->step = c->gradient + d;
    c->hessian = c->step + d;
    c->block = c->hessian + d * d;
    memcpy(c->state, mean, D * sizeof *mean);
    return MST_OK;
}

/* In flat space ℓ = −(Wd/2) log 2πt − W variance/2t, and the information is W/t. */
static double flat_value(curve *c, double t)
{
    double d = (double)c->d;
    c->share = -d / 2 * log(c->weight / (2 * M_PI * t));
    return -c->weight * (d / 2 * log(2 * M_PI * t) + c->variance / (2 * t)) + c->share;
}

/* Value, gradient and information at the state, and what Newton's step would gain: to second order, the way
 * to the maximum. INFINITY where ℓ curves upwards. */
static mst_status look(curve *c, double *value, double *gain)
{
    size_t d = c->d;
    fit_sums sums = {.gradient = c->gradient, .hessian = c->hessian};
    MST_TRY(fit_evaluate(&c->model.model, c->state, &sums));
    *value = sums.value;
    for (size_t k = 0; k < d * d; k++)
        c->hessian[k] = -c->hessian[k];
    mst_status status = mst_cholesky(1, d, c->hessian, c->block, NULL);
    *gain = status == MST_OK ? 0 : INFINITY;
    for (size_t i = 0; i < d && status == MST_OK; i++) {
        double sum = c->gradient[i];
        for (size_t k = 0; k < i; k++)
            sum -= c->block[i * d + k] * c->step[k];
        c->step[i] = sum / c->block[i * d + i];
        *gain += 0.5 * c->step[i] * c->step[i];
    }
    return status == MST_DOMAIN ? MST_OK : status;
}

static mst_status add_shares(curve *c, double *value)
{
    size_t d = c->d;
    c->share = 0;
    for (size_t k = 0; k < c->pieces->count; k++) {
        const stat_piece *p = &c->pieces->piece[k];
        double share;
        for (size_t i = 0; i < p->dim; i++)
            memcpy(c->block + i * p->dim, c->hessian + (p->first + i) * d + p->first,
                   p->dim * sizeof *c->block);
        MST_TRY(peak_log_share(p, c->block, &share));
        c->share += share;
    }
    *value += c->share;
    return MST_OK;
}

/* ℓ_m at t = e^u, relative to the uniform law. */
static mst_status value_at(curve *c, double u, double *out)
{
    /* A step that gains less leaves the second derivatives as they are, and its gain is right to 1e-4. */
    const double near = 0.01;
    double t = exp(u), gain, value;
    if (u >= c->end) {
        *out = 0;
        return MST_OK;
    }
    if (c->flat) {
        *out = flat_value(c, t);
        return MST_OK;
    }
    c->state[c->D] = t;
    MST_TRY(look(c, &value, &gain));
    if (!(gain < near)) {
        fit_options climb = {
            .method = MST_MEAN_NEWTON, .tolerance = 1e-8, .rate = 0.1, .iterations = 50};
        fit_outcome outcome;
        MST_TRY(fit_climb(&c->model.model, c->state, &climb, &outcome));
        MST_TRY(look(c, &value, &gain));
    }
    *out = value + (gain < near ? gain : 0) + c->weight * c->log_volume;
    return add_shares(c, out);
}

/* ---- The maximum ---- */

typedef struct place {
    double u, value;
} place;

/* The top of the parabola through three places, a < b < c in u, kept away from their ends. */
static double parabola_top(place a, place b, place c)
{
    double left = (b.value - a.value) / (b.u - a.u), right = (c.value - b.value) / (c.u - b.u);
    double bend = (right - left) / (c.u - a.u);
    double top = bend < 0 ? 0.5 * (a.u + b.u) - 0.5 * left / bend : b.u;
    double room = 0.05 * (c.u - a.u);
    return fmin(fmax(top, a.u + room), c.u - room);
}

/* Three places with the highest in the middle, from `start` in steps of `width`; if ℓ_m rises all the way to
 * the uniform law, the last is at the end of the curve. */
static mst_status bracket(curve *c, double start, double width, place p[3])
{
    p[1].u = fmin(start, c->end - width);
    MST_TRY(value_at(c, p[1].u, &p[1].value));
    p[2].u = p[1].u + width;
    MST_TRY(value_at(c, p[2].u, &p[2].value));
    double direction = p[2].value > p[1].value ? 1 : -1;
    if (direction < 0) {
        place swap = p[2];
        p[2] = p[1];
        p[1] = swap;
    }
    /* p[1] → p[2] goes uphill; p[0] is beyond. */
    for (int k = 0; k < 60; k++) {
        p[0] = p[1];
        p[1] = p[2];
        width = fmin(1.6 * width, 0.5);
        p[2].u = p[1].u + direction * width;
        if (p[1].u >= c->end)
            return MST_OK;
        MST_TRY(value_at(c, p[2].u, &p[2].value));
        if (p[2].value <= p[1].value)
            break;
    }
    if (direction < 0) {
        place swap = p[0];
        p[0] = p[2];
        p[2] = swap;
    }
    return MST_OK;
}

static mst_status refine(curve *c, double tolerance, place p[3])
{
    for (int k = 0; k < 40 && p[2].u - p[0].u > tolerance; k++) {
        place q = {.u = parabola_top(p[0], p[1], p[2])};
        if (fabs(q.u - p[1].u) < 0.1 * tolerance)
            return MST_OK;
        MST_TRY(value_at(c, q.u, &q.value));
        bool settled = fabs(q.u - p[1].u) < tolerance;
        place *low = q.u < p[1].u ? &p[0] : &p[2], *high = q.u < p[1].u ? &p[2] : &p[0];
        if (q.value > p[1].value) {
            *high = p[1];
            p[1] = q;
        } else {
            *low = q;
        }
        if (settled)
            return MST_OK;
    }
    return MST_OK;
}

/* ---- The ends of the interval ---- */

/* Where ℓ_m falls `drop` below `highest`, between `in`, where it is not so low, and `out`, where it is. The
 * root of the fall is nearly linear in u, so its secant is good; every third step halves. */
static mst_status find_crossing(curve *c, double highest, double drop, place in, place out,
                                double tolerance, double *u)
{
    for (int k = 0; k < 60 && fabs(out.u - in.u) > tolerance; k++) {
        double a = sqrt(fmax(highest - in.value, 0)) - sqrt(drop);
        double b = sqrt(fmax(highest - out.value, 0)) - sqrt(drop);
        double share = k % 3 == 2 || !(b > a) ? 0.5 : fmin(fmax(-a / (b - a), 0.02), 0.98);
        place q = {.u = in.u + share * (out.u - in.u)};
        MST_TRY(value_at(c, q.u, &q.value));
        *u = q.u;
        if (fabs(highest - q.value - drop) < 1e-3 * drop)
            return MST_OK;
        if (highest - q.value > drop)
            out = q;
        else
            in = q;
    }
    *u = in.u;
    return MST_OK;
}

/* The end of the interval on the side of `direction`, from a place in it. */
static mst_status find_end(curve *c, double highest, double drop, place from, double direction,
                           double width, double *u)
{
    place in = from, out = from;
    for (int k = 0; k < 60; k++) {
        out.u = direction > 0 ? fmin(in.u + width, c->end) : in.u - width;
        MST_TRY(value_at(c, out.u, &out.value));
        if (highest - out.value > drop)
            return find_crossing(c, highest, drop, in, out, 1e-4 * width, u);
        in = out;
        width *= 1.5;
    }
    *u = direction * INFINITY;
    return MST_OK;
}

/* Large samples: ℓ_m is a parabola of width `error` but for small terms, so three values tell. The slope of
 * the integral's share moves the maximum, and a linear step at either end of the usual
 * interval finds the end. */
static mst_status find_from_three(curve *c, double start, double error, double drop,
                                  marginal_time *out, bool *found)
{
    double reach = sqrt(2 * drop), value[3], share[3], fall[2];
    for (int k = 0; k < 3; k++) {
        MST_TRY(value_at(c, start + (k - 1) * reach * error, &value[k]));
        share[k] = c->share;
    }
    double slope = (share[2] - share[0]) / (2 * reach * error), shift = slope * error * error;
    double highest = value[1] + 0.5 * slope * shift;
    for (int k = 0; k < 2; k++)
        fall[k] = sqrt(2 * fmax(highest - value[2 * k], 0)) - reach;
    *found = fabs(shift) < 0.2 * error && fmax(fabs(fall[0]), fabs(fall[1])) < 0.1 * reach &&
             start + 2 * reach * error < c->end;
    *out = (marginal_time){.time = exp(start + shift),
                           .low = exp(start - (reach - fall[0]) * error),
                           .high = exp(start + (reach - fall[1]) * error)};
    return MST_OK;
}

/* A maximum no higher than this above the uniform law is one of the approximation. */
static const double level = 0.005;

static mst_status find(curve *c, double start, double width, double drop, marginal_time *out)
{
    place p[3], top;
    double low, high = INFINITY;
    MST_TRY(bracket(c, start, width, p));
    if (p[1].u < c->end)
        MST_TRY(refine(c, 0.002 * width, p));
    top = p[1];
    bool uniform = !isinf(c->end) && (top.u >= c->end || top.value <= level);
    double highest = uniform ? 0 : top.value;
    if (uniform) {
        /* From where the fitted time is: there ℓ_m is in doubt, or the interval begins above. */
        place at = {.u = fmin(start, c->end)}, end = {.u = c->end, .value = 0};
        MST_TRY(value_at(c, at.u, &at.value));
        if (highest - at.value > drop)
            MST_TRY(find_crossing(c, highest, drop, end, at, 1e-3, &low));
        else
            MST_TRY(find_end(c, highest, drop, at, -1, 2 * width, &low));
    } else {
        MST_TRY(find_end(c, highest, drop, top, -1, 2 * width, &low));
        if (isinf(c->end) || highest > drop)
            MST_TRY(find_end(c, highest, drop, top, 1, 2 * width, &high));
    }
    *out = (marginal_time){.time = uniform ? INFINITY : exp(top.u),
                           .low = exp(low),
                           .high = isinf(high) ? INFINITY : exp(high)};
    return MST_OK;
}

mst_status marginal_time_find(marginal_time *out, const fit_means *model, const stat_pieces *pieces,
                              const double *mean, double time, double log_error, double variance,
                              double confidence)
{
    curve c;
    MST_TRY(curve_open(&c, model, pieces, mean, variance));
    double width = log_error > 0 ? fmin(fmax(log_error, 1e-7), 0.5) : 0.2;
    double start = isfinite(time) ? log(time) : isinf(c.end) ? 0 : c.end - 3 * width;
    double drop = 0.5 * mst_chi_square_quantile(confidence, 1);
    bool found = false;
    mst_status status = MST_OK;
    if (isfinite(time) && log_error > 0 && !c.flat)
        status = find_from_three(&c, start, log_error, drop, out, &found);
    if (status == MST_OK && !found)
        status = find(&c, start, width, drop, out);
    mst_release(c.state);
    return status;
}

mst_status marginal_time_value(const fit_means *model, const stat_pieces *pieces,
                               const double *mean, double time, double *value)
{
    curve c;
    MST_TRY(curve_open(&c, model, pieces, mean, NAN));
    mst_status status = value_at(&c, log(time), value);
    mst_release(c.state);
    return status;
}
