/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* The two-sphere as a ball seen from afar (orthographic projection), turned so that the
 * mean is in the middle. */
#include "plot/sphere_view.h"

#include <math.h>
#include <string.h>

typedef struct view {
    double x, y, radius;               /* of the ball in the frame */
    double right[3], up[3], toward[3]; /* toward the reader */
} view;

static double dot(const double *a, const double *b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* The axis points upward, or, if it points at the reader, the first coordinate to the right. */
static void turn(view *v, const double *centre)
{
    const double axis[3] = {0, 0, 1}, first[3] = {1, 0, 0};
    memcpy(v->toward, centre, sizeof v->toward);
    bool pole = fabs(centre[2]) > 0.999;
    const double *hint = pole ? first : axis;
    double along = dot(hint, centre), w[3];
    for (int i = 0; i < 3; i++)
        w[i] = hint[i] - along * centre[i];
    double length = sqrt(dot(w, w));
    for (int i = 0; i < 3; i++)
        w[i] /= length;
    double *known = pole ? v->right : v->up, *other = pole ? v->up : v->right;
    memcpy(known, w, sizeof w);
    /* right × up = toward */
    const double *a = pole ? centre : w, *b = pole ? w : centre;
    other[0] = a[1] * b[2] - a[2] * b[1];
    other[1] = a[2] * b[0] - a[0] * b[2];
    other[2] = a[0] * b[1] - a[1] * b[0];
}

static void place(const projection *p, size_t n, const double *x, double *xy, unsigned char *front)
{
    const view *v = p->data;
    for (size_t i = 0; i < n; i++, x += 3) {
        xy[2 * i] = v->x + v->radius * dot(v->right, x);
        xy[2 * i + 1] = v->y - v->radius * dot(v->up, x);
        front[i] = dot(v->toward, x) >= 0;
    }
}

static void lift(const projection *p, size_t n, const double *xy, double *x, unsigned char *inside)
{
    const view *v = p->data;
    for (size_t i = 0; i < n; i++, x += 3) {
        double a = (xy[2 * i] - v->x) / v->radius, b = (v->y - xy[2 * i + 1]) / v->radius;
        double rest = 1 - a * a - b * b;
        inside[i] = rest >= 0;
        for (int j = 0; j < 3; j++)
            x[j] = inside[i] ? a * v->right[j] + b * v->up[j] + sqrt(rest) * v->toward[j] : NAN;
    }
}

/* Of several means: the direction of their sum, if they have one. */
static bool has_middle(const mst_picture *p, double middle[3])
{
    double length = 0;
    for (int j = 0; j < 3; j++) {
        middle[j] = 0;
        for (size_t k = 0; k < p->mean_count; k++)
            middle[j] += p->means[k].at[j] / (double)p->mean_count;
        length += middle[j] * middle[j];
    }
    for (int j = 0; j < 3; j++)
        middle[j] /= sqrt(length);
    return p->mean_count > 1 && length > 0.04;
}

static const double *centre_of(const mst_picture *p, double middle[3])
{
    return p->centre == NULL && has_middle(p, middle) ? middle : plot_centre(p);
}

static mst_status draw(canvas *c, const mst_picture *p)
{
    const double quarter[3] = {0.5, 0.5, M_SQRT1_2};
    double middle[3];
    double side = 0.92 * canvas_width(c);
    view v = {.x = canvas_width(c) / 2, .y = side / 2 + 1, .radius = side / 2};
    turn(&v, centre_of(p, middle) != NULL ? centre_of(p, middle) : quarter);
    projection to = {
        .data = &v, .place = place, .lift = lift, .seam = INFINITY, .back = "data behind"};
    to.left = v.x - v.radius;
    to.top = v.y - v.radius;
    to.width = to.height = 2 * v.radius;
    canvas_set_height(c, side + 2);
    canvas_ball(c, v.x, v.y, v.radius);
    mst_status status = sphere_graticule(c, p, &to, 30, (pen){paint_line, 0.4, false},
                                         (pen){paint_dimmed(paint_line, 0.55), 0.3, true});
    canvas_circle(c, v.x, v.y, v.radius);
    canvas_stroke(c, (pen){paint_quiet, 0.6, false});
    if (status == MST_OK)
        status = plot_layers(c, p, &to);
    const char *place = p->centre != NULL        ? NULL
                        : plot_centre(p) == NULL ? "latitude 45\u00b0, longitude 45\u00b0"
                        : p->mean_count == 0     ? "above the middle of the curve"
                        : p->mean_count == 1     ? "above the mean"
                        : !has_middle(p, middle) ? "above the first of the large markers"
                                                 : "above the middle of the large markers";
    if (place != NULL)
        canvas_note(c, "Seen from %s.", place);
    canvas_note(c, "Lines every 30\u00b0.");
    return status;
}

const plot_kind kind_sphere = {
    .info = {"sphere", "the ball from outside, front and back told apart", "sphere:2"},
    .suits = sphere_view_suits,
    .draw = draw,
};
