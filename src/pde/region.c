/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

#include "pde/region.h"

#include "pde/lattice.h"

#include <math.h>
#include <string.h>

/* Places along an axis and how many cells a unit of the coordinate is to have there; linear between them. */
typedef struct density {
    size_t count, room;
    double *at, *cells;
} density;

typedef struct search {
    const pde_plane *p;
    size_t n;
    const double *x;
    const pde_wish *wish;
    pde_lattice l;
    density d[2];
    bool ended[2][2]; /* the domain ends at this side of the axis */
} search;

static mst_status add(density *d, double at, double cells)
{
    if (d->count == d->room) {
        size_t room = d->room;
        MST_TRY(mst_grow(&d->at, d->count, &room));
        MST_TRY(mst_grow(&d->cells, d->count, &d->room));
    }
    d->at[d->count] = at;
    d->cells[d->count++] = cells;
    return MST_OK;
}

static void turn_around(density *d)
{
    for (size_t i = 0, j = d->count; i + 1 < j; i++) {
        j--;
        double at = d->at[i], cells = d->cells[i];
        d->at[i] = d->at[j];
        d->cells[i] = d->cells[j];
        d->at[j] = at;
        d->cells[j] = cells;
    }
}

static double *node_dist(const search *s, size_t a, size_t k, size_t other)
{
    const pde_lattice *l = &s->l;
    return l->dist + (a == 0 ? k * l->nodes[1] + other : other * l->nodes[1] + k);
}

/* How much the metric changes between two nodes, as a logarithm. */
static double change(const double *g, const double *h)
{
    double skew = g[1] / sqrt(g[0] * g[2]) - h[1] / sqrt(h[0] * h[2]);
    return fmax(fmax(fabs(log(g[0] / h[0])), fabs(log(g[2] / h[2]))), fabs(skew));
}

/* Cells per unit of the coordinate that the change of the metric from node to the next columns asks for. */
static double ask_change(const search *s, size_t a, size_t k, size_t node)
{
    const pde_lattice *l = &s->l;
    size_t stride = a == 0 ? l->nodes[1] : 1, n = l->nodes[a];
    double most = 0;
    for (size_t side = 0; side < 2; side++) {
        if (l->period[a] == 0 && (side == 0 ? k == 0 : k + 1 == n))
            continue;
        size_t next = side == 0 ? (k + n - 1) % n : (k + 1) % n, cell = side == 0 ? next : k;
        size_t other = node - k * stride + next * stride;
        if (l->inside[other])
            most = fmax(most, change(l->g + 3 * node, l->g + 3 * other) /
                                  (l->at[a][cell + 1] - l->at[a][cell]));
    }
    return most / s->wish->change;
}

/* Of column k of axis a: the densest that its nodes within reach ask for, and the nearest of them. */
static double ask(const search *s, size_t a, size_t k, double *nearest, size_t *which)
{
    const pde_lattice *l = &s->l;
    double most = 0;
    *nearest = INFINITY;
    for (size_t other = 0; other < l->nodes[1 - a]; other++) {
        const double *dist = node_dist(s, a, k, other);
        size_t node = (size_t)(dist - l->dist);
        if (!l->inside[node])
            continue;
        if (*dist < *nearest) {
            *nearest = *dist;
            *which = other;
        }
        if (*dist <= s->wish->reach) {
            most = fmax(most, sqrt(l->g[3 * node + 2 * a]) / s->wish->spacing);
            most = fmax(most, ask_change(s, a, k, node));
        }
    }
    return most;
}

/* From an end of the axis on, as far as the sources reach beyond it. */
static mst_status march(search *s, size_t a, size_t side, size_t which, double nearest, bool *grown)
{
    const pde_lattice *l = &s->l;
    double x[2], g[3], way = 0, sign = side == 0 ? -1 : 1;
    unsigned char inside;
    x[a] = l->at[a][side == 0 ? 0 : l->cells[a]];
    x[1 - a] = l->at[1 - a][which];
    for (size_t k = 0; way < s->wish->reach - nearest + 2 * s->wish->spacing && k < s->wish->most;
         k++) {
        MST_TRY(pde_plane_metric(s->p, 1, x, g, &inside));
        if (!inside)
            break;
        double old = x[a], step = s->wish->spacing / sqrt(g[2 * a]);
        inside = 0;
        for (size_t half = 0; half < 3 && !inside; half++, step *= 0.5) {
            x[a] = old + sign * step;
            MST_TRY(pde_plane_metric(s->p, 1, x, g, &inside));
        }
        if (!inside) {
            s->ended[a][side] = true;
            break;
        }
        double gone = fabs(x[a] - old);
        way += gone * sqrt(g[2 * a]);
        *grown = true;
        MST_TRY(add(&s->d[a], x[a], 1 / gone));
    }
    return MST_OK;
}

/* Densities change by little from one cell to the next. */
static void smooth(density *d, bool closed)
{
    const double fall = 0.1;
    for (size_t pass = 0; pass < (closed ? 4u : 2u); pass++) {
        for (size_t k = 1; k < d->count; k++) {
            double near = d->cells[k - 1];
            d->cells[k] =
                fmax(d->cells[k], near * exp(-fall * near * fabs(d->at[k] - d->at[k - 1])));
        }
        if (closed) /* the last place is the first */
            d->cells[0] = d->cells[d->count - 1] = fmax(d->cells[0], d->cells[d->count - 1]);
        turn_around(d);
    }
}

/* What the columns of an axis ask for, those beyond its ends included. */
static mst_status survey(search *s, size_t a, bool *grown)
{
    const pde_lattice *l = &s->l;
    density *d = &s->d[a];
    size_t first = 0, last = l->nodes[a] - 1, which = 0;
    double nearest;
    bool closed = l->period[a] > 0;
    d->count = 0;
    if (!closed) {
        /* Columns that nothing reaches are left out again. */
        while (first + 1 < last && ask(s, a, first + 1, &nearest, &which) == 0)
            first++;
        while (first + 1 < last && ask(s, a, last - 1, &nearest, &which) == 0)
            last--;
        (void)ask(s, a, first, &nearest, &which);
        if (first == 0 && nearest < s->wish->reach && !s->ended[a][0])
            MST_TRY(march(s, a, 0, which, nearest, grown));
        turn_around(d);
    }
    for (size_t k = first; k <= last; k++)
        MST_TRY(add(d, l->at[a][k], ask(s, a, k, &nearest, &which)));
    if (closed)
        MST_TRY(add(d, l->at[a][l->cells[a]], d->cells[0]));
    else if (last == l->nodes[a] - 1 && nearest < s->wish->reach && !s->ended[a][1])
        MST_TRY(march(s, a, 1, which, nearest, grown));
    smooth(d, closed);
    return MST_OK;
}

/* Ends of cells that have equal shares of the density; at is new. */
static mst_status share_out(const search *s, size_t a, size_t *cells, double **at)
{
    const density *d = &s->d[a];
    double total = 0, sum = 0;
    for (size_t k = 1; k < d->count; k++)
        total += 0.5 * (d->cells[k] + d->cells[k - 1]) * (d->at[k] - d->at[k - 1]);
    if (!(total < (double)s->wish->most))
        return mst_fail(MST_UNABLE, "more than %zu cells along a coordinate", s->wish->most);
    size_t least = s->p->period[a] > 0 ? s->wish->around : PDE_LEAST_CELLS;
    *cells = total > (double)least ? (size_t)ceil(total) : least;
    MST_TRY(mst_allocate(at, *cells + 1));
    size_t next = 0;
    for (size_t k = 1; k < d->count; k++) {
        double more = 0.5 * (d->cells[k] + d->cells[k - 1]) * (d->at[k] - d->at[k - 1]);
        for (; next <= *cells && (double)next * total <= (sum + more) * (double)*cells; next++) {
            double part = ((double)next * total / (double)*cells - sum) / more;
            (*at)[next] = d->at[k - 1] + part * (d->at[k] - d->at[k - 1]);
        }
        sum += more;
    }
    for (; next <= *cells; next++) /* rounding */
        (*at)[next] = d->at[d->count - 1];
    (*at)[0] = d->at[0];
    (*at)[*cells] = d->at[d->count - 1];
    return MST_OK;
}

static mst_status replace(search *s, const size_t cells[2], double *const at[2])
{
    if (cells[0] > 4 * s->wish->most / cells[1])
        return mst_fail(MST_UNABLE, "more than %zu cells", 4 * s->wish->most);
    pde_lattice_free(&s->l);
    MST_TRY(pde_lattice_new(&s->l, s->p, cells, at));
    return pde_lattice_measure(&s->l, s->n, s->x, s->wish->reach);
}

static mst_status relattice(search *s)
{
    size_t cells[2] = {0};
    double *at[2] = {NULL, NULL};
    mst_status status = MST_OK;
    for (size_t a = 0; status == MST_OK && a < 2; a++)
        status = share_out(s, a, &cells[a], &at[a]);
    if (status == MST_OK)
        status = replace(s, cells, at);
    for (size_t a = 0; a < 2; a++)
        mst_release(at[a]);
    return status;
}

/* At first the sources themselves say how dense it has to be. */
static mst_status first_guess(search *s)
{
    double low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY}, dense[2] = {0};
    double *g;
    unsigned char *inside;
    MST_TRY(mst_allocate(&g, 3 * s->n));
    mst_status status = mst_allocate(&inside, s->n);
    if (status == MST_OK)
        status = pde_plane_metric(s->p, s->n, s->x, g, inside);
    for (size_t i = 0; status == MST_OK && i < s->n; i++)
        for (size_t a = 0; a < 2; a++) {
            if (!inside[i])
                continue;
            double step = s->wish->spacing / sqrt(g[3 * i + 2 * a]);
            low[a] = fmin(low[a], s->x[2 * i + a] - 0.1 * step);
            high[a] = fmax(high[a], s->x[2 * i + a] + 0.1 * step);
            dense[a] = fmax(dense[a], 1 / step);
        }
    mst_release(g);
    mst_release(inside);
    for (size_t a = 0; status == MST_OK && a < 2; a++) {
        double half = 0.5 * s->p->period[a];
        status = add(&s->d[a], half > 0 ? -half : low[a], dense[a]);
        if (status == MST_OK)
            status = add(&s->d[a], half > 0 ? half : high[a], dense[a]);
    }
    return status;
}

static mst_status settle(search *s)
{
    MST_TRY(first_guess(s));
    MST_TRY(relattice(s));
    for (size_t round = 0; round < 30; round++) {
        size_t cells[2] = {s->l.cells[0], s->l.cells[1]};
        bool grown = false, same = true;
        for (size_t a = 0; a < 2; a++)
            MST_TRY(survey(s, a, &grown));
        MST_TRY(relattice(s));
        for (size_t a = 0; a < 2; a++) {
            double now = (double)s->l.cells[a];
            same = same && fabs(now - (double)cells[a]) <= 1 + 0.03 * now;
        }
        if (!grown && same)
            return MST_OK;
    }
    return mst_fail(MST_UNABLE, "knots that do not settle");
}

static mst_status mark(pde_region *r, search *s)
{
    const pde_lattice *l = &s->l;
    double close = s->wish->reach - 2 * s->wish->spacing;
    MST_TRY(mst_allocate_zero(&r->active, l->cells[0] * l->cells[1]));
    for (size_t a = 0; a < 2; a++)
        MST_TRY(pde_axis_new(&r->axis[a], l->cells[a], l->at[a], l->period[a]));
    for (size_t i = 0; i <= l->cells[0]; i++)
        for (size_t j = 0; j <= l->cells[1]; j++) {
            size_t node = i % l->nodes[0] * l->nodes[1] + j % l->nodes[1];
            /* Does the axis end here, though there is heat? */
            for (size_t a = 0; a < 2; a++) {
                size_t k = a == 0 ? i : j;
                bool end = (k == 0 && s->ended[a][0]) || (k == l->cells[a] && s->ended[a][1]);
                r->at_edge = r->at_edge || (end && l->dist[node] < close);
            }
        }
    for (size_t i = 0; i < l->cells[0]; i++)
        for (size_t j = 0; j < l->cells[1]; j++) {
            bool all = true, near = false;
            for (size_t k = 0; k < 4; k++) {
                size_t node = (i + k / 2) % l->nodes[0] * l->nodes[1] + (j + k % 2) % l->nodes[1];
                all = all && l->inside[node];
                near = near || l->dist[node] < close;
            }
            r->active[i * l->cells[1] + j] = all;
            r->at_edge = r->at_edge || (near && !all);
        }
    return MST_OK;
}

mst_status pde_region_new(pde_region *r, const pde_plane *p, size_t n, const double *x,
                          const pde_wish *wish)
{
    search s = {.p = p, .n = n, .x = x, .wish = wish};
    *r = (pde_region){0};
    mst_status status = settle(&s);
    if (status == MST_OK)
        status = mark(r, &s);
    pde_lattice_free(&s.l);
    for (size_t a = 0; a < 2; a++) {
        mst_release(s.d[a].at);
        mst_release(s.d[a].cells);
    }
    if (status != MST_OK)
        pde_region_free(r);
    return status;
}

void pde_region_free(pde_region *r)
{
    for (size_t a = 0; a < 2; a++)
        pde_axis_free(&r->axis[a]);
    mst_release(r->active);
    *r = (pde_region){0};
}
