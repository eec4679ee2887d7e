/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Any manifold of two dimensions or more: the data in the tangent space at the (first) mean, along the two
 * directions in which they vary most (principal geodesic analysis by the tangent space, Fletcher 2004). */
#include "plot/axes.h"
#include "plot/shapes.h"

#include "base/linalg.h"

#include <math.h>
#include <stdio.h>

enum { MOST_ORDER = 1500, ELLIPSE_POINTS = 91 };

static bool suits(const mst_picture *p)
{
    return p->m != NULL && p->mean_count > 0 && mst_manifold_dim(p->m) >= 2;
}

/* Coordinates c (n, d) of Log of the points at the base, in its frame; NAN where there is none. */
static mst_status take_logs(const mst_manifold *m, const double *base, size_t n, const double *x,
                            double *c, size_t *lost)
{
    size_t D = mst_manifold_ambient(m), d = mst_manifold_dim(m);
    double *v;
    MST_TRY(mst_allocate(&v, D));
    mst_status status = MST_OK;
    for (size_t i = 0; i < n && status == MST_OK; i++) {
        status = mst_manifold_log(m, 1, base, x + i * D, v, NULL);
        if (status == MST_OK)
            status = mst_manifold_to_frame(m, 1, base, v, c + i * d);
        if (status != MST_OK && status != MST_MEMORY && status != MST_INTERRUPTED) {
            for (size_t j = 0; j < d; j++)
                c[i * d + j] = NAN;
            ++*lost;
            status = MST_OK;
        }
    }
    mst_release(v);
    return status;
}

/* ---- The two directions ---- */

typedef struct directions {
    double *axis;    /* (2, d), orthonormal */
    double share[2]; /* of the variance */
} directions;

/* Deviations from their mean, times the root of the weights, and 0 for rows without a logarithm. */
static mst_status centred(size_t n, size_t d, const double *c, const double *weights, double **out,
                          double *total)
{
    double *y, *mean, sum = 0;
    MST_TRY(mst_allocate(&y, n * d));
    mst_status status = mst_allocate_zero(&mean, d);
    for (size_t i = 0; i < n && status == MST_OK; i++) {
        double w = isnan(c[i * d]) ? 0 : weights != NULL ? weights[i] : 1;
        sum += w;
        for (size_t j = 0; w > 0 && j < d; j++)
            mean[j] += w * c[i * d + j];
    }
    *total = 0;
    for (size_t i = 0; i < n && status == MST_OK; i++) {
        double w = isnan(c[i * d]) ? 0 : weights != NULL ? weights[i] : 1;
        for (size_t j = 0; j < d; j++) {
            y[i * d + j] = w > 0 ? sqrt(w) * (c[i * d + j] - mean[j] / sum) : 0;
            *total += y[i * d + j] * y[i * d + j];
        }
    }
    mst_release(mean);
    *out = y;
    if (status != MST_OK) {
        mst_release(y);
        *out = NULL;
    }
    return status;
}

/* YᵀY (d, d), or YYᵀ (n, n) where rows are fewer. */
static void fill_square(size_t n, size_t d, const double *y, bool rows, double *a)
{
    size_t order = rows ? n : d, inner = rows ? d : n;
    for (size_t i = 0; i < order; i++)
        for (size_t j = 0; j <= i; j++) {
            double sum = 0;
            for (size_t k = 0; k < inner; k++)
                sum += rows ? y[i * d + k] * y[j * d + k] : y[k * d + i] * y[k * d + j];
            a[i * order + j] = a[j * order + i] = sum;
        }
}

/* The direction in the space of the data that an eigenvector stands for; 0 if it has no length there. */
static void take_axis(size_t n, size_t d, const double *y, bool rows, const double *vector,
                      double *to)
{
    double square = 0;
    for (size_t j = 0; j < d; j++) {
        to[j] = rows ? 0 : vector[j];
        for (size_t i = 0; rows && i < n; i++)
            to[j] += vector[i] * y[i * d + j];
        square += to[j] * to[j];
    }
    /* Of the two signs the one with the larger part of positive entries: the same on every machine. */
    double sum = 0;
    for (size_t j = 0; j < d; j++)
        sum += to[j] * to[j] * to[j];
    for (size_t j = 0; j < d && square > 0; j++)
        to[j] *= (sum < 0 ? -1 : 1) / sqrt(square);
}

static mst_status find_directions(directions *to, size_t n, size_t d, const double *c,
                                  const double *weights)
{
    bool rows = n < d;
    size_t order = rows ? n : d;
    double *y = NULL, *a = NULL, total;
    if (order > MOST_ORDER)
        return mst_fail(MST_UNABLE,
                        "%zu points in %zu dimensions are too many for their directions of "
                        "most variance; at most %d of either",
                        n, d, MOST_ORDER);
    MST_TRY(centred(n, d, c, weights, &y, &total));
    mst_status status = mst_allocate(&a, order * order + order);
    if (status == MST_OK) {
        double *values = a + order * order;
        fill_square(n, d, y, rows, a);
        status = mst_eigen_symmetric(1, order, a, values, a, NULL);
        for (size_t k = 0; k < 2 && status == MST_OK; k++) {
            size_t at = order - 1 - k;
            take_axis(n, d, y, rows, a + at * order, to->axis + k * d);
            to->share[k] = total > 0 ? fmax(0, values[at]) / total : 0;
        }
    }
    mst_release(a);
    mst_release(y);
    return status;
}

/* ---- The map ---- */

typedef struct tangent_map {
    const mst_picture *p;
    size_t d;
    double *c;     /* (n, d), then (mean_count, d) of the means */
    directions to; /* axis belongs to it */
    axes a;
} tangent_map;

static void project(const tangent_map *t, const double *c, double xy[2])
{
    xy[0] = xy[1] = 0;
    for (size_t j = 0; j < t->d; j++)
        for (int k = 0; k < 2; k++)
            xy[k] += c[j] * t->to.axis[(size_t)k * t->d + j];
}

/* The covariance of the first mean along the two directions, times the squared radius. */
static bool region_of(const tangent_map *t, double block[3])
{
    const mst_picture_mean *mean = &t->p->means[0];
    double radius2 = plot_part_radius2(t->p->m, mean, 2);
    size_t d = t->d, D = mst_manifold_ambient(t->p->m);
    double *turned;
    if (isnan(radius2) || mst_allocate(&turned, 4 * d + D) != MST_OK)
        return false;
    /* The directions in the basis of the covariance: g(basis_i, direction). */
    double *frame = turned + 2 * d, *at = frame + d + d;
    bool good = true;
    for (size_t i = 0; i < d && good; i++) {
        good = mst_manifold_to_frame(t->p->m, 1, mean->at, mean->basis + i * D, frame) == MST_OK;
        project(t, frame, at);
        turned[i] = at[0];
        turned[d + i] = at[1];
    }
    for (int k = 0; k < 3; k++)
        block[k] = 0;
    for (size_t i = 0; i < d && good; i++)
        for (size_t j = 0; j < d; j++) {
            double v = radius2 * mean->covariance[i * d + j];
            block[0] += v * turned[i] * turned[j];
            block[1] += v * turned[i] * turned[d + j];
            block[2] += v * turned[d + i] * turned[d + j];
        }
    mst_release(turned);
    return good;
}

static void draw_region(canvas *c, const tangent_map *t, const double block[3], const double at[2])
{
    double l11 = sqrt(block[0]), l21 = block[1] / l11, l22 = sqrt(fmax(0, block[2] - l21 * l21));
    char name[64];
    for (int i = 0; i < ELLIPSE_POINTS; i++) {
        double angle = 2 * M_PI * i / (ELLIPSE_POINTS - 1);
        canvas_draw_to(c, axes_x(&t->a, at[0] + l11 * cos(angle)),
                       axes_y(&t->a, at[1] + l21 * cos(angle) + l22 * sin(angle)));
    }
    canvas_close(c);
    paint look = plot_mean_paint(t->p, 0);
    canvas_fill_keep(c, paint_with_alpha(look, 0.2));
    canvas_stroke(c, (pen){look, 1, false});
    snprintf(name, sizeof name, "%g %% confidence region of the %s",
             100 * t->p->means[0].confidence, t->p->mean_word);
    canvas_legend(c, name, MARKER_BAND, look, true);
    canvas_note(c, "The region is that of the %s in the two directions shown.", t->p->mean_word);
}

static void draw_points(canvas *c, const tangent_map *t)
{
    const mst_picture *p = t->p;
    bool groups = p->mean_count > 1;
    double xy[2];
    canvas_points_begin(c, p->n);
    for (size_t i = 0; i < p->n; i++) {
        group_style style = plot_data_style(p, p->labels != NULL ? p->labels[i] : 0);
        project(t, t->c + i * t->d, xy);
        canvas_point(c, style.marker, axes_x(&t->a, xy[0]), axes_y(&t->a, xy[1]),
                     canvas_point_radius(p->n),
                     paint_with_alpha(style.paint, canvas_point_alpha(p->n)), false);
    }
    canvas_points_end(c);
    if (p->n > 0 && (!groups || p->labels == NULL))
        canvas_legend(c, "data", MARKER_DISC, style_of_group(0).paint, true);
}

static void draw_means(canvas *c, const tangent_map *t)
{
    const mst_picture *p = t->p;
    double block[3], xy[2];
    if (p->mean_count == 1 && region_of(t, block)) {
        project(t, t->c + p->n * t->d, xy);
        draw_region(c, t, block, xy);
    } else if (p->mean_count == 1) {
        canvas_note(c, "No confidence region is drawn: %s.",
                    p->means[0].no_region != NULL ? p->means[0].no_region
                                                  : "the result has none that is an ellipsoid");
    }
    for (size_t k = 0; k < p->mean_count; k++) {
        marker look = p->mean_count > 1 ? style_of_group(k).marker : MARKER_DIAMOND;
        project(t, t->c + (p->n + k) * t->d, xy);
        canvas_marker(c, look, axes_x(&t->a, xy[0]), axes_y(&t->a, xy[1]), 3.2,
                      plot_mean_paint(p, k), (pen){paint_paper, 0.8, false});
        canvas_legend(c, p->means[k].name != NULL ? p->means[k].name : p->mean_word, look,
                      plot_mean_paint(p, k), true);
    }
}

static void open_axes(canvas *c, tangent_map *t, char names[2][80])
{
    double xy[2];
    t->a = (axes){.x = {.low = NAN, .high = NAN}, .y = {.low = NAN, .high = NAN}};
    for (size_t i = 0; i < t->p->n + t->p->mean_count; i++) {
        project(t, t->c + i * t->d, xy);
        if (isfinite(xy[0]) && isfinite(xy[1])) {
            axis_take(&t->a.x, xy[0]);
            axis_take(&t->a.y, xy[1]);
        }
    }
    for (int k = 0; k < 2; k++)
        snprintf(names[k], 80, "component %d (%.3g %% of the variance)", k + 1,
                 100 * t->to.share[k]);
    t->a.x.name = names[0];
    t->a.y.name = names[1];
    axes_open(&t->a, c, 0.85, true);
}

static mst_status make_map(tangent_map *t, canvas *c)
{
    const mst_picture *p = t->p;
    size_t lost = 0, missed = 0;
    bool by_means = p->n < 2;
    if (p->n + p->mean_count < 3)
        return mst_fail(MST_UNABLE, "a map of the tangent space needs the data, or three %ss",
                        p->mean_word);
    MST_TRY(mst_allocate(&t->c, (p->n + p->mean_count) * t->d));
    MST_TRY(mst_allocate_zero(&t->to.axis, 2 * t->d));
    MST_TRY(take_logs(p->m, p->means[0].at, p->n, p->x, t->c, &lost));
    for (size_t k = 0; k < p->mean_count; k++)
        MST_TRY(
            take_logs(p->m, p->means[0].at, 1, p->means[k].at, t->c + (p->n + k) * t->d, &missed));
    if (lost > 0)
        canvas_note(c, "%zu point%s no logarithm there, and %s not drawn.", lost,
                    lost == 1 ? " has" : "s have", lost == 1 ? "is" : "are");
    return find_directions(&t->to, by_means ? p->mean_count : p->n, t->d,
                           by_means ? t->c + p->n * t->d : t->c, by_means ? NULL : p->weights);
}

static mst_status draw(canvas *c, const mst_picture *p)
{
    tangent_map t = {.p = p, .d = mst_manifold_dim(p->m)};
    char names[2][80];
    mst_status status = make_map(&t, c);
    if (status == MST_OK) {
        open_axes(c, &t, names);
        draw_points(c, &t);
        draw_means(c, &t);
        canvas_note(
            c,
            "Axes are coordinates of Log at the %s%s along the two directions of most variance: "
            "lengths on paper are at most the distances from there.",
            p->mean_count > 1 ? "first " : "", p->mean_word);
    }
    mst_release(t.c);
    mst_release(t.to.axis);
    return status;
}

const plot_kind kind_tangent = {
    .info = {"tangent", "directions of most variance in the tangent space at the mean",
             "all of two dimensions or more"},
    .suits = suits,
    .draw = draw,
};
