/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Nearest centres by bounds. */
#include "manifold/internal.h"
#include "stat/kmeans_parts.h"

#include <manistat/geodesic.h>

#include <math.h>
#include <string.h>

enum { ROWS = 256, BLOCK = 16 * ROWS };

/* Distances are right to this, relative to what they are made of. */
static double rounding_of(const kmeans_assignment *a)
{
    return a->kept.numbers != NULL ? 10 * kmeans_kept_tolerance : 1e-9;
}

bool kmeans_can_bound(const mst_manifold *m, distance_function *distances)
{
    bool closed = (mst_manifold_traits_of(m)->closed & (MST_CLOSED_DIST | MST_CLOSED_LOG)) != 0;
    return distances == mst_dist_to && (closed || mst_geodesic_is_searched(m));
}

typedef struct job {
    const kmeans_assignment *a;
    const kmeans_bounds *bounds;
    double *moves;           /* (k): how far centres have moved */
    double farthest, second; /* most of all, and but for one */
    size_t mover;            /* that one */
    bool loose;              /* upper bounds in place of distances */
} job;

/* Up to ROWS rows from number `at` on. */
typedef struct chunk {
    size_t at, n;
    size_t rows[ROWS]; /* those at hand, counted from `at` */
    double r[ROWS], best[ROWS], other[ROWS];
    size_t label[ROWS];
    double *x; /* (ROWS, D) */
} chunk;

static void gather(const kmeans_assignment *a, chunk *k, size_t place, size_t row)
{
    size_t D = mst_manifold_ambient(a->m);
    const double *from = a->x + (k->at + row) * D;
    double *to = k->x + place * D;
    k->rows[place] = row;
    for (size_t c = 0; c < D; c++) /* a few numbers, which a call would take longer for */
        to[c] = from[c];
}

/* best: the distance of each row from the centre that it has. */
static mst_status measure_own(const kmeans_assignment *a, chunk *k)
{
    for (size_t c = 0; c < a->k; c++) {
        size_t count = 0;
        for (size_t i = 0; i < k->n; i++)
            if (a->labels[k->at + i] == c)
                gather(a, k, count++, i);
        if (count == 0)
            continue;
        MST_TRY(kmeans_measure(a, c, k->at, count, k->rows, k->x, k->r));
        for (size_t i = 0; i < count; i++)
            k->best[k->rows[i]] = k->r[i];
    }
    return MST_OK;
}

/* The rows that are not sure of their centres go into rows and x. */
static size_t find_open(const job *j, chunk *k)
{
    const kmeans_assignment *a = j->a;
    size_t open = 0;
    double rounding = rounding_of(a);
    for (size_t i = 0; i < k->n; i++) {
        size_t row = k->at + i;
        double *lower = &j->bounds->lower[row], moved = INFINITY;
        if (a->labels[row] != kmeans_no_label)
            moved = a->labels[row] == j->mover ? j->second : j->farthest;
        *lower -= moved + rounding * (moved + fabs(*lower));
        if (!(k->best[i] + j->bounds->slack < *lower * (1 - rounding)))
            gather(a, k, open++, i);
    }
    return open;
}

/* All centres for the `count` rows at hand. */
static mst_status search(const kmeans_assignment *a, const kmeans_bounds *bounds, size_t count,
                         chunk *k)
{
    for (size_t i = 0; i < count; i++) {
        k->label[i] = 0;
        k->other[i] = INFINITY;
        k->best[i] = INFINITY;
    }
    for (size_t c = 0; c < a->k && count > 0; c++) {
        MST_TRY(kmeans_measure(a, c, k->at, count, k->rows, k->x, k->r));
        for (size_t i = 0; i < count; i++) {
            bool nearer = k->r[i] < k->best[i] ||
                          (k->r[i] == k->best[i] && c == a->labels[k->at + k->rows[i]]);
            k->other[i] = fmin(k->other[i], nearer ? k->best[i] : k->r[i]);
            k->label[i] = nearer ? c : k->label[i];
            k->best[i] = nearer ? k->r[i] : k->best[i];
        }
    }
    for (size_t i = 0; i < count; i++) {
        size_t row = k->at + k->rows[i];
        a->labels[row] = k->label[i];
        a->squared[row] = k->best[i] * k->best[i];
        bounds->lower[row] = k->other[i];
        if (bounds->upper != NULL)
            bounds->upper[row] = k->best[i];
    }
    return MST_OK;
}

static mst_status assign_chunk(const job *j, chunk *k)
{
    double *upper = j->bounds->upper;
    for (size_t i = 0; i < k->n; i++)
        k->best[i] = INFINITY;
    for (size_t i = 0; j->loose && i < k->n; i++)
        k->best[i] =
            (upper[k->at + i] + j->moves[j->a->labels[k->at + i]]) * (1 + rounding_of(j->a));
    if (j->bounds->begun && !j->loose)
        MST_TRY(measure_own(j->a, k));
    for (size_t i = 0; !j->loose && i < k->n; i++)
        j->a->squared[k->at + i] = k->best[i] * k->best[i];
    for (size_t i = 0; upper != NULL && i < k->n; i++)
        upper[k->at + i] = k->best[i];
    return search(j->a, j->bounds, find_open(j, k), k);
}

static mst_status assign_block(void *context, size_t begin, size_t end)
{
    const job *j = context;
    chunk k;
    MST_TRY(mst_allocate(&k.x, ROWS * mst_manifold_ambient(j->a->m)));
    mst_status status = MST_OK;
    for (k.at = begin; status == MST_OK && k.at < end; k.at += ROWS) {
        k.n = end - k.at < ROWS ? end - k.at : ROWS;
        status = assign_chunk(j, &k);
    }
    mst_release(k.x);
    return status;
}

static mst_status measure_moves(job *j)
{
    const kmeans_assignment *a = j->a;
    size_t D = mst_manifold_ambient(a->m);
    for (size_t c = 0; j->bounds->begun && c < a->k; c++) {
        double r = 0;
        j->moves[c] = 0;
        if (memcmp(j->bounds->before + c * D, a->centres + c * D, D * sizeof *a->centres) != 0)
            MST_TRY(mst_manifold_dist(a->m, 1, j->bounds->before + c * D, a->centres + c * D, &r));
        j->moves[c] = r;
        if (r > j->farthest) {
            j->second = j->farthest;
            j->farthest = r;
            j->mover = c;
        } else {
            j->second = fmax(j->second, r);
        }
    }
    return MST_OK;
}

static mst_status assign(job *j, size_t n, int threads, kmeans_bounds *bounds)
{
    const kmeans_assignment *a = j->a;
    MST_TRY(measure_moves(j));
    MST_TRY(mst_parallel_blocks(n, BLOCK, threads, (mst_progress){0}, assign_block, j));
    memcpy(bounds->before, a->centres, a->k * mst_manifold_ambient(a->m) * sizeof *a->centres);
    bounds->begun = true;
    return MST_OK;
}

static mst_status assign_by(kmeans_assignment a, size_t n, int threads, kmeans_bounds *bounds,
                            bool loose)
{
    job j = {.a = &a, .bounds = bounds, .mover = kmeans_no_label, .loose = loose};
    MST_TRY(mst_allocate(&j.moves, a.k));
    mst_status status = assign(&j, n, threads, bounds);
    mst_release(j.moves);
    return status;
}

mst_status kmeans_assign_near(kmeans_assignment a, size_t n, int threads, kmeans_bounds *bounds)
{
    for (size_t i = 0; !bounds->begun && i < n; i++)
        bounds->lower[i] = -INFINITY;
    return assign_by(a, n, threads, bounds, false);
}

mst_status kmeans_assign_loosely(kmeans_assignment a, size_t n, int threads, kmeans_bounds *bounds)
{
    return assign_by(a, n, threads, bounds, true);
}
