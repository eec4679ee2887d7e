/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Is an atlas one? Tried on random points of every chart: transitions must be inverse to each other and keep
 * lengths, and points that should leave a chart must come to one that keeps them. */
#include "formula/text.h"

#include "manifold/formula_atlas.h"
#include "manifold/metric.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { POINTS = 300 };

typedef struct trial {
    const mst_manifold *m;
    const formula_atlas *a;
    const formula_file *file;
    const formula_text *text;
    double *x, *y, *back, *v, *w; /* (D): a point, there, and back again; a vector, and there */
} trial;

/* The first coordinates of a point, for messages. */
enum { SHOWN = 120 };
static const char *show(size_t d, const double *x, char text[SHOWN])
{
    size_t used = 0;
    for (size_t k = 0; k < d && used < SHOWN - 30; k++)
        used += (size_t)snprintf(text + used, SHOWN - used, "%s%.3g", k > 0 ? ", " : "", x[k]);
    return text;
}

/* Point number i of a chart, near and far; false: it is none. */
static bool draw(trial *t, size_t chart, size_t i)
{
    static const double scales[] = {0.2, 0.7, 2, 6};
    size_t d = t->a->d;
    mst_random r = {2712, chart};
    unsigned char inside;
    for (size_t k = 0; k < d; k++) {
        double z[2];
        mst_random_normals(r, (i * d + k) * 2, 2, z);
        t->x[k] = (chart == 0 && i % 2 == 0 ? t->a->start[k] : 0) + scales[i / 2 % 4] * z[0];
        t->v[k] = z[1];
    }
    t->x[d] = (double)chart;
    t->v[d] = 0;
    metric_inside(t->m, 1, t->x, &inside);
    return inside;
}

static bool arrives(trial *t, size_t to, const double *x, const double *v, double *y, double *w)
{
    double chart = (double)to;
    t->m->metric->ops.transition(t->m, 1, x, v, &chart, y, w);
    for (size_t k = 0; k < t->a->d; k++)
        if (!isfinite(y[k]))
            return false;
    return true;
}

static mst_status try_transition(trial *t, const formula_transition *way, size_t *tried)
{
    const double tolerance = 1e-8;
    size_t d = t->a->d;
    char point[SHOWN], other[SHOWN];
    double here, there, off = 0, size = 1;
    if (!arrives(t, way->to, t->x, t->v, t->y, t->w))
        return MST_OK;
    bool returns = arrives(t, way->from, t->y, NULL, t->back, NULL);
    for (size_t k = 0; k < d; k++) {
        off = fmax(off, fabs(t->back[k] - t->x[k]));
        size = fmax(size, fabs(t->x[k]));
    }
    if (!returns || !(off <= tolerance * size))
        return formula_complain(t->text, way->at, "(%s) comes back by the other transition as (%s)",
                                show(d, t->x, point), show(d, t->back, other));
    MST_TRY(mst_manifold_inner(t->m, 1, t->x, t->v, t->v, &here));
    MST_TRY(mst_manifold_inner(t->m, 1, t->y, t->w, t->w, &there));
    if (!(fabs(here - there) <= tolerance * here))
        return formula_complain(t->text, way->at,
                                "lengths change: at (%s) a vector is %.6g long, and %.6g there",
                                show(d, t->x, point), sqrt(here), sqrt(there));
    ++*tried;
    return MST_OK;
}

/* Where the point should go, it must be able to stay. */
static mst_status try_leave(trial *t)
{
    size_t d = t->a->d, from = (size_t)t->x[d];
    char point[SHOWN];
    double to = metric_chart_for(t->m, t->x);
    const formula_leave *l = t->file->leave;
    if (to == t->x[d])
        return MST_OK;
    while (l->from != from || l->to != (size_t)to)
        l++;
    if (!arrives(t, l->to, t->x, NULL, t->y, NULL))
        return formula_complain(t->text, l->at, "the other chart does not reach (%s)",
                                show(d, t->x, point));
    if (metric_chart_for(t->m, t->y) == t->x[d])
        return formula_complain(t->text, l->at, "(%s) is sent back and forth",
                                show(d, t->x, point));
    return MST_OK;
}

static mst_status try_all(trial *t)
{
    const formula_file *f = t->file;
    for (size_t k = 0; k < f->transitions; k++) {
        size_t tried = 0;
        for (size_t i = 0; i < POINTS; i++)
            if (draw(t, f->transition[k].from, i))
                MST_TRY(try_transition(t, &f->transition[k], &tried));
        if (tried == 0)
            return formula_complain(t->text, f->transition[k].at,
                                    "none of %d random points of the chart can be brought there",
                                    POINTS);
    }
    for (size_t c = 0; c < f->charts; c++)
        for (size_t i = 0; i < POINTS; i++)
            if (draw(t, c, i))
                MST_TRY(try_leave(t));
    return MST_OK;
}

mst_status formula_atlas_check(const mst_manifold *m, const formula_file *file,
                               const formula_text *text)
{
    trial t = {.m = m, .a = mst_manifold_data(m), .file = file, .text = text};
    size_t D = m->ambient;
    double **rows[] = {&t.x, &t.y, &t.back, &t.v, &t.w}, *room;
    MST_TRY(mst_allocate_zero(&room, 5 * D));
    for (size_t k = 0; k < 5; k++)
        *rows[k] = room + k * D;
    mst_status status = try_all(&t);
    mst_release(room);
    return status;
}
