/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Exp of a metric, parallel transport, and the derivative of Exp and its adjoint. */
#include "base/linalg.h"
#include "manifold/metric.h"

#include <math.h>
#include <string.h>

/* Up to FLOW_ROWS rows at a time. */
typedef struct block {
    flow f;
    double *base, *state, *packed; /* (rows, D), (rows, width), (rows, d) */
    double *memory;
} block;

static mst_status block_new(block *b, const mst_manifold *m, flow_kind kind, size_t fields)
{
    *b = (block){0};
    MST_TRY(flow_new(&b->f, m, kind, fields));
    mst_status status =
        mst_allocate(&b->memory, FLOW_ROWS * (m->ambient + b->f.width + 3 * m->dim));
    if (status != MST_OK) {
        flow_free(&b->f);
        return status;
    }
    b->base = b->memory;
    b->state = b->base + FLOW_ROWS * m->ambient;
    b->packed = b->state + FLOW_ROWS * b->f.width;
    return MST_OK;
}

static void block_free(block *b)
{
    flow_free(&b->f);
    mst_release(b->memory);
}

/* Rows x, v (n, D) as the beginning of geodesics. */
static mst_status begin(block *b, size_t n, const double *x, const double *v)
{
    const mst_manifold *m = b->f.m;
    size_t d = m->dim, width = b->f.width;
    memcpy(b->base, x, n * m->ambient * sizeof *x);
    metric_pack(m, n, v, b->packed);
    double *p = b->packed + FLOW_ROWS * d;
    MST_TRY(metric_slope(m, n, x, b->packed, &b->f.room, NULL, p));
    for (size_t i = 0; i < n; i++) {
        memset(b->state + i * width, 0, d * sizeof *b->state);
        memcpy(b->state + i * width + d, p + i * d, d * sizeof *p);
    }
    return MST_OK;
}

/* Is there a metric at the ends of n geodesics, y (n, D)? A last step may lead beyond. */
static mst_status check_ends(block *b, size_t n, const double *y)
{
    const mst_manifold *m = b->f.m;
    size_t square = m->dim * m->dim;
    MST_TRY(metric_factor(m, n, y, &b->f.room, b->f.factor));
    if (!mst_all_finite(n * square, b->f.factor))
        return mst_fail(MST_DOMAIN, "a geodesic ended where the metric is not positive definite");
    return MST_OK;
}

mst_status metric_exp(const mst_manifold *m, size_t n, const double *x, const double *v, double *y)
{
    size_t D = m->ambient;
    block b;
    MST_TRY(block_new(&b, m, FLOW_ALONE, 0));
    mst_status status = MST_OK;
    for (size_t i = 0; status == MST_OK && i < n; i += FLOW_ROWS) {
        size_t count = n - i < FLOW_ROWS ? n - i : FLOW_ROWS;
        status = begin(&b, count, x + i * D, v + i * D);
        if (status == MST_OK)
            status = flow_run(&b.f, count, b.base, b.state);
        for (size_t k = 0; status == MST_OK && k < count; k++)
            flow_end(&b.f, b.base + k * D, b.state + k * b.f.width, y + (i + k) * D);
        if (status == MST_OK)
            status = check_ends(&b, count, y + i * D);
    }
    block_free(&b);
    return status;
}

/* u as the field that is carried, and the result at the end. */
static mst_status carry(block *b, size_t n, const double *x, const double *u, double *out)
{
    const mst_manifold *m = b->f.m;
    size_t d = m->dim, D = m->ambient, width = b->f.width;
    metric_pack(m, n, u, b->packed);
    double *p = b->packed + FLOW_ROWS * d;
    MST_TRY(metric_slope(m, n, x, b->packed, &b->f.room, NULL, p));
    for (size_t i = 0; i < n; i++)
        memcpy(b->state + i * width + 2 * d, p + i * d, d * sizeof *p);
    MST_TRY(flow_run(&b->f, n, b->base, b->state));
    for (size_t i = 0; i < n; i++)
        flow_end(&b->f, b->base + i * D, b->state + i * width, b->base + i * D);
    MST_TRY(metric_factor(m, n, b->base, &b->f.room, b->f.factor));
    for (size_t i = 0; i < n; i++)
        metric_raise(d, b->f.factor + i * d * d, b->state + i * width + 2 * d, b->packed + i * d);
    metric_unpack(m, n, b->packed, out);
    return MST_OK;
}

mst_status metric_transport(const mst_manifold *m, size_t n, const double *x, const double *v,
                            const double *u, double *out)
{
    size_t D = m->ambient;
    block b;
    MST_TRY(block_new(&b, m, FLOW_CARRY, 1));
    mst_status status = MST_OK;
    for (size_t i = 0; status == MST_OK && i < n; i += FLOW_ROWS) {
        size_t count = n - i < FLOW_ROWS ? n - i : FLOW_ROWS;
        status = begin(&b, count, x + i * D, v + i * D);
        if (status == MST_OK)
            status = carry(&b, count, x + i * D, u + i * D, out + i * D);
    }
    block_free(&b);
    return status;
}

/* The Jacobi fields of n geodesics from x, which is `fields` rows apart, with J(0) = dx, ∇J(0) = dv, either
 * of which may be null; J(1) into dy. */
static mst_status derive(block *b, size_t n, const double *x, const double *dx, const double *dv,
                         double *dy)
{
    const mst_manifold *m = b->f.m;
    size_t d = m->dim, D = m->ambient, width = b->f.width, fields = b->f.fields;
    double *j = b->packed, *dj = j + fields * d;
    for (size_t i = 0; i < n; i++) {
        double *state = b->state + i * width;
        size_t at = i * fields * D;
        memset(j, 0, 2 * fields * d * sizeof *j);
        if (dx != NULL)
            metric_pack(m, fields, dx + at, j);
        if (dv != NULL)
            metric_pack(m, fields, dv + at, dj);
        MST_TRY(flow_set_fields(&b->f, x + at, state + d, j, dj, state + 2 * d));
    }
    MST_TRY(flow_run(&b->f, n, b->base, b->state));
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < fields; k++)
            metric_unpack(m, 1, b->state + i * width + 2 * d + k * b->f.share,
                          dy + (i * fields + k) * D);
    return MST_OK;
}

size_t metric_fields_of(const mst_manifold *m, size_t n, const double *x, const double *v,
                        size_t most)
{
    size_t D = m->ambient, bytes = D * sizeof *x, run = 1, parts = 1;
    while (run < n && memcmp(x + run * D, x, bytes) == 0 && memcmp(v + run * D, v, bytes) == 0)
        run++;
    for (size_t i = 0; run > 1 && i < n; i++) {
        size_t first = i - i % run;
        if (n % run != 0 || memcmp(x + i * D, x + first * D, bytes) != 0 ||
            memcmp(v + i * D, v + first * D, bytes) != 0)
            return 1;
    }
    while (run / parts > most || run % parts != 0)
        parts++;
    return run / parts;
}

/* The room of a block holds so many fields. */
enum { MOST_FIELDS = 3 * FLOW_ROWS / 2 };

mst_status metric_exp_derivative(const mst_manifold *m, size_t n, const double *x, const double *v,
                                 const double *dx, const double *dv, double *dy)
{
    size_t D = m->ambient, fields = metric_fields_of(m, n, x, v, MOST_FIELDS), rows = n / fields;
    block b;
    MST_TRY(block_new(&b, m, FLOW_JACOBI, fields));
    double *begins;
    mst_status status = mst_allocate(&begins, 2 * FLOW_ROWS * D);
    for (size_t i = 0; status == MST_OK && i < rows; i += FLOW_ROWS) {
        size_t count = rows - i < FLOW_ROWS ? rows - i : FLOW_ROWS, at = i * fields * D;
        for (size_t k = 0; k < count; k++) {
            memcpy(begins + k * D, x + at + k * fields * D, D * sizeof *begins);
            memcpy(begins + (FLOW_ROWS + k) * D, v + at + k * fields * D, D * sizeof *begins);
        }
        status = begin(&b, count, begins, begins + FLOW_ROWS * D);
        if (status == MST_OK)
            status = derive(&b, count, x + at, dx != NULL ? dx + at : NULL,
                            dv != NULL ? dv + at : NULL, dy + at);
    }
    mst_release(begins);
    block_free(&b);
    return status;
}

/* The flow of (J, ∇J) keeps <J₁, ∇J₂> − <J₂, ∇J₁>: so the transpose of the way there is, up to signs, the way
 * back. From the end of the geodesic in `there`, with J = 0 and ∇J = w, back to x; with
 * the time, ∇J changes its sign. */
static mst_status return_row(const block *there, block *back, size_t i, const double *x,
                             const double *w, double *dx, double *dv)
{
    const mst_manifold *m = back->f.m;
    size_t d = m->dim, D = m->ambient;
    const double *state = there->state + i * there->f.width;
    double *j = back->packed, *dj = j + d;
    flow_end(&there->f, there->base + i * D, state, back->base);
    memset(back->state, 0, back->f.width * sizeof *back->state);
    memset(j, 0, d * sizeof *j);
    for (size_t k = 0; k < d; k++) {
        back->state[d + k] = -state[d + k];
        dj[k] = -w[k];
    }
    MST_TRY(flow_set_fields(&back->f, back->base, back->state + d, j, dj, back->state + 2 * d));
    MST_TRY(flow_run(&back->f, 1, back->base, back->state));
    flow_end(&back->f, back->base, back->state, back->base);
    MST_TRY(flow_get_fields(&back->f, back->base, back->state + d, back->state + 2 * d, j, dj));
    MST_TRY(metric_change_chart(m, D > d ? x[d] : 0, back->base, 2, j));
    for (size_t k = 0; k < 2 * d; k++)
        j[k] = -j[k];
    if (dx != NULL)
        metric_unpack(m, 1, dj, dx);
    if (dv != NULL)
        metric_unpack(m, 1, j, dv);
    return MST_OK;
}

mst_status metric_exp_adjoint(const mst_manifold *m, size_t n, const double *x, const double *v,
                              const double *w, double *dx, double *dv)
{
    size_t D = m->ambient;
    block there, back = {0};
    MST_TRY(block_new(&there, m, FLOW_ALONE, 0));
    mst_status status = block_new(&back, m, FLOW_JACOBI, 1);
    for (size_t i = 0; status == MST_OK && i < n; i += FLOW_ROWS) {
        size_t count = n - i < FLOW_ROWS ? n - i : FLOW_ROWS;
        status = begin(&there, count, x + i * D, v + i * D);
        if (status == MST_OK)
            status = flow_run(&there.f, count, there.base, there.state);
        for (size_t k = 0; status == MST_OK && k < count; k++) {
            size_t at = (i + k) * D;
            status = return_row(&there, &back, k, x + at, w + at, dx != NULL ? dx + at : NULL,
                                dv != NULL ? dv + at : NULL);
        }
    }
    block_free(&there);
    if (back.memory != NULL)
        block_free(&back);
    return status;
}
