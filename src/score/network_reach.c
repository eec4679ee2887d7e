/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* What a network has not seen: times outside its range, points and pairs that are farther out than its
 * training went. */
#include "manifold/in_space.h"
#include "manifold/internal.h"
#include "score/network.h"

#include <manistat/geodesic.h>
#include <manistat/learned.h>
#include <math.h>
#include <string.h>

bool mst_time_within(double t, double least, double largest)
{
    const double rounding = 1e-9;
    return t >= least * (1 - rounding) && t <= largest * (1 + rounding);
}

enum { BLOCK = 1024 };

/* Training sees a little more than the paths that `reach` was measured with. */
static const double margin = 1.1;

typedef struct workspace {
    double *centre;   /* (BLOCK, D) */
    double *y;        /* (BLOCK, D), one point for all rows */
    double *v;        /* (BLOCK, D) */
    double *t;        /* (BLOCK) */
    double *r, *from; /* (BLOCK): distances of the points of a row, and from the centre */
    mst_score *log;   /* the network, where that tells distances best; else null */
} workspace;

static mst_status workspace_new(workspace *w, const mst_network *net)
{
    size_t D = mst_manifold_ambient(net->m);
    *w = (workspace){0};
    MST_TRY(mst_allocate(&w->centre, BLOCK * (3 * D + 3)));
    w->y = w->centre + BLOCK * D;
    w->v = w->y + BLOCK * D;
    w->t = w->v + BLOCK * D;
    w->r = w->t + BLOCK;
    w->from = w->r + BLOCK;
    memset(w->y, 0, BLOCK * D * sizeof *w->y); /* mst_move_together moves it along */
    if (net->centre != NULL) {
        mst_repeat_point(BLOCK, D, net->centre, w->centre);
        mst_move_together(net->m, BLOCK, w->centre, w->y);
    }
    /* The small-time limit of a network is poor where lengths are hundreds. */
    bool other = (mst_manifold_traits_of(net->m)->closed & MST_CLOSED_LOG) != 0 ||
                 mst_manifold_is_learned(net->m);
    return other ? MST_OK : mst_score_network_alone_new(&w->log, net, true);
}

static void workspace_free(workspace *w)
{
    mst_release(w->centre);
    mst_score_free(w->log);
}

/* One distance of a row against what the training went to; is the row outside? */
static bool compare(mst_outside *out, size_t row, double distance, double reach, double allowance,
                    bool between)
{
    /* A distance that is not a number is one that nobody has trained for. */
    double share = isnan(distance) ? INFINITY : distance / (allowance * reach);
    double worst = out->reach > 0 ? out->distance / ((out->between ? 1 : margin) * out->reach) : -1;
    if (share > worst || isnan(worst)) {
        out->farthest = row;
        out->distance = distance;
        out->reach = reach;
        out->between = between;
    }
    return share > 1;
}

/* Distances; NAN where a search for geodesics finds none. */
static mst_status distances(const mst_manifold *m, size_t n, const double *x, const double *y,
                            double *r)
{
    if (!mst_has_root(m))
        return mst_manifold_dist(m, n, x, y, r);
    mst_geodesic_options o = mst_geodesic_options_default();
    o.tolerance = 1e-4;
    return mst_geodesic_solve(m, n, x, y, &o, &(mst_geodesic_output){.length = r});
}

/* How far points are from the centre of the training. Landmarks that move together are seen relative to
 * their own centre, by the network and so here. */
static mst_status distances_from_centre(const mst_network *net, size_t n, const double *x,
                                        workspace *w)
{
    size_t D = mst_manifold_ambient(net->m);
    if (!mst_manifold_traits_of(net->m)->moves_together)
        return distances(net->m, n, w->centre, x, w->from);
    memcpy(w->v, x, n * D * sizeof *x);
    mst_move_together(net->m, n, w->v, w->y);
    return distances(net->m, n, w->centre, w->v, w->from);
}

/* The points of the rows of a block: how far apart are they? */
static mst_status measure(const mst_network *net, const mst_pairs *p, workspace *w)
{
    size_t D = mst_manifold_ambient(net->m);
    const double *y = p->y_stride > 0 ? p->y : w->y;
    if (p->y_stride == 0)
        mst_repeat_point(p->n, D, p->y, w->y);
    if (w->log == NULL)
        return distances(net->m, p->n, p->x, y, w->r);
    MST_TRY(
        mst_score_evaluate_rows(w->log, p->n, p->x, y, w->t, &(mst_heat_values){.score = w->v}));
    MST_TRY(mst_manifold_norm(net->m, p->n, y, w->v, w->r));
    for (size_t i = 0; i < p->n; i++)
        w->r[i] *= w->t[i];
    return MST_OK;
}

/* Rows from number `at` on, their first points only unless they are pairs. */
static mst_status look(const mst_network *net, const mst_pairs *p, bool pairs, size_t at,
                       workspace *w, mst_outside *out)
{
    bool outside[BLOCK] = {false};
    for (int side = 0; net->centre != NULL && side < (pairs ? 2 : 1); side++) {
        /* One point for all rows is one distance for all. */
        size_t n = side == 1 && p->y_stride == 0 ? 1 : p->n;
        MST_TRY(distances_from_centre(net, n, side == 0 ? p->x : p->y, w));
        for (size_t i = 0; i < p->n; i++)
            outside[i] |=
                compare(out, at + i, w->from[n > 1 ? i : 0], net->info.reach, margin, false);
    }
    for (size_t i = 0; pairs && i < p->n; i++)
        w->t[i] =
            p->t != NULL && p->t[i * p->t_stride] > 0 ? p->t[i * p->t_stride] : net->info.t_min;
    if (pairs)
        MST_TRY(measure(net, p, w));
    for (size_t i = 0; i < p->n; i++) {
        outside[i] |=
            pairs && compare(out, at + i, w->r[i], mst_network_span(net, w->t[i]), 1, true);
        out->rows += outside[i];
    }
    return MST_OK;
}

static mst_status look_at_all(const mst_network *net, const mst_pairs *rows, bool pairs,
                              mst_outside *out)
{
    workspace w;
    mst_outside found = {.reach = NAN};
    mst_status status = workspace_new(&w, net);
    for (size_t at = 0; at < rows->n && status == MST_OK; at += BLOCK) {
        size_t n = rows->n - at < BLOCK ? rows->n - at : BLOCK;
        mst_pairs part = mst_pairs_part(net->m, rows, at, n);
        status = look(net, &part, pairs, at, &w, &found);
    }
    workspace_free(&w);
    if (status == MST_OK)
        *out = found;
    return status;
}

mst_status mst_network_outside(const mst_network *net, size_t n, const double *x, mst_outside *out)
{
    return look_at_all(net, &(mst_pairs){.n = n, .x = x, .y = x}, false, out);
}

mst_status mst_network_pairs_outside(const mst_network *net, const mst_pairs *pairs,
                                     mst_outside *out)
{
    return look_at_all(net, pairs, true, out);
}

double mst_network_span(const mst_network *net, double t)
{
    /* A path of time t goes √(d t) far, and next to none goes farther by 5 √t. Negative curvature drives it
     * outwards besides. */
    double d = (double)mst_manifold_dim(net->m);
    double curvature = mst_manifold_traits_of(net->m)->curvature;
    t = t > 0 ? t : net->info.t_min;
    return sqrt(t) * (sqrt(d) + 5) + (curvature < 0 ? 0.5 * (d - 1) * sqrt(-curvature) * t : 0);
}
