/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* The page: title, frame, legend and caption below each other, and the file of it in memory. */
#include "base/internal.h"
#include "plot/canvas_parts.h"

#include <cairo-pdf.h>
#include <cairo-svg.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MARGIN = 4, GAP = 5 };

/* ---- The page ---- */

typedef struct page {
    canvas_lines title, caption;
    double frame_top, legend_top, caption_top, width, height;
} page;

static void lay_out(canvas *c, const char *title, const char *caption, page *p)
{
    bool words = c->options.words;
    canvas_set_font(c->cr, TITLE_SIZE, true);
    canvas_break_lines(c->cr, words && title != NULL ? title : "", c->width, &p->title);
    canvas_set_font(c->cr, TEXT_SIZE, false);
    canvas_break_lines(c->cr, words ? caption : "", c->width, &p->caption);
    p->width = c->width + 2 * MARGIN;
    double y = MARGIN + (double)p->title.count * CANVAS_TITLE_HEIGHT;
    p->frame_top = y + (p->title.count > 0 ? GAP : 0);
    p->legend_top = p->frame_top + c->height + GAP;
    double entries = canvas_set_legend(c, c->cr, MARGIN, p->legend_top, false);
    p->caption_top = p->legend_top + entries + (entries > 0 && p->caption.count > 0 ? 3 : 0);
    p->height = ceil(p->caption_top + (double)p->caption.count * CANVAS_LINE_HEIGHT + MARGIN);
}

static void set_lines(cairo_t *cr, const canvas_lines *l, double top, double step, double base,
                      paint p)
{
    canvas_set_paint(cr, p);
    for (size_t i = 0; i < l->count; i++) {
        cairo_move_to(cr, MARGIN, top + (double)i * step + base);
        cairo_show_text(cr, l->text[i]);
    }
}

static void draw_page(const canvas *c, const page *p, cairo_t *cr)
{
    canvas_set_paint(cr, paint_paper);
    cairo_paint(cr);
    canvas_set_font(cr, TITLE_SIZE, true);
    set_lines(cr, &p->title, MARGIN, CANVAS_TITLE_HEIGHT, TITLE_SIZE, paint_ink);
    canvas_set_font(cr, TEXT_SIZE, false);
    cairo_set_source_surface(cr, c->recording, MARGIN, p->frame_top);
    cairo_paint(cr);
    (void)canvas_set_legend(c, cr, MARGIN, p->legend_top, true);
    set_lines(cr, &p->caption, p->caption_top, CANVAS_LINE_HEIGHT, TEXT_SIZE, paint_ink);
}

/* ---- Formats ---- */

typedef struct buffer {
    char *bytes;
    size_t length, capacity;
} buffer;

static cairo_status_t take_bytes(void *to, const unsigned char *bytes, unsigned length)
{
    buffer *b = to;
    if (length >= b->capacity - b->length) {
        size_t capacity = 2 * b->capacity + length + 1;
        char *larger;
        if (mst_allocate(&larger, capacity) != MST_OK)
            return CAIRO_STATUS_NO_MEMORY;
        if (b->length > 0)
            memcpy(larger, b->bytes, b->length);
        mst_release(b->bytes);
        b->bytes = larger;
        b->capacity = capacity;
    }
    memcpy(b->bytes + b->length, bytes, length);
    b->length += length;
    b->bytes[b->length] = '\0';
    return CAIRO_STATUS_SUCCESS;
}

static cairo_surface_t *open_surface(const canvas *c, const page *p, mst_plot_format format,
                                     buffer *b)
{
    double scale = c->options.resolution / 72;
    switch (format) {
    case MST_PLOT_SVG:
        return cairo_svg_surface_create_for_stream(take_bytes, b, p->width, p->height);
    case MST_PLOT_PDF:
        return cairo_pdf_surface_create_for_stream(take_bytes, b, p->width, p->height);
    case MST_PLOT_PNG:
        break;
    }
    return cairo_image_surface_create(CAIRO_FORMAT_RGB24, (int)lround(p->width * scale),
                                      (int)lround(p->height * scale));
}

/* Dates would make every file another one. */
static void describe_pdf(cairo_surface_t *surface, const char *title, const char *caption)
{
    cairo_pdf_surface_set_metadata(surface, CAIRO_PDF_METADATA_CREATE_DATE, "");
    cairo_pdf_surface_set_metadata(surface, CAIRO_PDF_METADATA_CREATOR, "manistat");
    cairo_pdf_surface_set_metadata(surface, CAIRO_PDF_METADATA_TITLE, title != NULL ? title : "");
    cairo_pdf_surface_set_metadata(surface, CAIRO_PDF_METADATA_SUBJECT, caption);
}

static mst_status make_bytes(const canvas *c, const page *p, mst_plot_format format,
                             const char *title, const char *caption, buffer *b)
{
    cairo_surface_t *surface = open_surface(c, p, format, b);
    if (format == MST_PLOT_PDF)
        describe_pdf(surface, title, caption);
    cairo_t *cr = cairo_create(surface);
    if (format == MST_PLOT_PNG)
        cairo_scale(cr, c->options.resolution / 72, c->options.resolution / 72);
    draw_page(c, p, cr);
    cairo_status_t status = cairo_status(cr);
    cairo_destroy(cr);
    if (status == CAIRO_STATUS_SUCCESS && format == MST_PLOT_PNG)
        status = cairo_surface_write_to_png_stream(surface, take_bytes, b);
    cairo_surface_finish(surface);
    if (status == CAIRO_STATUS_SUCCESS)
        status = cairo_surface_status(surface);
    cairo_surface_destroy(surface);
    return canvas_check(status);
}

void canvas_name(canvas *c, const char *name)
{
    snprintf(c->name, sizeof c->name, "%s", name);
}

mst_status canvas_finish(canvas *c, mst_plot_format format, const char *title, const char *caption,
                         char **bytes, size_t *length)
{
    page *p;
    char *whole;
    buffer b = {0};
    const char *name = title != NULL || c->name[0] == '\0' ? title : c->name;
    MST_TRY(canvas_check(cairo_status(c->cr)));
    const char *parts[] = {c->options.note, caption, c->caption};
    size_t room = 4, used = 0;
    for (size_t k = 0; k < 3; k++)
        room += parts[k] != NULL ? strlen(parts[k]) : 0;
    MST_TRY(mst_allocate_zero(&whole, room));
    for (size_t k = 0; k < 3; k++)
        if (parts[k] != NULL && *parts[k] != '\0')
            used +=
                (size_t)snprintf(whole + used, room - used, "%s%s", used > 0 ? " " : "", parts[k]);
    mst_status status = mst_allocate_zero(&p, 1);
    if (status == MST_OK) {
        lay_out(c, title, whole, p);
        status = make_bytes(c, p, format, name, whole, &b);
    }
    if (status == MST_OK && format == MST_PLOT_SVG) {
        status = plot_svg_text(bytes, length, b.bytes, b.length, c->options.id, name, whole);
        mst_release(b.bytes);
    } else if (status == MST_OK) {
        *bytes = b.bytes;
        *length = b.length;
    } else {
        mst_release(b.bytes);
    }
    mst_release(p);
    mst_release(whole);
    return status;
}
