/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* How far a diffusion mean by the expansion is to be believed: what it rests on, and whether data simulated
 * from the fit lead back to it. */
#include "stat/mean_examine.h"
#include "geodesic/own.h"

#include <manistat/brownian.h>
#include <manistat/geodesic.h>
#include <math.h>
#include <string.h>

enum { CURVED_ROWS = 60, WALK_STEPS = 64 };

/* Squared lengths of the geodesics from `centre` to x (n, D), NAN where there is none, and unless it is null
 * the sum of Log. */
static mst_status measure(const mst_manifold *m, size_t n, const double *x, const double *centre,
                          int threads, double *square, double *sum)
{
    size_t D = m->ambient;
    double *from, *log;
    MST_TRY(mst_allocate(&from, 2 * n * D));
    log = from + n * D;
    mst_repeat_point(n, D, centre, from);
    mst_geodesic_options o = mst_geodesic_options_default();
    o.tolerance = 1e-6;
    o.threads = threads;
    mst_geodesic_output out = {.length = square, .log_x = log};
    mst_status status = mst_geodesic_solve(m, n, from, x, &o, &out);
    for (size_t i = 0; status == MST_OK && i < n; i++) {
        square[i] *= square[i];
        for (size_t k = 0; sum != NULL && !isnan(square[i]) && k < D; k++)
            sum[k] += log[i * D + k];
    }
    mst_release(from);
    return status;
}

/* The mean of a₁ over up to CURVED_ROWS rows, evenly chosen, of which the squared lengths are known:
 * ∂_t log p = r²/2t² − d/2t + a₁. */
static mst_status mean_slope(const mst_score *source, size_t n, const double *x,
                             const double *centre, double t, const double *square, double *slope)
{
    const mst_manifold *m = mst_score_manifold(source);
    size_t D = m->ambient, used = 0, count = n < CURVED_ROWS ? n : CURVED_ROWS;
    double d = (double)m->dim, sum = 0;
    for (size_t k = 0; k < count; k++) {
        size_t i = k * n / count;
        double dt;
        mst_pairs pair = {.n = 1, .x = x + i * D, .y = centre, .t = &t};
        if (isnan(square[i]))
            continue;
        MST_TRY(mst_score_evaluate(source, &pair, &(mst_heat_values){.dt_log_p = &dt}));
        sum += dt - square[i] / (2 * t * t) + d / (2 * t);
        used++;
    }
    *slope = used > 0 ? sum / (double)used : NAN;
    return MST_OK;
}

typedef struct moments {
    size_t failed;
    double mean, spread; /* of r², over those that were found */
} moments;

static moments moments_of(size_t n, const double *square)
{
    moments s = {0};
    double second = 0;
    size_t used = 0;
    for (size_t i = 0; i < n; i++) {
        if (isnan(square[i])) {
            s.failed++;
            continue;
        }
        s.mean += square[i];
        second += square[i] * square[i];
        used++;
    }
    s.mean /= (double)used;
    s.spread = sqrt(fmax(second / (double)used - s.mean * s.mean, 0));
    return s;
}

/* t = <r²>/(d − 2 a₁ t), by iteration. */
static double time_of(double square, double d, double slope)
{
    double t = square / d;
    for (int k = 0; k < 100; k++)
        t = square / (d - 2 * slope * t);
    return t;
}

static mst_status simulate(const mst_score *source, const mst_mean_result *r, size_t paths,
                           uint64_t seed, int threads, mst_mean_examination *out)
{
    const mst_manifold *m = mst_score_manifold(source);
    size_t D = m->ambient, kept = 0;
    double *x, slope;
    MST_TRY(mst_allocate_zero(&x, paths * (2 * D + 1) + D));
    double *square = x + 2 * paths * D, *sum = square + paths, *from = x + paths * D, chi;
    mst_repeat_point(paths, D, r->mean, from);
    mst_brownian_options o = mst_brownian_options_default();
    o.steps = WALK_STEPS;
    o.seed = seed;
    o.threads = threads;
    o.left = &out->lost;
    mst_status status = mst_brownian_endpoints(m, paths, from, r->time, &o, x);
    for (size_t i = 0; status == MST_OK && i < paths; i++)
        if (!isnan(x[i * D]))
            memmove(x + kept++ * D, x + i * D, D * sizeof *x);
    if (status == MST_OK && kept > 1)
        status = measure(m, kept, x, r->mean, threads, square, sum);
    if (status == MST_OK && kept > 1)
        status = mean_slope(source, kept, x, r->mean, r->time, square, &slope);
    if (status == MST_OK && kept > 1) {
        moments s = moments_of(kept, square);
        double n = (double)(kept - s.failed), d = (double)m->dim;
        for (size_t k = 0; k < D; k++)
            sum[k] /= n;
        status = mst_manifold_inner(m, 1, r->mean, sum, sum, &chi);
        out->simulated = kept;
        out->simulated_failed = s.failed;
        out->simulated_time = time_of(s.mean, d, slope) / r->time;
        out->simulated_error = s.spread / sqrt(n) / s.mean;
        out->simulated_square = n * chi / r->time;
    }
    mst_release(x);
    return status;
}

/* Do squared distances scatter less than those of Brownian motion, χ² with d degrees, and less than
 * chance makes it of n rows? */
static bool too_even(const mst_mean_examination *e, double d)
{
    double found = (double)(e->n - e->failed), deviation = sqrt((2 + 12 / d) / (4 * found));
    return e->spread < 2.0 / 3 && 1 - e->spread > 3 * deviation;
}

/* The limits are those of docs/shapes.md. */
static void judge(mst_mean_examination *e, size_t d)
{
    double share = (double)e->failed / (double)e->n, c = fabs(e->curvature);
    unsigned refuse = 0, warn = 0;
    if (e->coupling < 1e-6)
        warn |= MST_EXAMINED_FLAT;
    if (share >= 0.02)
        refuse |= MST_EXAMINED_GEODESICS;
    else if (e->failed > 0)
        warn |= MST_EXAMINED_GEODESICS;
    if (c > 1 || isnan(c))
        refuse |= MST_EXAMINED_CURVED;
    else if (c > 0.15)
        warn |= MST_EXAMINED_CURVED;
    if (e->spread > 1.5)
        warn |= MST_EXAMINED_NOT_BROWNIAN;
    if (too_even(e, (double)d))
        warn |= MST_EXAMINED_EVEN;
    if (e->lost > 0)
        refuse |= MST_EXAMINED_LOST;
    double off = fabs(e->simulated_time - 1) / e->simulated_error;
    double chi = fabs(e->simulated_square - (double)d) / sqrt(2 * (double)d);
    if (e->simulated > 0 && (!(off <= 3) || !(chi <= 3) || e->simulated_failed > 0))
        warn |= MST_EXAMINED_SIMULATION;
    /* A time that is off by less than 1 % is no matter, whatever its error. */
    bool disagree = fabs(e->bridge_time) > fmax(0.01, 3 * e->bridge_error);
    if (e->bridged > 0 && e->bridge_ess < 0.1)
        refuse |= MST_EXAMINED_BRIDGES;
    else if (e->bridged > 0 && (disagree || !(e->bridge_ess >= 0.7)))
        warn |= MST_EXAMINED_BRIDGES;
    e->notes = warn | refuse;
    e->refused = refuse;
}

mst_status mst_mean_examine(mst_mean_examination *out, const mst_score *source, size_t n,
                            const double *x, const mst_mean_result *r, size_t paths, uint64_t seed,
                            int threads)
{
    const mst_manifold *m = mst_score_manifold(source);
    *out = (mst_mean_examination){.n = n, .simulated_time = NAN, .simulated_error = NAN};
    out->simulated_square = NAN;
    out->bridge_log_p = out->bridge_time = out->bridge_error = out->bridge_ess = NAN;
    if (m->own == NULL || m->own->coupling == NULL || !mst_score_gives(source, MST_GIVES_VALIDITY))
        return mst_fail(MST_UNABLE, "means on %s are not examined in this way", m->spec);
    if (!(r->time > 0))
        return mst_fail(MST_ARGUMENT, "a mean without a time is not examined");
    double *square, slope, d = (double)m->dim;
    MST_TRY(mst_allocate(&square, n));
    mst_status status = MST_OK;
    if (r->distances == NULL || r->n != n)
        status = measure(m, n, x, r->mean, threads, square, NULL);
    else
        for (size_t i = 0; i < n; i++)
            square[i] = r->distances[i] * r->distances[i];
    if (status == MST_OK)
        status = mean_slope(source, n, x, r->mean, r->time, square, &slope);
    if (status == MST_OK)
        status = m->own->coupling(m, r->mean, &out->coupling);
    if (status == MST_OK) {
        moments s = moments_of(n, square);
        out->failed = s.failed;
        out->curvature = 12 * r->time * slope / d;
        out->spread = s.spread / s.mean / sqrt(2 / d);
    }
    if (status == MST_OK && paths > 0)
        status = simulate(source, r, paths, seed, threads, out);
    if (status == MST_OK && paths > 0)
        status = mean_examine_bridges(source, n, x, r, square, seed, threads, out);
    if (status == MST_OK)
        judge(out, m->dim);
    mst_release(square);
    return status;
}

mst_covariance_kind mst_mean_default_covariance(const mst_manifold *m)
{
    return m->own != NULL && m->own->coupling != NULL ? MST_COVARIANCE_SANDWICH
                                                      : MST_COVARIANCE_OBSERVED;
}
