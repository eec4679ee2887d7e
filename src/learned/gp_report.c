/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* What a Gaussian process says of points: data, uncertainty, and how its metric is made up. */
#include "base/linalg.h"
#include "learned/gp.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- Decoding ---- */

/* r (n): the kernels of one point. */
static void kernels_at(const gp *g, const double *x, double *r)
{
    size_t n = g->base.n;
    for (size_t i = 0; i < n; i++) {
        double square = 0;
        for (size_t a = 0; a < g->base.d; a++)
            square += (x[a] - g->z[a * n + i]) * (x[a] - g->z[a * n + i]);
        r[i] = exp(-0.5 * g->field.scale * square);
    }
}

/* The variance that the data leave, as a share of that before them. */
static double share_left(const gp *g, const double *r)
{
    size_t n = g->base.n;
    double known = 0;
    for (size_t i = 0; i < n; i++) {
        double row = 0;
        for (size_t j = 0; j < n; j++)
            row += g->inverse[i * n + j] * r[j];
        known += r[i] * row;
    }
    return fmin(fmax(1 - known, 0), 1);
}

static void mean_at(const gp *g, const double *r, double *mean)
{
    size_t n = g->base.n, D = g->base.D;
    memcpy(mean, g->mean, D * sizeof *mean);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < D; j++)
            mean[j] += r[i] * g->alpha[i * D + j];
}

mst_status gp_decode(const learned *l, size_t n, const double *x, double *mean, double *sd)
{
    const gp *g = (const gp *)l;
    double *r;
    MST_TRY(mst_allocate(&r, l->n));
    for (size_t i = 0; i < n; i++) {
        kernels_at(g, x + i * l->d, r);
        if (mean != NULL)
            mean_at(g, r, mean + i * l->D);
        double spread = sd != NULL ? sqrt(g->variance * share_left(g, r)) : 0;
        for (size_t j = 0; sd != NULL && j < l->D; j++)
            sd[i * l->D + j] = spread;
    }
    mst_release(r);
    return MST_OK;
}

/* ---- The metric along the data ---- */

mst_status gp_parts(const gp *g, const double *x, const double *v, double *mean, double *variance)
{
    size_t n = g->base.n, D = g->base.D;
    double *r, *row, scale = g->field.scale, quadratic = 0, size = 0;
    MST_TRY(mst_allocate(&r, n + D));
    row = r + n;
    kernels_at(g, x, r);
    memset(row, 0, D * sizeof *row);
    for (size_t i = 0; i < n; i++) {
        double e = 0;
        for (size_t a = 0; a < g->base.d; a++)
            e += v[a] * (x[a] - g->z[a * n + i]) * scale;
        r[i] *= -e;
        for (size_t j = 0; j < D; j++)
            row[j] += r[i] * g->alpha[i * D + j];
    }
    *mean = 0;
    for (size_t j = 0; j < D; j++)
        *mean += row[j] * row[j];
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            quadratic += r[i] * g->inverse[i * n + j] * r[j];
    for (size_t a = 0; a < g->base.d; a++)
        size += v[a] * v[a];
    *variance = g->uncertainty * (double)D * g->variance * fmax(size * scale - quadratic, 0);
    mst_release(r);
    return MST_OK;
}

/* The unit vector in which the nearest points lie: the first principal axis of the differences. */
static mst_status direction(const gp *g, size_t row, double *v, double *room)
{
    enum { NEAR = 4 };
    size_t d = g->base.d, near[NEAR];
    const double *latent = g->base.latent, *x = latent + row * d;
    double *values = room, *matrix = room + d, *gap = v;
    size_t found = learned_nearest(d, g->base.n, latent, x, NEAR, near);
    memset(matrix, 0, d * d * sizeof *matrix);
    for (size_t q = 0; q < found; q++) {
        for (size_t a = 0; a < d; a++)
            gap[a] = latent[near[q] * d + a] - x[a];
        double square = learned_dot(d, gap, gap);
        for (size_t a = 0; a < d; a++)
            for (size_t b = 0; b < d; b++)
                matrix[a * d + b] += gap[a] * gap[b] / square;
    }
    MST_TRY(mst_eigen_symmetric(1, d, matrix, values, matrix, NULL));
    memcpy(v, matrix + (d - 1) * d, d * sizeof *v);
    return MST_OK;
}

mst_status gp_along(const gp *g, size_t looks, double *mean, double *variance)
{
    size_t d = g->base.d, n = g->base.n, count = n < looks ? n : looks;
    double *room, of_mean, of_variance;
    MST_TRY(mst_allocate(&room, d * d + 2 * d));
    double *v = room + d * d + d;
    mst_status status = MST_OK;
    *mean = *variance = 0;
    for (size_t i = 0; status == MST_OK && i < count; i++) {
        size_t row = i * n / count;
        status = direction(g, row, v, room);
        if (status == MST_OK)
            status = gp_parts(g, g->base.latent + row * d, v, &of_mean, &of_variance);
        if (status == MST_OK) {
            *mean += of_mean / (double)count;
            *variance += of_variance / (double)count;
        }
    }
    mst_release(room);
    return status;
}

/* Up to this many latent points are measured. */
enum { LOOKS = 200 };

/* Gauss's, from Ric v = K v, whatever v is. */
static mst_status mean_curvature(const mst_manifold *m, const gp *g, double *out)
{
    size_t n = g->base.n, count = n < LOOKS ? n : LOOKS;
    double room[6], v[2], w[2];
    *out = 0;
    for (size_t i = 0; i < count; i++) {
        size_t row = i * n / count;
        MST_TRY(direction(g, row, v, room));
        MST_TRY(mst_manifold_ricci(m, 1, g->base.latent + row * 2, v, w));
        *out += (v[0] * w[0] + v[1] * w[1]) / (double)count;
    }
    return MST_OK;
}

static mst_status measure_along(const mst_manifold *m, const gp *g, mst_learned_info *info)
{
    MST_TRY(gp_along(g, LOOKS, &info->along_mean, &info->along_variance));
    info->along = info->along_mean + info->along_variance;
    info->ratio = info->far / info->along;
    info->curvature = NAN;
    return g->base.d == 2 ? mean_curvature(m, g, &info->curvature) : MST_OK;
}

mst_status gp_describe(const mst_manifold *m, mst_learned_info *info)
{
    const gp *g = mst_manifold_data(m);
    info->variance = g->variance;
    info->length_scale = g->length_scale;
    info->noise = g->noise;
    info->uncertainty = g->uncertainty;
    info->centred = g->centred;
    info->log_likelihood = g->log_likelihood;
    info->condition = g->condition;
    info->far = g->field.far;
    info->tube = g->length_scale * sqrt(g->field.far);
    info->low = info->high = g->data[0];
    for (size_t i = 0; i < g->base.n * g->base.D; i++) {
        info->low = fmin(info->low, g->data[i]);
        info->high = fmax(info->high, g->data[i]);
    }
    return measure_along(m, g, info);
}

/* ---- Remarks ---- */

/* How far the decoded point stands out from the mean of the processes, against the data. */
static mst_status brightness_at(const gp *g, const double *r, double *out)
{
    size_t n = g->base.n, D = g->base.D;
    double *row, own = 0, all = 0;
    MST_TRY(mst_allocate(&row, D));
    mean_at(g, r, row);
    for (size_t j = 0; j < D; j++)
        own += (row[j] - g->mean[j]) * (row[j] - g->mean[j]);
    for (size_t i = 0; i < n; i++) {
        double size = 0;
        for (size_t j = 0; j < D; j++)
            size += (g->data[i * D + j] - g->mean[j]) * (g->data[i * D + j] - g->mean[j]);
        all += sqrt(size) / (double)n;
    }
    mst_release(row);
    *out = sqrt(own) / all;
    return MST_OK;
}

size_t gp_remarks(const mst_manifold *m, const double *x, double t, size_t most, mst_remark *out)
{
    /* A point counts as one of the data while three quarters of the variance are explained. */
    const double share_limit = 0.25, brightness_limit = 0.8;
    const gp *g = mst_manifold_data(m);
    double *r, bright, tube = g->length_scale * sqrt(g->field.far);
    size_t count = 0;
    if (mst_allocate(&r, g->base.n) != MST_OK)
        return 0;
    kernels_at(g, x, r);
    double share = share_left(g, r);
    bool known = brightness_at(g, r, &bright) == MST_OK;
    mst_release(r);
    if (known && count < most && (share > share_limit || bright < brightness_limit)) {
        snprintf(out[count].word, sizeof out->word, "left-the-data");
        snprintf(out[count].text, sizeof out->text,
                 "the mean has left the data: decoded it has %.0f %% of their brightness, and %.0f "
                 "%% of the variance is unexplained there; take the Frechet mean, a smaller fixed "
                 "time, a larger length scale with more noise, or more weight for the variance "
                 "(FILE.gp?uncertainty=16)",
                 100 * bright, 100 * share);
        count++;
    }
    if (sqrt(t) > tube && count < most) { /* not of a time that is NAN */
        snprintf(out[count].word, sizeof out->word, "beyond-the-tube");
        snprintf(out[count].text, sizeof out->text,
                 "a time of %.4g spreads by %.3g, but the data lie in a tube that is %.3g wide: "
                 "Brownian motion leaves it",
                 t, sqrt(t), tube);
        count++;
    }
    return count;
}
