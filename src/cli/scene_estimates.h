/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* The points that a saved result is about: means, centres, an intercept, with their regions. */
#ifndef MST_CLI_SCENE_ESTIMATES_H
#define MST_CLI_SCENE_ESTIMATES_H

#include "scene_maps.h"

typedef struct scene_estimate {
    const char *name; /* of its group, borrowed */
    char own_name[32];
    double *x;                  /* (D) */
    const mst_json_value *from; /* the object that has its errors */
} scene_estimate;

typedef struct scene_estimates {
    size_t count;
    scene_estimate *list;
} scene_estimates;

/* Release it in either case. */
MST_MUST_USE mst_status scene_estimates_read(scene_estimates *all, const saved_result *r,
                                             const estimation *e);
void scene_estimates_free(scene_estimates *all);
/* Marks, confidence regions and curves. */
MST_MUST_USE mst_status scene_draw_estimates(scene *s, const saved_result *r, const estimation *e,
                                             const scene_estimates *all, const scene_map *map);
/* Lines of equal coordinates about the points x (n, D), of a surface in space. */
MST_MUST_USE mst_status scene_draw_surface(scene *s, const scene_map *map, size_t n,
                                           const double *x);
/* One sentence more in the note. */
void scene_say(scene *s, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
