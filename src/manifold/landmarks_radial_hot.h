/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Kernels of landmarks by the squared distance, for the *.hot.c files. */
#ifndef MST_MANIFOLD_LANDMARKS_RADIAL_HOT_H
#define MST_MANIFOLD_LANDMARKS_RADIAL_HOT_H

#include "base/hot.h"
#include "base/vecmath.h"
#include "manifold/landmarks_kernels.h"

#define RADIAL static inline __attribute__((always_inline))

/* e^x for x ≤ 0, to two units of the last place; below −700, where nothing is left of a kernel, that of −700.
 * Without the division and the care for the ends of the range that vm_exp takes: this is most of the work of
 * following a geodesic. The polynomial is Taylor's: (log 2/2)^14/14! = 4e-18. */
RADIAL double decay(double x)
{
    x = vm_max(x, -700);
    double shifted = x * 1.44269504088896338700 + VM_ROUND;
    double k = shifted - VM_ROUND;
    double r = (x - k * 6.93147180369123816490e-01) - k * 1.90821492927058770002e-10;
    double z = r * r, z2 = z * z;
    double low = (1 + r) + z * (1.0 / 2 + r * (1.0 / 6));
    double next = (1.0 / 24 + r * (1.0 / 120)) + z * (1.0 / 720 + r * (1.0 / 5040));
    double high = (1.0 / 40320 + r * (1.0 / 362880)) + z * (1.0 / 3628800 + r * (1.0 / 39916800));
    double last = 1.0 / 479001600 + r * (1.0 / 6227020800);
    double y = low + z2 * (next + z2 * (high + z2 * last));
    return y * vm_double((vm_bits(shifted) + 1023) << 52);
}

/* Coincident points: derivatives of the kernels that have a cusp are finite there, and multiplied by 0. */
#define LEAST_RADIUS 1e-12

RADIAL void gauss(const landmark_shape *s, const double *restrict u, int order, double *restrict k0,
                  double *restrict k1, double *restrict k2, double *restrict k3)
{
    double scale = 1 / (s->sigma * s->sigma), alpha = s->alpha;
    MST_SIMD
    for (size_t b = 0; b < s->wide; b++) {
        double k = alpha * decay(-0.5 * scale * u[b]);
        k0[b] = k;
        if (order > 0)
            k1[b] = -scale * k;
        if (order > 1)
            k2[b] = scale * scale * k;
        if (order > 2)
            k3[b] = -scale * scale * scale * k;
    }
}

RADIAL void matern32(const landmark_shape *s, const double *restrict u, int order,
                     double *restrict k0, double *restrict k1, double *restrict k2,
                     double *restrict k3)
{
    double a = sqrt(3) / s->sigma, alpha = s->alpha, least = LEAST_RADIUS * s->sigma;
    MST_SIMD
    for (size_t b = 0; b < s->wide; b++) {
        double r = vm_max(sqrt(u[b]), least), e = alpha * decay(-a * r);
        k0[b] = (1 + a * r) * e;
        if (order > 0)
            k1[b] = -a * a * e;
        if (order > 1)
            k2[b] = a * a * a * e / r;
        if (order > 2)
            k3[b] = -a * a * a * (a + 1 / r) * e / (r * r);
    }
}

RADIAL void matern52(const landmark_shape *s, const double *restrict u, int order,
                     double *restrict k0, double *restrict k1, double *restrict k2,
                     double *restrict k3)
{
    double a = sqrt(5) / s->sigma, alpha = s->alpha, least = LEAST_RADIUS * s->sigma;
    MST_SIMD
    for (size_t b = 0; b < s->wide; b++) {
        double r = vm_max(sqrt(u[b]), least), e = alpha * decay(-a * r), third = a * a * e / 3;
        k0[b] = (1 + a * r + a * a * r * r / 3) * e;
        if (order > 0)
            k1[b] = -third * (1 + a * r);
        if (order > 1)
            k2[b] = third * a * a;
        if (order > 2)
            k3[b] = -third * a * a * a / r;
    }
}

RADIAL void laplace(const landmark_shape *s, const double *restrict u, int order,
                    double *restrict k0, double *restrict k1, double *restrict k2,
                    double *restrict k3)
{
    double a = 1 / s->sigma, alpha = s->alpha, least = LEAST_RADIUS * s->sigma;
    MST_SIMD
    for (size_t b = 0; b < s->wide; b++) {
        double r = vm_max(sqrt(u[b]), least), e = alpha * decay(-a * r), i = 1 / r;
        k0[b] = e;
        if (order > 0)
            k1[b] = -a * e * i;
        if (order > 1)
            k2[b] = a * e * i * i * (a + i);
        if (order > 2)
            k3[b] = -a * e * i * i * i * (a * a + 3 * a * i + 3 * i * i);
    }
}

/* One row of pairs, up to an order that is known when this is compiled. */
RADIAL void radial_to(const landmark_shape *s, const double *u, int order, double *k0, double *k1,
                      double *k2, double *k3)
{
    if (s->kind == LANDMARK_GAUSS)
        gauss(s, u, order, k0, k1, k2, k3);
    else if (s->kind == LANDMARK_MATERN32)
        matern32(s, u, order, k0, k1, k2, k3);
    else if (s->kind == LANDMARK_MATERN52)
        matern52(s, u, order, k0, k1, k2, k3);
    else
        laplace(s, u, order, k0, k1, k2, k3);
}

#undef RADIAL

#endif
