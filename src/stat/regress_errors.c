/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* The covariance of a regression: the information of Gauss and Newton, in which the second derivatives of the
 * curve have no part (in the mean they meet scores of 0), inverted, or about the spread of the rows' or
 * clusters' gradients; and what follows from it. */
#include "base/linalg.h"
#include "stat/distributions.h"
#include "stat/fit_sums.h"
#include "stat/mean_clusters.h"
#include "stat/regress_parts.h"

#include <math.h>
#include <string.h>

/* ---- Laws ---- */

/* Numbers with a scale that was learnt: Fisher's law with d (n − k − 1). With a matrix that was learnt:
 * Hotelling's with as many degrees as there are rows or clusters left. */
static bool is_hotelling(const mst_regress_result *r)
{
    return r->covariance_kind != MST_COVARIANCE_OBSERVED;
}

double regress_radius2(const mst_regress_result *r, size_t p, double degrees)
{
    double k = (double)p, nu = degrees;
    if (!is_hotelling(r))
        return isinf(nu) ? mst_chi_square_quantile(r->confidence, k)
                         : k * mst_f_quantile(r->confidence, k, nu);
    return nu - k + 1 > 0 ? nu * k / (nu - k + 1) * mst_f_quantile(r->confidence, k, nu - k + 1)
                          : NAN;
}

double regress_tail(const mst_regress_result *r, size_t p, double degrees, double w)
{
    double k = (double)p, nu = degrees;
    if (!is_hotelling(r))
        return isinf(nu) ? mst_chi_square_survival(w, k) : mst_f_survival(w / k, k, nu);
    return nu - k + 1 > 0 ? mst_f_survival(w * (nu - k + 1) / (nu * k), k, nu - k + 1) : NAN;
}

/* A covariance C (p, p) that is learnt by so many degrees of freedom: Box's share of its directions in its
 * trace, (tr C)²/tr C², without what chance adds to the latter. */
static double directions(size_t p, const double *c, double degrees)
{
    double trace = 0, square = 0, k = (double)p;
    for (size_t a = 0; a < p; a++)
        trace += c[a * p + a];
    for (size_t e = 0; e < p * p; e++)
        square += c[e] * c[e];
    if (degrees > 1)
        square = (square - trace * trace / degrees) * degrees * degrees /
                 ((degrees - 1) * (degrees + 2));
    else
        square = 0;
    return trace * trace / fmin(fmax(square, trace * trace / k), trace * trace);
}

double regress_ball2(const mst_regress_result *r, size_t p, double degrees, const double *c)
{
    double trace = 0, nu = directions(p, c, degrees);
    for (size_t a = 0; a < p; a++)
        trace += c[a * p + a];
    return degrees > 0 ? trace * mst_f_quantile(r->confidence, nu, degrees * nu) : NAN;
}

double regress_ball_tail(size_t p, double degrees, const double *c, double square)
{
    double trace = 0, nu = directions(p, c, degrees);
    for (size_t a = 0; a < p; a++)
        trace += c[a * p + a];
    return degrees > 0 ? mst_f_survival(square / trace, nu, degrees * nu) : NAN;
}

/* ---- Information ---- */

/* Hessians of −½ dist² at the predictions y (n, D) of rows `first` … by differences of scores, each carried
 * back to where it was taken from: out (n, L, L) with L = d + 1. */
static mst_status distance_hessians(const regress_job *j, size_t first, size_t n, const double *y,
                                    double *out)
{
    const double h = 1e-4;
    size_t d = j->d, D = j->D, L = d + 1;
    double *c;
    MST_TRY(mst_allocate(&c, n * (d + 5 * D)));
    double *v = c + n * d, *moved = v + n * D, *home = moved + n * D, *score = home + n * D,
           *carried = score + n * D;
    mst_status status = MST_OK;
    memset(out, 0, n * L * L * sizeof *out);
    for (size_t k = 0; status == MST_OK && k < 2 * d; k++) {
        double step = k % 2 == 0 ? h : -h;
        for (size_t i = 0; i < n * d; i++)
            c[i] = i % d == k / 2 ? step : 0;
        status = mst_manifold_from_frame(j->m, n, y, c, v);
        if (status == MST_OK)
            status = mst_manifold_exp(j->m, n, y, v, moved);
        if (status == MST_OK)
            status = mst_manifold_transport(j->m, n, y, v, v, home);
        for (size_t i = 0; i < n * D; i++)
            home[i] = -home[i];
        if (status == MST_OK)
            status = mst_manifold_log(j->m, n, moved, j->y + first * D, score, NULL);
        if (status == MST_OK)
            status = mst_manifold_transport(j->m, n, moved, home, score, carried);
        if (status == MST_OK)
            status = mst_manifold_to_frame(j->m, n, y, carried, c);
        for (size_t i = 0; status == MST_OK && i < n; i++)
            for (size_t a = 0; a < d; a++) {
                out[i * L * L + a * L + k / 2] += c[i * d + a] / (4 * step);
                out[i * L * L + k / 2 * L + a] += c[i * d + a] / (4 * step);
            }
    }
    mst_release(c);
    return status;
}

/* Where −1 was good enough for the climb but Log is a closed form, errors are worth the true Hessian. */
static mst_status difference_information(const regress_job *j, const regress_model *m,
                                         const double *state, double *hessian)
{
    size_t q = m->model.parameters, L = j->d + 1;
    double *y;
    MST_TRY(mst_allocate(&y, FIT_ROWS * (j->D + 1 + L * L)));
    double *t = y + FIT_ROWS * j->D, *local = t + FIT_ROWS;
    mst_status status = MST_OK;
    memset(hessian, 0, q * q * sizeof *hessian);
    for (size_t at = 0; status == MST_OK && at < j->n; at += FIT_ROWS) {
        size_t n = j->n - at < FIT_ROWS ? j->n - at : FIT_ROWS;
        fit_slice slice = {.first = at, .n = n, .y = y};
        status = m->model.ops->predict(&m->model, state, 0, at, n, y, t);
        if (status == MST_OK)
            status = distance_hessians(j, at, n, y, local);
        if (status == MST_OK)
            status = m->model.ops->pull_matrix(&m->model, state, &slice, local, hessian);
    }
    mst_release(y);
    return status;
}

static mst_status information(const regress_job *j, const regress_model *m, const double *state,
                              double *hessian)
{
    const unsigned needed = MST_CLOSED_LOG | MST_CLOSED_TRANSPORT;
    if (j->gauss && (mst_manifold_traits_of(j->m)->closed & needed) == needed)
        return difference_information(j, m, state, hessian);
    double *gradient;
    MST_TRY(mst_allocate(&gradient, m->model.parameters));
    fit_sums sums = {.gradient = gradient, .hessian = hessian};
    mst_status status = fit_evaluate(&m->model, state, &sums);
    mst_release(gradient);
    return status;
}

/* inverse (q, q) of −H, found in natural units; false if that is not positive definite. */
static mst_status invert(const regress_model *m, const double *state, const double *hessian,
                         double *inverse, bool *defined)
{
    size_t q = m->model.parameters;
    double *units;
    MST_TRY(mst_allocate(&units, 2 * q + 2 * q * q));
    double *values = units + q, *scaled = values + q, *vectors = scaled + q * q;
    m->model.ops->units(&m->model, state, units);
    for (size_t a = 0; a < q; a++)
        for (size_t b = 0; b < q; b++)
            scaled[a * q + b] = -hessian[a * q + b] * units[a] * units[b];
    mst_status status = mst_eigen_symmetric(1, q, scaled, values, vectors, NULL);
    double rounding = fit_tolerances_of(&m->model, 1e-10).invertible;
    *defined = status == MST_OK && values[0] > rounding * values[q - 1];
    memset(inverse, 0, q * q * sizeof *inverse);
    for (size_t e = 0; *defined && e < q; e++)
        for (size_t a = 0; a < q; a++)
            for (size_t b = 0; b < q; b++)
                inverse[a * q + b] +=
                    units[a] * units[b] * vectors[e * q + a] * vectors[e * q + b] / values[e];
    mst_release(units);
    return status == MST_DOMAIN ? MST_OK : status;
}

/* ---- Covariance in units of the design ---- */

/* outer (q, q): Σ g gᵀ over clusters, whose gradients by the curve are those of CR2. */
static mst_status cluster_spread(const regress_job *j, const regress_model *m, const double *state,
                                 const mean_clusters *clusters, const mst_regress_result *r,
                                 double *outer)
{
    size_t q = m->model.parameters, curve = j->d * (j->k + 1);
    double *sums, g = (double)clusters->count, squares = 0, more = 0, between = 0;
    /* Of scores, which are residuals over σ², as the residuals are in units of σ² of the first row. */
    double unit = j->timed ? r->fitted_noise[0] : 1;
    MST_TRY(mst_allocate(&sums, clusters->count * q + curve));
    mst_status status =
        fit_cluster_gradients(&m->model, state, clusters->count, clusters->of, sums);
    memset(outer, 0, q * q * sizeof *outer);
    for (size_t c = 0; status == MST_OK && c < clusters->count; c++) {
        double *of = sums + c * q;
        more +=
            unit * unit * regress_spread_adjust(r->spread, c, j->d, of, sums + clusters->count * q);
        for (size_t a = 0; a < j->d; a++)
            between += unit * unit * of[a] * of[a];
        for (size_t a = curve; a < q; a++)
            of[a] *= sqrt(g / (g - 1));
        for (size_t a = 0; a < q; a++)
            for (size_t b = 0; b < q; b++)
                outer[a * q + b] += of[a] * of[b];
    }
    for (size_t i = 0; i < j->n; i++)
        squares += r->distances[i] * r->distances[i] * r->fitted_noise[0] / r->fitted_noise[i];
    if (status == MST_OK)
        status = regress_spread_add_noise(r->spread, j->d, squares, more, between);
    mst_release(sums);
    return status;
}

/* The same over rows. Those that draw the curve toward themselves have residuals that are too small, by the
 * root of 1 − leverage (HC2). */
static mst_status row_spread(const regress_job *j, const regress_model *m, const double *state,
                             const double *leverage, double *outer)
{
    double *gradient, *weights;
    size_t q = m->model.parameters;
    MST_TRY(mst_allocate(&gradient, q + j->n));
    weights = gradient + q;
    for (size_t i = 0; i < j->n; i++)
        weights[i] = leverage[i] < 1 - 1e-6 ? 1 / (1 - leverage[i]) : 1;
    fit_rows rows = j->rows;
    regress_model weighted = *m;
    rows.weights = weights;
    weighted.model.rows = &rows;
    fit_sums sums = {.gradient = gradient, .outer = outer};
    mst_status status = fit_evaluate(&weighted.model, state, &sums);
    mst_release(gradient);
    return status;
}

/* covariance ← C B C with the spread B of the gradients of rows or clusters. */
static mst_status spread_about(const regress_job *j, const regress_model *m, const double *state,
                               const mean_clusters *clusters, const mst_regress_result *r,
                               double *covariance)
{
    size_t q = m->model.parameters;
    double *outer;
    MST_TRY(mst_allocate(&outer, 2 * q * q));
    double *product = outer + q * q;
    mst_status status = clusters->of != NULL ? cluster_spread(j, m, state, clusters, r, outer)
                                             : row_spread(j, m, state, r->leverage, outer);
    if (status == MST_OK) {
        mst_multiply(q, covariance, outer, product);
        mst_multiply_nt(q, product, covariance, outer);
        memcpy(covariance, outer, q * q * sizeof *outer);
    }
    mst_release(outer);
    return status;
}

/* The information alone: its scale is the noise, which is estimated too small by (n − k − 1)/n. */
static void unbias(const regress_job *j, size_t curve, size_t q, double *covariance)
{
    double n = (double)j->n, factor = sqrt(n / (n - (double)(j->k + 1)));
    for (size_t a = 0; a < q; a++)
        for (size_t b = 0; b < q; b++)
            covariance[a * q + b] *= (a < curve ? factor : 1) * (b < curve ? factor : 1);
}

static mst_status covariance_of(const regress_job *j, const regress_model *m, const double *state,
                                const mean_clusters *clusters, mst_regress_result *r,
                                double *covariance, bool *defined)
{
    size_t q = m->model.parameters;
    if (r->covariance_kind == MST_COVARIANCE_BOOTSTRAP) {
        if (clusters->of != NULL) /* for the noise */
            MST_TRY(cluster_spread(j, m, state, clusters, r, covariance));
        return regress_bootstrap(j, m, state, covariance, defined);
    }
    double *hessian;
    MST_TRY(mst_allocate(&hessian, q * q));
    mst_status status = information(j, m, state, hessian);
    if (status == MST_OK)
        status = invert(m, state, hessian, covariance, defined);
    if (status == MST_OK && *defined && r->covariance_kind == MST_COVARIANCE_SANDWICH)
        status = spread_about(j, m, state, clusters, r, covariance);
    else if (status == MST_OK && *defined)
        unbias(j, j->d * (j->k + 1), q, covariance);
    mst_release(hessian);
    return status;
}

/* ---- The result, in units of the caller ---- */

static double unit_of(const regress_job *j, size_t a)
{
    size_t curve = j->d * (j->k + 1);
    if (a < j->d || a == curve)
        return 1;
    return a < curve ? 1 / j->scale[a / j->d - 1] : 1 / j->scale[a - curve - 1];
}

/* covariance (q, q) of a model that may lack the times which the result has. */
static void fill(const regress_job *j, size_t q, const double *covariance, mst_regress_result *r)
{
    for (size_t a = 0; a < q; a++) {
        for (size_t b = 0; b < q; b++)
            r->covariance[a * r->parameters + b] =
                covariance[a * q + b] * unit_of(j, a) * unit_of(j, b);
        r->standard_errors[a] = sqrt(r->covariance[a * r->parameters + a]);
    }
    size_t place = j->d * (j->k + 1);
    if (!j->timed || q <= place)
        return;
    double error = r->standard_errors[place], n = (double)j->n, left = (1 - r->confidence) / 2;
    r->noise_standard_error = r->noise * error;
    if (j->o->clusters != NULL) {
        r->noise_low = r->noise_unbiased * exp(-r->interval_factors[place] * error);
        r->noise_high = r->noise_unbiased * exp(r->interval_factors[place] * error);
        return;
    }
    /* Its square sum has a law of chi-square: of flat space, where 2/(n d) is the variance of log σ², with
     * d(n − k − 1) degrees of freedom. What the rows say of the variance is sure of many only. */
    double variance = error * error;
    if (is_hotelling(r))
        variance = fmax(variance, 2 / (n * (double)j->d));
    double degrees = 2 / variance * (1 - (double)(j->k + 1) / n);
    r->noise_low = r->noise_unbiased * degrees / mst_chi_square_quantile(1 - left, degrees);
    r->noise_high = r->noise_unbiased * degrees / mst_chi_square_quantile(left, degrees);
}

void regress_leave_errors(mst_regress_result *r)
{
    r->notes |= MST_REGRESS_NO_COVARIANCE;
    for (size_t k = 0; k < r->parameters * r->parameters; k++)
        r->covariance[k] = NAN;
    for (size_t k = 0; k < r->parameters; k++)
        r->standard_errors[k] = r->interval_factors[k] = NAN;
    r->noise_standard_error = r->noise_low = r->noise_high = r->interval_factor = NAN;
}

static mst_covariance_kind kind_of(const regress_job *j)
{
    /* Without log p nobody has seen whether the model fits. */
    bool robust = j->o->clusters != NULL || !j->timed ||
                  !mst_score_gives(j->source, MST_GIVES_LOG_P) || j->unlike;
    return j->o->covariance == MST_COVARIANCE_OBSERVED && robust ? MST_COVARIANCE_SANDWICH
                                                                 : j->o->covariance;
}

/* Below this many degrees of freedom errors are not to be relied on. */
static const double few_degrees = 1;

/* Degrees of freedom of the covariance as a whole, and factors for each number. Intervals need the point, at
 * z = 0, and each column alone; the noise has the degrees of the point. */
static mst_status spread_degrees(const regress_job *j, mst_regress_result *r)
{
    size_t m = j->k + 1, d = j->d;
    double *b, degrees;
    MST_TRY(mst_allocate_zero(&b, m * m));
    mst_status status = MST_OK;
    for (size_t c = 0; status == MST_OK && c < m; c++) {
        regress_spread_contrast(r->spread, c, c == 0 ? b : NULL, b + m);
        status = regress_spread_degrees(r->spread, 1, b + m, 1, &degrees);
        for (size_t a = 0; a < r->parameters; a++)
            if (a < d * m ? a / d == c : c == 0)
                r->interval_factors[a] = sqrt(regress_radius2(r, 1, degrees));
        if (j->o->clusters != NULL && degrees < few_degrees)
            r->notes |= MST_REGRESS_FEW_CLUSTERS;
    }
    memset(b, 0, m * m * sizeof *b);
    for (size_t c = 0; c < m; c++)
        b[c * m + c] = 1;
    if (status == MST_OK)
        status = regress_spread_degrees(r->spread, m, b, (double)d, &r->degrees_of_freedom);
    mst_release(b);
    return status;
}

static mst_status set_degrees(const regress_job *j, const mean_clusters *clusters,
                              mst_regress_result *r)
{
    double n = (double)j->n, K = (double)(j->k + 1);
    if (r->covariance_kind != MST_COVARIANCE_OBSERVED) {
        MST_TRY(regress_spread_new(&r->spread, j, clusters->count, clusters->of, r->fitted_noise));
        MST_TRY(spread_degrees(j, r));
    } else {
        r->degrees_of_freedom = j->free_time ? (double)j->d * (n - K) : INFINITY;
        for (size_t a = 0; a < r->parameters; a++)
            r->interval_factors[a] = sqrt(regress_radius2(r, 1, r->degrees_of_freedom));
    }
    for (size_t a = 0; a < j->d * (j->k + 1); a++)
        r->interval_factor = fmax(r->interval_factor, r->interval_factors[a]); /* leaves NAN out */
    return MST_OK;
}

mst_status regress_add_errors(const regress_job *j, const regress_model *m, const double *state,
                              mst_regress_result *r)
{
    /* At the edge of the source's range the time is as good as given. */
    bool held = m->model.time_is_free && r->noise_limit != MST_TIME_FINITE;
    regress_model given = *m;
    if (held)
        given = regress_model_of(m->model.source, &j->rows, &j->design, j->k, NULL, false, false,
                                 j->o->threads);
    size_t q = given.model.parameters;
    mean_clusters clusters;
    double *covariance = NULL;
    bool defined = false;
    r->covariance_kind = kind_of(j);
    MST_TRY(mean_clusters_new(&clusters, j->n, NULL, j->o->clusters));
    r->clusters = clusters.count;
    mst_status status = set_degrees(j, &clusters, r);
    if (status == MST_OK)
        status = mst_allocate(&covariance, q * q);
    bool spread = clusters.of == NULL || clusters.count > 1;
    bool small = given.model.ops->pull_matrix != NULL;
    if (status == MST_OK && spread && small)
        status = covariance_of(j, &given, state, &clusters, r, covariance, &defined);
    if (status == MST_OK && defined)
        fill(j, q, covariance, r);
    else
        regress_leave_errors(r);
    mean_clusters_free(&clusters);
    mst_release(covariance);
    return status;
}
