/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Regressions of data that hold no answer, that one row decides, or that the model does not fit. */
#include "stat/regress_parts.h"
#include "stat/regress_support.h"

enum { N = 60 };

static double *spread_covariates(size_t k, uint64_t seed)
{
    dice rng = {seed};
    double *x = doubles(N * k);
    for (size_t i = 0; i < N * k; i++)
        x[i] = dice_normal(&rng);
    return x;
}

static mst_regress_result *fit_rows_of(const mst_score *source, size_t n, const double *y,
                                       const double *x, size_t k, int threads)
{
    mst_regress_options o = mst_regress_options_default();
    mst_regress_result *r;
    o.resamples = 199;
    o.threads = threads;
    ASSERT_OK(mst_regress_fit(&r, source, n, y, k, x, &o));
    return r;
}

/* Uniform points: no curve and no errors, by likelihood and least squares, with the same p value whatever the
 * threads. The seeds are such that neither uniformity nor independence is rejected. */
START_TEST(uniform_points_have_no_curve)
{
    static const struct {
        const char *spec;
        bool exact;
        uint64_t seed;
    } cases[] = {
        {"sphere:2", true, 4}, {"sphere:2", false, 4}, {"circle", true, 4}, {"so3", false, 4}};
    setting s = setting_open(cases[_i].spec);
    const mst_score *source = cases[_i].exact ? s.exact : s.log;
    double *x = spread_covariates(1, 8), *y = doubles(N * s.D);
    ASSERT_OK(mst_manifold_random_point(s.m, (mst_random){cases[_i].seed, 1}, 0, N, y));
    mst_regress_result *r = fit_rows_of(source, N, y, x, 1, 1);
    mst_regress_result *again = fit_rows_of(source, N, y, x, 1, 2);
    ck_assert(r->whole.method == MST_REGRESS_PERMUTATION);
    ck_assert_double_gt(r->whole.p_value, 0.05);
    ck_assert(r->whole.p_value == again->whole.p_value && r->p_values[0] == r->whole.p_value);
    ck_assert_double_gt(r->uniform_p_value, 0.05);
    ck_assert((r->notes & MST_REGRESS_NO_CURVE) != 0 && (r->notes & MST_REGRESS_SPREAD) != 0);
    for (size_t a = 0; a < r->parameters; a++)
        ck_assert(isnan(r->standard_errors[a]));
    mst_regress_result_free(r);
    mst_regress_result_free(again);
    free(x);
    free(y);
    setting_close(&s);
}
END_TEST

/* Angles that go round the circle with little noise look uniform and are not without a curve: no permutation
 * reaches it, so that p is the least that 199 of them give. */
START_TEST(a_curve_round_the_circle_is_seen)
{
    setting s = setting_open("circle");
    dice rng = {12};
    double x[N], y[N];
    for (size_t i = 0; i < N; i++) {
        x[i] = (double)i / 15;
        y[i] = remainder(2 * x[i] + 0.1 * dice_normal(&rng), 2 * M_PI);
    }
    mst_regress_result *r = fit_rows_of(s.exact, N, y, x, 1, 1);
    ck_assert((r->notes & MST_REGRESS_BEYOND_CUT) != 0);
    ck_assert((r->notes & MST_REGRESS_NO_CURVE) == 0);
    ck_assert(r->whole.p_value == 1.0 / 200);
    ck_assert_double_gt(r->uniform_p_value, 0.05);
    ck_assert_double_gt(r->standard_errors[1], 0);
    assert_near(r->velocities[0], 2, 0.05, "speed");
    mst_regress_result_free(r);
    setting_close(&s);
}
END_TEST

/* Within the data no curve goes more than once round a compact factor to a side of its intercept, where the
 * rows could be met by turning often enough; an open factor may move as far as it likes. */
START_TEST(curves_do_not_wind)
{
    setting s = setting_open("product(circle,euclidean:1)");
    for (uint64_t seed = 1; seed <= 20; seed++) {
        double *x = spread_covariates(1, seed), *y = doubles(N * s.D), longest = 0, mean = 0;
        dice rng = {seed + 100};
        for (size_t i = 0; i < N; i++) {
            y[2 * i] = dice_uniform(&rng, -M_PI, M_PI);
            y[2 * i + 1] = 50 * x[i] + 0.1 * dice_normal(&rng);
            mean += x[i] / N;
        }
        mst_regress_result *r = NULL;
        mst_regress_options o = mst_regress_options_default();
        o.without_tests = true;
        mst_status status = mst_regress_fit(&r, s.log, N, y, 1, x, &o);
        ck_assert(status == MST_OK || status == MST_CONVERGENCE);
        for (size_t i = 0; i < N; i++)
            longest = fmax(longest, fabs((x[i] - mean) * r->velocities[0]));
        ck_assert_double_le(longest, 2 * M_PI * (1 + 1e-12));
        ck_assert_double_gt(r->velocities[1], 40);
        mst_regress_result_free(r);
        free(x);
        free(y);
    }
    setting_close(&s);
}
END_TEST

/* Of two columns the one that moves the points far over the sphere is seen, and the other is not:
 * permutations of what the first does not explain of the second, which is half of it. */
START_TEST(permutations_tell_columns_apart)
{
    setting s = setting_open("sphere:2");
    true_curve c = curve_at_random(&s, 1, 0.9, 0.4, 21);
    double *z = spread_covariates(1, 31), *e = spread_covariates(1, 32), x[2 * N], y[3 * N];
    ASSERT_OK(rows_about(&s, &c, N, z, 0, y));
    for (size_t i = 0; i < N; i++) {
        x[2 * i] = z[i];
        x[2 * i + 1] = z[i] + e[i];
    }
    mst_regress_result *r = fit_rows_of(s.exact, N, y, x, 2, 1);
    ck_assert((r->notes & MST_REGRESS_SPREAD) != 0);
    ck_assert(r->tests[0].method == MST_REGRESS_PERMUTATION);
    ck_assert_double_le(r->p_values[0], 0.01);
    ck_assert_double_gt(r->p_values[1], 0.05);
    mst_regress_result_free(r);
    free(z);
    free(e);
    curve_free(&c);
    setting_close(&s);
}
END_TEST

/* Rows of one subject cannot change places: on spread points there is no test then. */
START_TEST(clusters_of_spread_points_have_no_test)
{
    setting s = setting_open("sphere:2");
    double *x = spread_covariates(1, 8), y[3 * N];
    size_t cluster[N];
    ASSERT_OK(mst_manifold_random_point(s.m, (mst_random){4, 1}, 0, N, y));
    for (size_t i = 0; i < N; i++)
        cluster[i] = i / 4;
    mst_regress_options o = mst_regress_options_default();
    mst_regress_result *r;
    o.clusters = cluster;
    ASSERT_OK(mst_regress_fit(&r, s.exact, N, y, 1, x, &o));
    ck_assert((r->notes & MST_REGRESS_SPREAD) != 0);
    ck_assert(r->whole.method == MST_REGRESS_NO_TEST && isnan(r->p_values[0]));
    mst_regress_result_free(r);
    free(x);
    setting_close(&s);
}
END_TEST

/* A covariate far from all others, a point far from the curve, and neither. */
START_TEST(rows_that_decide_are_named)
{
    setting s = setting_open("sphere:2");
    true_curve c = curve_at_random(&s, 1, 0.05, 0.01, 3);
    double *x = spread_covariates(1, 5), y[3 * N], kept[3];
    ASSERT_OK(rows_about(&s, &c, N, x, 0, y));
    mst_regress_result *r = fit_rows_of(s.exact, N, y, x, 1, 1);
    ck_assert_uint_eq(r->notes, 0);
    mst_regress_result_free(r);
    double ordinary = x[17];
    x[17] = 40;
    r = fit_rows_of(s.exact, N, y, x, 1, 1);
    ck_assert((r->notes & MST_REGRESS_INFLUENTIAL) != 0 && r->influential == 17);
    ck_assert_double_gt(r->leverage[17], 0.9);
    mst_regress_result_free(r);
    x[17] = ordinary;
    /* A quarter turn away. */
    memcpy(kept, y + 3 * 17, sizeof kept);
    y[3 * 17] = -kept[1] / hypot(kept[0], kept[1]);
    y[3 * 17 + 1] = kept[0] / hypot(kept[0], kept[1]);
    y[3 * 17 + 2] = 0;
    r = fit_rows_of(s.exact, N, y, x, 1, 1);
    ck_assert((r->notes & MST_REGRESS_HEAVY_TAILS) != 0);
    mst_regress_result_free(r);
    free(x);
    curve_free(&c);
    setting_close(&s);
}
END_TEST

/* Twenty of 60 rows are spread four times as much where the column is 1: that is told, and no likelihood
 * ratio is taken. By the sandwich none is taken of rows that are alike either, of which nothing is told. */
START_TEST(rows_that_are_not_spread_alike)
{
    setting s = setting_open("sphere:2");
    double x[N], u[2 * N], base[3 * N], v[3 * N], y[3 * N];
    for (size_t wide = 0; wide < 2; wide++) {
        dice rng = {3};
        for (size_t i = 0; i < N; i++) {
            x[i] = i % 3 == 0;
            mst_manifold_start(s.m, base + 3 * i);
            for (size_t a = 0; a < 2; a++)
                u[2 * i + a] = (wide && i % 3 == 0 ? 0.4 : 0.1) * dice_normal(&rng);
        }
        ASSERT_OK(mst_manifold_from_frame(s.m, N, base, u, v));
        ASSERT_OK(mst_manifold_exp(s.m, N, base, v, y));
        mst_regress_result *r = fit_rows_of(s.exact, N, y, x, 1, 1);
        bool told = (r->notes & MST_REGRESS_UNEQUAL_SPREAD) != 0;
        ck_assert(told == (wide == 1) && (r->spread_p_value <= 0.01) == told);
        ck_assert(told == (r->covariance_kind == MST_COVARIANCE_SANDWICH));
        ck_assert(told == (r->whole.method != MST_REGRESS_LR));
        mst_regress_result_free(r);
        mst_regress_options o = mst_regress_options_default();
        o.covariance = MST_COVARIANCE_SANDWICH;
        ASSERT_OK(mst_regress_fit(&r, s.exact, N, y, 1, x, &o));
        ck_assert(r->whole.method != MST_REGRESS_LR && r->whole.method != MST_REGRESS_NO_TEST);
        ck_assert(isnan(r->spread_p_value));
        mst_regress_result_free(r);
        /* The noise of few rows is not known well enough for the information. */
        o.covariance = MST_COVARIANCE_OBSERVED;
        o.noise = MST_REGRESS_LOGLINEAR;
        for (size_t n = 20; n <= N; n += N - 20) {
            ASSERT_OK(mst_regress_fit(&r, s.exact, n, y, 1, x, &o));
            ck_assert((n == N) == (r->covariance_kind == MST_COVARIANCE_OBSERVED));
            ck_assert_int_eq(r->whole.method, n == N ? MST_REGRESS_LR : MST_REGRESS_WALD);
            mst_regress_result_free(r);
        }
    }
    setting_close(&s);
}
END_TEST

int main(void)
{
    return RUN_SUITE("regression: doubts", 120, {uniform_points_have_no_curve, 4},
                     {a_curve_round_the_circle_is_seen, 1}, {curves_do_not_wind, 1},
                     {permutations_tell_columns_apart, 1},
                     {clusters_of_spread_points_have_no_test, 1},
                     {rows_that_are_not_spread_alike, 1}, {rows_that_decide_are_named, 1});
}
