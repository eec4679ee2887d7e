/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Derivatives of the exponential map of a manifold that does not bring them: along the curve of geodesics
 * from x_s = Exp_x(s dx) with the velocities P_s(v + s dv), P_s the transport from x to
 * x_s, by differences. */
#include "manifold/fallback.h"
#include "manifold/jacobi.h"

#include <math.h>
#include <string.h>

enum { POINTS = MST_WIDE_POINTS };
const double mst_wide_at[POINTS] = {1, -1, 2, -2, 3, -3, 4, -4};
const double mst_wide_weight[POINTS] = {4.0 / 5,   -4.0 / 5,   -1.0 / 5,   1.0 / 5,
                                        4.0 / 105, -4.0 / 105, -1.0 / 280, 1.0 / 280};

typedef struct differences {
    double *step, *base, *aim; /* (POINTS, D) */
    double *start, *end;       /* (POINTS, D), (D) */
} differences;

static mst_status longer(const mst_manifold *m, const double *x, const double *u, double *length)
{
    double own = 0;
    if (u != NULL)
        MST_TRY(mst_manifold_norm(m, 1, x, u, &own));
    *length = fmax(*length, own);
    return MST_OK;
}

static mst_status derivative_row(const mst_manifold *m, const double *x, const double *v,
                                 const double *dx, const double *dv, differences *w, double *dy)
{
    size_t D = m->ambient;
    double length = 0;
    MST_TRY(longer(m, x, dx, &length));
    MST_TRY(longer(m, x, dv, &length));
    if (length == 0) {
        memset(dy, 0, D * sizeof *dy);
        return MST_OK;
    }
    double h = MST_WIDE_STEP / length;
    for (size_t k = 0; k < POINTS; k++)
        for (size_t a = 0; a < D; a++) {
            double s = h * mst_wide_at[k];
            w->start[k * D + a] = w->base[k * D + a] = x[a];
            w->step[k * D + a] = dx != NULL ? s * dx[a] : 0;
            w->aim[k * D + a] = v[a] + (dv != NULL ? s * dv[a] : 0);
        }
    if (dx != NULL) {
        MST_TRY(mst_manifold_exp(m, POINTS, w->start, w->step, w->base));
        MST_TRY(mst_manifold_transport(m, POINTS, w->start, w->step, w->aim, w->aim));
    }
    MST_TRY(mst_manifold_exp(m, POINTS, w->base, w->aim, w->aim));
    MST_TRY(mst_manifold_exp(m, 1, x, v, w->end));
    if (m->ops.log != NULL) { /* rows may wrap around, or change their chart */
        for (size_t k = 0; k < POINTS; k++)
            memcpy(w->start + k * D, w->end, D * sizeof *w->end);
        MST_TRY(mst_manifold_log(m, POINTS, w->start, w->aim, w->aim, NULL));
    }
    for (size_t a = 0; a < D; a++) {
        double sum = 0;
        for (size_t k = 0; k < POINTS; k++)
            sum += mst_wide_weight[k] * w->aim[k * D + a];
        w->step[a] = sum / h;
    }
    /* What the difference has off the tangent space is rounding. */
    return mst_manifold_tangent(m, 1, w->end, w->step, dy);
}

mst_status mst_fallback_exp_derivative(const mst_manifold *m, size_t n, const double *x,
                                       const double *v, const double *dx, const double *dv,
                                       double *dy)
{
    if (!isnan(m->traits.curvature) && m->ops.transport != NULL)
        return mst_constant_exp_derivative(m, n, x, v, dx, dv, dy);
    size_t D = m->ambient;
    differences w;
    MST_TRY(mst_allocate(&w.step, (4 * POINTS + 1) * D));
    w.base = w.step + POINTS * D;
    w.aim = w.base + POINTS * D;
    w.start = w.aim + POINTS * D;
    w.end = w.start + POINTS * D;
    mst_status status = MST_OK;
    for (size_t at = 0; status == MST_OK && at < n * D; at += D)
        status = derivative_row(m, x + at, v + at, dx != NULL ? dx + at : NULL,
                                dv != NULL ? dv + at : NULL, &w, dy + at);
    mst_release(w.step);
    return status;
}

/* out = Σ_k <w, D(E_k)> E_k, D the derivative by dx or dv. `work` has (4 d, D) and d more. */
static mst_status adjoint_row(const mst_manifold *m, const double *x, const double *v,
                              const double *w, bool by_dx, double *work, double *out)
{
    size_t d = m->dim, D = m->ambient;
    double *points = work, *velocities = points + d * D, *frame = velocities + d * D,
           *fields = frame + d * D, *c = fields + d * D;
    for (size_t k = 0; k < d; k++) {
        memcpy(points + k * D, x, D * sizeof *x);
        memcpy(velocities + k * D, v, D * sizeof *v);
    }
    MST_TRY(mst_manifold_frame(m, 1, x, frame));
    MST_TRY(mst_manifold_exp_derivative(m, d, points, velocities, by_dx ? frame : NULL,
                                        by_dx ? NULL : frame, fields));
    MST_TRY(mst_manifold_exp(m, d, points, velocities, points));
    for (size_t k = 0; k < d; k++)
        memcpy(velocities + k * D, w, D * sizeof *w);
    MST_TRY(mst_manifold_inner(m, d, points, velocities, fields, c));
    memset(out, 0, D * sizeof *out);
    for (size_t k = 0; k < d; k++)
        for (size_t a = 0; a < D; a++)
            out[a] += c[k] * frame[k * D + a];
    return MST_OK;
}

mst_status mst_fallback_exp_adjoint(const mst_manifold *m, size_t n, const double *x,
                                    const double *v, const double *w, double *dx, double *dv)
{
    if (!isnan(m->traits.curvature) && m->ops.transport != NULL)
        return mst_constant_exp_adjoint(m, n, x, v, w, dx, dv);
    size_t d = m->dim, D = m->ambient;
    double *work;
    MST_TRY(mst_allocate(&work, 4 * d * D + d));
    mst_status status = MST_OK;
    for (size_t at = 0; status == MST_OK && at < n * D; at += D) {
        if (dx != NULL)
            status = adjoint_row(m, x + at, v + at, w + at, true, work, dx + at);
        if (status == MST_OK && dv != NULL)
            status = adjoint_row(m, x + at, v + at, w + at, false, work, dv + at);
    }
    mst_release(work);
    return status;
}
