/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Panels of a frame, images and arrows in it. */
#include "base/internal.h"
#include "plot/canvas_parts.h"

#include <math.h>
#include <string.h>

const mst_plot_options *canvas_options(const canvas *c)
{
    return &c->options;
}

panel canvas_panel_begin(canvas *c, double left, double top, double width)
{
    panel within = {left, top, c->width, c->height};
    cairo_save(c->cr);
    cairo_translate(c->cr, left, top);
    c->width = c->height = width;
    return within;
}

double canvas_panel_end(canvas *c, panel within)
{
    double height = c->height;
    cairo_restore(c->cr);
    c->width = within.width;
    c->height = within.height;
    return height;
}

size_t canvas_dots(const canvas *c, double length)
{
    return (size_t)fmax(1, ceil(length * c->options.resolution / 72));
}

static uint32_t level(double value)
{
    return (uint32_t)lround(255 * fmax(0, fmin(1, value)));
}

uint32_t paint_pixel(paint p)
{
    /* cairo wants colours multiplied by the opacity. */
    return level(p.alpha) << 24 | level(p.alpha * p.red) << 16 | level(p.alpha * p.green) << 8 |
           level(p.alpha * p.blue);
}

mst_status canvas_image(canvas *c, double left, double top, double width, double height,
                        size_t columns, size_t rows, const uint32_t *pixels)
{
    if (columns == 0 || rows == 0 || columns > 20000 || rows > 20000)
        return mst_fail(MST_ARGUMENT, "an image of %zu × %zu pixels is not drawn", columns, rows);
    cairo_surface_t *image =
        cairo_image_surface_create(CAIRO_FORMAT_ARGB32, (int)columns, (int)rows);
    mst_status status = canvas_check(cairo_surface_status(image));
    if (status == MST_OK) {
        unsigned char *to = cairo_image_surface_get_data(image);
        size_t stride = (size_t)cairo_image_surface_get_stride(image);
        for (size_t i = 0; i < rows; i++)
            memcpy(to + i * stride, pixels + i * columns, columns * sizeof *pixels);
        cairo_surface_mark_dirty(image);
        cairo_save(c->cr);
        cairo_translate(c->cr, left, top);
        cairo_scale(c->cr, width / (double)columns, height / (double)rows);
        cairo_set_source_surface(c->cr, image, 0, 0);
        cairo_paint(c->cr);
        cairo_restore(c->cr);
    }
    cairo_surface_destroy(image);
    return status;
}

void canvas_arrow(canvas *c, const double from[2], const double to[2], pen p)
{
    double length = hypot(to[0] - from[0], to[1] - from[1]), head = fmin(5, 0.4 * length);
    canvas_move(c, from[0], from[1]);
    canvas_draw_to(c, to[0], to[1]);
    canvas_stroke(c, p);
    if (length < 1)
        return;
    double ux = (to[0] - from[0]) / length, uy = (to[1] - from[1]) / length;
    canvas_move(c, to[0] + 1.5 * ux, to[1] + 1.5 * uy);
    canvas_draw_to(c, to[0] - head * ux - 0.45 * head * uy, to[1] - head * uy + 0.45 * head * ux);
    canvas_draw_to(c, to[0] - head * ux + 0.45 * head * uy, to[1] - head * uy - 0.45 * head * ux);
    canvas_close(c);
    canvas_fill(c, p.paint);
}
