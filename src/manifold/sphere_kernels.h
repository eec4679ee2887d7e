/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

#ifndef MST_MANIFOLD_SPHERE_KERNELS_H
#define MST_MANIFOLD_SPHERE_KERNELS_H

#include "base/isa.h"

#include <manistat/manifold.h>

/* Rows (n, D) of the unit sphere in R^D. `log` also gives sin r and cos r of each row; where sin r is below
 * SPHERE_LOST and cos r < 0 the direction is lost and v is not π long: the caller chooses one. `work` has
 * room for (2·D + 1)·MST_LANES doubles. */
struct sphere_kernels {
    void (*exp)(size_t n, size_t D, const double *x, const double *v, double *y, double *work);
    void (*log)(size_t n, size_t D, const double *x, const double *y, double *v, double *sine,
                double *cosine, double *work);
    /* y as seen from x: the tangent vector `toward` y of length sin r, r and π − r, all with full relative
     * accuracy at both ends. */
    void (*polar)(size_t n, size_t D, const double *x, const double *y, double *toward, double *r,
                  double *rest, double *work);
    void (*dist)(size_t n, size_t D, const double *x, const double *y, double *r);
    /* Steps of length `factor`·√h·|ξ|; see mst_manifold_ops.walk. */
    void (*walk)(size_t n, size_t D, double *x, double factor, size_t steps, mst_noise noise,
                 double *work);
};
MST_DECLARE_HOT(struct sphere_kernels, sphere_kernels);

#define SPHERE_LOST 1e-150

#endif
