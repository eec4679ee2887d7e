/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Several pictures as lettered panels of one: each with its title above and its legend below, and one caption
 * for all of them. */
#include "plot/canvas_parts.h"
#include "plot/picture.h"

#include "base/internal.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { BETWEEN_PANELS = 12, BETWEEN_ROWS = 10, TITLE_GAP = 3, LEGEND_GAP = 4 };

typedef struct sheet {
    canvas *c;
    size_t count, columns;
    const mst_picture *const *pictures;
    const plot_kind *const *kinds;
    canvas_lines title; /* of the panel at hand */
    char *words;        /* the caption */
    size_t used, room;
} sheet;

static double panel_width(const sheet *s)
{
    return (canvas_width(s->c) - BETWEEN_PANELS * (double)(s->columns - 1)) / (double)s->columns;
}

static void break_title(sheet *s, size_t k)
{
    char text[512];
    const char *title = s->pictures[k]->title;
    snprintf(text, sizeof text, "(%c) %s", (int)('a' + k % 26), title != NULL ? title : "");
    canvas_set_font(s->c->cr, TITLE_SIZE, true);
    canvas_break_lines(s->c->cr, text, panel_width(s), &s->title);
    canvas_set_font(s->c->cr, TEXT_SIZE, false);
}

static void draw_title(sheet *s, double left, double top)
{
    cairo_t *cr = s->c->cr;
    canvas_set_font(cr, TITLE_SIZE, true);
    canvas_set_paint(cr, paint_ink);
    for (size_t i = 0; i < s->title.count && s->c->options.words; i++) {
        cairo_move_to(cr, left, top + (double)i * CANVAS_TITLE_HEIGHT + TITLE_SIZE);
        cairo_show_text(cr, s->title.text[i]);
    }
    cairo_new_path(cr);
    canvas_set_font(cr, TEXT_SIZE, false);
}

/* What the picture says of itself, unless an earlier panel has said just that, and `notes`, which are new. */
static mst_status add_words(sheet *s, size_t k, const char *notes)
{
    const char *own = s->pictures[k]->caption != NULL ? s->pictures[k]->caption : "";
    for (size_t i = 0; i < k; i++)
        if (s->pictures[i]->caption != NULL && strcmp(s->pictures[i]->caption, own) == 0)
            own = "";
    if (*own == '\0' && *notes == '\0')
        return MST_OK;
    size_t more = strlen(own) + strlen(notes) + 16;
    if (s->used + more > s->room) {
        char *larger;
        MST_TRY(mst_allocate(&larger, 2 * s->room + more));
        memcpy(larger, s->words != NULL ? s->words : "", s->used + 1);
        mst_release(s->words);
        s->words = larger;
        s->room = 2 * s->room + more;
    }
    s->used +=
        (size_t)snprintf(s->words + s->used, s->room - s->used, "%s(%c) %s%s%s",
                         s->used > 0 ? " " : "", (int)('a' + k % 26), own,
                         *own != '\0' && *notes != '\0' ? " " : "", notes + strspn(notes, " "));
    return MST_OK;
}

/* One panel from (left, top) on, `title_height` below which its frame begins; *height is
 * that of all of it. */
static mst_status draw_panel(sheet *s, size_t k, double left, double top, double title_height,
                             double *height)
{
    canvas *c = s->c;
    size_t said = strlen(c->caption);
    break_title(s, k);
    draw_title(s, left, top);
    c->legend_count = 0;
    panel within = canvas_panel_begin(c, left, top + title_height, panel_width(s));
    mst_status status = s->kinds[k]->draw(c, s->pictures[k]);
    double frame = canvas_height(c), entries = 0;
    if (status == MST_OK)
        entries = canvas_set_legend(c, c->cr, 0, frame + LEGEND_GAP, true);
    cairo_new_path(c->cr);
    (void)canvas_panel_end(c, within);
    c->legend_count = 0;
    *height = title_height + frame + (entries > 0 ? LEGEND_GAP + entries : 0);
    return status == MST_OK ? add_words(s, k, c->caption + said) : status;
}

static mst_status draw_row(sheet *s, size_t first, double top, double *height)
{
    size_t end = first + s->columns < s->count ? first + s->columns : s->count;
    double titles = 0, whole;
    for (size_t k = first; k < end && s->c->options.words; k++) {
        break_title(s, k);
        titles = fmax(titles, (double)s->title.count * CANVAS_TITLE_HEIGHT + TITLE_GAP);
    }
    *height = 0;
    for (size_t k = first; k < end; k++) {
        double left = (double)(k - first) * (panel_width(s) + BETWEEN_PANELS);
        MST_TRY(draw_panel(s, k, left, top, titles, &whole));
        *height = fmax(*height, whole);
    }
    return MST_OK;
}

mst_status plot_sheet(canvas *c, size_t count, const mst_picture *const *pictures,
                      const plot_kind *const *kinds, size_t columns, char **words)
{
    sheet *s;
    double top = 0, height = 0;
    *words = NULL;
    MST_TRY(mst_allocate_zero(&s, 1));
    *s = (sheet){.c = c,
                 .count = count,
                 .columns = columns < count ? columns : count,
                 .pictures = pictures,
                 .kinds = kinds};
    mst_status status = MST_OK;
    for (size_t k = 0; k < count && status == MST_OK; k += s->columns) {
        status = draw_row(s, k, top, &height);
        top += height + BETWEEN_ROWS;
    }
    canvas_set_height(c, top - BETWEEN_ROWS);
    c->caption[0] = '\0'; /* it is in the words by now */
    if (status == MST_OK && s->words == NULL)
        status = mst_allocate_zero(&s->words, 1);
    *words = s->words;
    mst_release(s);
    return status;
}
