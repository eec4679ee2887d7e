/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* A surface that is mapped into space, as lines of equal coordinates. */
#include "scene_estimates.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LINES = 19, STEPS = 49 };

/* The whole of a periodic coordinate, and of others as much as the points take, and a third more. */
static bool choose_range(const scene_map *map, size_t n, const double *x, double low[2],
                         double high[2])
{
    double period[2];
    size_t D = mst_manifold_ambient(map->m);
    mst_manifold_periods(map->m, period);
    for (size_t k = 0; k < 2; k++) {
        low[k] = INFINITY;
        high[k] = -INFINITY;
        for (size_t i = 0; i < n; i++) {
            low[k] = fmin(low[k], x[i * D + k]);
            high[k] = fmax(high[k], x[i * D + k]);
        }
        double more = (high[k] - low[k]) / 6;
        low[k] = period[k] > 0 ? 0 : low[k] - more;
        high[k] = period[k] > 0 ? period[k] : high[k] + more;
        if (!(high[k] > low[k]))
            return false;
    }
    return true;
}

/* Rows with more columns than coordinates name a chart too: there are no lines through several. */
mst_status scene_draw_surface(scene *s, const scene_map *map, size_t n, const double *x)
{
    double low[2], high[2], path[STEPS][3];
    mst_status status = MST_OK;
    if (mst_manifold_ambient(map->m) != 2 || n == 0 || !choose_range(map, n, x, low, high))
        return MST_OK;
    for (size_t line = 0; line < 2 * LINES && status == MST_OK; line++) {
        size_t across = line % 2, along = 1 - across, number = line / 2, row;
        bool any = false;
        for (size_t i = 0; i < STEPS; i++) {
            double u[2];
            u[across] = low[across] + (high[across] - low[across]) * (double)number / (LINES - 1);
            u[along] = low[along] + (high[along] - low[along]) * (double)i / (STEPS - 1);
            bool there = mst_manifold_validate(map->m, 1, u, &row) == MST_OK &&
                         mst_manifold_in_space(map->m, 1, u, path[i]) == MST_OK &&
                         isfinite(path[i][0] + path[i][1] + path[i][2]);
            for (size_t k = 0; k < 3 && !there; k++)
                path[i][k] = NAN;
            any |= there;
        }
        if (any)
            status = scene_add_line(s, STEPS, &path[0][0], 0, true);
    }
    return status;
}
