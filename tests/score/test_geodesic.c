/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Curves that follow a small-time limit. With the exact Log they are geodesics, which are
 * known without it. */
#include "support/score_support.h"

#include <manistat/brownian.h>
#include <manistat/network.h>

enum { N = 5, STEPS = 4 };

static const char *const specs[] = {"euclidean:3", "sphere:2", "hyperbolic:3",
                                    "so3",         "spd:3",    "product(sphere:2,euclidean:1)"};
enum { SPECS = sizeof specs / sizeof *specs };

typedef struct curves {
    mst_manifold *m;
    size_t D;
    double *x, *y, *points; /* (N, D), (N, D), (N, STEPS + 1, D) */
} curves;

static curves open_curves(const char *spec)
{
    dice die = {77};
    curves c = {.m = open_manifold(spec)};
    c.D = mst_manifold_ambient(c.m);
    c.x = doubles(N * c.D);
    c.y = doubles(N * c.D);
    c.points = doubles(N * (STEPS + 1) * c.D);
    for (size_t i = 0; i < N; i++) {
        random_place(c.m, &die, c.x + i * c.D);
        random_neighbour(c.m, &die, c.x + i * c.D, 0.9, c.y + i * c.D);
    }
    return c;
}

static void close_curves(curves *c)
{
    free(c->x), free(c->y), free(c->points);
    mst_manifold_free(c->m);
}

/* Exp_x(s Log_x(y)), and each end as it was given. */
START_TEST(exact_logs_make_geodesics)
{
    curves c = open_curves(specs[_i]);
    mst_score *log;
    double *v = doubles(c.D), *z = doubles(c.D);
    ASSERT_OK(mst_score_log_new(&log, c.m));
    ASSERT_OK(mst_score_geodesic(log, N, c.x, c.y, STEPS, c.points));
    for (size_t i = 0; i < N; i++) {
        const double *row = c.points + i * (STEPS + 1) * c.D;
        ck_assert(memcmp(row, c.x + i * c.D, c.D * sizeof *row) == 0);
        ck_assert(memcmp(row + STEPS * c.D, c.y + i * c.D, c.D * sizeof *row) == 0);
        for (size_t k = 1; k < STEPS; k++) {
            ASSERT_OK(mst_manifold_log(c.m, 1, c.x + i * c.D, c.y + i * c.D, v, NULL));
            for (size_t j = 0; j < c.D; j++)
                v[j] *= (double)k / STEPS;
            ASSERT_OK(mst_manifold_exp(c.m, 1, c.x + i * c.D, v, z));
            for (size_t j = 0; j < c.D; j++)
                assert_near(row[k * c.D + j], z[j], 1e-12 * (1 + max_abs(c.D, z)), "%s", specs[_i]);
        }
    }
    free(v), free(z);
    mst_score_free(log);
    close_curves(&c);
}
END_TEST

/* A network's curve is what its steps are, a row at a time or all at once. */
START_TEST(steps_make_the_curve)
{
    curves c = open_curves("sphere:2");
    mst_network *net = random_network(c.m, (network_design){.width = 8}, 3);
    mst_score *limit;
    ASSERT_OK(mst_score_network_log_new(&limit, net, 0));
    ASSERT_OK(mst_score_geodesic(limit, N, c.x, c.y, STEPS, c.points));
    for (size_t i = 0; i < N; i++) {
        double at[3];
        memcpy(at, c.x + 3 * i, sizeof at);
        for (size_t k = 0; k + 1 < STEPS; k++) {
            ASSERT_OK(
                mst_score_geodesic_step(limit, 1, c.y + 3 * i, (double)k / STEPS, 1. / STEPS, at));
            for (size_t j = 0; j < 3; j++)
                assert_near(at[j], c.points[(i * (STEPS + 1) + k + 1) * 3 + j], 1e-6, "row %zu", i);
        }
    }
    mst_score_free(limit);
    mst_network_free(net);
    close_curves(&c);
}
END_TEST

START_TEST(what_makes_no_geodesic)
{
    curves c = open_curves("sphere:2");
    mst_score *exact, *log;
    ASSERT_OK(mst_score_exact_new(&exact, c.m));
    ASSERT_OK(mst_score_log_new(&log, c.m));
    ASSERT_FAILS(MST_ARGUMENT, mst_score_geodesic(exact, N, c.x, c.y, STEPS, c.points));
    ASSERT_FAILS(MST_ARGUMENT, mst_score_geodesic(log, N, c.x, c.y, 0, c.points));
    ASSERT_FAILS(MST_ARGUMENT, mst_score_geodesic_step(log, N, c.y, 0.75, 0.25, c.x));
    ASSERT_FAILS(MST_ARGUMENT, mst_score_geodesic_step(log, N, c.y, 0.5, 0, c.x));
    ASSERT_OK(mst_score_geodesic(log, 0, c.x, c.y, STEPS, c.points));
    /* One step is the two ends. */
    ASSERT_OK(mst_score_geodesic(log, 1, c.x, c.y, 1, c.points));
    ck_assert(memcmp(c.points, c.x, 24) == 0 && memcmp(c.points + 3, c.y, 24) == 0);
    mst_score_free(exact);
    mst_score_free(log);
    close_curves(&c);
}
END_TEST

START_TEST(points_outside_a_training)
{
    enum { MANY = 2500 }; /* more than are looked at in one go */
    mst_manifold *m = open_manifold("euclidean:2");
    mst_network *net = random_network(m, (network_design){.width = 4}, 1);
    static const double centre[] = {3, 4};
    double *x = doubles(2 * MANY);
    mst_outside out;
    for (size_t i = 0; i < MANY; i++) {
        x[2 * i] = 3;
        x[2 * i + 1] = 4 + 2 * 1.09; /* a little outside, which is not counted */
    }
    x[2 * 7] = 3 + 2 * 1.11;
    x[2 * 2400] = 3 - 40;
    x[2 * 2400 + 1] = 4;
    ASSERT_OK(mst_network_outside(net, MANY, x, &out));
    ck_assert_uint_eq(out.rows, 0); /* nothing is known of this one */
    ASSERT_OK(network_set_reach(net, centre, 2));
    ASSERT_OK(mst_network_outside(net, MANY, x, &out));
    ck_assert(out.rows == 2 && out.farthest == 2400 && out.distance == 40);
    ASSERT_OK(mst_network_outside(net, 7, x, &out));
    ck_assert(out.rows == 0 && out.reach == 2 && !out.between);
    assert_near(out.distance, 2.18, 1e-12, "the farthest of those inside");
    /* Pairs: points a span apart or more, whether or not a centre is known. */
    double span = mst_network_span(net, 0.25), t = 0.25;
    double pair[] = {3, 4, 3 + 0.99 * span, 4, 3, 4 + 1.01 * span};
    ASSERT_OK(network_set_reach(net, centre, NAN));
    ASSERT_OK(
        mst_network_pairs_outside(net, &(mst_pairs){.n = 3, .x = pair, .y = pair, .t = &t}, &out));
    ck_assert(out.rows == 1 && out.farthest == 2 && out.between && out.reach == span);
    ASSERT_OK(
        mst_network_pairs_outside(net, &(mst_pairs){.n = 2, .x = pair, .y = pair, .t = &t}, &out));
    ck_assert(out.rows == 0 && out.farthest == 1);
    assert_near(out.distance, 0.99 * span, 1e-12, "of the pair that is farthest apart");
    /* A mean outside takes all rows with it. */
    ASSERT_OK(network_set_reach(net, centre, 2));
    static const double mean[] = {3, 6.5};
    ASSERT_OK(
        mst_network_pairs_outside(net, &(mst_pairs){.n = 1, .x = pair, .y = mean, .t = &t}, &out));
    ck_assert(out.rows == 1 && !out.between && out.distance == 2.5 && out.reach == 2);
    assert_near(mst_network_span(net, 0.25), 0.5 * (sqrt(2) + 5), 1e-15, "at 1/4");
    ck_assert(mst_network_span(net, 0) == mst_network_span(net, net->info.t_min));
    free(x);
    mst_network_free(net);
    mst_manifold_free(m);
}
END_TEST

/* Landmarks that are moved together are as near to the training as before: networks do not see where they
 * are. */
START_TEST(translations_are_not_outside)
{
    mst_manifold *m = open_manifold("landmarks:2x2?sigma=1");
    mst_network *net = random_network(m, (network_design){.width = 4}, 1);
    static const double centre[] = {5, 5, 7, 5};
    double x[] = {0.1, 0, 2, 0.2, 100.1, -50, 102, -49.8, 0, 0, 9, 0};
    mst_outside near, moved, all;
    ASSERT_OK(network_set_reach(net, centre, 1));
    ASSERT_OK(mst_network_outside(net, 1, x, &near));
    ASSERT_OK(mst_network_outside(net, 1, x + 4, &moved));
    ck_assert(near.rows == 0 && moved.rows == 0 && near.distance > 0.05);
    assert_near(moved.distance, near.distance, 1e-9, "the distance of what was moved");
    ASSERT_OK(mst_network_outside(net, 3, x, &all));
    ck_assert(all.rows == 1 && all.farthest == 2);
    mst_network_free(net);
    mst_manifold_free(m);
}
END_TEST

/* Negative curvature drives paths out, in high dimension as far as diffusion does; all but one in a million
 * stay inside, so that one of 4000 is outside with probability 0.004 at most. */
START_TEST(paths_stay_within_the_span)
{
    enum { PATHS = 4000 };
    static const char *const spaces[] = {"hyperbolic:2", "hyperbolic:20", "spd:3", "sphere:5"};
    mst_manifold *m = open_manifold(spaces[_i]);
    mst_network *net = random_network(m, (network_design){.width = 4}, 1);
    size_t D = mst_manifold_ambient(m);
    double *x = doubles((PATHS + 1) * D), t = 1;
    mst_outside out;
    mst_brownian_options o = mst_brownian_options_default();
    o.threads = 1;
    for (size_t i = 0; i <= PATHS; i++)
        mst_manifold_start(m, x + i * D);
    ASSERT_OK(mst_brownian_endpoints(m, PATHS, x + D, t, &o, x + D));
    ASSERT_OK(mst_network_pairs_outside(net, &(mst_pairs){.n = PATHS, .x = x + D, .y = x, .t = &t},
                                        &out));
    ck_assert_msg(out.rows == 0, "%s: %zu rows, %g of %g", spaces[_i], out.rows, out.distance,
                  out.reach);
    ck_assert_msg(out.distance > 0.4 * out.reach, "%s: a span of %g, and paths go %g", spaces[_i],
                  out.reach, out.distance);
    free(x);
    mst_network_free(net);
    mst_manifold_free(m);
}
END_TEST

int main(void)
{
    return RUN_SUITE("geodesic", 60, {exact_logs_make_geodesics, SPECS}, {steps_make_the_curve, 0},
                     {what_makes_no_geodesic, 0}, {points_outside_a_training, 0},
                     {translations_are_not_outside, 0}, {paths_stay_within_the_span, 4});
}
