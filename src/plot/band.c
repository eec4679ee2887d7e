/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* The band about a curve, as its two sides. */
#include "base/internal.h"
#include "plot/picture.h"

#include <math.h>

/* Directions of the curve in the frames of its points, (count, 2): toward the next point,
 * at the end from the last. */
static mst_status directions(const mst_manifold *m, const mst_picture_curve *curve, double *v,
                             double *c)
{
    size_t n = curve->count, D = mst_manifold_ambient(m);
    MST_TRY(mst_manifold_log(m, n - 1, curve->points, curve->points + D, v, NULL));
    MST_TRY(mst_manifold_log(m, 1, curve->points + (n - 1) * D, curve->points + (n - 2) * D,
                             v + (n - 1) * D, NULL));
    for (size_t j = 0; j < D; j++)
        v[(n - 1) * D + j] *= -1;
    return mst_manifold_to_frame(m, n, curve->points, v, c);
}

mst_status plot_band_sides(const mst_manifold *m, const mst_picture_curve *curve, double *left,
                           double *right)
{
    size_t n = curve->count, D = mst_manifold_ambient(m);
    double *v, *c, *side;
    if (n < 2 || curve->band == NULL || mst_manifold_dim(m) != 2)
        return mst_fail(MST_UNABLE, "the curve has no band");
    for (size_t i = 0; i < n; i++)
        if (!isfinite(curve->band[i]) || curve->band[i] >= mst_manifold_injectivity(m))
            return mst_fail(MST_UNABLE, "it reaches around the space, or is not known");
    MST_TRY(mst_allocate(&v, n * (D + 4)));
    c = v + n * D;
    side = c + 2 * n;
    mst_status status = directions(m, curve, v, c);
    for (int sign = 1; sign >= -1 && status == MST_OK; sign -= 2) {
        for (size_t i = 0; i < n; i++) {
            double length = hypot(c[2 * i], c[2 * i + 1]);
            double scale = length > 0 ? sign * curve->band[i] / length : 0;
            side[2 * i] = -scale * c[2 * i + 1];
            side[2 * i + 1] = scale * c[2 * i];
        }
        status = mst_manifold_from_frame(m, n, curve->points, side, v);
        if (status == MST_OK)
            status = mst_manifold_exp(m, n, curve->points, v, sign == 1 ? left : right);
    }
    mst_release(v);
    return status;
}
