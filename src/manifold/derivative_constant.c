/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Derivatives of the exponential map where the curvature is a constant κ. In parallel frames Jacobi's
 * equation is J'' + κ r² J = 0 across the velocity and J'' = 0 along it, so with the unit
 * vector e along v, r = |v|,
 *
 *     J(1) = C dx + (1 − C) <e, dx> e + S dv + (1 − S) <e, dv> e,   C = cos(√κ r), S = sin(√κ r)/(√κ r),
 *
 * (hyperbolic functions for κ < 0), transported along v. These maps are symmetric: the
 * adjoint transports back first. */
#include "manifold/fallback.h"

#include <math.h>
#include <string.h>

enum { BLOCK = 64 };

/* Up to BLOCK geodesics. */
typedef struct bundle {
    const mst_manifold *m;
    size_t n;
    const double *x, *v;
    double c[BLOCK], s[BLOCK];      /* C and S */
    double *e;                      /* (n, D), zero where v is */
    double *sum, *end, *back, *own; /* (n, D) */
} bundle;

static mst_status bundle_new(bundle *b, const mst_manifold *m)
{
    b->m = m;
    size_t size = BLOCK * m->ambient;
    MST_TRY(mst_allocate(&b->e, 5 * size));
    b->sum = b->e + size;
    b->end = b->sum + size;
    b->back = b->end + size;
    b->own = b->back + size;
    return MST_OK;
}

static mst_status bundle_take(bundle *b, size_t n, const double *x, const double *v)
{
    double curvature = b->m->traits.curvature, root = sqrt(fabs(curvature)), length[BLOCK];
    size_t D = b->m->ambient;
    b->n = n;
    b->x = x;
    b->v = v;
    MST_TRY(mst_manifold_norm(b->m, n, x, v, length));
    for (size_t i = 0; i < n; i++) {
        double angle = root * length[i];
        b->c[i] = curvature > 0 ? cos(angle) : cosh(angle);
        b->s[i] = !(angle > 0) ? 1 : (curvature > 0 ? sin(angle) : sinh(angle)) / angle;
        for (size_t a = i * D; a < (i + 1) * D; a++)
            b->e[a] = length[i] > 0 ? v[a] / length[i] : 0;
    }
    return MST_OK;
}

/* out += factor u + (1 − factor) <e, u> e. */
static mst_status spread(const bundle *b, const double *factor, const double *u, double *out)
{
    size_t D = b->m->ambient;
    double along[BLOCK];
    if (b->m->traits.curvature == 0) {
        for (size_t a = 0; a < b->n * D; a++)
            out[a] += u[a];
        return MST_OK;
    }
    MST_TRY(mst_manifold_inner(b->m, b->n, b->x, u, b->e, along));
    for (size_t i = 0; i < b->n; i++)
        for (size_t a = i * D; a < (i + 1) * D; a++)
            out[a] += factor[i] * u[a] + (1 - factor[i]) * along[i] * b->e[a];
    return MST_OK;
}

static mst_status forward(bundle *b, const double *dx, const double *dv, double *dy)
{
    memset(b->sum, 0, b->n * b->m->ambient * sizeof *b->sum);
    if (dx != NULL)
        MST_TRY(spread(b, b->c, dx, b->sum));
    if (dv != NULL)
        MST_TRY(spread(b, b->s, dv, b->sum));
    return mst_manifold_transport(b->m, b->n, b->x, b->v, b->sum, dy);
}

static mst_status backward(bundle *b, const double *w, double *dx, double *dv)
{
    size_t n = b->n, size = n * b->m->ambient;
    MST_TRY(mst_manifold_exp(b->m, n, b->x, b->v, b->end));
    MST_TRY(mst_manifold_transport(b->m, n, b->x, b->v, b->v, b->back));
    for (size_t a = 0; a < size; a++)
        b->back[a] = -b->back[a];
    MST_TRY(mst_manifold_transport(b->m, n, b->end, b->back, w, b->own));
    double *out[2] = {dx, dv};
    for (int k = 0; k < 2; k++) {
        if (out[k] == NULL)
            continue;
        memset(b->sum, 0, size * sizeof *b->sum);
        MST_TRY(spread(b, k == 0 ? b->c : b->s, b->own, b->sum));
        memcpy(out[k], b->sum, size * sizeof *b->sum);
    }
    return MST_OK;
}

static const double *row(const double *rows, size_t at)
{
    return rows != NULL ? rows + at : NULL;
}

mst_status mst_constant_exp_derivative(const mst_manifold *m, size_t n, const double *x,
                                       const double *v, const double *dx, const double *dv,
                                       double *dy)
{
    bundle b;
    MST_TRY(bundle_new(&b, m));
    mst_status status = MST_OK;
    for (size_t i = 0; status == MST_OK && i < n; i += BLOCK) {
        size_t at = i * m->ambient;
        status = bundle_take(&b, n - i < BLOCK ? n - i : BLOCK, x + at, v + at);
        if (status == MST_OK)
            status = forward(&b, row(dx, at), row(dv, at), dy + at);
    }
    mst_release(b.e);
    return status;
}

mst_status mst_constant_exp_adjoint(const mst_manifold *m, size_t n, const double *x,
                                    const double *v, const double *w, double *dx, double *dv)
{
    bundle b;
    MST_TRY(bundle_new(&b, m));
    mst_status status = MST_OK;
    for (size_t i = 0; status == MST_OK && i < n; i += BLOCK) {
        size_t at = i * m->ambient;
        status = bundle_take(&b, n - i < BLOCK ? n - i : BLOCK, x + at, v + at);
        if (status == MST_OK)
            status = backward(&b, w + at, dx != NULL ? dx + at : NULL, dv != NULL ? dv + at : NULL);
    }
    mst_release(b.e);
    return status;
}
