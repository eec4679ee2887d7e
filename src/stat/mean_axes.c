/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* The shape of the region for the mean. */
#include "base/internal.h"
#include "base/linalg.h"

#include <manistat/mean.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The eigenvalues (k) of block (k, k), rising. In flat space it is diagonal, and then an order of some
 * hundred takes no time; the eigenvectors take the place of the block else, and where they are asked for. */
static mst_status variances(size_t k, double *block, double *values, bool vectors)
{
    bool diagonal = !vectors;
    for (size_t i = 0; diagonal && i < k * k; i++)
        diagonal = i % (k + 1) == 0 || block[i] == 0;
    if (!diagonal)
        return mst_eigen_symmetric(1, k, block, values, block, NULL);
    for (size_t i = 0; i < k; i++)
        values[i] = block[i * (k + 1)];
    qsort(values, k, sizeof *values, by_size);
    return MST_OK;
}

/* (d, d): {v : vᵀE⁻¹v ≤ radius2} is the region, or an ellipsoid that holds it. Null: neither. */
static const double *ellipsoid_of(const mst_mean_result *r, double *radius2)
{
    bool known =
        r->region_kind == MST_REGION_ELLIPSOID && r->covariance != NULL && !isnan(r->covariance[0]);
    *radius2 = known ? r->region_radius2 : 1;
    return known ? r->covariance : r->region_kind == MST_REGION_SCORE ? r->region_ellipsoid : NULL;
}

/* Semi-axes and, if they are wanted, directions in the frame (k, k), row by row from the last; where the
 * factor's coordinates of the frame begin. */
static mst_status axes_of(const mst_mean_result *r, const mst_manifold *m, size_t factor,
                          double *axes, double **directions, size_t *first)
{
    double radius2;
    if (factor >= mst_manifold_factor_count(m))
        return mst_fail(MST_ARGUMENT, "%s has no factor %zu", mst_manifold_spec(m), factor);
    const double *from = ellipsoid_of(r, &radius2);
    if (from == NULL)
        return mst_fail(MST_UNABLE, "%s",
                        r->region_kind != MST_REGION_SCORE ? "the region is no ellipsoid"
                        : r->no_axes == MST_AXES_ROUND
                            ? "the region reaches round the space"
                            : "the region is not one piece about the mean");
    size_t d = mst_manifold_dim(m), k = mst_manifold_dim(mst_manifold_factor(m, factor));
    *first = 0;
    for (size_t f = 0; f < factor; f++)
        *first += mst_manifold_dim(mst_manifold_factor(m, f));
    double *block;
    MST_TRY(mst_allocate(&block, k * k + k));
    double *values = block + k * k;
    for (size_t i = 0; i < k; i++)
        for (size_t j = 0; j < k; j++)
            block[i * k + j] = from[(*first + i) * d + *first + j];
    mst_status status = variances(k, block, values, directions != NULL);
    for (size_t i = 0; axes != NULL && status == MST_OK && i < k; i++)
        axes[i] = sqrt(fmax(values[k - 1 - i], 0) * radius2);
    if (directions == NULL || status != MST_OK)
        mst_release(block);
    else
        *directions = block;
    return status;
}

mst_status mst_mean_region_axes(const mst_mean_result *r, const mst_manifold *m, size_t factor,
                                double *axes)
{
    size_t first;
    return axes_of(r, m, factor, axes, NULL, &first);
}

mst_status mst_mean_region_directions(const mst_mean_result *r, const mst_manifold *m,
                                      size_t factor, double *directions)
{
    double *vectors;
    size_t first;
    MST_TRY(axes_of(r, m, factor, NULL, &vectors, &first));
    size_t k = mst_manifold_dim(mst_manifold_factor(m, factor)), D = mst_manifold_ambient(m);
    memset(directions, 0, k * D * sizeof *directions);
    for (size_t i = 0; i < k; i++)
        for (size_t a = 0; a < k; a++)
            for (size_t c = 0; c < D; c++)
                directions[i * D + c] +=
                    vectors[(k - 1 - i) * k + a] * r->basis[(first + a) * D + c];
    mst_release(vectors);
    return MST_OK;
}

/* ---- The edge ---- */

/* Of an ellipsoid in more than two dimensions there are its vertices alone. */
enum { ELLIPSE_POINTS = 73 };

static mst_status new_boundary(mst_region_boundary **out, size_t parts, size_t count, size_t D)
{
    mst_region_boundary *b;
    MST_TRY(mst_allocate_zero(&b, 1));
    mst_status status = mst_allocate(&b->end, parts + 1);
    if (status == MST_OK)
        status = mst_allocate(&b->points, count * D + 1);
    if (status != MST_OK) {
        mst_region_boundary_free(b);
        return status;
    }
    b->parts = parts;
    b->end[parts - 1] = count;
    *out = b;
    return MST_OK;
}

void mst_region_boundary_free(mst_region_boundary *b)
{
    if (b == NULL)
        return;
    mst_release(b->end);
    mst_release(b->points);
    mst_release(b);
}

/* Exp of the ends of the axes, either way, and in a plane of points between. */
static mst_status ellipsoid_boundary(mst_region_boundary **out, const mst_mean_result *r,
                                     const mst_manifold *m)
{
    size_t d = mst_manifold_dim(m), D = mst_manifold_ambient(m),
           count = d == 2 ? ELLIPSE_POINTS : 2 * d;
    double *vectors, *axes, radius2;
    const double *from = ellipsoid_of(r, &radius2);
    if (from == NULL)
        return mst_fail(MST_UNABLE, "the region is no ellipsoid");
    MST_TRY(mst_allocate(&vectors, d * d + d + D));
    axes = vectors + d * d;
    double *v = axes + d;
    memcpy(vectors, from, d * d * sizeof *vectors);
    mst_status status = mst_eigen_symmetric(1, d, vectors, axes, vectors, NULL);
    mst_region_boundary *b = NULL;
    if (status == MST_OK)
        status = new_boundary(&b, 1, count, D);
    for (size_t k = 0; k < count && status == MST_OK; k++) {
        memset(v, 0, D * sizeof *v);
        for (size_t i = 0; i < d; i++) {
            double turn = 2 * M_PI * (double)(k % (ELLIPSE_POINTS - 1)) / (ELLIPSE_POINTS - 1);
            double along = d == 2               ? (i == 1 ? cos(turn) : sin(turn))
                           : k / 2 == d - 1 - i ? (k % 2 == 0 ? 1 : -1)
                                                : 0;
            for (size_t a = 0; a < d && along != 0; a++)
                for (size_t c = 0; c < D; c++)
                    v[c] += along * sqrt(fmax(axes[i], 0) * radius2) * vectors[i * d + a] *
                            r->basis[a * D + c];
        }
        status = mst_manifold_exp(m, 1, r->mean, v, b->points + k * D);
    }
    mst_release(vectors);
    if (status != MST_OK)
        mst_region_boundary_free(b);
    else
        *out = b;
    return status;
}

mst_status mst_mean_region_boundary(mst_region_boundary **out, const mst_mean_result *r,
                                    const mst_manifold *m)
{
    size_t D = mst_manifold_ambient(m);
    if (r->region_kind == MST_REGION_NONE || r->region_kind == MST_REGION_WHOLE)
        return mst_fail(MST_UNABLE, "%s",
                        r->region_kind == MST_REGION_NONE ? "the mean has no confidence region"
                                                          : "the region is the whole space");
    if (r->region_kind == MST_REGION_ELLIPSOID)
        return ellipsoid_boundary(out, r, m);
    if (r->boundary_parts == 0)
        return mst_fail(MST_UNABLE, "the edge of the region was not found");
    size_t parts = r->boundary_parts, count = r->boundary_end[parts - 1];
    MST_TRY(new_boundary(out, parts, count, D));
    memcpy((*out)->end, r->boundary_end, parts * sizeof *r->boundary_end);
    memcpy((*out)->points, r->boundary, count * D * sizeof *r->boundary);
    return MST_OK;
}
