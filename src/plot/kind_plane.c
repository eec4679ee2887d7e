/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* The plane, and manifolds of two dimensions whose rows are two coordinates. */
#include "plot/axes.h"
#include "plot/picture.h"

#include "base/internal.h"

#include <math.h>

static bool suits(const mst_picture *p)
{
    if (p->m == NULL || mst_manifold_dim(p->m) != 2 || mst_manifold_ambient(p->m) != 2)
        return false;
    const mst_manifold_traits *t = mst_manifold_traits_of(p->m);
    return t->rows == MST_ROWS_PLAIN && t->landmark_dim == 0 &&
           mst_manifold_factor_count(p->m) == 1;
}

static void place(const projection *p, size_t n, const double *x, double *xy, unsigned char *front)
{
    const axes *a = p->data;
    for (size_t i = 0; i < n; i++) {
        xy[2 * i] = axes_x(a, x[2 * i]);
        xy[2 * i + 1] = axes_y(a, x[2 * i + 1]);
        front[i] = 1;
    }
}

static void lift(const projection *p, size_t n, const double *xy, double *x, unsigned char *inside)
{
    const axes *a = p->data;
    for (size_t i = 0; i < n; i++) {
        x[2 * i] = axes_x_value(a, xy[2 * i]);
        x[2 * i + 1] = axes_y_value(a, xy[2 * i + 1]);
        inside[i] = mst_manifold_validate(p->m, 1, x + 2 * i, NULL) == MST_OK;
    }
}

static void take_rows(axes *a, size_t n, const double *x)
{
    for (size_t i = 0; i < n; i++) {
        axis_take(&a->x, x[2 * i]);
        axis_take(&a->y, x[2 * i + 1]);
    }
}

/* What has to be in the frame: points, means with their regions, curves. */
static mst_status take_all(axes *a, const mst_picture *p)
{
    double *outline;
    MST_TRY(mst_allocate(&outline, 2 * OUTLINE_POINTS));
    take_rows(a, p->n, p->x);
    for (size_t k = 0; k < p->mean_count; k++) {
        take_rows(a, 1, p->means[k].at);
        take_rows(a, p->means[k].others, p->means[k].set);
        if (plot_region_outline(p->m, &p->means[k], outline) == MST_OK)
            take_rows(a, OUTLINE_POINTS, outline);
    }
    for (size_t k = 0; k < p->curve_count; k++)
        take_rows(a, p->curves[k].count, p->curves[k].points);
    mst_release(outline);
    return MST_OK;
}

/* Two standard deviations of the law about each mean, if there are no points to tell the range. */
static void take_spread(axes *a, const mst_picture *p)
{
    for (size_t k = 0; p->n == 0 && k < p->mean_count; k++) {
        double far = isfinite(p->means[k].time) ? 2.6 * sqrt(p->means[k].time) : 0;
        for (int side = -1; side <= 1 && mst_manifold_traits_of(p->m)->unrolls; side += 2)
            take_rows(
                a, 1,
                (const double[]){p->means[k].at[0] + side * far, p->means[k].at[1] + side * far});
    }
}

static mst_status draw(canvas *c, const mst_picture *p)
{
    bool flat = mst_manifold_traits_of(p->m)->unrolls;
    axes a = {.x = {.low = NAN, .high = NAN}, .y = {.low = NAN, .high = NAN}};
    a.x.name = p->x_name != NULL ? p->x_name : "x\u2081";
    a.y.name = p->y_name != NULL ? p->y_name : "x\u2082";
    MST_TRY(take_all(&a, p));
    take_spread(&a, p);
    axes_open(&a, c, 0.85, flat);
    projection to = {.m = p->m, .data = &a, .place = place, .lift = lift, .seam = INFINITY};
    mst_status status = axes_layers(&a, c, p, to);
    if (!flat)
        canvas_note(
            c, "Axes are coordinates of the manifold: lengths on paper are not its distances.");
    return status;
}

const plot_kind kind_plane = {
    .info = {"plane", "two coordinates with axes", "euclidean:2, 2-D charts"},
    .suits = suits,
    .draw = draw,
};
