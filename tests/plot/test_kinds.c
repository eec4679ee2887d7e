/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* A small picture of every kind without words, for fonts differ, against the one in tests/plot/golden; those
 * that were looked at. MST_GOLDEN=write writes them anew. */
#include "golden.h"

#include <manistat/plot.h>
#include <math.h>

typedef struct sketch {
    const char *kind, *spec;
    double time; /* of the law about the start of the manifold */
} sketch;

static const sketch sketches[] = {
    {"sphere", "sphere:2", 0.3},   {"stereonet", "sphere:2", 0.3},   {"map", "sphere:2", 0.3},
    {"rose", "circle", 0.5},       {"ramachandran", "torus:2", 0.5}, {"plane", "euclidean:2", 1},
    {"disc", "hyperbolic:2", 0.5}, {"curve", "circle", 0},           {"loss", NULL, 0},
    {"over-time", NULL, 0},
};
enum { SKETCHES = sizeof sketches / sizeof *sketches };

static void setup(void)
{
    scratch_open();
}

static void teardown(void)
{
    scratch_close();
}

/* Points that depend on no generator of ours: a grid of the tangent space, shifted. */
enum { POINTS = 49 };
static void fill_points(const mst_manifold *m, const double *at, double time, double *x)
{
    size_t d = mst_manifold_dim(m), D = mst_manifold_ambient(m);
    for (size_t i = 0; i < POINTS; i++) {
        double c[2], v[3];
        for (size_t j = 0; j < d; j++)
            c[j] = sqrt(time) * (0.7 * ((double)(j == 0 ? i % 7 : i / 7) - 3) +
                                 0.2 * sin(3.0 * (double)(i + j)));
        ASSERT_OK(mst_manifold_from_frame(m, 1, at, c, v));
        ASSERT_OK(mst_manifold_exp(m, 1, at, v, x + i * D));
    }
}

static void draw_points(const sketch *s)
{
    static const double covariance[] = {0.02, 0.005, 0.005, 0.01};
    mst_manifold *m;
    mst_score *source;
    double start[3], away[3], at[3], basis[6], x[3 * POINTS], c[2] = {0.5, 0.3};
    ASSERT_OK(mst_manifold_parse(&m, s->spec));
    ASSERT_OK(mst_score_exact_new(&source, m));
    mst_manifold_start(m, start);
    ASSERT_OK(mst_manifold_from_frame(m, 1, start, c, away));
    ASSERT_OK(mst_manifold_exp(m, 1, start, away, at));
    ASSERT_OK(mst_manifold_frame(m, 1, at, basis));
    fill_points(m, at, s->time, x);
    mst_picture_mean mean = {.at = at,
                             .time = s->time,
                             .weight = 1,
                             .region = MST_REGION_ELLIPSOID,
                             .basis = basis,
                             .covariance = covariance,
                             .radius2 = 6,
                             .confidence = 0.95};
    mst_picture p = mst_picture_default();
    p.m = m;
    p.x = x;
    p.n = POINTS;
    p.means = &mean;
    p.mean_count = 1;
    p.source = source;
    ASSERT_OK(mst_plot_suits(s->kind, &p));
    compare_golden(&p, s->kind, s->kind);
    mst_score_free(source);
    mst_manifold_free(m);
}

static void draw_curve(const sketch *s)
{
    enum { STEPS = 41 };
    mst_manifold *m;
    double points[STEPS], over[STEPS], band[STEPS];
    ASSERT_OK(mst_manifold_parse(&m, s->spec));
    for (size_t i = 0; i < STEPS; i++) {
        over[i] = (double)i / 4;
        points[i] = 0.5 * over[i];
        band[i] = 0.2 + 0.02 * fabs(over[i] - 5);
    }
    mst_picture_curve curve = {.count = STEPS, .points = points, .s = over, .band = band};
    mst_picture p = mst_picture_default();
    p.m = m;
    p.curves = &curve;
    p.curve_count = 1;
    p.over = MST_OVER_COVARIATE;
    p.x = points;
    p.s = over;
    p.n = STEPS;
    compare_golden(&p, s->kind, s->kind);
    mst_manifold_free(m);
}

static void draw_series(const sketch *s)
{
    double x[30], y[30], low[30], high[30];
    for (int i = 0; i < 30; i++) {
        x[i] = 0.01 * pow(1.2, i);
        y[i] = 1 / (1 + x[i]) + 0.05 * sin(i);
        low[i] = 0.8 * y[i];
        high[i] = 1.2 * y[i];
    }
    mst_picture_series series[] = {{.count = 30, .x = x, .y = y},
                                   {.count = 10, .x = x, .y = low, .low = low, .high = high}};
    mst_picture p = mst_picture_default();
    p.series = series;
    p.series_count = 2;
    p.over = strcmp(s->kind, "loss") == 0 ? MST_OVER_STEPS : MST_OVER_TIME;
    p.x_log = p.y_log = p.over == MST_OVER_TIME;
    compare_golden(&p, s->kind, s->kind);
}

START_TEST(golden)
{
    const sketch *s = &sketches[_i];
    if (s->spec == NULL)
        draw_series(s);
    else if (s->time > 0)
        draw_points(s);
    else
        draw_curve(s);
}
END_TEST

/* A region that would reach around the space is not drawn, and the caption says so; nor
 * is one that was withdrawn. */
START_TEST(regions_that_are_none)
{
    static const double at[3] = {0, 0, 1}, basis[6] = {1, 0, 0, 0, 1, 0}, wide[4] = {3, 0, 0, 3};
    mst_picture_mean mean = {.at = at,
                             .time = NAN,
                             .weight = 1,
                             .region = MST_REGION_ELLIPSOID,
                             .basis = basis,
                             .covariance = wide,
                             .radius2 = 6,
                             .confidence = 0.95};
    mst_picture p = mst_picture_default();
    mst_manifold *m;
    char *text;
    size_t n;
    ASSERT_OK(mst_manifold_parse(&m, "sphere:2"));
    p.m = m;
    p.means = &mean;
    p.mean_count = 1;
    ASSERT_OK(mst_plot_draw(&text, &n, &p, MST_PLOT_SVG, NULL));
    ck_assert_ptr_nonnull(
        strstr(text, "No confidence region is drawn: it reaches around the space."));
    mst_plot_free(text);
    mean.region = MST_REGION_NONE;
    mean.no_region = "no more rows than dimensions";
    ASSERT_OK(mst_plot_draw(&text, &n, &p, MST_PLOT_SVG, NULL));
    ck_assert_ptr_nonnull(
        strstr(text, "No confidence region is drawn: no more rows than dimensions."));
    mst_plot_free(text);
    mst_manifold_free(m);
}
END_TEST

/* Coordinates that are no numbers are left out, not drawn somewhere. */
START_TEST(rows_without_numbers)
{
    static const double x[6] = {0, 0, NAN, 1, 1, INFINITY};
    mst_picture p = mst_picture_default();
    mst_manifold *m;
    char *text;
    size_t n;
    ASSERT_OK(mst_manifold_parse(&m, "euclidean:2"));
    p.m = m;
    p.x = x;
    p.n = 3;
    ASSERT_OK(mst_plot_draw(&text, &n, &p, MST_PLOT_SVG, NULL));
    ck_assert_ptr_null(strstr(text, "nan"));
    ck_assert_ptr_nonnull(strstr(text, "2 points lie outside of the frame."));
    mst_plot_free(text);
    mst_manifold_free(m);
}
END_TEST

int main(void)
{
    TCase *c = tcase_create("kinds");
    tcase_add_checked_fixture(c, setup, teardown);
    tcase_set_timeout(c, 60);
    tcase_add_loop_test(c, golden, 0, SKETCHES);
    tcase_add_test(c, regions_that_are_none);
    tcase_add_test(c, rows_without_numbers);
    return run_case("kinds", c);
}
