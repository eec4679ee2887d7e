/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* The whole sphere in the Equal Earth projection (Šavrič, Patterson and Jenny 2018), which keeps areas. z is
 * the axis of the Earth, x the equator at longitude 0, y at 90° east. There is no data on
 * coasts here, and none is drawn. */
#include "plot/sphere_view.h"

#include "base/internal.h"

#include <math.h>
#include <stdlib.h>

typedef struct chart {
    double x, y, scale;
    double middle; /* the longitude in the middle */
} chart;

#define A1 1.340264
#define A2 (-0.081106)
#define A3 0.000893
#define A4 0.003796
static const double half_width = 2.706629835, half_height = 1.317362759;

/* y of the parametric latitude, and its derivative. */
static double height(double s)
{
    double s2 = s * s, s6 = s2 * s2 * s2;
    return s * (A1 + A2 * s2 + s6 * (A3 + A4 * s2));
}

static double slope(double s)
{
    double s2 = s * s, s6 = s2 * s2 * s2;
    return A1 + 3 * A2 * s2 + s6 * (7 * A3 + 9 * A4 * s2);
}

static double wrap(double angle)
{
    return angle - 2 * M_PI * round(angle / (2 * M_PI));
}

static void place(const projection *p, size_t n, const double *x, double *xy, unsigned char *front)
{
    const chart *v = p->data;
    for (size_t i = 0; i < n; i++, x += 3) {
        double longitude = wrap(atan2(x[1], x[0]) - v->middle);
        double s = asin(sqrt(3) / 2 * fmax(-1, fmin(1, x[2])));
        xy[2 * i] = v->x + v->scale * 2 * sqrt(3) * longitude * cos(s) / (3 * slope(s));
        xy[2 * i + 1] = v->y - v->scale * height(s);
        front[i] = 1;
    }
}

static void lift(const projection *p, size_t n, const double *xy, double *x, unsigned char *inside)
{
    const chart *v = p->data;
    for (size_t i = 0; i < n; i++, x += 3) {
        double a = (xy[2 * i] - v->x) / v->scale, b = (v->y - xy[2 * i + 1]) / v->scale, s = b / A1;
        for (int step = 0; step < 12; step++) /* Newton; `height` is nearly linear */
            s -= (height(s) - b) / slope(s);
        double sine = 2 / sqrt(3) * sin(s), longitude = a * 3 * slope(s) / (2 * sqrt(3) * cos(s));
        inside[i] = fabs(sine) <= 1 && fabs(longitude) <= M_PI;
        double latitude = asin(fmax(-1, fmin(1, sine)));
        x[0] = cos(latitude) * cos(longitude + v->middle);
        x[1] = cos(latitude) * sin(longitude + v->middle);
        x[2] = sin(latitude);
    }
}

/* The outline: the meridian opposite to the middle, seen from both sides. */
static void draw_edge(canvas *c, const chart *v, bool fill)
{
    enum { STEPS = 90 };
    for (int side = -1; side <= 1; side += 2)
        for (int i = 0; i <= STEPS; i++) {
            double s = -side * asin(sqrt(3) / 2 * sin(M_PI * ((double)i / STEPS - 0.5)));
            canvas_draw_to(c, v->x + side * v->scale * 2 * sqrt(3) * M_PI * cos(s) / (3 * slope(s)),
                           v->y + v->scale * height(s));
        }
    canvas_close(c);
    if (fill)
        canvas_fill(c, (paint){0.95, 0.965, 0.98, 1});
    else
        canvas_stroke(c, (pen){paint_quiet, 0.6, false});
}

static void label(canvas *c, const chart *v)
{
    static const char *const signs[] = {"S", "", "N"};
    for (int latitude = -60; latitude <= 60; latitude += 30) {
        double s = asin(sqrt(3) / 2 * sin(latitude * M_PI / 180));
        double edge = v->scale * 2 * sqrt(3) * M_PI * cos(s) / (3 * slope(s));
        canvas_text(c, v->x - edge - 2, v->y - v->scale * height(s), ANCHOR_RIGHT, "%d\u00b0%s",
                    abs(latitude), signs[(latitude > 0) - (latitude < 0) + 1]);
    }
    int middle = (int)lround(v->middle * 180 / M_PI);
    for (int step = -1; step <= 1; step++) {
        int longitude = ((middle + 120 * step + 540) % 360) - 180;
        double x = v->scale * 2 * sqrt(3) * (120 * step * M_PI / 180) * 0.5 / (3 * slope(M_PI / 3));
        canvas_text(c, v->x + x, v->y + v->scale * half_height + 6, ANCHOR_MIDDLE, "%d\u00b0%s",
                    abs(longitude),
                    longitude == 0 || longitude == -180 ? ""
                    : longitude > 0                     ? "E"
                                                        : "W");
    }
}

static mst_status draw(canvas *c, const mst_picture *p)
{
    const double margin = 20;
    chart v = {.x = canvas_width(c) / 2 + margin / 2,
               .scale = (canvas_width(c) - margin) / 2 / half_width};
    v.y = v.scale * half_height + 2;
    /* About the first mean, in steps of the graticule, so that the seam is far from it. */
    const double *centre = plot_centre(p);
    if (centre != NULL)
        v.middle = round(atan2(centre[1], centre[0]) / (M_PI / 6)) * (M_PI / 6);
    projection to = {.data = &v, .place = place, .lift = lift};
    to.seam = v.scale * half_width;
    to.left = v.x - v.scale * half_width;
    to.top = v.y - v.scale * half_height;
    to.width = 2 * v.scale * half_width;
    to.height = 2 * v.scale * half_height;
    canvas_set_height(c, to.height + 14);
    draw_edge(c, &v, true);
    const pen thin = {paint_line, 0.4, false};
    mst_status status = sphere_graticule(c, p, &to, 30, thin, thin);
    draw_edge(c, &v, false);
    label(c, &v);
    if (status == MST_OK)
        status = plot_layers(c, p, &to);
    canvas_note(c, "Equal Earth projection, which keeps areas; coasts are not drawn.");
    return status;
}

const plot_kind kind_map = {
    .info = {"map", "the whole sphere in an equal-area projection, with latitudes and longitudes",
             "sphere:2"},
    .suits = sphere_view_suits,
    .draw = draw,
};
