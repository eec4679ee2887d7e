/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Is it one piece? Points are joined to their neighbours by paths that are followed in small steps, so what
 * is joined belongs together. What is left apart, the geodesic solver tries to join. */
#include "examine/examine.h"

#include <manistat/geodesic.h>
#include <math.h>
#include <string.h>

enum { MOST_POINTS = 300, NEIGHBOURS = 6 };

static size_t root_of(size_t *parent, size_t i)
{
    while (parent[i] != i)
        i = parent[i] = parent[parent[i]];
    return i;
}

/* In a chart along the straight line. */
static bool joins_in_chart(const examiner *e, const double *x, const double *way, double *room)
{
    enum { STEPS = 48 };
    double *at = room, *values = room + e->D;
    for (size_t k = 1; k < STEPS; k++)
        if (!examine_between(e, x, way, (double)k / STEPS, at) ||
            !examine_eigenvalues(e, at, values) || !(values[0] > 0))
            return false;
    return true;
}

/* On the solutions of equations step by step towards y; a step that the way home makes much longer may have
 * jumped to another piece. */
static bool joins_on_equations(const examiner *e, const double *x, const double *y, double *room)
{
    enum { STEPS = 48 };
    double *at = room, *next = room + e->D;
    memcpy(at, x, e->D * sizeof *at);
    for (size_t k = 0; k < STEPS; k++) {
        double part = 1 / (double)(STEPS - k), wanted = 0, moved = 0;
        for (size_t a = 0; a < e->D; a++) {
            next[a] = at[a] + part * (y[a] - at[a]);
            wanted += (next[a] - at[a]) * (next[a] - at[a]);
        }
        if (!examine_home(e, next, next) || !examine_inside(e, next))
            return false;
        for (size_t a = 0; a < e->D; a++)
            moved += (next[a] - at[a]) * (next[a] - at[a]);
        if (sqrt(moved) > 1.5 * sqrt(wanted) + 1e-12 * e->size)
            return false;
        memcpy(at, next, e->D * sizeof *at);
    }
    double left = 0;
    for (size_t a = 0; a < e->D; a++)
        left += (at[a] - y[a]) * (at[a] - y[a]);
    return sqrt(left) < 1e-6 * e->size;
}

static double apart(const examiner *e, size_t i, size_t k, double *way)
{
    examine_way(e, e->x + i * e->D, e->x + k * e->D, way);
    for (size_t a = 0; a < e->d && e->extents != NULL; a++)
        way[a] /= e->extents[a].scale;
    double far = metric_length(e->D, way);
    for (size_t a = 0; a < e->d && e->extents != NULL; a++)
        way[a] *= e->extents[a].scale;
    return far;
}

/* Joins point i to its nearest neighbours that are not joined yet. */
static void join_neighbours(const examiner *e, size_t n, size_t i, size_t *parent, double *far,
                            double *room)
{
    double *way = room + 3 * e->D + e->d;
    for (size_t k = 0; k < n; k++)
        far[k] = k == i ? INFINITY : apart(e, i, k, way);
    for (size_t count = 0; count < NEIGHBOURS; count++) {
        size_t near = 0;
        for (size_t k = 1; k < n; k++)
            near = far[k] < far[near] ? k : near;
        if (isinf(far[near]))
            return;
        far[near] = INFINITY;
        if (root_of(parent, i) == root_of(parent, near))
            continue;
        const double *x = e->x + i * e->D, *y = e->x + near * e->D;
        examine_way(e, x, y, way);
        if (e->m->constraint != NULL ? joins_on_equations(e, x, y, room)
                                     : joins_in_chart(e, x, way, room))
            parent[root_of(parent, near)] = root_of(parent, i);
    }
}

/* The nearest points of the start's piece to those of another: the solver joins them if it can. */
static mst_status try_geodesics(examiner *e, size_t n, size_t *parent, size_t other, double *room)
{
    enum { PAIRS = 6 };
    size_t D = e->D, found = 0;
    double *x, *y, length[PAIRS], *way = room + 3 * D + e->d;
    MST_TRY(mst_allocate(&x, 2 * PAIRS * D));
    y = x + PAIRS * D;
    for (size_t i = 0; i < n && found < PAIRS; i++) {
        if (root_of(parent, i) != other)
            continue;
        size_t near = 0;
        double least = INFINITY;
        for (size_t k = 0; k < n; k++) {
            double far = root_of(parent, k) == root_of(parent, 0) ? apart(e, i, k, way) : INFINITY;
            near = far < least ? k : near;
            least = fmin(far, least);
        }
        memcpy(x + found * D, e->x + near * D, D * sizeof *x);
        memcpy(y + found++ * D, e->x + i * D, D * sizeof *y);
    }
    mst_geodesic_options o = mst_geodesic_options_default();
    mst_geodesic_output out = {.length = length};
    o.threads = e->o.threads;
    mst_status status = mst_geodesic_solve(e->m, found, x, y, &o, &out);
    bool joined = false;
    for (size_t k = 0; status == MST_OK && k < found; k++)
        joined = joined || isfinite(length[k]);
    if (joined)
        parent[other] = root_of(parent, 0);
    mst_release(x);
    /* Without an answer the pieces stay apart. */
    return status == MST_MEMORY || status == MST_INTERRUPTED ? status : MST_OK;
}

static mst_status join_pieces(examiner *e, size_t n, size_t *parent, double *room)
{
    enum { MOST_PIECES = 12 };
    for (size_t i = 0, tried = 0; i < n && tried < MOST_PIECES; i++)
        if (root_of(parent, i) == i && i != root_of(parent, 0)) {
            tried++;
            MST_TRY(try_geodesics(e, n, parent, i, room));
        }
    return MST_OK;
}

static mst_status report_pieces(examiner *e, size_t n, size_t *parent)
{
    size_t outside = 0, first = 0;
    char text[POINT_TEXT];
    for (size_t i = 1; i < n; i++) {
        bool alone = root_of(parent, i) != root_of(parent, 0);
        first = alone && outside == 0 ? i : first;
        outside += alone;
    }
    if (outside == 0)
        return finding_add(e, MST_FINDING_OK, "connectedness", NULL,
                           "paths join all of %zu points to the start", n);
    e->disconnected = true;
    return finding_add(
        e, MST_FINDING_WARNING, "connectedness", e->x + first * e->D,
        "no path was found from the start to %zu of %zu points, e.g. %s: it seems to "
        "be in pieces, and a 'domain' can leave out all but one",
        outside, n, finding_point(e, e->x + first * e->D, text));
}

mst_status examine_connectedness(examiner *e)
{
    size_t n = e->n < MOST_POINTS ? e->n : MOST_POINTS, *parent;
    double *far;
    if (e->m->metric != NULL && e->extents == NULL)
        return finding_add(e, MST_FINDING_NOTE, "connectedness", NULL,
                           "not examined with several charts");
    MST_TRY(mst_allocate(&parent, n));
    mst_status status = mst_allocate(&far, n + 4 * e->D + e->d);
    for (size_t i = 0; i < n; i++)
        parent[i] = i;
    for (size_t i = 0; status == MST_OK && i < n; i++)
        join_neighbours(e, n, i, parent, far, far + n);
    if (status == MST_OK)
        status = join_pieces(e, n, parent, far + n);
    if (status == MST_OK)
        status = report_pieces(e, n, parent);
    mst_release(far);
    mst_release(parent);
    return status;
}
