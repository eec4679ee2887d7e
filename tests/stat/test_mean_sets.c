/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Means that are not unique, times that run away, and data at the edge: what is to be said is said. */
#include "stat/extrinsic.h"
#include "stat/mean_support.h"

static mst_mean_result *fit_sphere(mst_status expected, bool frechet, double time, size_t n,
                                   const double *x, size_t starts)
{
    setting s = setting_open("sphere:2");
    mst_mean_options o = mst_mean_options_default();
    o.time = time;
    o.starts = starts;
    mst_mean_result *r = fit_ending(expected, frechet ? s.log : s.exact, n, x, &o);
    setting_close(&s);
    return r;
}

/* ---- Sets of means ---- */

/* Every point of the circle half way between them is a mean. */
START_TEST(antipodes_have_a_circle_of_means)
{
    static const double x[] = {0.6, 0, 0.8, -0.6, 0, -0.8};
    static const double times[] = {0, 0.05, 0.5, 3};
    for (size_t k = 0; k < 4; k++) {
        mst_mean_result *r = fit_sphere(MST_OK, times[k] == 0, times[k], 2, x, 8);
        ck_assert(r->converged && !r->unique);
        ck_assert_uint_gt(r->set_size, 4); /* of 8 starts */
        for (size_t i = 0; i < r->set_size; i++)
            assert_near(dot(3, r->set[i].mean, x), 0, 1e-7, "t = %g: member %zu", times[k], i);
        ck_assert(isnan(r->standard_error) && isnan(r->covariance[0]));
        if (times[k] == 0)
            assert_near(r->variance, M_PI * M_PI / 4, 1e-9, "variance");
        mst_mean_result_free(r);
    }
}
END_TEST

/* Four points of a square on the equator: the two poles, and for small times perhaps
 * more, but the set is invariant. */
START_TEST(a_square_has_two_means)
{
    static const double x[] = {1, 0, 0, 0, 1, 0, -1, 0, 0, 0, -1, 0};
    for (size_t k = 0; k < 2; k++) {
        mst_mean_result *r = fit_sphere(MST_OK, k == 0, k == 0 ? 0 : 0.3, 4, x, 30);
        ck_assert(!r->unique);
        ck_assert_uint_eq(r->set_size, 2);
        for (size_t i = 0; i < 2; i++)
            assert_near(fabs(r->set[i].mean[2]), 1, 1e-9, "pole %zu", i);
        assert_near(r->set[0].mean[2] + r->set[1].mean[2], 0, 1e-9, "both poles");
        mst_mean_result_free(r);
    }
}
END_TEST

START_TEST(a_circle_with_two_opposite_clusters)
{
    setting s = setting_open("circle");
    /* Symmetric under θ → −θ: means come in pairs. 60 % at 0, 40 % at π: Fréchet means at ±0.4 π. */
    enum { N = 100 };
    double x[N];
    for (size_t i = 0; i < N; i += 2) {
        double off = 0.001 * (double)i;
        x[i] = i < 60 ? off : M_PI - off;
        x[i + 1] = -x[i];
    }
    double want = 0;
    for (size_t i = 60; i < N; i += 2)
        want += M_PI;
    want *= 2.0 / N;
    mst_mean_options o = mst_mean_options_default();
    o.starts = 10;
    mst_mean_result *r = fit_ending(MST_OK, s.log, N, x, &o);
    ck_assert(!r->unique);
    ck_assert_uint_eq(r->set_size, 2);
    assert_near(fabs(r->mean[0]), want, 1e-9, "mean");
    assert_near(r->set[0].mean[0] + r->set[1].mean[0], 0, 1e-9, "the other");
    mst_mean_result_free(r);
    /* Half and half: four by symmetry of the Fréchet mean, two of the diffusion mean at a large time. */
    for (size_t i = 0; i < N; i++)
        x[i] = (i % 2 == 0 ? 0 : M_PI) + 0.002 * ((double)(i / 2) - 24.5);
    r = fit_ending(MST_OK, s.log, N, x, &o);
    ck_assert(!r->unique && r->set_size == 2);
    assert_near(fabs(r->mean[0]), M_PI / 2, 1e-9, "half way");
    mst_mean_result_free(r);
    setting_close(&s);
}
END_TEST

/* More rows than are looked at from every start: the second mean is found on a sample. */
START_TEST(two_means_of_many_rows)
{
    setting s = setting_open("sphere:2");
    enum { PAIRS = 15001, N = 2 * PAIRS };
    double from[] = {0, 1, 0}, *half = draw(&s, PAIRS, from, 0.02, 41), *x = doubles(N * 3);
    for (size_t i = 0; i < PAIRS; i++)
        for (size_t k = 0; k < 3; k++) {
            x[6 * i + k] = half[3 * i + k];
            x[6 * i + 3 + k] = k == 1 ? -half[3 * i + k] : half[3 * i + k];
        }
    /* Two clusters at ±y, stretched along x: at a small fixed time the means are ±z, or every point of the
     * circle between. Some more rows at ±x decide for ±z. */
    for (size_t i = 0; i < 3000; i++) {
        double *row = x + 3 * i;
        row[1] *= 0.1;
        row[2] *= 0.5;
        row[0] = i % 2 == 0 ? 1 : -1;
        ASSERT_OK(mst_manifold_project(s.m, 1, row, row));
    }
    /* Make it symmetric under z → −z. */
    for (size_t i = 0; i < PAIRS; i++) {
        memcpy(x + 3 * (PAIRS + i), x + 3 * i, 3 * sizeof *x);
        x[3 * (PAIRS + i) + 2] *= -1;
    }
    mst_mean_options o = mst_mean_options_default();
    o.starts = 12;
    o.time = 0.5;
    mst_mean_result *r = fit_ending(MST_OK, s.exact, N, x, &o);
    ck_assert(!r->unique);
    ck_assert_uint_eq(r->set_size, 2);
    assert_near(r->set[0].mean[2] + r->set[1].mean[2], 0, 1e-6, "mirror images");
    ck_assert(fabs(r->mean[2]) > 0.9);
    mst_mean_result_free(r);
    /* Hardly any row weighs: none of a sample does. */
    double *weights = doubles(N);
    memset(weights, 0, N * sizeof *weights);
    weights[5] = weights[7] = 1;
    o.weights = weights;
    r = fit_ending(MST_OK, s.exact, N, x, &o);
    mst_mean_result_free(r);
    /* All but a few rows are one point. */
    for (size_t i = 3; i < N; i++)
        memcpy(x + 3 * i, from, sizeof from);
    o.weights = NULL;
    o.time = 0;
    r = fit_ending(MST_OK, s.exact, N, x, &o);
    ck_assert(r->time > 0 && r->time < 0.01);
    mst_mean_result_free(r);
    free(half), free(x), free(weights);
    setting_close(&s);
}
END_TEST

/* ---- Times that run away ---- */

static void assert_runs_away(mst_mean_result *r, mst_time_limit limit, const char *what)
{
    ck_assert_msg(r->time_limit == limit && isnan(r->time) && isnan(r->set[0].time) &&
                      !r->converged && isnan(r->standard_error) && isnan(r->time_standard_error),
                  "%s: limit %d, time %g", what, (int)r->time_limit, r->time);
    ck_assert_msg(r->unique == (limit == MST_TIME_ZERO), "%s: unique", what);
    ck_assert_msg(r->end == (limit == MST_TIME_ZERO ? MST_FIT_COLLAPSED : MST_FIT_UNIFORM),
                  "%s: end %d", what, (int)r->end);
}

START_TEST(one_point_has_time_zero)
{
    static const char *const specs[] = {"euclidean:2", "sphere:2", "so3",    "hyperbolic:2",
                                        "spd:2",       "torus:3",  "circle", "sphere:10"};
    static const size_t counts[] = {1, 2, 1000};
    for (size_t k = 0; k < sizeof specs / sizeof *specs; k++) {
        setting s = setting_open(specs[k]);
        double *x = doubles(1001 * s.D), *one = draw(&s, 2, NULL, k == 3 ? 9 : 0.7, 42);
        for (size_t i = 0; i < 1001; i++)
            memcpy(x + i * s.D, i < 1000 ? one : one + s.D, s.D * sizeof *x);
        mst_mean_options o = mst_mean_options_default();
        for (size_t c = 0; c < 4; c++) {
            /* At last with another row that has no weight, and a start elsewhere. */
            double weights[1001];
            for (size_t i = 0; i < 1001; i++)
                weights[i] = i < 1000 ? 0.3 : 0;
            o.weights = c < 3 ? NULL : weights;
            o.start = c < 3 ? NULL : one + s.D;
            size_t n = c < 3 ? counts[c] : 1001;
            mst_mean_result *r = fit_ending(MST_CONVERGENCE, s.exact, n, x, &o);
            assert_one_line("one point");
            assert_runs_away(r, MST_TIME_ZERO, specs[k]);
            ck_assert(memcmp(r->mean, one, s.D * sizeof *one) == 0);
            mst_mean_result_free(r);
            /* The Fréchet mean has no such trouble. */
            r = fit_ending(MST_OK, s.log, n, x, &o);
            ck_assert_msg(r->unique && r->set_size == 1, "%s: not unique", specs[k]);
            assert_near(gap(&s, r->mean, one), 0, 1e-9, "%s: Fréchet mean", specs[k]);
            assert_near(r->variance, 0, 1e-18, "%s: variance", specs[k]);
            ck_assert(n > 1 || isnan(r->standard_error));
            mst_mean_result_free(r);
            /* Nor has a fixed time. */
            o.time = 0.2;
            r = fit_ending(MST_OK, s.exact, n, x, &o);
            assert_near(gap(&s, r->mean, one), 0, 1e-9, "%s: fixed time", specs[k]);
            ck_assert(r->standard_error > 0);
            o.time = 0;
            mst_mean_result_free(r);
        }
        free(x), free(one);
        setting_close(&s);
    }
}
END_TEST

/* Corners of solids: spread more evenly than any random sample. */
START_TEST(even_data_have_time_infinity)
{
    double g = (1 + sqrt(5)) / 2, size = sqrt(1 + g * g);
    double icosahedron[36], octahedron[18] = {0}, tetrahedron[12];
    for (size_t i = 0; i < 12; i++) {
        double *p = icosahedron + 3 * i;
        p[i / 4] = 0;
        p[(i / 4 + 1) % 3] = (i % 2 == 0 ? 1 : -1) / size;
        p[(i / 4 + 2) % 3] = (i % 4 < 2 ? g : -g) / size;
    }
    for (size_t i = 0; i < 6; i++)
        octahedron[3 * i + i / 2] = i % 2 == 0 ? 1 : -1;
    for (size_t i = 0; i < 4; i++)
        for (size_t k = 0; k < 3; k++)
            tetrahedron[3 * i + k] = (i == 0 || i == k + 1 ? 1 : -1) / sqrt(3);
    static const double pair[] = {0, 0.6, 0.8, 0, -0.6, -0.8};
    const struct {
        const char *what;
        size_t n;
        const double *x;
    } cases[] = {{"pair", 2, pair},
                 {"tetrahedron", 4, tetrahedron},
                 {"octahedron", 6, octahedron},
                 {"icosahedron", 12, icosahedron}};
    /* From a corner alone, where scores vanish, and from several starts. */
    for (size_t k = 0; k < 8; k++) {
        const char *what = cases[k / 2].what;
        mst_mean_result *r = fit_sphere(MST_CONVERGENCE, false, 0, cases[k / 2].n, cases[k / 2].x,
                                        k % 2 == 0 ? 1 : 4);
        assert_one_line(what);
        assert_runs_away(r, MST_TIME_INFINITY, what);
        /* Nothing is better than the uniform law. */
        assert_near(r->log_likelihood, -(double)cases[k / 2].n * log(4 * M_PI), 1e-4, "%s", what);
        mst_mean_result_free(r);
    }
    /* Angles; the methods of first order may not get there, but they must not say that they did. */
    setting s = setting_open("circle");
    double angles[7];
    for (size_t i = 0; i < 7; i++)
        angles[i] = 2 * M_PI * (double)i / 7 + 0.1;
    mst_mean_options o = mst_mean_options_default();
    for (size_t k = 0; k < 3; k++) {
        o.method = (mst_mean_method)k;
        mst_mean_result *r = fit_ending(MST_CONVERGENCE, s.exact, 7, angles, &o);
        ck_assert(!r->converged);
        if (k == 0)
            assert_runs_away(r, MST_TIME_INFINITY, "circle");
        mst_mean_result_free(r);
    }
    setting_close(&s);
}
END_TEST

/* ---- Other edges ---- */

START_TEST(data_on_a_great_circle)
{
    /* An arc of the equator: the mean is its middle, and it is a maximum across the circle too. */
    enum { N = 21 };
    double x[3 * N];
    for (size_t i = 0; i < N; i++) {
        double angle = 0.1 * ((double)i - 10);
        x[3 * i] = cos(angle);
        x[3 * i + 1] = sin(angle);
        x[3 * i + 2] = 0;
    }
    for (size_t k = 0; k < 2; k++) {
        mst_mean_result *r = fit_sphere(MST_OK, k == 0, 0, N, x, 4);
        ck_assert(r->unique);
        assert_near(r->mean[0], 1, 1e-12, "middle");
        ck_assert(r->region_volume > 0 || k == 0);
        mst_mean_result_free(r);
    }
}
END_TEST

START_TEST(rows_without_weight_may_be_anywhere)
{
    setting s = setting_open("euclidean:2");
    const double x[] = {1, 2, 1e200, -1e200, 3, 6}, weights[] = {1, 0, 1};
    mst_mean_options o = mst_mean_options_default();
    o.weights = weights;
    for (size_t k = 0; k < 2; k++) {
        mst_mean_result *r = fit(k == 0 ? s.exact : s.log, 3, x, &o);
        assert_near(r->mean[0], 2, 1e-12, "mean");
        assert_near(r->mean[1], 4, 1e-12, "mean");
        assert_near(r->variance, 5, 1e-12, "variance");
        mst_mean_result_free(r);
    }
    setting_close(&s);
}
END_TEST

START_TEST(means_of_coordinates)
{
    setting s = setting_open("product(sphere:2,torus:2,euclidean:1)");
    /* Around the date line: the mean of the angles 3 and −3 is π. */
    const double x[] = {1, 0, 0, 3, 0.1, 1, 0, 1, 0, -3, 0.4, 4}, weights[] = {1, 2};
    double mean[6];
    ASSERT_OK(mean_extrinsic(s.m, 2, x, NULL, mean));
    const double want[] = {sqrt(0.5), sqrt(0.5), 0, M_PI, 0.25, 2.5};
    for (size_t k = 0; k < 6; k++)
        assert_near(k == 3 ? fabs(mean[k]) : mean[k], want[k], 1e-15 * 8, "coordinate %zu", k);
    ASSERT_OK(mean_extrinsic(s.m, 2, x, weights, mean));
    assert_near(mean[0] / mean[1], 0.5, 1e-14, "weights");
    assert_near(mean[3], -M_PI + atan2(sin(3), -3 * cos(3)), 1e-14, "weights");
    assert_near(mean[5], 3, 1e-14, "weights");
    setting_close(&s);
    /* Opposite points and angles have no direction. */
    const double opposite[] = {0, 0.6, 0.8, 0, -0.6, -0.8}, angles[] = {0.3, 0.3 + M_PI};
    s = setting_open("sphere:2");
    ASSERT_FAILS(MST_DOMAIN, mean_extrinsic(s.m, 2, opposite, NULL, mean));
    setting_close(&s);
    s = setting_open("circle");
    ASSERT_FAILS(MST_DOMAIN, mean_extrinsic(s.m, 2, angles, NULL, mean));
    setting_close(&s);
}
END_TEST

START_TEST(two_points_have_their_middle)
{
    static const double x[] = {1, 0, 0, 0, 1, 0};
    for (size_t k = 0; k < 2; k++) {
        mst_mean_result *r = fit_sphere(MST_OK, k == 0, 0, 2, x, 4);
        ck_assert(r->unique);
        assert_near(r->mean[0], sqrt(0.5), 1e-10, "middle");
        assert_near(r->mean[1], sqrt(0.5), 1e-10, "middle");
        mst_mean_result_free(r);
    }
}
END_TEST

/* Nearly equal rows: the time is small but there. */
START_TEST(tiny_spread)
{
    setting s = setting_open("sphere:2");
    enum { N = 50 };
    mst_mean_options o = mst_mean_options_default();
    for (double t = 1e-4; t > 1e-19; t *= 1e-4) {
        double *x = draw(&s, N, NULL, t, 43);
        mst_mean_result *r = fit_ending(MST_OK, s.exact, N, x, &o);
        assert_near(r->time, r->variance / 2, 1e-3 * r->time + t * t, "t = %g", t);
        ck_assert(r->unique && r->standard_error > 0);
        mst_mean_result_free(r);
        free(x);
    }
    setting_close(&s);
}
END_TEST

int main(void)
{
    return RUN_SUITE("mean_sets", 60, {antipodes_have_a_circle_of_means, 0},
                     {a_square_has_two_means, 0}, {a_circle_with_two_opposite_clusters, 0},
                     {two_means_of_many_rows, 0}, {one_point_has_time_zero, 0},
                     {even_data_have_time_infinity, 0}, {data_on_a_great_circle, 0},
                     {rows_without_weight_may_be_anywhere, 0}, {means_of_coordinates, 0},
                     {two_points_have_their_middle, 0}, {tiny_spread, 0});
}
