/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Lines of words, and legends. */
#include "plot/canvas_parts.h"

#include <stdio.h>
#include <string.h>

/* ---- Lines of text ---- */

static double width_of(cairo_t *cr, const char *text)
{
    cairo_text_extents_t e;
    cairo_text_extents(cr, text, &e);
    return e.x_advance;
}

void canvas_break_lines(cairo_t *cr, const char *text, double width, canvas_lines *out)
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

double canvas_set_legend(const canvas *c, cairo_t *cr, double left, double top, bool draw)
{
    canvas_lines name;
    double x = 0, y = top;
    if (c->legend_count == 0 || !c->options.words)
        return 0;
    for (size_t i = 0; i < c->legend_count; i++) {
        const legend *l = &c->legends[i];
        double width = SAMPLE + width_of(cr, l->name);
        if (x > 0 && x + width > c->width) {
            x = 0;
            y += CANVAS_LINE_HEIGHT;
        }
        canvas_break_lines(cr, l->name, c->width - SAMPLE, &name); /* of a narrow panel */
        if (draw)
            draw_sample(cr, l, left + x, y + 0.5 * CANVAS_LINE_HEIGHT);
        for (size_t k = 0; k < name.count; k++) {
            y += k > 0 ? CANVAS_LINE_HEIGHT : 0;
            canvas_set_paint(cr, paint_ink);
            cairo_move_to(cr, left + x + SAMPLE, y + 0.5 * CANVAS_LINE_HEIGHT + 0.365 * TEXT_SIZE);
            if (draw)
                cairo_show_text(cr, name.text[k]);
        }
        x += width + BETWEEN;
    }
    return y + CANVAS_LINE_HEIGHT - top;
}
