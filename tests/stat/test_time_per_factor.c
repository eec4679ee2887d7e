/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Means on products: a time for each factor, and the test of one time for all. */
#include "base/linalg.h"
#include "stat/mean_support.h"

enum { N = 200 };

/* Columns of factor f, whose first is `at`. */
static double *columns(const setting *s, const double *x, size_t at, size_t width)
{
    double *out = doubles(N * width);
    for (size_t i = 0; i < N; i++)
        memcpy(out + i * width, x + i * s->D + at, width * sizeof *x);
    return out;
}

/* Rows of product(sphere:2,euclidean:1): the line `scale` times as wide as at time 0.04. */
static double *unlike_scales(const setting *s, double scale, uint64_t seed)
{
    double *x = draw(s, N, NULL, 0.04, seed);
    for (size_t i = 0; i < N; i++)
        x[i * s->D + 3] *= scale;
    return x;
}

START_TEST(the_joint_fit_is_the_fits_of_the_factors)
{
    static const mst_covariance_kind kinds[] = {MST_COVARIANCE_OBSERVED, MST_COVARIANCE_SANDWICH,
                                                MST_COVARIANCE_BOOTSTRAP};
    setting s = setting_open("product(sphere:2,hyperbolic:2,euclidean:1)");
    double *x = draw(&s, N, NULL, 0.2, 61), likelihood = 0;
    mst_mean_options o = mst_mean_options_default();
    o.resamples = 20;
    o.covariance = kinds[_i];
    o.time_per_factor = true;
    mst_mean_result *whole = fit(s.exact, N, x, &o);
    o.time_per_factor = false;
    ck_assert_uint_eq(whole->times_count, 3);
    for (size_t f = 0, at = 0, first = 0; f < 3; f++) {
        mst_manifold *m;
        ASSERT_OK(mst_manifold_parse(&m, mst_manifold_spec(mst_manifold_factor(s.m, f))));
        setting part = setting_of(m);
        double *own = columns(&s, x, at, part.D);
        mst_mean_result *r = fit(part.exact, N, own, &o);
        for (size_t k = 0; k < part.D; k++)
            assert_near(whole->mean[at + k], r->mean[k], 0, "mean of factor %zu", f);
        assert_near(whole->times[f], r->time, 0, "time %zu", f);
        assert_near(whole->times_standard_error[f], r->time_standard_error, 0, "error %zu", f);
        assert_near(whole->times_low[f], r->time_low, 0, "low %zu", f);
        assert_near(whole->times_high[f], r->time_high, 0, "high %zu", f);
        for (size_t k = 0; k < part.d * part.d; k++)
            assert_near(whole->covariance[(first + k / part.d) * s.d + first + k % part.d],
                        r->covariance[k], 1e-12 * r->covariance[0], "covariance of factor %zu", f);
        likelihood += r->log_likelihood;
        at += part.D;
        first += part.d;
        mst_mean_result_free(r);
        free(own);
        setting_close(&part);
    }
    assert_near(whole->log_likelihood, likelihood, 1e-9, "log-likelihood");
    ck_assert_uint_eq(whole->parameters, 5 + 3);
    assert_near(whole->aic, 2 * 8 - 2 * likelihood, 1e-9, "AIC");
    ck_assert(isnan(whole->time) && whole->unique);
    mst_mean_result_free(whole);
    free(x);
    setting_close(&s);
}
END_TEST

/* In flat space the robust covariance is that of the sample over n, across factors too; the model takes the
 * factors to be independent. */
START_TEST(related_factors)
{
    setting s = setting_open("product(euclidean:1,euclidean:2)");
    double x[3 * N], centre[3] = {0}, want[9] = {0};
    dice d = {62};
    for (size_t i = 0; i < N; i++) {
        x[3 * i] = dice_normal(&d);
        x[3 * i + 1] = 10 * x[3 * i] + 3 * dice_normal(&d);
        x[3 * i + 2] = 5 * dice_normal(&d) - x[3 * i + 1];
        for (size_t k = 0; k < 3; k++)
            centre[k] += x[3 * i + k] / N;
    }
    for (size_t i = 0; i < N; i++)
        for (size_t k = 0; k < 9; k++)
            want[k] += (x[3 * i + k / 3] - centre[k / 3]) * (x[3 * i + k % 3] - centre[k % 3]) /
                       ((double)N * N);
    mst_mean_options o = mst_mean_options_default();
    o.time_per_factor = true;
    o.covariance = MST_COVARIANCE_SANDWICH;
    mst_mean_result *r = fit(s.exact, N, x, &o);
    for (size_t k = 0; k < 9; k++)
        assert_near(r->covariance[k], want[k], 1e-6 * want[4], "covariance %zu", k);
    mst_mean_result_free(r);
    o.covariance = MST_COVARIANCE_OBSERVED;
    r = fit(s.exact, N, x, &o);
    ck_assert(r->covariance[1] == 0 && r->covariance[2] == 0 && r->covariance[0] > 0);
    mst_mean_result_free(r);
    setting_close(&s);
}
END_TEST

/* In flat space 2 log Λ = n (Σ d log t − Σ d_f log t_f). */
START_TEST(the_ratio_in_closed_form)
{
    setting s = setting_open("product(euclidean:1,euclidean:2)");
    double *x = draw(&s, N, NULL, 0.7, 63), square[2] = {0};
    mst_mean_options o = mst_mean_options_default();
    mst_mean_result *r = fit(s.exact, N, x, &o);
    for (size_t i = 0; i < N; i++)
        for (size_t k = 0; k < 3; k++)
            square[k > 0] += pow(x[3 * i + k] - r->mean[k], 2) / N;
    double one = square[0], two = square[1] / 2, both = (square[0] + square[1]) / 3;
    assert_near(r->times[0], one, 1e-8, "first time");
    assert_near(r->times[1], two, 1e-8, "second time");
    assert_near(r->equal_times_statistic, N * (3 * log(both) - log(one) - 2 * log(two)), 1e-7,
                "statistic");
    ck_assert(r->equal_times_p_value > 0.01 && (r->notes & MST_NOTE_UNEQUAL_TIMES) == 0);
    ck_assert_int_eq(r->covariance_kind, MST_COVARIANCE_OBSERVED);
    ck_assert(r->times_standard_error == NULL);
    mst_mean_result_free(r);
    free(x);
    setting_close(&s);
}
END_TEST

/* Factors on scales ten times apart: one time is too long for the sphere, and the errors that the model would
 * give there are too long or too short. */
START_TEST(unlike_scales_are_noticed)
{
    setting s = setting_open("product(sphere:2,euclidean:1)");
    double *x = unlike_scales(&s, 10, 64);
    mst_mean_options o = mst_mean_options_default();
    mst_mean_result *r = fit(s.exact, N, x, &o);
    ck_assert(r->equal_times_p_value < 1e-50);
    ck_assert((r->notes & MST_NOTE_UNEQUAL_TIMES) != 0);
    ck_assert_int_eq(r->covariance_kind, MST_COVARIANCE_SANDWICH);
    o.time_per_factor = true;
    mst_mean_result *apart = fit(s.exact, N, x, &o);
    ck_assert_uint_eq(apart->notes & MST_NOTE_UNEQUAL_TIMES, 0);
    assert_near(apart->times[0], 0.04, 0.012, "time of the sphere");
    assert_near(apart->times[1], 4, 1.7, "time of the line");
    /* 200 rows know a standard error to about 5 %. */
    for (size_t k = 0; k < 3; k++)
        assert_near(sqrt(r->covariance[4 * k]), sqrt(apart->covariance[4 * k]),
                    0.25 * sqrt(apart->covariance[4 * k]), "error %zu", k);
    mst_mean_result_free(apart);
    mst_mean_result_free(r);
    free(x);
    setting_close(&s);
}
END_TEST

START_TEST(a_factor_that_runs_away)
{
    setting s = setting_open("product(sphere:2,euclidean:1)");
    double *x = unlike_scales(&s, 0, 65);
    mst_mean_options o = mst_mean_options_default();
    o.time_per_factor = true;
    mst_mean_result *r = fit_ending(MST_CONVERGENCE, s.exact, N, x, &o);
    ck_assert(r->times[1] == 0 && r->times[0] > 0.01);
    ck_assert_int_eq(r->time_limit, MST_TIME_ZERO);
    ck_assert(!r->converged && isnan(r->standard_error));
    mst_mean_result_free(r);
    o.time_per_factor = false;
    r = fit(s.exact, N, x, &o);
    ck_assert(r->equal_times_p_value == 0 && (r->notes & MST_NOTE_UNEQUAL_TIMES) != 0);
    mst_mean_result_free(r);
    free(x);
    setting_close(&s);
}
END_TEST

/* A factor whose mean is too uncertain for an ellipsoid leaves the whole without one, and is named. */
START_TEST(a_wide_factor_is_named)
{
    enum { ROWS = 20 };
    setting sphere = setting_open("sphere:2"), s = setting_open("product(sphere:2,sphere:2)");
    double *narrow = draw(&sphere, ROWS, NULL, 1e-4, 11), x[6 * ROWS];
    double *wide = draw(&sphere, ROWS, NULL, 0.49, 12);
    for (size_t second = 0; second < 2; second++) {
        for (size_t i = 0; i < ROWS; i++) {
            memcpy(x + 6 * i + 3 * second, wide + 3 * i, 3 * sizeof *x);
            memcpy(x + 6 * i + 3 * (1 - second), narrow + 3 * i, 3 * sizeof *x);
        }
        mst_mean_options o = mst_mean_options_default();
        o.time_per_factor = true;
        mst_mean_result *r = fit(s.exact, ROWS, x, &o);
        ck_assert_int_eq(r->region_kind, MST_REGION_NONE);
        ck_assert_int_eq(r->no_region, MST_REGION_FACTOR_WIDE);
        ck_assert_uint_eq(r->no_region_factor, second);
        mst_mean_result_free(r);
    }
    free(narrow), free(wide);
    setting_close(&sphere);
    setting_close(&s);
}
END_TEST

START_TEST(refusals)
{
    setting s = setting_open("product(sphere:2,euclidean:1)"), sphere = setting_open("sphere:2");
    double *x = unlike_scales(&s, 1, 66);
    mst_mean_options o = mst_mean_options_default();
    mst_mean_result *r;
    o.time_per_factor = true;
    ck_assert_int_eq(mst_mean_fit(&r, s.log, N, x, &o), MST_ARGUMENT);
    ck_assert_int_eq(mst_mean_fit(&r, sphere.exact, 1, x, &o), MST_ARGUMENT);
    o.time = 0.3;
    ck_assert_int_eq(mst_mean_fit(&r, s.exact, N, x, &o), MST_ARGUMENT);
    ck_assert(r == NULL);
    free(x);
    setting_close(&sphere);
    setting_close(&s);
}
END_TEST

int main(void)
{
    return RUN_SUITE("time per factor", 60, {the_joint_fit_is_the_fits_of_the_factors, 3},
                     {related_factors, 0}, {the_ratio_in_closed_form, 0},
                     {unlike_scales_are_noticed, 0}, {a_factor_that_runs_away, 0},
                     {a_wide_factor_is_named, 0}, {refusals, 0});
}
