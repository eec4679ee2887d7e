/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* The metric and its derivatives, from the slots of the table. */
#include "manifold/metric.h"

#include <math.h>
#include <string.h>

mst_status metric_work_new(metric_work *w, const mst_manifold *m, size_t rows, size_t fields)
{
    size_t d = m->dim, most = rows * (fields > d ? fields : d), wide = most * m->ambient;
    *w = (metric_work){.rows = rows};
    MST_TRY(mst_allocate(&w->block, 6 * wide + most + 3 * rows * d * d + 2 * most * d));
    double **parts[] = {&w->x, &w->a, &w->b, &w->c, &w->l_x, &w->l_v};
    double *next = w->block;
    for (size_t k = 0; k < sizeof parts / sizeof *parts; k++, next += wide)
        *parts[k] = next;
    w->l = next;
    w->g = w->l + most;
    w->l_xv = w->g + rows * d * d;
    w->l_xx = w->l_xv + rows * d * d;
    w->first = w->l_xx + rows * d * d;
    w->second = w->first + most * d;
    return MST_OK;
}

void metric_work_free(metric_work *w)
{
    mst_release(w->block);
    *w = (metric_work){0};
}

void metric_pack(const mst_manifold *m, size_t n, const double *rows, double *packed)
{
    size_t d = m->dim, D = m->ambient;
    for (size_t i = 0; i < n; i++)
        memmove(packed + i * d, rows + i * D, d * sizeof *packed);
}

void metric_unpack(const mst_manifold *m, size_t n, const double *packed, double *rows)
{
    size_t d = m->dim, D = m->ambient;
    for (size_t i = n; i-- > 0;) {
        memmove(rows + i * D, packed + i * d, d * sizeof *rows);
        if (D > d)
            rows[i * D + d] = 0;
    }
}

void metric_inside(const mst_manifold *m, size_t n, const double *x, unsigned char *inside)
{
    const mst_metric_ops *ops = &m->metric->ops;
    size_t d = m->dim, D = m->ambient;
    for (size_t i = 0; i < n; i++) {
        const double *row = x + i * D;
        bool fine = true;
        for (size_t a = 0; a < D; a++)
            fine = fine && isfinite(row[a]);
        if (fine && D > d)
            fine = row[d] == floor(row[d]) && row[d] >= 0 && row[d] < (double)ops->charts;
        inside[i] = fine;
        if (fine && ops->domain != NULL)
            ops->domain(m, 1, row, inside + i);
    }
}

/* Each row of `from` (n, width) `times` times. */
static void repeat(size_t n, size_t times, size_t width, const double *from, double *to)
{
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < times; k++, to += width)
            memcpy(to, from + i * width, width * sizeof *to);
}

mst_status metric_tensor(const mst_manifold *m, size_t n, const double *x, metric_work *w,
                         double *g)
{
    const mst_metric_ops *ops = &m->metric->ops;
    size_t d = m->dim, D = m->ambient;
    if (metric_has_derivatives(m))
        return ops->derivatives(m, n, x, g, NULL, NULL);
    if (ops->lagrangian_blocks != NULL && d <= METRIC_DENSE) {
        memset(w->a, 0, n * D * sizeof *w->a);
        return ops->lagrangian_blocks(m, n, x, w->a, g, w->l_xv, w->l_xx);
    }
    /* p = g v is linear in v. */
    repeat(n, d, D, x, w->x);
    memset(w->a, 0, n * d * D * sizeof *w->a);
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < d; k++)
            w->a[(i * d + k) * D + k] = 1;
    MST_TRY(ops->lagrangian(m, n * d, w->x, w->a, w->l, w->l_x, w->l_v));
    metric_pack(m, n * d, w->l_v, g);
    return MST_OK;
}

void metric_cholesky(size_t d, const double *g, double *c)
{
    memset(c, 0, d * d * sizeof *c);
    for (size_t j = 0; j < d; j++) {
        double pivot = g[j * d + j];
        for (size_t k = 0; k < j; k++)
            pivot -= c[j * d + k] * c[j * d + k];
        c[j * d + j] = pivot > 0 && isfinite(pivot) ? sqrt(pivot) : NAN;
        for (size_t i = j + 1; i < d; i++) {
            double sum = g[i * d + j];
            for (size_t k = 0; k < j; k++)
                sum -= c[i * d + k] * c[j * d + k];
            c[i * d + j] = sum / c[j * d + j];
        }
    }
}

mst_status metric_factor(const mst_manifold *m, size_t n, const double *x, metric_work *w,
                         double *factor)
{
    size_t square = m->dim * m->dim;
    MST_TRY(metric_tensor(m, n, x, w, w->g));
    for (size_t i = 0; i < n; i++)
        metric_cholesky(m->dim, w->g + i * square, factor + i * square);
    return MST_OK;
}

void metric_momentum_root(size_t d, const double *c, const double *p, double *xi)
{
    for (size_t i = 0; i < d; i++) {
        double sum = p[i];
        for (size_t k = 0; k < i; k++)
            sum -= c[i * d + k] * xi[k];
        xi[i] = sum / c[i * d + i];
    }
}

void metric_raise_root(size_t d, const double *c, const double *xi, double *v)
{
    for (size_t i = d; i-- > 0;) {
        double sum = xi[i];
        for (size_t k = i + 1; k < d; k++)
            sum -= c[k * d + i] * v[k];
        v[i] = sum / c[i * d + i];
    }
}

void metric_raise(size_t d, const double *c, const double *p, double *v)
{
    metric_momentum_root(d, c, p, v);
    metric_raise_root(d, c, v, v);
}

void metric_lower_root(size_t d, const double *c, const double *v, double *xi)
{
    for (size_t i = 0; i < d; i++) {
        xi[i] = 0;
        for (size_t k = i; k < d; k++)
            xi[i] += c[k * d + i] * v[k];
    }
}

double metric_length(size_t n, const double *a)
{
    double sum = 0;
    for (size_t k = 0; k < n; k++)
        sum += a[k] * a[k];
    return sqrt(sum);
}

mst_status metric_slope(const mst_manifold *m, size_t n, const double *x, const double *v,
                        metric_work *w, double *l_x, double *p)
{
    metric_unpack(m, n, v, w->a);
    MST_TRY(m->metric->ops.lagrangian(m, n, x, w->a, w->l, w->l_x, w->l_v));
    if (l_x != NULL)
        metric_pack(m, n, w->l_x, l_x);
    metric_pack(m, n, w->l_v, p);
    return MST_OK;
}

static void unpack_or_zero(const mst_manifold *m, size_t n, const double *packed, double *rows)
{
    if (packed != NULL)
        metric_unpack(m, n, packed, rows);
    else
        memset(rows, 0, n * m->ambient * sizeof *rows);
}

/* out += A u, or Aᵀ u, with A (d, d); u null: nothing. */
static void add_product(size_t d, const double *a, bool transposed, const double *u, double *out)
{
    for (size_t i = 0; u != NULL && i < d; i++)
        for (size_t k = 0; k < d; k++)
            out[i] += a[transposed ? k * d + i : i * d + k] * u[k];
}

static const double *row_of(const double *rows, size_t row, size_t d)
{
    return rows != NULL ? rows + row * d : NULL;
}

/* The Hessian as a matrix, where several fields share it. */
static mst_status hvp_by_blocks(const mst_manifold *m, size_t n, size_t fields, const double *x,
                                const double *v, const double *dx, const double *dv, metric_work *w,
                                double *dl_x, double *dl_v)
{
    size_t d = m->dim, square = d * d;
    metric_unpack(m, n, v, w->a);
    MST_TRY(m->metric->ops.lagrangian_blocks(m, n, x, w->a, w->g, w->l_xv, w->l_xx));
    memset(dl_x, 0, n * fields * d * sizeof *dl_x);
    memset(dl_v, 0, n * fields * d * sizeof *dl_v);
    for (size_t row = 0; row < n * fields; row++) {
        size_t at = row / fields * square;
        add_product(d, w->l_xx + at, false, row_of(dx, row, d), dl_x + row * d);
        add_product(d, w->l_xv + at, false, row_of(dv, row, d), dl_x + row * d);
        add_product(d, w->l_xv + at, true, row_of(dx, row, d), dl_v + row * d);
        add_product(d, w->g + at, false, row_of(dv, row, d), dl_v + row * d);
    }
    return MST_OK;
}

mst_status metric_hvp(const mst_manifold *m, size_t n, size_t fields, const double *x,
                      const double *v, bool each, const double *dx, const double *dv,
                      metric_work *w, double *dl_x, double *dl_v)
{
    const mst_metric_ops *ops = &m->metric->ops;
    size_t d = m->dim, D = m->ambient, count = n * fields;
    if (ops->lagrangian_blocks != NULL && d <= METRIC_DENSE && !each)
        return hvp_by_blocks(m, n, fields, x, v, dx, dv, w, dl_x, dl_v);
    repeat(n, fields, D, x, w->x);
    if (each)
        metric_unpack(m, count, v, w->a);
    else
        for (size_t i = 0; i < n; i++)
            for (size_t k = 0; k < fields; k++)
                metric_unpack(m, 1, v + i * d, w->a + (i * fields + k) * D);
    unpack_or_zero(m, count, dx, w->b);
    unpack_or_zero(m, count, dv, w->c);
    MST_TRY(ops->lagrangian_hvp(m, count, w->x, w->a, w->b, w->c, w->l_x, w->l_v));
    metric_pack(m, count, w->l_x, dl_x);
    metric_pack(m, count, w->l_v, dl_v);
    return MST_OK;
}

mst_status metric_turn(const mst_manifold *m, size_t n, size_t fields, const double *x,
                       const double *v, const double *u, double sign, metric_work *w, double *out)
{
    size_t d = m->dim, count = n * fields;
    double *unused = w->first, *part = w->second;
    MST_TRY(metric_hvp(m, n, fields, x, v, false, NULL, u, w, out, unused));
    MST_TRY(metric_hvp(m, n, fields, x, v, false, u, NULL, w, unused, part));
    for (size_t k = 0; k < count * d; k++)
        out[k] += sign * part[k];
    /* ∂_v g u: the roles of u and v change. */
    for (size_t i = 0; i < n; i++)
        repeat(1, fields, d, v + i * d, unused + i * fields * d);
    MST_TRY(metric_hvp(m, n, fields, x, u, true, unused, NULL, w, part, unused));
    for (size_t k = 0; k < count * d; k++)
        out[k] = 0.5 * (out[k] - sign * unused[k]);
    return MST_OK;
}

mst_status metric_bend(const mst_manifold *m, size_t n, size_t fields, const double *x,
                       const double *u, metric_work *w, double *out)
{
    size_t d = m->dim, count = n * fields;
    MST_TRY(metric_hvp(m, n, fields, x, u, true, u, NULL, w, w->first, out));
    /* The rows x, u still stand in the room. */
    MST_TRY(m->metric->ops.lagrangian(m, count, w->x, w->a, w->l, w->l_x, w->l_v));
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < d; k++)
            out[i * d + k] -= w->l_x[i * m->ambient + k];
    return MST_OK;
}

double metric_chart_for(const mst_manifold *m, const double *x)
{
    double chart = 0;
    if (m->ambient > m->dim)
        m->metric->ops.leave(m, 1, x, &chart);
    return chart;
}

mst_status metric_change_chart(const mst_manifold *m, double to, double *x, size_t count,
                               double *vectors)
{
    const mst_metric_ops *ops = &m->metric->ops;
    size_t d = m->dim, D = m->ambient;
    if (D == d || to == x[d])
        return MST_OK;
    double *room;
    MST_TRY(mst_allocate(&room, 4 * D));
    double *y = room, *v = y + D, *w = v + D, *first = w + D;
    memcpy(first, x, D * sizeof *x);
    ops->transition(m, 1, first, NULL, &to, x, NULL);
    x[d] = to;
    for (size_t k = 0; k < count; k++) {
        metric_unpack(m, 1, vectors + k * d, v);
        ops->transition(m, 1, first, v, &to, y, w);
        metric_pack(m, 1, w, vectors + k * d);
    }
    mst_status status = MST_OK;
    for (size_t k = 0; k < d; k++)
        if (!isfinite(x[k]))
            status = mst_fail(MST_DOMAIN, "chart %g does not reach the point", to);
    mst_release(room);
    return status;
}
