/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

#include "pde/order.h"

#include <limits.h>
#include <math.h>
#include <string.h>

enum { ELSEWHERE, LOW, HIGH, BETWEEN };

typedef struct dissection {
    const pde_graph *g;
    size_t leaf;
    size_t *lines;       /* room for one count per line of the lattice, and one more */
    int *spare;          /* (n) */
    unsigned char *side; /* (n) */
} dissection;

/* A part, with its extent. */
typedef struct part {
    int *list;
    size_t count;
    int low[2], high[2];
} part;

static part part_of(const dissection *d, int *list, size_t count)
{
    part p = {list, count, {INT_MAX, INT_MAX}, {INT_MIN, INT_MIN}};
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < 2; k++) {
            int at = d->g->at[list[i]][k];
            p.low[k] = at < p.low[k] ? at : p.low[k];
            p.high[k] = at > p.high[k] ? at : p.high[k];
        }
    return p;
}

/* lines[c] becomes the number of unknowns in the first c lines of the part. */
static size_t count_lines(dissection *d, const part *p, size_t axis)
{
    size_t extent = (size_t)(p->high[axis] - p->low[axis]) + 1;
    memset(d->lines, 0, (extent + 1) * sizeof *d->lines);
    for (size_t i = 0; i < p->count; i++)
        d->lines[d->g->at[p->list[i]][axis] - p->low[axis] + 1]++;
    for (size_t c = 0; c < extent; c++)
        d->lines[c + 1] += d->lines[c];
    return extent;
}

/* Stable. */
static void sort_by(dissection *d, const part *p, size_t axis)
{
    count_lines(d, p, axis);
    for (size_t i = 0; i < p->count; i++)
        d->spare[d->lines[d->g->at[p->list[i]][axis] - p->low[axis]]++] = p->list[i];
    memcpy(p->list, d->spare, p->count * sizeof *p->list);
}

static void sort(dissection *d, const part *p)
{
    if (p->count == 0)
        return;
    size_t longer = p->high[0] - p->low[0] >= p->high[1] - p->low[1] ? 0 : 1;
    sort_by(d, p, 1 - longer);
    sort_by(d, p, longer);
}

/* A cut that leaves `separator` unknowns between a low and a high part. */
typedef struct cut {
    size_t axis, low, high, separator;
    int line; /* the first of the high part */
} cut;

/* The size of the separator, over that of the smaller part. */
static double cost_of(const cut *c)
{
    size_t smaller = c->low < c->high ? c->low : c->high;
    return smaller > 0 ? ((double)c->separator + 1) / (double)smaller : INFINITY;
}

/* The best cut across an axis whose separator is `reach` lines. */
static cut find_cut(dissection *d, const part *p, size_t axis)
{
    size_t extent = count_lines(d, p, axis), reach = (size_t)d->g->reach;
    cut best = {.axis = axis};
    for (size_t c = reach + 1; c < extent; c++) {
        cut next = {axis, d->lines[c - reach], p->count - d->lines[c], 0, p->low[axis] + (int)c};
        next.separator = p->count - next.low - next.high;
        if (cost_of(&next) < cost_of(&best))
            best = next;
    }
    return best;
}

static bool has_neighbour(const dissection *d, int k, unsigned char side)
{
    for (size_t e = d->g->line[k]; e < d->g->line[k + 1]; e++)
        if (d->side[d->g->column[e]] == side)
            return true;
    return false;
}

/* Marks the sides of a cut. The separator are the unknowns of the low side with neighbours on the high one,
 * also those around a period, so that the sizes may change. */
static void mark_sides(dissection *d, const part *p, cut *c)
{
    for (size_t i = 0; i < p->count; i++)
        d->side[p->list[i]] = d->g->at[p->list[i]][c->axis] < c->line ? LOW : HIGH;
    c->low = c->separator = 0;
    for (size_t i = 0; i < p->count; i++)
        if (d->side[p->list[i]] == LOW) {
            bool between = has_neighbour(d, p->list[i], HIGH);
            d->side[p->list[i]] = between ? BETWEEN : LOW;
            c->separator += between;
            c->low += !between;
        }
    c->high = p->count - c->low - c->separator;
}

/* Puts the list in the order of the sides, and forgets these. */
static void split(dissection *d, const part *p)
{
    size_t count = 0;
    for (int side = LOW; side <= BETWEEN; side++)
        for (size_t i = 0; i < p->count; i++)
            if (d->side[p->list[i]] == side)
                d->spare[count++] = p->list[i];
    memcpy(p->list, d->spare, count * sizeof *p->list);
    for (size_t i = 0; i < count; i++)
        d->side[p->list[i]] = ELSEWHERE;
}

/* Of the best cuts across both axes the better one. */
static cut choose_cut(dissection *d, const part *p)
{
    cut cuts[2];
    for (size_t k = 0; k < 2; k++) {
        cuts[k] = find_cut(d, p, k);
        if (!isinf(cost_of(&cuts[k])))
            mark_sides(d, p, &cuts[k]);
    }
    if (cost_of(&cuts[0]) < cost_of(&cuts[1]))
        mark_sides(d, p, &cuts[0]);
    return cost_of(&cuts[0]) < cost_of(&cuts[1]) ? cuts[0] : cuts[1];
}

static void dissect(dissection *d, int *list, size_t count)
{
    part p = part_of(d, list, count);
    cut c = {0};
    if (count > d->leaf)
        c = choose_cut(d, &p);
    if (isinf(cost_of(&c))) {
        for (size_t i = 0; i < count; i++)
            d->side[list[i]] = ELSEWHERE;
        sort(d, &p);
        return;
    }
    split(d, &p);
    dissect(d, list, c.low);
    dissect(d, list + c.low, c.high);
    part between = part_of(d, list + c.low + c.high, c.separator);
    sort(d, &between);
}

mst_status pde_dissect(const pde_graph *g, size_t leaf, int *order)
{
    dissection d = {.g = g, .leaf = leaf};
    for (size_t k = 0; k < g->n; k++)
        order[k] = (int)k;
    part all = part_of(&d, order, g->n);
    size_t extent = 0;
    for (size_t k = 0; k < 2; k++) {
        size_t own = (size_t)(all.high[k] - all.low[k]) + 1;
        extent = own > extent ? own : extent;
    }
    MST_TRY(mst_allocate(&d.lines, extent + 1));
    mst_status status = mst_allocate(&d.spare, g->n);
    if (status == MST_OK)
        status = mst_allocate_zero(&d.side, g->n);
    if (status == MST_OK)
        dissect(&d, order, g->n);
    mst_release(d.lines);
    mst_release(d.spare);
    mst_release(d.side);
    return status;
}
