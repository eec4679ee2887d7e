/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

#include "support/metric_manifolds.h"

const metric_twin metric_twins[METRIC_TWINS] = {
    [HALF_PLANE] = {half_plane_new, "hyperbolic:2", half_plane_to_hyperboloid, half_plane_push, 6},
    [CHART_SPHERE] = {chart_sphere_new, "sphere:2", chart_sphere_to_sphere, chart_sphere_push, 3.1},
};
