/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* How points of a manifold become points of a picture: chosen by what the manifold says of itself. */
#ifndef MST_CLI_SCENE_MAPS_H
#define MST_CLI_SCENE_MAPS_H

#include "scene.h"

typedef struct scene_map {
    scene_frame frame;
    size_t dim, each; /* dots of a row */
    const mst_manifold *m;
    bool in_space;       /* by the map of the manifold into R^3 */
    bool in_tangent;     /* in principal geodesic coordinates about `base` */
    const double *base;  /* (D) */
    double *directions;  /* (2, d): of these, in the frame at the base */
    double share[2];     /* of the variance about the base */
    size_t unreachable;  /* rows without a logarithm */
    const char *columns; /* what the columns of a row are called; null: x_1, … */
} scene_map;

/* A map for the manifold. `x` (n, D) are points that it should show well, `base` (D) is where a tangent space
 * is laid; either may be missing, and then there may be no map: frame SCENE_NONE. */
MST_MUST_USE mst_status scene_map_make(scene_map *map, const mst_manifold *m, size_t n,
                                       const double *x, const double *base);
/* x (n, D) to out (n, each, dim); NAN where there is no place for a row. */
MST_MUST_USE mst_status scene_map_points(const scene_map *map, size_t n, const double *x,
                                         double *out);
void scene_map_free(scene_map *map);

#endif
