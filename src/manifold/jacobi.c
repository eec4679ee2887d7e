/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

#include "manifold/jacobi.h"

#include <string.h>

const double mst_difference_at[4] = {1, -1, 2, -2};
const double mst_difference_weight[4] = {2.0 / 3, -2.0 / 3, -1.0 / 12, 1.0 / 12};

mst_status jacobi_new(jacobi *j, const mst_manifold *m)
{
    size_t d = m->dim, D = m->ambient;
    MST_TRY(mst_allocate(&j->memory, (10 * d + 3) * D));
    j->frame = j->memory;
    j->point = j->frame + d * D;
    j->field = j->point + D;
    j->base = j->field + d * D;
    j->aim = j->base + (4 * d + 1) * D;
    return MST_OK;
}

void jacobi_free(jacobi *j)
{
    mst_release(j->memory);
}

mst_status jacobi_at(jacobi *j, const mst_manifold *m, const double *x)
{
    size_t D = m->ambient;
    for (size_t row = 0; row < 4 * m->dim + 1; row++)
        memcpy(j->base + row * D, x, D * sizeof *x);
    return mst_manifold_frame(m, 1, x, j->frame);
}

/* By the derivative of Exp where the manifold has one. */
static mst_status closed_along(jacobi *j, const mst_manifold *m, const double *v)
{
    size_t d = m->dim, D = m->ambient;
    for (size_t k = 0; k < d; k++)
        memcpy(j->aim + k * D, v, D * sizeof *v);
    MST_TRY(mst_manifold_exp_derivative(m, d, j->base, j->aim, NULL, j->frame, j->field));
    return mst_manifold_exp(m, 1, j->base, v, j->point);
}

mst_status jacobi_along(jacobi *j, const mst_manifold *m, const double *u)
{
    /* Makes truncation (h⁴) and rounding (ε/h) both about 1e-12. */
    const double h = 1e-3;
    size_t d = m->dim, D = m->ambient;
    double *v = j->aim + 4 * d * D;
    memset(v, 0, D * sizeof *v);
    for (size_t k = 0; k < d; k++)
        for (size_t a = 0; a < D; a++)
            v[a] += u[k] * j->frame[k * D + a];
    if (m->ops.exp_derivative != NULL)
        return closed_along(j, m, v);
    for (size_t k = 0; k < d; k++)
        for (size_t e = 0; e < 4; e++)
            for (size_t a = 0; a < D; a++)
                j->aim[(4 * k + e) * D + a] = v[a] + h * mst_difference_at[e] * j->frame[k * D + a];
    MST_TRY(mst_manifold_exp(m, 4 * d + 1, j->base, j->aim, j->aim));
    memcpy(j->point, v, D * sizeof *v);
    memset(j->field, 0, d * D * sizeof *j->field);
    for (size_t k = 0; k < d; k++) {
        for (size_t e = 0; e < 4; e++)
            for (size_t a = 0; a < D; a++)
                j->field[k * D + a] += mst_difference_weight[e] / h * j->aim[(4 * k + e) * D + a];
        /* What the difference has off the tangent space is rounding. */
        MST_TRY(mst_manifold_tangent(m, 1, j->point, j->field + k * D, j->field + k * D));
    }
    return MST_OK;
}
