/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Is the noise what the model says? The probability integral transform of the distance between a point and
 * its prediction is uniform on (0, 1) if it is. */
#include "heat/radial_law.h"
#include "stat/distributions.h"
#include "stat/regress_parts.h"

#include <manistat/brownian.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { DRAWS = 199 };
static const uint64_t draws_stream = UINT64_C(0x7069740000);

mst_status mst_regress_radius(const mst_manifold *m, double t, double probability, double *radius)
{
    radial_law law;
    if (!(t > 0) || !(probability > 0 && probability < 1))
        return mst_fail(MST_ARGUMENT,
                        "a radius needs a positive time and a probability, not %g and %g", t,
                        probability);
    *radius = sqrt(t * mst_chi_square_quantile(probability, (double)mst_manifold_dim(m)));
    if (!radial_law_fits(m))
        return MST_OK;
    MST_TRY(radial_law_new(&law, m, t));
    *radius = radial_law_quantile(&law, probability);
    radial_law_release(&law);
    return MST_OK;
}

/* P(distance ≤ r), by the cubic that has the law's values and slopes at the nodes. */
static double law_cdf(const radial_law *law, double r)
{
    double at = r / law->width;
    if (at >= (double)law->intervals)
        return 1;
    size_t k = (size_t)at;
    double s = at - (double)k, a = law->cdf[k], b = law->cdf[k + 1];
    double da = law->density[k] * law->width, db = law->density[k + 1] * law->width;
    double value = (1 + 2 * s) * (1 - s) * (1 - s) * a + s * (1 - s) * (1 - s) * da +
                   s * s * (3 - 2 * s) * b - s * s * (1 - s) * db;
    return fmin(1, fmax(0, value));
}

/* Rows whose law is tabulated; one table for all rows of one time. */
static mst_status transform_by_law(const mst_manifold *m, size_t n, const double *dist,
                                   const double *t, double *pit)
{
    radial_law law = {0};
    double last = NAN;
    mst_status status = MST_OK;
    for (size_t i = 0; status == MST_OK && i < n; i++) {
        if (!(t[i] == last)) {
            radial_law_release(&law);
            law = (radial_law){0};
            status = radial_law_new(&law, m, t[i]);
            last = t[i];
        }
        if (status == MST_OK)
            pit[i] = law_cdf(&law, dist[i]);
    }
    radial_law_release(&law);
    return status;
}

/* By the rank among draws of Brownian motion from the same point; ties by chance do not happen. */
static mst_status transform_by_draws(const mst_manifold *m, size_t n, const double *fitted,
                                     const double *dist, const double *t, uint64_t seed,
                                     double *pit)
{
    size_t D = mst_manifold_ambient(m);
    double *x;
    MST_TRY(mst_allocate(&x, DRAWS * (2 * D + 1)));
    double *base = x + DRAWS * D, *r = base + DRAWS * D;
    mst_brownian_options o = mst_brownian_options_default();
    o.method = mst_brownian_has_exact(m) ? MST_BROWNIAN_EXACT : MST_BROWNIAN_TANGENT;
    o.steps = 10;
    o.seed = seed;
    mst_status status = MST_OK;
    for (size_t i = 0; status == MST_OK && i < n; i++) {
        size_t below = 0;
        for (size_t k = 0; k < DRAWS; k++)
            memcpy(base + k * D, fitted + i * D, D * sizeof *base);
        o.first_path = draws_stream + i * DRAWS;
        status = mst_brownian_endpoints(m, DRAWS, base, t[i], &o, x);
        if (status == MST_OK)
            status = mst_manifold_dist(m, DRAWS, base, x, r);
        for (size_t k = 0; k < DRAWS; k++)
            below += r[k] < dist[i];
        pit[i] = ((double)below + 0.5) / (DRAWS + 1);
    }
    mst_release(x);
    return status;
}

/* ---- Kolmogorov and Smirnov ---- */

static int by_value(const void *a, const void *b)
{
    double one = *(const double *)a, two = *(const double *)b;
    return (one > two) - (one < two);
}

static double farthest(size_t n, double *u)
{
    double most = 0;
    qsort(u, n, sizeof *u, by_value);
    for (size_t i = 0; i < n; i++)
        most = fmax(most, fmax((double)(i + 1) / (double)n - u[i], u[i] - (double)i / (double)n));
    return most;
}

/* Kolmogorov's law with Stephens' correction for n. */
static double kolmogorov_tail(size_t n, double most)
{
    double root = sqrt((double)n), x = (root + 0.12 + 0.11 / root) * most, sum = 0;
    if (x < 0.2)
        return 1;
    for (size_t k = 1; k <= 100; k++)
        sum += (k % 2 == 1 ? 2 : -2) * exp(-2 * (double)(k * k) * x * x);
    return fmin(1, fmax(0, sum));
}

/* Where the noise was fitted to the same rows the distance is smaller: how small, simulated residuals of a
 * flat space tell, whose scale is fitted as well. */
static mst_status fitted_tail(size_t n, size_t d, double most, size_t resamples, uint64_t seed,
                              double *tail)
{
    double *z, *u;
    size_t above = 1;
    MST_TRY(mst_allocate(&z, n * d + n));
    u = z + n * d;
    for (size_t b = 0; b < resamples; b++) {
        double total = 0;
        mst_random_normals((mst_random){seed, draws_stream + 1 + b}, 0, n * d, z);
        for (size_t i = 0; i < n; i++) {
            u[i] = 0;
            for (size_t a = 0; a < d; a++)
                u[i] += z[i * d + a] * z[i * d + a];
            total += u[i];
        }
        for (size_t i = 0; i < n; i++)
            u[i] = mst_chi_square_cdf(u[i] * (double)(n * d) / total, (double)d);
        above += farthest(n, u) >= most;
    }
    *tail = (double)above / (double)(resamples + 1);
    mst_release(z);
    return MST_OK;
}

mst_status mst_regress_calibrate(mst_calibration *out, const mst_manifold *m, size_t n,
                                 const double *y, const double *fitted, const double *noise,
                                 bool same_rows, uint64_t seed, double *pit)
{
    double *dist;
    if (n < 2)
        return mst_fail(MST_ARGUMENT, "calibration needs at least 2 rows, not %zu", n);
    for (size_t i = 0; i < n; i++)
        if (!(noise[i] > 0) || !isfinite(noise[i]))
            return mst_fail(MST_ARGUMENT, "row %zu: %g is no noise", i + 1, noise[i]);
    MST_TRY(mst_allocate(&dist, 2 * n));
    double *u = dist + n, d = (double)mst_manifold_dim(m);
    mst_status status = mst_manifold_dist(m, n, fitted, y, dist);
    if (status == MST_OK && mst_manifold_traits_of(m)->unrolls)
        for (size_t i = 0; i < n; i++)
            u[i] = mst_chi_square_cdf(dist[i] * dist[i] / noise[i], d);
    else if (status == MST_OK)
        status = radial_law_fits(m) ? transform_by_law(m, n, dist, noise, u)
                                    : transform_by_draws(m, n, fitted, dist, noise, seed, u);
    if (status == MST_OK && pit != NULL)
        memcpy(pit, u, n * sizeof *u);
    if (status == MST_OK) {
        out->mean = 0;
        for (size_t i = 0; i < n; i++)
            out->mean += u[i] / (double)n;
        out->statistic = farthest(n, u);
        out->p_value = kolmogorov_tail(n, out->statistic);
        if (same_rows)
            status = fitted_tail(n, mst_manifold_dim(m), out->statistic, 999, seed, &out->p_value);
    }
    mst_release(dist);
    return status;
}
