/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* The shape of the region for the mean. */
#include "base/internal.h"
#include "base/linalg.h"

#include <manistat/mean.h>
#include <math.h>

mst_status mst_mean_region_axes(const mst_mean_result *r, const mst_manifold *m, size_t factor,
                                double *axes)
{
    if (factor >= mst_manifold_factor_count(m))
        return mst_fail(MST_ARGUMENT, "%s has no factor %zu", mst_manifold_spec(m), factor);
    if (r->region_kind != MST_REGION_ELLIPSOID || isnan(r->covariance[0]))
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
    mst_status status = mst_eigen_symmetric(1, k, block, values, block, NULL);
    for (size_t i = 0; status == MST_OK && i < k; i++)
        axes[i] = sqrt(fmax(values[k - 1 - i], 0) * r->region_radius2);
    mst_release(block);
    return status;
}
