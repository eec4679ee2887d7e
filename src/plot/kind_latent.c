/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* The latent plane of a learned manifold: how much the map into the data magnifies areas, what was learned
 * from, and the decoded images of means. */
#include "plot/axes.h"
#include "plot/picture.h"
#include "plot/scale.h"

#include "base/internal.h"

#include <manistat/learned.h>
#include <math.h>
#include <stdlib.h>

enum { CELLS = 150, MOST_IMAGES = 4 };

static bool suits(const mst_picture *p)
{
    return p->m != NULL && mst_manifold_is_learned(p->m) && mst_manifold_dim(p->m) == 2;
}

static void place(const projection *p, size_t n, const double *x, double *xy, unsigned char *front)
{
    const axes *a = p->data;
    for (size_t i = 0; i < n; i++) {
        xy[2 * i] = axes_x(a, x[2 * i]);
        xy[2 * i + 1] = axes_y(a, x[2 * i + 1]);
        front[i] = 1;
    }
}

static void take_rows(axes *a, size_t n, const double *x)
{
    for (size_t i = 0; i < n; i++) {
        axis_take(&a->x, x[2 * i]);
        axis_take(&a->y, x[2 * i + 1]);
    }
}

/* ---- The background: √det g, the area in the space of the data of a unit area here ---- */

static mst_status magnification(const mst_manifold *m, const axes *a, double *out)
{
    double *x, *u, *v;
    MST_TRY(mst_allocate(&x, 3 * 2 * CELLS + 3 * CELLS));
    u = x + 2 * CELLS;
    v = u + 2 * CELLS;
    double *g = v + 2 * CELLS;
    mst_status status = MST_OK;
    for (size_t i = 0; i < CELLS; i++) {
        u[2 * i] = v[2 * i + 1] = 1;
        u[2 * i + 1] = v[2 * i] = 0;
    }
    for (size_t row = 0; row < CELLS && status == MST_OK; row++) {
        for (size_t i = 0; i < CELLS; i++) {
            x[2 * i] = axes_x_value(a, a->left + a->width * ((double)i + 0.5) / CELLS);
            x[2 * i + 1] = axes_y_value(a, a->top + a->height * ((double)row + 0.5) / CELLS);
        }
        status = mst_manifold_inner(m, CELLS, x, u, u, g);
        if (status == MST_OK)
            status = mst_manifold_inner(m, CELLS, x, u, v, g + CELLS);
        if (status == MST_OK)
            status = mst_manifold_inner(m, CELLS, x, v, v, g + 2 * CELLS);
        for (size_t i = 0; i < CELLS && status == MST_OK; i++)
            out[row * CELLS + i] =
                sqrt(fmax(0, g[i] * g[2 * CELLS + i] - g[CELLS + i] * g[CELLS + i]));
    }
    mst_release(x);
    return status;
}

static mst_status draw_background(canvas *c, const mst_manifold *m, const axes *a,
                                  colour_scale *scale)
{
    double *values;
    uint32_t *pixels = NULL;
    MST_TRY(mst_allocate(&values, CELLS * CELLS));
    mst_status status = magnification(m, a, values);
    if (status == MST_OK)
        status = mst_allocate(&pixels, CELLS * CELLS);
    scale->low = INFINITY;
    scale->high = 0;
    for (size_t i = 0; i < CELLS * CELLS && status == MST_OK; i++)
        if (values[i] > 0) {
            scale->low = fmin(scale->low, values[i]);
            scale->high = fmax(scale->high, values[i]);
        }
    if (status == MST_OK && !(scale->high > scale->low))
        scale->high = 2 * (scale->low = scale->high > 0 ? scale->high : 1);
    scale->log = scale->high > 10 * scale->low;
    for (size_t i = 0; i < CELLS * CELLS && status == MST_OK; i++)
        pixels[i] = paint_pixel(scale_paint(scale, values[i]));
    if (status == MST_OK)
        status = canvas_image(c, a->left, a->top, a->width, a->height, CELLS, CELLS, pixels);
    canvas_rectangle(c, a->left, a->top, a->width, a->height);
    canvas_stroke(c, (pen){paint_ink, 0.7, false});
    mst_release(pixels);
    mst_release(values);
    return status;
}

static void draw_learned(canvas *c, const mst_manifold *m, const axes *a, size_t n)
{
    const double *latent = mst_learned_latent(m);
    if (latent == NULL)
        return;
    for (size_t i = 0; i < n; i++)
        canvas_open_marker(c, MARKER_DISC, axes_x(a, latent[2 * i]), axes_y(a, latent[2 * i + 1]),
                           1, paint_quiet);
    canvas_legend(c, "learned from", MARKER_DISC, paint_quiet, false);
}

/* ---- Images ---- */

static mst_status draw_image(canvas *c, const mst_learned_info *info, const double *decoded,
                             double left, double top, double width)
{
    size_t each = canvas_dots(c, width) / info->width + 1;
    size_t columns = each * info->width, rows = each * info->height;
    double low = info->low, high = info->high,
           height = width * (double)info->height / (double)info->width;
    uint32_t *pixels;
    MST_TRY(mst_allocate(&pixels, columns * rows));
    for (size_t i = 0; isnan(low) && i < info->outputs; i++) {
        low = i == 0 ? decoded[0] : low;
        high = i == 0 ? decoded[0] : high;
    }
    for (size_t i = 0; isnan(info->low) && i < info->outputs; i++) {
        low = fmin(low, decoded[i]);
        high = fmax(high, decoded[i]);
    }
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < columns; j++) {
            double grey = (decoded[i / each * info->width + j / each] - low) / (high - low);
            pixels[i * columns + j] = paint_pixel((paint){grey, grey, grey, 1});
        }
    mst_status status = canvas_image(c, left, top, width, height, columns, rows, pixels);
    canvas_rectangle(c, left, top, width, height);
    canvas_stroke(c, (pen){paint_quiet, 0.5, false});
    mst_release(pixels);
    return status;
}

/* The decoded means, one above the other; the height that they take. */
static mst_status draw_images(canvas *c, const mst_picture *p, const mst_learned_info *info,
                              double left, double top, double width)
{
    double *decoded, height = width * (double)info->height / (double)info->width;
    size_t count = p->mean_count < MOST_IMAGES ? p->mean_count : MOST_IMAGES;
    MST_TRY(mst_allocate(&decoded, info->outputs));
    mst_status status = MST_OK;
    for (size_t k = 0; k < count && status == MST_OK; k++, top += height + 13) {
        status = mst_learned_decode(p->m, 1, p->means[k].at, decoded, NULL);
        if (status == MST_OK)
            status = draw_image(c, info, decoded, left, top, width);
        canvas_text(c, left + width / 2, top + height + 5, ANCHOR_MIDDLE, "%s",
                    p->means[k].name != NULL ? p->means[k].name : p->mean_word);
    }
    mst_release(decoded);
    return status;
}

/* ---- The page ---- */

static mst_status draw_plane(canvas *c, const mst_picture *p, const mst_learned_info *info)
{
    axes a = {.x = {.low = NAN, .high = NAN, .name = "latent x\u2081"},
              .y = {.low = NAN, .high = NAN, .name = "latent x\u2082"}};
    colour_scale scale = {.pale = 0.35, .name = "magnification of areas, \u221adet g"};
    double bar;
    if (mst_learned_latent(p->m) != NULL)
        take_rows(&a, info->n, mst_learned_latent(p->m));
    take_rows(&a, p->n, p->x);
    for (size_t k = 0; k < p->mean_count; k++)
        take_rows(&a, 1, p->means[k].at);
    for (size_t k = 0; k < p->curve_count; k++)
        take_rows(&a, p->curves[k].count, p->curves[k].points);
    axes_open(&a, c, 0.95, true);
    double foot = canvas_height(c);
    canvas_set_height(c, foot + 26);
    MST_TRY(draw_background(c, p->m, &a, &scale));
    MST_TRY(scale_bar(c, &scale, a.left, foot + 2, a.width, &bar));
    projection to = {.m = p->m,
                     .data = &a,
                     .place = place,
                     .seam = INFINITY,
                     .left = a.left,
                     .top = a.top,
                     .width = a.width,
                     .height = a.height};
    canvas_rectangle(c, a.left, a.top, a.width, a.height);
    canvas_clip(c);
    draw_learned(c, p->m, &a, info->n);
    mst_status status = plot_layers(c, p, &to);
    canvas_unclip(c);
    return status;
}

static mst_status draw(canvas *c, const mst_picture *p)
{
    mst_learned_info info;
    MST_TRY(mst_learned_describe(p->m, &info));
    bool images = p->mean_count > 0 && info.height > 0 && info.width > 0;
    double width = canvas_width(c), plane = images ? 0.76 * width : width;
    panel within = canvas_panel_begin(c, 0, 0, plane);
    mst_status status = draw_plane(c, p, &info);
    double height = canvas_panel_end(c, within);
    canvas_set_height(c, height);
    if (status == MST_OK && images)
        status = draw_images(c, p, &info, plane + 4, 4, width - plane - 6);
    canvas_note(c,
                "Dark is where a unit area of the latent plane is large in the space of the data; "
                "geodesics "
                "keep to the light.%s",
                images ? " Beside it what the map makes of the mean, which is not a mean of images."
                       : "");
    return status;
}

const plot_kind kind_latent = {
    .info = {"latent", "the latent plane with its magnification, and decoded means",
             "FILE.gp of two dimensions"},
    .suits = suits,
    .draw = draw,
};
