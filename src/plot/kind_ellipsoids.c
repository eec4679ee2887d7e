/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Positive definite matrices of order 2 and 3 as the ellipses and ellipsoids {x : xᵀ P⁻¹ x = 1}, whose
 * semi-axes are the roots of the eigenvalues; of order 3 with the eigenvalues in a panel below. */
#include "plot/axes.h"
#include "plot/picture.h"

#include "base/linalg.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
    MOST_ELLIPSES = 200,
    ELLIPSE_POINTS = 91,
    GLYPH_COLUMNS = 10,
    GLYPH_ROWS = 5,
    MOST_MEANS = 5
};

static size_t order_of(const mst_manifold *m)
{
    return (size_t)lround(sqrt((double)mst_manifold_ambient(m)));
}

static bool suits(const mst_picture *p)
{
    if (p->m == NULL || p->mean_count == 0 || mst_manifold_factor_count(p->m) != 1)
        return false;
    const mst_manifold_traits *t = mst_manifold_traits_of(p->m);
    return t->rows == MST_ROWS_SYMMETRIC && t->positive_definite &&
           (order_of(p->m) == 2 || order_of(p->m) == 3);
}

/* ---- Order 2 ---- */

static void ellipse_path(canvas *c, const double *a, double x, double y, double scale)
{
    double l11 = sqrt(a[0]), l21 = a[1] / l11, l22 = sqrt(fmax(0, a[3] - l21 * l21));
    for (int i = 0; i < ELLIPSE_POINTS; i++) {
        double angle = 2 * M_PI * i / (ELLIPSE_POINTS - 1);
        canvas_draw_to(c, x + scale * l11 * cos(angle),
                       y - scale * (l21 * cos(angle) + l22 * sin(angle)));
    }
    canvas_close(c);
}

static void take_ranges(axes *a, const double *x)
{
    for (int side = -1; side <= 1; side += 2) {
        axis_take(&a->x, side * sqrt(x[0]));
        axis_take(&a->y, side * sqrt(x[3]));
    }
}

static void draw_plane(canvas *c, const mst_picture *p)
{
    size_t every = (p->n + MOST_ELLIPSES - 1) / MOST_ELLIPSES, drawn = 0;
    axes a = {.x = {.low = NAN, .high = NAN, .name = "x\u2081"},
              .y = {.low = NAN, .high = NAN, .name = "x\u2082"}};
    for (size_t i = 0; i < p->n; i += every, drawn++)
        take_ranges(&a, p->x + 4 * i);
    for (size_t k = 0; k < p->mean_count; k++)
        take_ranges(&a, p->means[k].at);
    axes_open(&a, c, 0.9, true);
    double x = axes_x(&a, 0), y = axes_y(&a, 0), scale = axes_x(&a, 1) - x;
    double alpha = fmax(0.15, fmin(0.7, 20 / ((double)drawn + 1)));
    for (size_t i = 0; i < p->n; i += every) {
        group_style style = plot_data_style(p, p->labels != NULL ? p->labels[i] : 0);
        ellipse_path(c, p->x + 4 * i, x, y, scale);
        canvas_stroke(c, (pen){paint_with_alpha(style.paint, alpha), 0.4, false});
    }
    for (size_t k = 0; k < p->mean_count; k++) {
        ellipse_path(c, p->means[k].at, x, y, scale);
        canvas_stroke(c, (pen){plot_mean_paint(p, k), 1.6, false});
        canvas_legend(c, p->means[k].name != NULL ? p->means[k].name : p->mean_word, MARKER_LINE,
                      plot_mean_paint(p, k), true);
    }
    if (p->n > 0 && (p->mean_count == 1 || p->labels == NULL))
        canvas_legend(c, "data", MARKER_LINE, style_of_group(0).paint, true);
    if (every > 1)
        canvas_note(c, "Every %zu%s matrix is drawn, %zu in all.", every,
                    every == 2   ? "nd"
                    : every == 3 ? "rd"
                                 : "th",
                    drawn);
    canvas_note(c, "A matrix P is drawn as the ellipse of all x with x\u1d40P\u207b\u00b9x = 1.");
}

/* ---- Order 3: one image of many glyphs ---- */

typedef struct image {
    size_t columns, rows;
    uint32_t *pixels;
} image;

/* Of the leading eigenvector, |x| red, |y| green, |z| blue, and the paler the less it leads, as the
 * fractional anisotropy says. */
static paint direction_paint(const double *values, const double *vectors)
{
    double mean = (values[0] + values[1] + values[2]) / 3, spread = 0, square = 0;
    for (int i = 0; i < 3; i++) {
        spread += (values[i] - mean) * (values[i] - mean);
        square += values[i] * values[i];
    }
    double anisotropy = sqrt(1.5 * spread / square);
    const double *v = vectors + 6;
    double share = fmin(1, 0.15 + 1.2 * anisotropy), grey = 0.72;
    return (paint){grey + share * (fabs(v[0]) - grey), grey + share * (fabs(v[1]) - grey),
                   grey + share * (fabs(v[2]) - grey), 1};
}

/* x to the right, y up, z towards the reader; the light comes from the upper left. */
static void cast_rays(image *to, double cx, double cy, double scale, const double *values,
                      const double *vectors)
{
    double inverse[9] = {0}, plane[3] = {0}; /* P⁻¹, and the block of P: the outline on the page */
    const double light[3] = {-0.45, 0.55, 0.7};
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++)
                inverse[3 * i + j] += vectors[3 * k + i] * vectors[3 * k + j] / values[k];
    for (int k = 0; k < 3; k++) {
        plane[0] += values[k] * vectors[3 * k] * vectors[3 * k];
        plane[1] += values[k] * vectors[3 * k + 1] * vectors[3 * k + 1];
    }
    paint look = direction_paint(values, vectors);
    double wide = scale * sqrt(plane[0]), high = scale * sqrt(plane[1]);
    for (long row = lround(cy - high) - 1; row <= lround(cy + high) + 1; row++)
        for (long column = lround(cx - wide) - 1; column <= lround(cx + wide) + 1; column++) {
            if (row < 0 || column < 0 || row >= (long)to->rows || column >= (long)to->columns)
                continue;
            double x = ((double)column + 0.5 - cx) / scale, y = (cy - (double)row - 0.5) / scale;
            /* A z² + 2 B z + C = 0, the larger root. */
            double A = inverse[8], B = inverse[2] * x + inverse[5] * y;
            double C = inverse[0] * x * x + 2 * inverse[1] * x * y + inverse[4] * y * y - 1;
            double root = B * B - A * C;
            if (!(root >= 0))
                continue;
            double z = (sqrt(root) - B) / A, n[3], length = 0, shade = 0;
            const double at[3] = {x, y, z};
            for (int i = 0; i < 3; i++) {
                n[i] = 0;
                for (int j = 0; j < 3; j++)
                    n[i] += inverse[3 * i + j] * at[j];
                length += n[i] * n[i];
            }
            for (int i = 0; i < 3; i++)
                shade += n[i] * light[i] / sqrt(length);
            double bright = 0.38 + 0.62 * fmax(0, shade);
            double shine = pow(fmax(0, shade), 24) * 0.35;
            to->pixels[(size_t)row * to->columns + (size_t)column] =
                paint_pixel((paint){bright * look.red + shine, bright * look.green + shine,
                                    bright * look.blue + shine, 1});
        }
}

typedef struct glyphs {
    size_t count;    /* of matrices: chosen data, then means */
    size_t data;     /* of these, data */
    double *values;  /* (count, 3), ascending */
    double *vectors; /* (count, 3, 3) */
    size_t shown_means;
} glyphs;

static mst_status take_glyphs(glyphs *g, const mst_picture *p)
{
    size_t most = GLYPH_COLUMNS * GLYPH_ROWS;
    g->data = p->n < most ? p->n : most;
    g->shown_means = p->mean_count < MOST_MEANS ? p->mean_count : MOST_MEANS;
    g->count = g->data + g->shown_means;
    MST_TRY(mst_allocate(&g->values, 3 * g->count));
    MST_TRY(mst_allocate(&g->vectors, 9 * g->count));
    for (size_t i = 0; i < g->data; i++)
        memcpy(g->vectors + 9 * i, p->x + 9 * (i * p->n / g->data), 9 * sizeof(double));
    for (size_t k = 0; k < g->shown_means; k++)
        memcpy(g->vectors + 9 * (g->data + k), p->means[k].at, 9 * sizeof(double));
    return mst_eigen_symmetric(g->count, 3, g->vectors, g->values, g->vectors, NULL);
}

/* Glyphs `from` to `to` in rows of so many columns, each in a square that just holds the largest. */
static mst_status draw_glyphs(canvas *c, const glyphs *g, size_t from, size_t to, size_t columns,
                              double left, double top, double side)
{
    double largest = 0;
    size_t rows = (to - from + columns - 1) / columns;
    double width = side * (double)columns, height = side * (double)rows;
    image all = {canvas_dots(c, width), canvas_dots(c, height), NULL};
    MST_TRY(mst_allocate_zero(&all.pixels, all.columns * all.rows));
    double dots = (double)all.columns / width;
    for (size_t i = from; i < to; i++)
        largest = fmax(largest, g->values[3 * i + 2]);
    for (size_t i = from; i < to; i++) {
        size_t row = (i - from) / columns, col = (i - from) % columns;
        double cx = side * ((double)col + 0.5), cy = side * ((double)row + 0.5);
        cast_rays(&all, dots * cx, dots * cy, dots * 0.48 * side / sqrt(largest), g->values + 3 * i,
                  g->vectors + 9 * i);
    }
    mst_status status =
        canvas_image(c, left, top, width, height, all.columns, all.rows, all.pixels);
    mst_release(all.pixels);
    return status;
}

/* ---- The eigenvalues ---- */

/* Spread over the column by the golden ratio: even, and the same every time. */
static double aside(size_t i)
{
    double at = (double)i * 0.6180339887498949;
    return 0.5 * (at - floor(at) - 0.5);
}

static mst_status take_values(const mst_picture *p, double **out, axis *range)
{
    double *values, *vectors;
    size_t count = p->n + p->mean_count;
    MST_TRY(mst_allocate(&values, 3 * count));
    *out = values;
    MST_TRY(mst_allocate(&vectors, 9 * count));
    if (p->n > 0)
        memcpy(vectors, p->x, 9 * p->n * sizeof *vectors);
    for (size_t k = 0; k < p->mean_count; k++)
        memcpy(vectors + 9 * (p->n + k), p->means[k].at, 9 * sizeof *vectors);
    mst_status status = mst_eigen_symmetric(count, 3, vectors, values, vectors, NULL);
    for (size_t i = 0; i < 3 * count && status == MST_OK; i++)
        axis_take(range, values[i]);
    mst_release(vectors);
    return status;
}

static mst_status draw_eigenvalues(canvas *c, const mst_picture *p)
{
    static const double at[] = {1, 2, 3};
    static const char *const labels[] = {"\u03bb\u2081", "\u03bb\u2082", "\u03bb\u2083"};
    axes a = {.x = {.low = 0.5, .high = 3.5, .exact = true, .ticks = 3, .at = at, .labels = labels},
              .y = {.low = NAN, .high = NAN, .log = true, .name = "eigenvalues"}};
    double *values = NULL;
    mst_status status = take_values(p, &values, &a.y);
    if (status == MST_OK) {
        axes_open(&a, c, 0.42, false);
        canvas_points_begin(c, 3 * p->n);
        for (size_t i = 0; i < p->n; i++) {
            group_style style = plot_data_style(p, p->labels != NULL ? p->labels[i] : 0);
            for (size_t k = 0; k < 3; k++)
                canvas_point(
                    c, style.marker, axes_x(&a, 1 + (double)k + aside(i)),
                    axes_y(&a, values[3 * i + 2 - k]), fmin(1.1, canvas_point_radius(p->n)),
                    paint_with_alpha(style.paint, fmin(0.4, canvas_point_alpha(3 * p->n))), false);
        }
        canvas_points_end(c);
        for (size_t j = 0; j < p->mean_count; j++)
            for (size_t k = 0; k < 3; k++)
                canvas_marker(c, p->mean_count > 1 ? style_of_group(j).marker : MARKER_DIAMOND,
                              axes_x(&a, 1 + (double)k), axes_y(&a, values[3 * (p->n + j) + 2 - k]),
                              3.2, plot_mean_paint(p, j), (pen){paint_paper, 0.8, false});
    }
    mst_release(values);
    return status;
}

/* ---- Order 3: the page ---- */

static void draw_triad(canvas *c, double x, double y)
{
    const double length = 13;
    canvas_move(c, x, y);
    canvas_draw_to(c, x + length, y);
    canvas_stroke(c, (pen){{0.85, 0.1, 0.1, 1}, 1.4, false});
    canvas_move(c, x, y);
    canvas_draw_to(c, x, y - length);
    canvas_stroke(c, (pen){{0.1, 0.65, 0.1, 1}, 1.4, false});
    canvas_circle(c, x, y, 2);
    canvas_fill(c, (paint){0.1, 0.1, 0.9, 1});
    canvas_text(c, x + length + 3, y, ANCHOR_LEFT, "x");
    canvas_text(c, x, y - length - 5, ANCHOR_MIDDLE, "y");
    canvas_text(c, x - 4, y + 4, ANCHOR_RIGHT, "z");
}

static mst_status draw_means(canvas *c, const mst_picture *p, const glyphs *g, double *bottom)
{
    double side = fmin(0.34 * canvas_width(c), (canvas_width(c) - 40) / (double)g->shown_means);
    double left = (canvas_width(c) - side * (double)g->shown_means) / 2;
    MST_TRY(draw_glyphs(c, g, g->data, g->count, g->shown_means, left, 0, side));
    for (size_t k = 0; k < g->shown_means; k++)
        canvas_text(c, left + ((double)k + 0.5) * side, side + 4, ANCHOR_MIDDLE, "%s",
                    p->means[k].name != NULL ? p->means[k].name : p->mean_word);
    draw_triad(c, 14, side - 2);
    *bottom = side + 12;
    return MST_OK;
}

static mst_status draw_space(canvas *c, const mst_picture *p, const glyphs *g)
{
    double bottom, width = canvas_width(c), side = width / GLYPH_COLUMNS;
    size_t rows = (g->data + GLYPH_COLUMNS - 1) / GLYPH_COLUMNS;
    canvas_set_height(c, 1000); /* until it is known */
    MST_TRY(draw_means(c, p, g, &bottom));
    if (g->data > 0) {
        MST_TRY(draw_glyphs(c, g, 0, g->data, GLYPH_COLUMNS, 0, bottom, side));
        bottom += side * (double)rows + 4;
    }
    panel within = canvas_panel_begin(c, 0, bottom, width);
    mst_status status = draw_eigenvalues(c, p);
    bottom += canvas_panel_end(c, within);
    canvas_set_height(c, bottom);
    if (p->n > 0 && (p->mean_count == 1 || p->labels == NULL))
        canvas_legend(c, "data", MARKER_DISC, style_of_group(0).paint, true);
    for (size_t k = 0; k < p->mean_count; k++)
        canvas_legend(c, p->means[k].name != NULL ? p->means[k].name : p->mean_word,
                      p->mean_count > 1 ? style_of_group(k).marker : MARKER_DIAMOND,
                      plot_mean_paint(p, k), true);
    if (g->data > 0 && g->data < p->n)
        canvas_note(
            c,
            "Below the %s %zu of the matrices, evenly over the rows, in a smaller scale; all "
            "eigenvalues.",
            p->mean_word, g->data);
    canvas_note(c, "A matrix P is the ellipsoid of all x with x\u1d40P\u207b\u00b9x = 1. Colour is "
                   "the direction "
                   "of the longest axis (red x, green y, blue z), pale where it is hardly longer.");
    if (p->mean_count > g->shown_means)
        canvas_note(c, "The first %zu of %zu %ss as ellipsoids.", g->shown_means, p->mean_count,
                    p->mean_word);
    return status;
}

static mst_status draw(canvas *c, const mst_picture *p)
{
    glyphs g = {0};
    if (order_of(p->m) == 2) {
        draw_plane(c, p);
        return MST_OK;
    }
    mst_status status = take_glyphs(&g, p);
    if (status == MST_OK)
        status = draw_space(c, p, &g);
    mst_release(g.values);
    mst_release(g.vectors);
    return status;
}

const plot_kind kind_ellipsoids = {
    .info = {"ellipsoids", "matrices as ellipses or ellipsoids, with eigenvalues", "spd:2, spd:3"},
    .suits = suits,
    .draw = draw,
};
