/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Chart blocks of formula files: the sphere in two charts is the sphere, a strip is turned over by its
 * gluing, and charts that do not fit together are refused with the place. */
#include "manifold/formula_metric.h"
#include "support/manifolds.h"
#include "support/statistics.h"

#include <manistat/brownian.h>
#include <stdlib.h>
#include <string.h>

#define SHIPPED MST_TEST_DATA "/../../examples/manifolds/"

static mst_manifold *open_manifold(const char *spec)
{
    mst_manifold *m;
    ASSERT_OK(mst_manifold_parse(&m, spec));
    return m;
}

/* Rows (u, v, chart) to unit vectors; chart 0 has the north pole in its middle. */
static void to_sphere(const double *x, double *y)
{
    double q = x[0] * x[0] + x[1] * x[1];
    y[0] = 2 * x[0] / (1 + q);
    y[1] = 2 * x[1] / (1 + q);
    y[2] = (x[2] == 0 ? 1 : -1) * (1 - q) / (1 + q);
}

/* And vectors there. */
static void push(const double *x, const double *v, double *w)
{
    double q = x[0] * x[0] + x[1] * x[1], along = 2 * (x[0] * v[0] + x[1] * v[1]), s = 1 + q;
    w[0] = 2 * v[0] / s - 2 * x[0] * along / (s * s);
    w[1] = 2 * v[1] / s - 2 * x[1] * along / (s * s);
    w[2] = (x[2] == 0 ? 1 : -1) * -2 * along / (s * s);
}

static void random_pair(uint64_t i, double *x, double *v)
{
    double z[4];
    mst_random_normals((mst_random){31, i}, 0, 4, z);
    for (size_t k = 0; k < 2; k++) {
        x[k] = 0.5 * z[k];
        v[k] = z[2 + k];
    }
    x[2] = (double)(i % 2);
    v[2] = 0;
    if (x[0] * x[0] + x[1] * x[1] > 2) /* in the chart where it belongs */
        x[0] = x[1] = 0.5;
}

START_TEST(the_sphere_in_charts_is_the_sphere)
{
    enum { N = 60 };
    mst_manifold *m = open_manifold(SHIPPED "sphere-charts.manifold"),
                 *sphere = open_manifold("sphere:2");
    for (size_t i = 0; i < N; i++) {
        double x[3], v[3], y[3], back[3], p[3], w[3], q[3], got[3], want[3], r, length;
        unsigned char flag;
        random_pair(i, x, v);
        to_sphere(x, p);
        push(x, v, w);
        ASSERT_OK(mst_manifold_norm(sphere, 1, p, w, &length));
        /* Within the injectivity radius, or Log is another vector. */
        for (size_t k = 0; k < 3; k++) {
            v[k] *= 2.9 / fmax(length, 2.9);
            w[k] *= 2.9 / fmax(length, 2.9);
        }
        ASSERT_OK(mst_manifold_exp(m, 1, x, v, y));
        ASSERT_OK(mst_manifold_exp(sphere, 1, p, w, want));
        to_sphere(y, q);
        ASSERT_OK(mst_manifold_log(m, 1, x, y, back, &flag));
        ASSERT_OK(mst_manifold_dist(m, 1, x, y, &r));
        push(x, back, got);
        for (size_t k = 0; k < 3; k++) {
            assert_near(q[k], want[k], 1e-9, "exp %zu", i);
            assert_near(got[k], w[k], 1e-9, "log %zu", i);
        }
        assert_near(r, fmin(length, 2.9), 1e-9, "distance %zu", i);
        ck_assert_double_le(y[0] * y[0] + y[1] * y[1], 2);
    }
    mst_manifold_free(m);
    mst_manifold_free(sphere);
}
END_TEST

/* cos r is an eigenfunction: its mean is e^−t, and the direction is uniform. Five standard errors each: a
 * false alarm in 1.7 million. */
START_TEST(brownian_motion_on_charts_has_the_law_of_the_sphere)
{
    enum { N = 4000 };
    mst_manifold *m = open_manifold(SHIPPED "sphere-charts.manifold");
    const double from[3] = {0.9, -0.7, 1}, t = 0.8;
    double *x = doubles(N * 3), start[3], end[3];
    size_t left = 9;
    moments level = {0}, other = {0};
    mst_brownian_options o = mst_brownian_options_default();
    o.steps = 10;
    o.left = &left;
    to_sphere(from, start);
    for (size_t i = 0; i < N; i++)
        memcpy(x + 3 * i, from, sizeof from);
    ASSERT_OK(mst_brownian_endpoints(m, N, x, t, &o, x));
    ck_assert_uint_eq(left, 0);
    for (size_t i = 0; i < N; i++) {
        to_sphere(x + 3 * i, end);
        moments_add(&level, dot(3, start, end));
        moments_add(&other, start[1] * end[0] - start[0] * end[1]);
    }
    assert_mean(&level, exp(-t), 1e-3, "cosine of the distance");
    assert_mean(&other, 0, 1e-3, "to the side");
    free(x);
    mst_manifold_free(m);
}
END_TEST

START_TEST(the_strip_is_turned_over)
{
    mst_manifold *m = open_manifold(SHIPPED "moebius.manifold");
    const double x[3] = {0, 0, 0}, turn[3] = {6.283185307179586, 0, 0}, across[3] = {0, 1, 0};
    double y[3], u[3], ricci[3];
    ASSERT_OK(mst_manifold_exp(m, 1, x, turn, y));
    for (size_t k = 0; k < 3; k++)
        assert_near(y[k], x[k], 1e-9, "once round");
    ASSERT_OK(mst_manifold_transport(m, 1, x, turn, across, u));
    assert_near(u[0], 0, 1e-9, "transport");
    assert_near(u[1], -1, 1e-9, "transport");
    const double at[3] = {1, 0.7, 1};
    ASSERT_OK(mst_manifold_ricci(m, 1, at, across, ricci));
    assert_near(ricci[1], -1, 1e-9, "curvature");
    mst_manifold_free(m);
}
END_TEST

#define HEAD "coordinates u v\nlet q = u^2 + v^2\nstart = 0, 0\n"
#define TWO                                                                                        \
    "chart a\nmetric = 4/(1 + q)^2\nleave q > 2 -> b\nchart b\nmetric = 4/(1 + q)^2\nleave q > 2 " \
    "-> a\n"

static const struct {
    const char *text, *message;
} wrong[] = {
    {HEAD TWO "transition a -> b = u/q, v/q\ntransition b -> a = u/q, -v/q\n",
     "line 10, column 1: ("},
    {HEAD TWO "transition a -> b = 2*u/q, 2*v/q\ntransition b -> a = 2*u/q, 2*v/q\n",
     "line 10, column 1: lengths change"},
    {HEAD "chart a\nmetric = 1\nchart b\nmetric = 1\ntransition a -> b = u, v\n",
     "line 8, column 1: there is no transition back"},
    {HEAD TWO, "line 6, column 1: there is no transition to that chart"},
    {HEAD TWO "transition a -> c = u, v\n", "line 10, column 17: the name of a chart above"},
    {HEAD TWO "transition a = u, v\n", "line 10, column 14: a -> is missing"},
    {HEAD TWO "transition a -> b = u/q\n", "a ',' is missing here"},
    {HEAD "chart a\nchart b\nmetric = 1\n", "chart \"a\" has no embedding"},
    {HEAD "chart a\nmetric = 1\n", "line 4, column 7: one chart needs no block"},
    {HEAD "metric = 1\nchart a\n", "line 5, column 7: formulas and domains must stand below"},
    {HEAD "chart a\nmetric = 1\nmetric = 1\n", "line 6, column 1: a chart has one"},
    {HEAD "chart a\nconstraint = u\n", "line 5, column 1: a constraint needs no charts"},
    {HEAD "chart a\nmetric = 1\nleave q > 1 -> x\nchart b\nmetric = 1\n",
     "line 6, column 16: there is no such chart"},
    {HEAD "leave q > 1 -> x\n", "line 4, column 1: leave stands below a chart"},
    /* Sent back and forth */
    {HEAD "chart a\nmetric = 4/(1 + q)^2\nleave q > 0.5 -> b\nchart b\nmetric = 4/(1 + q)^2\n"
          "leave q > 0.5 -> a\ntransition a -> b = u/q, v/q\ntransition b -> a = u/q, v/q\n",
     "is sent back and forth"},
    /* A chart that does not reach what is sent there */
    {HEAD "chart a\nmetric = 4/(1 + q)^2\nleave q > 2 -> b\nchart b\nmetric = 4/(1 + q)^2\n"
          "domain q < 0.2\ntransition a -> b = u/q, v/q\ntransition b -> a = u/q, v/q\n",
     "line 6, column 1: the other chart does not reach"},
};
enum { WRONG = sizeof wrong / sizeof *wrong };

START_TEST(charts_that_do_not_fit_are_refused)
{
    mst_manifold *m;
    const char *text = wrong[_i].text;
    ASSERT_FAILS(MST_FORMAT,
                 mst_formula_manifold_new(&m, "test", "test", text, strlen(text), 0, NULL));
    ck_assert_msg(strstr(mst_error_detail(), wrong[_i].message) != NULL, "%s", mst_error_detail());
    ck_assert_ptr_null(m);
}
END_TEST

int main(void)
{
    return RUN_SUITE("charts of formula files", 60, {the_sphere_in_charts_is_the_sphere, 0},
                     {brownian_motion_on_charts_has_the_law_of_the_sphere, 0},
                     {the_strip_is_turned_over, 0}, {charts_that_do_not_fit_are_refused, WRONG});
}
