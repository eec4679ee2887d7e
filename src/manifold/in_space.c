/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

#include "manifold/in_space.h"

#include "manifold/constraint.h"
#include "manifold/metric.h"

#include <math.h>
#include <string.h>

enum { BLOCK = 64 };

bool mst_has_root(const mst_manifold *m)
{
    return m->metric != NULL || m->constraint != NULL;
}

bool mst_has_equations(const mst_manifold *m)
{
    return m->constraint != NULL;
}

mst_status mst_equations(const mst_manifold *m, size_t n, const double *x, double *h)
{
    return m->constraint->ops.constraint(m, n, x, h, NULL);
}

size_t mst_map_dim(const mst_manifold *m)
{
    return m->metric != NULL ? m->metric->ops.embedded : 0;
}

mst_status mst_map_points(const mst_manifold *m, size_t n, const double *x, double *f)
{
    return m->metric->ops.embedding(m, n, x, f, NULL);
}

bool mst_periods(const mst_manifold *m, double *period)
{
    bool any = false;
    if (m->metric == NULL || m->metric->ops.period == NULL)
        return false;
    m->metric->ops.period(m, period);
    for (size_t k = 0; k < m->dim; k++)
        any |= period[k] > 0;
    return any;
}

size_t mst_manifold_space_dim(const mst_manifold *m)
{
    return mst_map_dim(m);
}

mst_status mst_manifold_in_space(const mst_manifold *m, size_t n, const double *x, double *f)
{
    if (mst_map_dim(m) == 0)
        return mst_fail(MST_UNABLE, "%s is not known to lie in a space", mst_manifold_spec(m));
    return n > 0 ? mst_map_points(m, n, x, f) : MST_OK;
}

void mst_manifold_periods(const mst_manifold *m, double *period)
{
    memset(period, 0, m->dim * sizeof *period);
    (void)mst_periods(m, period);
}

/* ---- Equations ---- */

/* Gram and Schmidt on the gradients of one point, (c, D) in place. */
static void make_orthonormal(size_t c, size_t D, double *g)
{
    for (size_t k = 0; k < c; k++) {
        double *row = g + k * D, square = 0;
        for (size_t j = 0; j < k; j++) {
            double along = 0;
            for (size_t a = 0; a < D; a++)
                along += g[j * D + a] * row[a];
            for (size_t a = 0; a < D; a++)
                row[a] -= along * g[j * D + a];
        }
        for (size_t a = 0; a < D; a++)
            square += row[a] * row[a];
        for (size_t a = 0; a < D; a++)
            row[a] /= sqrt(square);
    }
}

mst_status mst_normals(const mst_manifold *m, size_t n, const double *x, double *normals)
{
    size_t c = m->constraint->count, D = m->ambient;
    double *h;
    MST_TRY(mst_allocate(&h, n * c));
    mst_status status = m->constraint->ops.constraint(m, n, x, h, normals);
    for (size_t i = 0; status == MST_OK && i < n; i++)
        make_orthonormal(c, D, normals + i * c * D);
    mst_release(h);
    return status;
}

/* II(u, u) traced over the tangent space: over all of R^D, less the normals. */
static void trace_bend(const mst_manifold *m, const constraint_room *r, size_t i,
                       const double *normals, double *work, double *h)
{
    size_t c = m->constraint->count, D = m->ambient;
    double *unit = work, *part = unit + D;
    memset(h, 0, D * sizeof *h);
    memset(unit, 0, D * sizeof *unit);
    for (size_t k = 0; k < D + c; k++) {
        const double *e = k < D ? unit : normals + (k - D) * D;
        if (k < D)
            unit[k] = 1;
        constraint_bend(m, r, i, e, e, part);
        if (k < D)
            unit[k] = 0;
        for (size_t a = 0; a < D; a++)
            h[a] += k < D ? part[a] : -part[a];
    }
}

mst_status mst_mean_curvature(const mst_manifold *m, size_t n, const double *x, double *h)
{
    size_t c = m->constraint->count, D = m->ambient;
    constraint_room r;
    double *normals;
    MST_TRY(mst_allocate(&normals, BLOCK * c * D + 2 * D));
    double *work = normals + BLOCK * c * D;
    mst_status status = constraint_room_new(&r, m, BLOCK);
    for (size_t at = 0; status == MST_OK && at < n; at += BLOCK) {
        size_t count = n - at < BLOCK ? n - at : BLOCK;
        status = constraint_hessians(m, count, x + at * D, &r);
        if (status == MST_OK)
            status = mst_normals(m, count, x + at * D, normals);
        for (size_t i = 0; status == MST_OK && i < count; i++)
            trace_bend(m, &r, i, normals + i * c * D, work, h + (at + i) * D);
    }
    constraint_room_free(&r);
    mst_release(normals);
    return status;
}

mst_status mst_second_form(const mst_manifold *m, const double *x, const double *frame, double *out)
{
    size_t d = m->dim, D = m->ambient;
    constraint_room r;
    MST_TRY(constraint_room_new(&r, m, 1));
    mst_status status = constraint_hessians(m, 1, x, &r);
    for (size_t a = 0; status == MST_OK && a < d; a++)
        for (size_t b = 0; b < d; b++)
            constraint_bend(m, &r, 0, frame + a * D, frame + b * D, out + (a * d + b) * D);
    constraint_room_free(&r);
    return status;
}

/* ---- Metrics ---- */

mst_status mst_nudge(const mst_manifold *m, size_t n, const double *x, const double *v, double *y)
{
    if ((m->traits.closed & MST_CLOSED_EXP) != 0)
        return mst_manifold_exp(m, n, x, v, y);
    if (m->metric == NULL)
        return mst_manifold_retract(m, n, x, v, y);
    size_t D = m->ambient;
    for (size_t i = 0; i < n; i++)
        for (size_t a = 0; a < D; a++)
            y[i * D + a] = x[i * D + a] + (a < m->dim ? v[i * D + a] : 0);
    return MST_OK;
}

/* ∂_i E_k in coordinates, entry (i, k) of (d, d, D). A coordinate moves by a small part of what its unit
 * vector is long. */
static mst_status frame_slopes(const mst_manifold *m, const double *x, const double *frame,
                               double *work, double *slope)
{
    const double relative_step = 1e-4;
    size_t d = m->dim, D = m->ambient;
    double *at = work, *other = at + D;
    memcpy(at, x, D * sizeof *at);
    for (size_t i = 0; i < d; i++) {
        double length = 0, *out = slope + i * d * D;
        for (size_t a = 0; a < d; a++)
            length += frame[a * D + i] * frame[a * D + i];
        double step = relative_step * sqrt(length);
        at[i] = x[i] + step;
        MST_TRY(mst_manifold_frame(m, 1, at, out));
        at[i] = x[i] - step;
        MST_TRY(mst_manifold_frame(m, 1, at, other));
        at[i] = x[i];
        for (size_t k = 0; k < d * D; k++)
            out[k] = (out[k] - other[k]) / (2 * step);
    }
    return MST_OK;
}

/* Koszul: 2<E_a, ∇_b E_k> = <[E_b, E_k], E_a> − <[E_k, E_a], E_b> + <[E_a, E_b], E_k>. */
mst_status mst_frame_connection(const mst_manifold *m, const double *x, double *omega)
{
    size_t d = m->dim, D = m->ambient, cube = d * d * d;
    double *work;
    MST_TRY(mst_allocate_zero(&work, 2 * d * D + D + 3 * d * d * D + cube));
    double *frame = work, *rest = frame + d * D, *slope = rest + d * D + D;
    double *bracket = slope + d * d * D, *points = bracket + d * d * D, *c = points + d * d * D;
    mst_status status = mst_manifold_frame(m, 1, x, frame);
    if (status == MST_OK)
        status = frame_slopes(m, x, frame, rest, slope);
    for (size_t b = 0; status == MST_OK && b < d; b++)
        for (size_t k = 0; k < d; k++) {
            memcpy(points + (b * d + k) * D, x, D * sizeof *x);
            for (size_t i = 0; i < d; i++)
                for (size_t a = 0; a < d; a++)
                    bracket[(b * d + k) * D + a] += frame[b * D + i] * slope[(i * d + k) * D + a] -
                                                    frame[k * D + i] * slope[(i * d + b) * D + a];
        }
    if (status == MST_OK)
        status = mst_manifold_to_frame(m, d * d, points, bracket, c);
    for (size_t b = 0; status == MST_OK && b < d; b++)
        for (size_t a = 0; a < d; a++)
            for (size_t k = 0; k < d; k++)
                omega[(b * d + a) * d + k] =
                    0.5 *
                    (c[(b * d + k) * d + a] - c[(k * d + a) * d + b] + c[(a * d + b) * d + k]);
    mst_release(work);
    return status;
}
