/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* The circle: a rose whose sectors have areas in proportion to the number of points, the mean and its
 * interval, and the fitted density on the same scale of areas. */
#include "base/internal.h"
#include "plot/axes.h"
#include "plot/picture.h"

#include <math.h>

typedef struct rose {
    double x, y, inner; /* the middle, and the radius that the longest sector has */
    double largest;     /* the density that this radius stands for */
    size_t sectors;
} rose;

static bool suits(const mst_picture *p)
{
    return p->m != NULL && p->curve_count == 0 && mst_manifold_traits_of(p->m)->angles &&
           mst_manifold_dim(p->m) == 1;
}

/* Angles count counterclockwise from the right, as the numbers of files do. */
static double across(const rose *r, double angle, double radius)
{
    return r->x + radius * cos(angle);
}

static double down(const rose *r, double angle, double radius)
{
    return r->y - radius * sin(angle);
}

static double weight_of(const mst_picture *p, size_t i)
{
    return p->weights != NULL ? p->weights[i] : 1;
}

/* The radius of a density: its square is in proportion, so that areas are. */
static double radius_of(const rose *r, double density)
{
    return r->inner * sqrt(fmax(0, density) / r->largest);
}

static void draw_arc(canvas *c, const rose *r, double from, double to, double radius)
{
    int steps = (int)ceil(fabs(to - from) / (M_PI / 180)) + 1;
    for (int i = 0; i <= steps; i++) {
        double angle = from + (to - from) * i / steps;
        canvas_draw_to(c, across(r, angle, radius), down(r, angle, radius));
    }
}

/* Shares of the rows in the sectors, as densities. */
static mst_status count_rows(const mst_picture *p, const rose *r, double **out)
{
    double total = 0;
    MST_TRY(mst_allocate_zero(out, r->sectors));
    for (size_t i = 0; i < p->n; i++) {
        double turn = p->x[i] / (2 * M_PI);
        size_t k = (size_t)((turn - floor(turn)) * (double)r->sectors);
        (*out)[k < r->sectors ? k : 0] += weight_of(p, i);
        total += weight_of(p, i);
    }
    for (size_t k = 0; k < r->sectors && total > 0; k++)
        (*out)[k] *= (double)r->sectors / (2 * M_PI * total);
    return MST_OK;
}

static void draw_frame(canvas *c, const rose *r, bool degrees)
{
    static const char *const radians[] = {"0", "\u03c0/2", "\u00b1\u03c0", "\u2212\u03c0/2"};
    static const char *const turned[] = {"0\u00b0", "90\u00b0", "\u00b1180\u00b0",
                                         "\u221290\u00b0"};
    const pen thin = {paint_line, 0.4, false}, edge = {paint_ink, 0.8, false};
    for (int k = 1; k <= 2; k++) {
        canvas_circle(c, r->x, r->y, r->inner * sqrt(0.5 * k));
        canvas_stroke(c, k == 2 ? edge : thin);
    }
    for (int k = 0; k < 12; k++) {
        double angle = k * M_PI / 6, from = k % 3 == 0 ? 0 : r->inner;
        canvas_move(c, across(r, angle, from), down(r, angle, from));
        canvas_draw_to(c, across(r, angle, r->inner + 3), down(r, angle, r->inner + 3));
        canvas_stroke(c, thin);
    }
    for (int k = 0; k < 4; k++)
        canvas_text(c, across(r, k * M_PI / 2, r->inner + 22), down(r, k * M_PI / 2, r->inner + 20),
                    ANCHOR_MIDDLE, "%s", degrees ? turned[k] : radians[k]);
}

static void draw_sectors(canvas *c, const rose *r, const double *density)
{
    const paint look = style_of_group(0).paint;
    double step = 2 * M_PI / (double)r->sectors;
    for (size_t k = 0; k < r->sectors; k++) {
        if (!(density[k] > 0))
            continue;
        canvas_move(c, r->x, r->y);
        draw_arc(c, r, (double)k * step, (double)(k + 1) * step, radius_of(r, density[k]));
        canvas_close(c);
        canvas_fill_keep(c, paint_with_alpha(look, 0.35));
        canvas_stroke(c, (pen){look, 0.5, false});
    }
    canvas_legend(c, "data", MARKER_BAND, look, true);
}

/* Single points on the rim, which the sectors hide. */
static void draw_points(canvas *c, const mst_picture *p, const rose *r)
{
    canvas_points_begin(c, p->n);
    for (size_t i = 0; i < p->n; i++) {
        group_style style = plot_data_style(p, p->labels != NULL ? p->labels[i] : 0);
        canvas_point(c, style.marker, across(r, p->x[i], r->inner + 6),
                     down(r, p->x[i], r->inner + 6), 0.8 * canvas_point_radius(p->n),
                     paint_with_alpha(style.paint, canvas_point_alpha(p->n)), false);
    }
    canvas_points_end(c);
}

static mst_status density_at(const mst_picture *p, size_t n, double **angles, double **out)
{
    MST_TRY(mst_allocate(angles, 2 * n));
    *out = *angles + n;
    for (size_t i = 0; i < n; i++)
        (*angles)[i] = 2 * M_PI * (double)i / (double)(n - 1) - M_PI;
    mst_status status = plot_log_density(p, n, *angles, *out);
    for (size_t i = 0; i < n && status == MST_OK; i++)
        (*out)[i] = exp((*out)[i]);
    return status;
}

static void draw_mean(canvas *c, const mst_picture *p, const rose *r, size_t k)
{
    const mst_picture_mean *mean = &p->means[k];
    const pen halo = {paint_paper, 0.8, false};
    paint look = plot_mean_paint(p, k);
    marker shape = p->mean_count > 1 ? style_of_group(k).marker : MARKER_DIAMOND;
    double half = plot_interval(mean), rim = r->inner + 12, angle = mean->at[0];
    if (plot_has_boundary(mean)) {
        for (size_t i = 0; i < mean->boundary_parts; i++) {
            const double *ends = mean->boundary + 2 * i;
            draw_arc(c, r, ends[0], ends[1] + (ends[1] < ends[0] ? 2 * M_PI : 0), rim);
            canvas_stroke(c, (pen){look, 2, false});
        }
        canvas_legend(c, "confidence region", MARKER_LINE, p->mean_count > 1 ? paint_quiet : look,
                      true);
    } else if (half < M_PI) {
        draw_arc(c, r, angle - half, angle + half, rim);
        canvas_stroke(c, (pen){look, 2, false});
        canvas_legend(c, "confidence interval", MARKER_LINE, p->mean_count > 1 ? paint_quiet : look,
                      true);
    } else if (mean->region != MST_REGION_NONE || mean->no_region != NULL) {
        canvas_note(c, "No confidence interval is drawn: %s.",
                    half >= M_PI                       ? "it reaches around the circle"
                    : mean->no_region != NULL          ? mean->no_region
                    : mean->region == MST_REGION_WHOLE ? "it is the whole circle"
                                                       : "it is not an interval");
    }
    for (size_t i = 0; i < mean->others; i++) {
        canvas_open_marker(c, shape, across(r, mean->set[i], rim), down(r, mean->set[i], rim), 2.8,
                           look);
        canvas_legend(c, "other means, as good", shape, look, false);
    }
    canvas_move(c, r->x, r->y);
    canvas_draw_to(c, across(r, angle, rim), down(r, angle, rim));
    canvas_stroke(c, (pen){look, 1, false});
    canvas_marker(c, shape, across(r, angle, rim), down(r, angle, rim), 3, look, halo);
    canvas_legend(c, mean->name != NULL ? mean->name : p->mean_word, shape, look, true);
}

enum { CURVE = 361 };

static void draw_density(canvas *c, const rose *r, const double *angles, const double *density)
{
    const paint look = {0, 0.45, 0.33, 1};
    for (size_t i = 0; i < CURVE; i++)
        canvas_draw_to(c, across(r, angles[i], radius_of(r, density[i])),
                       down(r, angles[i], radius_of(r, density[i])));
    canvas_stroke(c, (pen){look, 1, false});
    canvas_legend(c, "density of the fitted law", MARKER_LINE, look, true);
}

static mst_status draw(canvas *c, const mst_picture *p)
{
    double side = 0.9 * canvas_width(c), *shares = NULL, *angles = NULL, *density = NULL;
    rose r = {
        .x = canvas_width(c) / 2, .y = side / 2, .inner = side / 2 - 28, .largest = 1 / (2 * M_PI)};
    r.sectors = p->n < 60 ? 12 : p->n < 240 ? 18 : 36;
    canvas_set_height(c, side);
    mst_status status = p->n > 0 ? count_rows(p, &r, &shares) : MST_OK;
    if (status == MST_OK && plot_has_density(p))
        status = density_at(p, CURVE, &angles, &density);
    for (size_t k = 0; k < r.sectors && shares != NULL; k++)
        r.largest = fmax(r.largest, shares[k]);
    for (size_t k = 0; k < CURVE && density != NULL && status == MST_OK; k++)
        r.largest = fmax(r.largest, density[k]);
    if (status == MST_OK) {
        draw_frame(c, &r, p->degrees);
        if (shares != NULL)
            draw_sectors(c, &r, shares);
        if (p->n > 0)
            draw_points(c, p, &r);
        if (density != NULL)
            draw_density(c, &r, angles, density);
        for (size_t k = 0; k < p->mean_count; k++)
            draw_mean(c, p, &r, k);
        if (p->n > 0)
            canvas_note(
                c, "Areas of sectors of %.3g\u00b0 are in proportion to the number of points%s.",
                360 / (double)r.sectors, p->weights != NULL ? ", by their weights" : "");
        if (p->mean_count == 1 && (plot_interval(p->means) < M_PI || plot_has_boundary(p->means)))
            canvas_note(c, "Thick arc: %g %% confidence for the mean, not the spread of the data.",
                        100 * p->means[0].confidence);
    }
    mst_release(shares);
    mst_release(angles);
    return status;
}

const plot_kind kind_rose = {
    .info = {"rose", "rose diagram of equal areas, with mean and interval", "circle"},
    .suits = suits,
    .draw = draw,
};
