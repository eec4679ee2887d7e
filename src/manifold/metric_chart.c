/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* The chart slots of a metric: its own chart around c, moved and stretched such that c is 0 and the metric
 * there the identity, u = σ(c)⁻¹(q − c). */
#include "base/linalg.h"
#include "manifold/metric.h"

#include <math.h>
#include <string.h>

/* One point and its frame: columns of σ(c) are rows of `frame` (d, D). */
typedef struct centre {
    const mst_manifold *m;
    metric_work room;
    double *unit, *frame, *same; /* (d, d), (d, D), (d, D): every row the point */
    double *q;                   /* (D): the point with the coordinates u, in the chart of c */
    double *factor;              /* (d, d): of g at q */
    double *a, *b, *turn;        /* (d, d) */
    double *block;
} centre;

static mst_status centre_new(centre *s, const mst_manifold *m)
{
    size_t d = m->dim, D = m->ambient;
    *s = (centre){.m = m};
    MST_TRY(metric_work_new(&s->room, m, 1, d));
    mst_status status = mst_allocate(&s->block, 5 * d * d + 2 * d * D + D);
    if (status != MST_OK) {
        metric_work_free(&s->room);
        return status;
    }
    s->unit = s->block;
    s->factor = s->unit + d * d;
    s->a = s->factor + d * d;
    s->b = s->a + d * d;
    s->turn = s->b + d * d;
    s->frame = s->turn + d * d;
    s->same = s->frame + d * D;
    s->q = s->same + d * D;
    memset(s->unit, 0, d * d * sizeof *s->unit);
    for (size_t k = 0; k < d; k++)
        s->unit[k * d + k] = 1;
    return MST_OK;
}

static void centre_free(centre *s)
{
    metric_work_free(&s->room);
    mst_release(s->block);
}

/* The frame at c into `frame` (d, D). */
static mst_status frame_at(centre *s, const double *c, double *frame)
{
    size_t d = s->m->dim, D = s->m->ambient;
    for (size_t k = 0; k < d; k++)
        memcpy(s->same + k * D, c, D * sizeof *c);
    return metric_from_frame(s->m, d, s->same, s->unit, frame);
}

/* The frame at c, and the point q. */
static mst_status place(centre *s, const double *c, const double *u)
{
    size_t d = s->m->dim, D = s->m->ambient;
    unsigned char inside;
    MST_TRY(frame_at(s, c, s->frame));
    memcpy(s->q, c, D * sizeof *c);
    for (size_t k = 0; k < d; k++)
        for (size_t a = 0; a < d; a++)
            s->q[a] += u[k] * s->frame[k * D + a];
    metric_inside(s->m, 1, s->q, &inside);
    return inside ? MST_OK
                  : mst_fail(MST_DOMAIN, "chart coordinates lead out of the domain of the metric");
}

mst_status metric_chart_coords(const mst_manifold *m, size_t n, const double *c, const double *x,
                               double *u)
{
    size_t d = m->dim, D = m->ambient;
    double *row;
    MST_TRY(mst_allocate(&row, D));
    mst_status status = MST_OK;
    for (size_t i = 0; status == MST_OK && i < n; i++) {
        const double *at = c + i * D;
        memcpy(row, x + i * D, D * sizeof *row);
        status = metric_change_chart(m, D > d ? at[d] : 0, row, 0, NULL);
        for (size_t k = 0; k < d; k++)
            row[k] -= at[k];
        if (D > d)
            row[d] = 0;
        if (status == MST_OK)
            status = metric_to_frame(m, 1, at, row, u + i * d);
    }
    mst_release(row);
    return status;
}

mst_status metric_chart_point(const mst_manifold *m, size_t n, const double *c, const double *u,
                              double *x)
{
    size_t d = m->dim, D = m->ambient;
    centre s;
    MST_TRY(centre_new(&s, m));
    mst_status status = MST_OK;
    for (size_t i = 0; status == MST_OK && i < n; i++) {
        status = place(&s, c + i * D, u + i * d);
        if (status == MST_OK)
            status = metric_factor(m, 1, s.q, &s.room, s.factor);
        if (status == MST_OK && !mst_all_finite(d * d, s.factor))
            status = mst_fail(MST_DOMAIN, "chart coordinates lead where the metric is not positive "
                                          "definite");
        if (status == MST_OK)
            status = metric_change_chart(m, metric_chart_for(m, s.q), s.q, 0, NULL);
        if (status == MST_OK)
            memcpy(x + i * D, s.q, D * sizeof *x);
    }
    centre_free(&s);
    return status;
}

mst_status metric_chart_metric(const mst_manifold *m, size_t n, const double *c, const double *u,
                               double *g)
{
    size_t d = m->dim, D = m->ambient;
    centre s;
    MST_TRY(centre_new(&s, m));
    mst_status status = MST_OK;
    for (size_t row = 0; status == MST_OK && row < n; row++) {
        status = place(&s, c + row * D, u + row * d);
        if (status == MST_OK)
            status = metric_factor(m, 1, s.q, &s.room, s.factor);
        for (size_t k = 0; status == MST_OK && k < d; k++)
            metric_lower_root(d, s.factor, s.frame + k * D, s.a + k * d);
        for (size_t i = 0; status == MST_OK && i < d; i++)
            for (size_t k = 0; k < d; k++) {
                double sum = 0;
                for (size_t l = 0; l < d; l++)
                    sum += s.a[i * d + l] * s.a[k * d + l];
                g[(row * d + i) * d + k] = sum;
            }
    }
    centre_free(&s);
    return status;
}

/* Γ(e_j, e_k) = ¼(Γ(e_j + e_k) − Γ(e_j − e_k)) at q for one j and all k, as covectors in s->turn. */
static mst_status bends_of(centre *s, size_t j)
{
    size_t d = s->m->dim, D = s->m->ambient;
    for (int sign = -1; sign <= 1; sign += 2) {
        for (size_t k = 0; k < d; k++)
            for (size_t a = 0; a < d; a++)
                s->a[k * d + a] = s->frame[j * D + a] + sign * s->frame[k * D + a];
        MST_TRY(metric_bend(s->m, 1, d, s->q, s->a, &s->room, sign < 0 ? s->b : s->turn));
    }
    for (size_t k = 0; k < d * d; k++)
        s->turn[k] = 0.25 * (s->turn[k] - s->b[k]);
    return MST_OK;
}

static mst_status christoffel_row(centre *s, const double *c, const double *u, double *gamma)
{
    const mst_manifold *m = s->m;
    size_t d = m->dim;
    MST_TRY(place(s, c, u));
    MST_TRY(metric_factor(m, 1, s->q, &s->room, s->factor));
    for (size_t j = 0; j < d; j++) {
        MST_TRY(bends_of(s, j));
        for (size_t k = 0; k < d; k++) {
            metric_raise(d, s->factor, s->turn + k * d, s->a);
            metric_unpack(m, 1, s->a, s->same);
            MST_TRY(metric_to_frame(m, 1, c, s->same, s->b));
            for (size_t i = 0; i < d; i++)
                gamma[(i * d + j) * d + k] = s->b[i];
        }
    }
    return MST_OK;
}

mst_status metric_chart_christoffel(const mst_manifold *m, size_t n, const double *c,
                                    const double *u, double *gamma)
{
    size_t d = m->dim;
    centre s;
    MST_TRY(centre_new(&s, m));
    mst_status status = MST_OK;
    for (size_t i = 0; status == MST_OK && i < n; i++)
        status = christoffel_row(&s, c + i * m->ambient, u + i * d, gamma + i * d * d * d);
    centre_free(&s);
    return status;
}

/* b = −½ Σ Γ(e_a, e_a) at q, with the frame at q in s->frame; a row. */
static mst_status drift_at(centre *s, double *b)
{
    const mst_manifold *m = s->m;
    size_t d = m->dim, D = m->ambient;
    if (m->metric->ops.drift != NULL)
        return m->metric->ops.drift(m, 1, s->q, b);
    metric_pack(m, d, s->frame, s->a);
    MST_TRY(metric_bend(m, 1, d, s->q, s->a, &s->room, s->turn));
    MST_TRY(metric_factor(m, 1, s->q, &s->room, s->factor));
    memset(b, 0, D * sizeof *b);
    for (size_t k = 0; k < d; k++) {
        metric_raise(d, s->factor, s->turn + k * d, s->b);
        for (size_t a = 0; a < d; a++)
            b[a] -= 0.5 * s->b[a];
    }
    return MST_OK;
}

static mst_status diffusion_row(centre *s, const double *c, const double *u, double *b,
                                double *sigma)
{
    const mst_manifold *m = s->m;
    size_t d = m->dim, D = m->ambient;
    MST_TRY(place(s, c, u));
    MST_TRY(frame_at(s, s->q, s->frame));
    for (size_t k = 0; k < d; k++) {
        MST_TRY(metric_to_frame(m, 1, c, s->frame + k * D, s->a));
        for (size_t i = 0; i < d; i++)
            sigma[i * d + k] = s->a[i];
    }
    MST_TRY(drift_at(s, s->same));
    if (D > d)
        s->same[d] = 0;
    return metric_to_frame(m, 1, c, s->same, b);
}

mst_status metric_chart_diffusion(const mst_manifold *m, size_t n, const double *c, const double *u,
                                  double *b, double *sigma)
{
    size_t d = m->dim;
    centre s;
    MST_TRY(centre_new(&s, m));
    mst_status status = MST_OK;
    for (size_t i = 0; status == MST_OK && i < n; i++)
        status = diffusion_row(&s, c + i * m->ambient, u + i * d, b + i * d, sigma + i * d * d);
    centre_free(&s);
    return status;
}
