/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

#include "stat/extrinsic.h"

#include "stat/rows.h"

#include <math.h>

/* A mean of this share of what it becomes on the manifold is what rounding leaves of opposite points, about
 * 1e-17: that is not a direction. */
static const double no_direction = 1e-9;

static mst_status mean_angle(size_t n, const double *x, size_t stride, const double *weights,
                             double total, double *out)
{
    double cosine = 0, sine = 0;
    for (size_t i = 0; i < n; i++) {
        double w = weights != NULL ? weights[i] : 1;
        cosine += w * cos(x[i * stride]);
        sine += w * sin(x[i * stride]);
    }
    if (hypot(cosine, sine) < no_direction * total)
        return mst_fail(MST_DOMAIN, "the angles have no mean direction");
    *out = atan2(sine, cosine);
    return MST_OK;
}

static double mean_number(size_t n, const double *x, size_t stride, const double *weights,
                          double total)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += (weights != NULL ? weights[i] : 1) * x[i * stride];
    return sum / total;
}

static double largest(size_t n, const double *x)
{
    double size = 0;
    for (size_t a = 0; a < n; a++)
        size = fmax(size, fabs(x[a]));
    return size;
}

/* One factor, columns of rows of width `stride`. */
static mst_status factor_mean(const mst_manifold *m, size_t n, const double *x, size_t stride,
                              const double *weights, double total, double *out)
{
    size_t D = mst_manifold_ambient(m);
    bool angles = mst_manifold_traits_of(m)->angles;
    for (size_t a = 0; a < D; a++)
        if (angles)
            MST_TRY(mean_angle(n, x + a, stride, weights, total, out + a));
        else
            out[a] = mean_number(n, x + a, stride, weights, total);
    double size = largest(D, out);
    MST_TRY(mst_manifold_project(m, 1, out, out));
    if (!angles && size < no_direction * largest(D, out))
        return mst_fail(MST_DOMAIN, "the points have no mean direction");
    return MST_OK;
}

mst_status mean_extrinsic(const mst_manifold *m, size_t n, const double *x, const double *weights,
                          double *out)
{
    size_t stride = mst_manifold_ambient(m);
    double total = rows_weight(n, weights);
    for (size_t f = 0; f < mst_manifold_factor_count(m); f++) {
        const mst_manifold *factor = mst_manifold_factor(m, f);
        MST_TRY(factor_mean(factor, n, x, stride, weights, total, out));
        x += mst_manifold_ambient(factor);
        out += mst_manifold_ambient(factor);
    }
    return MST_OK;
}
