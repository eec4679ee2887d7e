/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* What the files of the canvas share. */
#ifndef MST_PLOT_CANVAS_PARTS_H
#define MST_PLOT_CANVAS_PARTS_H

#include "plot/canvas.h"

#include <cairo.h>

enum { CAPTION_SIZE = 8192, LEGEND_NAME = 64, MOST_LEGENDS = 24, MOST_LINES = 40 };
#define CANVAS_LINE_HEIGHT (1.25 * TEXT_SIZE)
#define CANVAS_TITLE_HEIGHT (1.3 * TITLE_SIZE)

typedef struct canvas_lines {
    size_t count;
    char text[MOST_LINES][256];
} canvas_lines;

typedef struct legend {
    char name[LEGEND_NAME];
    marker marker;
    paint paint;
    bool filled;
} legend;

/* An image in the making, of the frame. */
typedef struct point_layer {
    bool active, raster;
    int width, height, stride;
    double scale; /* pixels of a point */
    cairo_surface_t *image;
    unsigned char *pixels;
    struct stamp *stamps; /* one for each marker, size and place within a pixel that came up */
} point_layer;

struct canvas {
    mst_plot_options options;
    cairo_surface_t *recording;
    cairo_t *cr;
    double width, height;
    bool pen_down; /* a path is begun */
    char caption[CAPTION_SIZE];
    char name[1024]; /* in the data of the file, if there is no title */
    size_t legend_count;
    legend legends[MOST_LEGENDS];
    point_layer layer;
};

void canvas_set_paint(cairo_t *cr, paint p);
void canvas_set_font(cairo_t *cr, double size, bool bold);
void canvas_marker_path(cairo_t *cr, marker m, double x, double y, double radius);
bool canvas_marker_has_area(marker m);
/* Breaks a text between words; one that is too long for a line is cut, at a letter. */
void canvas_break_lines(cairo_t *cr, const char *text, double width, canvas_lines *out);
/* Draws the legend from (left, top) on, as wide as the frame, or only measures; the height that it takes. */
double canvas_set_legend(const canvas *c, cairo_t *cr, double left, double top, bool draw);
/* The bytes of a surface that is complete. */
MST_MUST_USE mst_status canvas_check(cairo_status_t status);

/* cairo's SVG with ids that depend on nothing but the picture, begin with `id`, and with title and caption as
 * text for those who do not see it. */
MST_MUST_USE mst_status plot_svg_text(char **out, size_t *length, const char *svg, size_t n,
                                      const char *id, const char *title, const char *caption);

#endif
