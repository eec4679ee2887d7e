/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* A regression on a curve, the line or the circle: the point over the covariate, with the band. */
#include "plot/axes.h"
#include "plot/picture.h"

#include <math.h>

static bool is_circle(const mst_picture *p)
{
    return mst_manifold_traits_of(p->m)->angles;
}

static bool suits(const mst_picture *p)
{
    return p->m != NULL && mst_manifold_dim(p->m) == 1 && mst_manifold_ambient(p->m) == 1 &&
           p->over == MST_OVER_COVARIATE && p->curve_count > 0 && p->curves[0].s != NULL;
}

/* Angles in degrees from −180 on. */
static double shown(const mst_picture *p, double y)
{
    double turn = y / (2 * M_PI);
    return is_circle(p) ? 360 * (turn - floor(turn + 0.5)) : y;
}

static double shown_length(const mst_picture *p, double length)
{
    return is_circle(p) ? length * 180 / M_PI : length;
}

static void take_ranges(const mst_picture *p, axes *a)
{
    for (size_t i = 0; p->s != NULL && i < p->n; i++)
        axis_take(&a->x, p->s[i]);
    for (size_t i = 0; p->s != NULL && !is_circle(p) && i < p->n; i++)
        axis_take(&a->y, p->x[i]);
    for (size_t k = 0; k < p->curve_count; k++)
        for (size_t i = 0; i < p->curves[k].count; i++) {
            const mst_picture_curve *curve = &p->curves[k];
            double band = curve->band != NULL && isfinite(curve->band[i]) ? curve->band[i] : 0;
            axis_take(&a->x, curve->s[i]);
            if (!is_circle(p)) {
                axis_take(&a->y, curve->points[i] - band);
                axis_take(&a->y, curve->points[i] + band);
            }
        }
}

/* A line over s that leaves the square at one side comes back at the other: it is drawn a turn up and a turn
 * down as well, and the frame cuts it. */
static void draw_line(canvas *c, const mst_picture *p, const axes *a,
                      const mst_picture_curve *curve, int sign, pen look)
{
    for (int turn = is_circle(p) ? -2 : 0; turn <= (is_circle(p) ? 2 : 0); turn++) {
        double before = NAN, y = NAN;
        for (size_t i = 0; i < curve->count; i++) {
            double next = shown(p, curve->points[i]);
            if (isnan(y))
                y = next;
            else
                y += is_circle(p) ? remainder(next - before, 360) : next - before;
            before = next;
            double band = sign != 0 ? sign * shown_length(p, curve->band[i]) : 0;
            canvas_draw_to(c, axes_x(a, curve->s[i]), axes_y(a, y + band + 360 * turn));
        }
        canvas_stroke(c, look);
    }
}

static void draw_band(canvas *c, const mst_picture *p, const axes *a,
                      const mst_picture_curve *curve)
{
    paint look = paint_mean;
    for (size_t i = 0; i + 1 < curve->count; i++) {
        double low = shown(p, curve->points[i]),
               high = low + (is_circle(p) ? remainder(shown(p, curve->points[i + 1]) - low, 360)
                                          : curve->points[i + 1] - low);
        double one = shown_length(p, curve->band[i]), two = shown_length(p, curve->band[i + 1]);
        for (int turn = is_circle(p) ? -1 : 0; turn <= (is_circle(p) ? 1 : 0); turn++) {
            canvas_move(c, axes_x(a, curve->s[i]), axes_y(a, low - one + 360 * turn));
            canvas_draw_to(c, axes_x(a, curve->s[i + 1]), axes_y(a, high - two + 360 * turn));
            canvas_draw_to(c, axes_x(a, curve->s[i + 1]), axes_y(a, high + two + 360 * turn));
            canvas_draw_to(c, axes_x(a, curve->s[i]), axes_y(a, low + one + 360 * turn));
            canvas_close(c);
        }
    }
    canvas_fill(c, paint_with_alpha(look, 0.2));
    canvas_legend(c, "confidence band of the curve", MARKER_BAND, look, true);
}

static void draw_data(canvas *c, const mst_picture *p, const axes *a)
{
    const paint look = paint_with_alpha(style_of_group(0).paint, canvas_point_alpha(p->n));
    canvas_points_begin(c, p->n);
    for (size_t i = 0; i < p->n; i++)
        canvas_point(c, MARKER_DISC, axes_x(a, p->s[i]), axes_y(a, shown(p, p->x[i])),
                     canvas_point_radius(p->n), look, false);
    canvas_points_end(c);
    canvas_legend(c, "data", MARKER_DISC, look, true);
}

static mst_status draw(canvas *c, const mst_picture *p)
{
    static const double at[] = {-180, -90, 0, 90, 180};
    static const char *const labels[] = {"\u2212180", "\u221290", "0", "90", "180"};
    axes a = {.x = {.low = NAN, .high = NAN, .name = p->x_name != NULL ? p->x_name : "covariate"},
              .y = {.low = NAN, .high = NAN, .name = p->y_name != NULL ? p->y_name : "y"}};
    if (is_circle(p))
        a.y = (axis){.low = -180,
                     .high = 180,
                     .exact = true,
                     .ticks = 5,
                     .at = at,
                     .labels = labels,
                     .name = "angle (degrees)"};
    take_ranges(p, &a);
    axes_open(&a, c, 0.75, false);
    canvas_rectangle(c, a.left, a.top, a.width, a.height);
    canvas_clip(c);
    for (size_t k = 0; k < p->curve_count; k++)
        if (p->curves[k].band != NULL)
            draw_band(c, p, &a, &p->curves[k]);
    if (p->n > 0 && p->s != NULL)
        draw_data(c, p, &a);
    for (size_t k = 0; k < p->curve_count; k++) {
        draw_line(c, p, &a, &p->curves[k], 0, (pen){paint_mean, 1.2, false});
        canvas_legend(c, p->curves[k].name != NULL ? p->curves[k].name : "curve", MARKER_LINE,
                      paint_mean, true);
    }
    canvas_unclip(c);
    if (is_circle(p))
        canvas_note(c, "Upper and lower side are one.");
    return MST_OK;
}

const plot_kind kind_curve = {
    .info = {"curve", "a regression over its covariate, with its band",
             "regressions on circle, euclidean:1"},
    .suits = suits,
    .draw = draw,
};
