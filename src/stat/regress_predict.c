/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Predictions with the band of the curve and the region of a new observation. */
#include "base/linalg.h"
#include "stat/distributions.h"
#include "stat/regress_parts.h"

#include <math.h>
#include <string.h>

typedef struct prediction_job {
    const mst_regress_result *r;
    const mst_manifold *m;
    size_t n, d, D, k;
    const double *x;
    double *z;      /* (n, k) */
    double *y, *t;  /* (n, D), (n): points and unbiased noise */
    double *spread; /* (n, d, d), NANs without a covariance */
} prediction_job;

/* out (d, d) = J C Jᵀ with J = [A, z_1 B, …] of a row. */
static void pull_covariance(const prediction_job *p, const double *z, const double *point,
                            const double *speed, double *jacobian, double *out)
{
    size_t d = p->d, c = d * (p->k + 1), q = p->r->parameters;
    for (size_t a = 0; a < d; a++)
        for (size_t b = 0; b < d; b++) {
            jacobian[a * c + b] = point[a * d + b];
            for (size_t j = 0; j < p->k; j++)
                jacobian[a * c + (1 + j) * d + b] = z[j] * speed[a * d + b];
        }
    for (size_t a = 0; a < d; a++)
        for (size_t b = 0; b <= a; b++) {
            double sum = 0;
            for (size_t e = 0; e < c; e++)
                for (size_t f = 0; f < c; f++)
                    sum += jacobian[a * c + e] * p->r->covariance[e * q + f] * jacobian[b * c + f];
            out[a * d + b] = out[b * d + a] = sum;
        }
}

static mst_status find_spread(const prediction_job *p, const regress_model *m, const double *state)
{
    size_t d = p->d, c = d * (p->k + 1);
    double *point;
    if (isnan(p->r->covariance[0])) {
        for (size_t i = 0; i < p->n * d * d; i++)
            p->spread[i] = NAN;
        return MST_OK;
    }
    MST_TRY(mst_allocate(&point, 2 * p->n * d * d + d * c));
    double *speed = point + p->n * d * d, *jacobian = speed + p->n * d * d;
    mst_status status = regress_derivative(m, state, 0, p->n, p->y, point, speed);
    for (size_t i = 0; status == MST_OK && i < p->n; i++)
        pull_covariance(p, p->z + i * p->k, point + i * d * d, speed + i * d * d, jacobian,
                        p->spread + i * d * d);
    mst_release(point);
    return status;
}

/* Degrees of freedom behind the band at a row of the new covariates, (k) about the origin of the result. */
static mst_status band_degrees(const prediction_job *p, const double *z, double *unit,
                               double *degrees)
{
    *degrees = p->r->degrees_of_freedom;
    if (p->r->spread == NULL)
        return MST_OK;
    regress_spread_contrast(p->r->spread, 0, z, unit);
    return regress_spread_degrees(p->r->spread, 1, unit, 1, degrees);
}

/* And its degrees of freedom (n). */
static mst_status fill_band(const prediction_job *p, double *band, double *degrees)
{
    double *values;
    MST_TRY(mst_allocate(&values, p->d + p->d * p->d + p->k + 1));
    mst_status status = MST_OK;
    for (size_t i = 0; status == MST_OK && i < p->n; i++) {
        const double *spread = p->spread + i * p->d * p->d;
        band[i] = degrees[i] = NAN;
        if (isnan(spread[0]))
            continue;
        status = mst_eigen_symmetric(1, p->d, spread, values, values + p->d, NULL);
        if (status == MST_OK)
            status = band_degrees(p, p->z + i * p->k, values + p->d + p->d * p->d, &degrees[i]);
        if (status == MST_OK)
            band[i] = sqrt(p->r->spread != NULL ? regress_ball2(p->r, p->d, degrees[i], spread)
                                                : regress_radius2(p->r, p->d, degrees[i]) *
                                                      fmax(0, values[p->d - 1]));
    }
    mst_release(values);
    return status;
}

/* The squared radius for the noise t alone. */
static mst_status law_radius2(const mst_manifold *m, bool timed, double t, double confidence,
                              double *radius2)
{
    double radius;
    *radius2 = t * mst_chi_square_quantile(confidence, (double)mst_manifold_dim(m));
    if (!timed)
        return MST_OK;
    MST_TRY(mst_regress_radius(m, t, confidence, &radius));
    *radius2 = radius * radius;
    return MST_OK;
}

/* By how much the doubt about the curve, of covariance `spread`, widens the squared radius for the noise t
 * alone: that of Σ (t + s_a) χ²₁ over the eigenvalues s_a by its first two moments. */
static double widening(size_t d, const double *spread, double t, double confidence)
{
    double sum = 0, square = 0;
    for (size_t a = 0; a < d; a++) {
        sum += t + spread[a * d + a];
        for (size_t b = 0; b < d; b++) {
            double element = spread[a * d + b] + (a == b ? t : 0);
            square += element * element;
        }
    }
    return isnan(sum) ? 1
                      : square / sum * mst_chi_square_quantile(confidence, sum * sum / square) /
                            (t * mst_chi_square_quantile(confidence, (double)d));
}

/* Degrees of freedom of the noise t and the doubt about the curve together (Satterthwaite): of two estimates,
 * or of one that is behind both. */
static double joint_degrees(const prediction_job *p, double t, const double *spread,
                            double of_curve, double of_noise)
{
    double trace = 0, d = (double)p->d;
    for (size_t a = 0; a < p->d; a++)
        trace += spread[a * p->d + a] / d;
    if (p->r->spread == NULL || isnan(trace))
        return of_noise;
    return (t + trace) * (t + trace) / (t * t / of_noise + trace * trace / (d * of_curve));
}

/* Degrees of freedom of noise that depends on the covariates, at z (k) about the origin. */
static double noise_degrees(const prediction_job *p, const double *z)
{
    const mst_regress_result *r = p->r;
    size_t q = r->parameters, place = p->d * (p->k + 1);
    double n = (double)r->n, variance = 0;
    for (size_t a = 0; a <= p->k; a++)
        for (size_t b = 0; b <= p->k; b++)
            variance += (a == 0 ? 1 : z[a - 1]) * r->covariance[(place + a) * q + place + b] *
                        (b == 0 ? 1 : z[b - 1]);
    return 2 / variance * (1 - (double)(p->k + 1) / n);
}

/* The noise, the doubt about the curve, which adds to it, and that about both. */
static mst_status fill_region(const prediction_job *p, bool timed, const double *band,
                              const double *degrees, double *region)
{
    double d = (double)p->d, factor = 1, nu = d * (double)(p->r->n - p->k - 1);
    double last = NAN, radius2 = NAN, law = mst_chi_square_quantile(p->r->confidence, d);
    if (p->r->spread != NULL)
        regress_spread_noise(p->r->spread, &factor, &nu);
    for (size_t i = 0; i < p->n; i++) {
        const double *spread = p->spread + i * p->d * p->d;
        double t = factor * p->t[i];
        if (!(t == last))
            MST_TRY(law_radius2(p->m, timed, t, p->r->confidence, &radius2));
        last = t;
        double more = widening(p->d, spread, t, p->r->confidence);
        if (p->r->noise_slopes != NULL && !isnan(p->r->covariance[0]))
            nu = noise_degrees(p, p->z + i * p->k);
        double both = joint_degrees(p, t, spread, degrees[i], nu);
        double square = radius2 * more * d * mst_f_quantile(p->r->confidence, d, both) / law;
        /* Where the curve is hardly known its band alone may be wider. */
        bool narrow = square < band[i] * band[i];
        region[i] = sqrt(narrow ? band[i] * band[i] + radius2 : square);
    }
    return MST_OK;
}

static mst_status fill_beyond(const prediction_job *p, unsigned char *beyond)
{
    double radius = mst_manifold_injectivity(p->m), length, distance, *u;
    bool endless = mst_manifold_traits_of(p->m)->hadamard == MST_YES || isinf(radius);
    memset(beyond, 0, p->n);
    if (endless)
        return MST_OK;
    MST_TRY(mst_allocate(&u, p->D));
    mst_status status = MST_OK;
    for (size_t i = 0; status == MST_OK && i < p->n; i++) {
        memset(u, 0, p->D * sizeof *u);
        for (size_t j = 0; j < p->k; j++)
            for (size_t a = 0; a < p->D; a++)
                u[a] += p->z[i * p->k + j] * p->r->velocities[j * p->D + a];
        status = mst_manifold_norm(p->m, 1, p->r->intercept, u, &length);
        beyond[i] = length > radius;
        if (status == MST_OK && isnan(radius)) {
            mst_status found =
                mst_manifold_dist(p->m, 1, p->r->intercept, p->y + i * p->D, &distance);
            beyond[i] = found == MST_OK && distance < length * (1 - 1e-6);
        }
    }
    mst_release(u);
    return status;
}

/* The fit as a state of the model of the new rows, whose columns are in units of the caller. */
static void fill_state(const prediction_job *p, const regress_model *m, double *state)
{
    const mst_regress_result *r = p->r;
    size_t place = (1 + p->k) * p->D;
    memcpy(state, r->intercept, p->D * sizeof *state);
    memcpy(state + p->D, r->velocities, p->k * p->D * sizeof *state);
    state[place] = r->noise_unbiased;
    for (size_t j = 0; j < m->slopes; j++)
        state[place + 1 + j] = r->noise_slopes[j];
}

static mst_status fill_outputs(const prediction_job *p, bool timed, const mst_prediction *out)
{
    size_t d = p->d;
    if (out->points != NULL)
        memcpy(out->points, p->y, p->n * p->D * sizeof *p->y);
    if (out->noise != NULL)
        memcpy(out->noise, p->t, p->n * sizeof *p->t);
    if (out->covariance != NULL)
        memcpy(out->covariance, p->spread, p->n * d * d * sizeof *p->spread);
    if (out->band != NULL || out->region != NULL) {
        double *band;
        MST_TRY(mst_allocate(&band, 2 * p->n));
        mst_status status = fill_band(p, band, band + p->n);
        if (status == MST_OK && out->band != NULL)
            memcpy(out->band, band, p->n * sizeof *band);
        if (status == MST_OK && out->region != NULL)
            status = fill_region(p, timed, band, band + p->n, out->region);
        mst_release(band);
        MST_TRY(status);
    }
    return out->beyond != NULL ? fill_beyond(p, out->beyond) : MST_OK;
}

mst_status mst_regress_predict(const mst_regress_result *r, const mst_score *source, size_t n,
                               const double *x, const mst_prediction *out)
{
    const mst_manifold *manifold = mst_score_manifold(source);
    prediction_job p = {
        .r = r, .m = manifold, .n = n, .d = r->dim, .D = r->ambient, .k = r->columns};
    bool timed = mst_score_gives(source, MST_GIVES_TIME);
    if (mst_manifold_dim(manifold) != r->dim || mst_manifold_ambient(manifold) != r->ambient)
        return mst_fail(MST_ARGUMENT, "the fit is of another manifold than %s",
                        mst_manifold_spec(manifold));
    for (size_t k = 0; k < n * p.k; k++)
        if (!isfinite(x[k]))
            return mst_fail(MST_ARGUMENT, "row %zu: %g is not a covariate", k / p.k + 1, x[k]);
    size_t slopes = r->noise_slopes != NULL ? p.k : 0, size = (1 + p.k) * p.D + 1 + slopes;
    MST_TRY(mst_allocate(&p.z, n * (p.k + p.D + 1 + p.d * p.d) + size));
    p.y = p.z + n * p.k;
    p.t = p.y + n * p.D;
    p.spread = p.t + n;
    double *state = p.spread + n * p.d * p.d;
    for (size_t k = 0; k < n * p.k; k++)
        p.z[k] = x[k] - r->origin[k % p.k];
    regress_design design = {.n = n, .columns = p.k, .z = p.z};
    regress_model m = regress_model_of(source, NULL, &design, p.k, NULL, timed, slopes > 0, 1);
    fill_state(&p, &m, state);
    mst_status status = m.model.ops->predict(&m.model, state, 0, 0, n, p.y, p.t);
    if (status == MST_OK)
        status = find_spread(&p, &m, state);
    if (status == MST_OK)
        status = fill_outputs(&p, timed, out);
    mst_release(p.z);
    return status;
}
