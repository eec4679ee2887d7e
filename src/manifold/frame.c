/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Fall-backs that need no geodesics: validation, an orthonormal frame by Gram–Schmidt, random points. */
#include "manifold/fallback.h"

#include <math.h>
#include <string.h>

mst_status mst_fallback_validate(const mst_manifold *m, size_t n, const double *x, size_t *row)
{
    size_t D = m->ambient;
    double *y;
    MST_TRY(mst_allocate(&y, D));
    mst_status status = MST_OK;
    for (size_t i = 0; status == MST_OK && i < n; i++) {
        const double *p = x + i * D;
        status = m->ops.project(m, 1, p, y);
        double off = 0, size = 1;
        for (size_t a = 0; a < D; a++) {
            off = fmax(off, fabs(p[a] - y[a]));
            size = fmax(size, fabs(p[a]));
        }
        if (status == MST_OK && !(off <= MST_POINT_TOLERANCE * size))
            status = mst_fail(MST_DOMAIN, "the point is off the manifold by %g", off);
        if (status != MST_OK)
            *row = i;
    }
    mst_release(y);
    return status;
}

/* Gram–Schmidt at one point: `e` (d, D). The longest remaining candidate goes next, so the frame is well
 * conditioned, and it is smooth in x except where two candidates change places. */
static mst_status gram_schmidt(const mst_manifold *m, const double *x, double *e, double *work)
{
    size_t d = m->dim, D = m->ambient;
    double *candidates = work, *base = candidates + D * D, *products = base + D * D;
    memset(candidates, 0, D * D * sizeof *candidates);
    for (size_t a = 0; a < D; a++) {
        candidates[a * D + a] = 1;
        memcpy(base + a * D, x, D * sizeof *x);
    }
    MST_TRY(m->ops.tangent(m, D, base, candidates, candidates));
    for (size_t k = 0; k < d; k++) {
        MST_TRY(m->ops.inner(m, D, base, candidates, candidates, products));
        size_t longest = 0;
        for (size_t a = 1; a < D; a++)
            longest = products[a] > products[longest] ? a : longest;
        if (!(products[longest] > 0))
            return mst_fail(MST_BREAKDOWN, "the tangent space has less than %zu dimensions", d);
        double *unit = e + k * D, length = sqrt(products[longest]);
        for (size_t b = 0; b < D; b++)
            unit[b] = candidates[longest * D + b] / length;
        /* Twice is enough: the second pass removes what rounding left of the first. */
        for (int pass = 0; pass < 2; pass++)
            for (size_t a = 0; a < D; a++) {
                double c;
                MST_TRY(m->ops.inner(m, 1, x, unit, candidates + a * D, &c));
                for (size_t b = 0; b < D; b++)
                    candidates[a * D + b] -= c * unit[b];
            }
        memset(candidates + longest * D, 0, D * sizeof *candidates);
    }
    return MST_OK;
}

/* One frame and its workspace for the two conversions below. */
static mst_status allocate_frame(const mst_manifold *m, double **e, double **work)
{
    size_t d = m->dim, D = m->ambient;
    MST_TRY(mst_allocate(e, d * D + 2 * D * D + D));
    *work = *e + d * D;
    return MST_OK;
}

mst_status mst_fallback_frame(const mst_manifold *m, size_t n, const double *x, double *e)
{
    size_t d = m->dim, D = m->ambient;
    double *work;
    MST_TRY(mst_allocate(&work, 2 * D * D + D));
    mst_status status = MST_OK;
    for (size_t i = 0; status == MST_OK && i < n; i++)
        status = gram_schmidt(m, x + i * D, e + i * d * D, work);
    mst_release(work);
    return status;
}

mst_status mst_fallback_from_frame(const mst_manifold *m, size_t n, const double *x,
                                   const double *c, double *v)
{
    size_t d = m->dim, D = m->ambient;
    double *e, *work;
    MST_TRY(allocate_frame(m, &e, &work));
    mst_status status = MST_OK;
    for (size_t i = 0; status == MST_OK && i < n; i++) {
        status = gram_schmidt(m, x + i * D, e, work);
        memset(v + i * D, 0, D * sizeof *v);
        for (size_t k = 0; k < d; k++)
            for (size_t a = 0; a < D; a++)
                v[i * D + a] += c[i * d + k] * e[k * D + a];
    }
    mst_release(e);
    return status;
}

mst_status mst_fallback_to_frame(const mst_manifold *m, size_t n, const double *x, const double *v,
                                 double *c)
{
    size_t d = m->dim, D = m->ambient;
    double *e, *work;
    MST_TRY(allocate_frame(m, &e, &work));
    mst_status status = MST_OK;
    for (size_t i = 0; status == MST_OK && i < n; i++) {
        status = gram_schmidt(m, x + i * D, e, work);
        for (size_t k = 0; status == MST_OK && k < d; k++)
            status = m->ops.inner(m, 1, x + i * D, e + k * D, v + i * D, c + i * d + k);
    }
    mst_release(e);
    return status;
}

mst_status mst_fallback_random_point(const mst_manifold *m, mst_random r, uint64_t first, size_t n,
                                     double *x)
{
    size_t d = m->dim, D = m->ambient;
    double *c;
    MST_TRY(mst_allocate(&c, d + 2 * D));
    double *start = c + d, *v = start + D;
    m->ops.start(m, start);
    mst_status status = MST_OK;
    for (size_t i = 0; status == MST_OK && i < n; i++) {
        mst_random_normals(r, (first + i) * d, d, c);
        status = mst_manifold_from_frame(m, 1, start, c, v);
        if (status == MST_OK)
            status = m->ops.exp(m, 1, start, v, x + i * D);
    }
    mst_release(c);
    return status;
}
