/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

#include "pde/cholesky.h"

#include <limits.h>
#include <math.h>
#include <string.h>

enum { P = PDE_DEGREE, S = PDE_SIDE };

/* ---- Unknowns ---- */

/* Are all cells of a product's support active? */
static bool is_whole(const pde_region *r, size_t a, size_t b)
{
    size_t u = r->axis[0].cells, v = r->axis[1].cells, first[2], last[2];
    pde_axis_support(&r->axis[0], a, &first[0], &last[0]);
    pde_axis_support(&r->axis[1], b, &first[1], &last[1]);
    for (size_t i = first[0]; i <= last[0]; i++)
        for (size_t j = first[1]; j <= last[1]; j++)
            if (!r->active[i % u * v + j % v])
                return false;
    return true;
}

static mst_status number(pde_grid *g, size_t most)
{
    const pde_region *r = &g->region;
    size_t u = r->axis[0].count, v = r->axis[1].count;
    MST_TRY(mst_allocate(&g->unknown, u * v));
    g->n = 0;
    for (size_t k = 0; k < u * v; k++)
        g->unknown[k] = is_whole(r, k / v, k % v) ? (int)g->n++ : -1;
    if (g->n == 0)
        return mst_fail(MST_UNABLE, "no room between the edges of the domain");
    return g->n <= most ? MST_OK : mst_fail(MST_UNABLE, "%zu unknowns", g->n);
}

/* The product du and dv functions on from (a, b); −1: none. */
static int neighbour(const pde_grid *g, size_t a, size_t b, size_t near)
{
    size_t to[2] = {a + near / PDE_BAND, b + near % PDE_BAND};
    for (size_t k = 0; k < 2; k++) {
        const pde_axis *x = &g->region.axis[k];
        if (x->period > 0)
            to[k] = (to[k] + x->cells - P) % x->cells;
        else if (to[k] < P || to[k] - P >= x->count)
            return -1;
        else
            to[k] -= P;
    }
    return g->unknown[to[0] * g->region.axis[1].count + to[1]];
}

/* ---- Matrices by rows ---- */

/* Both matrices without the neighbours that do not exist: `shifted` gets M + ½γK. */
static mst_status compress(pde_grid *g, const double *mass, double *stiff, double gamma,
                           double **shifted)
{
    size_t v = g->region.axis[1].count, all = g->region.axis[0].count * v, count = 0;
    MST_TRY(mst_allocate(&g->line, g->n + 1));
    MST_TRY(mst_allocate(&g->column, g->n * PDE_NEAR));
    MST_TRY(mst_allocate(&g->mass, g->n * PDE_NEAR));
    MST_TRY(mst_allocate(&g->on_rim, g->n));
    MST_TRY(mst_allocate(shifted, g->n * PDE_NEAR));
    for (size_t k = 0, row = 0; k < all; k++) {
        if (g->unknown[k] < 0)
            continue;
        g->line[row] = count;
        for (size_t near = 0; near < PDE_NEAR; near++) {
            int to = neighbour(g, k / v, k % v, near);
            if (to < 0)
                continue;
            g->column[count] = to;
            g->mass[count] = mass[row * PDE_NEAR + near];
            (*shifted)[count++] =
                mass[row * PDE_NEAR + near] + 0.5 * gamma * stiff[row * PDE_NEAR + near];
        }
        row++;
    }
    g->line[g->n] = count;
    return MST_OK;
}

/* A matrix with rows and columns in another order: order[k] is the old number of k, place its inverse. */
static void permute(const pde_grid *g, const int *order, const int *place, pde_grid *to)
{
    to->line[0] = 0;
    for (size_t k = 0; k < g->n; k++) {
        size_t from = g->line[order[k]], length = g->line[order[k] + 1] - from;
        for (size_t e = 0; e < length; e++) {
            to->column[to->line[k] + e] = place[g->column[from + e]];
            to->mass[to->line[k] + e] = g->mass[from + e];
        }
        to->integral[k] = g->integral[order[k]];
        to->line[k + 1] = to->line[k] + length;
    }
}

/* Everything in the order of the factor. */
static mst_status reorder(pde_grid *g)
{
    const int *order = g->factor.order;
    pde_grid to = {.n = g->n};
    size_t count = g->line[g->n], width = g->region.axis[1].count;
    int *place = NULL;
    mst_status status = mst_allocate(&place, g->n);
    if (status == MST_OK)
        status = mst_allocate(&to.line, g->n + 1);
    if (status == MST_OK)
        status = mst_allocate(&to.column, count);
    if (status == MST_OK)
        status = mst_allocate(&to.mass, count);
    if (status == MST_OK)
        status = mst_allocate(&to.integral, g->n);
    for (size_t k = 0; status == MST_OK && k < g->n; k++)
        place[order[k]] = (int)k;
    if (status == MST_OK)
        permute(g, order, place, &to);
    for (size_t k = 0; status == MST_OK && k < g->region.axis[0].count * width; k++)
        if (g->unknown[k] >= 0) {
            g->unknown[k] = place[g->unknown[k]];
            g->on_rim[g->unknown[k]] = pde_axis_at_end(&g->region.axis[0], k / width) ||
                                       pde_axis_at_end(&g->region.axis[1], k % width);
        }
    /* What is released below is the old, or on failure the new. */
    pde_grid old = status == MST_OK ? *g : to;
    if (status == MST_OK) {
        g->line = to.line;
        g->column = to.column;
        g->mass = to.mass;
        g->integral = to.integral;
    }
    mst_release(place);
    mst_release(old.line);
    mst_release(old.column);
    mst_release(old.mass);
    mst_release(old.integral);
    return status;
}

static mst_status factorise(pde_grid *g, const double *matrix)
{
    size_t width = g->region.axis[1].count, all = g->region.axis[0].count * width;
    int(*at)[2];
    MST_TRY(mst_allocate(&at, g->n));
    for (size_t k = 0; k < all; k++)
        if (g->unknown[k] >= 0) {
            at[g->unknown[k]][0] = (int)(k / width);
            at[g->unknown[k]][1] = (int)(k % width);
        }
    pde_graph graph = {g->n, g->line, g->column, (const int(*)[2])at, P};
    mst_status status = pde_factor_new(&g->factor, &graph, matrix);
    mst_release(at);
    return status;
}

static mst_status assemble(pde_grid *g, const double *metric, double gamma)
{
    double *mass, *stiff = NULL, *shifted = NULL;
    mst_status status = mst_allocate_zero(&mass, g->n * PDE_NEAR);
    if (status == MST_OK)
        status = mst_allocate_zero(&stiff, g->n * PDE_NEAR);
    if (status == MST_OK)
        status = mst_allocate_zero(&g->integral, g->n);
    if (status == MST_OK) {
        pde_cells_matrices(&g->region, g->unknown, metric, mass, stiff, g->integral);
        status = compress(g, mass, stiff, gamma, &shifted);
    }
    mst_release(mass);
    mst_release(stiff);
    if (status == MST_OK)
        status = factorise(g, shifted);
    mst_release(shifted);
    return status == MST_OK ? reorder(g) : status;
}

mst_status pde_grid_new(pde_grid *g, const pde_plane *p, pde_region *region, double gamma,
                        size_t most)
{
    double *metric = NULL;
    *g = (pde_grid){.region = *region};
    *region = (pde_region){0};
    mst_status status = pde_cells_metric(&g->region, p, &metric);
    if (status == MST_OK)
        status = number(g, most);
    if (status == MST_OK)
        status = assemble(g, metric, gamma);
    mst_release(metric);
    if (status != MST_OK)
        pde_grid_free(g);
    return status;
}

void pde_grid_free(pde_grid *g)
{
    pde_factor_free(&g->factor);
    pde_region_free(&g->region);
    mst_release(g->unknown);
    mst_release(g->line);
    mst_release(g->column);
    mst_release(g->mass);
    mst_release(g->integral);
    mst_release(g->on_rim);
    *g = (pde_grid){0};
}

bool pde_grid_stencil(const pde_grid *g, const double *x, pde_stencil *s)
{
    const pde_axis *u = &g->region.axis[0], *v = &g->region.axis[1];
    double at[2] = {x[0], x[1]}, b[2][3][S];
    size_t i = pde_axis_cell(u, &at[0]), j = pde_axis_cell(v, &at[1]);
    if (i == SIZE_MAX || j == SIZE_MAX || !g->region.active[i * v->cells + j])
        return false;
    pde_axis_values(u, i, at[0], b[0]);
    pde_axis_values(v, j, at[1], b[1]);
    static const size_t orders[6][2] = {{0, 0}, {1, 0}, {0, 1}, {2, 0}, {1, 1}, {0, 2}};
    for (size_t k = 0; k < PDE_STENCIL; k++) {
        size_t a = pde_axis_function(u, i, k / S), c = pde_axis_function(v, j, k % S);
        s->unknown[k] = g->unknown[a * v->count + c];
        for (size_t e = 0; e < 6; e++)
            s->value[e][k] = b[0][orders[e][0]][k / S] * b[1][orders[e][1]][k % S];
    }
    return true;
}
