/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Exp with a status for each row. */
#include "manifold/leaving.h"

#include <manistat/geodesic.h>

mst_status mst_geodesic_exp(const mst_manifold *m, size_t n, const double *x, const double *v,
                            double *y, mst_geodesic_status *status)
{
    mst_status *ends;
    if (!mst_can_be_left(m)) {
        for (size_t i = 0; i < n; i++)
            status[i] = MST_GEODESIC_ARRIVED;
        return mst_manifold_exp(m, n, x, v, y);
    }
    MST_TRY(mst_allocate(&ends, n));
    mst_status answer = mst_exp_each(m, n, x, v, y, ends);
    for (size_t i = 0; answer == MST_OK && i < n; i++)
        status[i] = ends[i] == MST_OK       ? MST_GEODESIC_ARRIVED
                    : ends[i] == MST_DOMAIN ? MST_GEODESIC_LEFT_DOMAIN
                                            : MST_GEODESIC_NOT_CONVERGED;
    mst_release(ends);
    return answer;
}
