/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Numbers over the steps of a training, and over t. */
#include "plot/axes.h"
#include "plot/picture.h"

#include <math.h>

static void take_ranges(const mst_picture *p, axes *a)
{
    for (size_t k = 0; k < p->series_count; k++)
        for (size_t i = 0; i < p->series[k].count; i++) {
            const mst_picture_series *s = &p->series[k];
            axis_take(&a->x, s->x[i]);
            axis_take(&a->y, s->y[i]);
            axis_take(&a->y, s->low != NULL ? s->low[i] : NAN);
            axis_take(&a->y, s->high != NULL ? s->high[i] : NAN);
        }
}

/* The ends of an error bar; NAN where the logarithm has none. */
static void draw_bar(canvas *c, const axes *a, const mst_picture_series *s, size_t i, pen look)
{
    double low = a->y.log && !(s->low[i] > 0) ? a->y.low : s->low[i];
    canvas_move(c, axes_x(a, s->x[i]), axes_y(a, low));
    canvas_draw_to(c, axes_x(a, s->x[i]), axes_y(a, s->high[i]));
    canvas_stroke(c, look);
}

static void draw_series(canvas *c, const mst_picture *p, const axes *a, size_t k, bool markers)
{
    const mst_picture_series *s = &p->series[k];
    group_style style = style_of_group(k);
    for (size_t i = 0; i < s->count; i++) {
        bool gap = (a->y.log && !(s->y[i] > 0)) || (a->x.log && !(s->x[i] > 0));
        canvas_draw_to(c, gap ? NAN : axes_x(a, s->x[i]), gap ? NAN : axes_y(a, s->y[i]));
    }
    canvas_stroke(c, (pen){style.paint, 1, k % 2 == 1});
    for (size_t i = 0; i < s->count; i++) {
        if (s->low != NULL && s->high != NULL)
            draw_bar(c, a, s, i, (pen){style.paint, 0.7, false});
        if (markers && (!a->y.log || s->y[i] > 0))
            canvas_marker(c, style.marker, axes_x(a, s->x[i]), axes_y(a, s->y[i]), 2, style.paint,
                          (pen){paint_paper, 0.4, false});
    }
    if (s->name != NULL && markers)
        canvas_legend(c, s->name, style.marker, style.paint, true);
    else if (s->name != NULL)
        canvas_legend(c, s->name, MARKER_LINE, style.paint, k % 2 == 0);
}

static mst_status draw_all(canvas *c, const mst_picture *p, bool markers)
{
    axes a = {.x = {.low = NAN, .high = NAN, .log = p->x_log, .name = p->x_name},
              .y = {.low = NAN, .high = NAN, .log = p->y_log, .name = p->y_name}};
    take_ranges(p, &a);
    axes_open(&a, c, 0.7, false);
    canvas_rectangle(c, a.left, a.top, a.width, a.height);
    canvas_clip(c);
    for (size_t k = 0; k < p->series_count; k++)
        draw_series(c, p, &a, k, markers);
    canvas_unclip(c);
    return MST_OK;
}

static bool suits_loss(const mst_picture *p)
{
    return p->series_count > 0 && p->over == MST_OVER_STEPS;
}

static bool suits_time(const mst_picture *p)
{
    return p->series_count > 0 && (p->over == MST_OVER_TIME || p->over == MST_OVER_DIMENSION);
}

static mst_status draw_loss(canvas *c, const mst_picture *p)
{
    return draw_all(c, p, false);
}

static mst_status draw_time(canvas *c, const mst_picture *p)
{
    return draw_all(c, p, true);
}

const plot_kind kind_loss = {
    .info = {"loss", "the loss over the steps of a training", "results of train"},
    .suits = suits_loss,
    .draw = draw_loss,
};

const plot_kind kind_over_time = {
    .info = {"over-time", "the errors of a score over t", "results of check"},
    .suits = suits_time,
    .draw = draw_time,
};
