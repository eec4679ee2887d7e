/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

#include "base/linalg.h"
#include "base/options.h"
#include "base/spectrum.h"

#include <float.h>
#include <manistat/covariance.h>
#include <math.h>
#include <string.h>

mst_covariance_options mst_covariance_options_default(void)
{
    return (mst_covariance_options){
        .size = sizeof(mst_covariance_options), .centre = true, .unbiased = true};
}

/* ---- The signals ---- */

static bool is_constant(size_t samples, const double *x)
{
    for (size_t t = 1; t < samples; t++)
        if (x[t] != x[0])
            return false;
    return true;
}

/* Twice, because the first mean is off by rounding of the size of the signal, which may be an offset. */
static double mean_of(size_t samples, const double *x)
{
    double mean = 0;
    for (int pass = 0; pass < 2; pass++) {
        double sum = 0;
        for (size_t t = 0; t < samples; t++)
            sum += (x[t] - mean) / (double)samples;
        mean += sum;
    }
    return mean;
}

/* The signals about their means in units of 2^*exponent, sample by sample, y (samples, channels). */
static mst_status prepare(size_t channels, size_t samples, const double *x, bool centre, double *y,
                          int *exponent)
{
    double largest = 0;
    for (size_t c = 0; c < channels; c++) {
        const double *signal = x + c * samples;
        if (!mst_all_finite(samples, signal))
            return mst_fail(MST_DOMAIN, "channel %zu has a number that is not finite", c + 1);
        double mean = centre ? mean_of(samples, signal) : 0;
        bool zero = centre && is_constant(samples, signal);
        for (size_t t = 0; t < samples; t++) {
            double d = zero ? 0 : signal[t] - mean;
            y[t * channels + c] = d;
            largest = fmax(largest, fabs(d));
        }
    }
    if (!isfinite(largest))
        return mst_fail(MST_BREAKDOWN, "the signals are too large; scale them down");
    (void)frexp(largest, exponent);
    /* In two steps: the factor itself may be out of range. */
    double half = ldexp(1, -*exponent / 2), rest = ldexp(1, -*exponent - -*exponent / 2);
    for (size_t k = 0; k < channels * samples; k++)
        y[k] = y[k] * half * rest;
    return MST_OK;
}

/* ---- S ---- */

/* Σ y yᵀ, four samples at a time; along a row of s the sums do not depend on each other. */
static void add_products(size_t p, size_t samples, const double *y, double *s)
{
    memset(s, 0, p * p * sizeof *s);
    size_t t = 0;
    for (; t + 4 <= samples; t += 4) {
        const double *a = y + t * p, *b = a + p, *c = b + p, *d = c + p;
        for (size_t i = 0; i < p; i++) {
            double *row = s + i * p, ai = a[i], bi = b[i], ci = c[i], di = d[i];
            for (size_t j = i; j < p; j++)
                row[j] += (ai * a[j] + bi * b[j]) + (ci * c[j] + di * d[j]);
        }
    }
    for (; t < samples; t++)
        for (size_t i = 0; i < p; i++)
            for (size_t j = i; j < p; j++)
                s[i * p + j] += y[t * p + i] * y[t * p + j];
}

static void finish_products(size_t p, double divisor, double *s)
{
    for (size_t i = 0; i < p; i++)
        for (size_t j = i; j < p; j++)
            s[i * p + j] = s[j * p + i] = s[i * p + j] / divisor;
}

/* Back to the unit of the signals. */
static mst_status rescale(size_t p, int exponent, double *s)
{
    for (size_t k = 0; k < p * p; k++) {
        double before = s[k];
        s[k] = ldexp(before, 2 * exponent);
        bool lost = k % (p + 1) == 0 && before > 0 && !(s[k] >= DBL_MIN);
        if (lost || !isfinite(s[k]))
            return mst_fail(MST_BREAKDOWN,
                            "channel %zu is too %s: squares leave the range of double; scale it",
                            k / p + 1, lost ? "small" : "large");
    }
    return MST_OK;
}

/* ---- The intensity ---- */

static double ledoit_wolf(size_t p, size_t samples, const double *y, double divisor,
                          const double *s)
{
    double fourth = 0, squares = 0, trace = 0, away = 0;
    for (size_t t = 0; t < samples; t++) {
        double norm = 0;
        for (size_t c = 0; c < p; c++)
            norm += y[t * p + c] * y[t * p + c];
        fourth += norm * norm;
    }
    for (size_t i = 0; i < p; i++)
        trace += s[i * (p + 1)];
    for (size_t k = 0; k < p * p; k++) {
        double d = s[k] - (k % (p + 1) == 0 ? trace / (double)p : 0);
        squares += s[k] * s[k];
        away += d * d;
    }
    double error = (fourth / divisor - squares) / divisor;
    if (!(away > 0))
        return trace > 0 ? 1 : 0; /* it is a multiple of the identity already */
    return fmin(fmax(error, 0) / away, 1);
}

/* ---- What may be wrong with it ---- */

static void find_twins(size_t p, const double *s, size_t samples, const double *x, size_t *twin)
{
    const double same = 1 - 1e-12;
    for (size_t i = 0; i < p; i++) {
        twin[i] = is_constant(samples, x + i * samples) ? SIZE_MAX : i;
        for (size_t j = 0; j < i && twin[i] == i; j++)
            if (twin[j] == j &&
                fabs(s[i * p + j]) >= same * sqrt(s[i * (p + 1)]) * sqrt(s[j * (p + 1)]))
                twin[i] = j;
    }
}

static mst_status examine(size_t p, const double *s, mst_covariance_info *info)
{
    double *work, sum = 0, sizes = 0;
    info->rank = p;
    info->sums_to_zero = false;
    MST_TRY(mst_allocate(&work, p * p));
    bool suspect = mst_spectrum_suspect(p, s, work);
    mst_release(work);
    if (!suspect)
        return MST_OK;
    mst_spectrum spectrum;
    MST_TRY(mst_spectrum_of(p, s, &spectrum));
    info->rank = spectrum.rank;
    for (size_t k = 0; k < p * p; k++) {
        sum += s[k];
        sizes += fabs(s[k]);
    }
    info->sums_to_zero = spectrum.rank < p && p > 2 && sizes > 0 && fabs(sum) <= 1e-9 * sizes;
    return MST_OK;
}

static mst_status check(size_t channels, size_t samples, const mst_covariance_options *o)
{
    if (channels == 0 || samples == 0)
        return mst_fail(MST_ARGUMENT, "no %s", channels == 0 ? "channels" : "samples");
    if (samples == 1 && o->centre)
        return mst_fail(MST_ARGUMENT, "one sample does not vary about its mean; take more of them");
    if (o->shrink == MST_SHRINK_VALUE && !(o->intensity >= 0 && o->intensity <= 1))
        return mst_fail(MST_ARGUMENT, "the `intensity` %g of `shrink` is not between 0 and 1",
                        o->intensity);
    return MST_OK;
}

mst_status mst_covariance(size_t channels, size_t samples, const double *x,
                          const mst_covariance_options *options, double *s,
                          mst_covariance_info *info, size_t *twin)
{
    mst_covariance_options o;
    mst_covariance_info found = {0};
    double *work, *y;
    size_t *twins = NULL;
    int exponent;
    MST_TRY(MST_TAKE_OPTIONS(&o, mst_covariance_options, options));
    MST_TRY(check(channels, samples, &o));
    found.divisor = o.centre && o.unbiased ? samples - 1 : samples;
    double divisor = (double)found.divisor;
    MST_TRY(mst_allocate(&work, channels * channels + channels * samples));
    y = work + channels * channels;
    mst_status status = prepare(channels, samples, x, o.centre, y, &exponent);
    if (status == MST_OK) {
        add_products(channels, samples, y, work);
        finish_products(channels, divisor, work);
        if (o.shrink == MST_SHRINK_VALUE)
            found.intensity = o.intensity;
        else if (o.shrink == MST_SHRINK_OAS)
            found.intensity = mst_shrink_oas(channels, work, divisor);
        else if (o.shrink == MST_SHRINK_LEDOIT_WOLF)
            found.intensity = ledoit_wolf(channels, samples, y, divisor, work);
        status = examine(channels, work, &found);
    }
    if (status == MST_OK)
        status = mst_allocate(&twins, channels);
    if (status == MST_OK) {
        find_twins(channels, work, samples, x, twins);
        mst_shrink_matrix(channels, found.intensity, work);
        status = rescale(channels, exponent, work);
    }
    if (status == MST_OK) {
        memcpy(s, work, channels * channels * sizeof *s);
        if (twin != NULL)
            memcpy(twin, twins, channels * sizeof *twin);
        if (info != NULL)
            *info = found;
    }
    mst_release(twins);
    mst_release(work);
    return status;
}
