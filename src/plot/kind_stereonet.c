/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Schmidt's net: the lower hemisphere from above, in Lambert's equal-area projection. North (x) is up, east
 * (y) to the right, z upward. Directions that point up are drawn as open markers at the place of their mirror
 * image in the horizontal plane, as palaeomagnetism does; they are not turned into axes, since the mean is
 * one of directions. */
#include "plot/sphere_view.h"

#include "base/internal.h"

#include <math.h>

typedef struct net {
    double x, y, radius;
} net;

static void place(const projection *p, size_t n, const double *x, double *xy, unsigned char *front)
{
    const net *v = p->data;
    for (size_t i = 0; i < n; i++, x += 3) {
        /* r = √2 sin(½ angle from the nadir), 1 on the horizon */
        double scale = v->radius / sqrt(1 + fabs(x[2]));
        xy[2 * i] = v->x + scale * x[1];
        xy[2 * i + 1] = v->y - scale * x[0];
        front[i] = x[2] <= 0;
    }
}

static void lift(const projection *p, size_t n, const double *xy, double *x, unsigned char *inside)
{
    const net *v = p->data;
    for (size_t i = 0; i < n; i++, x += 3) {
        double east = (xy[2 * i] - v->x) / v->radius, north = (v->y - xy[2 * i + 1]) / v->radius;
        double r2 = east * east + north * north, scale = sqrt(fmax(0, 2 - r2));
        inside[i] = r2 <= 1;
        x[0] = north * scale;
        x[1] = east * scale;
        x[2] = r2 - 1;
    }
}

static void draw_net(canvas *c, const net *v)
{
    static const char *const names[] = {"N", "E", "S", "W"};
    const pen thin = {paint_line, 0.4, false}, edge = {paint_ink, 0.8, false};
    canvas_circle(c, v->x, v->y, v->radius);
    canvas_fill(c, paint_paper);
    for (int plunge = 30; plunge < 90; plunge += 30) {
        double r = v->radius * M_SQRT2 * sin((90 - plunge) * M_PI / 360);
        canvas_circle(c, v->x, v->y, r);
        canvas_stroke(c, thin);
    }
    for (int k = 0; k < 12; k++) {
        double angle = k * M_PI / 6, dx = sin(angle), dy = -cos(angle);
        double inner = k % 3 == 0 ? 0 : M_SQRT2 * sin(30 * M_PI / 360);
        canvas_move(c, v->x + inner * v->radius * dx, v->y + inner * v->radius * dy);
        canvas_draw_to(c, v->x + v->radius * dx, v->y + v->radius * dy);
        canvas_stroke(c, thin);
        canvas_move(c, v->x + v->radius * dx, v->y + v->radius * dy);
        canvas_draw_to(c, v->x + (v->radius + 3) * dx, v->y + (v->radius + 3) * dy);
        canvas_stroke(c, edge);
        if (k % 3 == 0)
            canvas_text(c, v->x + (v->radius + 8) * dx, v->y + (v->radius + 8) * dy, ANCHOR_MIDDLE,
                        "%s", names[k / 3]);
    }
    canvas_circle(c, v->x, v->y, v->radius);
    canvas_stroke(c, edge);
}

static void label_plunges(canvas *c, const net *v)
{
    for (int plunge = 30; plunge < 90; plunge += 30) {
        double r = v->radius * M_SQRT2 * sin((90 - plunge) * M_PI / 360);
        canvas_text(c, v->x + r * M_SQRT1_2 + 1, v->y - r * M_SQRT1_2 - 3, ANCHOR_LEFT, "%d\u00b0",
                    plunge);
    }
}

static mst_status draw(canvas *c, const mst_picture *p)
{
    double side = canvas_width(c) * 0.94;
    net v = {.x = canvas_width(c) / 2, .y = side / 2, .radius = side / 2 - 13};
    projection to = {
        .data = &v, .place = place, .lift = lift, .seam = v.radius, .back = "data pointing up"};
    to.left = v.x - v.radius;
    to.top = v.y - v.radius;
    to.width = to.height = 2 * v.radius;
    canvas_set_height(c, side);
    draw_net(c, &v);
    label_plunges(c, &v);
    mst_status status = plot_layers(c, p, &to);
    canvas_note(c, "Lower hemisphere, equal area; x north, y east, z up; circles of plunge "
                   "30\u00b0 and 60\u00b0. "
                   "What is open or dashed points up.");
    if (plot_has_density(p))
        canvas_note(c, "Contours are those of the lower hemisphere.");
    return status;
}

const plot_kind kind_stereonet = {
    .info = {"stereonet", "lower hemisphere in equal-area projection (Schmidt's net)", "sphere:2"},
    .suits = sphere_view_suits,
    .draw = draw,
};
