/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* The chord as a potential, for manifolds of which nothing is known. Where the metric is ρ times that of R^D
 * it is f = ½ρ|y − x|², whose gradient −P_x(y − x) does not show ρ. For any metric v =
 * P_x(y − x) is Log_x(y) to first order. */
#include "manifold/fallback.h"
#include "manifold/jacobi.h"

#include <math.h>
#include <string.h>

/* <u, u>/|u|² of a tangent vector, here the first of the frame. */
static mst_status metric_scale(const mst_manifold *m, const double *x, double *frame, double *scale)
{
    MST_TRY(mst_manifold_frame(m, 1, x, frame));
    double sum = 0;
    for (size_t a = 0; a < m->ambient; a++)
        sum += frame[a] * frame[a];
    *scale = 1 / sum;
    return MST_OK;
}

/* ½<v, v> + ½ρ|y − x − v|², for one point. */
static mst_status potential(const mst_manifold *m, const double *x, const double *y,
                            const double *v, double *frame, double *f)
{
    double square, flat = 0, off = 0;
    MST_TRY(mst_manifold_inner(m, 1, x, v, v, &square));
    for (size_t a = 0; a < m->ambient; a++) {
        double rest = y[a] - x[a] - v[a];
        flat += v[a] * v[a];
        off += rest * rest;
    }
    double scale = square / flat;
    if (off > 0 && !(flat > 1e-6 * off)) /* near the antipode v has no direction to tell ρ by */
        MST_TRY(metric_scale(m, x, frame, &scale));
    *f = 0.5 * (square + (off > 0 ? scale * off : 0));
    return MST_OK;
}

/* −div v at one point, by differences: <E_a, ∇_a v> is the derivative along the geodesic of E_a of <its
 * velocity, v>. `room` has (d + 4·POINTS, D) and POINTS more. */
static mst_status minus_divergence(const mst_manifold *m, const double *x, const double *y,
                                   double *room, double *out)
{
    enum { POINTS = MST_WIDE_POINTS };
    size_t d = m->dim, D = m->ambient;
    double *frame = room, *start = frame + d * D, *step = start + POINTS * D,
           *velocity = step + POINTS * D, *v = velocity + POINTS * D, *c = v + POINTS * D;
    MST_TRY(mst_manifold_frame(m, 1, x, frame));
    *out = 0;
    for (size_t b = 0; b < d; b++) {
        for (size_t k = 0; k < POINTS; k++)
            for (size_t a = 0; a < D; a++) {
                start[k * D + a] = x[a];
                velocity[k * D + a] = frame[b * D + a];
                step[k * D + a] = MST_WIDE_STEP * mst_wide_at[k] * frame[b * D + a];
            }
        MST_TRY(mst_manifold_transport(m, POINTS, start, step, velocity, velocity));
        MST_TRY(mst_manifold_exp(m, POINTS, start, step, start));
        for (size_t k = 0; k < POINTS * D; k++)
            v[k] = y[k % D] - start[k];
        MST_TRY(mst_manifold_tangent(m, POINTS, start, v, v));
        MST_TRY(mst_manifold_inner(m, POINTS, start, velocity, v, c));
        for (size_t k = 0; k < POINTS; k++)
            *out -= mst_wide_weight[k] / MST_WIDE_STEP * c[k];
    }
    return MST_OK;
}

mst_status mst_chord_toward(const mst_manifold *m, size_t n, const double *x, const double *y,
                            double *f, double *v, double *laplacian)
{
    size_t d = m->dim, D = m->ambient;
    for (size_t k = 0; k < n * D; k++)
        v[k] = y[k] - x[k];
    MST_TRY(mst_manifold_tangent(m, n, x, v, v));
    if (f == NULL && laplacian == NULL)
        return MST_OK;
    double *room;
    MST_TRY(mst_allocate(&room, (d + 4 * MST_WIDE_POINTS) * D + MST_WIDE_POINTS));
    mst_status status = MST_OK;
    for (size_t i = 0; status == MST_OK && i < n; i++) {
        size_t at = i * D;
        if (f != NULL)
            status = potential(m, x + at, y + at, v + at, room, &f[i]);
        if (status == MST_OK && laplacian != NULL)
            status = minus_divergence(m, x + at, y + at, room, &laplacian[i]);
    }
    mst_release(room);
    return status;
}
