/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

#include "learned/ways.h"

#include "manifold/metric.h"

#include <math.h>
#include <string.h>

enum { NEIGHBOURS = LEARNED_NEAR, LOOKS = 3 };

struct ways {
    size_t count, d;
    double *nodes;  /* (count, d) */
    size_t *link;   /* (count, NEIGHBOURS): the nearest; SIZE_MAX: none */
    double *length; /* (count, NEIGHBOURS) */
};

void ways_free(ways *w)
{
    if (w == NULL)
        return;
    mst_release(w->nodes);
    mst_release(w->link);
    mst_release(w->length);
    mst_release(w);
}

/* Straight lines from x to the n points `to` by the metric; INFINITY where there is none. */
static mst_status measure(const mst_manifold *m, const double *x, size_t n, const double *const *to,
                          double *length)
{
    size_t d = m->dim, all = n * LOOKS;
    double *room;
    MST_TRY(mst_allocate(&room, all * (4 * d + 1)));
    double *at = room, *v = at + all * d, *l_x = v + all * d, *l_v = l_x + all * d,
           *l = l_v + all * d;
    for (size_t i = 0; i < n; i++)
        for (size_t q = 0; q < LOOKS; q++)
            for (size_t k = 0; k < d; k++) {
                double gap = to[i][k] - x[k], t = ((double)q + 0.5) / LOOKS;
                at[(i * LOOKS + q) * d + k] = x[k] + t * gap;
                v[(i * LOOKS + q) * d + k] = gap;
            }
    mst_status status = m->metric->ops.lagrangian(m, all, at, v, l, l_x, l_v);
    for (size_t i = 0; status == MST_OK && i < n; i++) {
        length[i] = 0;
        for (size_t q = 0; q < LOOKS; q++)
            length[i] += sqrt(2 * l[i * LOOKS + q]) / LOOKS;
        if (!(length[i] >= 0))
            length[i] = INFINITY;
    }
    mst_release(room);
    return status;
}

/* ---- Construction ---- */

static mst_status link_node(ways *w, const mst_manifold *m, size_t i)
{
    const double *to[NEIGHBOURS];
    size_t *link = w->link + i * NEIGHBOURS;
    size_t found = learned_nearest(w->d, w->count, w->nodes, w->nodes + i * w->d, NEIGHBOURS, link);
    for (size_t k = 0; k < NEIGHBOURS; k++) {
        if (k < found)
            to[k] = w->nodes + link[k] * w->d;
        else
            link[k] = SIZE_MAX;
    }
    return found == 0 ? MST_OK
                      : measure(m, w->nodes + i * w->d, found, to, w->length + i * NEIGHBOURS);
}

mst_status ways_new(ways **out, const mst_manifold *m, size_t n, const double *points)
{
    ways *w;
    *out = NULL;
    if (n < 3)
        return MST_OK;
    MST_TRY(mst_allocate_zero(&w, 1));
    *out = w;
    w->d = m->dim;
    w->count = n < WAYS_MOST ? n : WAYS_MOST;
    MST_TRY(mst_allocate(&w->nodes, w->count * w->d));
    MST_TRY(mst_allocate(&w->link, w->count * NEIGHBOURS));
    MST_TRY(mst_allocate(&w->length, w->count * NEIGHBOURS));
    for (size_t i = 0; i < w->count; i++)
        memcpy(w->nodes + i * w->d, points + i * n / w->count * w->d, w->d * sizeof *w->nodes);
    for (size_t i = 0; i < w->count; i++)
        MST_TRY(link_node(w, m, i));
    return MST_OK;
}

/* ---- Dijkstra's algorithm, on lists: there are few nodes ---- */

/* The ends are the numbers `count` (x) and `count` + 1 (y). */
typedef struct walk {
    const ways *w;
    double *distance; /* (count + 2) */
    size_t *before;   /* (count + 2) */
    unsigned char *done;
    size_t near_x[NEIGHBOURS], near_y[NEIGHBOURS], count_x, count_y;
    double to_x[NEIGHBOURS], to_y[NEIGHBOURS];
} walk;

static void relax(walk *k, size_t from, size_t to, double length)
{
    double there = k->distance[from] + length;
    if (there < k->distance[to]) {
        k->distance[to] = there;
        k->before[to] = from;
    }
}

static void leave(walk *k, size_t node)
{
    const ways *w = k->w;
    if (node == w->count) {
        for (size_t i = 0; i < k->count_x; i++)
            relax(k, node, k->near_x[i], k->to_x[i]);
        return;
    }
    for (size_t i = 0; i < k->count_y; i++)
        if (k->near_y[i] == node)
            relax(k, node, w->count + 1, k->to_y[i]);
    for (size_t i = 0; i < NEIGHBOURS; i++)
        if (w->link[node * NEIGHBOURS + i] != SIZE_MAX)
            relax(k, node, w->link[node * NEIGHBOURS + i], w->length[node * NEIGHBOURS + i]);
    /* A node may be among the nearest of one that is not among its own. */
    for (size_t other = 0; other < w->count; other++)
        for (size_t i = 0; !k->done[other] && i < NEIGHBOURS; i++)
            if (w->link[other * NEIGHBOURS + i] == node)
                relax(k, node, other, w->length[other * NEIGHBOURS + i]);
}

static bool search(walk *k)
{
    size_t all = k->w->count + 2;
    for (size_t i = 0; i < all; i++) {
        k->distance[i] = INFINITY;
        k->done[i] = 0;
    }
    k->distance[k->w->count] = 0;
    for (;;) {
        size_t next = SIZE_MAX;
        for (size_t i = 0; i < all; i++)
            if (!k->done[i] && k->distance[i] < INFINITY &&
                (next == SIZE_MAX || k->distance[i] < k->distance[next]))
                next = i;
        if (next == SIZE_MAX || next == k->w->count + 1)
            return next != SIZE_MAX;
        k->done[next] = 1;
        leave(k, next);
    }
}

static mst_status join(walk *k, const mst_manifold *m, const double *x, size_t *near,
                       double *length, size_t *count)
{
    const double *to[NEIGHBOURS];
    *count = learned_nearest(k->w->d, k->w->count, k->w->nodes, x, NEIGHBOURS, near);
    for (size_t i = 0; i < *count; i++)
        to[i] = k->w->nodes + near[i] * k->w->d;
    return *count == 0 ? MST_OK : measure(m, x, *count, to, length);
}

static void take(const walk *k, const double *x, const double *y, double *points, double *along,
                 size_t *count)
{
    size_t d = k->w->d, nodes = k->w->count, n = 1;
    for (size_t node = nodes + 1; node != nodes; node = k->before[node])
        n++;
    *count = n;
    for (size_t node = nodes + 1, i = n; i-- > 0; node = i > 0 ? k->before[node] : node) {
        const double *at = i == 0 ? x : node == nodes + 1 ? y : k->w->nodes + node * d;
        memcpy(points + i * d, at, d * sizeof *points);
        along[i] = i == 0 ? 0 : k->distance[node];
    }
}

mst_status ways_find(const ways *w, const mst_manifold *m, const double *x, const double *y,
                     double *points, double *along, size_t *count)
{
    walk k = {.w = w};
    double direct;
    *count = 0;
    mst_status status = mst_allocate(&k.distance, w->count + 2);
    if (status == MST_OK)
        status = mst_allocate(&k.before, w->count + 2);
    if (status == MST_OK)
        status = mst_allocate(&k.done, w->count + 2);
    if (status == MST_OK)
        status = measure(m, x, 1, &y, &direct);
    if (status == MST_OK)
        status = join(&k, m, x, k.near_x, k.to_x, &k.count_x);
    if (status == MST_OK)
        status = join(&k, m, y, k.near_y, k.to_y, &k.count_y);
    /* Three looks at a long line may miss a wall: only a way that is clearly longer is left out. */
    if (status == MST_OK && search(&k) && k.distance[w->count + 1] < 1.5 * direct)
        take(&k, x, y, points, along, count);
    mst_release(k.distance);
    mst_release(k.before);
    mst_release(k.done);
    return status;
}
