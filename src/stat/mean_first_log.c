/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* The Fréchet mean, roughly, as the start of a dearer climb: μ ← Exp_μ of the mean of Log_μ(x_i). */
#include "geodesic/own.h"
#include "manifold/internal.h"
#include "stat/mean_search.h"

#include <manistat/geodesic.h>
#include <math.h>
#include <string.h>

/* More rows than twice this: a part of them leads to the neighbourhood first. */
enum { MOST_ROUNDS = 30, FEW_ROWS = 128 };
/* So many where rows have no geodesic: looking takes long, and rows that come and go move the mean. */
enum { FEW_ROUNDS = 5 };
/* Roughly, these are enough: the mean is then off by a fifth of the scatter. */
enum { ROUGH_ROWS = 24 };

mst_status mean_measure(const mst_manifold *m, size_t n, const double *x, const double *y,
                        double tolerance, int threads, mst_geodesics *kept, double *log,
                        double *length)
{
    double *from;
    mst_geodesic_options o = mst_geodesic_options_default();
    o.tolerance = tolerance;
    o.threads = threads;
    o.warm = kept;
    MST_TRY(mst_allocate(&from, n * m->ambient));
    mst_repeat_point(n, m->ambient, y, from);
    mst_status status = mst_geodesic_solve(m, n, from, x, &o,
                                           &(mst_geodesic_output){.log_x = log, .length = length});
    mst_release(from);
    return status;
}

/* Of more rows than this share no geodesic is found in haste: a climb would search for minutes, and its
 * end would be refused (mst_mean_examine). */
static const double most_failed = 0.05;

static size_t count_failed(size_t n, const double *length)
{
    size_t failed = 0;
    for (size_t i = 0; i < n; i++)
        failed += isnan(length[i]) ? 1 : 0;
    return failed;
}

static mst_status check_found(const mst_manifold *m, const fit_rows *rows, size_t failed,
                              mean_near *near)
{
    near->lost = m->own != NULL && (double)failed > most_failed * (double)rows->n;
    if (!near->lost)
        return MST_OK;
    return mst_fail(
        MST_UNABLE,
        "no geodesics were found to %zu of %zu rows from their mean coordinates, so that they have "
        "no mean that could be believed; %s",
        failed, rows->n, m->own->advice);
}

/* v: the mean Log at near->at over the rows that have one; the part of the standard error that it is. */
static mst_status mean_log(const mst_manifold *m, const fit_rows *rows, int threads,
                           mean_near *near, double *room, double *v, double *part)
{
    size_t D = m->ambient, n = rows->n;
    double *log = room, *length = log + n * D, total = 0, square = 0, size;
    MST_TRY(mean_measure(m, n, rows->x, near->at, 1e-4, threads, near->kept, log, length));
    memset(v, 0, D * sizeof *v);
    for (size_t i = 0; i < n; i++) {
        double w = rows->weights != NULL ? rows->weights[i] : 1;
        if (isnan(length[i]) || w == 0)
            continue;
        total += w;
        square += w * length[i] * length[i];
        for (size_t k = 0; k < D; k++)
            v[k] += w * log[i * D + k];
    }
    for (size_t k = 0; k < D; k++)
        v[k] /= total;
    near->square = square / total;
    MST_TRY(mst_manifold_norm(m, 1, near->at, v, &size));
    *part = size / sqrt(near->square / (double)n);
    return MST_OK;
}

static mst_status iterate(const mst_manifold *m, const fit_rows *rows, int threads, mean_near *near)
{
    size_t D = m->ambient, n = rows->n;
    double *room, part = INFINITY, before = INFINITY, rate = 1;
    mst_geodesics_free(near->kept);
    near->kept = NULL;
    MST_TRY(mst_geodesics_new(&near->kept, m, n));
    geodesics_hasten(near->kept);
    MST_TRY(mst_allocate_zero(&room, n * (D + 1) + 3 * D));
    double *v = room + n * (D + 1), *next = v + D, *last = next + D;
    mst_status status = MST_OK;
    for (int k = 0; status == MST_OK && k < MOST_ROUNDS && part > 0.1; k++) {
        status = mean_log(m, rows, threads, near, room, v, &part);
        size_t failed = count_failed(n, room + n * D);
        if (status == MST_OK && k == 0)
            status = check_found(m, rows, failed, near);
        if (status != MST_OK || !(part < 2 * before) || (failed > 0 && k >= FEW_ROUNDS))
            break;
        /* Where the curvature is strongly negative a whole step leads to the other side, and back. */
        double turn = 0;
        for (size_t e = 0; e < D; e++)
            turn += v[e] * last[e];
        rate = turn < 0 && part > 0.5 * before ? rate / 2 : rate;
        before = part;
        for (size_t e = 0; e < D; e++) {
            last[e] = v[e];
            v[e] *= rate;
        }
        status = mst_manifold_exp(m, 1, near->at, v, next);
        if (status == MST_OK)
            memcpy(near->at, next, D * sizeof *next);
    }
    mst_release(room);
    return status;
}

/* The same with `count` of the rows, evenly among them. */
static mst_status iterate_some(const mst_manifold *m, const fit_rows *rows, size_t count,
                               int threads, mean_near *near)
{
    size_t D = m->ambient;
    double *x;
    MST_TRY(mst_allocate(&x, count * (D + 1)));
    double *weights = x + count * D;
    for (size_t k = 0; k < count; k++) {
        size_t row = (2 * k + 1) * rows->n / (2 * count);
        memcpy(x + k * D, rows->x + row * D, D * sizeof *x);
        weights[k] = rows->weights != NULL ? rows->weights[row] : 1;
    }
    mst_status status =
        iterate(m, &(fit_rows){.n = count, .x = x, .weights = weights}, threads, near);
    mst_release(x);
    return status;
}

/* From the coordinates' mean; of many rows by way of some of them. */
static mst_status approach(const mst_manifold *m, const fit_rows *rows, bool roughly, int threads,
                           mean_near *near)
{
    size_t D = m->ambient, row;
    double total = 0;
    memset(near->at, 0, D * sizeof *near->at);
    for (size_t i = 0; i < rows->n; i++) {
        double w = rows->weights != NULL ? rows->weights[i] : 1;
        total += w;
        for (size_t k = 0; k < D; k++)
            near->at[k] += w * rows->x[i * D + k];
    }
    for (size_t k = 0; k < D; k++)
        near->at[k] /= total;
    MST_TRY(mst_manifold_validate(m, 1, near->at, &row));
    if (roughly)
        return iterate_some(m, rows, rows->n < ROUGH_ROWS ? rows->n : ROUGH_ROWS, threads, near);
    if (rows->n >= 2 * FEW_ROWS && rows->weights == NULL)
        MST_TRY(iterate_some(m, rows, FEW_ROWS, threads, near));
    return iterate(m, rows, threads, near);
}

mst_status mean_near_new(mean_near *near, const mst_manifold *m, const fit_rows *rows, bool roughly,
                         int threads)
{
    *near = (mean_near){0};
    MST_TRY(mst_allocate(&near->at, m->ambient));
    mst_status status = approach(m, rows, roughly, threads, near);
    near->found = status == MST_OK;
    if (roughly) { /* it is not of all rows */
        mst_geodesics_free(near->kept);
        near->kept = NULL;
    }
    /* Without it the climb begins where others do. */
    return status == MST_MEMORY || status == MST_INTERRUPTED ? status : MST_OK;
}

void mean_near_free(mean_near *near)
{
    mst_release(near->at);
    mst_geodesics_free(near->kept);
}
