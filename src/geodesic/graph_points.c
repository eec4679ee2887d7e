/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

#include "geodesic/graph_points.h"

#include <manistat/random.h>
#include <math.h>
#include <string.h>

enum { POINTS = 1000, NEIGHBOURS = 10, LEAST = 30 };

/* Two points are linked if the manifold is near the middle between them: nearer than this share of their
 * distance. Between two sheets it is not. */
static const double near_enough = 0.3;

typedef struct cloud {
    const geodesic_problem *p;
    size_t n, D;
    double *x;      /* (n, D), the ends first */
    size_t *parent; /* (n), of the components */
} cloud;

static size_t root_of(const cloud *c, size_t i)
{
    while (c->parent[i] != i)
        i = c->parent[i] = c->parent[c->parent[i]];
    return i;
}

static double distance(size_t D, const double *x, const double *y)
{
    double square = 0;
    for (size_t k = 0; k < D; k++)
        square += (x[k] - y[k]) * (x[k] - y[k]);
    return sqrt(square);
}

/* Onto the manifold and into its domain; points that do not get there are left out. */
static bool project(const geodesic_problem *p, problem_rows *rows, const double *x, double *y)
{
    bool fine = mst_manifold_project(p->m, 1, x, y) == MST_OK &&
                problem_inside(p, rows, 1, y) == MST_OK && rows->inside[0];
    for (size_t k = 0; fine && k < p->width; k++)
        fine = isfinite(y[k]);
    return fine;
}

/* From a box around the ends, twice as wide as they are apart. */
static void draw(cloud *c, problem_rows *rows, double *work)
{
    const double *x = c->x, *y = c->x + c->D;
    double size = distance(c->D, x, y);
    for (size_t i = 0; i < POINTS; i++) {
        mst_random_uniforms((mst_random){2712, 0}, i * c->D, c->D, work);
        for (size_t k = 0; k < c->D; k++)
            work[k] = 0.5 * (x[k] + y[k]) + 2 * (work[k] - 0.5) * size;
        double *to = c->x + c->n * c->D;
        if (project(c->p, rows, work, to) && distance(c->D, to, x) <= 3 * size)
            c->n++;
    }
}

static void link_pair(const cloud *c, problem_rows *rows, size_t i, size_t j, double *work)
{
    size_t D = c->D, a = root_of(c, i), b = root_of(c, j);
    double *middle = work, *there = work + D, length = distance(D, c->x + i * D, c->x + j * D);
    if (a == b)
        return;
    for (size_t k = 0; k < D; k++)
        middle[k] = 0.5 * (c->x[i * D + k] + c->x[j * D + k]);
    if (project(c->p, rows, middle, there) && distance(D, middle, there) <= near_enough * length)
        c->parent[a] = b;
}

static void link_neighbours(const cloud *c, problem_rows *rows, size_t i, double *work)
{
    size_t best[NEIGHBOURS], count = 0;
    double nearest[NEIGHBOURS];
    for (size_t j = 0; j < c->n; j++) {
        double r = distance(c->D, c->x + i * c->D, c->x + j * c->D);
        if (j == i || (count == NEIGHBOURS && r >= nearest[count - 1]))
            continue;
        size_t at = count < NEIGHBOURS ? count++ : count - 1;
        for (; at > 0 && nearest[at - 1] > r; at--) {
            nearest[at] = nearest[at - 1];
            best[at] = best[at - 1];
        }
        nearest[at] = r;
        best[at] = j;
    }
    for (size_t k = 0; k < count; k++)
        link_pair(c, rows, i, best[k], work);
}

/* Ends in components that both have many points. */
static bool are_apart(const cloud *c)
{
    size_t a = root_of(c, 0), b = root_of(c, 1), of_a = 0, of_b = 0;
    for (size_t i = 0; i < c->n; i++) {
        of_a += root_of(c, i) == a;
        of_b += root_of(c, i) == b;
    }
    return a != b && of_a >= LEAST && of_b >= LEAST;
}

mst_status points_find(const geodesic_problem *p, const double *x, const double *y,
                       graph_answer *out)
{
    size_t D = p->width, most = POINTS + 2;
    cloud c = {.p = p, .n = 2, .D = D};
    problem_rows rows = {0};
    *out = GRAPH_UNSURE;
    MST_TRY(mst_allocate(&c.x, (most + 3) * D));
    double *work = c.x + (most + 1) * D;
    mst_status status = mst_allocate(&c.parent, most);
    if (status == MST_OK) {
        memcpy(c.x, x, D * sizeof *x);
        memcpy(c.x + D, y, D * sizeof *y);
        draw(&c, &rows, work);
        for (size_t i = 0; i < c.n; i++)
            c.parent[i] = i;
        for (size_t i = 0; i < c.n; i++)
            link_neighbours(&c, &rows, i, work);
        if (are_apart(&c))
            *out = GRAPH_APART;
    }
    problem_rows_free(&rows);
    mst_release(c.parent);
    mst_release(c.x);
    return status;
}
