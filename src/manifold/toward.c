/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Potentials that are ½r² near y and smooth everywhere, chosen by what the traits say. */
#include "manifold/toward.h"

#include "base/linalg.h"
#include "manifold/fallback.h"

#include <math.h>
#include <string.h>

/* Where v is not wanted, it is needed for so many rows at a time all the same. */
enum { BLOCK = 64 };

static mst_status angles_toward(const mst_manifold *m, size_t n, const double *x, const double *y,
                                double *f, double *v, double *laplacian)
{
    size_t D = m->ambient;
    for (size_t k = 0; k < n * D; k++)
        v[k] = toward_factor(1 - cos(y[k] - x[k])) * sin(y[k] - x[k]);
    for (size_t i = 0; (f != NULL || laplacian != NULL) && i < n; i++) {
        double sum = 0, trace = 0;
        for (size_t k = i * D; k < (i + 1) * D; k++) {
            double far = 1 - cos(y[k] - x[k]);
            sum += toward_potential(far);
            trace += toward_second(far);
        }
        if (f != NULL)
            f[i] = sum;
        if (laplacian != NULL)
            laplacian[i] = trace;
    }
    return MST_OK;
}

/* Δf = f'' + (d − 1) cot r f', and far = ½|x − y|² keeps the digits of neighbours. */
static mst_status unit_rows_toward(const mst_manifold *m, size_t n, const double *x,
                                   const double *y, double *f, double *v, double *laplacian)
{
    size_t D = m->ambient;
    for (size_t i = 0; i < n; i++) {
        double far = 0;
        for (size_t k = i * D; k < (i + 1) * D; k++)
            far += 0.5 * (y[k] - x[k]) * (y[k] - x[k]);
        double factor = toward_factor(far);
        for (size_t k = i * D; k < (i + 1) * D; k++)
            v[k] = factor * (y[k] - x[k]);
        if (f != NULL)
            f[i] = toward_potential(far);
        if (laplacian != NULL)
            laplacian[i] = toward_second(far) + (double)(m->dim - 1) * (1 - far) * factor;
    }
    return mst_manifold_tangent(m, n, x, v, v);
}

/* Δ ½r² along v = Log_x(y). The field J with J(0) = u that vanishes at y has J'(0) = −Hess u; with the
 * matrices A and B of the derivatives by dx and dv it is −B⁻¹A u. `work` has (4 d, D) and (3 d, d). */
static mst_status log_laplacian(const mst_manifold *m, const double *x, const double *v,
                                double *work, double *laplacian)
{
    size_t d = m->dim, D = m->ambient;
    double *points = work, *velocities = points + d * D, *frame = velocities + d * D,
           *fields = frame + d * D, *part[2] = {fields + d * D, fields + d * D + d * d},
           *c = part[1] + d * d;
    MST_TRY(mst_manifold_frame(m, 1, x, frame));
    for (int k = 0; k < 2; k++) {
        for (size_t i = 0; i < d; i++) {
            memcpy(points + i * D, x, D * sizeof *x);
            memcpy(velocities + i * D, v, D * sizeof *v);
        }
        MST_TRY(mst_manifold_exp_derivative(m, d, points, velocities, k == 0 ? frame : NULL,
                                            k == 0 ? NULL : frame, fields));
        MST_TRY(mst_manifold_exp(m, d, points, velocities, points));
        MST_TRY(mst_manifold_to_frame(m, d, points, fields, c));
        for (size_t i = 0; i < d; i++) /* A by columns, which are right-hand sides; B by rows */
            for (size_t j = 0; j < d; j++)
                part[k][k == 0 ? i * d + j : j * d + i] = c[i * d + j];
    }
    MST_TRY(mst_solve(1, d, d, part[1], part[0], c, NULL));
    *laplacian = 0;
    for (size_t i = 0; i < d; i++)
        *laplacian += c[i * d + i];
    return MST_OK;
}

static mst_status log_toward(const mst_manifold *m, size_t n, const double *x, const double *y,
                             double *f, double *v, double *laplacian)
{
    size_t d = m->dim, D = m->ambient;
    double curvature = m->traits.curvature, *work;
    MST_TRY(mst_manifold_log(m, n, x, y, v, NULL));
    if (f != NULL)
        MST_TRY(mst_manifold_inner(m, n, x, v, v, f));
    for (size_t i = 0; f != NULL && i < n; i++)
        f[i] *= 0.5;
    if (laplacian == NULL)
        return MST_OK;
    if (curvature <= 0) {
        MST_TRY(mst_manifold_norm(m, n, x, v, laplacian));
        for (size_t i = 0; i < n; i++) {
            double angle = sqrt(-curvature) * laplacian[i];
            laplacian[i] = 1 + (double)(d - 1) * (angle > 0 ? angle / tanh(angle) : 1);
        }
        return MST_OK;
    }
    MST_TRY(mst_allocate(&work, 4 * d * D + 3 * d * d));
    mst_status status = MST_OK;
    for (size_t i = 0; status == MST_OK && i < n; i++)
        status = log_laplacian(m, x + i * D, v + i * D, work, &laplacian[i]);
    mst_release(work);
    return status;
}

typedef mst_status toward(const mst_manifold *m, size_t n, const double *x, const double *y,
                          double *f, double *v, double *laplacian);

/* v may be null, which those that are run do not take. */
static mst_status run_toward(toward *run, const mst_manifold *m, size_t n, const double *x,
                             const double *y, double *f, double *v, double *laplacian)
{
    if (v != NULL)
        return run(m, n, x, y, f, v, laplacian);
    size_t D = m->ambient;
    double *work;
    MST_TRY(mst_allocate(&work, BLOCK * D));
    mst_status status = MST_OK;
    for (size_t i = 0; status == MST_OK && i < n; i += BLOCK)
        status = run(m, n - i < BLOCK ? n - i : BLOCK, x + i * D, y + i * D,
                     f != NULL ? f + i : NULL, work, laplacian != NULL ? laplacian + i : NULL);
    mst_release(work);
    return status;
}

mst_status mst_log_toward(const mst_manifold *m, size_t n, const double *x, const double *y,
                          double *f, double *v, double *laplacian)
{
    return run_toward(log_toward, m, n, x, y, f, v, laplacian);
}

mst_status mst_fallback_toward(const mst_manifold *m, size_t n, const double *x, const double *y,
                               double *f, double *v, double *laplacian)
{
    const mst_manifold_traits *t = &m->traits;
    bool log = (t->closed & MST_CLOSED_LOG) != 0 && isinf(mst_manifold_injectivity(m));
    toward *run = t->angles      ? angles_toward
                  : t->unit_rows ? unit_rows_toward
                  : log          ? log_toward
                                 : mst_chord_toward;
    return run_toward(run, m, n, x, y, f, v, laplacian);
}
