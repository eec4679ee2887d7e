/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

#include "plot/scale.h"

#include "base/internal.h"

#include <math.h>

static paint between(paint a, paint b, double share)
{
    return (paint){a.red + share * (b.red - a.red), a.green + share * (b.green - a.green),
                   a.blue + share * (b.blue - a.blue), 1};
}

/* Lightness falls steadily away from white, so that it reads without colour, too. */
static paint along(const paint *stops, int count, double share)
{
    double at = fmax(0, fmin(1, share)) * (count - 1);
    int i = (int)fmin(count - 2, floor(at));
    return between(stops[i], stops[i + 1], at - i);
}

paint scale_paint(const colour_scale *s, double value)
{
    static const paint up[] = {
        {1, 1, 1, 1}, {0.96, 0.66, 0.42, 1}, {0.835, 0.369, 0, 1}, {0.45, 0.16, 0, 1}};
    static const paint down[] = {
        {1, 1, 1, 1}, {0.55, 0.76, 0.90, 1}, {0, 0.447, 0.698, 1}, {0, 0.20, 0.36, 1}};
    if (isnan(value))
        return paint_line;
    if (s->diverging) {
        double most = fmax(fabs(s->low), fabs(s->high));
        return paint_dimmed(along(value >= 0 ? up : down, 4, most > 0 ? fabs(value) / most : 0),
                            s->pale);
    }
    double share = s->log ? log(value / s->low) / log(s->high / s->low)
                          : (value - s->low) / (s->high - s->low);
    return paint_dimmed(along(down, 4, share), s->pale);
}

static double value_at(const colour_scale *s, double share)
{
    return s->log ? s->low * pow(s->high / s->low, share) : s->low + share * (s->high - s->low);
}

mst_status scale_bar(canvas *c, const colour_scale *s, double left, double top, double width,
                     double *height)
{
    enum { STEPS = 256, ROWS = 16 }; /* rows, lest its edges be smoothed away */
    uint32_t pixels[ROWS * STEPS];
    for (int i = 0; i < ROWS * STEPS; i++)
        pixels[i] = paint_pixel(scale_paint(s, value_at(s, (i % STEPS + 0.5) / STEPS)));
    MST_TRY(canvas_image(c, left, top, width, 5, STEPS, ROWS, pixels));
    canvas_rectangle(c, left, top, width, 5);
    canvas_stroke(c, (pen){paint_quiet, 0.4, false});
    for (int k = 0; k < 3; k++) {
        double value = value_at(s, 0.5 * k);
        canvas_text(c, left + 0.5 * k * width, top + 10,
                    k == 0   ? ANCHOR_LEFT
                    : k == 1 ? ANCHOR_MIDDLE
                             : ANCHOR_RIGHT,
                    "%.4g", fabs(value) < 1e-12 * fabs(s->high) ? 0 : value);
    }
    if (s->name != NULL)
        canvas_text(c, left + width / 2, top + 18, ANCHOR_MIDDLE, "%s", s->name);
    *height = s->name != NULL ? 23 : 15;
    return MST_OK;
}
