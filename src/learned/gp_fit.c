/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Hyper-parameters by marginal likelihood. With R = QᵀΛQ the likelihood of all noises and variances at one
 * length scale is a sum over eigenvalues, and the best variance is a quotient: one decomposition for each
 * length scale. There are several local optima, so a grid comes first. */
#include "learned/gp.h"

#include "base/linalg.h"

#include <math.h>
#include <string.h>

typedef struct fitting {
    const gp_data *g;
    gp_numbers given;   /* NAN: free */
    double *square;     /* (n, n), distances² of latent points */
    double *gram;       /* (n, n), products of rows of data; used where D > n */
    double *centred;    /* (n, D) */
    double *r, *values; /* (n, n), (n) */
    double *share;      /* (n): squares of the data along the eigenvectors */
    double *room;       /* (n + D), here lest a length scale is passed over for want of memory */
    mst_dense dense;
    double best;
    gp_numbers at;
} fitting;

static void fitting_free(fitting *f)
{
    mst_release(f->square);
    mst_release(f->gram);
    mst_release(f->centred);
    mst_release(f->r);
    mst_release(f->values);
    mst_release(f->share);
    mst_release(f->room);
    mst_dense_release(&f->dense);
}

static mst_status fitting_new(fitting *f, const gp_data *g, bool centre, const gp_numbers *given)
{
    size_t n = g->n, D = g->D;
    double *mean;
    *f = (fitting){.g = g, .given = *given, .best = -INFINITY};
    MST_TRY(mst_allocate(&f->square, n * n));
    MST_TRY(mst_allocate(&f->centred, n * D));
    MST_TRY(mst_allocate(&f->r, n * n));
    MST_TRY(mst_allocate(&f->values, n));
    MST_TRY(mst_allocate(&f->share, n));
    MST_TRY(mst_allocate(&f->room, n + D));
    MST_TRY(mst_dense_new(&f->dense, n));
    MST_TRY(mst_allocate(&mean, D));
    gp_mean(g, centre, mean);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < D; j++)
            f->centred[i * D + j] = g->data[i * D + j] - mean[j];
    mst_release(mean);
    gp_distances(n, g->d, g->latent, f->square);
    if (D <= n)
        return MST_OK;
    MST_TRY(mst_allocate(&f->gram, n * n));
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j <= i; j++)
            f->gram[i * n + j] = f->gram[j * n + i] =
                learned_dot(D, f->centred + i * D, f->centred + j * D);
    return MST_OK;
}

/* |Yᵀq|² for the eigenvector q. */
static double share_of(const fitting *f, const double *q, double *room)
{
    size_t n = f->g->n, m = f->gram != NULL ? n : f->g->D;
    const double *from = f->gram != NULL ? f->gram : f->centred;
    memset(room, 0, m * sizeof *room);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < m; j++)
            room[j] += q[i] * from[i * m + j];
    return f->gram != NULL ? learned_dot(n, room, q) : learned_dot(m, room, room);
}

/* The log likelihood at this noise, with the best variance unless it is given. */
static double likelihood(const fitting *f, double noise, double *variance)
{
    size_t n = f->g->n;
    double D = (double)f->g->D, all = (double)n * D, fit = 0, log_det = 0;
    double top = fmax(f->values[n - 1], 0) + noise, bottom = fmax(f->values[0], 0) + noise;
    if (!(2 * top <= GP_MOST_CONDITION * bottom))
        return -INFINITY;
    for (size_t i = 0; i < n; i++) {
        double value = fmax(f->values[i], 0) + noise;
        fit += fmax(f->share[i], 0) / value;
        log_det += log(value);
    }
    *variance = isnan(f->given.variance) ? fit / all : f->given.variance;
    if (!(*variance > 0))
        return -INFINITY;
    return -0.5 * (all * log(2 * M_PI * *variance) + D * log_det + fit / *variance);
}

/* The middle of (low, high) where the likelihood along the logarithm is highest. */
typedef double likelihood_at(fitting *f, double log_x);

static double golden(fitting *f, likelihood_at *at, double low, double high, int rounds)
{
    const double ratio = 0.61803398874989485;
    double a = high - ratio * (high - low), b = low + ratio * (high - low);
    double fa = at(f, a), fb = at(f, b);
    for (int round = 0; round < rounds; round++) {
        if (fa >= fb) {
            high = b;
            b = a;
            fb = fa;
            a = high - ratio * (high - low);
            fa = at(f, a);
        } else {
            low = a;
            a = b;
            fa = fb;
            b = low + ratio * (high - low);
            fb = at(f, b);
        }
    }
    return fmax(fa, fb);
}

/* Keeps the best of all. */
static double try_noise(fitting *f, double log_noise)
{
    double noise = isnan(f->given.noise) ? exp(log_noise) : f->given.noise, variance;
    double value = likelihood(f, noise, &variance);
    if (value > f->best) {
        f->best = value;
        f->at.noise = noise;
        f->at.variance = variance;
    }
    return value;
}

/* The best of all noises at one length scale; -INFINITY, too, where the decomposition fails. */
static double try_length(fitting *f, double log_length)
{
    enum { STEPS = 52 };
    size_t n = f->g->n;
    double length = exp(log_length), before = f->best, scale = 0.5 / (length * length);
    double lowest = log(1e-12), step = log(1e13) / STEPS, best = -INFINITY;
    for (size_t i = 0; i < n * n; i++)
        f->r[i] = exp(-scale * f->square[i]);
    if (mst_dense_eigen(&f->dense, f->r, f->values, f->r) != MST_OK)
        return -INFINITY;
    for (size_t i = 0; i < n; i++)
        f->share[i] = share_of(f, f->r + i * n, f->room);
    if (!isnan(f->given.noise)) {
        best = try_noise(f, 0);
    } else {
        int place = 0;
        for (int k = 0; k <= STEPS; k++) {
            double value = try_noise(f, lowest + k * step);
            if (value > best) {
                best = value;
                place = k;
            }
        }
        double middle = lowest + place * step;
        best = fmax(best, golden(f, try_noise, middle - step, middle + step, 30));
    }
    if (f->best > before)
        f->at.length_scale = length;
    return best;
}

/* From the nearest points to the whole extent. */
static void length_range(const fitting *f, double *low, double *high)
{
    size_t n = f->g->n;
    double least = INFINITY, most = 0;
    for (size_t i = 0; i < n; i++) {
        double near = INFINITY;
        for (size_t j = 0; j < n; j++)
            if (j != i && f->square[i * n + j] > 0)
                near = fmin(near, f->square[i * n + j]);
        for (size_t j = 0; j < n; j++)
            most = fmax(most, f->square[i * n + j]);
        if (near > 1e-12 * most)
            least = fmin(least, near);
    }
    least = fmax(least, 1e-8 * most);
    *low = 0.5 * log(least) - log(2);
    *high = 0.5 * log(most) + log(2);
}

static mst_status search(fitting *f)
{
    enum { STEPS = 24 };
    if (!isnan(f->given.length_scale)) {
        try_length(f, log(f->given.length_scale));
        f->at.length_scale = f->given.length_scale;
    } else {
        double low, high, best = -INFINITY;
        length_range(f, &low, &high);
        if (!(high > low))
            return mst_fail(MST_DOMAIN, "all latent points are one; a map has nothing to go by");
        int place = 0;
        double step = (high - low) / STEPS;
        for (int k = 0; k <= STEPS; k++) {
            double value = try_length(f, low + k * step);
            if (value > best) {
                best = value;
                place = k;
            }
        }
        double middle = low + place * step;
        golden(f, try_length, middle - step, middle + step, 16);
    }
    return MST_OK;
}

mst_status gp_fit(const gp_data *g, bool centre, gp_numbers *numbers)
{
    fitting f;
    if (!isnan(numbers->variance) && !isnan(numbers->length_scale) && !isnan(numbers->noise))
        return MST_OK;
    mst_status status = fitting_new(&f, g, centre, numbers);
    if (status == MST_OK)
        status = search(&f);
    if (status == MST_OK && f.best == -INFINITY) {
        size_t rows[2];
        if (gp_coincident(g, rows) && !isnan(numbers->noise))
            status = mst_fail(MST_DOMAIN,
                              "latent points %zu and %zu coincide, and `noise` %g is too small for "
                              "that",
                              rows[0] + 1, rows[1] + 1, numbers->noise);
        else
            status = mst_fail(MST_DOMAIN,
                              "with `noise` %g and `length_scale` %g the matrix of kernels is "
                              "singular to rounding; a larger noise or a smaller length helps",
                              numbers->noise, numbers->length_scale);
    }
    if (status == MST_OK)
        *numbers = f.at;
    fitting_free(&f);
    return status;
}
