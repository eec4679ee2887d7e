/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* The test of uniformity: closed forms, laws by simulation, invariance, and what a mean says of it. */
#include "stat/distributions.h"
#include "stat/mean_support.h"

#include <manistat/uniformity.h>

static const char *const specs[] = {"circle",
                                    "sphere:2",
                                    "sphere:20",
                                    "torus:3",
                                    "so3",
                                    "product(sphere:2,circle)",
                                    "product(so3,torus:2)"};
enum { SPECS = sizeof specs / sizeof *specs };
static const double degrees[SPECS] = {2, 3, 21, 6, 9, 5, 13};

static mst_uniformity test_rows(const setting *s, size_t n, const double *x,
                                const mst_uniformity_options *o)
{
    mst_uniformity u;
    ASSERT_OK(mst_uniformity_test(&u, s->m, n, x, o));
    return u;
}

static void random_rows(const setting *s, size_t n, uint64_t stream, double *x)
{
    ASSERT_OK(mst_manifold_random_point(s->m, (mst_random){71, stream}, 0, n, x));
}

/* On circle and sphere the statistic is n p R̄², with the modified law of Jupp. */
START_TEST(circles_and_spheres_have_the_test_of_rayleigh)
{
    setting s = setting_open(_i == 0 ? "circle" : "sphere:2");
    enum { N = 40 };
    double x[N * 3], sum[3] = {0};
    random_rows(&s, N, 5, x);
    for (size_t i = 0; i < N; i++)
        for (size_t k = 0; k < 3; k++)
            sum[k] += _i == 1 ? x[3 * i + k] : k == 0 ? cos(x[i]) : k == 1 ? sin(x[i]) : 0;
    double p = _i == 0 ? 2 : 3, statistic = p * dot(3, sum, sum) / N;
    mst_uniformity u = test_rows(&s, N, x, NULL);
    assert_near(u.statistic, statistic, 1e-12 * statistic, "statistic");
    double jupp = statistic * (1 - 1.0 / (2 * N) + statistic / (2 * N * (p + 2)));
    /* The third cumulant, which is of order 1/n² here, is ours only. */
    assert_near(u.p_value, mst_chi_square_survival(jupp, p), 0.2 / (N * N), "p-value");
    ck_assert(!u.simulated && u.degrees_of_freedom == p && u.effective_n == N);
    setting_close(&s);
}
END_TEST

/* P(p ≤ 5 %) of 2000 uniform sets, also where the rows are so few that χ² alone would not do; the limits are
 * 4.5 standard deviations away. */
START_TEST(false_alarms_are_as_rare_as_they_should_be)
{
    setting s = setting_open(specs[_i]);
    enum { SETS = 2000, N = 15 };
    double *x = doubles(N * s.D);
    size_t alarms = 0;
    for (uint64_t k = 0; k < SETS; k++) {
        random_rows(&s, N, k, x);
        mst_uniformity u = test_rows(&s, N, x, NULL);
        ck_assert(u.degrees_of_freedom == degrees[_i]);
        alarms += u.p_value <= 0.05 ? 1 : 0;
    }
    ck_assert_msg(alarms >= 58 && alarms <= 144, "%s: %zu alarms", specs[_i], alarms);
    free(x);
    setting_close(&s);
}
END_TEST

/* Two rows at an angle a on the circle: R̄ is no less if the angle is no more, p = a/π. */
START_TEST(few_rows_have_their_own_law)
{
    setting s = setting_open("circle");
    mst_uniformity u = test_rows(&s, 2, (const double[]){1, 1.6}, NULL);
    ck_assert(u.simulated);
    assert_near(u.p_value, 0.6 / M_PI, 4.5 * 0.0088, "two rows");
    u = test_rows(&s, 1, (const double[]){1}, NULL);
    ck_assert(u.p_value == 1);
    u = test_rows(&s, 5, (const double[]){1, 1.1, 1.2, 0.9, 1.05}, NULL);
    ck_assert_double_lt(u.p_value, 0.002);
    setting_close(&s);
}
END_TEST

START_TEST(weights_and_clusters_count_what_is_independent)
{
    setting s = setting_open(specs[_i]);
    enum { N = 30 };
    double *x = draw(&s, N, NULL, 1, 3), *twice = doubles(2 * N * s.D), weights[N], tenfold[2 * N];
    size_t clusters[2 * N], alone[2 * N];
    for (size_t i = 0; i < N; i++) {
        memcpy(twice + i * s.D, x + i * s.D, s.D * sizeof *x);
        memcpy(twice + (N + i) * s.D, x + i * s.D, s.D * sizeof *x);
        weights[i] = 2;
        tenfold[i] = tenfold[N + i] = 20;
        clusters[i] = clusters[N + i] = 7 * (N - i);
        alone[i] = i;
        alone[N + i] = N + i;
    }
    mst_uniformity_options o = mst_uniformity_options_default();
    mst_uniformity one = test_rows(&s, N, x, &o), two = test_rows(&s, 2 * N, twice, &o);
    assert_near(two.statistic, 2 * one.statistic, 1e-12 * two.statistic, "twice");
    o.weights = weights;
    mst_uniformity counted = test_rows(&s, N, x, &o);
    assert_near(counted.statistic, two.statistic, 1e-12 * two.statistic, "counts");
    assert_near(counted.p_value, two.p_value, 1e-12, "counts");
    o.weights_are = MST_WEIGHTS_RELATIVE;
    mst_uniformity relative = test_rows(&s, N, x, &o);
    assert_near(relative.p_value, one.p_value, 1e-12, "relative");
    /* Rows that are there twice, in a cluster of their own each, say no more than once; weights too. */
    o.weights = tenfold;
    o.clusters = clusters;
    mst_uniformity clustered = test_rows(&s, 2 * N, twice, &o);
    assert_near(clustered.statistic, one.statistic, 1e-12 * one.statistic, "clusters");
    assert_near(clustered.p_value, one.p_value, 1e-12, "clusters");
    assert_near(clustered.effective_n, N, 1e-9, "clusters");
    o.clusters = alone;
    assert_near(test_rows(&s, 2 * N, twice, &o).statistic, two.statistic, 1e-12 * two.statistic,
                "clusters of one row");
    free(x), free(twice);
    setting_close(&s);
}
END_TEST

/* Axes ±a have no mean and are not uniform. */
START_TEST(axes_are_told_from_uniform_points)
{
    setting s = setting_open("sphere:2");
    enum { N = 200 };
    double *x = draw(&s, N, NULL, 0.1, 8);
    for (size_t i = 0; i < N; i += 2)
        for (size_t k = 0; k < 3; k++)
            x[3 * i + k] = -x[3 * i + k];
    mst_uniformity u = test_rows(&s, N, x, NULL);
    ck_assert_double_gt(u.p_value, 0.05);
    ck_assert(u.axial_degrees_of_freedom == 5);
    ck_assert_double_lt(u.axial_p_value, 1e-10);
    random_rows(&s, N, 9, x);
    ck_assert_double_gt(test_rows(&s, N, x, NULL).axial_p_value, 0.001);
    free(x);
    setting_close(&s);
}
END_TEST

START_TEST(without_a_uniform_law_there_is_no_test)
{
    static const char *const open[] = {"euclidean:2", "hyperbolic:2",
                                       "product(circle,euclidean:1)"};
    for (size_t k = 0; k < 3; k++) {
        setting s = setting_open(open[k]);
        double *x = draw(&s, 20, NULL, 0.2, 4);
        mst_uniformity u;
        ASSERT_FAILS(MST_UNABLE, mst_uniformity_test(&u, s.m, 20, x, NULL));
        mst_mean_result *r = fit(s.exact, 20, x, NULL);
        ck_assert(isnan(r->uniform_p_value) && (r->notes & MST_NOTE_MAYBE_UNIFORM) == 0);
        mst_mean_result_free(r);
        free(x);
        setting_close(&s);
    }
}
END_TEST

/* Concentrated data never look uniform, and their errors stay; uniform ones have no error. */
START_TEST(means_say_when_there_is_none)
{
    setting s = setting_open(specs[_i]);
    enum { N = 20, MORE = 400 };
    for (uint64_t k = 0; k < 20; k++) {
        /* On S²⁰ a time of 0.3 is far already: the mean is e^(−3) long. */
        double *x = draw(&s, N, NULL, s.d > 10 ? 0.05 : 0.3, 100 + k);
        for (int log = 0; log < 2; log++) {
            mst_mean_result *r = fit(log ? s.log : s.exact, N, x, NULL);
            ck_assert_msg((r->notes & MST_NOTE_MAYBE_UNIFORM) == 0, "%s: p = %g", specs[_i],
                          r->uniform_p_value);
            ck_assert(!isnan(r->standard_error) && r->uniform_p_value <= 0.05);
            mst_mean_result_free(r);
        }
        free(x);
    }
    double *x = doubles(MORE * s.D);
    random_rows(&s, MORE, 1001, x);
    mst_uniformity u = test_rows(&s, MORE, x, NULL);
    ck_assert_double_gt(u.p_value, 0.05);
    mst_mean_result *r = NULL;
    mst_status status = mst_mean_fit(&r, s.exact, MORE, x, NULL);
    ck_assert(status == MST_OK || status == MST_CONVERGENCE);
    ck_assert(r->uniform_p_value == u.p_value && r->uniform_statistic == u.statistic);
    ck_assert((r->notes & MST_NOTE_MAYBE_UNIFORM) != 0 && isnan(r->standard_error));
    ck_assert(isnan(r->covariance[0]) && r->no_errors != MST_ERRORS_GIVEN);
    mst_mean_result_free(r);
    free(x);
    setting_close(&s);
}
END_TEST

int main(void)
{
    return RUN_SUITE(
        "uniformity", 120, {circles_and_spheres_have_the_test_of_rayleigh, 2},
        {false_alarms_are_as_rare_as_they_should_be, SPECS}, {few_rows_have_their_own_law, 0},
        {weights_and_clusters_count_what_is_independent, SPECS},
        {axes_are_told_from_uniform_points, 0}, {without_a_uniform_law_there_is_no_test, 0},
        {means_say_when_there_is_none, SPECS});
}
