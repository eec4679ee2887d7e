/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Flat manifolds: Gaussians on those that Exp maps one-to-one, products of wrapped Gaussians on tori. */
#include "heat/kernel_parts.h"
#include "heat/radial.h"

#include <math.h>
#include <string.h>

static const double log_two_pi = 1.8378770664093454836, pi = 3.141592653589793;

bool heat_gaussian_fits(const mst_manifold *m)
{
    return mst_manifold_is_flat(m) && isinf(mst_manifold_injectivity(m));
}

/* log p = −|v|²/2t − (d/2) log 2πt with v = Log_y(x). */
mst_status heat_gaussian(const mst_manifold *m, size_t n, const double *x, const double *y,
                         const double *t, const mst_heat_values *out)
{
    size_t d = m->dim, D = m->ambient;
    double *v, square[HEAT_BLOCK];
    MST_TRY(mst_allocate(&v, n * D));
    mst_status status = mst_manifold_log(m, n, y, x, v, NULL);
    if (status == MST_OK)
        status = mst_manifold_inner(m, n, y, v, v, square);
    for (size_t i = 0; status == MST_OK && i < n; i++) {
        if (out->log_p != NULL)
            out->log_p[i] = -square[i] / (2 * t[i]) - (double)d / 2 * (log_two_pi + log(t[i]));
        if (out->dt_log_p != NULL)
            out->dt_log_p[i] = (square[i] / t[i] - (double)d) / (2 * t[i]);
        for (size_t a = 0; out->score != NULL && a < D; a++)
            out->score[i * D + a] = v[i * D + a] / t[i];
        if (out->hessian != NULL) {
            memset(out->hessian + i * d * d, 0, d * d * sizeof *out->hessian);
            for (size_t k = 0; k < d; k++)
                out->hessian[(i * d + k) * d + k] = -1 / t[i];
        }
    }
    mst_release(v);
    return status;
}

bool heat_torus_fits(const mst_manifold *m)
{
    return m->traits.angles;
}

/* The angle r from y to x on the circle, whether x is ahead, and π − r. The difference of two doubles is kept
 * with its rounding error: near the cut point the score depends on digits of π − r that r does not have. */
static void circle_polar(double x, double y, double *r, double *eps, double *sign)
{
    const double two_pi = 6.283185307179586, two_pi_low = 2.4492935982947064e-16;
    double high = x - y, back = high - x, low = (x - (high - back)) - (y + back);
    double turns = rint(high / two_pi);
    double rest = fma(-turns, two_pi, high), rest_low = low - turns * two_pi_low;
    double angle = rest + rest_low;
    rest_low -= angle - rest;
    *sign = angle < 0 ? -1 : 1;
    *r = fmin(fabs(angle), pi);
    *eps = mst_radial_eps(*r);
    if (*eps > 0)
        *eps = fmax(*eps - *sign * rest_low, 0);
}

mst_status heat_torus(const mst_manifold *m, size_t n, const double *x, const double *y,
                      const double *t, const mst_heat_values *out)
{
    size_t d = m->dim, count = n * d;
    double *work;
    MST_TRY(mst_allocate(&work, 8 * count));
    double *r = work, *eps = r + count, *sign = eps + count, *time = sign + count;
    mst_radial_out radial = {.logp = time + count,
                             .dr = time + 2 * count,
                             .dt = time + 3 * count,
                             .drr = out->hessian != NULL ? time + 4 * count : NULL};
    for (size_t i = 0; i < count; i++) {
        circle_polar(x[i], y[i], &r[i], &eps[i], &sign[i]);
        time[i] = t[i / d];
    }
    mst_radial_sphere(1, count, r, eps, time, &radial);
    for (size_t i = 0; i < n; i++) {
        double log_p = 0, dt = 0;
        for (size_t k = i * d; k < (i + 1) * d; k++) {
            log_p += radial.logp[k];
            dt += radial.dt[k];
            if (out->score != NULL)
                out->score[k] = -sign[k] * radial.dr[k];
        }
        if (out->log_p != NULL)
            out->log_p[i] = log_p;
        if (out->dt_log_p != NULL)
            out->dt_log_p[i] = dt;
        if (out->hessian != NULL) {
            memset(out->hessian + i * d * d, 0, d * d * sizeof *out->hessian);
            for (size_t k = 0; k < d; k++)
                out->hessian[(i * d + k) * d + k] = radial.drr[i * d + k];
        }
    }
    mst_release(work);
    return MST_OK;
}
