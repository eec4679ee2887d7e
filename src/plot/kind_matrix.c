/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Means that are symmetric matrices, entry by entry. */
#include "plot/picture.h"
#include "plot/scale.h"

#include "base/internal.h"

#include <math.h>

enum { MOST_PANELS = 9, MOST_LABELS = 12 };

static size_t order_of(const mst_manifold *m)
{
    return (size_t)lround(sqrt((double)mst_manifold_ambient(m)));
}

static bool suits(const mst_picture *p)
{
    return p->m != NULL && p->mean_count > 0 && mst_manifold_factor_count(p->m) == 1 &&
           mst_manifold_traits_of(p->m)->rows == MST_ROWS_SYMMETRIC && order_of(p->m) >= 2;
}

/* Entries as squares of whole pixels: a viewer that smooths small images would blur them. */
static mst_status draw_entries(canvas *c, const colour_scale *scale, size_t n, const double *a,
                               double left, double top, double side)
{
    size_t each = (canvas_dots(c, side) + n - 1) / n, pixels = each * n;
    uint32_t *image;
    MST_TRY(mst_allocate(&image, pixels * pixels));
    for (size_t i = 0; i < pixels; i++)
        for (size_t j = 0; j < pixels; j++)
            image[i * pixels + j] = paint_pixel(scale_paint(scale, a[i / each * n + j / each]));
    mst_status status = canvas_image(c, left, top, side, side, pixels, pixels, image);
    mst_release(image);
    canvas_rectangle(c, left, top, side, side);
    canvas_stroke(c, (pen){paint_ink, 0.6, false});
    return status;
}

static void draw_labels(canvas *c, size_t n, double left, double top, double side)
{
    size_t every = (n + MOST_LABELS - 1) / MOST_LABELS;
    double cell = side / (double)n;
    every = every > 2 ? (every + 4) / 5 * 5 : every;
    for (size_t i = every == 1 ? 0 : every - 1; i < n; i += every) {
        double middle = cell * ((double)i + 0.5);
        canvas_text(c, left - 3, top + middle, ANCHOR_RIGHT, "%zu", i + 1);
        canvas_text(c, left + middle, top + side + 6, ANCHOR_MIDDLE, "%zu", i + 1);
    }
}

static mst_status draw(canvas *c, const mst_picture *p)
{
    size_t n = order_of(p->m), count = p->mean_count < MOST_PANELS ? p->mean_count : MOST_PANELS;
    size_t columns = count == 1 ? 1 : count <= 4 ? 2 : 3, rows = (count + columns - 1) / columns;
    double most = 0, gap = 18, bar;
    colour_scale scale = {.diverging = true,
                          .name = count > 1 ? "entries of the means" : "entries of the mean"};
    for (size_t k = 0; k < count; k++)
        for (size_t i = 0; i < n * n; i++)
            most = fmax(most, fabs(p->means[k].at[i]));
    scale.low = -most;
    scale.high = most;
    double side = (canvas_width(c) - gap * (double)columns - 4) / (double)columns;
    side = count == 1 ? 0.86 * side : side;
    double row_height = side + 12 + (count > 1 ? 10 : 0), foot = (double)rows * row_height + 4;
    canvas_set_height(c, foot + 24);
    for (size_t k = 0; k < count; k++) {
        size_t row = k / columns, col = k % columns;
        double left = gap + (double)col * (side + gap),
               top = 2 + (double)row * row_height + (count > 1 ? 10 : 0);
        left += count == 1 ? (canvas_width(c) - gap - side) / 2 : 0;
        if (count > 1)
            canvas_text(c, left + side / 2, top - 5, ANCHOR_MIDDLE, "%s",
                        p->means[k].name != NULL ? p->means[k].name : p->mean_word);
        MST_TRY(draw_entries(c, &scale, n, p->means[k].at, left, top, side));
        draw_labels(c, n, left, top, side);
    }
    MST_TRY(scale_bar(c, &scale, 0.2 * canvas_width(c), foot, 0.6 * canvas_width(c), &bar));
    if (p->mean_count > count)
        canvas_note(c, "The first %zu of %zu %ss.", count, p->mean_count, p->mean_word);
    canvas_note(
        c,
        "Rows and columns are numbered from 1; entries have the units of the data. How well they "
        "are known is not shown here: the kind 'tangent' shows the data about the mean.");
    return MST_OK;
}

const plot_kind kind_matrix = {
    .info = {"matrix", "the entries of means as colours", "spd, sym"},
    .suits = suits,
    .draw = draw,
};
