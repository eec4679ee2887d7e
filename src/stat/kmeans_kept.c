/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Distances of rows from centres where each of them is a search for a geodesic, which begins with the one
 * that was found when the centre was elsewhere. */
#include "geodesic/log.h"
#include "geodesic/own.h"
#include "manifold/internal.h"
#include "stat/kmeans_parts.h"

#include <math.h>
#include <string.h>

/* No more numbers than this: a search takes a millisecond, and so many take minutes whatever is kept. */
enum { MOST_NUMBERS = 1 << 23 };

/* Of logarithms for a step that others follow. */
static const double step_tolerance = 1e-7;

mst_status kmeans_kept_new(kmeans_kept *kept, const mst_manifold *m, distance_function *distances,
                           size_t n, size_t k)
{
    *kept = (kmeans_kept){.n = n};
    if (distances != mst_dist_to || m->own == NULL || !mst_geodesic_is_searched(m))
        return MST_OK;
    kept->keep = m->own->keep(m);
    if (kept->keep == 0 || n > MOST_NUMBERS / kept->keep / k)
        return MST_OK;
    MST_TRY(mst_allocate(&kept->numbers, k * n * kept->keep));
    for (size_t i = 0; i < k * n * kept->keep; i++)
        kept->numbers[i] = NAN;
    return MST_OK;
}

void kmeans_kept_free(kmeans_kept *kept)
{
    mst_release(kept->numbers);
    *kept = (kmeans_kept){0};
}

kmeans_kept kmeans_kept_of(const kmeans_kept *kept, size_t c)
{
    kmeans_kept one = *kept;
    if (one.numbers != NULL)
        one.numbers += c * one.n * one.keep;
    return one;
}

static double *kept_row(const kmeans_kept *kept, size_t c, size_t row)
{
    return kept->numbers + (c * kept->n + row) * kept->keep;
}

mst_status kmeans_measure(const kmeans_assignment *a, size_t c, size_t at, size_t count,
                          const size_t *rows, const double *x, double *r)
{
    size_t D = mst_manifold_ambient(a->m), keep = a->kept.keep;
    const double *centre = a->centres + c * D;
    double *from;
    if (a->kept.numbers == NULL)
        return a->distances(a->m, count, x, centre, r);
    MST_TRY(mst_allocate(&from, count * (D + keep)));
    double *own = from + count * D;
    mst_repeat_point(count, D, centre, from);
    for (size_t i = 0; i < count; i++)
        memcpy(own + i * keep, kept_row(&a->kept, c, at + (rows != NULL ? rows[i] : i)),
               keep * sizeof *own);
    mst_status status =
        geodesic_own_again(a->m, count, from, x, kmeans_kept_tolerance, own, r, NULL);
    for (size_t i = 0; i < count; i++)
        memcpy(kept_row(&a->kept, c, at + (rows != NULL ? rows[i] : i)), own + i * keep,
               keep * sizeof *own);
    mst_release(from);
    return status;
}

static bool is_in(const kmeans_lloyd *l, size_t i, size_t c)
{
    return l->labels[i] == c && kmeans_weight(l, i) > 0;
}

void kmeans_kept_gather(const kmeans_lloyd *l, size_t c, double *numbers)
{
    size_t keep = l->kept.keep;
    for (size_t i = 0; i < l->n; i++)
        if (is_in(l, i, c)) {
            memcpy(numbers, kept_row(&l->kept, c, i), keep * sizeof *numbers);
            numbers += keep;
        }
}

static void put_back(kmeans_lloyd *l, size_t c, const double *numbers)
{
    size_t keep = l->kept.keep;
    for (size_t i = 0; i < l->n; i++)
        if (is_in(l, i, c)) {
            memcpy(kept_row(&l->kept, c, i), numbers, keep * sizeof *numbers);
            numbers += keep;
        }
}

/* The weighted mean of logarithms (count, D), into the first of them, and of squared lengths. */
static double average(const kmeans_lloyd *l, size_t c, double *log, const double *r)
{
    size_t first = l->first[c], count = l->first[c + 1] - first, D = l->D;
    double total = 0, square = 0;
    for (size_t i = 0; i < count; i++) {
        double w = l->weights[first + i], before = total;
        total += w;
        square += w * r[i] * r[i];
        for (size_t k = 0; k < D; k++)
            log[k] = (before * log[k] + w * log[i * D + k]) / total;
    }
    return square / total;
}

mst_status kmeans_kept_step(kmeans_lloyd *l, size_t c, double *part)
{
    size_t first = l->first[c], count = l->first[c + 1] - first, D = l->D;
    double *centre = l->centres + c * D, *from;
    MST_TRY(mst_allocate(&from, count * (2 * D + l->kept.keep + 1)));
    double *log = from + count * D, *r = log + count * D, *own = r + count;
    mst_repeat_point(count, D, centre, from);
    kmeans_kept_gather(l, c, own);
    mst_status status =
        geodesic_own_again(l->m, count, from, l->rows + first * D, step_tolerance, own, r, log);
    put_back(l, c, own);
    *part = INFINITY;
    double square = status == MST_OK ? average(l, c, log, r) : 0, length = 0;
    if (status == MST_OK)
        status = mst_manifold_norm(l->m, 1, centre, log, &length);
    if (status == MST_OK)
        status = mst_manifold_exp(l->m, 1, centre, log, from);
    if (status == MST_OK) {
        memcpy(centre, from, D * sizeof *centre);
        *part = length / sqrt(square);
    }
    mst_release(from);
    return distances_are_lost(status) ? MST_OK : status;
}
