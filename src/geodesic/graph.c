/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

#include "geodesic/graph.h"

#include "geodesic/graph_points.h"

#include <math.h>
#include <string.h>

/* ---- A grid, with the two ends as nodes of their own ---- */

/* Sixteen neighbours, of which these are half; ends are linked to the nodes around them. */
static const int moves[][2] = {{1, 0}, {0, 1}, {1, 1}, {1, -1}, {1, 2}, {2, 1}, {1, -2}, {2, -1}};
enum { MOVES = sizeof moves / sizeof *moves, LOOKS = 3, AROUND = 16 };

typedef struct grid {
    const geodesic_problem *p;
    problem_rows rows;
    size_t side, nodes; /* nodes counts the ends, which are the last two */
    double low[2], step[2];
    const double *ends[2];
    double *weight;             /* (MOVES, nodes): of the edges, INFINITY for none */
    double *around[2];          /* (AROUND): from the ends */
    size_t first[2];            /* lowest node of the block of AROUND */
    double *distance;           /* (nodes) */
    size_t *before, *heap, *at; /* (nodes): predecessor, heap of nodes, and places in it */
    size_t heaped;
    double *block, *look;
    size_t *numbers;
} grid;

static void grid_free(grid *g)
{
    problem_rows_free(&g->rows);
    mst_release(g->block);
    mst_release(g->look);
    mst_release(g->numbers);
}

static mst_status grid_new(grid *g, const geodesic_problem *p, const double *x, const double *y,
                           size_t side, double wider)
{
    *g = (grid){.p = p, .side = side, .nodes = side * side + 2, .ends = {x, y}};
    double size = fmax(fabs(y[0] - x[0]), fabs(y[1] - x[1]));
    for (size_t k = 0; k < 2; k++) {
        double middle = 0.5 * (x[k] + y[k]), half = 0.5 * fmax(fabs(y[k] - x[k]), 0.25 * size);
        half += wider * size;
        g->low[k] = middle - half;
        g->step[k] = 2 * half / (double)(side - 1);
    }
    MST_TRY(mst_allocate(&g->block, (MOVES + 1) * g->nodes + 2 * AROUND));
    MST_TRY(mst_allocate(&g->look, 9 * LOOKS * g->nodes));
    MST_TRY(mst_allocate(&g->numbers, 3 * g->nodes));
    g->weight = g->block;
    g->distance = g->weight + MOVES * g->nodes;
    g->around[0] = g->distance + g->nodes;
    g->around[1] = g->around[0] + AROUND;
    g->before = g->numbers;
    g->heap = g->before + g->nodes;
    g->at = g->heap + g->nodes;
    return MST_OK;
}

static void node_place(const grid *g, size_t node, double *x)
{
    size_t all = g->side * g->side;
    if (node >= all) {
        memcpy(x, g->ends[node - all], 2 * sizeof *x);
        return;
    }
    x[0] = g->low[0] + g->step[0] * (double)(node % g->side);
    size_t line = node / g->side;
    x[1] = g->low[1] + g->step[1] * (double)line;
}

/* Lengths (n) of straight edges; INFINITY where one leaves the domain. */
static mst_status measure_edges(grid *g, size_t n, const size_t *from, const size_t *to,
                                double *length)
{
    size_t all = LOOKS * n;
    double *x = g->look, *v = x + 2 * all, *l = v + 2 * all, *l_x = l + all, *l_v = l_x + 2 * all;
    for (size_t i = 0; i < n; i++) {
        double a[2], b[2];
        node_place(g, from[i], a);
        node_place(g, to[i], b);
        for (size_t q = 0; q < LOOKS; q++)
            for (size_t k = 0; k < 2; k++) {
                double t = ((double)q + 0.5) / LOOKS;
                x[k * all + q * n + i] = a[k] + t * (b[k] - a[k]);
                v[k * all + q * n + i] = b[k] - a[k];
            }
    }
    MST_TRY(problem_lagrangian(g->p, &g->rows, all, x, v, l, l_x, l_v));
    MST_TRY(problem_inside(g->p, &g->rows, all, x));
    for (size_t i = 0; i < n; i++) {
        length[i] = 0;
        for (size_t q = 0; q < LOOKS; q++) {
            double half = l[q * n + i];
            bool fine = g->rows.inside[q * n + i] && isfinite(half) && half > 0;
            length[i] += fine ? sqrt(2 * half) / LOOKS : INFINITY;
        }
    }
    return MST_OK;
}

/* The block of AROUND nodes that has an end in its middle. */
static size_t block_of(const grid *g, const double *x)
{
    size_t corner[2];
    for (size_t k = 0; k < 2; k++) {
        double place = floor((x[k] - g->low[k]) / g->step[k]) - 1;
        corner[k] = (size_t)fmin(fmax(place, 0), (double)(g->side - 4));
    }
    return corner[1] * g->side + corner[0];
}

static mst_status measure_grid(grid *g)
{
    size_t all = g->side * g->side, side = g->side;
    size_t *from, *to;
    MST_TRY(mst_allocate(&from, 2 * g->nodes));
    to = from + g->nodes;
    mst_status status = MST_OK;
    for (size_t k = 0; k < MOVES && status == MST_OK; k++) {
        for (size_t i = 0; i < all; i++) {
            size_t a = i % side + (size_t)moves[k][0], b = i / side + (size_t)moves[k][1];
            from[i] = i;
            to[i] = a < side && b < side ? b * side + a : i; /* no way to itself */
        }
        status = measure_edges(g, all, from, to, g->weight + k * g->nodes);
    }
    for (size_t end = 0; end < 2 && status == MST_OK; end++) {
        g->first[end] = block_of(g, g->ends[end]);
        for (size_t i = 0; i < AROUND; i++) {
            from[i] = all + end;
            to[i] = g->first[end] + i / 4 * side + i % 4;
        }
        status = measure_edges(g, AROUND, from, to, g->around[end]);
    }
    mst_release(from);
    return status;
}

/* ---- Dijkstra's algorithm ---- */

static void heap_swap(grid *g, size_t a, size_t b)
{
    size_t node = g->heap[a];
    g->heap[a] = g->heap[b];
    g->heap[b] = node;
    g->at[g->heap[a]] = a;
    g->at[g->heap[b]] = b;
}

static void heap_up(grid *g, size_t a)
{
    for (; a > 0 && g->distance[g->heap[a]] < g->distance[g->heap[(a - 1) / 2]]; a = (a - 1) / 2)
        heap_swap(g, a, (a - 1) / 2);
}

static size_t heap_take(grid *g)
{
    size_t top = g->heap[0], a = 0;
    heap_swap(g, 0, --g->heaped);
    for (;;) {
        size_t least = a;
        for (size_t child = 2 * a + 1; child <= 2 * a + 2; child++)
            if (child < g->heaped && g->distance[g->heap[child]] < g->distance[g->heap[least]])
                least = child;
        if (least == a)
            return top;
        heap_swap(g, a, least);
        a = least;
    }
}

static void relax(grid *g, size_t from, size_t to, double weight)
{
    double there = g->distance[from] + weight;
    if (!(there < g->distance[to]))
        return;
    g->distance[to] = there;
    g->before[to] = from;
    if (g->at[to] == SIZE_MAX) {
        g->at[to] = g->heaped;
        g->heap[g->heaped++] = to;
    }
    heap_up(g, g->at[to]);
}

static void relax_neighbours(grid *g, size_t node)
{
    size_t side = g->side, all = side * side;
    for (size_t k = 0; k < MOVES; k++)
        for (int sign = -1; sign <= 1; sign += 2) {
            size_t a = node % side + (size_t)(sign * moves[k][0]),
                   b = node / side + (size_t)(sign * moves[k][1]), other = b * side + a;
            if (a < side && b < side)
                relax(g, node, other, g->weight[k * g->nodes + (sign > 0 ? node : other)]);
        }
    size_t row = node / side - g->first[1] / side, column = node % side - g->first[1] % side;
    if (row < 4 && column < 4)
        relax(g, node, all + 1, g->around[1][row * 4 + column]);
}

/* Is the second end reached from the first? */
static bool search(grid *g)
{
    size_t all = g->side * g->side;
    for (size_t i = 0; i < g->nodes; i++) {
        g->distance[i] = INFINITY;
        g->at[i] = SIZE_MAX;
    }
    g->distance[all] = 0;
    for (size_t i = 0; i < AROUND; i++)
        relax(g, all, g->first[0] + i / 4 * g->side + i % 4, g->around[0][i]);
    while (g->heaped > 0) {
        size_t node = heap_take(g);
        if (node == all + 1)
            return true;
        relax_neighbours(g, node);
    }
    return false;
}

static mst_status take_way(const grid *g, graph_way *way)
{
    size_t all = g->side * g->side, count = 1;
    for (size_t node = all + 1; node != all; node = g->before[node])
        count++;
    MST_TRY(mst_allocate(&way->x, 3 * count));
    way->count = count;
    way->along = way->x + 2 * count;
    for (size_t node = all + 1, i = count; i-- > 0; node = node != all ? g->before[node] : all) {
        node_place(g, node, way->x + 2 * i);
        way->along[i] = g->distance[node];
    }
    return MST_OK;
}

/* Edges of a coarse grid may jump over what is not in the domain. */
static mst_status check_way(grid *g, const graph_way *way, bool *inside)
{
    enum { DENSE = 64 };
    double x[2 * DENSE];
    for (size_t i = 0; i + 1 < way->count && *inside; i++) {
        const double *a = way->x + 2 * i, *b = a + 2;
        for (size_t q = 0; q < DENSE; q++)
            for (size_t k = 0; k < 2; k++)
                x[k * DENSE + q] = a[k] + (double)q / DENSE * (b[k] - a[k]);
        MST_TRY(problem_inside(g->p, &g->rows, DENSE, x));
        for (size_t q = 0; q < DENSE; q++)
            *inside = *inside && g->rows.inside[q];
    }
    return MST_OK;
}

void graph_way_free(graph_way *w)
{
    mst_release(w->x);
    *w = (graph_way){0};
}

static mst_status try_grid(const geodesic_problem *p, const double *x, const double *y, size_t side,
                           double wider, graph_way *way, bool *found)
{
    grid g;
    mst_status status = grid_new(&g, p, x, y, side, wider);
    if (status == MST_OK)
        status = measure_grid(&g);
    *found = status == MST_OK && search(&g);
    if (*found)
        status = take_way(&g, way);
    if (status == MST_OK && *found)
        status = check_way(&g, way, found);
    if (!*found)
        graph_way_free(way);
    grid_free(&g);
    return status;
}

/* First near the ends, then in the distance, and before there is said to be no way, more finely. */
static const struct {
    size_t side;
    double wider;
} grids[] = {{49, 0.5}, {49, 3}, {145, 0.5}, {49, 20}};

mst_status graph_find(const geodesic_problem *p, const double *x, const double *y, graph_way *way,
                      graph_answer *out)
{
    *way = (graph_way){0};
    *out = GRAPH_UNSURE;
    if (p->form == FORM_CONSTRAINT)
        return points_find(p, x, y, out);
    if (p->d != 2)
        return MST_OK;
    bool found = false;
    size_t worth = problem_is_bounded(p) ? sizeof grids / sizeof *grids : 2;
    for (size_t k = 0; k < worth && !found; k++)
        MST_TRY(try_grid(p, x, y, grids[k].side, grids[k].wider, way, &found));
    if (found)
        *out = GRAPH_WAY;
    else if (problem_is_bounded(p) && p->period == NULL)
        *out = GRAPH_APART;
    return MST_OK;
}
