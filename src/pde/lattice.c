/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

#include "pde/lattice.h"

#include <math.h>
#include <string.h>

mst_status pde_lattice_new(pde_lattice *l, const pde_plane *p, const size_t cells[2],
                           double *const at[2])
{
    *l = (pde_lattice){0};
    for (size_t a = 0; a < 2; a++) {
        l->period[a] = p->period[a];
        l->cells[a] = cells[a];
        l->nodes[a] = p->period[a] > 0 ? cells[a] : cells[a] + 1;
        MST_TRY(mst_allocate(&l->at[a], cells[a] + 1));
        memcpy(l->at[a], at[a], (cells[a] + 1) * sizeof *at[a]);
    }
    size_t all = l->nodes[0] * l->nodes[1];
    double *x;
    MST_TRY(mst_allocate(&l->g, 3 * all));
    MST_TRY(mst_allocate(&l->dist, all));
    MST_TRY(mst_allocate(&l->inside, all));
    MST_TRY(mst_allocate(&x, 2 * l->nodes[1]));
    mst_status status = MST_OK;
    for (size_t i = 0; status == MST_OK && i < l->nodes[0]; i++) {
        for (size_t j = 0; j < l->nodes[1]; j++) {
            x[2 * j] = l->at[0][i];
            x[2 * j + 1] = l->at[1][j];
        }
        size_t row = i * l->nodes[1];
        status = pde_plane_metric(p, l->nodes[1], x, l->g + 3 * row, l->inside + row);
    }
    mst_release(x);
    return status;
}

void pde_lattice_free(pde_lattice *l)
{
    for (size_t a = 0; a < 2; a++)
        mst_release(l->at[a]);
    mst_release(l->g);
    mst_release(l->dist);
    mst_release(l->inside);
    *l = (pde_lattice){0};
}

/* ---- A heap of nodes by their distances; place[node] is its place there plus one ---- */

typedef struct heap {
    const double *dist;
    size_t *node, *place, count;
} heap;

static void put(heap *h, size_t at, size_t node)
{
    h->node[at] = node;
    h->place[node] = at + 1;
}

static void rise(heap *h, size_t node)
{
    size_t at = h->place[node] > 0 ? h->place[node] - 1 : h->count++;
    for (; at > 0 && h->dist[h->node[(at - 1) / 2]] > h->dist[node]; at = (at - 1) / 2)
        put(h, at, h->node[(at - 1) / 2]);
    put(h, at, node);
}

static size_t take_nearest(heap *h)
{
    size_t nearest = h->node[0], last = h->node[--h->count], at = 0;
    h->place[nearest] = 0;
    if (h->count == 0)
        return nearest;
    for (;;) {
        size_t child = 2 * at + 1;
        if (child >= h->count)
            break;
        if (child + 1 < h->count && h->dist[h->node[child + 1]] < h->dist[h->node[child]])
            child++;
        if (h->dist[last] <= h->dist[h->node[child]])
            break;
        put(h, at, h->node[child]);
        at = child;
    }
    put(h, at, last);
    return nearest;
}

/* ---- Distances ---- */

static double length(const double *g, const double *v)
{
    return sqrt(fmax(0, g[0] * v[0] * v[0] + 2 * g[1] * v[0] * v[1] + g[2] * v[1] * v[1]));
}

/* Node k + step of an axis, and the way to it; false beyond the ends. */
static bool go(const pde_lattice *l, size_t a, size_t k, int step, size_t *to, double *way)
{
    ptrdiff_t next = (ptrdiff_t)k + step, n = (ptrdiff_t)l->nodes[a];
    double turns = 0;
    if (l->period[a] > 0 && (next < 0 || next >= n)) {
        turns = next < 0 ? -1 : 1;
        next -= (ptrdiff_t)turns * n;
    }
    if (next < 0 || next >= n)
        return false;
    *to = (size_t)next;
    *way = l->at[a][next] - l->at[a][k] + turns * l->period[a];
    return true;
}

static void relax(pde_lattice *l, heap *h, size_t i, size_t j)
{
    static const int steps[16][2] = {{1, 0},  {-1, 0},  {0, 1},  {0, -1}, {1, 1},  {1, -1},
                                     {-1, 1}, {-1, -1}, {1, 2},  {1, -2}, {-1, 2}, {-1, -2},
                                     {2, 1},  {2, -1},  {-2, 1}, {-2, -1}};
    size_t from = i * l->nodes[1] + j;
    for (size_t k = 0; k < 16; k++) {
        size_t next[2];
        double v[2];
        if (!go(l, 0, i, steps[k][0], &next[0], &v[0]) ||
            !go(l, 1, j, steps[k][1], &next[1], &v[1]))
            continue;
        size_t to = next[0] * l->nodes[1] + next[1];
        if (!l->inside[to])
            continue;
        double r = l->dist[from] + 0.5 * (length(l->g + 3 * from, v) + length(l->g + 3 * to, v));
        if (r < l->dist[to]) {
            l->dist[to] = r;
            rise(h, to);
        }
    }
}

static size_t cell_of(const pde_lattice *l, size_t a, double *u)
{
    size_t low = 0, high = l->cells[a];
    if (l->period[a] > 0)
        *u -= l->period[a] * floor((*u - l->at[a][0]) / l->period[a]);
    while (high - low > 1) {
        size_t middle = (low + high) / 2;
        *(l->at[a][middle] <= *u ? &low : &high) = middle;
    }
    return low;
}

/* The corners of the source's cell. */
static void begin(pde_lattice *l, heap *h, const double *x)
{
    double u[2] = {x[0], x[1]};
    size_t cell[2] = {cell_of(l, 0, &u[0]), cell_of(l, 1, &u[1])};
    for (size_t k = 0; k < 4; k++) {
        size_t i = (cell[0] + k / 2) % l->nodes[0], j = (cell[1] + k % 2) % l->nodes[1];
        size_t to = i * l->nodes[1] + j;
        double v[2] = {l->at[0][cell[0] + k / 2] - u[0], l->at[1][cell[1] + k % 2] - u[1]};
        double r = length(l->g + 3 * to, v);
        if (l->inside[to] && r < l->dist[to]) {
            l->dist[to] = r;
            rise(h, to);
        }
    }
}

mst_status pde_lattice_measure(pde_lattice *l, size_t n, const double *x, double reach)
{
    size_t all = l->nodes[0] * l->nodes[1], *room;
    MST_TRY(mst_allocate_zero(&room, 2 * all));
    heap h = {.dist = l->dist, .node = room, .place = room + all};
    for (size_t k = 0; k < all; k++)
        l->dist[k] = INFINITY;
    for (size_t k = 0; k < n; k++)
        begin(l, &h, x + 2 * k);
    while (h.count > 0) {
        size_t k = take_nearest(&h);
        if (l->dist[k] <= reach)
            relax(l, &h, k / l->nodes[1], k % l->nodes[1]);
    }
    mst_release(room);
    return MST_OK;
}
