/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Landmarks and outlines: specimens thin, means thick, with a confidence ellipse for each landmark. Those in
 * space are seen from three sides, as in a technical drawing. */
#include "plot/shapes.h"

#include "base/internal.h"

#include <math.h>
#include <stdio.h>

enum { MOST_OUTLINES = 300, ELLIPSE_POINTS = 49, LABELLED = 30 };

/* ---- Layers of one view ---- */

static void draw_specimen_lines(canvas *c, const mst_picture *p, const shapes *s,
                                const shape_view *v)
{
    size_t every = (s->n + MOST_OUTLINES - 1) / MOST_OUTLINES, drawn = 0;
    double alpha =
        fmax(0.1, fmin(0.7, 20 / ((double)(s->n < MOST_OUTLINES ? s->n : MOST_OUTLINES) + 1)));
    for (size_t i = 0; i < s->n; i += every, drawn++) {
        group_style style = plot_data_style(p, p->labels != NULL ? p->labels[i] : 0);
        shape_path(c, s, v, s->x + i * s->D);
        canvas_stroke(c, (pen){paint_with_alpha(style.paint, alpha), 0.35, false});
    }
    if (every > 1)
        canvas_note(c, "Every %zu%s specimen is drawn, %zu in all.", every,
                    every == 2   ? "nd"
                    : every == 3 ? "rd"
                                 : "th",
                    drawn);
}

static void draw_specimen_points(canvas *c, const mst_picture *p, const shapes *s,
                                 const shape_view *v)
{
    size_t count = s->n * s->landmarks;
    double radius = fmin(1.3, canvas_point_radius(count)), xy[2];
    canvas_points_begin(c, count);
    for (size_t i = 0; i < s->n; i++) {
        group_style style = plot_data_style(p, p->labels != NULL ? p->labels[i] : 0);
        for (size_t k = 0; k < s->landmarks; k++) {
            shape_view_place(v, s->x + i * s->D + k * s->dim, xy);
            canvas_point(c, style.marker, xy[0], xy[1], radius,
                         paint_with_alpha(style.paint, fmin(0.35, canvas_point_alpha(count))),
                         false);
        }
    }
    canvas_points_end(c);
}

static void draw_ellipse(canvas *c, const shapes *s, const shape_view *v, size_t mean, size_t k,
                         paint look)
{
    const double *block = s->covariance + (mean * s->landmarks + k) * s->dim * s->dim;
    double aa = block[v->a * s->dim + v->a], ab = block[v->a * s->dim + v->b],
           bb = block[v->b * s->dim + v->b], xy[2];
    double l11 = sqrt(aa), l21 = l11 > 0 ? ab / l11 : 0, l22 = sqrt(fmax(0, bb - l21 * l21));
    shape_view_place(v, s->means + mean * s->D + k * s->dim, xy);
    for (int i = 0; i < ELLIPSE_POINTS; i++) {
        double angle = 2 * M_PI * i / (ELLIPSE_POINTS - 1);
        double across = l11 * cos(angle), up = l21 * cos(angle) + l22 * sin(angle);
        canvas_draw_to(c, xy[0] + v->scale * across, xy[1] - v->scale * up);
    }
    canvas_close(c);
    canvas_fill_keep(c, paint_with_alpha(paint_dimmed(look, 0.6), 0.8));
    canvas_stroke(c, (pen){look, 0.8, false});
}

static void draw_mean(canvas *c, const mst_picture *p, const shapes *s, const shape_view *v,
                      size_t mean)
{
    const double *at = s->means + mean * s->D;
    paint look = plot_mean_paint(p, mean);
    double xy[2];
    shape_path(c, s, v, at);
    canvas_stroke(c, (pen){look, 1.4, false});
    for (size_t k = 0; s->has_covariance[mean] && k < s->landmarks; k++)
        draw_ellipse(c, s, v, mean, k, look);
    for (size_t k = 0; k < s->landmarks && (!s->joined || s->landmarks <= LABELLED); k++) {
        shape_view_place(v, at + k * s->dim, xy);
        /* Small where it stands in its ellipse, which is what tells how well it is known. */
        double radius = s->has_covariance[mean] ? 0.9 : 1.6;
        canvas_marker(c, p->mean_count > 1 ? style_of_group(mean).marker : MARKER_DISC, xy[0],
                      xy[1], radius, look, (pen){paint_paper, 0.3, false});
    }
}

/* How far on the page the specimens of a landmark are from that of the mean, in the root
 * of the mean square. */
static double scatter(const shapes *s, const shape_view *v, size_t k)
{
    double sum = 0, count = 1e-9, at[2], xy[2];
    shape_view_place(v, s->means + k * s->dim, at);
    for (size_t i = 0; i < s->n; i++) {
        shape_view_place(v, s->x + i * s->D + k * s->dim, xy);
        double square = (xy[0] - at[0]) * (xy[0] - at[0]) + (xy[1] - at[1]) * (xy[1] - at[1]);
        sum += isfinite(square) ? square : 0;
        count += isfinite(square);
    }
    return sqrt(sum / count);
}

static void draw_numbers(canvas *c, const shapes *s, const shape_view *v)
{
    double middle[2] = {0}, xy[2];
    for (size_t k = 0; k < s->landmarks; k++) {
        shape_view_place(v, s->means + k * s->dim, xy);
        middle[0] += xy[0] / (double)s->landmarks;
        middle[1] += xy[1] / (double)s->landmarks;
    }
    for (size_t k = 0; k < s->landmarks; k++) {
        shape_view_place(v, s->means + k * s->dim, xy);
        double away = hypot(xy[0] - middle[0], xy[1] - middle[1]) + 1e-9;
        double off = (6 + 1.6 * scatter(s, v, k)) / away;
        canvas_text(c, xy[0] + off * (xy[0] - middle[0]), xy[1] + off * (xy[1] - middle[1]),
                    ANCHOR_MIDDLE, "%zu", k + 1);
    }
}

static void draw_view(canvas *c, const mst_picture *p, const shapes *s, const shape_view *v)
{
    if (s->joined)
        draw_specimen_lines(c, p, s, v);
    else
        draw_specimen_points(c, p, s, v);
    for (size_t k = 0; k < s->mean_count; k++)
        draw_mean(c, p, s, v, k);
    if (!s->joined && s->landmarks <= LABELLED && s->dim == 2)
        draw_numbers(c, s, v);
}

/* ---- Words ---- */

static void write_legend(canvas *c, const mst_picture *p, const shapes *s)
{
    bool groups = p->mean_count > 1, some = false;
    char name[64];
    if (s->n > 0 && (!groups || p->labels == NULL))
        canvas_legend(c, "specimens", s->joined ? MARKER_LINE : MARKER_DISC,
                      style_of_group(0).paint, true);
    for (size_t k = 0; k < p->mean_count; k++) {
        const mst_picture_mean *mean = &p->means[k];
        canvas_legend(c, mean->name != NULL ? mean->name : p->mean_word,
                      s->joined ? MARKER_LINE
                      : groups  ? style_of_group(k).marker
                                : MARKER_DISC,
                      plot_mean_paint(p, k), true);
        if (s->has_covariance[k]) {
            some = true;
            snprintf(name, sizeof name, "%g %% confidence regions", 100 * mean->confidence);
            canvas_legend(c, name, MARKER_BAND, groups ? paint_quiet : plot_mean_paint(p, k), true);
        } else if (mean->region != MST_REGION_NONE || mean->no_region != NULL) {
            canvas_note(c, "No confidence regions are drawn%s%s: %s.",
                        mean->name != NULL ? " for " : "", mean->name != NULL ? mean->name : "",
                        mean->no_region != NULL ? mean->no_region
                                                : "that of the whole is none of ellipses");
        }
    }
    if (some)
        canvas_note(c,
                    "The regions are those of each landmark of the %s by itself, not of all of "
                    "them at once.",
                    p->mean_word);
    if (s->joined && canvas_options(c)->outline == NULL)
        canvas_note(c, "Lines join landmarks in the order of the rows.");
}

/* ---- Views ---- */

static shape_view view_of(const shapes *s, size_t a, size_t b)
{
    shape_view v = {.a = a, .b = b, .low = {INFINITY, INFINITY}, .high = {-INFINITY, -INFINITY}};
    shape_view_take(&v, s, s->n, s->x);
    shape_view_take(&v, s, s->mean_count, s->means);
    for (int k = 0; k < 2; k++) {
        double room = 0.04 * (v.high[k] - v.low[k]) + 1e-300;
        v.low[k] -= room;
        v.high[k] += room;
    }
    return v;
}

static double extent(const shape_view *v, int k)
{
    return v->high[k] - v->low[k];
}

static void draw_plane(canvas *c, const mst_picture *p, const shapes *s)
{
    const double margin = s->joined ? 2 : 10;
    double width = canvas_width(c) - 2 * margin;
    shape_view v = view_of(s, 0, 1);
    v.scale = fmin(width / extent(&v, 0), 1.05 * width / extent(&v, 1));
    v.left = margin + (width - v.scale * extent(&v, 0)) / 2;
    v.top = margin;
    double bottom = v.top + v.scale * extent(&v, 1) + margin;
    canvas_set_height(c, bottom + 11);
    draw_view(c, p, s, &v);
    (void)shape_scale_bar(c, s, 2, bottom, width, v.scale);
}

/* From the front, from the right beside it, and from below under it, all in one scale. */
static void draw_space(canvas *c, const mst_picture *p, const shapes *s)
{
    static const char *const names[3] = {"x, y", "z, y", "x, z"};
    const double gap = 8, title = 9;
    shape_view v[3] = {view_of(s, 0, 1), view_of(s, 2, 1), view_of(s, 0, 2)};
    double scale = (canvas_width(c) - gap) / (extent(&v[0], 0) + extent(&v[1], 0));
    double wide = scale * extent(&v[0], 0), high = scale * extent(&v[0], 1);
    for (int i = 0; i < 3; i++)
        v[i].scale = scale;
    v[1].left = wide + gap;
    v[0].top = v[1].top = title;
    v[2].top = title + high + gap + title;
    double bottom = v[2].top + scale * extent(&v[2], 1) + 2;
    canvas_set_height(c, bottom + 11);
    for (int i = 0; i < 3; i++) {
        canvas_rectangle(c, v[i].left, v[i].top, scale * extent(&v[i], 0),
                         scale * extent(&v[i], 1));
        canvas_stroke(c, (pen){paint_line, 0.4, false});
        canvas_text(c, v[i].left, v[i].top - 4.5, ANCHOR_LEFT, "%s", names[i]);
        draw_view(c, p, s, &v[i]);
    }
    (void)shape_scale_bar(c, s, 2, bottom, canvas_width(c), scale);
    canvas_note(c, "Three views along the axes, in one scale.");
}

static mst_status draw(canvas *c, const mst_picture *p)
{
    shapes s;
    mst_status status = shapes_open(&s, c, p);
    if (status == MST_OK) {
        if (s.dim == 2)
            draw_plane(c, p, &s);
        else
            draw_space(c, p, &s);
        write_legend(c, p, &s);
    }
    shapes_close(&s);
    return status;
}

const plot_kind kind_landmarks = {
    .info = {"landmarks", "specimens thin, means thick, regions of landmarks",
             "landmarks, kendall, size-and-shape"},
    .suits = shapes_suits,
    .draw = draw,
};
