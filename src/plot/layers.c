/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* What pictures of points on a manifold have in common, whatever the projection. */
#include "base/internal.h"
#include "plot/picture.h"

#include <math.h>
#include <stdio.h>

/* ---- Styles ---- */

group_style plot_data_style(const mst_picture *p, size_t group)
{
    if (p->mean_count > 1 && p->labels != NULL)
        return style_of_group(group);
    return (group_style){style_of_group(0).paint, MARKER_DISC};
}

paint plot_mean_paint(const mst_picture *p, size_t mean)
{
    return p->mean_count > 1 ? style_of_group(mean).paint : paint_mean;
}

static marker mean_marker(const mst_picture *p, size_t mean)
{
    return p->mean_count > 1 ? style_of_group(mean).marker : MARKER_DIAMOND;
}

const double *plot_centre(const mst_picture *p)
{
    if (p->centre != NULL)
        return p->centre;
    if (p->mean_count == 0 && p->curve_count > 0 && p->curves[0].count > 0)
        return p->curves[0].points + p->curves[0].count / 2 * mst_manifold_ambient(p->m);
    return p->mean_count > 0 ? p->means[0].at : NULL;
}

/* ---- Data ---- */

typedef struct placed {
    double *xy;
    unsigned char *front;
} placed;

static void free_placed(placed *at)
{
    mst_release(at->xy);
    mst_release(at->front);
}

static mst_status place(placed *at, const projection *to, size_t n, const double *x)
{
    *at = (placed){0};
    mst_status status = mst_allocate(&at->xy, 2 * n);
    if (status == MST_OK)
        status = mst_allocate(&at->front, n);
    if (status == MST_OK && n > 0)
        to->place(to, n, x, at->xy, at->front);
    if (status != MST_OK)
        free_placed(at);
    return status;
}

/* Areas go by the weights; in steps, because an image has few kinds of markers. */
static double radius_of_weight(const mst_picture *p, size_t i, double largest)
{
    double radius = canvas_point_radius(p->n);
    if (p->weights == NULL || !(largest > 0))
        return radius;
    double share = ceil(8 * sqrt(fmax(0, p->weights[i]) / largest)) / 8;
    return 2 * radius * share;
}

static void draw_side(canvas *c, const mst_picture *p, const placed *at, bool front, double largest)
{
    for (size_t i = 0; i < p->n; i++) {
        if ((at->front[i] != 0) != front)
            continue;
        group_style style = plot_data_style(p, p->labels != NULL ? p->labels[i] : 0);
        double alpha = canvas_point_alpha(p->n), radius = radius_of_weight(p, i, largest);
        paint look = front ? style.paint : paint_dimmed(style.paint, 0.45);
        if (radius > 0)
            canvas_point(c, style.marker, at->xy[2 * i], at->xy[2 * i + 1], radius,
                         paint_with_alpha(look, front ? alpha : fmin(1, alpha + 0.1)), !front);
    }
}

static mst_status draw_data(canvas *c, const mst_picture *p, const projection *to)
{
    placed at;
    size_t hidden = 0, lost = 0;
    double largest = 0;
    if (p->n == 0)
        return MST_OK;
    MST_TRY(place(&at, to, p->n, p->x));
    for (size_t i = 0; i < p->n; i++) {
        bool shown = isfinite(at.xy[2 * i]) && isfinite(at.xy[2 * i + 1]);
        lost += !shown;
        hidden += shown && !at.front[i];
        if (p->weights != NULL && p->weights[i] > largest)
            largest = p->weights[i];
    }
    canvas_points_begin(c, p->n);
    draw_side(c, p, &at, false, largest);
    draw_side(c, p, &at, true, largest);
    canvas_points_end(c);
    free_placed(&at);
    if (p->mean_count <= 1 || p->labels == NULL)
        canvas_legend(c, p->point_word, MARKER_DISC, style_of_group(0).paint, true);
    if (hidden > 0 && to->back != NULL)
        canvas_legend(c, to->back, MARKER_DISC,
                      p->labels != NULL && p->mean_count > 1
                          ? paint_quiet
                          : paint_dimmed(style_of_group(0).paint, 0.45),
                      false);
    if (p->weights != NULL)
        canvas_note(c, "The area of a marker is the weight of its row.");
    if (lost > 0)
        canvas_note(c, "%zu point%s outside of the frame.", lost, lost == 1 ? " lies" : "s lie");
    return MST_OK;
}

/* ---- Lines ---- */

mst_status plot_line(canvas *c, const mst_picture *p, const projection *to, size_t n,
                     const double *x, pen front, pen behind)
{
    placed at;
    (void)p;
    MST_TRY(place(&at, to, n, x));
    for (int side = 0; side < 2; side++) {
        for (size_t i = 1; i < n; i++) {
            const double *a = at.xy + 2 * i - 2, *b = at.xy + 2 * i;
            bool faces = at.front[i] != 0 && at.front[i - 1] != 0;
            bool joined = hypot(b[0] - a[0], b[1] - a[1]) < to->seam;
            if (faces == (side == 1) && joined) {
                bool goes_on = i > 1 && (at.front[i - 2] != 0 && at.front[i - 1] != 0) == faces &&
                               hypot(a[0] - a[-2], a[1] - a[-1]) < to->seam;
                if (!goes_on)
                    canvas_move(c, a[0], a[1]);
                canvas_draw_to(c, b[0], b[1]);
            }
        }
        canvas_stroke(c, side == 1 ? front : behind);
    }
    free_placed(&at);
    return MST_OK;
}

/* The inside of an outline that is all in front and in one piece. */
static mst_status fill_outline(canvas *c, const projection *to, size_t n, const double *x,
                               paint look)
{
    placed at;
    bool whole = true;
    MST_TRY(place(&at, to, n, x));
    for (size_t i = 0; i < n; i++) {
        whole = whole && at.front[i] && isfinite(at.xy[2 * i]) && isfinite(at.xy[2 * i + 1]);
        whole = whole && (i == 0 || hypot(at.xy[2 * i] - at.xy[2 * i - 2],
                                          at.xy[2 * i + 1] - at.xy[2 * i - 1]) < to->seam);
    }
    for (size_t i = 0; whole && i < n; i++)
        canvas_draw_to(c, at.xy[2 * i], at.xy[2 * i + 1]);
    if (whole)
        canvas_fill(c, paint_with_alpha(look, 0.2));
    free_placed(&at);
    return MST_OK;
}

/* The band as an area where it is in front and in one piece, and its sides as lines. */
static mst_status draw_band(canvas *c, const mst_picture *p, const projection *to,
                            const mst_picture_curve *curve, paint look)
{
    size_t n = curve->count, D = mst_manifold_ambient(p->m);
    double *sides;
    MST_TRY(mst_allocate(&sides, 2 * n * D));
    mst_status status = plot_band_sides(p->m, curve, sides, sides + n * D);
    if (status == MST_UNABLE) {
        canvas_note(c, "No band is drawn: %s.", mst_error_detail());
        mst_release(sides);
        return MST_OK;
    }
    /* Once around: there on the left, back on the right. */
    for (size_t i = 0; i < n / 2 && status == MST_OK; i++)
        for (size_t j = 0; j < D; j++) {
            double *a = sides + (n + i) * D + j, *b = sides + (2 * n - 1 - i) * D + j, keep = *a;
            *a = *b;
            *b = keep;
        }
    if (status == MST_OK)
        status = fill_outline(c, to, 2 * n, sides, look);
    const pen front = {look, 0.5, false}, behind = {paint_dimmed(look, 0.6), 0.4, true};
    for (size_t side = 0; side < 2 && status == MST_OK; side++)
        status = plot_line(c, p, to, n, sides + side * n * D, front, behind);
    mst_release(sides);
    if (status == MST_OK)
        canvas_legend(c, "confidence band of the curve", MARKER_BAND, look, true);
    return status;
}

/* Which end is which. */
static void label_ends(canvas *c, const projection *to, const mst_picture_curve *curve, size_t D)
{
    for (size_t k = 0; k < 2 && curve->count > 1; k++) {
        size_t i = k == 0 ? 0 : curve->count - 1, next = k == 0 ? 1 : curve->count - 2;
        double a[2], b[2];
        unsigned char front, other;
        to->place(to, 1, curve->points + i * D, a, &front);
        to->place(to, 1, curve->points + next * D, b, &other);
        double length = hypot(a[0] - b[0], a[1] - b[1]);
        if (front && length > 0)
            canvas_text(c, a[0] + 9 * (a[0] - b[0]) / length, a[1] + 7 * (a[1] - b[1]) / length,
                        ANCHOR_MIDDLE, "%.3g", curve->s[i]);
    }
}

static mst_status draw_curves(canvas *c, const mst_picture *p, const projection *to)
{
    for (size_t k = 0; k < p->curve_count; k++) {
        const mst_picture_curve *curve = &p->curves[k];
        paint look = p->curve_count > 1 ? style_of_group(k).paint : paint_mean;
        pen front = {look, 1.2, false}, behind = {paint_dimmed(look, 0.5), 0.8, true};
        if (curve->band != NULL)
            MST_TRY(draw_band(c, p, to, curve, look));
        MST_TRY(plot_line(c, p, to, curve->count, curve->points, front, behind));
        if (curve->s != NULL)
            label_ends(c, to, curve, mst_manifold_ambient(p->m));
        if (curve->name != NULL)
            canvas_legend(c, curve->name, MARKER_LINE, look, true);
    }
    return MST_OK;
}

/* ---- Regions and means ---- */

/* Exp of an ellipse, as an area. */
static mst_status draw_ellipse(canvas *c, const mst_picture *p, const projection *to, size_t mean,
                               paint look)
{
    double *x;
    MST_TRY(mst_allocate(&x, OUTLINE_POINTS * mst_manifold_ambient(p->m)));
    mst_status status = plot_region_outline(p->m, &p->means[mean], x);
    if (status == MST_OK)
        status = fill_outline(c, to, OUTLINE_POINTS, x, look);
    if (status == MST_OK)
        status = plot_line(c, p, to, OUTLINE_POINTS, x, (pen){look, 1, false},
                           (pen){paint_dimmed(look, 0.4), 0.8, true});
    mst_release(x);
    return status;
}

/* The edge of a region where scores balance: closed curves. What is inside of several nobody has to guess. */
static mst_status draw_edge(canvas *c, const mst_picture *p, const projection *to, size_t mean,
                            paint look)
{
    const mst_picture_mean *k = &p->means[mean];
    size_t D = mst_manifold_ambient(p->m);
    for (size_t part = 0, first = 0; part < k->boundary_parts; first = k->boundary_end[part++]) {
        size_t count = k->boundary_end[part] - first;
        const double *x = k->boundary + first * D;
        if (k->boundary_parts == 1)
            MST_TRY(fill_outline(c, to, count, x, look));
        MST_TRY(plot_line(c, p, to, count, x, (pen){look, 1, false},
                          (pen){paint_dimmed(look, 0.4), 0.8, true}));
    }
    return MST_OK;
}

static mst_status draw_region(canvas *c, const mst_picture *p, const projection *to, size_t mean)
{
    const mst_picture_mean *k = &p->means[mean];
    paint look = plot_mean_paint(p, mean);
    bool edge = plot_has_boundary(k) && mst_manifold_dim(p->m) == 2;
    mst_status status = edge ? draw_edge(c, p, to, mean, look) : draw_ellipse(c, p, to, mean, look);
    if (status == MST_UNABLE || status == MST_DOMAIN) {
        if (k->region != MST_REGION_NONE || k->no_region != NULL)
            canvas_note(c, "No confidence region is drawn%s%s: %s.", k->name != NULL ? " for " : "",
                        k->name != NULL ? k->name : "", mst_error_detail());
        return MST_OK;
    }
    if (status == MST_OK) {
        char name[64];
        snprintf(name, sizeof name, "%g %% confidence region of the %s", 100 * k->confidence,
                 p->mean_word);
        canvas_legend(c, name, edge && k->boundary_parts > 1 ? MARKER_LINE : MARKER_BAND,
                      p->mean_count > 1 ? paint_quiet : look, true);
    }
    if (status == MST_OK && edge && k->boundary_parts > 1)
        canvas_note(c, "The edge of the region is %zu closed lines.", k->boundary_parts);
    return status;
}

static mst_status draw_mean(canvas *c, const mst_picture *p, const projection *to, size_t mean)
{
    const mst_picture_mean *k = &p->means[mean];
    const pen halo = {paint_paper, 0.8, false};
    paint look = plot_mean_paint(p, mean);
    double xy[2];
    unsigned char front;
    char name[64];
    for (size_t i = 0; i < k->others; i++) {
        to->place(to, 1, k->set + i * mst_manifold_ambient(p->m), xy, &front);
        canvas_open_marker(c, mean_marker(p, mean), xy[0], xy[1], 2.8,
                           front ? look : paint_dimmed(look, 0.4));
        snprintf(name, sizeof name, "other %ss, as good", p->mean_word);
        canvas_legend(c, name, MARKER_DIAMOND, look, false);
    }
    to->place(to, 1, k->at, xy, &front);
    if (!isfinite(xy[0]) || !isfinite(xy[1]))
        canvas_note(c, "The %s lies outside of the frame.", p->mean_word);
    else if (front)
        canvas_marker(c, mean_marker(p, mean), xy[0], xy[1], 3.2, look, halo);
    else
        canvas_open_marker(c, mean_marker(p, mean), xy[0], xy[1], 3.2, paint_dimmed(look, 0.3));
    if (k->name != NULL)
        canvas_legend(c, k->name, mean_marker(p, mean), look, true);
    else
        canvas_legend(c, p->mean_word, mean_marker(p, mean), look, true);
    return MST_OK;
}

mst_status plot_layers(canvas *c, const mst_picture *p, const projection *to)
{
    MST_TRY(plot_contours(c, p, to));
    MST_TRY(plot_field(c, p, to));
    MST_TRY(draw_data(c, p, to));
    MST_TRY(draw_curves(c, p, to));
    for (size_t i = 0; i < p->mean_count; i++)
        MST_TRY(draw_region(c, p, to, i));
    for (size_t i = 0; i < p->mean_count; i++)
        MST_TRY(draw_mean(c, p, to, i));
    if (p->mean_count > 1)
        canvas_note(c, "Large markers are the %ss%s.", p->mean_word,
                    p->labels != NULL ? " of the groups" : "");
    return MST_OK;
}
