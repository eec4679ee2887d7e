/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

#include "plot/sphere_view.h"

#include "base/internal.h"

#include <math.h>

bool sphere_view_suits(const mst_picture *p)
{
    return p->m != NULL && mst_manifold_traits_of(p->m)->unit_rows && mst_manifold_dim(p->m) == 2;
}

static void fill_meridian(double longitude, double *x)
{
    for (int i = 0; i < GRATICULE_POINTS; i++) {
        double latitude = M_PI * ((double)i / (GRATICULE_POINTS - 1) - 0.5);
        x[3 * i] = cos(latitude) * cos(longitude);
        x[3 * i + 1] = cos(latitude) * sin(longitude);
        x[3 * i + 2] = sin(latitude);
    }
}

static void fill_parallel(double latitude, double *x)
{
    for (int i = 0; i < GRATICULE_POINTS; i++) {
        double longitude = 2 * M_PI * (double)i / (GRATICULE_POINTS - 1) - M_PI;
        x[3 * i] = cos(latitude) * cos(longitude);
        x[3 * i + 1] = cos(latitude) * sin(longitude);
        x[3 * i + 2] = sin(latitude);
    }
}

mst_status sphere_graticule(canvas *c, const mst_picture *p, const projection *to, int step,
                            pen front, pen behind)
{
    double x[3 * GRATICULE_POINTS];
    for (int degree = -180 + step; degree <= 180; degree += step) {
        fill_meridian(degree * M_PI / 180, x);
        MST_TRY(plot_line(c, p, to, GRATICULE_POINTS, x, front, behind));
    }
    for (int degree = -90 + step; degree < 90; degree += step) {
        fill_parallel(degree * M_PI / 180, x);
        MST_TRY(plot_line(c, p, to, GRATICULE_POINTS, x, front, behind));
    }
    return MST_OK;
}
