/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Do the rows look as the model says, of which the errors are? */
#include "base/linalg.h"
#include "stat/distributions.h"
#include "stat/mean_search.h"
#include "stat/model_spread.h"

#include <math.h>
#include <string.h>

/* Regions of 95 % that hold less than 93 % are worth a word. */
static const double misses = 0.07;

/* On flat manifolds the gradients of the rows are their coordinates u about the mean over t, and A is W/t:
 * Σλ² is that of the products of rows with each other, of directions with each other, whichever are fewer. */
static mst_status flat_spread_of(const fit_rows *rows, size_t d, double t, double weight,
                                 model_spread *out)
{
    size_t n = rows->n, side = n < d ? n : d;
    double *gram, sum = 0, squares = 0, tails = 0;
    MST_TRY(mst_allocate_zero(&gram, side * side));
    for (size_t i = 0; i < n; i++) {
        const double *u = rows->about + i * d;
        double w = rows->weights != NULL ? rows->weights[i] : 1, length2 = 0;
        for (size_t a = 0; a < d; a++)
            length2 += u[a] * u[a];
        sum += w * length2;
        tails += w * (length2 / t - (double)d) * (length2 / t - (double)d);
        for (size_t a = 0; side == d && a < d; a++)
            for (size_t b = 0; b <= a; b++)
                gram[a * d + b] += w * u[a] * u[b];
        for (size_t k = 0; side < d && k <= i; k++) {
            double product = 0, root = rows->weights != NULL ? sqrt(w * rows->weights[k]) : 1;
            for (size_t a = 0; a < d; a++)
                product += u[a] * rows->about[k * d + a];
            gram[i * n + k] = root * product;
        }
    }
    for (size_t a = 0; a < side; a++)
        for (size_t b = 0; b <= a; b++)
            squares += (a == b ? 1 : 2) * gram[a * side + b] * gram[a * side + b];
    mst_release(gram);
    double unit = weight * t;
    model_spread_set(d, weight, sum / unit, squares / (unit * unit), out);
    out->tails = tails / (2 * weight * (double)d);
    return MST_OK;
}

static mst_status spread_of(const fit_means *model, const mst_mean_result *r,
                            const mean_candidate *c, model_spread *out)
{
    const fit_model *m = &model->model;
    const mst_manifold *manifold = mst_score_manifold(m->source);
    size_t q = m->parameters, d = mst_manifold_dim(manifold), D = mst_manifold_ambient(manifold);
    if (m->rows[0].about != NULL)
        return flat_spread_of(&m->rows[0], d, r->time, r->effective_n, out);
    if (c->outer != NULL)
        return model_spread_find(d, q, r->effective_n, c->hessian, c->outer, out);
    double *gradient;
    MST_TRY(mst_allocate(&gradient, q + q * q + D + 1));
    double *outer = gradient + q, *state = outer + q * q;
    fit_sums sums = {.gradient = gradient, .outer = outer};
    memcpy(state, r->mean, D * sizeof *state);
    state[D] = r->time;
    mst_status status = fit_evaluate(m, state, &sums);
    if (status == MST_OK)
        status = model_spread_find(d, q, r->effective_n, c->hessian, outer, out);
    mst_release(gradient);
    return status;
}

/* Directions that may be unlike: what they are said to be, at 0.5 %, needs more rows than the errors do. */
static const double doubted = 0.2, unlike_times = 0.7;

/* Regions of the model where the spread of d directions is as that of fewer, d/ratio equal ones (Box 1954,
 * Dempster 1958): Fisher's law of so many. */
static void widen_region(mst_mean_result *r, size_t d, double ratio, double confidence)
{
    double size = (double)d, n = r->effective_n, few = size / ratio;
    double grown = mst_f_quantile(confidence, few, (n - 1) * few) /
                   mst_f_quantile(confidence, size, (n - 1) * size);
    if (r->region_kind != MST_REGION_ELLIPSOID || !(grown > 1))
        return;
    r->region_radius2 *= grown;
    r->region_volume *= pow(grown, size / 2);
}

/* d Σλ²/(Σλ)² of factors with times of their own; 1 where they may be equal. */
static double ratio_of_times(const mst_mean_result *r, const mst_manifold *m)
{
    double sum = 0, squares = 0;
    if (!(r->equal_times_p_value < unlike_times))
        return 1;
    for (size_t f = 0; f < r->times_count; f++) {
        double d = (double)mst_manifold_dim(mst_manifold_factor(m, f));
        sum += d * r->times[f];
        squares += d * r->times[f] * r->times[f];
    }
    double ratio = (double)mst_manifold_dim(m) * squares / (sum * sum);
    return ratio > 1 ? ratio : 1; /* not of times that are unknown */
}

mst_status mean_judge_model(mst_mean_result *r, const fit_means *model, const mst_mean_options *o,
                            const mean_candidate *c, double *ratio)
{
    const mst_score *source = model->model.source;
    size_t d = mst_manifold_dim(mst_score_manifold(source));
    bool free = model->model.time_is_free, observed = r->covariance_kind == MST_COVARIANCE_OBSERVED;
    *ratio = 1;
    if (r->covariance_kind == MST_COVARIANCE_BOOTSTRAP || r->no_errors != MST_ERRORS_GIVEN ||
        r->clusters > 0 || r->time_limit != MST_TIME_FINITE || !(r->time > 0) ||
        !mst_score_gives(source, MST_GIVES_TIME) || !(r->effective_n > 2))
        return MST_OK;
    model_spread found;
    MST_TRY(spread_of(model, r, c, &found));
    double n = r->effective_n, size = (double)d, limit = mst_chi_square_quantile(0.95, size);
    double freedom = size * (size + 1) / 2 - 1;
    bool directions = model_directions_differ(found.sphericity, freedom);
    /* A time that was given may be too short for the rows; one that was fitted is not. */
    bool scale = !free && found.sum > size + 2.6 * sqrt(2 * size / n);
    bool tails = free && model_tails_are_heavy(d, n, found.tails);
    if (!observed && tails)
        r->notes |= MST_NOTE_FAR_ROWS;
    if (!observed)
        return MST_OK;
    if (((directions || scale) && model_survival(limit, found.sum, found.squares) > misses) ||
        (tails &&
         mst_chi_square_survival(mst_chi_square_quantile(0.95, 1) / found.tails, 1) > misses))
        r->notes |= MST_NOTE_MODEL;
    if (free && freedom > 0 && mst_chi_square_survival(found.sphericity, freedom) < doubted)
        *ratio = size * found.squares / (found.sum * found.sum);
    if (free)
        *ratio = fmax(*ratio, ratio_of_times(r, mst_score_manifold(source)));
    if (*ratio > 1)
        widen_region(r, d, *ratio, o->confidence);
    return MST_OK;
}

/* ---- Skew rows ---- */

/* Sums over pairs of rows in all directions are not worth their time beyond these. */
enum { SKEW_ROWS = 1000, SKEW_DIRECTIONS = 30 };

/* Mardia's skewness Σ (z_i·z_j)³/n² of the gradients g (n, stride), of which d columns count, in units of
 * their spread, less what n rows of a normal law have in the mean. NAN where the spread is singular. */
static mst_status find_skewness(size_t n, size_t d, size_t stride, const double *g, double *out)
{
    double *z, sum = 0, size = (double)d, rows = (double)n;
    *out = NAN;
    MST_TRY(mst_allocate_zero(&z, n * d + d * d));
    double *spread = z + n * d;
    for (size_t i = 0; i < n; i++)
        for (size_t a = 0; a < d; a++)
            for (size_t b = 0; b < d; b++)
                spread[a * d + b] += g[i * stride + a] * g[i * stride + b] / rows;
    mst_status status = mst_cholesky(1, d, spread, spread, NULL);
    for (size_t i = 0; status == MST_OK && i < n; i++)
        for (size_t a = 0; a < d; a++) {
            double rest = g[i * stride + a];
            for (size_t b = 0; b < a; b++)
                rest -= spread[a * d + b] * z[i * d + b];
            z[i * d + a] = rest / spread[a * d + a];
        }
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < n; k++) {
            double product = 0;
            for (size_t a = 0; a < d; a++)
                product += z[i * d + a] * z[k * d + a];
            sum += product * product * product;
        }
    if (status == MST_OK)
        *out = sum / (rows * rows) -
               size * (size + 2) * ((rows + 1) * (size + 1) - 6) / ((rows + 1) * (rows + 3));
    mst_release(z);
    return status == MST_DOMAIN ? MST_OK : status;
}

double mean_confidence_of_few(double rows, double confidence)
{
    const double tell = 8; /* of their skewness */
    return rows < tell ? 1 - 0.55 * (1 - confidence) : confidence;
}

mst_status mean_allow_for_skewness(mst_mean_result *r, const fit_means *model, double confidence)
{
    const fit_model *m = &model->model;
    const mst_manifold *manifold = mst_score_manifold(m->source);
    size_t d = mst_manifold_dim(manifold), D = mst_manifold_ambient(manifold), n = r->n,
           q = m->parameters;
    double *state, skewness;
    if (r->covariance_kind != MST_COVARIANCE_SANDWICH || r->region_kind != MST_REGION_ELLIPSOID ||
        r->clusters > 0 || m->rows[0].weights != NULL || n > SKEW_ROWS || d > SKEW_DIRECTIONS)
        return MST_OK;
    MST_TRY(mst_allocate(&state, D + 1 + n * q));
    memcpy(state, r->mean, D * sizeof *state);
    state[D] = isnan(r->time) ? 1 : r->time;
    mst_status status = fit_cluster_gradients(m, state, n, NULL, state + D + 1);
    if (status == MST_OK)
        status = find_skewness(n, d, q, state + D + 1, &skewness);
    double rows = (double)n, size = (double)d, grown = 1;
    if (status == MST_OK && skewness > 0)
        grown += fmin(16, 2 + 150 / rows) * skewness / (size * rows);
    if (n > d)
        grown = fmax(grown,
                     mst_f_quantile(mean_confidence_of_few(rows, confidence), size, rows - size) /
                         mst_f_quantile(confidence, size, rows - size));
    if (status == MST_OK && grown > 1) {
        r->region_radius2 *= grown;
        r->region_volume *= pow(grown, size / 2);
    }
    mst_release(state);
    return status;
}
