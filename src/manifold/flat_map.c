/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Exp_x(v) = φ⁻¹(φ(x) + Dφ_x[v]), and the other slots of a manifold that φ makes flat. */
#include "manifold/flat_map.h"

#include "manifold/flat.h"
#include "manifold/internal.h"
#include "manifold/spd_kernels.h"
#include "manifold/symmetric.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* One run over n rows: the map with its workspace, and coordinates for a chunk. */
typedef struct run {
    const flat_map *map;
    void *w;
    size_t d, D, most;
    double *u, *v; /* (most, d) */
} run;

static mst_status run_open(run *r, const mst_manifold *m)
{
    *r = (run){.map = m->data, .d = m->dim, .D = m->ambient, .most = symmetric_chunk(m->ambient)};
    MST_TRY(mst_allocate(&r->u, 2 * r->most * r->d));
    r->v = r->u + r->most * r->d;
    return r->map->open(m, &r->w);
}

static mst_status run_close(run *r, mst_status status)
{
    if (r->w != NULL)
        r->map->close(r->w);
    mst_release(r->u);
    return status;
}

/* Begins a loop over chunks of the n rows: row numbers i … i+count−1. */
#define FOR_CHUNKS(r, n, status)                                                             \
    for (size_t i = 0, count;                                                                \
         i < (n) && (status) == MST_OK && (count = (n)-i < (r).most ? (n)-i : (r).most) > 0; \
         i += count)

static double dot(size_t d, const double *u, const double *v)
{
    double sum = 0;
    for (size_t a = 0; a < d; a++)
        sum += u[a] * v[a];
    return sum;
}

static mst_status inner(const mst_manifold *m, size_t n, const double *x, const double *u,
                        const double *v, double *out)
{
    run r;
    mst_status status = run_open(&r, m);
    FOR_CHUNKS(r, n, status)
    {
        status = r.map->take(r.w, 0, i, count, x + i * r.D);
        for (size_t k = 0; k < count && status == MST_OK; k++) {
            r.map->push(r.w, 0, k, u + (i + k) * r.D, r.u);
            r.map->push(r.w, 0, k, v + (i + k) * r.D, r.v);
            out[i + k] = dot(r.d, r.u, r.v);
        }
    }
    return run_close(&r, status);
}

/* Into place 1: the points φ(x) + u, where u (count, d) are coordinates and x is in place 0. */
static mst_status go_on(run *r, size_t i, size_t count, const double *u)
{
    for (size_t k = 0; k < count; k++) {
        double *sum = r->v + k * r->d;
        r->map->value(r->w, 0, k, sum);
        for (size_t a = 0; a < r->d; a++)
            sum[a] += u[k * r->d + a];
    }
    return r->map->reach(r->w, i, count, r->v);
}

/* The ends of geodesics: x in place 0, Exp_x(v) in place 1. */
static mst_status follow(run *r, size_t i, size_t count, const double *x, const double *v)
{
    MST_TRY(r->map->take(r->w, 0, i, count, x));
    for (size_t k = 0; k < count; k++)
        r->map->push(r->w, 0, k, v + k * r->D, r->u + k * r->d);
    return go_on(r, i, count, r->u);
}

static mst_status exponential(const mst_manifold *m, size_t n, const double *x, const double *v,
                              double *y)
{
    run r;
    mst_status status = run_open(&r, m);
    FOR_CHUNKS(r, n, status)
    {
        status = follow(&r, i, count, x + i * r.D, v + i * r.D);
        if (status == MST_OK)
            r.map->points(r.w, count, y + i * r.D);
    }
    return run_close(&r, status);
}

/* φ(y) − φ(x) into r->u. */
static mst_status compare(run *r, size_t i, size_t count, const double *x, const double *y)
{
    MST_TRY(r->map->take(r->w, 0, i, count, x));
    MST_TRY(r->map->take(r->w, 1, i, count, y));
    for (size_t k = 0; k < count; k++)
        r->map->difference(r->w, k, x + k * r->D, y + k * r->D, r->u + k * r->d);
    return MST_OK;
}

static mst_status logarithm(const mst_manifold *m, size_t n, const double *x, const double *y,
                            double *v, unsigned char *flag)
{
    run r;
    mst_status status = run_open(&r, m);
    FOR_CHUNKS(r, n, status)
    {
        status = compare(&r, i, count, x + i * r.D, y + i * r.D);
        for (size_t k = 0; k < count && status == MST_OK; k++)
            r.map->pull(r.w, 0, k, r.u + k * r.d, v + (i + k) * r.D);
    }
    if (status == MST_OK && flag != NULL)
        memset(flag, 0, n);
    return run_close(&r, status);
}

static mst_status distance(const mst_manifold *m, size_t n, const double *x, const double *y,
                           double *out)
{
    run r;
    mst_status status = run_open(&r, m);
    FOR_CHUNKS(r, n, status)
    {
        status = compare(&r, i, count, x + i * r.D, y + i * r.D);
        for (size_t k = 0; k < count && status == MST_OK; k++)
            out[i + k] = sqrt(dot(r.d, r.u + k * r.d, r.u + k * r.d));
    }
    return run_close(&r, status);
}

/* A prepared point: the matrix, and φ of it. */
static size_t prepared_size(const mst_manifold *m)
{
    return m->ambient + m->dim;
}

static mst_status prepare(const mst_manifold *m, size_t n, const double *x, double *prepared)
{
    size_t size = prepared_size(m);
    run r;
    mst_status status = run_open(&r, m);
    FOR_CHUNKS(r, n, status)
    {
        status = r.map->take(r.w, 0, i, count, x + i * r.D);
        for (size_t k = 0; k < count && status == MST_OK; k++) {
            double *out = prepared + (i + k) * size;
            memcpy(out, x + (i + k) * r.D, r.D * sizeof *out);
            r.map->value(r.w, 0, k, out + r.D);
        }
    }
    return run_close(&r, status);
}

/* Of neighbours the difference of φ has lost its digits. */
static mst_status dist_prepared(const mst_manifold *m, size_t n, const double *x, const double *y,
                                double *out)
{
    size_t D = m->ambient, d = m->dim, size = prepared_size(m);
    for (size_t i = 0; i < n; i++, y += size) {
        double square = 0;
        for (size_t a = 0; a < d; a++)
            square += (y[D + a] - x[D + a]) * (y[D + a] - x[D + a]);
        out[i] = sqrt(square);
        if (square <= 1.0 / 16)
            MST_TRY(distance(m, 1, x, y, out + i));
    }
    return MST_OK;
}

static mst_status transport(const mst_manifold *m, size_t n, const double *x, const double *v,
                            const double *u, double *out)
{
    run r;
    mst_status status = run_open(&r, m);
    FOR_CHUNKS(r, n, status)
    {
        status = follow(&r, i, count, x + i * r.D, v + i * r.D);
        for (size_t k = 0; k < count && status == MST_OK; k++) {
            r.map->push(r.w, 0, k, u + (i + k) * r.D, r.u);
            r.map->pull(r.w, 1, k, r.u, out + (i + k) * r.D);
        }
    }
    return run_close(&r, status);
}

static mst_status from_frame(const mst_manifold *m, size_t n, const double *x, const double *c,
                             double *v)
{
    run r;
    mst_status status = run_open(&r, m);
    FOR_CHUNKS(r, n, status)
    {
        status = r.map->take(r.w, 0, i, count, x + i * r.D);
        for (size_t k = 0; k < count && status == MST_OK; k++)
            r.map->pull(r.w, 0, k, c + (i + k) * r.d, v + (i + k) * r.D);
    }
    return run_close(&r, status);
}

static mst_status to_frame(const mst_manifold *m, size_t n, const double *x, const double *v,
                           double *c)
{
    run r;
    mst_status status = run_open(&r, m);
    FOR_CHUNKS(r, n, status)
    {
        status = r.map->take(r.w, 0, i, count, x + i * r.D);
        for (size_t k = 0; k < count && status == MST_OK; k++)
            r.map->push(r.w, 0, k, v + (i + k) * r.D, c + (i + k) * r.d);
    }
    return run_close(&r, status);
}

/* The chart is φ itself, moved to its centre. */
static mst_status chart_coords(const mst_manifold *m, size_t n, const double *c, const double *x,
                               double *u)
{
    run r;
    mst_status status = run_open(&r, m);
    FOR_CHUNKS(r, n, status)
    {
        status = compare(&r, i, count, c + i * r.D, x + i * r.D);
        if (status == MST_OK)
            memcpy(u + i * r.d, r.u, count * r.d * sizeof *u);
    }
    return run_close(&r, status);
}

static mst_status chart_point(const mst_manifold *m, size_t n, const double *c, const double *u,
                              double *x)
{
    run r;
    mst_status status = run_open(&r, m);
    FOR_CHUNKS(r, n, status)
    {
        status = r.map->take(r.w, 0, i, count, c + i * r.D);
        if (status == MST_OK)
            status = go_on(&r, i, count, u + i * r.d);
        if (status == MST_OK)
            r.map->points(r.w, count, x + i * r.D);
    }
    return run_close(&r, status);
}

static void traits(const mst_manifold *m, mst_manifold_traits *out)
{
    mst_flat_symmetric_traits(m, out);
    out->positive_definite = true;
    out->embedding = NAN; /* of the coordinates, not of the rows */
}

static const mst_manifold_ops flat_map_ops = {
    .size = sizeof(mst_manifold_ops),
    .name = "spd",
    .traits = traits,
    .start = mst_spd_start,
    .project = mst_spd_project,
    .tangent = mst_symmetric_tangent,
    .inner = inner,
    .exp = exponential,
    .validate = mst_spd_validate,
    .from_frame = from_frame,
    .to_frame = to_frame,
    .log = logarithm,
    .dist = distance,
    .prepared_size = prepared_size,
    .prepare = prepare,
    .dist_prepared = dist_prepared,
    .transport = transport,
    .ricci = mst_flat_ricci,
    .injectivity = mst_spd_injectivity,
    .chart_coords = chart_coords,
    .chart_point = chart_point,
    .chart_metric = mst_flat_metric,
    .chart_christoffel = mst_flat_christoffel,
    .chart_radius = mst_flat_radius,
    .chart_diffusion = mst_flat_diffusion,
};

mst_status mst_flat_map_new(mst_manifold **out, size_t n, const char *metric, const flat_map *map)
{
    MST_TRY(mst_check_order(out, "spd", n, MST_MAX_ORDER));
    char spec[60];
    snprintf(spec, sizeof spec, "spd:%zu?metric=%s", n, metric);
    return mst_manifold_new(out, &flat_map_ops, spec, symmetric_dim(n), n * n, (void *)map);
}
