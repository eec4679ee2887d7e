/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

#include "plot/relief.h"

#include "base/internal.h"
#include "manifold/in_space.h"

#include <math.h>
#include <string.h>

void relief_free(relief *g)
{
    mst_release(g->at);
    mst_release(g->normal);
    *g = (relief){0};
}

bool relief_suits(const mst_manifold *m)
{
    if (mst_manifold_dim(m) != 2 || mst_manifold_factor_count(m) != 1)
        return false;
    return mst_has_equations(m) ? mst_manifold_ambient(m) == 3 : mst_map_dim(m) == 3;
}

mst_status relief_points(const mst_manifold *m, size_t n, const double *x, double *out)
{
    if (!mst_has_equations(m))
        return mst_map_points(m, n, x, out);
    memcpy(out, x, 3 * n * sizeof *x);
    return MST_OK;
}

mst_status relief_add(relief *g, const double *const at[3], const double *const normal[3])
{
    if (g->count + 3 > g->capacity) {
        size_t capacity = 2 * g->capacity + 30000;
        double *more_at, *more_normal;
        MST_TRY(mst_allocate(&more_at, 3 * capacity));
        mst_status status = mst_allocate(&more_normal, 3 * capacity);
        if (status != MST_OK) {
            mst_release(more_at);
            return status;
        }
        if (g->count > 0) {
            memcpy(more_at, g->at, 3 * g->count * sizeof *g->at);
            memcpy(more_normal, g->normal, 3 * g->count * sizeof *g->normal);
        }
        relief old = *g;
        *g = (relief){old.count, capacity, more_at, more_normal};
        relief_free(&old);
    }
    for (int k = 0; k < 3; k++, g->count++) {
        memcpy(g->at + 3 * g->count, at[k], 3 * sizeof(double));
        memcpy(g->normal + 3 * g->count, normal[k], 3 * sizeof(double));
    }
    return MST_OK;
}

void relief_visit(const mst_picture *p, relief_taker *take, void *context)
{
    take(context, p->n, p->x);
    for (size_t k = 0; k < p->mean_count; k++) {
        take(context, 1, p->means[k].at);
        take(context, p->means[k].others, p->means[k].set);
    }
    for (size_t k = 0; k < p->curve_count; k++)
        take(context, p->curves[k].count, p->curves[k].points);
}

/* ---- A map of two coordinates ---- */

enum { STEPS = 144 };

typedef struct ranges {
    double low[3], high[3];
    size_t columns;
} ranges;

static void take_ranges(void *context, size_t n, const double *x)
{
    ranges *r = context;
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < r->columns; k++) {
            r->low[k] = fmin(r->low[k], x[i * r->columns + k]);
            r->high[k] = fmax(r->high[k], x[i * r->columns + k]);
        }
}

static void cross(const double *a, const double *b, double *out)
{
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

/* The images of a lattice of coordinates; NAN outside of the domain. */
static mst_status map_lattice(const mst_manifold *m, const ranges *r, double *at)
{
    for (size_t i = 0; i <= STEPS; i++)
        for (size_t j = 0; j <= STEPS; j++) {
            double u[2] = {r->low[0] + (r->high[0] - r->low[0]) * (double)i / STEPS,
                           r->low[1] + (r->high[1] - r->low[1]) * (double)j / STEPS};
            double *to = at + 3 * (i * (STEPS + 1) + j);
            mst_status status = mst_manifold_validate(m, 1, u, NULL);
            if (status == MST_OK)
                status = mst_map_points(m, 1, u, to);
            if (status == MST_MEMORY)
                return status;
            for (int k = 0; k < 3 && status != MST_OK; k++)
                to[k] = NAN;
        }
    return MST_OK;
}

static void lattice_normals(const double *at, double *normal)
{
    for (size_t i = 0; i <= STEPS; i++)
        for (size_t j = 0; j <= STEPS; j++) {
            size_t before = i > 0 ? i - 1 : 0, after = i < STEPS ? i + 1 : STEPS;
            size_t below = j > 0 ? j - 1 : 0, above = j < STEPS ? j + 1 : STEPS;
            double a[3], b[3];
            for (size_t k = 0; k < 3; k++) {
                a[k] =
                    at[3 * (after * (STEPS + 1) + j) + k] - at[3 * (before * (STEPS + 1) + j) + k];
                b[k] =
                    at[3 * (i * (STEPS + 1) + above) + k] - at[3 * (i * (STEPS + 1) + below) + k];
            }
            cross(a, b, normal + 3 * (i * (STEPS + 1) + j));
        }
}

static mst_status add_lattice(relief *g, const double *at, const double *normal)
{
    static const size_t corner[2][3] = {{0, 1, STEPS + 1}, {1, STEPS + 2, STEPS + 1}};
    for (size_t i = 0; i < STEPS; i++)
        for (size_t j = 0; j < STEPS; j++)
            for (int half = 0; half < 2; half++) {
                const double *a[3], *n[3];
                bool good = true;
                for (int k = 0; k < 3; k++) {
                    size_t index = 3 * (i * (STEPS + 1) + j + corner[half][k]);
                    a[k] = at + index;
                    n[k] = normal + index;
                    good = good && isfinite(at[index]) && isfinite(at[index + 1]) &&
                           isfinite(at[index + 2]);
                }
                if (good)
                    MST_TRY(relief_add(g, a, n));
            }
    return MST_OK;
}

mst_status relief_of_map(relief *g, const mst_picture *p, bool *part)
{
    ranges r = {.low = {INFINITY, INFINITY}, .high = {-INFINITY, -INFINITY}, .columns = 2};
    double period[2] = {0, 0}, *at, size = 3 * (STEPS + 1.0) * (STEPS + 1);
    (void)mst_periods(p->m, period);
    relief_visit(p, take_ranges, &r);
    *part = false;
    for (int k = 0; k < 2; k++) {
        double middle = (r.low[k] + r.high[k]) / 2, half = 0.62 * (r.high[k] - r.low[k]) + 1e-6;
        if (period[k] > 0)
            half = period[k] / 2;
        else
            *part = true;
        r.low[k] = middle - half;
        r.high[k] = middle + half;
    }
    MST_TRY(mst_allocate(&at, 2 * (size_t)size));
    mst_status status = map_lattice(p->m, &r, at);
    if (status == MST_OK) {
        lattice_normals(at, at + (size_t)size);
        status = add_lattice(g, at, at + (size_t)size);
    }
    mst_release(at);
    return status;
}

/* ---- An equation: marching tetrahedra over a lattice of cubes ---- */

enum { CUBES = 88, NODES = CUBES + 1 };

typedef struct box {
    double low[3], side[3];
    double *h; /* (NODES, NODES, NODES) */
} box;

static size_t node_of(size_t i, size_t j, size_t k)
{
    return (i * NODES + j) * NODES + k;
}

static void node_at(const box *b, const size_t i[3], double *x)
{
    for (int k = 0; k < 3; k++) /* a little off, lest nodes lie on the surface */
        x[k] = b->low[k] + b->side[k] * ((double)i[k] + 1e-4 * (k + 1)) / CUBES;
}

static mst_status fill_box(box *b, const mst_manifold *m)
{
    double x[3 * NODES];
    for (size_t i = 0; i < NODES; i++)
        for (size_t j = 0; j < NODES; j++) {
            for (size_t k = 0; k < NODES; k++)
                node_at(b, (const size_t[]){i, j, k}, x + 3 * k);
            MST_TRY(mst_equations(m, NODES, x, b->h + node_of(i, j, 0)));
        }
    return MST_OK;
}

/* Does the surface go through a wall of the box? */
static bool crosses(const box *b)
{
    bool first = b->h[0] > 0;
    for (size_t i = 0; i < NODES; i++)
        for (size_t j = 0; j < NODES; j++)
            for (size_t end = 0; end < NODES; end += CUBES)
                if ((b->h[node_of(i, j, end)] > 0) != first ||
                    (b->h[node_of(i, end, j)] > 0) != first ||
                    (b->h[node_of(end, i, j)] > 0) != first)
                    return true;
    return false;
}

typedef struct corner {
    double x[3], h;
} corner;

/* The triangle of three edges that cross the surface. */
static mst_status add_triangle(relief *g, const mst_manifold *m, const corner *const edge[3][2])
{
    double at[9], normal[9];
    const double *a[3], *n[3];
    for (int k = 0; k < 3; k++) {
        const corner *p = edge[k][0], *q = edge[k][1];
        double share = p->h / (p->h - q->h);
        for (int i = 0; i < 3; i++)
            at[3 * k + i] = p->x[i] + share * (q->x[i] - p->x[i]);
        a[k] = at + 3 * k;
        n[k] = normal + 3 * k;
        if (!isfinite(at[3 * k] + at[3 * k + 1] + at[3 * k + 2]))
            return MST_OK;
    }
    MST_TRY(mst_normals(m, 3, at, normal));
    return relief_add(g, a, n);
}

static mst_status cut_tetrahedron(relief *g, const mst_manifold *m, const corner *const c[4])
{
    const corner *in[4], *out[4];
    int inside = 0, outside = 0;
    for (int k = 0; k < 4; k++) {
        if (!isfinite(c[k]->h))
            return MST_OK;
        if (c[k]->h > 0)
            out[outside++] = c[k];
        else
            in[inside++] = c[k];
    }
    if (inside == 1 || outside == 1) {
        const corner *tip = inside == 1 ? in[0] : out[0], *const *base = inside == 1 ? out : in;
        return add_triangle(
            g, m, (const corner *const[3][2]){{tip, base[0]}, {tip, base[1]}, {tip, base[2]}});
    }
    if (inside == 2) {
        MST_TRY(add_triangle(
            g, m, (const corner *const[3][2]){{in[0], out[0]}, {in[0], out[1]}, {in[1], out[0]}}));
        return add_triangle(
            g, m, (const corner *const[3][2]){{in[1], out[0]}, {in[0], out[1]}, {in[1], out[1]}});
    }
    return MST_OK;
}

static mst_status cut_cube(relief *g, const mst_manifold *m, const box *b, const size_t from[3])
{
    /* Six tetrahedra about the diagonal from corner 0 to corner 7; bit k of a corner is axis k. */
    static const int parts[6][4] = {{0, 1, 3, 7}, {0, 3, 2, 7}, {0, 2, 6, 7},
                                    {0, 6, 4, 7}, {0, 4, 5, 7}, {0, 5, 1, 7}};
    corner c[8];
    int above = 0;
    for (int k = 0; k < 8; k++) {
        const size_t at[3] = {from[0] + (size_t)(k & 1), from[1] + (size_t)(k >> 1 & 1),
                              from[2] + (size_t)(k >> 2)};
        c[k].h = b->h[node_of(at[0], at[1], at[2])];
        node_at(b, at, c[k].x);
        above += c[k].h > 0;
    }
    for (int t = 0; above > 0 && above < 8 && t < 6; t++)
        MST_TRY(cut_tetrahedron(g, m,
                                (const corner *const[4]){&c[parts[t][0]], &c[parts[t][1]],
                                                         &c[parts[t][2]], &c[parts[t][3]]}));
    return MST_OK;
}

/* A box about the points, twice as large, and larger until the surface is in it. */
static mst_status find_box(box *b, const mst_picture *p, bool *part)
{
    ranges r = {.low = {INFINITY, INFINITY, INFINITY},
                .high = {-INFINITY, -INFINITY, -INFINITY},
                .columns = 3};
    double largest = 0;
    relief_visit(p, take_ranges, &r);
    for (int k = 0; k < 3; k++)
        largest = fmax(largest, r.high[k] - r.low[k]);
    largest = fmax(largest, 1e-3);
    for (double size = 1.2; size < 40; size *= 1.5) {
        for (int k = 0; k < 3; k++) {
            b->side[k] = size * largest;
            b->low[k] = (r.low[k] + r.high[k] - b->side[k]) / 2;
        }
        MST_TRY(fill_box(b, p->m));
        *part = crosses(b);
        if (!*part)
            return MST_OK;
    }
    for (int k = 0; k < 3; k++) { /* it does not end: what is about the points */
        b->side[k] = 1.25 * largest;
        b->low[k] = (r.low[k] + r.high[k] - b->side[k]) / 2;
    }
    return fill_box(b, p->m);
}

/* Closed surfaces are found in a box that may be much too large for the lattice: once more, about them. */
static mst_status tighten(box *b, const mst_manifold *m)
{
    double low[3], high[3];
    for (int k = 0; k < 3; k++) {
        low[k] = b->low[k] + b->side[k];
        high[k] = b->low[k];
    }
    for (size_t i = 0; i < CUBES; i++)
        for (size_t j = 0; j < CUBES; j++)
            for (size_t k = 0; k < CUBES; k++) {
                bool here = b->h[node_of(i, j, k)] > 0;
                if ((b->h[node_of(i + 1, j, k)] > 0) == here &&
                    (b->h[node_of(i, j + 1, k)] > 0) == here &&
                    (b->h[node_of(i, j, k + 1)] > 0) == here)
                    continue;
                const size_t at[3] = {i, j, k};
                for (int a = 0; a < 3; a++) {
                    double x = b->low[a] + b->side[a] * (double)at[a] / CUBES,
                           cell = b->side[a] / CUBES;
                    low[a] = fmin(low[a], x - cell);
                    high[a] = fmax(high[a], x + 2 * cell);
                }
            }
    for (int a = 0; a < 3; a++) {
        if (!(high[a] > low[a]))
            return mst_fail(MST_UNABLE, "the surface was not found near the points");
        b->low[a] = low[a];
        b->side[a] = high[a] - low[a];
    }
    return fill_box(b, m);
}

mst_status relief_of_equation(relief *g, const mst_picture *p, bool *part)
{
    box b = {0};
    MST_TRY(mst_allocate(&b.h, (size_t)NODES * NODES * NODES));
    mst_status status = find_box(&b, p, part);
    if (status == MST_OK && !*part)
        status = tighten(&b, p->m);
    for (size_t i = 0; i < CUBES; i++)
        for (size_t j = 0; j < CUBES; j++)
            for (size_t k = 0; k < CUBES && status == MST_OK; k++)
                status = cut_cube(g, p->m, &b, (const size_t[]){i, j, k});
    mst_release(b.h);
    return status;
}
