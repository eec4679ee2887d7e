/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* The compact spaces Sᵐ and SO(3): which method where. */
#include "heat/radial.h"
#include "heat/radial_kernels.h"

#include <math.h>

#define LOG_PI 1.14472988584940017414
#define LOG_2 0.69314718055994530942

/* Up to t = 1 the images nearest to the point are exact to e^(−4π²/t) < 1e-17 on the circle and on SO(3);
 * from there on at most 10 terms of the series count, and they cancel by a factor below 150. */
#define IMAGES_UNTIL 1.0

/* From this t on the series on Sᵐ, m ≥ 2, has at most 28 terms and cancels by a factor p(0)/p(π) of at most
 * 600 (m ≤ 200). */
static double series_from(size_t m)
{
    return 0.65 / (1 + (double)m / 14);
}

static double log_gamma(double x)
{
    int sign; /* lgamma would write a global variable */
    return lgamma_r(x, &sign);
}

void mst_radial_sphere(size_t m, size_t n, const double *r, const double *eps, const double *t,
                       const mst_radial_out *out)
{
    double a = ((double)m + 1) / 2;
    radial_space space = {.m = m, .log_volume = LOG_2 + a * LOG_PI - log_gamma(a)};
    radial_regions regions = {.late = MST_PICK(radial_series_kernels)->sphere};
    if (m == 1) {
        regions.t_switch = IMAGES_UNTIL;
        regions.early = MST_PICK(radial_image_kernels)->circle;
    } else {
        space.log_gamma = log_gamma(a - 1);
        regions.t_switch = series_from(m);
        regions.early = MST_PICK(radial_sphere_kernels)->contour;
    }
    radial_run(&space, regions, n, r, eps, t, out);
}

void mst_radial_so3(size_t n, const double *r, const double *eps, const double *t,
                    const mst_radial_out *out)
{
    radial_space space = {.m = 3, .log_volume = 3 * LOG_2 + 2 * LOG_PI};
    radial_regions regions = {
        .t_switch = IMAGES_UNTIL,
        .early = MST_PICK(radial_image_kernels)->so3,
        .late = MST_PICK(radial_series_kernels)->so3,
    };
    radial_run(&space, regions, n, r, eps, t, out);
}
