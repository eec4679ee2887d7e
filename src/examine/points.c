/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Random points of a manifold of which nothing is known but its formulas: in a chart from all of the domain,
 * as far as it has ends, and from geodesics; of equations by Newton's method from points around. */
#include "examine/examine.h"

#include <math.h>
#include <string.h>

static void (*domain_of(const examiner *e))(const mst_manifold *m, size_t n, const double *x,
                                            unsigned char *inside)
{
    return e->m->metric != NULL ? e->m->metric->ops.domain : e->m->constraint->ops.domain;
}

bool examine_inside(const examiner *e, const double *x)
{
    unsigned char inside = 1;
    if (e->m->metric != NULL) {
        metric_inside(e->m, 1, x, &inside);
        return inside;
    }
    for (size_t k = 0; k < e->D; k++)
        inside = inside && isfinite(x[k]);
    if (inside && domain_of(e) != NULL)
        domain_of(e)(e->m, 1, x, &inside);
    return inside;
}

bool examine_home(const examiner *e, const double *x, double *y)
{
    size_t row;
    bool good = true;
    for (size_t k = 0; k < e->D; k++)
        good = good && isfinite(x[k]);
    good = good && constraint_project(e->m, 1, x, y, &row) == MST_OK;
    for (size_t k = 0; k < e->D; k++)
        good = good && isfinite(y[k]);
    return good;
}

void examine_way(const examiner *e, const double *x, const double *y, double *way)
{
    for (size_t k = 0; k < e->D; k++) {
        double period = e->extents != NULL ? e->extents[k].period : 0;
        way[k] = period > 0 ? remainder(y[k] - x[k], period) : y[k] - x[k];
    }
}

bool examine_between(const examiner *e, const double *x, const double *way, double s, double *out)
{
    for (size_t k = 0; k < e->D; k++)
        out[k] = x[k] + s * way[k];
    return (e->m->constraint == NULL || examine_home(e, out, out)) && examine_inside(e, out);
}

/* ---- Charts ---- */

/* How far from the start the domain goes along a coordinate; infinite if it has no end there. */
static double reach(const examiner *e, double *x, size_t k, double sign, double scale)
{
    double start = x[k], inside = 0, outside = INFINITY;
    for (double s = scale / 1024; s < scale * 1e6 && isinf(outside); s *= 2) {
        x[k] = start + sign * s;
        if (examine_inside(e, x))
            inside = s;
        else
            outside = s;
    }
    for (size_t step = 0; isfinite(outside) && step < 60; step++) {
        double middle = inside + (outside - inside) / 2;
        x[k] = start + sign * middle;
        if (examine_inside(e, x))
            inside = middle;
        else
            outside = middle;
    }
    x[k] = start;
    return outside;
}

static mst_status find_extents(examiner *e)
{
    const mst_metric_ops *ops = &e->m->metric->ops;
    double *x, *values;
    MST_TRY(mst_allocate_zero(&e->extents, e->d));
    MST_TRY(mst_allocate_zero(&x, 3 * e->d));
    values = x + e->d;
    mst_manifold_start(e->m, x);
    if (ops->period != NULL)
        ops->period(e->m, values);
    double *units = values + e->d;
    bool good = examine_eigenvalues(e, x, units);
    for (size_t k = 0; k < e->d; k++) {
        extent *one = &e->extents[k];
        one->period = values[k];
        /* What is of length one at the start, by the smallest eigenvalue that is not lost. */
        double unit = good ? fmax(units[0], 1e-6 * units[e->d - 1]) : 1;
        one->scale = unit > 0 ? 1 / sqrt(unit) : 1;
        one->low = x[k] - reach(e, x, k, -1, one->scale);
        one->high = x[k] + reach(e, x, k, 1, one->scale);
        if (one->period > 0) {
            one->low = fmax(one->low, x[k] - one->period / 2);
            one->high = fmin(one->high, x[k] + one->period / 2);
        }
        if (isfinite(one->low) && isfinite(one->high))
            one->scale = (one->high - one->low) / 4;
        else if (isfinite(one->low) || isfinite(one->high))
            one->scale = fmin(x[k] - one->low, one->high - x[k]);
    }
    mst_release(x);
    return MST_OK;
}

/* Uniform between two ends, logarithmic from one, normal without any; `beyond`: normal in any case, since
 * behind a border there may be more of the domain. */
static void draw_in_chart(examiner *e, const double *start, bool beyond, double *x)
{
    enum { TRIES = 30 };
    for (size_t try = 0; try < TRIES; try++) {
        for (size_t k = 0; k < e->d; k++) {
            const extent *one = &e->extents[k];
            double low = one->low, high = one->high;
            if (beyond)
                x[k] = start[k] + 3 * one->scale * examine_normal(e);
            else if (isfinite(low) && isfinite(high))
                x[k] = low + examine_uniform(e) * (high - low);
            else if (isfinite(low))
                x[k] = low + (start[k] - low) * exp(1.2 * examine_normal(e));
            else if (isfinite(high))
                x[k] = high - (high - start[k]) * exp(1.2 * examine_normal(e));
            else
                x[k] = start[k] + 2 * one->scale * examine_normal(e);
        }
        if (examine_inside(e, x))
            return;
    }
    memcpy(x, start, e->D * sizeof *x);
}

/* ---- Paths ---- */

/* Along a geodesic from a point that is known, or back to that if it cannot be followed. */
static bool draw_on_path(examiner *e, const double *from, double *x, double *v)
{
    if (examine_tangent(e, from, 1.5 * fabs(examine_normal(e)), v) &&
        mst_manifold_exp(e->m, 1, from, v, x) == MST_OK && examine_inside(e, x))
        return true;
    memcpy(x, from, e->D * sizeof *x);
    return false;
}

/* ---- Equations ---- */

/* The size of what a walk from the start sees. Steps grow until they fail. */
static void find_size(examiner *e, const double *start, double *x, double *v)
{
    enum { WALK = 200 };
    double unit = 1 + metric_length(e->D, start), step = 1e-2 * unit, farthest = 0;
    memcpy(x, start, e->D * sizeof *x);
    for (size_t k = 0; k < WALK; k++) {
        double *next = v + e->D;
        bool good = examine_tangent(e, x, step, v);
        for (size_t a = 0; good && a < e->D; a++)
            next[a] = x[a] + v[a];
        good = good && examine_home(e, next, next);
        double moved = 0, away = 0;
        for (size_t a = 0; good && a < e->D; a++) {
            moved += (next[a] - x[a]) * (next[a] - x[a]);
            away += (next[a] - start[a]) * (next[a] - start[a]);
        }
        if (!good || sqrt(moved) > 2 * step) {
            step *= 0.5;
            continue;
        }
        memcpy(x, next, e->D * sizeof *x);
        farthest = fmax(farthest, sqrt(away));
        step = fmin(step * 1.3, fmax(farthest / 2, 1e-2));
    }
    /* Where it has no end, not so far that its own form is lost. */
    e->size = fmin(fmax(farthest, 1e-3), 5 * unit);
}

static void draw_solution(examiner *e, const double *start, const double *from, double *x)
{
    enum { TRIES = 20 };
    static const double reaches[4] = {0.5, 1, 2, 4};
    for (size_t try = 0; try < TRIES; try++) {
        double far = e->size * reaches[try % 4];
        const double *centre = try % 2 == 0 ? start : from;
        for (size_t k = 0; k < e->D; k++)
            x[k] = centre[k] + far * examine_normal(e);
        if (examine_home(e, x, x) && examine_inside(e, x))
            return;
    }
    memcpy(x, from, e->D * sizeof *x);
}

/* ---- All ---- */

/* Keeps the point if its metric is one; else it is counted. */
static mst_status keep_point(examiner *e, const double *x, double *values)
{
    size_t last = e->m->constraint != NULL ? e->m->constraint->count - 1 : e->d - 1;
    bool finite = examine_eigenvalues(e, x, values);
    e->tried++;
    if (finite && values[0] > 0 && values[0] > 1e-15 * values[last]) {
        memmove(e->x + e->n++ * e->D, x, e->D * sizeof *x);
        return MST_OK;
    }
    e->undefined += !finite;
    e->indefinite += finite;
    if (e->bad == NULL) {
        MST_TRY(mst_allocate(&e->bad, e->D));
        memcpy(e->bad, x, e->D * sizeof *x);
    }
    return MST_OK;
}

static mst_status check_start(examiner *e, double *start)
{
    char text[POINT_TEXT];
    mst_manifold_start(e->m, start);
    if (!examine_inside(e, start))
        return mst_fail(MST_DOMAIN, "the start %s is outside the domain",
                        finding_point(e, start, text));
    if (e->m->constraint != NULL && !examine_home(e, start, start))
        return mst_fail(MST_DOMAIN, "no solution of the equations is found near the start %s",
                        finding_point(e, start, text));
    return MST_OK;
}

mst_status examine_points(examiner *e)
{
    enum { PATIENCE = 1 }; /* geodesics that end at a singular place take long */
    double *room;
    size_t lost = 0, values = e->m->constraint != NULL ? e->m->constraint->count : e->d;
    MST_TRY(mst_allocate(&e->x, (e->o.points + 1) * e->D));
    MST_TRY(mst_allocate_zero(&room, 5 * e->D + values));
    double *start = room, *x = start + e->D, *v = x + e->D, *eigen = room + 5 * e->D;
    mst_status status = check_start(e, start);
    if (status == MST_OK)
        status = keep_point(e, start, eigen);
    if (status == MST_OK && e->n == 0)
        status =
            mst_fail(MST_DOMAIN, "at the start the %s",
                     e->m->constraint != NULL ? "gradients of the equations depend on each other"
                     : e->undefined > 0       ? "metric is not finite"
                                              : "metric is not positive definite");
    if (status == MST_OK && e->m->metric != NULL && e->D == e->d)
        status = find_extents(e);
    if (status == MST_OK && e->m->constraint != NULL)
        find_size(e, start, x, v);
    for (size_t i = 1; status == MST_OK && i < e->o.points; i++) {
        /* Geodesics from geodesics would run away; where nothing else is known they have to. */
        const double *from = e->x + examine_index(e, e->n) * e->D;
        if (e->m->constraint != NULL)
            draw_solution(e, start, from, x);
        else if (e->extents == NULL)
            draw_on_path(e, from, x, v);
        else if (i % 8 == 0 && lost < PATIENCE)
            lost += !draw_on_path(e, start, x, v);
        else
            draw_in_chart(e, start, i % 4 == 1, x);
        status = keep_point(e, x, eigen);
    }
    e->out->points = e->n;
    mst_release(room);
    return status;
}
