/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Whether the ellipsoid of a result holds a point, by the definition and not by the library. */
#ifndef TEST_ELLIPSOID_H
#define TEST_ELLIPSOID_H

#include "base/linalg.h"
#include "stat/mean_support.h"

/* vᵀ C⁻¹ v ≤ radius², v the logarithm of the truth at the estimate. */
static inline bool region_holds(const setting *s, const mst_mean_result *r, const double *truth)
{
    double *v = doubles(s->D + 2 * s->d), *c = v + s->D, *solved = c + s->d, square = 0;
    ASSERT_OK(mst_manifold_log(s->m, 1, r->mean, truth, v, NULL));
    ASSERT_OK(mst_manifold_to_frame(s->m, 1, r->mean, v, c));
    ASSERT_OK(mst_solve(1, s->d, 1, r->covariance, c, solved, NULL));
    for (size_t a = 0; a < s->d; a++)
        square += c[a] * solved[a];
    free(v);
    return square <= r->region_radius2;
}

#endif
