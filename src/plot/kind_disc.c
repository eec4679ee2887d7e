/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* The hyperbolic plane as Poincaré's disc, moved by an isometry so that the mean is in the middle. */
#include "plot/picture.h"

#include <math.h>

typedef struct disc {
    double x, y, radius;
    double centre[2]; /* of the disc, as a complex number in it */
} disc;

static bool suits(const mst_picture *p)
{
    if (p->m == NULL || mst_manifold_dim(p->m) != 2)
        return false;
    return mst_manifold_traits_of(p->m)->rows == MST_ROWS_HYPERBOLOID;
}

/* The point of the disc, from the hyperboloid. */
static void to_disc(const double *x, double z[2])
{
    z[0] = x[1] / (1 + x[0]);
    z[1] = x[2] / (1 + x[0]);
}

/* (z − a)/(1 − ā z), which takes a to 0. */
static void move(const double a[2], const double z[2], double w[2])
{
    double re = z[0] - a[0], im = z[1] - a[1];
    double dr = 1 - a[0] * z[0] - a[1] * z[1], di = a[1] * z[0] - a[0] * z[1];
    double size = dr * dr + di * di;
    w[0] = (re * dr + im * di) / size;
    w[1] = (im * dr - re * di) / size;
}

static void place(const projection *p, size_t n, const double *x, double *xy, unsigned char *front)
{
    const disc *v = p->data;
    for (size_t i = 0; i < n; i++, x += 3) {
        double z[2], w[2];
        to_disc(x, z);
        move(v->centre, z, w);
        xy[2 * i] = v->x + v->radius * w[0];
        xy[2 * i + 1] = v->y - v->radius * w[1];
        front[i] = 1;
    }
}

static void lift(const projection *p, size_t n, const double *xy, double *x, unsigned char *inside)
{
    const disc *v = p->data;
    const double back[2] = {-v->centre[0], -v->centre[1]};
    for (size_t i = 0; i < n; i++, x += 3) {
        double w[2] = {(xy[2 * i] - v->x) / v->radius, (v->y - xy[2 * i + 1]) / v->radius}, z[2];
        inside[i] = w[0] * w[0] + w[1] * w[1] < 0.9999; /* within 5.3 of the mean */
        move(back, w, z);
        double size = z[0] * z[0] + z[1] * z[1];
        x[0] = (1 + size) / (1 - size);
        x[1] = 2 * z[0] / (1 - size);
        x[2] = 2 * z[1] / (1 - size);
    }
}

static mst_status draw(canvas *c, const mst_picture *p)
{
    const pen thin = {paint_line, 0.4, false}, edge = {paint_ink, 0.8, false};
    double side = 0.92 * canvas_width(c);
    disc v = {.x = canvas_width(c) / 2, .y = side / 2 + 1, .radius = side / 2};
    if (plot_centre(p) != NULL)
        to_disc(plot_centre(p), v.centre);
    projection to = {.data = &v,
                     .place = place,
                     .lift = lift,
                     .seam = INFINITY,
                     .left = v.x - v.radius,
                     .top = v.y - v.radius,
                     .width = side,
                     .height = side};
    canvas_set_height(c, side + 2);
    for (int distance = 1; distance <= 4; distance++) {
        canvas_circle(c, v.x, v.y, v.radius * tanh(0.5 * distance));
        canvas_stroke(c, thin);
    }
    for (int k = 0; k < 6; k++) {
        double dx = v.radius * cos(k * M_PI / 6), dy = v.radius * sin(k * M_PI / 6);
        canvas_move(c, v.x - dx, v.y - dy);
        canvas_draw_to(c, v.x + dx, v.y + dy);
        canvas_stroke(c, thin);
    }
    canvas_circle(c, v.x, v.y, v.radius);
    canvas_stroke(c, edge);
    mst_status status = plot_layers(c, p, &to);
    for (int distance = 1; distance <= 3; distance++)
        canvas_text(c, v.x + v.radius * tanh(0.5 * distance) * 0.707 + 1,
                    v.y - v.radius * tanh(0.5 * distance) * 0.707, ANCHOR_LEFT, "%d", distance);
    canvas_note(c,
                "Poincar\u00e9's disc about %s; circles at distances 1 to 4; the rim is infinitely "
                "far away.",
                plot_centre(p) == NULL ? "the start (1, 0, 0)"
                : p->mean_count > 1    ? "the first centre"
                                       : "the mean");
    return status;
}

const plot_kind kind_disc = {
    .info = {"disc", "Poincar\u00e9's disc about the mean", "hyperbolic:2"},
    .suits = suits,
    .draw = draw,
};
