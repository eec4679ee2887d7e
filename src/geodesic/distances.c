/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* The work is cut into pieces of one row: a point against up to PIECE others that stand beside each other.
 * Pieces are dealt out to threads one by one, so that rows of a triangle, which become shorter and shorter,
 * need no other balance. */
#include "base/options.h"
#include "geodesic/log.h"
#include "manifold/internal.h"

#include <manistat/distances.h>
#include <math.h>
#include <stdio.h>

enum { PIECE = 64 };

mst_distances_options mst_distances_options_default(void)
{
    return (mst_distances_options){.size = sizeof(mst_distances_options)};
}

/* Points as the pairs want them: prepared, if the manifold does that, else as they are. */
typedef struct point_set {
    size_t n, width;
    const double *x; /* (n, width) */
    double *own;     /* the same if they were prepared, else null */
} point_set;

typedef struct job {
    const mst_manifold *m;
    bool prepared, triangle; /* triangle: only pairs i < j, of one set */
    bool best;
    point_set x, y;
    double *out;                 /* (x.n, y.n) */
    mst_geodesic_status *status; /* the same, or null */
} job;

/* ---- Points ---- */

typedef struct preparation {
    const mst_manifold *m;
    const double *x;
    point_set *set;
} preparation;

/* Rows of a failure are counted from the first of the set. */
static mst_status renumber(mst_status status, size_t before)
{
    size_t row;
    int end = 0;
    const char *detail = mst_error_detail();
    if (sscanf(detail, "row %zu:%n", &row, &end) != 1 || end == 0)
        return status;
    return mst_fail(status, "row %zu:%s", row + before, detail + end);
}

static mst_status prepare_piece(void *context, size_t begin, size_t end)
{
    const preparation *p = context;
    mst_status status = p->m->ops.prepare(p->m, end - begin, p->x + begin * p->m->ambient,
                                          p->set->own + begin * p->set->width);
    return status == MST_OK ? MST_OK : renumber(status, begin);
}

static mst_status point_set_make(point_set *set, const mst_manifold *m, size_t n, const double *x,
                                 int threads)
{
    *set = (point_set){.n = n, .width = m->ambient, .x = x};
    if (mst_prepared_size(m) == 0)
        return MST_OK;
    size_t numbers;
    set->width = mst_prepared_size(m);
    if (__builtin_mul_overflow(n, set->width, &numbers))
        return mst_fail(MST_MEMORY, "not enough memory for %zu prepared points", n);
    MST_TRY(mst_allocate(&set->own, numbers));
    preparation p = {m, x, set};
    set->x = set->own;
    return mst_parallel_blocks(n, PIECE, threads, (mst_progress){0}, prepare_piece, &p);
}

/* ---- A piece ---- */

/* Pairs that no search has to be made for, or whose search fails as a whole if one of them does: those one by
 * one, to see which have no answer. */
static mst_status measure_closed(const mst_manifold *m, size_t n, const double *x, const double *y,
                                 double *r, mst_geodesic_status *ends)
{
    bool closed = (m->traits.closed & MST_CLOSED_EXP) != 0;
    for (size_t i = 0; i < n; i++)
        ends[i] = closed ? MST_GEODESIC_MINIMAL : MST_GEODESIC_LOCAL;
    mst_status status = mst_manifold_dist(m, n, x, y, r);
    if (status != MST_CONVERGENCE)
        return status;
    for (size_t i = 0; i < n; i++) {
        size_t at = i * m->ambient;
        status = mst_manifold_dist(m, 1, x + at, y + at, r + i);
        if (status == MST_CONVERGENCE) {
            ends[i] = MST_GEODESIC_NOT_CONVERGED;
            r[i] = NAN;
        } else if (status != MST_OK) {
            return status;
        }
    }
    return MST_OK;
}

static mst_status measure(const job *j, size_t n, const double *x, const double *y, double *r,
                          mst_geodesic_status *ends)
{
    const mst_manifold *m = j->m;
    if (j->prepared) {
        for (size_t i = 0; i < n; i++)
            ends[i] = MST_GEODESIC_MINIMAL;
        return m->ops.dist_prepared(m, n, x, y, r);
    }
    double *rows;
    MST_TRY(mst_allocate(&rows, n * m->ambient));
    mst_repeat_point(n, m->ambient, x, rows);
    mst_status status = mst_geodesic_is_searched(m)
                            ? geodesic_lengths(m, n, rows, y, j->best, r, ends)
                            : measure_closed(m, n, rows, y, r, ends);
    mst_release(rows);
    return status;
}

/* "row 3: …" of a piece is the pair of `row` with the third point from `first` on. */
static mst_status name_pair(mst_status status, size_t row, size_t first)
{
    size_t k;
    int end = 0;
    const char *detail = mst_error_detail();
    if (sscanf(detail, "row %zu:%n", &k, &end) != 1 || end == 0)
        return status;
    return mst_fail(status, "the distance of points %zu and %zu:%s", row + 1, first + k,
                    detail + end);
}

static mst_status run_piece(void *context, size_t begin, size_t end)
{
    const job *j = context;
    size_t pieces = j->y.n / PIECE + (j->y.n % PIECE != 0);
    for (size_t piece = begin; piece < end; piece++) {
        size_t row = piece / pieces, first = piece % pieces * PIECE;
        size_t last = j->y.n - first < PIECE ? j->y.n : first + PIECE;
        if (j->triangle && first <= row)
            first = row + 1;
        if (first >= last)
            continue;
        mst_geodesic_status ends[PIECE];
        size_t at = row * j->y.n + first, n = last - first;
        mst_status status = measure(j, n, j->x.x + row * j->x.width, j->y.x + first * j->y.width,
                                    j->out + at, ends);
        if (status != MST_OK)
            return name_pair(status, row, first);
        for (size_t i = 0; j->status != NULL && i < n; i++)
            j->status[at + i] = ends[i];
    }
    return MST_OK;
}

/* ---- The whole ---- */

static mst_status run(job *j, const mst_distances_options *o)
{
    size_t pieces = j->y.n / PIECE + (j->y.n % PIECE != 0), all;
    if (__builtin_mul_overflow(j->x.n, pieces, &all))
        return mst_fail(MST_ARGUMENT, "%zu by %zu points are more than can be counted", j->x.n,
                        j->y.n);
    return mst_parallel_blocks(all, 1, o->threads, o->progress, run_piece, j);
}

/* The lower triangle from the upper one, in squares that the cache holds. */
static void mirror(const job *j)
{
    enum { SIDE = 32 };
    size_t n = j->x.n;
    for (size_t top = 0; top < n; top += SIDE)
        for (size_t left = top; left < n; left += SIDE)
            for (size_t i = top; i < n && i < top + SIDE; i++)
                for (size_t k = left > i ? left : i + 1; k < n && k < left + SIDE; k++) {
                    j->out[k * n + i] = j->out[i * n + k];
                    if (j->status != NULL)
                        j->status[k * n + i] = j->status[i * n + k];
                }
    for (size_t i = 0; i < n; i++) {
        j->out[i * n + i] = 0;
        if (j->status != NULL)
            j->status[i * n + i] = MST_GEODESIC_MINIMAL;
    }
}

mst_status mst_distance_matrix(const mst_manifold *m, size_t n, const double *x,
                               const mst_distances_options *options, double *out,
                               mst_geodesic_status *status)
{
    mst_distances_options o;
    MST_TRY(MST_TAKE_OPTIONS(&o, mst_distances_options, options));
    job j = {.m = m,
             .prepared = mst_prepared_size(m) > 0,
             .triangle = true,
             .best = o.best,
             .out = out,
             .status = status};
    mst_status result = point_set_make(&j.x, m, n, x, o.threads);
    j.y = j.x;
    if (result == MST_OK)
        result = run(&j, &o);
    if (result == MST_OK)
        mirror(&j);
    mst_release(j.x.own);
    return result;
}

mst_status mst_distances_between(const mst_manifold *m, size_t n, const double *x, size_t k,
                                 const double *y, const mst_distances_options *options, double *out,
                                 mst_geodesic_status *status)
{
    mst_distances_options o;
    MST_TRY(MST_TAKE_OPTIONS(&o, mst_distances_options, options));
    job j = {
        .m = m, .prepared = mst_prepared_size(m) > 0, .best = o.best, .out = out, .status = status};
    mst_status result = point_set_make(&j.x, m, n, x, o.threads);
    if (result == MST_OK)
        result = point_set_make(&j.y, m, k, y, o.threads);
    if (result == MST_OK)
        result = run(&j, &o);
    mst_release(j.x.own);
    mst_release(j.y.own);
    return result;
}
