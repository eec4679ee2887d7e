/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Geodesics between two points of a manifold that has only `exp`. */
#include "base/linalg.h"
#include "manifold/fallback.h"

#include <math.h>
#include <string.h>

/* Workspace for shooting at one point. */
typedef struct shot {
    double *c, *trial;          /* frame coordinates of the velocity, (d) */
    double *v, *end, *residual; /* (D) */
    double *jacobian;           /* (d, D), row k the derivative of the end point by c_k */
    double *normal, *right;     /* (d, d), (d) */
    double *memory;
} shot;

static mst_status shot_new(shot *s, size_t d, size_t D)
{
    MST_TRY(mst_allocate(&s->memory, 3 * d + 3 * D + d * D + d * d));
    s->c = s->memory;
    s->trial = s->c + d;
    s->right = s->trial + d;
    s->v = s->right + d;
    s->end = s->v + D;
    s->residual = s->end + D;
    s->jacobian = s->residual + D;
    s->normal = s->jacobian + d * D;
    return MST_OK;
}

/* end = Exp_x(E c). */
static mst_status shoot(const mst_manifold *m, const double *x, const double *c, shot *s,
                        double *end)
{
    MST_TRY(mst_manifold_from_frame(m, 1, x, c, s->v));
    return mst_manifold_exp(m, 1, x, s->v, end);
}

static mst_status miss(const mst_manifold *m, const double *x, const double *y, const double *c,
                       shot *s, double *size)
{
    MST_TRY(shoot(m, x, c, s, s->end));
    *size = 0;
    for (size_t a = 0; a < m->ambient; a++) {
        s->residual[a] = y[a] - s->end[a];
        *size = fmax(*size, fabs(s->residual[a]));
    }
    return MST_OK;
}

/* The Gauss–Newton step into s->right, with the Jacobian by central differences. */
static mst_status newton_step(const mst_manifold *m, const double *x, shot *s)
{
    size_t d = m->dim, D = m->ambient;
    const double h = 1e-5; /* ε^(1/3): balances truncation and rounding of a central difference */
    for (size_t k = 0; k < d; k++) {
        double *row = s->jacobian + k * D, kept = s->c[k];
        s->c[k] = kept + h;
        MST_TRY(shoot(m, x, s->c, s, row));
        s->c[k] = kept - h;
        MST_TRY(shoot(m, x, s->c, s, s->end));
        s->c[k] = kept;
        for (size_t a = 0; a < D; a++)
            row[a] = (row[a] - s->end[a]) / (2 * h);
    }
    for (size_t i = 0; i < d; i++) {
        s->right[i] = 0;
        for (size_t a = 0; a < D; a++)
            s->right[i] += s->jacobian[i * D + a] * s->residual[a];
        for (size_t j = 0; j < d; j++) {
            s->normal[i * d + j] = 0;
            for (size_t a = 0; a < D; a++)
                s->normal[i * d + j] += s->jacobian[i * D + a] * s->jacobian[j * D + a];
        }
    }
    return mst_solve(1, d, 1, s->normal, s->right, s->right, NULL);
}

static mst_status log_row(const mst_manifold *m, const double *x, const double *y, double *v,
                          shot *s)
{
    size_t d = m->dim, D = m->ambient;
    double scale = 1, size;
    for (size_t a = 0; a < D; a++) {
        s->v[a] = y[a] - x[a];
        scale = fmax(scale, fmax(fabs(x[a]), fabs(y[a])));
    }
    MST_TRY(mst_manifold_tangent(m, 1, x, s->v, s->v));
    MST_TRY(mst_manifold_to_frame(m, 1, x, s->v, s->c));
    MST_TRY(miss(m, x, y, s->c, s, &size));
    /* The residual settles at rounding; stop when it no longer falls. */
    for (int iteration = 0; iteration < 60 && size > 1e-16 * scale; iteration++) {
        MST_TRY(newton_step(m, x, s));
        double best = size, step = 1;
        for (int halving = 0; halving < 12; halving++, step /= 2) {
            for (size_t k = 0; k < d; k++)
                s->trial[k] = s->c[k] + step * s->right[k];
            MST_TRY(miss(m, x, y, s->trial, s, &size));
            if (size < best)
                break;
        }
        if (!(size < best)) {
            MST_TRY(miss(m, x, y, s->c, s, &size));
            break;
        }
        memcpy(s->c, s->trial, d * sizeof *s->c);
    }
    MST_TRY(mst_manifold_from_frame(m, 1, x, s->c, v));
    if (!(size <= 1e-10 * scale))
        return mst_fail(MST_CONVERGENCE, "shooting missed the point by %.2g", size);
    return MST_OK;
}

mst_status mst_fallback_log(const mst_manifold *m, size_t n, const double *x, const double *y,
                            double *v, unsigned char *flag)
{
    size_t D = m->ambient;
    shot s;
    MST_TRY(shot_new(&s, m->dim, D));
    mst_status status = MST_OK;
    for (size_t i = 0; i < n; i++) {
        mst_status row = log_row(m, x + i * D, y + i * D, v + i * D, &s);
        if (row != MST_OK && status == MST_OK)
            status = row;
        if (row != MST_OK && row != MST_CONVERGENCE)
            break;
    }
    if (flag != NULL)
        memset(flag, 0, n);
    mst_release(s.memory);
    return status;
}

mst_status mst_fallback_dist(const mst_manifold *m, size_t n, const double *x, const double *y,
                             double *r)
{
    size_t D = m->ambient;
    double *v;
    enum { BLOCK = 64 };
    MST_TRY(mst_allocate(&v, BLOCK * D));
    mst_status status = MST_OK;
    for (size_t i = 0; status == MST_OK && i < n; i += BLOCK) {
        size_t count = n - i < BLOCK ? n - i : BLOCK;
        status = mst_manifold_log(m, count, x + i * D, y + i * D, v, NULL);
        if (status == MST_OK)
            status = mst_manifold_norm(m, count, x + i * D, v, r + i);
    }
    mst_release(v);
    return status;
}
