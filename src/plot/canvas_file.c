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
#define LINE_HEIGHT (1.25 * TEXT_SIZE)
#define TITLE_HEIGHT (1.3 * TITLE_SIZE)

/* ---- Lines of text ---- */

enum { MOST_LINES = 40 };
typedef struct lines {
    size_t count;
    char text[MOST_LINES][256];
} lines;

static double width_of(cairo_t *cr, const char *text)
{
    cairo_text_extents_t e;
    cairo_text_extents(cr, text, &e);
    return e.x_advance;
}

/* Breaks a text between words; one that is too long for a line is cut, at a letter. */
static void break_lines(cairo_t *cr, const char *text, double width, lines *out)
{
    char line[256] = "", longer[512];
    out->count = 0;
    while (*text != '\0' && out->count < MOST_LINES) {
        size_t word = strcspn(text, " ");
        snprintf(longer, sizeof longer, "%s%s%.*s", line, *line != '\0' ? " " : "", (int)word,
                 text);
        bool fits = width_of(cr, longer) <= width && strlen(longer) < sizeof line;
        if (!fits && *line == '\0') { /* a path, say */
            size_t length = strlen(longer);
            while (length > 1 && (width_of(cr, longer) > width || length >= sizeof line ||
                                  ((unsigned char)text[length] & 0xC0) == 0x80))
                longer[--length] = '\0';
            word = length;
            fits = true;
        }
        if (!fits) {
            strcpy(out->text[out->count++], line);
            *line = '\0';
            continue;
        }
        memcpy(line, longer, strlen(longer) + 1);
        text += word;
        text += strspn(text, " ");
    }
    if (*line != '\0' && out->count < MOST_LINES)
        strcpy(out->text[out->count++], line);
}

/* ---- The legend: entries one after the other, in rows ---- */

enum { SAMPLE = 12, BETWEEN = 10 };

static void draw_sample(cairo_t *cr, const legend *l, double x, double y)
{
    cairo_set_dash(cr, NULL, 0, 0);
    canvas_set_paint(cr, l->paint);
    if (l->marker == MARKER_LINE) {
        cairo_move_to(cr, x, y);
        cairo_line_to(cr, x + SAMPLE - 3, y);
        cairo_set_line_width(cr, 1);
        if (!l->filled)
            cairo_set_dash(cr, (const double[]){2, 2}, 2, 0);
        cairo_stroke(cr);
    } else if (l->marker == MARKER_BAND) {
        cairo_rectangle(cr, x, y - 2.5, SAMPLE - 3, 5);
        canvas_set_paint(cr, paint_with_alpha(l->paint, 0.2));
        cairo_fill_preserve(cr);
        canvas_set_paint(cr, l->paint);
        cairo_set_line_width(cr, 0.75);
        cairo_stroke(cr);
    } else {
        canvas_marker_path(cr, l->marker, x + 0.5 * SAMPLE - 1.5, y, 2);
        cairo_set_line_width(cr, 1);
        if (l->filled && canvas_marker_has_area(l->marker))
            cairo_fill(cr);
        else
            cairo_stroke(cr);
    }
}

/* Draws it from y on, or only measures; the height that it takes. */
static double set_legend(const canvas *c, cairo_t *cr, double top, bool draw)
{
    double x = 0, y = top;
    if (c->legend_count == 0 || !c->options.words)
        return 0;
    for (size_t i = 0; i < c->legend_count; i++) {
        const legend *l = &c->legends[i];
        double width = SAMPLE + width_of(cr, l->name);
        if (x > 0 && x + width > c->width) {
            x = 0;
            y += LINE_HEIGHT;
        }
        if (draw) {
            draw_sample(cr, l, MARGIN + x, y + 0.5 * LINE_HEIGHT);
            canvas_set_paint(cr, paint_ink);
            cairo_move_to(cr, MARGIN + x + SAMPLE, y + 0.5 * LINE_HEIGHT + 0.365 * TEXT_SIZE);
            cairo_show_text(cr, l->name);
        }
        x += width + BETWEEN;
    }
    return y + LINE_HEIGHT - top;
}

/* ---- The page ---- */

typedef struct page {
    lines title, caption;
    double frame_top, legend_top, caption_top, width, height;
} page;

static void lay_out(canvas *c, const char *title, const char *caption, page *p)
{
    bool words = c->options.words;
    canvas_set_font(c->cr, TITLE_SIZE, true);
    break_lines(c->cr, words && title != NULL ? title : "", c->width, &p->title);
    canvas_set_font(c->cr, TEXT_SIZE, false);
    break_lines(c->cr, words ? caption : "", c->width, &p->caption);
    p->width = c->width + 2 * MARGIN;
    double y = MARGIN + (double)p->title.count * TITLE_HEIGHT;
    p->frame_top = y + (p->title.count > 0 ? GAP : 0);
    p->legend_top = p->frame_top + c->height + GAP;
    double entries = set_legend(c, c->cr, p->legend_top, false);
    p->caption_top = p->legend_top + entries + (entries > 0 && p->caption.count > 0 ? 3 : 0);
    p->height = ceil(p->caption_top + (double)p->caption.count * LINE_HEIGHT + MARGIN);
}

static void set_lines(cairo_t *cr, const lines *l, double top, double step, double base, paint p)
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
    set_lines(cr, &p->title, MARGIN, TITLE_HEIGHT, TITLE_SIZE, paint_ink);
    canvas_set_font(cr, TEXT_SIZE, false);
    cairo_set_source_surface(cr, c->recording, MARGIN, p->frame_top);
    cairo_paint(cr);
    (void)set_legend(c, cr, p->legend_top, true);
    set_lines(cr, &p->caption, p->caption_top, LINE_HEIGHT, TEXT_SIZE, paint_ink);
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

mst_status canvas_finish(canvas *c, mst_plot_format format, const char *title, const char *caption,
                         char **bytes, size_t *length)
{
    page *p;
    char *whole;
    buffer b = {0};
    MST_TRY(canvas_check(cairo_status(c->cr)));
    size_t room = (caption != NULL ? strlen(caption) : 0) + sizeof c->caption + 2;
    MST_TRY(mst_allocate(&whole, room));
    snprintf(whole, room, "%s%s%s", caption != NULL ? caption : "",
             caption != NULL && *c->caption != '\0' ? " " : "", c->caption);
    mst_status status = mst_allocate_zero(&p, 1);
    if (status == MST_OK) {
        lay_out(c, title, whole, p);
        status = make_bytes(c, p, format, title, whole, &b);
    }
    if (status == MST_OK && format == MST_PLOT_SVG) {
        status = plot_svg_text(bytes, length, b.bytes, b.length, c->options.id, title, whole);
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
