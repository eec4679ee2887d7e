/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* The shape of the region for the mean. */
#include "base/internal.h"
#include "base/linalg.h"

#include <manistat/mean.h>
#include <math.h>
#include <stdlib.h>

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The eigenvalues (k) of block (k, k), rising. In flat space it is diagonal, and then an order of some
 * hundred takes no time; the eigenvectors take the place of the block else. */
static mst_status variances(size_t k, double *block, double *values)
{
    bool diagonal = true;
    for (size_t i = 0; diagonal && i < k * k; i++)
        diagonal = i % (k + 1) == 0 || block[i] == 0;
    if (!diagonal)
        return mst_eigen_symmetric(1, k, block, values, block, NULL);
    for (size_t i = 0; i < k; i++)
        values[i] = block[i * (k + 1)];
    qsort(values, k, sizeof *values, by_size);
    return MST_OK;
}

mst_status mst_mean_region_axes(const mst_mean_result *r, const mst_manifold *m, size_t factor,
                                double *axes)
{
    if (factor >= mst_manifold_factor_count(m))
        return mst_fail(MST_ARGUMENT, "%s has no factor %zu", mst_manifold_spec(m), factor);
    if (r->region_kind != MST_REGION_ELLIPSOID || r->covariance == NULL || isnan(r->covariance[0]))
        return mst_fail(MST_UNABLE, "the region is no ellipsoid");
    size_t d = mst_manifold_dim(m), k = mst_manifold_dim(mst_manifold_factor(m, factor)), first = 0;
    for (size_t f = 0; f < factor; f++)
        first += mst_manifold_dim(mst_manifold_factor(m, f));
    double *block;
    MST_TRY(mst_allocate(&block, k * k + k));
    double *values = block + k * k;
    for (size_t i = 0; i < k; i++)
        for (size_t j = 0; j < k; j++)
            block[i * k + j] = r->covariance[(first + i) * d + first + j];
    mst_status status = variances(k, block, values);
    for (size_t i = 0; status == MST_OK && i < k; i++)
        axes[i] = sqrt(fmax(values[k - 1 - i], 0) * r->region_radius2);
    mst_release(block);
    return status;
}
