/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Kinds of pictures of landmarks, matrices, surfaces, rotations and latent planes. */
#include "golden.h"

#include <manistat/learned.h>
#include <math.h>

typedef struct sketch {
    const char *kind, *spec;
    double spread;
    const char *name; /* of the golden picture */
} sketch;

#define EXAMPLES MST_TEST_DATA "/../../examples/manifolds/"
static const sketch sketches[] = {
    {"landmarks", "kendall:6x2", 0.05, "landmarks"},
    {"landmarks", "size-and-shape:6x3", 0.05, "landmarks-space"},
    {"grid", "kendall:6x2", 0.05, "grid"},
    {"ellipsoids", "spd:2", 0.1, "ellipses"},
    {"ellipsoids", "spd:3", 0.1, "ellipsoids"},
    {"matrix", "spd:5", 0.1, "matrix"},
    {"tangent", "sphere:4", 0.2, "tangent"},
    {"rotations", "so3", 0.2, "rotations"},
    {"surface", EXAMPLES "torus.manifold", 0.2, "surface"},
    {"surface", EXAMPLES "ellipsoid.manifold", 0.2, "surface-equation"},
};
enum { SKETCHES = sizeof sketches / sizeof *sketches, POINTS = 40, MOST = 32 };

static void setup(void)
{
    scratch_open();
}

static void teardown(void)
{
    scratch_close();
}

/* Numbers of no generator of ours. */
static double wobble(size_t i, size_t j)
{
    return sin(1.7 * (double)i * (1 + 0.31 * (double)j) + (double)j);
}

typedef struct stage {
    mst_manifold *m;
    mst_picture_mean mean;
    mst_picture p;
    double at[MOST], basis[MOST * MOST], covariance[MOST * MOST], x[POINTS * MOST];
} stage;

/* A mean a little away from the start, points about it, and a covariance that is a multiple of the unit. */
static void set(stage *s, const char *spec, double spread)
{
    double c[MOST], v[MOST], start[MOST];
    ASSERT_OK(mst_manifold_parse(&s->m, spec));
    size_t d = mst_manifold_dim(s->m), D = mst_manifold_ambient(s->m);
    ck_assert_uint_le(D, MOST);
    mst_manifold_start(s->m, start);
    for (size_t j = 0; j < d; j++)
        c[j] = 0.3 * wobble(3, j);
    ASSERT_OK(mst_manifold_from_frame(s->m, 1, start, c, v));
    ASSERT_OK(mst_manifold_exp(s->m, 1, start, v, s->at));
    ASSERT_OK(mst_manifold_frame(s->m, 1, s->at, s->basis));
    for (size_t i = 0; i < POINTS; i++) {
        for (size_t j = 0; j < d; j++)
            c[j] = spread * (j == 0 ? 2 : 1) * wobble(i, j);
        ASSERT_OK(mst_manifold_from_frame(s->m, 1, s->at, c, v));
        ASSERT_OK(mst_manifold_exp(s->m, 1, s->at, v, s->x + i * D));
    }
    for (size_t j = 0; j < d; j++)
        s->covariance[j * d + j] = spread * spread / POINTS;
    s->mean = (mst_picture_mean){.at = s->at,
                                 .time = NAN,
                                 .weight = 1,
                                 .region = MST_REGION_ELLIPSOID,
                                 .basis = s->basis,
                                 .covariance = s->covariance,
                                 .radius2 = 2.5 * (double)d,
                                 .confidence = 0.95};
    s->p = mst_picture_default();
    s->p.m = s->m;
    s->p.x = s->x;
    s->p.n = POINTS;
    s->p.means = &s->mean;
    s->p.mean_count = 1;
}

START_TEST(golden)
{
    const sketch *k = &sketches[_i];
    stage s = {0};
    set(&s, k->spec, k->spread);
    ck_assert_msg(mst_plot_default_kind(&s.p) != NULL, "%s", k->kind);
    ASSERT_OK(mst_plot_suits(k->kind, &s.p));
    compare_golden(&s.p, k->kind, k->name);
    mst_manifold_free(s.m);
}
END_TEST

static void expect_caption(const mst_picture *p, const mst_plot_options *o, const char *words)
{
    char *text;
    size_t n;
    ASSERT_OK(mst_plot_draw(&text, &n, p, MST_PLOT_SVG, o));
    ck_assert_msg(strstr(text, words) != NULL, "not in the caption: %s", words);
    ck_assert_ptr_null(strstr(text, "nan"));
    mst_plot_free(text);
}

/* Which kind comes first; quaternions only by name, for points of the three-sphere need not be any. */
START_TEST(first_choices)
{
    static const char *const choices[][2] = {
        {"kendall:6x2", "landmarks"}, {"spd:3", "ellipsoids"},
        {"spd:5", "matrix"},          {"so3", "rotations"},
        {"sphere:3", "tangent"},      {EXAMPLES "torus.manifold", "surface"}};
    for (size_t i = 0; i < sizeof choices / sizeof *choices; i++) {
        stage s = {0};
        set(&s, choices[i][0], 0.05);
        ck_assert_str_eq(mst_plot_default_kind(&s.p), choices[i][1]);
        mst_manifold_free(s.m);
    }
    stage s = {0};
    mst_plot_options o = mst_plot_options_default();
    set(&s, "sphere:3", 0.1);
    o.kind = "rotations";
    expect_caption(&s.p, &o, "unit quaternions");
    mst_manifold_free(s.m);
}
END_TEST

/* A result without error bars has none in the picture, and the caption says why. */
START_TEST(no_regions)
{
    static const char *const specs[] = {"kendall:6x2", "so3", "sphere:4"};
    for (size_t i = 0; i < 3; i++) {
        stage s = {0};
        set(&s, specs[i], 0.05);
        s.mean.region = MST_REGION_NONE;
        s.mean.no_region = "no more rows than dimensions";
        expect_caption(&s.p, NULL, "drawn: no more rows than dimensions.");
        mst_manifold_free(s.m);
    }
}
END_TEST

START_TEST(specimens_and_outlines)
{
    static const char *const wrong[] = {"round",  "closed:0-3", "closed:2-9",
                                        "open:3", "closed1-3",  "open:1-3;"};
    mst_plot_options o = mst_plot_options_default();
    stage s = {0};
    char *drawn;
    size_t n;
    set(&s, "kendall:6x2", 0.05);
    o.kind = "grid";
    expect_caption(&s.p, &o, "the farthest from the mean");
    o.specimen = 7;
    expect_caption(&s.p, &o, "specimen 7 (right)");
    o.specimen = POINTS + 1;
    ASSERT_FAILS(MST_ARGUMENT, mst_plot_draw(&drawn, &n, &s.p, MST_PLOT_SVG, &o));
    s.p.n = 0;
    o.specimen = 0;
    ASSERT_FAILS(MST_UNABLE, mst_plot_draw(&drawn, &n, &s.p, MST_PLOT_SVG, &o));
    o.kind = "landmarks";
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        o.outline = wrong[i];
        ASSERT_FAILS(MST_ARGUMENT, mst_plot_draw(&drawn, &n, &s.p, MST_PLOT_SVG, &o));
    }
    o.outline = "closed:1-3,4-6";
    expect_caption(&s.p, &o, "<desc>");
    mst_manifold_free(s.m);
}
END_TEST

START_TEST(latent)
{
    enum { N = 16 };
    double z[2 * N], y[4 * N];
    stage s = {0};
    mst_gp_options o = mst_gp_options_default();
    o.height = o.width = 2;
    o.noise = 1e-3;
    o.length_scale = 0.6;
    o.variance = 1;
    for (size_t i = 0; i < N; i++) {
        double angle = 2 * M_PI * (double)i / N;
        z[2 * i] = cos(angle);
        z[2 * i + 1] = sin(angle);
        for (size_t j = 0; j < 4; j++)
            y[4 * i + j] = sin(angle + (double)j);
    }
    ASSERT_OK(mst_gp_learn(&s.m, "ring.gp", N, 2, z, 4, y, &o));
    s.p = mst_picture_default();
    s.p.m = s.m;
    s.p.x = z;
    s.p.n = N;
    s.mean = (mst_picture_mean){.at = z, .time = NAN, .weight = 1};
    s.p.means = &s.mean;
    s.p.mean_count = 1;
    ck_assert_str_eq(mst_plot_default_kind(&s.p), "latent");
    compare_golden(&s.p, "latent", "latent");
    mst_manifold_free(s.m);
}
END_TEST

int main(void)
{
    TCase *c = tcase_create("shapes_kinds");
    tcase_add_checked_fixture(c, setup, teardown);
    tcase_set_timeout(c, 60);
    tcase_add_loop_test(c, golden, 0, SKETCHES);
    tcase_add_test(c, first_choices);
    tcase_add_test(c, no_regions);
    tcase_add_test(c, specimens_and_outlines);
    tcase_add_test(c, latent);
    return run_case("shapes_kinds", c);
}
