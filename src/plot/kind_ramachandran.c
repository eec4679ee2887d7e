/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Two angles as a square from −180° to 180°, whose opposite sides are one. */
#include "plot/axes.h"
#include "plot/picture.h"

#include <math.h>

static bool suits(const mst_picture *p)
{
    return p->m != NULL && mst_manifold_traits_of(p->m)->angles && mst_manifold_dim(p->m) == 2;
}

static double degrees(double angle)
{
    double turn = angle / (2 * M_PI);
    return 360 * (turn - floor(turn + 0.5));
}

static void place(const projection *p, size_t n, const double *x, double *xy, unsigned char *front)
{
    const axes *a = p->data;
    for (size_t i = 0; i < n; i++) {
        xy[2 * i] = axes_x(a, degrees(x[2 * i]));
        xy[2 * i + 1] = axes_y(a, degrees(x[2 * i + 1]));
        front[i] = 1;
    }
}

static void lift(const projection *p, size_t n, const double *xy, double *x, unsigned char *inside)
{
    const axes *a = p->data;
    for (size_t i = 0; i < n; i++) {
        inside[i] = axes_inside(a, xy[2 * i], xy[2 * i + 1]);
        x[2 * i] = axes_x_value(a, xy[2 * i]) * M_PI / 180;
        x[2 * i + 1] = axes_y_value(a, xy[2 * i + 1]) * M_PI / 180;
    }
}

static mst_status draw(canvas *c, const mst_picture *p)
{
    static const double at[] = {-180, -120, -60, 0, 60, 120, 180};
    static const char *const labels[] = {"\u2212180", "\u2212120", "\u221260", "0",
                                         "60",        "120",       "180"};
    axis one = {.low = -180, .high = 180, .exact = true, .ticks = 7, .at = at, .labels = labels};
    axes a = {.x = one, .y = one};
    a.x.name = p->x_name != NULL ? p->x_name : "first angle (degrees)";
    a.y.name = p->y_name != NULL ? p->y_name : "second angle (degrees)";
    axes_open(&a, c, 1, false);
    projection to = {.data = &a, .place = place, .lift = lift, .seam = a.width / 2};
    mst_status status = axes_layers(&a, c, p, to);
    canvas_note(c, "Opposite sides of the square are one.");
    return status;
}

const plot_kind kind_ramachandran = {
    .info = {"ramachandran", "two angles as a square, with contours of the density", "torus:2"},
    .suits = suits,
    .draw = draw,
};
