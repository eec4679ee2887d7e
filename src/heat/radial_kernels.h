/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Between the plain files, which sort rows by region, and the hot ones, which evaluate full lanes. */
#ifndef MST_HEAT_RADIAL_KERNELS_H
#define MST_HEAT_RADIAL_KERNELS_H

#include "base/isa.h"
#include "heat/radial.h"

#include <stdbool.h>

/* Rows evaluated together. 16 are slower by a third for large m, 64 not faster, and fewer lanes mean less
 * waste on short batches. */
enum { RADIAL_LANES = 32 };

typedef struct radial_lanes {
    _Alignas(64) double r[RADIAL_LANES];
    double eps[RADIAL_LANES], t[RADIAL_LANES];
    double logp[RADIAL_LANES], dr[RADIAL_LANES], dr_over_sin[RADIAL_LANES], dt[RADIAL_LANES];
    double drr[RADIAL_LANES];
} radial_lanes;

/* What depends on the dimension alone. */
typedef struct radial_space {
    size_t m;
    double log_gamma;  /* log Γ((m−1)/2), for the contours */
    double log_volume; /* of the compact space, for the series */
} radial_space;

/* Evaluate all lanes. drr is right if `second`, and may be so otherwise. */
typedef void radial_kernel(const radial_space *space, bool second, radial_lanes *lanes);

struct radial_sphere_kernels {
    radial_kernel *contour; /* Sᵐ, m ≥ 2 */
};
struct radial_series_kernels {
    radial_kernel *sphere, *so3;
};
struct radial_image_kernels {
    radial_kernel *circle, *so3;
};
struct radial_hyperbolic_kernels {
    radial_kernel *contour; /* Hᵐ, m ≥ 2 */
};
MST_DECLARE_HOT(struct radial_sphere_kernels, radial_sphere_kernels);
MST_DECLARE_HOT(struct radial_series_kernels, radial_series_kernels);
MST_DECLARE_HOT(struct radial_image_kernels, radial_image_kernels);
MST_DECLARE_HOT(struct radial_hyperbolic_kernels, radial_hyperbolic_kernels);

/* Row i goes to `early` if t[i] < t_switch and to `late` otherwise. */
typedef struct radial_regions {
    double t_switch;
    radial_kernel *early, *late;
} radial_regions;

void radial_run(const radial_space *space, radial_regions regions, size_t n, const double *r,
                const double *eps, const double *t, const mst_radial_out *out);

#endif
