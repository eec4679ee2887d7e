/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Means where the manifold is R^d by its chart: the mean of the coordinates is the mean, the mean squared
 * distance from it over d is the time, and the information is known without adding up. */
#include "stat/extrinsic.h"
#include "stat/flat.h"
#include "stat/mean_search.h"
#include "stat/rows.h"

#include <math.h>
#include <string.h>

bool mean_is_flat(const mean_search *s)
{
    return s->o->method == MST_MEAN_NEWTON && flat_source(s->model.model.source);
}

/* A point among the rows: rounding is relative to the distance from it. */
static mst_status find_centre(const mean_search *s, size_t first, double *centre)
{
    size_t row;
    mst_status status = mean_extrinsic(s->m, s->rows.n, s->rows.x, s->rows.weights, centre);
    if (status == MST_OK)
        status = mst_manifold_validate(s->m, 1, centre, &row);
    if (status == MST_DOMAIN) { /* singular to rounding */
        memcpy(centre, s->rows.x + first * s->D, s->D * sizeof *centre);
        status = MST_OK;
    }
    return status;
}

/* Σ w |u_i − from|² */
static double sum_of_squares(const mean_search *s, const double *u, const double *from)
{
    double sum = 0;
    for (size_t i = 0; i < s->rows.n; i++) {
        double w = s->rows.weights != NULL ? s->rows.weights[i] : 1, square = 0;
        for (size_t a = 0; a < s->d; a++) {
            double apart = u[i * s->d + a] - from[a];
            square += apart * apart;
        }
        sum += w > 0 ? w * square : 0;
    }
    return sum;
}

/* The Hessian of the log-likelihood at its maximum: −W/t in each direction of the mean and −S/2t = −Wd/2 by
 * log t, which do not mix. */
static void fill_hessian(const mean_search *s, double t, double squares, double *hessian)
{
    size_t q = s->model.model.parameters;
    memset(hessian, 0, q * q * sizeof *hessian);
    for (size_t a = 0; a < q; a++)
        hessian[a * q + a] = a < s->d ? -s->total_weight / t : -squares / (2 * t);
}

static double distance(size_t d, const double *u, const double *v)
{
    double apart = 0;
    for (size_t a = 0; a < d; a++)
        apart = hypot(apart, u[a] - v[a]);
    return apart;
}

/* The mean at `reached` (d), where its chart says it is, of coordinates whose mean is `wanted` (d). */
static void fill_outcome(const mean_search *s, const double *wanted, const double *reached,
                         double squares, mean_candidate *c)
{
    bool timed = mst_score_gives(s->model.model.source, MST_GIVES_TIME);
    double d = (double)s->d, W = s->total_weight, t = 1, apart = distance(s->d, wanted, reached);
    if (timed)
        t = s->time > 0 ? s->time : squares / (W * d);
    double by_time = squares / (2 * t * W); /* curvature by log t over that of the mean */
    c->outcome = (fit_outcome){
        .end = MST_FIT_SETTLED,
        .edge = MST_TIME_FINITE,
        .iterations = 1,
        .value = -squares / (2 * t) - (timed ? W * d / 2 * log(2 * M_PI * t) : 0),
        .gradient_norm = apart / t,
        .decrement = apart * apart / (2 * t),
        .least_curvature = s->model.model.time_is_free ? fmin(1, by_time) / fmax(1, by_time) : 1,
        .row_size = sqrt(squares / W / t)};
    *mean_time(s, c) = t;
    fill_hessian(s, t, squares, c->hessian);
}

/* Is no point near `state` (D), which has the coordinates `reached` (d), closer to those that are `wanted`?
 * So it is where coordinates of the rows are huge beside their scatter: the mean is off
 * by its own last digit. */
static mst_status is_closest(const mean_search *s, const double *centre, const double *wanted,
                             const double *reached, const double *state, bool *closest)
{
    size_t d = s->d;
    double *step;
    MST_TRY(mst_allocate(&step, d + s->D));
    double *other = step + d;
    for (size_t a = 0; a < d; a++)
        step[a] = wanted[a] - reached[a];
    mst_status status = mst_manifold_chart_point(s->m, 1, state, step, other);
    if (status == MST_OK)
        status = mst_manifold_chart_coords(s->m, 1, centre, other, step);
    *closest = status == MST_OK && distance(d, wanted, step) >= distance(d, wanted, reached);
    mst_release(step);
    return status;
}

static mst_status settle(mean_search *s, const double *u, double *work, bool *found)
{
    const double rounded = 1e-2; /* of the scatter: then the rows have lost their digits, too */
    size_t d = s->d;
    mean_candidate *c = &s->candidates[0];
    double *mean = work, *reached = mean + d, *centre = reached + d;
    flat_mean(s->rows.n, d, u, s->rows.weights, mean);
    MST_TRY(mst_manifold_chart_point(s->m, 1, centre, mean, c->state));
    /* The point that coordinates have become may be off by rounding: here it counts what it is. */
    MST_TRY(mst_manifold_chart_coords(s->m, 1, centre, c->state, reached));
    double squares = sum_of_squares(s, u, reached);
    fill_outcome(s, mean, reached, squares, c);
    /* In natural units, as the climb does it. */
    bool timed = mst_score_gives(s->model.model.source, MST_GIVES_TIME);
    double t = *mean_time(s, c), steepness = c->outcome.gradient_norm * sqrt(t);
    double threshold = s->tolerances.asked * (timed ? 1 : fmax(1e-2, c->outcome.row_size));
    if (steepness > threshold)
        c->outcome.end = MST_FIT_ROUNDING;
    bool closest = steepness <= 1e3 * threshold;
    if (!closest && c->outcome.gradient_norm * t < rounded * sqrt(squares / s->total_weight))
        MST_TRY(is_closest(s, centre, mean, reached, c->state, &closest));
    *found = closest && isfinite(squares) && t > 0;
    s->squared_distance = *found ? squares / s->total_weight : NAN;
    s->count = *found ? 1 : 0;
    return MST_OK;
}

/* All rows one, to rounding: as in the search elsewhere. */
static mst_status collapses(const mean_search *s, size_t first, const double *u, bool *yes)
{
    double square = sum_of_squares(s, u, u + first * s->d) / s->total_weight, rounding;
    MST_TRY(rows_rounding(s->m, s->rows.n, s->rows.x, s->rows.weights, &rounding));
    *yes = s->model.model.time_is_free && square <= rounding;
    return MST_OK;
}

/* Errors of Fréchet means, and how rows are spread, come from their coordinates about the mean: they stay. */
static void keep(mean_search *s, double *u, const double *mean)
{
    for (size_t k = 0; k < s->rows.n * s->d; k++)
        u[k] -= mean[k % s->d];
    s->rows.about = s->about = u;
}

mst_status mean_flat(mean_search *s, bool *found)
{
    size_t n = s->rows.n, d = s->d, first = 0;
    double *u;
    *found = false;
    while (s->rows.weights != NULL && s->rows.weights[first] == 0)
        first++;
    MST_TRY(mst_allocate(&u, n * d + 2 * d + s->D));
    double *work = u + n * d;
    bool one = false;
    mst_status status = find_centre(s, first, work + 2 * d);
    if (status == MST_OK)
        status = flat_coordinates(s->m, work + 2 * d, n, s->rows.x, s->o->threads, u);
    if (status == MST_OK)
        status = collapses(s, first, u, &one);
    if (status == MST_OK && !one)
        status = settle(s, u, work, found);
    if (*found)
        keep(s, u, work + d);
    else
        mst_release(u);
    return status;
}
