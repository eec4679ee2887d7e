/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Polar coordinates where the curvature is constant, from the logarithm. */
#include "manifold/fallback.h"

#include <math.h>

double mst_round_curvature(const mst_manifold *m)
{
    const double pi = 3.141592653589793;
    if (m->dim > 1)
        return m->traits.curvature;
    double root = m->traits.compact == MST_YES ? pi / mst_manifold_injectivity(m) : 0;
    return root * root;
}

/* sin_κ r / r from √|κ| r. */
static double sinc(double curvature, double x)
{
    if (!(x > 1e-9))
        return 1;
    return curvature > 0 ? sin(x) / x : sinh(x) / x;
}

mst_status mst_fallback_polar(const mst_manifold *m, size_t n, const double *x, const double *y,
                              double *v, double *r, double *rest)
{
    size_t D = m->ambient;
    double curvature = mst_round_curvature(m), root = sqrt(fabs(curvature));
    double radius = mst_manifold_injectivity(m);
    MST_TRY(mst_manifold_log(m, n, x, y, v, NULL));
    MST_TRY(mst_manifold_norm(m, n, x, v, r));
    for (size_t i = 0; i < n; i++) {
        double scale = sinc(curvature, root * r[i]);
        for (size_t a = i * D; a < (i + 1) * D; a++)
            v[a] *= scale;
        rest[i] = fmax(radius - r[i], 0);
    }
    return MST_OK;
}
