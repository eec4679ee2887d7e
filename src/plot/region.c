/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Confidence regions as curves: Exp of the ellipse in the tangent space at the mean. */
#include "base/internal.h"
#include "plot/picture.h"

#include <math.h>

static mst_status explain(const mst_picture_mean *mean)
{
    if (mean->no_region != NULL)
        return mst_fail(MST_UNABLE, "%s", mean->no_region);
    switch (mean->region) {
    case MST_REGION_NONE:
        return mst_fail(MST_UNABLE, "the result has none");
    case MST_REGION_SCORE:
        return mst_fail(MST_UNABLE, "it is where the scores balance, which is not an ellipse%s",
                        mean->boundary_parts > 0 ? "" : ", and its edge is not in the result");
    case MST_REGION_WHOLE:
        return mst_fail(MST_UNABLE, "it is the whole space");
    case MST_REGION_ELLIPSOID:
        break;
    }
    return MST_OK;
}

bool plot_has_boundary(const mst_picture_mean *mean)
{
    return mean->region == MST_REGION_SCORE && mean->no_region == NULL && mean->boundary_parts > 0;
}

double plot_interval(const mst_picture_mean *mean)
{
    if (explain(mean) != MST_OK || mean->covariance == NULL)
        return NAN;
    return sqrt(mean->covariance[0] * mean->radius2);
}

mst_status plot_region_outline(const mst_manifold *m, const mst_picture_mean *mean, double *x)
{
    size_t D = mst_manifold_ambient(m);
    const double *c = mean->covariance;
    MST_TRY(explain(mean));
    if (mst_manifold_dim(m) != 2 || c == NULL || mean->basis == NULL)
        return mst_fail(MST_UNABLE, "it has no covariance");
    /* The Cholesky factor of the covariance, and its largest eigenvalue. */
    double l11 = sqrt(c[0]), l21 = c[2] / l11, l22 = sqrt(c[3] - l21 * l21);
    double half = (c[0] + c[3]) / 2,
           axis = sqrt(mean->radius2 * (half + hypot((c[0] - c[3]) / 2, c[1])));
    if (!isfinite(l22) || !isfinite(axis))
        return mst_fail(MST_UNABLE, "its covariance is singular");
    /* Where the injectivity radius is unknown (NAN) this is false, and Exp of the ellipse
     * is what was computed. */
    if (axis >= mst_manifold_injectivity(m))
        return mst_fail(MST_UNABLE, "it reaches around the space");
    double radius = sqrt(mean->radius2), *v, *at;
    MST_TRY(mst_allocate(&v, 2 * OUTLINE_POINTS * D));
    at = v + OUTLINE_POINTS * D;
    for (size_t i = 0; i < OUTLINE_POINTS; i++) {
        double angle = 2 * M_PI * (double)(i % (OUTLINE_POINTS - 1)) / (OUTLINE_POINTS - 1);
        double a = radius * l11 * cos(angle);
        double b = radius * (l21 * cos(angle) + l22 * sin(angle));
        for (size_t j = 0; j < D; j++) {
            v[i * D + j] = a * mean->basis[j] + b * mean->basis[D + j];
            at[i * D + j] = mean->at[j];
        }
    }
    mst_status status = mst_manifold_exp(m, OUTLINE_POINTS, at, v, x);
    mst_release(v);
    return status;
}
