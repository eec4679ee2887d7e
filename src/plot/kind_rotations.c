/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Rotations by what they do to the three axes: a ball for each mean, with the axes of the mean as arrows and
 * those of the data as points on it. */
#include "plot/shapes.h"

#include "base/internal.h"

#include <math.h>
#include <stdio.h>

enum { MOST_PANELS = 6, ELLIPSE_POINTS = 61 };

static bool are_quaternions(const mst_manifold *m)
{
    return mst_manifold_traits_of(m)->unit_rows && mst_manifold_dim(m) == 3;
}

static bool suits(const mst_picture *p)
{
    return p->m != NULL && p->mean_count > 0 && mst_manifold_factor_count(p->m) == 1 &&
           (mst_manifold_traits_of(p->m)->rows == MST_ROWS_ROTATIONS || are_quaternions(p->m));
}

/* Unit vectors of R^4 are quaternions only if somebody says so. */
static bool only_by_name(const mst_picture *p)
{
    return are_quaternions(p->m);
}

/* Where the row takes axis k. */
static void axis_of(bool quaternion, const double *x, int k, double out[3])
{
    if (!quaternion) {
        for (int i = 0; i < 3; i++)
            out[i] = x[3 * i + k];
        return;
    }
    double w = x[0], v[3] = {x[1], x[2], x[3]}, e[3] = {0}, once[3];
    e[k] = 1;
    /* e + 2 v × (v × e + w e) */
    for (int i = 0; i < 3; i++)
        once[i] = v[(i + 1) % 3] * e[(i + 2) % 3] - v[(i + 2) % 3] * e[(i + 1) % 3] + w * e[i];
    for (int i = 0; i < 3; i++)
        out[i] =
            e[i] + 2 * (v[(i + 1) % 3] * once[(i + 2) % 3] - v[(i + 2) % 3] * once[(i + 1) % 3]);
}

/* Red, green and blue as eyes of every kind tell them apart. */
static paint axis_paint(int k)
{
    static const size_t groups[3] = {1, 2, 0};
    return style_of_group(groups[k]).paint;
}

/* ---- The view: z towards the reader, a little from the right and from above ---- */

static const double right[3] = {0.9284, 0, -0.3714}, up[3] = {-0.1108, 0.9545, -0.2769},
                    toward[3] = {0.3545, 0.2982, 0.8862};

typedef struct ball {
    double x, y, radius;
} ball;

static double dot(const double *a, const double *b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static bool place(const ball *b, const double *at, double xy[2])
{
    xy[0] = b->x + b->radius * dot(right, at);
    xy[1] = b->y - b->radius * dot(up, at);
    return dot(toward, at) >= 0;
}

/* The resting axes, from which rotations turn. */
static void draw_rest(canvas *c, const ball *b)
{
    for (int k = 0; k < 3; k++) {
        double at[3] = {0}, xy[2], centre[2] = {b->x, b->y};
        at[k] = 1;
        (void)place(b, at, xy);
        canvas_move(c, centre[0], centre[1]);
        canvas_draw_to(c, xy[0], xy[1]);
        canvas_stroke(c, (pen){paint_quiet, 0.6, true});
    }
}

static void draw_data(canvas *c, const mst_picture *p, const ball *b, size_t mean)
{
    bool quaternion = are_quaternions(p->m);
    size_t D = mst_manifold_ambient(p->m);
    canvas_points_begin(c, 3 * p->n);
    for (int side = 0; side < 2; side++)
        for (size_t i = 0; i < p->n; i++)
            for (int k = 0; k < 3 && (p->labels == NULL || p->labels[i] == mean); k++) {
                double at[3], xy[2];
                axis_of(quaternion, p->x + i * D, k, at);
                bool front = place(b, at, xy);
                if (front == (side == 1))
                    canvas_point(
                        c, MARKER_DISC, xy[0], xy[1], 0.8 * canvas_point_radius(3 * p->n),
                        paint_with_alpha(front ? axis_paint(k) : paint_dimmed(axis_paint(k), 0.5),
                                         fmin(0.6, canvas_point_alpha(3 * p->n))),
                        !front);
            }
    canvas_points_end(c);
}

/* The region of the end of one axis: the covariance of the mean, carried along by differences. */
static bool draw_region(canvas *c, const mst_picture *p, const ball *b,
                        const mst_picture_mean *mean, int axis)
{
    const double step = 1e-6;
    double radius2 = plot_part_radius2(p->m, mean, 2), moves[3][2], centre[3], xy[2],
           block[3] = {0};
    size_t D = mst_manifold_ambient(p->m);
    bool quaternion = are_quaternions(p->m);
    if (isnan(radius2))
        return false;
    axis_of(quaternion, mean->at, axis, centre);
    for (size_t i = 0; i < 3; i++) {
        double moved[9], there[3];
        for (size_t j = 0; j < D; j++)
            moved[j] = mean->at[j] + step * mean->basis[i * D + j];
        axis_of(quaternion, moved, axis, there);
        for (int k = 0; k < 3; k++)
            there[k] = (there[k] - centre[k]) / step;
        moves[i][0] = b->radius * dot(right, there);
        moves[i][1] = -b->radius * dot(up, there);
    }
    for (size_t i = 0; i < 3; i++)
        for (size_t j = 0; j < 3; j++) {
            double v = radius2 * mean->covariance[3 * i + j];
            block[0] += v * moves[i][0] * moves[j][0];
            block[1] += v * moves[i][0] * moves[j][1];
            block[2] += v * moves[i][1] * moves[j][1];
        }
    double l11 = sqrt(block[0]), l21 = l11 > 0 ? block[1] / l11 : 0,
           l22 = sqrt(fmax(0, block[2] - l21 * l21));
    (void)place(b, centre, xy);
    for (int i = 0; i < ELLIPSE_POINTS; i++) {
        double angle = 2 * M_PI * i / (ELLIPSE_POINTS - 1);
        canvas_draw_to(c, xy[0] + l11 * cos(angle), xy[1] + l21 * cos(angle) + l22 * sin(angle));
    }
    canvas_close(c);
    canvas_stroke(c, (pen){paint_ink, 0.6, false});
    return true;
}

static bool draw_mean(canvas *c, const mst_picture *p, const ball *b, const mst_picture_mean *mean)
{
    static const char *const names[3] = {"x", "y", "z"};
    bool quaternion = are_quaternions(p->m), region = true;
    int order[3] = {0, 1, 2};
    double depth[3], at[3], xy[2], centre[2] = {b->x, b->y};
    for (int k = 0; k < 3; k++) {
        axis_of(quaternion, mean->at, k, at);
        depth[k] = dot(toward, at);
    }
    for (int i = 0; i < 2; i++) /* from the back to the front */
        for (int j = 0; j < 2 - i; j++)
            if (depth[order[j]] > depth[order[j + 1]]) {
                int other = order[j];
                order[j] = order[j + 1];
                order[j + 1] = other;
            }
    for (int i = 0; i < 3; i++) {
        int k = order[i];
        axis_of(quaternion, mean->at, k, at);
        bool front = place(b, at, xy);
        canvas_arrow(c, centre, xy,
                     (pen){front ? axis_paint(k) : paint_dimmed(axis_paint(k), 0.4), 1.8, false});
        region = draw_region(c, p, b, mean, k) && region;
        double length = hypot(xy[0] - centre[0], xy[1] - centre[1]) + 1e-9;
        double off = length > 8 ? 1 + 9 / length : 1;
        canvas_text(c, centre[0] + off * (xy[0] - centre[0]) + (length > 8 ? 0 : 7),
                    centre[1] + off * (xy[1] - centre[1]), ANCHOR_MIDDLE, "%s", names[k]);
    }
    return region;
}

static void write_words(canvas *c, const mst_picture *p, bool regions)
{
    static const char *const names[3] = {"x axis", "y axis", "z axis"};
    char text[64];
    for (int k = 0; k < 3; k++)
        canvas_legend(c, names[k], MARKER_DISC, axis_paint(k), true);
    if (regions) {
        snprintf(text, sizeof text, "%g %% confidence regions", 100 * p->means[0].confidence);
        canvas_legend(c, text, MARKER_BAND, paint_ink, true);
        canvas_note(c, "The regions are those of the end of each arrow by itself.");
    } else if (p->means[0].region != MST_REGION_NONE || p->means[0].no_region != NULL) {
        canvas_note(c, "No confidence regions are drawn: %s.",
                    p->means[0].no_region != NULL ? p->means[0].no_region
                                                  : "the result has none that is an ellipsoid");
    }
    canvas_note(
        c,
        "Arrows show where the %s takes the axes x (right), y (up) and z (towards the reader), "
        "which rest along the dashed lines%s.",
        p->mean_word, p->n > 0 ? "; dots, where the data take them, open ones behind" : "");
    if (are_quaternions(p->m))
        canvas_note(
            c, "Points are read as unit quaternions w, x, y, z; q and \u2212q are one rotation.");
}

static mst_status draw(canvas *c, const mst_picture *p)
{
    size_t count = p->mean_count < MOST_PANELS ? p->mean_count : MOST_PANELS;
    size_t columns = count == 1                 ? 1
                     : count == 2 || count == 4 ? 2
                                                : 3,
           rows = (count + columns - 1) / columns;
    double side = canvas_width(c) / (double)columns, title = count > 1 ? 15 : 0;
    double used = count == 1 ? 0.86 * side : side - 6;
    bool regions = true;
    double row_height = used + title + (count == 1 ? 8 : 4);
    canvas_set_height(c, (double)rows * row_height + 2);
    for (size_t k = 0; k < count; k++) {
        size_t row = k / columns, col = k % columns;
        ball b = {side * ((double)col + 0.5), row_height * (double)row + title + used / 2 + 2,
                  count > 1 ? 0.37 * used : 0.44 * used};
        if (count > 1)
            canvas_text(c, b.x, b.y - used / 2 - 7, ANCHOR_MIDDLE, "%s",
                        p->means[k].name != NULL ? p->means[k].name : p->mean_word);
        canvas_ball(c, b.x, b.y, b.radius);
        canvas_circle(c, b.x, b.y, b.radius);
        canvas_stroke(c, (pen){paint_quiet, 0.5, false});
        draw_rest(c, &b);
        draw_data(c, p, &b, k);
        regions = draw_mean(c, p, &b, &p->means[k]) && regions;
    }
    write_words(c, p, regions);
    if (count < p->mean_count)
        canvas_note(c, "The first %zu of %zu %ss.", count, p->mean_count, p->mean_word);
    return MST_OK;
}

const plot_kind kind_rotations = {
    .info = {"rotations", "where rotations take the axes", "so3; sphere:3 as quaternions"},
    .suits = suits,
    .only_by_name = only_by_name,
    .draw = draw,
};
