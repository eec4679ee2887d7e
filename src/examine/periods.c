/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Are the stated periods periods, and the smallest ones, and are there others? */
#include "examine/examine.h"

#include <math.h>
#include <string.h>

/* At a point: the metric (d, d), then the embedding (E). */
typedef struct sight {
    metric_work w;
    double *here, *there, *x;
    size_t square, embedded;
} sight;

static bool look(const examiner *e, sight *s, const double *x, double *out)
{
    const mst_metric_ops *ops = &e->m->metric->ops;
    return metric_tensor(e->m, 1, x, &s->w, out) == MST_OK &&
           (s->embedded == 0 || ops->embedding(e->m, 1, x, out + s->square, NULL) == MST_OK);
}

static double gap(size_t n, const double *a, const double *b)
{
    double most = 0, scale = 1e-300;
    for (size_t k = 0; k < n; k++) {
        most = fmax(most, isfinite(a[k]) && isfinite(b[k]) ? fabs(a[k] - b[k]) : INFINITY);
        scale = fmax(scale, fabs(a[k]));
    }
    return most / scale;
}

/* How much the metric, the embedding and the domain change over `way` in coordinate k, at most. */
typedef struct change {
    double metric, embedding;
    bool domain;
    size_t at; /* the point where the metric, or else the embedding, changes most */
} change;

static change over(const examiner *e, sight *s, size_t k, double way)
{
    enum { MOST = 100 };
    change c = {0};
    double most = -1;
    for (size_t i = 0; i < e->n && i < MOST; i++) {
        memcpy(s->x, e->x + i * e->D, e->D * sizeof *s->x);
        if (!look(e, s, s->x, s->here))
            continue;
        s->x[k] += way;
        if (!examine_inside(e, s->x)) {
            c.domain = true;
            c.at = most < 0 ? i : c.at;
            continue;
        }
        if (!look(e, s, s->x, s->there))
            continue;
        double g = gap(s->square, s->here, s->there);
        double f =
            s->embedded > 0 ? gap(s->embedded, s->here + s->square, s->there + s->square) : 0;
        c.at = fmax(g, f) > most ? i : c.at;
        most = fmax(most, fmax(g, f));
        c.metric = fmax(c.metric, g);
        c.embedding = fmax(c.embedding, f);
    }
    return c;
}

enum { COORDINATE_TEXT = 32 };
#define SAME 1e-7

static mst_status examine_stated(examiner *e, sight *s, size_t k, double period)
{
    change c = over(e, s, k, period);
    char text[POINT_TEXT];
    const double *x = e->x + c.at * e->D;
    if (c.domain)
        return finding_add(
            e, MST_FINDING_WARNING, "periods", x,
            "coordinate %zu does not have the period %.6g: from %s it leads out of the "
            "domain",
            k + 1, period, finding_point(e, x, text));
    if (c.metric > SAME)
        return finding_add(
            e, MST_FINDING_WARNING, "periods", x,
            "coordinate %zu does not have the period %.6g: from %s on the metric changes "
            "by %.2g of itself",
            k + 1, period, finding_point(e, x, text), c.metric);
    if (c.embedding > SAME)
        return finding_add(
            e, MST_FINDING_WARNING, "periods", x,
            "the metric has the period %.6g in coordinate %zu, but the embedding has not: "
            "from %s on it moves by %.2g of itself",
            period, k + 1, finding_point(e, x, text), c.embedding);
    for (int part = 2; part <= 5 && s->embedded > 0; part++) {
        change less = over(e, s, k, period / part);
        if (less.embedding < SAME && less.metric < SAME && !less.domain)
            return finding_add(e, MST_FINDING_WARNING, "periods", NULL,
                               "coordinate %zu has the period %.6g, 1/%d of what is stated: the "
                               "surface is covered %d times",
                               k + 1, period / part, part, part);
    }
    return finding_add(e, MST_FINDING_OK, "periods", NULL, "coordinate %zu has the period %.6g",
                       k + 1, period);
}

/* Points that the embedding cannot tell apart, though nobody said that they are the same. */
static mst_status look_for_period(examiner *e, sight *s, size_t k, bool *found)
{
    const double pi = 3.14159265358979323846, candidates[] = {pi, 2 * pi, 1, 2, 180, 360};
    for (size_t c = 0; c < sizeof candidates / sizeof *candidates && s->embedded > 0; c++) {
        change here = over(e, s, k, candidates[c]);
        if (here.domain || here.metric > SAME || here.embedding > SAME)
            continue;
        *found = true;
        return finding_add(
            e, MST_FINDING_NOTE, "periods", NULL,
            "the embedding has the period %.6g in coordinate %zu, which is not stated: "
            "points that far apart count as different",
            candidates[c], k + 1);
    }
    return MST_OK;
}

mst_status examine_periods(examiner *e)
{
    if (e->extents == NULL)
        return MST_OK;
    sight s = {.square = e->d * e->d, .embedded = e->m->metric->ops.embedded};
    bool any = false;
    MST_TRY(metric_work_new(&s.w, e->m, 1, e->d));
    mst_status status = mst_allocate(&s.here, 2 * (s.square + s.embedded) + e->D);
    if (status == MST_OK) {
        s.there = s.here + s.square + s.embedded;
        s.x = s.there + s.square + s.embedded;
    }
    for (size_t k = 0; status == MST_OK && k < e->d; k++) {
        if (e->extents[k].period > 0) {
            any = true;
            status = examine_stated(e, &s, k, e->extents[k].period);
        } else {
            status = look_for_period(e, &s, k, &any);
        }
    }
    if (status == MST_OK && !any)
        status = finding_add(e, MST_FINDING_OK, "periods", NULL, "none is stated");
    mst_release(s.here);
    metric_work_free(&s.w);
    return status;
}
