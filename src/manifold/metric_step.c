/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Steps of Brownian motion in the charts of a metric, and reverse mode through them. A step is a geodesic
 * one, with the correction for the Ricci tensor that makes it of weak order two, by one step of a method of
 * order four: its error of the order |v|⁵ = O(h^{5/2}) is odd in ξ to leading order, so
 * it counts as O(h³). */
#include "manifold/leaving.h"
#include "manifold/metric.h"

#include <math.h>
#include <string.h>

/* Difference step of the adjoint, in lengths of the metric: truncation and rounding are both about 1e-8. */
static const double difference = 1e-4;

typedef struct walker {
    const mst_manifold *m;
    flow f;
    double *state, *p, *c; /* (rows, width), (rows, d) twice */
    double *xi;            /* (rows, d): frame coordinates of the vectors walked */
    double *stretch;       /* (rows): length of the increment against that of the vector walked */
    double *first, *second, *vector; /* (rows, D) */
    double *left, *right, *moved;    /* (rows, D) */
    double *block;
} walker;

static mst_status walker_new(walker *s, const mst_manifold *m)
{
    size_t d = m->dim, D = m->ambient, rows = FLOW_ROWS;
    *s = (walker){.m = m};
    MST_TRY(flow_new(&s->f, m, FLOW_ALONE, 0));
    mst_status status = mst_allocate(&s->block, rows * (s->f.width + 3 * d + 1 + 6 * D));
    if (status != MST_OK) {
        flow_free(&s->f);
        return status;
    }
    s->state = s->block;
    s->p = s->state + rows * s->f.width;
    s->c = s->p + rows * d;
    s->xi = s->c + rows * d;
    s->stretch = s->xi + rows * d;
    double **rest[] = {&s->first, &s->second, &s->vector, &s->left, &s->right, &s->moved};
    double *next = s->stretch + rows;
    for (size_t k = 0; k < sizeof rest / sizeof *rest; k++, next += rows * D)
        *rest[k] = next;
    return MST_OK;
}

static void walker_free(walker *s)
{
    flow_free(&s->f);
    mst_release(s->block);
}

/* s->xi: √h (I − A + ½A²) ξ in the frame at x, A = (h/12) Ric. */
static mst_status correct(walker *s, size_t n, const double *x, const double *xi, const double *h)
{
    const mst_manifold *m = s->m;
    size_t d = m->dim, D = m->ambient;
    double constant = (double)(d - 1) * m->traits.curvature;
    if (isnan(constant)) {
        MST_TRY(metric_from_frame(m, n, x, xi, s->vector));
        MST_TRY(mst_ricci_twice(m, n, x, s->vector, s->first, s->second));
    }
    for (size_t i = 0; i < n; i++) {
        double a = h[i] / 12, factor = 1 - a * constant * (1 - a / 2 * constant);
        s->stretch[i] = 1 / factor;
        for (size_t k = 0; k < d; k++)
            s->xi[i * d + k] = sqrt(h[i]) * factor * xi[i * d + k];
        for (size_t k = i * D; isnan(constant) && k < (i + 1) * D; k++)
            s->vector[k] = sqrt(h[i]) * (s->vector[k] - a * s->first[k] + a * a / 2 * s->second[k]);
    }
    if (!isnan(constant))
        return MST_OK;
    MST_TRY(metric_to_frame(m, n, x, s->vector, s->xi));
    for (size_t i = 0; i < n; i++) {
        double walked = metric_length(d, s->xi + i * d), given = metric_length(d, xi + i * d);
        s->stretch[i] = walked > 0 ? sqrt(h[i]) * given / walked : 1;
    }
    return MST_OK;
}

/* Along the vectors s->xi in the frame at x: the end, in the chart of x, and unless null
 * the velocity there. */
static mst_status advance(walker *s, size_t n, const double *x, double *y, double *velocity)
{
    const mst_manifold *m = s->m;
    size_t d = m->dim, D = m->ambient, width = s->f.width;
    MST_TRY(metric_from_frame(m, n, x, s->xi, s->moved));
    metric_pack(m, n, s->moved, s->moved);
    MST_TRY(metric_slope(m, n, x, s->moved, &s->f.room, NULL, s->p));
    for (size_t i = 0; i < n; i++) {
        memset(s->state + i * width, 0, width * sizeof *s->state);
        memcpy(s->state + i * width + d, s->p + i * d, d * sizeof *s->p);
    }
    /* Long steps in parts, lest the rare ones lead anywhere. */
    size_t parts[FLOW_ROWS], most = 0;
    for (size_t i = 0; i < n; i++) {
        parts[i] = 1 + (size_t)fmin(2 * metric_length(d, s->xi + i * d), 1000);
        most = parts[i] > most ? parts[i] : most;
    }
    for (size_t part = 0; part < most; part++) {
        double h[FLOW_ROWS];
        for (size_t i = 0; i < n; i++)
            h[i] = part < parts[i] ? 1 / (double)parts[i] : 0;
        MST_TRY(flow_once(&s->f, n, x, h, s->state));
    }
    for (size_t i = 0; i < n; i++)
        flow_end(&s->f, x + i * D, s->state + i * width, y + i * D);
    if (velocity == NULL)
        return MST_OK;
    MST_TRY(metric_factor(m, n, y, &s->f.room, s->f.factor));
    for (size_t i = 0; i < n; i++) {
        metric_raise(d, s->f.factor + i * d * d, s->state + i * width + d, s->p + i * d);
        metric_unpack(m, 1, s->p + i * d, velocity + i * D);
    }
    return MST_OK;
}

/* The step in the chart of x. */
static mst_status plain_step(walker *s, size_t n, const double *x, const double *xi,
                             const double *h, double *y, double *arrived)
{
    const mst_metric_ops *ops = &s->m->metric->ops;
    size_t d = s->m->dim, D = s->m->ambient;
    if (ops->step != NULL) {
        MST_TRY(ops->step(s->m, n, x, xi, h, y, arrived));
    } else {
        MST_TRY(correct(s, n, x, xi, h));
        MST_TRY(advance(s, n, x, y, arrived));
        for (size_t i = 0; i < n; i++)
            for (size_t k = i * D; k < i * D + d; k++)
                arrived[k] *= s->stretch[i];
    }
    for (size_t i = 0; D > d && i < n; i++) {
        y[i * D + d] = x[i * D + d];
        arrived[i * D + d] = 0;
    }
    return MST_OK;
}

mst_status metric_step(const mst_manifold *m, size_t n, const double *x, const double *xi,
                       const double *h, double *y, double *arrived)
{
    size_t d = m->dim, D = m->ambient;
    walker s;
    MST_TRY(walker_new(&s, m));
    mst_status status = MST_OK;
    for (size_t at = 0; status == MST_OK && at < n; at += FLOW_ROWS) {
        size_t count = n - at < FLOW_ROWS ? n - at : FLOW_ROWS;
        status =
            plain_step(&s, count, x + at * D, xi + at * d, h + at, y + at * D, arrived + at * D);
        for (size_t i = at; status == MST_OK && i < at + count; i++) {
            unsigned char inside;
            double *end = y + i * D;
            metric_inside(m, 1, end, &inside);
            if (!inside || mst_is_lost(D, arrived + i * D)) {
                mst_lose(D, end);
                continue;
            }
            double to = metric_chart_for(m, end);
            if (D > d && to != end[d])
                status = metric_change_chart(m, to, end, 1, arrived + i * D);
            if (status == MST_DOMAIN) {
                mst_lose(D, end);
                status = MST_OK;
            }
        }
    }
    walker_free(&s);
    return status;
}

/* w at the end of the step, in whatever chart that is, to the covectors s->right at
 * s->left, the end in the chart of x. */
static mst_status lower_back(walker *s, size_t n, const double *x, const double *xi,
                             const double *h, const double *w)
{
    const mst_manifold *m = s->m;
    size_t d = m->dim, D = m->ambient;
    MST_TRY(plain_step(s, n, x, xi, h, s->left, s->moved));
    for (size_t i = 0; i < n; i++) {
        double *end = s->vector, *vector = s->first;
        memcpy(end, s->left + i * D, D * sizeof *end);
        memcpy(vector, w + i * D, D * sizeof *vector);
        double to = metric_chart_for(m, end), from = D > d ? end[d] : 0;
        MST_TRY(metric_change_chart(m, to, end, 0, NULL));
        MST_TRY(metric_change_chart(m, from, end, 1, vector));
        MST_TRY(metric_slope(m, 1, s->left + i * D, vector, &s->f.room, NULL, s->p));
        metric_unpack(m, 1, s->p, s->right + i * D);
    }
    return MST_OK;
}

/* <λ, A e> along the frame at x by differences, the vectors walked having the same frame
 * coordinates; c (n, d). */
static mst_status differences(walker *s, size_t n, const double *x, double *c)
{
    const mst_manifold *m = s->m;
    size_t d = m->dim, D = m->ambient;
    double *unit = s->second, *frame = s->first, *at = s->left;
    for (size_t k = 0; k < d; k++)
        for (int sign = -1; sign <= 1; sign += 2) {
            memset(unit, 0, n * d * sizeof *unit);
            for (size_t i = 0; i < n; i++)
                unit[i * d + k] = sign * difference;
            MST_TRY(metric_from_frame(m, n, x, unit, frame));
            for (size_t a = 0; a < n * D; a++)
                at[a] = x[a] + frame[a];
            MST_TRY(advance(s, n, at, s->vector, NULL));
            for (size_t i = 0; i < n; i++) {
                double sum = 0;
                for (size_t a = i * D; a < i * D + d; a++)
                    sum += s->right[a] * s->vector[a];
                c[i * d + k] = sign < 0 ? -sum : (c[i * d + k] + sum) / (2 * difference);
            }
        }
    return MST_OK;
}

static mst_status adjoint_rows(walker *s, size_t n, const double *x, const double *xi,
                               const double *h, const double *w, double *out)
{
    const mst_manifold *m = s->m;
    const mst_metric_ops *ops = &m->metric->ops;
    size_t d = m->dim, D = m->ambient;
    MST_TRY(lower_back(s, n, x, xi, h, w));
    if (ops->step_adjoint == NULL) {
        MST_TRY(differences(s, n, x, s->c));
        return metric_from_frame(m, n, x, s->c, out);
    }
    MST_TRY(ops->step_adjoint(m, n, x, xi, h, s->right, s->vector));
    MST_TRY(metric_factor(m, n, x, &s->f.room, s->f.factor));
    for (size_t i = 0; i < n; i++) {
        metric_raise(d, s->f.factor + i * d * d, s->vector + i * D, s->p);
        metric_unpack(m, 1, s->p, out + i * D);
    }
    return MST_OK;
}

mst_status metric_step_adjoint(const mst_manifold *m, size_t n, const double *x, const double *xi,
                               const double *h, const double *w, double *out)
{
    size_t d = m->dim, D = m->ambient;
    walker s;
    MST_TRY(walker_new(&s, m));
    mst_status status = MST_OK;
    for (size_t at = 0; status == MST_OK && at < n; at += FLOW_ROWS) {
        size_t count = n - at < FLOW_ROWS ? n - at : FLOW_ROWS;
        status = adjoint_rows(&s, count, x + at * D, xi + at * d, h + at, w + at * D, out + at * D);
    }
    walker_free(&s);
    return status;
}
