/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* What kinds of pictures draw on: a frame with its origin at the upper left, in points of 1/72 inch, y down.
 * It is recorded, and set between title, legend and caption when it is complete. Coordinates that are not
 * finite are left out, and words are kept inside the frame. */
#ifndef MST_PLOT_CANVAS_H
#define MST_PLOT_CANVAS_H

#include "util/output.h"

#include <manistat/plot.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct canvas canvas;

typedef struct paint {
    double red, green, blue, alpha;
} paint;
extern const paint paint_ink, paint_quiet, paint_line, paint_paper, paint_mean;
paint paint_with_alpha(paint p, double alpha);
/* Mixed with white, 0 … 1: what is behind. */
paint paint_dimmed(paint p, double share);

typedef enum marker {
    MARKER_DISC,
    MARKER_TRIANGLE,
    MARKER_SQUARE,
    MARKER_DIAMOND,
    MARKER_DOWN,
    MARKER_PLUS,
    MARKER_CROSS,
    MARKER_STAR,
    MARKER_COUNT,
    MARKER_LINE, /* in legends only */
    MARKER_BAND,
} marker;

/* Groups differ in colour and in shape: Okabe and Ito's colours, which people see alike
 * whatever their eyes. */
typedef struct group_style {
    paint paint;
    marker marker;
} group_style;
group_style style_of_group(size_t group);

typedef struct pen {
    paint paint;
    double width; /* in points */
    bool dashed;
} pen;

/* ---- The frame ---- */
/* As wide as the picture less its margins; the kind says how high before it draws, at
 * most four times the width. */
double canvas_width(const canvas *c);
double canvas_height(const canvas *c);
void canvas_set_height(canvas *c, double height);

/* What the caller asked for. */
const mst_plot_options *canvas_options(const canvas *c);

/* A panel is a part of the frame that is drawn in like a frame of its own, from (left, top) on. The end gives
 * its height. */
typedef struct panel {
    double left, top, width,
        height; /* left and top of the panel; width and height of what it is in */
} panel;
panel canvas_panel_begin(canvas *c, double left, double top, double width);
double canvas_panel_end(canvas *c, panel within);

/* A sentence for the caption, once: one that is there already is not said again. */
void canvas_note(canvas *c, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* A line of the legend, once for each name. */
void canvas_legend(canvas *c, const char *name, marker m, paint p, bool filled);

/* ---- Lines and areas ---- */
void canvas_move(canvas *c, double x, double y);
void canvas_draw_to(canvas *c, double x, double y);
void canvas_close(canvas *c);
void canvas_circle(canvas *c, double x, double y, double radius);
void canvas_rectangle(canvas *c, double x, double y, double width, double height);
/* What was drawn since the last of these; `keep` leaves the path for the next. */
void canvas_stroke(canvas *c, pen p);
void canvas_fill(canvas *c, paint p);
void canvas_fill_keep(canvas *c, paint p);
/* Everything until canvas_unclip stays inside the path. */
void canvas_clip(canvas *c);
void canvas_unclip(canvas *c);
/* A ball that is lit from the upper left. */
void canvas_ball(canvas *c, double x, double y, double radius);

/* ---- Images ---- */
/* As many pixels as a length of the frame has dots at the resolution of the picture. */
size_t canvas_dots(const canvas *c, double length);
uint32_t paint_pixel(paint p);
/* Pixels (rows, columns), from the upper left, over a rectangle. */
MST_MUST_USE mst_status canvas_image(canvas *c, double left, double top, double width,
                                     double height, size_t columns, size_t rows,
                                     const uint32_t *pixels);

/* ---- Words ---- */
typedef enum anchor { ANCHOR_LEFT, ANCHOR_MIDDLE, ANCHOR_RIGHT } anchor;
enum { TEXT_SIZE = 7, TITLE_SIZE = 8 };
/* (x, y) is on the middle of the line's height. */
void canvas_text(canvas *c, double x, double y, anchor a, const char *format, ...)
    __attribute__((format(printf, 5, 6)));
/* The same, read from below. */
void canvas_text_up(canvas *c, double x, double y, const char *text);
double canvas_text_width(canvas *c, const char *text);

/* ---- Arrows ---- */
void canvas_arrow(canvas *c, const double from[2], const double to[2], pen p);

/* ---- Markers ---- */
void canvas_marker(canvas *c, marker m, double x, double y, double radius, paint fill, pen outline);
/* Open ones, with a line of the paint. */
void canvas_open_marker(canvas *c, marker m, double x, double y, double radius, paint p);

/* A layer of `count` markers: drawn one by one if they are few, else as an image, which takes no longer and
 * no more room for millions of them. */
void canvas_points_begin(canvas *c, size_t count);
/* The size and the opacity that suit so many. */
double canvas_point_radius(size_t count);
double canvas_point_alpha(size_t count);
void canvas_point(canvas *c, marker m, double x, double y, double radius, paint p, bool open);
void canvas_points_end(canvas *c);

/* ---- Life ---- */
MST_MUST_USE mst_status canvas_new(canvas **out, const mst_plot_options *options);
/* What a picture without a title is called in the data of its file. */
void canvas_name(canvas *c, const char *name);
/* Sets the frame between its words and gives the file. */
MST_MUST_USE mst_status canvas_finish(canvas *c, mst_plot_format format, const char *title,
                                      const char *caption, char **bytes, size_t *length);
void canvas_free(canvas *c);

#endif
