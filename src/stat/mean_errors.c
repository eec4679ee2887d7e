/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Error bars: covariance of the mean in an orthonormal tangent basis, standard error of
 * t, region and interval. */
#include "base/linalg.h"
#include "stat/distributions.h"
#include "stat/mean_clusters.h"
#include "stat/mean_cut_locus.h"
#include "stat/mean_search.h"
#include "stat/rows.h"

#include <math.h>
#include <string.h>

/* Beyond this dimension a Hessian by differences, d sweeps over the data, is not worth its time. */
enum { MOST_DIFFERENCES = 30 };

/* The mean may be so badly determined by the rows near its cut locus that no error of order 1/√n describes
 * it: say so below `smeary`, and let no eigenvalue of the corrected matrix fall below `least`, where its
 * estimate is noise. Both in units of the Hessian of ½ dist², which is 1 in flat space. */
static const double smeary = 0.15, least = 0.02;

/* Rows of which nobody knows whether they lie at the cut locus may change the standard error by about six
 * times their share. */
static const double unknown_share = 0.005;

/* Of fewer degrees of freedom errors are not to be relied on. */
static const double few_degrees = 5;

/* What is needed for the covariance of a mean. */
typedef struct error_job {
    const fit_means *model;
    const double *state;
    const mst_mean_options *o;
    const mean_clusters *clusters;
    mean_precision precision; /* of clusters */
    double radius2;           /* of the region, if resamples tell; else NAN */
    mean_cut_term cut;
    double *cut_matrix; /* (d, d) */
    double least_time;  /* variance of log t in its interval */
    mst_mean_result *r;
} error_job;

/* On flat manifolds matrices are diagonal, and orders of some hundred need nothing more then. */
static bool is_diagonal(size_t q, const double *a)
{
    for (size_t i = 0; i < q; i++)
        for (size_t k = 0; k < q; k++)
            if (i != k && a[i * q + k] != 0)
                return false;
    return true;
}

/* As below, of a diagonal matrix in natural units. */
static void invert_diagonal(size_t q, const double *units, double rounding, double floor,
                            const double *information, double *inverse, bool *positive)
{
    double smallest = INFINITY, largest = 0;
    memset(inverse, 0, q * q * sizeof *inverse);
    for (size_t i = 0; i < q; i++) {
        double value = information[i * q + i];
        value = floor > 0 ? fmax(value, floor) : value;
        smallest = fmin(smallest, value);
        largest = fmax(largest, value);
        inverse[i * q + i] = units[i] * units[i] * (1 / value);
    }
    *positive = smallest > rounding * fabs(largest);
}

/* inverse = (−H)⁻¹, found in the natural units (q), with no eigenvalue of −H below `floor`, 0 for none; false
 * if −H is not positive definite to `rounding`. */
static mst_status invert_information(size_t q, const double *units, double rounding, double floor,
                                     double *hessian, double *inverse, bool *positive)
{
    double *values;
    MST_TRY(mst_allocate(&values, q + q * q));
    double *vectors = values + q;
    for (size_t i = 0; i < q; i++)
        for (size_t k = 0; k < q; k++)
            hessian[i * q + k] *= -units[i] * units[k];
    if (is_diagonal(q, hessian)) {
        invert_diagonal(q, units, rounding, floor, hessian, inverse, positive);
        mst_release(values);
        return MST_OK;
    }
    mst_status status = mst_eigen_symmetric(1, q, hessian, values, vectors, NULL);
    for (size_t k = 0; status == MST_OK && k < q; k++)
        values[k] = floor > 0 ? fmax(values[k], floor) : values[k];
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

/* Σ w g gᵀ (d, d) of squared distances on a flat manifold: coordinates about the mean are the rows'
 * logarithms in its frame. */
static void flat_spread(const fit_rows *rows, size_t d, double *outer)
{
    const double *u = rows->about, *w = rows->weights;
    memset(outer, 0, d * d * sizeof *outer);
    for (size_t a = 0; a < d; a++) /* first: a row of the matrix stays in the cache */
        for (size_t i = 0; i < rows->n; i++) {
            double g = u[i * d + a] * (w != NULL ? w[i] : 1);
            for (size_t b = 0; (w == NULL || w[i] > 0) && b <= a; b++)
                outer[a * d + b] += g * u[i * d + b];
        }
    for (size_t a = 0; a < d; a++)
        for (size_t b = 0; b < a; b++)
            outer[b * d + a] = outer[a * d + b];
}

/* The middle of the sandwich. Rows of a cluster count as one. A count of w is w rows, Σ w g gᵀ; a relative
 * weight w is one row that moves the mean w times as far, Σ w² g gᵀ, which holds whatever the weights have to
 * do with the spread of the rows. */
static mst_status row_spread(const error_job *j, double *gradient, double *outer)
{
    const fit_model *m = &j->model->model;
    const size_t *of = j->clusters->of;
    if (of != NULL || (j->o->weights != NULL && j->o->weights_are == MST_WEIGHTS_RELATIVE)) {
        size_t count = of != NULL ? j->clusters->count : m->rows[0].n;
        MST_TRY(mean_cluster_spread(m, j->state, count, of, outer));
        for (size_t k = 0; k < m->parameters * m->parameters; k++)
            outer[k] *= j->precision.factor;
        return MST_OK;
    }
    if (m->rows[0].about != NULL && !mst_score_gives(m->source, MST_GIVES_TIME)) {
        flat_spread(&m->rows[0], m->parameters, outer);
        return MST_OK;
    }
    fit_sums sums = {.gradient = gradient, .outer = outer};
    return fit_evaluate(m, j->state, &sums);
}

/* Notes a mean that is nearly smeary: the least eigenvalue of −H (d, d) per weight. */
static mst_status judge_curvature(const error_job *j, size_t d, const double *hessian)
{
    double *values, total = rows_weight(j->model->model.rows[0].n, j->o->weights);
    MST_TRY(mst_allocate(&values, d + d * d));
    mst_status status = mst_eigen_symmetric(1, d, hessian, values, values + d, NULL);
    if (status == MST_OK && -values[d - 1] < smeary * total)
        j->r->notes |= MST_NOTE_SMEARY;
    mst_release(values);
    return status;
}

/* Takes what the cut locus counts for from the information of a Fréchet mean; *floor is for its inverse. */
static mst_status correct_curvature(const error_job *j, double *hessian, double *floor)
{
    const fit_model *m = &j->model->model;
    size_t d = mst_manifold_dim(mst_score_manifold(m->source));
    *floor = 0;
    bool convex = mst_manifold_traits_of(mst_score_manifold(m->source))->hadamard == MST_YES;
    if (convex || mst_score_gives(m->source, MST_GIVES_TIME))
        return MST_OK;
    for (size_t k = 0; k < d * d; k++)
        hessian[k] += j->cut_matrix[k];
    if (j->cut.present)
        *floor = least * rows_weight(m->rows[0].n, j->o->weights);
    return judge_curvature(j, d, hessian);
}

/* The same verdict where resamples take the place of the formula: they do not know either. */
static mst_status warn_of_smeary(const error_job *j, const double *known)
{
    size_t d = mst_manifold_dim(mst_score_manifold(j->model->model.source));
    double *hessian, floor;
    if (known == NULL || mst_score_gives(j->model->model.source, MST_GIVES_TIME))
        return MST_OK;
    MST_TRY(mst_allocate(&hessian, d * d));
    memcpy(hessian, known, d * d * sizeof *hessian);
    mst_status status = correct_curvature(j, hessian, &floor);
    mst_release(hessian);
    return status;
}

/* covariance (q, q) = A B A with A = `inverse`, which is symmetric; outer is B and product for work. */
static void sandwich_of(size_t q, const double *inverse, const double *outer, double *product,
                        double *covariance)
{
    mst_multiply(q, inverse, outer, product);
    /* The transpose of their product: zeros of the inverse, on the left, cost nothing. */
    mst_transpose(q, product);
    mst_multiply(q, inverse, product, covariance);
    mst_transpose(q, covariance);
}

/* From this share of the standard errors on the noise of the bridges is worth a word: without it they would
 * be shorter by 5 %. */
static const double noisy = 0.3;

/* What share of the errors the noise makes: the root of tr(C⁻¹ N)/q, covariance C and its part N. */
static mst_status judge_noise(mst_mean_result *r, size_t q, const double *covariance,
                              const double *noise)
{
    double *a, trace = 0;
    MST_TRY(mst_allocate(&a, 2 * q * q));
    memcpy(a, covariance, q * q * sizeof *a);
    mst_status status = mst_solve(1, q, q, a, noise, a + q * q, NULL);
    for (size_t k = 0; k < q; k++)
        trace += a[q * q + k * q + k];
    if (status == MST_OK)
        r->bridge_share = sqrt(trace / (double)q);
    if (r->bridge_share > noisy)
        r->notes |= MST_NOTE_SIMULATION;
    mst_release(a);
    return status == MST_DOMAIN ? MST_OK : status;
}

/* Covariance of the parameters (q, q), from information and, for the sandwich, the spread of the rows'
 * gradients. The latter holds the noise of a simulated source; to the former it is added, A B A, B its
 * spread. Of the Hessian `known` (stride, stride) the parameters are the first; where it
 * is null, differences take its place. */
static mst_status model_covariance(error_job *j, const double *known, size_t stride,
                                   double *covariance, bool *defined)
{
    const fit_model *m = &j->model->model;
    const fit_tolerances tolerances = fit_tolerances_of(m, 0);
    bool sandwich = j->r->covariance_kind == MST_COVARIANCE_SANDWICH;
    size_t q = m->parameters;
    *defined = false;
    if (known == NULL && q > MOST_DIFFERENCES)
        return MST_OK;
    double *gradient, floor = 0;
    MST_TRY(mst_allocate(&gradient, 2 * q + 6 * q * q));
    double *units = gradient + q, *hessian = units + q, *outer = hessian + q * q,
           *inverse = outer + q * q, *product = inverse + q * q, *noise = product + q * q,
           *extra = noise + q * q;
    bool random = false;
    m->ops->units(m, j->state, units);
    mst_status status = sandwich ? row_spread(j, gradient, outer) : MST_OK;
    for (size_t k = 0; known != NULL && k < q * q; k++)
        hessian[k] = known[k / q * stride + k % q];
    if (status == MST_OK && known == NULL)
        status = mean_difference_hessian(j->model, j->state, tolerances.difference, hessian);
    if (status == MST_OK)
        status = correct_curvature(j, hessian, &floor);
    if (status == MST_OK)
        status = mean_simulation_spread(j->model, j->state, noise, &random);
    if (status == MST_OK)
        status =
            invert_information(q, units, tolerances.invertible, floor, hessian, inverse, defined);
    random = random && status == MST_OK && *defined;
    if (random)
        sandwich_of(q, inverse, noise, product, extra);
    if (status == MST_OK && *defined && sandwich) {
        sandwich_of(q, inverse, outer, product, covariance);
        if (j->clusters->of == NULL)
            j->least_time = inverse[q * q - 1];
    } else if (status == MST_OK && *defined) {
        memcpy(covariance, inverse, q * q * sizeof *covariance);
        for (size_t k = 0; random && k < q * q; k++)
            covariance[k] += extra[k];
    }
    if (random)
        status = judge_noise(j->r, q, covariance, extra);
    mst_release(gradient);
    return status;
}

/* Volume of the region in the tangent space: that of the unit ball times radius^d times √det C. */
static mst_status region_volume(size_t d, const double *covariance, double radius2, double *volume)
{
    double *l;
    bool diagonal = is_diagonal(d, covariance);
    MST_TRY(mst_allocate(&l, d * d));
    mst_status status = diagonal ? MST_OK : mst_cholesky(1, d, covariance, l, NULL);
    double k = (double)d, log_volume = k / 2 * log(M_PI * radius2) - lgamma(k / 2 + 1);
    for (size_t a = 0; status == MST_OK && a < d; a++)
        log_volume += log(diagonal ? sqrt(covariance[a * d + a]) : l[a * d + a]);
    *volume = status == MST_OK ? exp(log_volume) : NAN;
    mst_release(l);
    return status == MST_DOMAIN ? MST_OK : status;
}

/* Beyond this many rows the laws below are χ² to four digits. */
static const double many_rows = 5000;

/* The quantile for k coordinates of a mean whose spread was learnt from the same rows, as in flat space.
 *
 * Clusters: for those of one size Hotelling's law with G − 1 degrees of freedom. Unequal sizes take the same
 * share from both of its degrees: simulated coverage is 94.8 to 97.5 % for 5 to 50 clusters of equal to
 * log-normal sizes; with the lost degrees taken from G it is up to 99 %, and without any loss 83 %.
 *
 * Relative weights are clusters of one row, and 1/n of their spread is not in the covariance.
 *
 * A matrix learnt from n rows: Hotelling's law with n − 1. One time learnt from n rows, `spread` numbers
 * each: Fisher's law. Spread 0, a time that was given: χ². */
static double squared_radius(const mst_mean_result *r, size_t coordinates, size_t spread,
                             double confidence)
{
    double k = (double)coordinates, g = (double)r->clusters, n = r->effective_n;
    if (!isinf(r->degrees_of_freedom)) {
        bool weights = r->clusters == 0;
        g = weights ? r->degrees_of_freedom + 1 : g;
        double share = (g - k) / (g - 1), more = weights ? n / (n - 1) : 1;
        return g > k && more > 0
                   ? more * k / share * mst_f_quantile(confidence, k, r->degrees_of_freedom * share)
                   : NAN;
    }
    bool model = r->covariance_kind == MST_COVARIANCE_OBSERVED;
    if (!(n < many_rows) || (model && spread == 0))
        return mst_chi_square_quantile(confidence, k);
    if (model)
        return n > 1 ? k * n / (n - 1) * mst_f_quantile(confidence, k, (n - 1) * (double)spread)
                     : NAN;
    return n > k ? k * n / (n - k) * mst_f_quantile(confidence, k, n - k) : NAN;
}

/* Why squared_radius has found none. */
static mst_no_region why_no_region(const mst_mean_result *r)
{
    if (r->clusters > 0)
        return MST_REGION_FEW_CLUSTERS;
    if (!isinf(r->degrees_of_freedom))
        return MST_REGION_FEW_WEIGHTS;
    return r->effective_n > 1 ? MST_REGION_FEW_ROWS : MST_REGION_FEW_COUNTS;
}

mst_status mean_fill_region(mst_mean_result *r, size_t d, size_t spread, double confidence)
{
    double trace = 0;
    for (size_t i = 0; i < d; i++)
        trace += r->covariance[i * d + i];
    r->standard_error = sqrt(trace);
    r->region_radius2 = squared_radius(r, d, spread, confidence);
    if (isnan(r->region_radius2)) {
        r->no_region = why_no_region(r);
        return MST_OK;
    }
    r->region_kind = MST_REGION_ELLIPSOID;
    return region_volume(d, r->covariance, r->region_radius2, &r->region_volume);
}

/* What rows that are not there may add to a time. A share p of them is missing among n with the chance e^(−n
 * p); where they are five standard deviations out, a time of the others is too short by 1 + (5² − 1) p. No
 * upper end holds for all tails (Bahadur and Savage 1956): this one does for rows like these. */
static double unseen(double n, double confidence)
{
    return 1 - log(1 - confidence) / n * (5 * 5 - 1);
}

/* Standard error and interval of the time. That of the sandwich is at least as wide as the model's, for few
 * rows seldom show the tails of their law, and reaches up to what they may hide. The chance of an error above
 * that this saves is left to the lower end, by the law of χ² of a variance. */
static void fill_interval(const error_job *j, double log_error)
{
    mst_mean_result *r = j->r;
    double confidence = j->o->confidence, n = r->effective_n, hidden = unseen(n, confidence);
    double wide = fmax(log_error, sqrt(j->least_time));
    double reach = exp(sqrt(squared_radius(r, 1, 0, confidence)) * wide);
    r->time_standard_error = r->time * log_error;
    r->time_low = r->time / reach;
    r->time_high = r->time * reach;
    if (!(j->least_time > 0 && n > 2 && n < many_rows && hidden > reach))
        return;
    double above = mst_normal_cdf(-log(hidden) / wide), freedom = 2 / (wide * wide);
    r->time_high = r->time * hidden;
    r->time_low =
        r->time *
        fmin(n / (n - 1) * freedom / mst_chi_square_quantile(confidence + above, freedom), 1);
}

static mst_status fill_errors(const error_job *j, const double *covariance)
{
    const fit_model *m = &j->model->model;
    const mst_mean_options *o = j->o;
    mst_mean_result *r = j->r;
    size_t d = mst_manifold_dim(mst_score_manifold(m->source)), q = m->parameters;
    for (size_t i = 0; i < d; i++)
        memcpy(r->covariance + i * d, covariance + i * q, d * sizeof *covariance);
    MST_TRY(mean_fill_region(r, d, m->time_is_free ? d : 0, o->confidence));
    /* Few clusters are few in resamples, too: those do not make the region smaller, nor
     * where there is none. */
    if (!isnan(j->radius2) && r->region_kind == MST_REGION_ELLIPSOID &&
        (r->clusters == 0 || j->radius2 > r->region_radius2)) {
        r->region_radius2 = j->radius2;
        MST_TRY(region_volume(d, r->covariance, r->region_radius2, &r->region_volume));
    }
    /* Two rows are equally far from their mean, which tells nothing of how much squared distances scatter. */
    bool scatter = r->covariance_kind != MST_COVARIANCE_SANDWICH ||
                   rows_weighing(m->rows[0].n, m->rows[0].weights) > 2;
    if (m->time_is_free && scatter)
        fill_interval(j, sqrt(covariance[q * q - 1]));
    return MST_OK;
}

/* Are all rows that weigh one point? However many: an error of 0 would be that of the last digit, not of the
 * mean. */
static bool are_one(const fit_rows *rows, size_t D)
{
    const double *w = rows->weights;
    size_t first = 0;
    while (w != NULL && w[first] == 0)
        first++;
    for (size_t i = first + 1; i < rows->n; i++)
        if ((w == NULL || w[i] > 0) &&
            memcmp(rows->x + i * D, rows->x + first * D, D * sizeof *rows->x) != 0)
            return false;
    return true;
}

/* Distances are no log-likelihood, and that of dependent rows is not theirs: without a time, and with
 * clusters, the information alone has no meaning, but the sandwich has. */
static mst_covariance_kind kind_of(const mst_score *source, const mst_mean_options *o)
{
    bool robust = o->clusters != NULL || !mst_score_gives(source, MST_GIVES_TIME);
    return o->covariance == MST_COVARIANCE_OBSERVED && robust ? MST_COVARIANCE_SANDWICH
                                                              : o->covariance;
}

/* What clusters leave of the precision. */
static mst_status judge_clusters(error_job *j)
{
    const fit_model *m = &j->model->model;
    size_t q = m->parameters, d = mst_manifold_dim(mst_score_manifold(m->source));
    const mean_clusters none = {0};
    error_job independent = *j;
    independent.clusters = &none;
    independent.precision.factor = j->precision.factor = 1;
    double *gradient, rows = 0, clusters = 0;
    MST_TRY(mst_allocate(&gradient, q + 2 * q * q));
    double *outer = gradient + q, *together = outer + q * q;
    mst_status status = row_spread(&independent, gradient, outer);
    if (status == MST_OK)
        status = row_spread(j, gradient, together);
    for (size_t a = 0; status == MST_OK && a < d; a++) {
        rows += outer[a * q + a];
        clusters += together[a * q + a];
    }
    bool relative = j->o->weights_are == MST_WEIGHTS_RELATIVE;
    if (status == MST_OK)
        status = mean_cluster_precision(j->clusters, m->rows[0].n, j->o->weights, relative, rows,
                                        clusters, &j->precision);
    j->r->effective_n = j->precision.effective_n;
    j->r->degrees_of_freedom = j->precision.degrees;
    if (status == MST_OK && j->precision.degrees < few_degrees)
        j->r->notes |= MST_NOTE_FEW_CLUSTERS;
    mst_release(gradient);
    return status;
}

/* Else differences take its place. */
static bool has_hessian(const mst_score *source)
{
    return mst_score_gives(source, MST_GIVES_HESSIAN) || mst_score_gives(source, MST_GIVES_TIME);
}

static mst_no_errors why_undefined(const mst_mean_result *r, const fit_model *m)
{
    if (r->covariance_kind == MST_COVARIANCE_BOOTSTRAP)
        return MST_ERRORS_RESAMPLES;
    return !has_hessian(m->source) && m->parameters > MOST_DIFFERENCES ? MST_ERRORS_TOO_DEAR
                                                                       : MST_ERRORS_SINGULAR;
}

/* May a resample have its mean elsewhere? So it may if the search has found another place that other rows of
 * the same law might prefer, and if rows lie at the cut locus: with each that passes to its other side the
 * mean finds another place nearby. Without log p places cannot be compared. */
static bool may_move_far(const error_job *j)
{
    return mst_score_gives(j->model->model.source, MST_GIVES_LOG_P) &&
           (j->r->uniqueness == MST_UNIQUENESS_NOT_ESTABLISHED || j->cut.present ||
            j->cut.unknown > 0);
}

static mst_status bootstrap_covariance(error_job *j, double *covariance, bool *defined)
{
    size_t q = j->model->model.parameters;
    MST_TRY(mean_bootstrap(j->model, j->state, j->o, may_move_far(j), covariance, &j->radius2,
                           defined));
    for (size_t k = 0; *defined && k < q * q; k++)
        covariance[k] *= j->precision.factor;
    return MST_OK;
}

/* Rows beyond the injectivity radius of a space whose cut locus is not known: resamples know what they do to
 * the mean, and take the place of the sandwich unless that was asked for or each would take long. */
static void look_beyond(error_job *j)
{
    mst_mean_result *r = j->r;
    if (r->covariance_kind == MST_COVARIANCE_BOOTSTRAP || !(j->cut.unknown > unknown_share))
        return;
    if (j->o->covariance == MST_COVARIANCE_OBSERVED && !fit_is_slow(j->model->model.source))
        r->covariance_kind = MST_COVARIANCE_BOOTSTRAP;
    else
        r->notes |= MST_NOTE_CUT_LOCUS;
}

/* Rows of unequal weight are clusters of one row and unequal size. The covariance is that of rows of equal
 * weight, whose errors of order 1/n are left to the quantile, times what unequal weights cost beyond. */
static mst_status judge_weights(error_job *j)
{
    const fit_rows *rows = &j->model->model.rows[0];
    double n = (double)rows_weighing(rows->n, rows->weights);
    if (n < 2)
        return MST_OK;
    MST_TRY(mean_weights_precision(rows->n, rows->weights, &j->precision));
    bool unequal = j->precision.degrees < (n - 1) * (1 - 1e-9);
    if (unequal && j->precision.degrees < few_degrees)
        j->r->notes |= MST_NOTE_FEW_WEIGHTS;
    if (j->r->covariance_kind == MST_COVARIANCE_OBSERVED) {
        j->precision.factor = 1;
        return MST_OK;
    }
    j->precision.factor *= (n - 1) / n;
    if (unequal)
        j->r->degrees_of_freedom = j->precision.degrees;
    return MST_OK;
}

static mst_status covariance_of(error_job *j, const double *hessian, size_t stride,
                                double *covariance, bool *defined)
{
    bool curved = has_hessian(j->model->model.source) || j->model->centre != NULL;
    MST_TRY(mean_cut_locus(&j->model->model, j->state, j->cut_matrix, &j->cut));
    look_beyond(j);
    if (j->r->covariance_kind == MST_COVARIANCE_BOOTSTRAP) {
        MST_TRY(warn_of_smeary(j, curved ? hessian : NULL));
        return bootstrap_covariance(j, covariance, defined);
    }
    return model_covariance(j, curved ? hessian : NULL, stride, covariance, defined);
}

/* The covariance and what follows from it, of a mean that may have one. */
static mst_status add_covariance(mst_mean_result *r, const fit_means *model,
                                 const mst_mean_options *o, const mean_clusters *clusters,
                                 const double *hessian, mean_cut_term *cut)
{
    size_t D = mst_manifold_ambient(mst_score_manifold(model->model.source));
    /* At the edge of a range the time is as good as fixed. */
    bool held = model->model.time_is_free && r->time_limit != MST_TIME_FINITE;
    fit_means given = held ? fit_with_fixed_times(model) : *model;
    size_t q = given.model.parameters;
    double *covariance;
    MST_TRY(mst_allocate(&covariance, 2 * q * q + D + 1));
    double *state = covariance + 2 * q * q;
    memcpy(state, r->mean, D * sizeof *state);
    state[D] = isnan(r->time) ? 1 : r->time;
    bool defined = false;
    error_job job = {.model = &given,
                     .state = state,
                     .o = o,
                     .clusters = clusters,
                     .precision = {.factor = 1},
                     .radius2 = NAN,
                     .cut = {.radius = NAN, .farthest = NAN},
                     .cut_matrix = covariance + q * q,
                     .r = r};
    bool relative = o->weights != NULL && o->weights_are == MST_WEIGHTS_RELATIVE;
    mst_status status = clusters->of != NULL ? judge_clusters(&job)
                        : relative           ? judge_weights(&job)
                                             : MST_OK;
    if (status == MST_OK)
        status = covariance_of(&job, hessian, model->model.parameters, covariance, &defined);
    *cut = job.cut;
    if (status == MST_OK && defined)
        status = fill_errors(&job, covariance);
    if (status == MST_OK && !defined)
        r->no_errors = why_undefined(r, &given.model);
    mst_release(covariance);
    return status;
}

mst_status mean_add_errors(mst_mean_result *r, const fit_means *model, const mst_mean_options *o,
                           const double *hessian, mean_cut_term *cut)
{
    const fit_rows *rows = &model->model.rows[0];
    mean_clusters clusters;
    *cut = (mean_cut_term){.radius = NAN, .farthest = NAN};
    r->covariance_kind = kind_of(model->model.source, o);
    if (r->basis != NULL)
        MST_TRY(mst_manifold_frame(mst_score_manifold(model->model.source), 1, r->mean, r->basis));
    MST_TRY(mean_clusters_new(&clusters, rows->n, rows->weights, o->clusters));
    r->clusters = clusters.count;
    /* One point, or one cluster, has no spread to learn errors from. A time that was given has them. */
    bool spread = clusters.of == NULL || clusters.count > 1;
    if (!spread)
        r->effective_n = NAN;
    spread =
        spread && !are_one(rows, mst_manifold_ambient(mst_score_manifold(model->model.source)));
    mst_status status = MST_OK;
    bool tied = !r->unique && r->uniqueness != MST_UNIQUENESS_NOT_ESTABLISHED;
    if (!r->converged || tied)
        r->no_errors = r->converged ? MST_ERRORS_NOT_UNIQUE : MST_ERRORS_NOT_CONVERGED;
    else if (!spread &&
             (r->covariance_kind != MST_COVARIANCE_OBSERVED || model->model.time_is_free))
        r->no_errors = MST_ERRORS_TOO_FEW_ROWS;
    else
        status = r->covariance == NULL ? mean_total_error(r, model)
                                       : add_covariance(r, model, o, &clusters, hessian, cut);
    mean_clusters_free(&clusters);
    return status;
}
