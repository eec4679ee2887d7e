/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Markers, one by one or millions of them as an image: a stamp for each shape, size and place within a pixel
 * is made once and then laid over the pixels. */
#include "base/internal.h"
#include "plot/canvas_parts.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

/* From so many markers on a layer is an image. */
enum { MOST_VECTORS = 4000 };

/* Corners of shapes with the area of a disc of radius 1, as far as they have one. */
typedef struct corners {
    int count;
    double at[10][2];
} corners;

static corners corners_of(marker m)
{
    switch (m) {
    case MARKER_TRIANGLE:
        return (corners){3, {{0, -1.45}, {1.26, 0.73}, {-1.26, 0.73}}};
    case MARKER_DOWN:
        return (corners){3, {{0, 1.45}, {1.26, -0.73}, {-1.26, -0.73}}};
    case MARKER_SQUARE:
        return (corners){4, {{-0.89, -0.89}, {0.89, -0.89}, {0.89, 0.89}, {-0.89, 0.89}}};
    case MARKER_DIAMOND:
        return (corners){4, {{0, -1.35}, {1.1, 0}, {0, 1.35}, {-1.1, 0}}};
    case MARKER_STAR: {
        corners star = {10, {{0}}};
        for (int i = 0; i < 10; i++) {
            double radius = i % 2 == 0 ? 1.6 : 0.7, angle = M_PI / 5 * i - M_PI / 2;
            star.at[i][0] = radius * cos(angle);
            star.at[i][1] = radius * sin(angle);
        }
        return star;
    }
    default:
        return (corners){0};
    }
}

bool canvas_marker_has_area(marker m)
{
    return m != MARKER_PLUS && m != MARKER_CROSS && m != MARKER_LINE;
}

void canvas_marker_path(cairo_t *cr, marker m, double x, double y, double radius)
{
    corners k = corners_of(m);
    for (int i = 0; i < k.count; i++) {
        double px = x + radius * k.at[i][0], py = y + radius * k.at[i][1];
        if (i == 0)
            cairo_move_to(cr, px, py);
        else
            cairo_line_to(cr, px, py);
    }
    if (k.count > 0) {
        cairo_close_path(cr);
    } else if (m == MARKER_PLUS || m == MARKER_CROSS) {
        double arm = 1.3 * radius, a = m == MARKER_PLUS ? 0 : arm * M_SQRT1_2;
        double b = m == MARKER_PLUS ? arm : arm * M_SQRT1_2;
        cairo_move_to(cr, x - b, y - a);
        cairo_line_to(cr, x + b, y + a);
        cairo_move_to(cr, x + a, y - b);
        cairo_line_to(cr, x - a, y + b);
    } else {
        cairo_new_sub_path(cr);
        cairo_arc(cr, x, y, radius, 0, 2 * M_PI);
        cairo_close_path(cr);
    }
}

/* The thickness of shapes that are lines. */
static double arm_width(double radius)
{
    return fmax(0.5, 0.55 * radius);
}

static void draw_marker(cairo_t *cr, marker m, double x, double y, double radius, paint p,
                        bool open)
{
    canvas_set_paint(cr, p);
    canvas_marker_path(cr, m, x, y, radius);
    if (canvas_marker_has_area(m) && !open) {
        cairo_fill(cr);
        return;
    }
    cairo_set_dash(cr, NULL, 0, 0);
    cairo_set_line_width(cr, open ? 0.5 : arm_width(radius));
    cairo_stroke(cr);
}

void canvas_marker(canvas *c, marker m, double x, double y, double radius, paint fill, pen outline)
{
    if (!isfinite(x) || !isfinite(y))
        return;
    bool area = canvas_marker_has_area(m);
    cairo_set_dash(c->cr, NULL, 0, 0);
    canvas_marker_path(c->cr, m, x, y, radius);
    canvas_set_paint(c->cr, outline.paint);
    cairo_set_line_width(c->cr, 2 * outline.width + (area ? 0 : arm_width(radius)));
    cairo_stroke(c->cr);
    draw_marker(c->cr, m, x, y, radius, fill, false);
    c->pen_down = false;
}

void canvas_open_marker(canvas *c, marker m, double x, double y, double radius, paint p)
{
    if (!isfinite(x) || !isfinite(y))
        return;
    canvas_marker_path(c->cr, m, x, y, radius);
    cairo_set_dash(c->cr, NULL, 0, 0);
    if (canvas_marker_has_area(m)) {
        canvas_set_paint(c->cr, paint_paper);
        cairo_fill_preserve(c->cr);
    }
    canvas_set_paint(c->cr, p);
    cairo_set_line_width(c->cr, 1);
    cairo_stroke(c->cr);
    c->pen_down = false;
}

/* ---- Layers ---- */

double canvas_point_radius(size_t count)
{
    return count <= 100 ? 1.6 : count <= 1000 ? 1.2 : count <= 20000 ? 0.8 : 0.4;
}

double canvas_point_alpha(size_t count)
{
    return count <= 100 ? 0.85 : count <= 1000 ? 0.6 : count <= 20000 ? 0.4 : 0.2;
}

/* A mask in 256 steps, for a place within the pixel in steps of a quarter. */
enum { PLACES = 4, LARGEST_STAMP = 64 };
typedef struct stamp {
    marker marker;
    bool open;
    double radius; /* 0: none yet */
    int reach;     /* pixels to each side */
    unsigned char mask[PLACES * PLACES][LARGEST_STAMP * LARGEST_STAMP];
} stamp;
enum { STAMPS = 32 };

void canvas_points_begin(canvas *c, size_t count)
{
    point_layer *l = &c->layer;
    *l = (point_layer){.active = true, .raster = count > MOST_VECTORS};
    if (!l->raster)
        return;
    l->scale = c->options.resolution / 72;
    l->width = (int)ceil(c->width * l->scale);
    l->height = (int)ceil(c->height * l->scale);
    l->image = cairo_image_surface_create(CAIRO_FORMAT_ARGB32, l->width, l->height);
    l->pixels = cairo_image_surface_get_data(l->image);
    l->stride = cairo_image_surface_get_stride(l->image);
    if (l->pixels == NULL || mst_allocate_zero(&l->stamps, STAMPS) != MST_OK)
        l->raster = false; /* slower and larger, but right */
}

/* The stamp of a marker; null if it is too large for one, or if there are too many kinds of them. */
static const stamp *stamp_of(point_layer *l, marker m, double radius, bool open)
{
    stamp *s = l->stamps;
    for (; s < l->stamps + STAMPS && s->radius > 0; s++)
        if (s->marker == m && s->open == open && s->radius == radius)
            return s;
    int reach = (int)ceil((1.7 * radius + 0.5) * l->scale) + 1, side = 2 * reach + 1;
    if (s == l->stamps + STAMPS || side > LARGEST_STAMP)
        return NULL;
    cairo_surface_t *mask = cairo_image_surface_create(CAIRO_FORMAT_A8, side, side);
    if (cairo_surface_status(mask) != CAIRO_STATUS_SUCCESS) {
        cairo_surface_destroy(mask);
        return NULL;
    }
    *s = (stamp){.marker = m, .open = open, .radius = radius, .reach = reach};
    for (int place = 0; place < PLACES * PLACES; place++) {
        cairo_t *cr = cairo_create(mask);
        cairo_set_operator(cr, CAIRO_OPERATOR_CLEAR);
        cairo_paint(cr);
        cairo_set_operator(cr, CAIRO_OPERATOR_OVER);
        int across = place % PLACES, down = place / PLACES;
        cairo_translate(cr, reach + (across + 0.5) / PLACES, reach + (down + 0.5) / PLACES);
        cairo_scale(cr, l->scale, l->scale);
        draw_marker(cr, m, 0, 0, radius, (paint){0, 0, 0, 1}, open);
        cairo_destroy(cr);
        cairo_surface_flush(mask);
        for (int row = 0; row < side; row++)
            memcpy(s->mask[place] + row * side,
                   cairo_image_surface_get_data(mask) + row * cairo_image_surface_get_stride(mask),
                   (size_t)side);
    }
    cairo_surface_destroy(mask);
    return s;
}

/* x·y/255, rounded. */
static uint32_t times(uint32_t x, uint32_t y)
{
    uint32_t t = x * y + 128;
    return (t + (t >> 8)) >> 8;
}

/* Premultiplied colours, the source over what is there. */
static void lay_over(point_layer *l, const stamp *s, double x, double y, paint p)
{
    double px = x * l->scale, py = y * l->scale;
    int side = 2 * s->reach + 1, left = (int)floor(px), top = (int)floor(py);
    int place = (int)((px - left) * PLACES) + PLACES * (int)((py - top) * PLACES);
    const unsigned char *mask = s->mask[place];
    left -= s->reach;
    top -= s->reach;
    uint32_t alpha = (uint32_t)lround(255 * p.alpha), red = (uint32_t)lround(255 * p.red),
             green = (uint32_t)lround(255 * p.green), blue = (uint32_t)lround(255 * p.blue);
    for (int row = top < 0 ? -top : 0; row < side && top + row < l->height; row++) {
        uint32_t *pixels =
            (uint32_t *)(void *)(l->pixels + (size_t)(top + row) * (size_t)l->stride);
        for (int col = left < 0 ? -left : 0; col < side && left + col < l->width; col++) {
            uint32_t cover = times(mask[row * side + col], alpha), rest = 255 - cover;
            if (cover == 0)
                continue;
            uint32_t old = pixels[left + col];
            pixels[left + col] = (cover + times(old >> 24, rest)) << 24 |
                                 (times(red, cover) + times(old >> 16 & 255, rest)) << 16 |
                                 (times(green, cover) + times(old >> 8 & 255, rest)) << 8 |
                                 (times(blue, cover) + times(old & 255, rest));
        }
    }
}

void canvas_point(canvas *c, marker m, double x, double y, double radius, paint p, bool open)
{
    point_layer *l = &c->layer;
    if (!isfinite(x) || !isfinite(y))
        return;
    const stamp *s = l->raster ? stamp_of(l, m, radius, open) : NULL;
    if (s != NULL && fabs(x) < 1e5 && fabs(y) < 1e5)
        lay_over(l, s, x, y, p);
    else
        draw_marker(c->cr, m, x, y, radius, p, open);
}

void canvas_points_end(canvas *c)
{
    point_layer *l = &c->layer;
    if (l->raster) {
        cairo_surface_mark_dirty(l->image);
        cairo_save(c->cr);
        cairo_scale(c->cr, 1 / l->scale, 1 / l->scale);
        cairo_set_source_surface(c->cr, l->image, 0, 0);
        cairo_paint(c->cr);
        cairo_restore(c->cr);
    }
    cairo_surface_destroy(l->image);
    mst_release(l->stamps);
    *l = (point_layer){0};
}
