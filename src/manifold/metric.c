/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* The adapter: a manifold's table filled from a metric's. */
#include "manifold/metric.h"

#include "geodesic/log.h"
#include "manifold/fallback.h"

#include <math.h>
#include <string.h>

static mst_status validate(const mst_manifold *m, size_t n, const double *x, size_t *row)
{
    size_t D = m->ambient;
    for (size_t i = 0; i < n; i++) {
        unsigned char inside;
        metric_inside(m, 1, x + i * D, &inside);
        *row = i;
        if (!inside)
            return mst_fail(MST_DOMAIN,
                            "the coordinates are not finite, or outside the domain of the metric");
    }
    return MST_OK;
}

void metric_wrap(const mst_manifold *m, double *x, double *room)
{
    if (m->metric->ops.period == NULL)
        return;
    m->metric->ops.period(m, room);
    for (size_t k = 0; k < m->dim; k++)
        if (room[k] > 0)
            x[k] -= room[k] * round(x[k] / room[k]);
}

/* Into the chart where each point should be, and the period about 0. */
static mst_status project(const mst_manifold *m, size_t n, const double *x, double *y)
{
    size_t d = m->dim, D = m->ambient, row;
    double *room;
    MST_TRY(mst_allocate(&room, d));
    for (size_t i = 0; i < n; i++) {
        memmove(y + i * D, x + i * D, D * sizeof *y);
        metric_wrap(m, y + i * D, room);
    }
    mst_release(room);
    for (size_t i = 0; i < n; i++) {
        if (D > d)
            y[i * D + d] = round(y[i * D + d]);
        MST_TRY(validate(m, 1, y + i * D, &row));
        MST_TRY(metric_change_chart(m, metric_chart_for(m, y + i * D), y + i * D, 0, NULL));
    }
    return MST_OK;
}

static mst_status tangent(const mst_manifold *m, size_t n, const double *x, const double *w,
                          double *v)
{
    (void)x;
    size_t d = m->dim, D = m->ambient;
    memmove(v, w, n * D * sizeof *v);
    for (size_t i = 0; D > d && i < n; i++)
        v[i * D + d] = 0;
    return MST_OK;
}

/* g(u, v) = u·∂L/∂v. */
static mst_status inner(const mst_manifold *m, size_t n, const double *x, const double *u,
                        const double *v, double *out)
{
    enum { BLOCK = 64 };
    size_t d = m->dim, D = m->ambient;
    double *room, l[BLOCK];
    MST_TRY(mst_allocate(&room, 2 * BLOCK * D));
    mst_status status = MST_OK;
    for (size_t at = 0; status == MST_OK && at < n; at += BLOCK) {
        size_t count = n - at < BLOCK ? n - at : BLOCK;
        double *p = room + BLOCK * D;
        status = m->metric->ops.lagrangian(m, count, x + at * D, v + at * D, l, room, p);
        for (size_t i = 0; status == MST_OK && i < count; i++) {
            out[at + i] = 0;
            for (size_t k = 0; k < d; k++)
                out[at + i] += u[(at + i) * D + k] * p[i * D + k];
        }
    }
    mst_release(room);
    return status;
}

/* Frames by the root of the metric; what `there` says is from vectors to coordinates. */
static mst_status exchange(const mst_manifold *m, size_t n, const double *x, const double *from,
                           bool there, double *to)
{
    size_t d = m->dim, D = m->ambient;
    metric_work w;
    double *factor;
    MST_TRY(mst_allocate(&factor, FLOW_ROWS * d * d + 2 * d));
    mst_status status = metric_work_new(&w, m, FLOW_ROWS, 1);
    double *one = factor + FLOW_ROWS * d * d, *other = one + d;
    for (size_t at = 0; status == MST_OK && at < n; at += FLOW_ROWS) {
        size_t count = n - at < FLOW_ROWS ? n - at : FLOW_ROWS;
        status = metric_factor(m, count, x + at * D, &w, factor);
        for (size_t i = 0; status == MST_OK && i < count; i++) {
            const double *c = factor + i * d * d;
            size_t row = at + i;
            if (there) {
                memcpy(one, from + row * D, d * sizeof *one);
                metric_lower_root(d, c, one, to + row * d);
            } else {
                metric_raise_root(d, c, from + row * d, other);
                metric_unpack(m, 1, other, to + row * D);
            }
        }
    }
    metric_work_free(&w);
    mst_release(factor);
    return status;
}

mst_status metric_from_frame(const mst_manifold *m, size_t n, const double *x, const double *c,
                             double *v)
{
    size_t d = m->dim, D = m->ambient;
    if (m->metric->ops.root == NULL)
        return exchange(m, n, x, c, false, v);
    MST_TRY(m->metric->ops.root(m, n, x, c, v));
    for (size_t i = 0; D > d && i < n; i++)
        v[i * D + d] = 0;
    return MST_OK;
}

mst_status metric_to_frame(const mst_manifold *m, size_t n, const double *x, const double *v,
                           double *c)
{
    return m->metric->ops.root_inverse != NULL ? m->metric->ops.root_inverse(m, n, x, v, c)
                                               : exchange(m, n, x, v, true, c);
}

/* A parabola of the chart, x + v − ½Γ(v, v), which is the geodesic to second order; the geodesic itself where
 * that leads out of the domain. */
static mst_status retract(const mst_manifold *m, size_t n, const double *x, const double *v,
                          double *y)
{
    size_t d = m->dim;
    metric_work w;
    double *factor = NULL;
    mst_status status = metric_work_new(&w, m, 1, 1);
    if (status == MST_OK)
        status = mst_allocate(&factor, d * d + 2 * d);
    double *bend = factor + d * d, *to = bend + d;
    for (size_t i = 0; status == MST_OK && i < n; i++) {
        const double *at = x + i * d, *step = v + i * d;
        unsigned char inside = 0;
        status = metric_factor(m, 1, at, &w, factor);
        if (status == MST_OK)
            status = metric_bend(m, 1, 1, at, step, &w, bend);
        if (status != MST_OK)
            break;
        metric_raise(d, factor, bend, bend);
        for (size_t a = 0; a < d; a++)
            to[a] = at[a] + step[a] - bend[a] / 2;
        metric_inside(m, 1, to, &inside);
        if (inside)
            memcpy(y + i * d, to, d * sizeof *y);
        else
            status = metric_exp(m, 1, at, step, y + i * d);
    }
    mst_release(factor);
    metric_work_free(&w);
    return status;
}

/* ---- Construction ---- */

static const mst_manifold_ops adapter = {
    .size = sizeof(mst_manifold_ops),
    .project = project,
    .tangent = tangent,
    .inner = inner,
    .exp = metric_exp,
    .validate = validate,
    .from_frame = metric_from_frame,
    .to_frame = metric_to_frame,
    .log = metric_log,
    .transport = metric_transport,
    .exp_derivative = metric_exp_derivative,
    .exp_adjoint = metric_exp_adjoint,
    .toward = metric_toward,
    .step = metric_step,
    .step_adjoint = metric_step_adjoint,
    .ricci = metric_ricci,
    .chart_coords = metric_chart_coords,
    .chart_point = metric_chart_point,
    .chart_metric = metric_chart_metric,
    .chart_christoffel = metric_chart_christoffel,
    .chart_diffusion = metric_chart_diffusion,
    .chart_radius = mst_fallback_chart_radius,
};

static const char *what_is_wrong(const mst_metric_ops *ops, size_t dim)
{
    if (ops->start == NULL || ops->name == NULL || ops->lagrangian == NULL ||
        ops->lagrangian_hvp == NULL)
        return "a required slot of the table is empty, or its size";
    if (ops->charts > 1 && (ops->leave == NULL || ops->transition == NULL))
        return "several charts need the slots leave and transition";
    if ((ops->root == NULL) != (ops->root_inverse == NULL))
        return "the slots root and root_inverse go together";
    if ((ops->step == NULL) != (ops->step_adjoint == NULL))
        return "the slots step and step_adjoint go together";
    return dim < 1 ? "the dimension is 0" : NULL;
}

/* Nothing is closed that takes an integration or a search. */
static void find_traits(mst_manifold *m)
{
    const mst_metric_ops *ops = &m->metric->ops;
    bool curvature = ops->ricci != NULL || m->dim == 2;
    m->traits.closed &= curvature ? MST_CLOSED_RICCI : 0;
    if (ops->traits != NULL)
        ops->traits(m, &m->traits);
}

mst_status mst_metric_new(mst_manifold **out, const mst_metric_ops *ops, const char *spec,
                          size_t dim, void *data)
{
    *out = NULL;
    struct mst_metric *metric;
    mst_metric_ops table = {0};
    memcpy(&table, ops, ops->size < sizeof table ? ops->size : sizeof table);
    const char *wrong = what_is_wrong(&table, dim);
    mst_status status =
        wrong != NULL ? mst_fail(MST_ARGUMENT, "%s: %s", spec, wrong) : mst_allocate(&metric, 1);
    if (status != MST_OK) {
        if (table.free_data != NULL)
            table.free_data(data);
        return status;
    }
    metric->ops = table;
    mst_manifold_ops filled = adapter;
    filled.name = table.name;
    filled.start = table.start;
    filled.injectivity = table.injectivity;
    if (table.ricci != NULL)
        filled.ricci = table.ricci;
    filled.free_data = table.free_data;
    filled.remarks = table.remarks;
    if (table.charts <= 1) { /* an atlas is beyond the solver */
        filled.retract = retract;
        filled.log = geodesic_log;
        filled.dist = geodesic_dist;
    }
    status = mst_manifold_new(out, &filled, spec, dim, table.charts > 1 ? dim + 1 : dim, data);
    if (status != MST_OK) {
        mst_release(metric);
        return status;
    }
    (*out)->metric = metric;
    metric_attach_roll(*out);
    find_traits(*out);
    return MST_OK;
}
