/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* The exact law of the distance that Brownian motion travels on the spaces of model.h: its density is that of
 * the heat kernel times the area of the geodesic sphere, tabulated once per time and
 * inverted for each draw. */
#ifndef MST_HEAT_RADIAL_LAW_H
#define MST_HEAT_RADIAL_LAW_H

#include "base/internal.h"

#include <manistat/manifold.h>

typedef struct radial_law {
    size_t intervals;
    double width;          /* of an interval */
    double *cdf, *density; /* (intervals + 1) at the nodes */
} radial_law;

bool radial_law_fits(const mst_manifold *m);
/* The law at time t; release with radial_law_release. MST_BREAKDOWN if the density does not add up to one. */
MST_MUST_USE mst_status radial_law_new(radial_law *law, const mst_manifold *m, double t);
void radial_law_release(radial_law *law);
/* The r below which Brownian motion is with probability u, 0 < u < 1; error about 1e-11 of the spread. */
double radial_law_quantile(const radial_law *law, double u);

#endif
