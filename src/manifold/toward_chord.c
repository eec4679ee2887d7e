/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Potentials of manifolds of which nothing is known but their rows.
 *
 * Rows that are coordinates (D = d): f = ½ g_y(x − y, x − y), v = g_x⁻¹ g_y (y − x).
 * Points of R^D: the chord. Where the metric is ρ times that of R^D it is f = ½ρ|y − x|², whose gradient
 * −P_x(y − x) does not show ρ. For any metric v = P_x(y − x) is Log_x(y) to first order. */
#include "manifold/fallback.h"
#include "manifold/jacobi.h"

#include <math.h>
#include <string.h>

typedef struct chord_room {
    double *frame;                         /* (d, D) */
    double *start, *end, *step, *velocity; /* (POINTS, D) */
    double *rest;                          /* (3 d, D) and d more: for `direction` */
} chord_room;

static mst_status chord_room_new(chord_room *w, const mst_manifold *m)
{
    size_t size = MST_WIDE_POINTS * m->ambient, frame = m->dim * m->ambient;
    MST_TRY(mst_allocate(&w->frame, 4 * (frame + size) + m->dim));
    w->start = w->frame + frame;
    w->end = w->start + size;
    w->step = w->end + size;
    w->velocity = w->step + size;
    w->rest = w->velocity + size;
    return MST_OK;
}

/* ρ by a tangent vector, v or where that has no direction, as at an antipode, the first of the frame. */
static mst_status find_scale(const mst_manifold *m, const double *x, const double *v, double off,
                             double *frame, double *scale)
{
    double square = 1, flat = 0;
    for (size_t a = 0; a < m->ambient; a++)
        flat += v[a] * v[a];
    if (flat > 1e-6 * off) {
        MST_TRY(mst_manifold_inner(m, 1, x, v, v, &square));
    } else {
        MST_TRY(mst_manifold_frame(m, 1, x, frame));
        flat = 0;
        for (size_t a = 0; a < m->ambient; a++)
            flat += frame[a] * frame[a];
    }
    *scale = square / flat;
    return MST_OK;
}

/* ½<v, v> + ½ρ|y − x − v|² for one point, or ½ g_y(x − y, x − y). */
static mst_status potential(const mst_manifold *m, const double *x, const double *y,
                            const double *v, double *frame, double *f)
{
    double scale = m->traits.embedding, off = 0, square;
    if (m->ambient == m->dim) {
        for (size_t a = 0; a < m->dim; a++)
            frame[a] = y[a] - x[a];
        MST_TRY(mst_manifold_inner(m, 1, y, frame, frame, f));
        *f *= 0.5;
        return MST_OK;
    }
    for (size_t a = 0; a < m->ambient; a++) {
        double rest = y[a] - x[a] - v[a];
        off += rest * rest;
    }
    MST_TRY(mst_manifold_inner(m, 1, x, v, v, &square));
    if (isnan(scale) && off > 0)
        MST_TRY(find_scale(m, x, v, off, frame, &scale));
    *f = 0.5 * (square + (off > 0 ? scale * off : 0));
    return MST_OK;
}

/* v of n points; `work` has (3 d, D) and d more. */
static mst_status direction(const mst_manifold *m, size_t n, const double *x, const double *y,
                            double *work, double *v)
{
    size_t d = m->dim, D = m->ambient;
    if (D > d) {
        for (size_t k = 0; k < n * D; k++)
            v[k] = y[k] - x[k];
        return mst_manifold_tangent(m, n, x, v, v);
    }
    double *frame = work, *points = frame + d * D, *differences = points + d * D,
           *c = differences + d * D;
    for (size_t i = 0; i < n; i++) {
        MST_TRY(mst_manifold_frame(m, 1, x + i * D, frame));
        for (size_t k = 0; k < d * D; k++) {
            points[k] = y[i * D + k % D];
            differences[k] = y[i * D + k % D] - x[i * D + k % D];
        }
        MST_TRY(mst_manifold_inner(m, d, points, differences, frame, c));
        MST_TRY(mst_manifold_from_frame(m, 1, x + i * D, c, v + i * D));
    }
    return MST_OK;
}

/* −div v at one point, by differences: <E_a, ∇_a v> is the derivative along the geodesic of E_a of <its
 * velocity, v>. */
static mst_status minus_divergence(const mst_manifold *m, const double *x, const double *y,
                                   chord_room *w, double *out)
{
    enum { POINTS = MST_WIDE_POINTS };
    size_t D = m->ambient;
    double c[POINTS];
    MST_TRY(mst_manifold_frame(m, 1, x, w->frame));
    *out = 0;
    for (size_t b = 0; b < m->dim; b++) {
        for (size_t k = 0; k < POINTS; k++)
            for (size_t a = 0; a < D; a++) {
                w->start[k * D + a] = x[a];
                w->end[k * D + a] = y[a];
                w->velocity[k * D + a] = w->frame[b * D + a];
                w->step[k * D + a] = MST_WIDE_STEP * mst_wide_at[k] * w->frame[b * D + a];
            }
        MST_TRY(mst_manifold_transport(m, POINTS, w->start, w->step, w->velocity, w->velocity));
        MST_TRY(mst_manifold_exp(m, POINTS, w->start, w->step, w->start));
        MST_TRY(direction(m, POINTS, w->start, w->end, w->rest, w->step));
        MST_TRY(mst_manifold_inner(m, POINTS, w->start, w->velocity, w->step, c));
        for (size_t k = 0; k < POINTS; k++)
            *out -= mst_wide_weight[k] / MST_WIDE_STEP * c[k];
    }
    return MST_OK;
}

mst_status mst_chord_toward(const mst_manifold *m, size_t n, const double *x, const double *y,
                            double *f, double *v, double *laplacian)
{
    size_t D = m->ambient;
    chord_room w;
    MST_TRY(chord_room_new(&w, m));
    mst_status status = direction(m, n, x, y, w.rest, v);
    for (size_t i = 0; status == MST_OK && i < n; i++) {
        size_t at = i * D;
        if (f != NULL)
            status = potential(m, x + at, y + at, v + at, w.frame, &f[i]);
        if (status == MST_OK && laplacian != NULL)
            status = minus_divergence(m, x + at, y + at, &w, &laplacian[i]);
    }
    mst_release(w.frame);
    return status;
}
