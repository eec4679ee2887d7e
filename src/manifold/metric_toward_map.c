/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Toward y through a map f into Euclidean space: the potential is half the squared chord, ½|f(x) − f(y)|² =
 * ½r² + O(r⁴), as smooth as the map, and periodic where that is. */
#include "manifold/metric.h"

#include <string.h>

enum { BLOCK = 64 };

typedef struct map_room {
    double *from, *to;  /* (BLOCK, E) */
    double *jacobian;   /* (BLOCK, E, d) */
    double *v;          /* (BLOCK, d) */
    double *bend;       /* (BLOCK, d, d) */
    double *g, *factor; /* (BLOCK, d, d) */
    double *unit;       /* (d) */
} map_room;

static mst_status map_room_new(map_room *r, const mst_manifold *m)
{
    size_t d = m->dim, E = m->metric->ops.embedded;
    MST_TRY(mst_allocate(&r->from, BLOCK * (2 * E + E * d + d + 3 * d * d) + d));
    r->to = r->from + BLOCK * E;
    r->jacobian = r->to + BLOCK * E;
    r->v = r->jacobian + BLOCK * E * d;
    r->bend = r->v + BLOCK * d;
    r->g = r->bend + BLOCK * d * d;
    r->factor = r->g + BLOCK * d * d;
    r->unit = r->factor + BLOCK * d * d;
    return MST_OK;
}

/* v = g⁻¹Jᵀ(f(y) − f(x)) of row i, with g = JᵀJ; `from` becomes what v leaves of f(x) − f(y), its normal
 * part. Half of the squared chord. */
static double climb(const mst_manifold *m, map_room *r, size_t i)
{
    size_t d = m->dim, E = m->metric->ops.embedded;
    double *g = r->g + i * d * d, *v = r->v + i * d, *off = r->from + i * E, square = 0;
    const double *jacobian = r->jacobian + i * E * d;
    memset(g, 0, d * d * sizeof *g);
    memset(v, 0, d * sizeof *v);
    for (size_t k = 0; k < E; k++) {
        const double *row = jacobian + k * d;
        off[k] -= r->to[i * E + k];
        square += off[k] * off[k];
        for (size_t a = 0; a < d; a++) {
            v[a] -= row[a] * off[k];
            for (size_t b = 0; b < d; b++)
                g[a * d + b] += row[a] * row[b];
        }
    }
    metric_cholesky(d, g, r->factor + i * d * d);
    metric_raise(d, r->factor + i * d * d, v, v);
    for (size_t k = 0; k < E; k++)
        for (size_t a = 0; a < d; a++)
            off[k] += jacobian[k * d + a] * v[a];
    return 0.5 * square;
}

/* Δ ½|f − f(y)|² = d + Σ_e <f − f(y), II(e, e)>, and II is the normal part of ∂²f. */
static double trace(const mst_manifold *m, const map_room *r, size_t i)
{
    size_t d = m->dim;
    const double *bend = r->bend + i * d * d;
    double sum = (double)d, *e = r->unit;
    for (size_t k = 0; k < d; k++) {
        memset(e, 0, d * sizeof *e);
        e[k] = 1;
        metric_raise_root(d, r->factor + i * d * d, e, e);
        for (size_t a = 0; a < d; a++)
            for (size_t b = 0; b < d; b++)
                sum += e[a] * bend[a * d + b] * e[b];
    }
    return sum;
}

mst_status metric_map_toward(const mst_manifold *m, size_t n, const double *x, const double *y,
                             double *f, double *v, double *laplacian)
{
    const mst_metric_ops *ops = &m->metric->ops;
    size_t D = m->ambient;
    map_room r;
    MST_TRY(map_room_new(&r, m));
    mst_status status = MST_OK;
    for (size_t at = 0; status == MST_OK && at < n; at += BLOCK) {
        size_t count = n - at < BLOCK ? n - at : BLOCK;
        status = ops->embedding(m, count, x + at * D, r.from, r.jacobian);
        if (status == MST_OK)
            status = ops->embedding(m, count, y + at * D, r.to, NULL);
        for (size_t i = 0; status == MST_OK && i < count; i++) {
            double half = climb(m, &r, i);
            if (f != NULL)
                f[at + i] = half;
        }
        if (status == MST_OK && v != NULL)
            metric_unpack(m, count, r.v, v + at * D);
        if (status == MST_OK && laplacian != NULL)
            status = ops->embedding_bend(m, count, x + at * D, r.from, r.bend);
        for (size_t i = 0; status == MST_OK && laplacian != NULL && i < count; i++)
            laplacian[at + i] = trace(m, &r, i);
    }
    mst_release(r.from);
    return status;
}
