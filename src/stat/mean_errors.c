/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Error bars: covariance of the mean in an orthonormal tangent basis, standard error of t, region and interval. */
#include "base/linalg.h"
#include "stat/distributions.h"
#include "stat/mean_parts.h"

#include <math.h>
#include <string.h>

/* Beyond this dimension a Hessian by differences, d sweeps over the data, is not worth its time. */
enum { MOST_DIFFERENCES = 30 };

/* Resample b draws from this stream and the ones after it. */
static const uint64_t bootstrap_stream = UINT64_C(1) << 32;

/* Hessian of Σ w log p by central differences of the gradient, carried back to the mean by parallel transport. */
static mst_status difference_hessian(const fit_problem *p, const fit_state *state, double *hessian)
{
    const mst_manifold *m = mst_score_manifold(p->source);
    size_t d = mst_manifold_dim(m), D = mst_manifold_ambient(m);
    /* Truncation h² against rounding over h. */
    const double h = fmax(1e-4, cbrt(mst_score_describe(p->source)->precision));
    double *block;
    MST_TRY(mst_allocate(&block, 3 * d + 4 * D + d * d));
    double *c = block, *gradient = c + d, *back = gradient + d, *moved = back + d, *v = moved + D,
           *home = v + D, *carried = home + D, *raw = carried + D;
    mst_status status = MST_OK;
    memset(raw, 0, d * d * sizeof *raw);
    for (size_t k = 0; status == MST_OK && k < 2 * d; k++) {
        double step = k % 2 == 0 ? h : -h;
        memset(c, 0, d * sizeof *c);
        c[k / 2] = step;
        fit_state there = {moved, state->time};
        fit_sums sums = {.gradient = gradient};
        status = mst_manifold_from_frame(m, 1, state->mean, c, v);
        if (status == MST_OK)
            status = mst_manifold_exp(m, 1, state->mean, v, moved);
        if (status == MST_OK)
            status = fit_evaluate(p, &there, &sums);
        if (status == MST_OK)
            status = mst_manifold_from_frame(m, 1, moved, gradient, v);
        if (status == MST_OK)
            status = mst_manifold_log(m, 1, moved, state->mean, home, NULL);
        if (status == MST_OK)
            status = mst_manifold_transport(m, 1, moved, home, v, carried);
        if (status == MST_OK)
            status = mst_manifold_to_frame(m, 1, state->mean, carried, back);
        for (size_t a = 0; status == MST_OK && a < d; a++)
            raw[(k / 2) * d + a] += back[a] / (2 * step);
    }
    for (size_t i = 0; i < d; i++)
        for (size_t k = 0; k < d; k++)
            hessian[i * d + k] = 0.5 * (raw[i * d + k] + raw[k * d + i]);
    mst_release(block);
    return status;
}

/* inverse = (−H)⁻¹, found in the natural units (q); false if −H is not positive definite to `rounding`. */
static mst_status invert_information(size_t q, const double *units, double rounding,
                                     double *hessian, double *inverse, bool *positive)
{
    double *values;
    MST_TRY(mst_allocate(&values, q + q * q));
    double *vectors = values + q;
    for (size_t i = 0; i < q; i++)
        for (size_t k = 0; k < q; k++)
            hessian[i * q + k] *= -units[i] * units[k];
    mst_status status = mst_eigen_symmetric(1, q, hessian, values, vectors, NULL);
    *positive = status == MST_OK && values[0] > rounding * fabs(values[q - 1]);
    for (size_t i = 0; *positive && i < q; i++)
        for (size_t k = 0; k < q; k++) {
            double sum = 0;
            for (size_t e = 0; e < q; e++)
                sum += vectors[e * q + i] * vectors[e * q + k] / values[e];
            inverse[i * q + k] = units[i] * units[k] * sum;
        }
    mst_release(values);
    return status;
}

/* Covariance of the parameters (q, q), from information and, for the sandwich, the spread of the rows' gradients. Of the
 * Hessian `known` (stride, stride) the parameters are the first; where it is null, differences take its place. */
static mst_status model_covariance(const fit_problem *p, const fit_state *state, bool sandwich,
                                   size_t q, const double *known, size_t stride, double *covariance,
                                   bool *defined)
{
    *defined = false;
    double *block;
    MST_TRY(mst_allocate(&block, 2 * q + 4 * q * q));
    double *units = block + q, *hessian = units + q, *outer = hessian + q * q,
           *inverse = outer + q * q, *product = inverse + q * q;
    bool possible = known != NULL || q <= MOST_DIFFERENCES;
    fit_units(p, state, units);
    fit_sums sums = {.gradient = block, .outer = outer};
    mst_status status = possible && sandwich ? fit_evaluate(p, state, &sums) : MST_OK;
    for (size_t k = 0; known != NULL && k < q * q; k++)
        hessian[k] = known[k / q * stride + k % q];
    if (status == MST_OK && possible && known == NULL)
        status = difference_hessian(p, state, hessian);
    if (status == MST_OK && possible)
        status =
            invert_information(q, units, fmax(1e-12, 10 * mst_score_describe(p->source)->precision),
                               hessian, inverse, defined);
    if (status == MST_OK && *defined && sandwich) {
        mst_multiply(q, inverse, outer, product);
        mst_multiply(q, product, inverse, covariance);
    } else if (*defined) {
        memcpy(covariance, inverse, q * q * sizeof *covariance);
    }
    mst_release(block);
    return status;
}

/* One resample per item: refitted parameters minus the estimate, (resamples, q); NAN where there is no estimate. */
typedef struct bootstrap {
    const fit_problem *p;
    const mst_mean_result *r;
    const mst_mean_options *o;
    size_t q, rows; /* rows that weigh */
    size_t *row;    /* (rows) which they are; null: all */
    double *deviation;
} bootstrap;

/* How often each row is drawn, times its weight. Rows without a weight are not there. */
static void draw_counts(const bootstrap *b, size_t number, double *counts)
{
    enum { RUN = 256 };
    uint64_t bits[RUN];
    mst_random stream = {b->o->seed, bootstrap_stream + number};
    const fit_group *g = &b->p->group[0];
    memset(counts, 0, g->n * sizeof *counts);
    for (size_t i = 0; i < b->rows; i++) {
        if (i % RUN == 0)
            mst_random_bits(stream, i, RUN, bits);
        /* Multiplication in place of the remainder: the bias, n/2^64, cannot be seen. */
        __extension__ unsigned __int128 product = (unsigned __int128)bits[i % RUN] * b->rows;
        size_t row = (size_t)(product >> 64);
        counts[b->row != NULL ? b->row[row] : row] += 1;
    }
    for (size_t i = 0; g->weights != NULL && i < g->n; i++)
        counts[i] *= g->weights[i];
}

static mst_status refit(const bootstrap *b, size_t number, double *counts, double *room)
{
    const mst_manifold *m = mst_score_manifold(b->p->source);
    size_t d = mst_manifold_dim(m), D = mst_manifold_ambient(m);
    fit_group group = b->p->group[0];
    draw_counts(b, number, counts);
    group.weights = counts;
    fit_problem problem = *b->p;
    problem.group = &group;
    problem.threads = 1;
    double *mean = room, *v = mean + D, time = isnan(b->r->time) ? 1 : b->r->time;
    memcpy(mean, b->r->mean, D * sizeof *mean);
    fit_state state = {mean, &time};
    fit_options climb = {
        .method = MST_MEAN_NEWTON, .tolerance = 1e-8, .rate = b->o->rate, .iterations = 50};
    fit_outcome outcome;
    double *deviation = b->deviation + number * b->q;
    MST_TRY(fit_climb(&problem, &state, &climb, &outcome));
    if (!outcome.converged) {
        deviation[0] = NAN;
        return MST_OK;
    }
    MST_TRY(mst_manifold_log(m, 1, b->r->mean, mean, v, NULL));
    MST_TRY(mst_manifold_to_frame(m, 1, b->r->mean, v, deviation));
    if (problem.time_is_free)
        deviation[d] = log(time / b->r->time);
    return MST_OK;
}

static mst_status run_resamples(void *context, size_t begin, size_t end)
{
    const bootstrap *b = context;
    size_t D = mst_manifold_ambient(mst_score_manifold(b->p->source));
    double *counts;
    MST_TRY(mst_allocate(&counts, b->p->group[0].n + 2 * D));
    mst_status status = MST_OK;
    for (size_t k = begin; status == MST_OK && k < end; k++)
        status = refit(b, k, counts, counts + b->p->group[0].n);
    mst_release(counts);
    return status;
}

/* The covariance of the deviations that are there; false if more than one in twenty is not, for then the estimate
 * itself is in doubt. */
static bool deviation_covariance(size_t count, size_t q, const double *deviation, double *centre,
                                 double *covariance)
{
    size_t found = 0;
    memset(centre, 0, q * sizeof *centre);
    memset(covariance, 0, q * q * sizeof *covariance);
    for (size_t k = 0; k < count; k++)
        found += isnan(deviation[k * q]) ? 0 : 1;
    if (found < 2 || count - found > count / 20)
        return false;
    for (size_t k = 0; k < count; k++)
        for (size_t a = 0; a < q && !isnan(deviation[k * q]); a++)
            centre[a] += deviation[k * q + a] / (double)found;
    for (size_t k = 0; k < count; k++)
        for (size_t a = 0; a < q && !isnan(deviation[k * q]); a++)
            for (size_t e = 0; e < q; e++)
                covariance[a * q + e] += (deviation[k * q + a] - centre[a]) *
                                         (deviation[k * q + e] - centre[e]) / ((double)found - 1);
    return true;
}

static mst_status bootstrap_covariance(const fit_problem *p, const mst_mean_result *r,
                                       const mst_mean_options *o, size_t q, double *covariance,
                                       bool *defined)
{
    const fit_group *g = &p->group[0];
    size_t count = o->resamples;
    if (count < 2)
        return mst_fail(MST_ARGUMENT, "the bootstrap needs at least 2 resamples, not %zu", count);
    bootstrap b = {.p = p, .r = r, .o = o, .q = q, .rows = g->n};
    if (g->weights != NULL) {
        MST_TRY(mst_allocate(&b.row, g->n));
        b.rows = 0;
        for (size_t i = 0; i < g->n; i++)
            if (g->weights[i] > 0)
                b.row[b.rows++] = i;
    }
    mst_status status = mst_allocate(&b.deviation, count * q + q);
    if (status == MST_OK)
        status = mst_parallel_blocks(count, 1, o->threads, o->progress, run_resamples, &b);
    *defined = status == MST_OK &&
               deviation_covariance(count, q, b.deviation, b.deviation + count * q, covariance);
    mst_release(b.row);
    mst_release(b.deviation);
    return status;
}

/* Volume of the region in the tangent space: that of the unit ball times radius^d times √det C. */
static mst_status region_volume(size_t d, const double *covariance, double radius2, double *volume)
{
    double *l;
    MST_TRY(mst_allocate(&l, d * d));
    mst_status status = mst_cholesky(1, d, covariance, l, NULL);
    double k = (double)d, log_volume = k / 2 * log(M_PI * radius2) - lgamma(k / 2 + 1);
    for (size_t a = 0; status == MST_OK && a < d; a++)
        log_volume += log(l[a * d + a]);
    *volume = status == MST_OK ? exp(log_volume) : NAN;
    mst_release(l);
    return status == MST_DOMAIN ? MST_OK : status;
}

static mst_status fill_errors(mst_mean_result *r, const fit_problem *p, const mst_mean_options *o,
                              size_t d, size_t q, const double *covariance)
{
    double trace = 0;
    for (size_t i = 0; i < d; i++) {
        memcpy(r->covariance + i * d, covariance + i * q, d * sizeof *covariance);
        trace += covariance[i * q + i];
    }
    r->standard_error = sqrt(trace);
    r->region_radius2 = mst_chi_square_quantile(o->confidence, (double)d);
    MST_TRY(region_volume(d, r->covariance, r->region_radius2, &r->region_volume));
    if (p->time_is_free) {
        double log_error = sqrt(covariance[q * q - 1]);
        double z = mst_normal_quantile(0.5 + o->confidence / 2);
        r->time_standard_error = r->time * log_error;
        r->time_low = r->time * exp(-z * log_error);
        r->time_high = r->time * exp(z * log_error);
    }
    return MST_OK;
}

/* Rows that weigh. */
static size_t count_rows(const fit_group *g)
{
    size_t count = g->weights == NULL ? g->n : 0;
    for (size_t i = 0; g->weights != NULL && i < g->n; i++)
        count += g->weights[i] > 0;
    return count;
}

mst_status mean_add_errors(mst_mean_result *r, const fit_problem *problem,
                           const mst_mean_options *o, const double *hessian)
{
    const mst_manifold *m = mst_score_manifold(problem->source);
    MST_TRY(mst_manifold_frame(m, 1, r->mean, r->basis));
    if (!mean_has_time(r->time_limit) || !r->unique || !r->converged)
        return MST_OK;
    /* At the edge of a range the time is as good as fixed. */
    fit_problem held = *problem, *p = &held;
    held.time_is_free = problem->time_is_free && r->time_limit == MST_TIME_FINITE;
    size_t d = mst_manifold_dim(m), q = fit_parameters(p), stride = fit_parameters(problem);
    /* Distances are no log-likelihood: without a time, only the sandwich has a meaning. */
    bool sandwich = o->covariance == MST_COVARIANCE_SANDWICH ||
                    !mst_score_gives(problem->source, MST_GIVES_TIME);
    /* One row has no spread to learn errors from. */
    if (count_rows(&p->group[0]) < 2 && (sandwich || o->covariance == MST_COVARIANCE_BOOTSTRAP))
        return MST_OK;
    double *covariance, time = isnan(r->time) ? 1 : r->time;
    MST_TRY(mst_allocate(&covariance, q * q));
    fit_state state = {r->mean, &time};
    bool defined = true;
    mst_status status =
        o->covariance == MST_COVARIANCE_BOOTSTRAP
            ? bootstrap_covariance(p, r, o, q, covariance, &defined)
            : model_covariance(p, &state, sandwich, q,
                               mst_score_gives(problem->source, MST_GIVES_HESSIAN) ||
                                       mst_score_gives(problem->source, MST_GIVES_TIME)
                                   ? hessian
                                   : NULL,
                               stride, covariance, &defined);
    if (status == MST_OK && defined)
        status = fill_errors(r, p, o, d, q, covariance);
    mst_release(covariance);
    return status;
}
