/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

#include "plot/canvas_parts.h"

#include "base/internal.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const paint paint_ink = {0.13, 0.13, 0.13, 1};
const paint paint_quiet = {0.45, 0.45, 0.45, 1};
const paint paint_line = {0.78, 0.78, 0.78, 1};
const paint paint_paper = {1, 1, 1, 1};
const paint paint_mean = {0.835, 0.369, 0, 1};

/* Okabe and Ito (2008), those that are seen on white first. */
static const paint palette[] = {
    {0, 0.447, 0.698, 1},     /* blue */
    {0.835, 0.369, 0, 1},     /* vermilion */
    {0, 0.620, 0.451, 1},     /* bluish green */
    {0.800, 0.475, 0.655, 1}, /* reddish purple */
    {0.902, 0.624, 0, 1},     /* orange */
    {0.337, 0.706, 0.914, 1}, /* sky blue */
    {0.13, 0.13, 0.13, 1},    /* black */
};
enum { COLOURS = sizeof palette / sizeof *palette };

/* Eight shapes and seven colours: only group number 56 looks like number 0 again. */
group_style style_of_group(size_t group)
{
    return (group_style){palette[group % COLOURS], (marker)(group % MARKER_COUNT)};
}

paint paint_with_alpha(paint p, double alpha)
{
    p.alpha = alpha;
    return p;
}

paint paint_dimmed(paint p, double share)
{
    return (paint){p.red + (1 - p.red) * share, p.green + (1 - p.green) * share,
                   p.blue + (1 - p.blue) * share, p.alpha};
}

mst_status canvas_check(cairo_status_t status)
{
    if (status == CAIRO_STATUS_SUCCESS)
        return MST_OK;
    if (status == CAIRO_STATUS_NO_MEMORY)
        return mst_fail(MST_MEMORY, "not enough memory for a picture");
    return mst_fail(MST_BREAKDOWN, "the picture cannot be drawn: %s",
                    cairo_status_to_string(status));
}

/* ---- Life ---- */

enum { MARGIN = 4, MOST_HEIGHT = 4 };

mst_status canvas_new(canvas **out, const mst_plot_options *options)
{
    canvas *c;
    *out = NULL;
    MST_TRY(mst_allocate_zero(&c, 1));
    c->options = *options;
    c->width = options->width * 72 / 25.4 - 2 * MARGIN;
    c->height = c->width;
    /* With bounds, though the height is not known yet: of recordings without, cairo 1.16 writes SVG with the
     * numbers that happen to be in memory. */
    c->recording = cairo_recording_surface_create(
        CAIRO_CONTENT_COLOR_ALPHA, &(cairo_rectangle_t){0, 0, c->width, MOST_HEIGHT * c->width});
    c->cr = cairo_create(c->recording);
    mst_status status = canvas_check(cairo_status(c->cr));
    if (status != MST_OK) {
        canvas_free(c);
        return status;
    }
    cairo_set_line_join(c->cr, CAIRO_LINE_JOIN_ROUND);
    cairo_set_line_cap(c->cr, CAIRO_LINE_CAP_ROUND);
    canvas_set_font(c->cr, TEXT_SIZE, false);
    *out = c;
    return MST_OK;
}

void canvas_free(canvas *c)
{
    if (c == NULL)
        return;
    canvas_points_end(c); /* of a drawing that failed */
    cairo_destroy(c->cr);
    /* An SVG surface of cairo 1.16 keeps its source. */
    cairo_surface_finish(c->recording);
    cairo_surface_destroy(c->recording);
    mst_release(c);
}

double canvas_width(const canvas *c)
{
    return c->width;
}

double canvas_height(const canvas *c)
{
    return c->height;
}

void canvas_set_height(canvas *c, double height)
{
    c->height = fmin(height, MOST_HEIGHT * c->width);
}

/* ---- Notes ---- */

void canvas_note(canvas *c, const char *format, ...)
{
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    size_t used = strlen(c->caption);
    if (strstr(c->caption, text) == NULL)
        snprintf(c->caption + used, sizeof c->caption - used, "%s%s", used > 0 ? " " : "", text);
}

void canvas_legend(canvas *c, const char *name, marker m, paint p, bool filled)
{
    for (size_t i = 0; i < c->legend_count; i++)
        if (strcmp(c->legends[i].name, name) == 0)
            return;
    if (c->legend_count == MOST_LEGENDS)
        return;
    legend *l = &c->legends[c->legend_count++];
    *l = (legend){.marker = m, .paint = paint_with_alpha(p, 1), .filled = filled};
    snprintf(l->name, sizeof l->name, "%s", name);
}

/* ---- Lines and areas ---- */

void canvas_set_paint(cairo_t *cr, paint p)
{
    cairo_set_source_rgba(cr, p.red, p.green, p.blue, p.alpha);
}

void canvas_move(canvas *c, double x, double y)
{
    c->pen_down = isfinite(x) && isfinite(y);
    if (c->pen_down)
        cairo_move_to(c->cr, x, y);
}

void canvas_draw_to(canvas *c, double x, double y)
{
    if (!c->pen_down || !isfinite(x) || !isfinite(y))
        canvas_move(c, x, y);
    else
        cairo_line_to(c->cr, x, y);
}

void canvas_close(canvas *c)
{
    if (cairo_has_current_point(c->cr))
        cairo_close_path(c->cr);
}

void canvas_circle(canvas *c, double x, double y, double radius)
{
    if (!isfinite(x) || !isfinite(y) || !isfinite(radius))
        return;
    cairo_new_sub_path(c->cr);
    cairo_arc(c->cr, x, y, radius, 0, 2 * M_PI);
    cairo_close_path(c->cr);
}

void canvas_rectangle(canvas *c, double x, double y, double width, double height)
{
    if (isfinite(x) && isfinite(y) && isfinite(width) && isfinite(height))
        cairo_rectangle(c->cr, x, y, width, height);
}

void canvas_stroke(canvas *c, pen p)
{
    canvas_set_paint(c->cr, p.paint);
    cairo_set_line_width(c->cr, p.width);
    cairo_set_dash(c->cr, (const double[]){3 * p.width + 1, 2 * p.width + 1}, p.dashed ? 2 : 0, 0);
    cairo_stroke(c->cr);
    c->pen_down = false;
}

void canvas_fill_keep(canvas *c, paint p)
{
    canvas_set_paint(c->cr, p);
    cairo_fill_preserve(c->cr);
}

void canvas_fill(canvas *c, paint p)
{
    canvas_fill_keep(c, p);
    cairo_new_path(c->cr);
    c->pen_down = false;
}

void canvas_clip(canvas *c)
{
    cairo_save(c->cr);
    cairo_clip(c->cr);
    c->pen_down = false;
}

void canvas_unclip(canvas *c)
{
    cairo_restore(c->cr);
}

void canvas_ball(canvas *c, double x, double y, double radius)
{
    cairo_pattern_t *light =
        cairo_pattern_create_radial(x - 0.35 * radius, y - 0.35 * radius, 0, x, y, radius);
    cairo_pattern_add_color_stop_rgb(light, 0, 1, 1, 1);
    cairo_pattern_add_color_stop_rgb(light, 0.7, 0.95, 0.955, 0.96);
    cairo_pattern_add_color_stop_rgb(light, 1, 0.82, 0.835, 0.85);
    canvas_circle(c, x, y, radius);
    cairo_set_source(c->cr, light);
    cairo_fill(c->cr);
    cairo_pattern_destroy(light);
}

/* ---- Words ---- */

void canvas_set_font(cairo_t *cr, double size, bool bold)
{
    /* Hints would fit letters to the pixels of a device that nobody knows yet. */
    cairo_font_options_t *options = cairo_font_options_create();
    cairo_font_options_set_hint_style(options, CAIRO_HINT_STYLE_NONE);
    cairo_font_options_set_hint_metrics(options, CAIRO_HINT_METRICS_OFF);
    cairo_font_options_set_antialias(options, CAIRO_ANTIALIAS_GRAY);
    cairo_set_font_options(cr, options);
    cairo_font_options_destroy(options);
    cairo_select_font_face(cr, "sans-serif", CAIRO_FONT_SLANT_NORMAL,
                           bold ? CAIRO_FONT_WEIGHT_BOLD : CAIRO_FONT_WEIGHT_NORMAL);
    cairo_set_font_size(cr, size);
}

double canvas_text_width(canvas *c, const char *text)
{
    cairo_text_extents_t e;
    cairo_text_extents(c->cr, text, &e);
    return e.x_advance;
}

/* `at`, moved so that [at, at + length] is inside [0, most]. */
static double keep_inside(double at, double length, double most)
{
    return fmax(0, fmin(at, most - length));
}

void canvas_text(canvas *c, double x, double y, anchor a, const char *format, ...)
{
    char text[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (!c->options.words || !isfinite(x) || !isfinite(y))
        return;
    double width = canvas_text_width(c, text);
    double left = a == ANCHOR_LEFT ? x : a == ANCHOR_MIDDLE ? x - width / 2 : x - width;
    /* Capitals and digits are 0.73 of the size high. */
    double base = keep_inside(y - 0.5 * TEXT_SIZE, TEXT_SIZE, c->height) + 0.865 * TEXT_SIZE;
    canvas_set_paint(c->cr, paint_ink);
    cairo_move_to(c->cr, keep_inside(left, width, c->width), base);
    cairo_show_text(c->cr, text);
    cairo_new_path(c->cr);
}

void canvas_text_up(canvas *c, double x, double y, const char *text)
{
    if (!c->options.words || !isfinite(x) || !isfinite(y))
        return;
    double width = canvas_text_width(c, text);
    double top = keep_inside(y - width / 2, width, c->height);
    cairo_save(c->cr);
    cairo_translate(c->cr,
                    keep_inside(x - 0.5 * TEXT_SIZE, TEXT_SIZE, c->width) + 0.865 * TEXT_SIZE,
                    top + width);
    cairo_rotate(c->cr, -M_PI / 2);
    canvas_set_paint(c->cr, paint_ink);
    cairo_move_to(c->cr, 0, 0);
    cairo_show_text(c->cr, text);
    cairo_restore(c->cr);
    cairo_new_path(c->cr);
}
