/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Geodesics and paths that leave the domain end there: they are neither reflected, clipped nor drawn again,
 * and their rows are NAN. */
#include "manifold/formula_metric.h"
#include "support/manifolds.h"

#include <manistat/brownian.h>
#include <manistat/geodesic.h>
#include <stdlib.h>
#include <string.h>

static mst_manifold *make(const char *text)
{
    mst_manifold *m;
    ASSERT_OK(mst_formula_manifold_new(&m, "test", "test", text, strlen(text), 0, NULL));
    return m;
}

/* From `start` along the first coordinate, geodesics reach so far. */
static const struct {
    const char *text;
    size_t width;
    double start[3], reach;
} borders[] = {
    {"coordinates x y\ndomain x^2 + y^2 < 1\nmetric = 1\nstart = 0", 2, {0}, 1},
    /* The upper half of the sphere, by a graph whose derivatives are infinite at the border */
    {"coordinates x y\ndomain x^2 + y^2 < 1\nembedding = x, y, sqrt(1 - x^2 - y^2)\nstart = 0",
     2,
     {0},
     1.5707963267948966},
    /* Without a domain; the formula ends there itself */
    {"coordinates x y\nembedding = x, y, sqrt(1 - x^2 - y^2)\nstart = 0",
     2,
     {0},
     1.5707963267948966},
    {"coordinates x y z\nconstraint = x^2 + y^2 + z^2 - 1\ndomain z > 0\nstart = 0, 0, 1",
     3,
     {0, 0, 1},
     1.5707963267948966},
    /* Positive definite for x < ½ only; the length to there is ∫ √(1 − 2x) = ⅓ */
    {"coordinates x y\nmetric = 1 - 2*x\nstart = 0", 2, {0}, 1.0 / 3},
};
enum { BORDERS = sizeof borders / sizeof *borders };

START_TEST(geodesics_end_at_the_border)
{
    enum { N = 40 };
    mst_manifold *m = make(borders[_i].text);
    size_t D = borders[_i].width;
    double *x = doubles(N * D), *v = doubles(N * D), *y = doubles(N * D);
    mst_geodesic_status status[N];
    memset(v, 0, N * D * sizeof *v);
    for (size_t i = 0; i < N; i++) {
        memcpy(x + i * D, borders[_i].start, D * sizeof *x);
        v[i * D] = (0.0625 * (double)i + 0.01) * borders[_i].reach;
    }
    ASSERT_OK(mst_geodesic_exp(m, N, x, v, y, status));
    for (size_t i = 0; i < N; i++) {
        bool beyond = v[i * D] >= borders[_i].reach;
        ck_assert_msg(status[i] == (beyond ? MST_GEODESIC_LEFT_DOMAIN : MST_GEODESIC_ARRIVED),
                      "length %g: %s", v[i * D], mst_geodesic_status_words(status[i]));
        for (size_t a = 0; a < D; a++)
            ck_assert_int_eq(isnan(y[i * D + a]) != 0, beyond);
    }
    /* Without a status the first of them is the failure. */
    ASSERT_FAILS(MST_DOMAIN, mst_manifold_exp(m, N, x, v, y));
    free(x), free(v), free(y);
    mst_manifold_free(m);
}
END_TEST

START_TEST(a_closed_exp_always_arrives)
{
    mst_manifold *m;
    double x[3] = {0, 0, 1}, v[3] = {40, 0, 0}, y[3], want[3];
    mst_geodesic_status status;
    ASSERT_OK(mst_manifold_parse(&m, "sphere:2"));
    ASSERT_OK(mst_geodesic_exp(m, 1, x, v, y, &status));
    ASSERT_OK(mst_manifold_exp(m, 1, x, v, want));
    ck_assert_int_eq(status, MST_GEODESIC_ARRIVED);
    ck_assert_mem_eq(y, want, sizeof y);
    mst_manifold_free(m);
}
END_TEST

/* In the flat disc paths are those of the plane with the same noise, up to where they leave it. */
START_TEST(paths_are_those_of_the_plane_until_they_leave)
{
    enum { N = 3000, STEPS = 12, ROWS = STEPS + 1 };
    mst_manifold *disc = make(borders[0].text),
                 *plane = make("coordinates x y\nmetric = 1\nstart = 0");
    double *start = doubles(N * 2), *inside = doubles(N * ROWS * 2),
           *free_path = doubles(N * ROWS * 2), *ends = doubles(N * 2);
    size_t left = 0, lost = 0, ends_left = 0;
    mst_brownian_options o = mst_brownian_options_default();
    o.method = _i == 0 ? MST_BROWNIAN_TANGENT : MST_BROWNIAN_CHART;
    o.steps = STEPS;
    memset(start, 0, N * 2 * sizeof *start);
    ASSERT_OK(mst_brownian_paths(plane, N, start, 0.3, &o, free_path));
    o.left = &left;
    ASSERT_OK(mst_brownian_paths(disc, N, start, 0.3, &o, inside));
    o.left = &ends_left;
    ASSERT_OK(mst_brownian_endpoints(disc, N, start, 0.3, &o, ends));
    for (size_t i = 0; i < N; i++) {
        bool gone = false;
        for (size_t k = 0; k < ROWS; k++) {
            const double *p = inside + (i * ROWS + k) * 2, *q = free_path + (i * ROWS + k) * 2;
            gone = gone || dot(2, q, q) >= 1;
            for (size_t a = 0; a < 2; a++) {
                if (gone)
                    ck_assert_msg(isnan(p[a]), "path %zu is not lost after %zu steps", i, k);
                else
                    assert_near(p[a], q[a], 1e-12, "path %zu, step %zu", i, k);
            }
        }
        lost += gone;
        ck_assert_int_eq(isnan(ends[i * 2]) != 0, gone);
    }
    ck_assert_uint_eq(left, lost);
    ck_assert_uint_eq(ends_left, lost);
    ck_assert_uint_gt(lost, N / 20);
    ck_assert_uint_lt(lost, N / 2);
    free(start), free(inside), free(free_path), free(ends);
    mst_manifold_free(disc);
    mst_manifold_free(plane);
}
END_TEST

/* On a complete manifold no step is too long for a walk along geodesics. */
START_TEST(coarse_steps_stay_in_the_half_plane)
{
    enum { N = 500 };
    mst_manifold *m = make("coordinates x y\ndomain y > 0\nmetric = 1/y^2\nstart = 0, 1");
    double *x = doubles(N * 2);
    size_t left = 99;
    mst_brownian_options o = mst_brownian_options_default();
    o.steps = 1;
    o.left = &left;
    for (size_t i = 0; i < N; i++)
        mst_manifold_start(m, x + 2 * i);
    ASSERT_OK(mst_brownian_endpoints(m, N, x, 4, &o, x));
    ck_assert_uint_eq(left, 0);
    for (size_t i = 0; i < N; i++)
        ck_assert_double_gt(x[2 * i + 1], 0);
    free(x);
    mst_manifold_free(m);
}
END_TEST

/* A product loses a path with its factor, and other factors go on without it. */
START_TEST(products_lose_whole_rows)
{
    enum { N = 400 };
    mst_manifold *factors[2] = {make(borders[0].text)}, *m;
    ASSERT_OK(mst_manifold_parse(&factors[1], "sphere:2"));
    ASSERT_OK(mst_product_new(&m, 2, factors));
    double *x = doubles(N * 5);
    size_t left = 0, lost = 0;
    mst_brownian_options o = mst_brownian_options_default();
    o.steps = 4;
    o.left = &left;
    for (size_t i = 0; i < N; i++)
        mst_manifold_start(m, x + 5 * i);
    ASSERT_OK(mst_brownian_endpoints(m, N, x, 0.2, &o, x));
    for (size_t i = 0; i < N; i++) {
        ck_assert_int_eq(isnan(x[5 * i]), isnan(x[5 * i + 4]));
        lost += isnan(x[5 * i]) != 0;
    }
    ck_assert_uint_eq(left, lost);
    ck_assert_uint_gt(lost, 0);
    ck_assert_uint_lt(lost, N / 2);
    free(x);
    mst_manifold_free(m);
}
END_TEST

int main(void)
{
    return RUN_SUITE("leaving the domain", 60, {geodesics_end_at_the_border, BORDERS},
                     {a_closed_exp_always_arrives, 0},
                     {paths_are_those_of_the_plane_until_they_leave, 2},
                     {coarse_steps_stay_in_the_half_plane, 0}, {products_lose_whole_rows, 0});
}
