/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Error bars of means, and what a fit promises about threads, options, limits and bad arguments. Whether the
 * intervals cover the truth as often as they say is measured by test_coverage_slow.c. */
#include "stat/distributions.h"
#include "stat/mean_support.h"

static const char *const specs[] = {"sphere:2", "torus:2", "so3", "hyperbolic:2", "spd:2"};
enum { SPECS = sizeof specs / sizeof *specs };

/* Of a right model, the sandwich and the observed information estimate the same matrix: their relative
 * difference is about √(c/n), c of order ten; n = 5000. */
START_TEST(sandwich_agrees_where_the_model_is_right)
{
    setting s = setting_open(specs[_i]);
    enum { N = 5000 };
    double *x = draw(&s, N, NULL, 0.4, 51);
    mst_mean_options o = mst_mean_options_default();
    o.starts = 1;
    mst_mean_result *observed = fit(s.exact, N, x, &o);
    o.covariance = MST_COVARIANCE_SANDWICH;
    mst_mean_result *sandwich = fit(s.exact, N, x, &o);
    double scale = observed->covariance[0];
    for (size_t k = 0; k < s.d * s.d; k++)
        assert_near(sandwich->covariance[k], observed->covariance[k], 0.15 * scale,
                    "%s: covariance %zu", specs[_i], k);
    assert_near(sandwich->time_standard_error, observed->time_standard_error,
                0.15 * observed->time_standard_error, "%s: time", specs[_i]);
    mst_mean_result_free(observed);
    mst_mean_result_free(sandwich);
    free(x);
    setting_close(&s);
}
END_TEST

/* In flat space the sandwich of the mean is the sample covariance over n, of wrong models too. */
START_TEST(sandwich_in_closed_form)
{
    setting s = setting_open("euclidean:2");
    enum { N = 200 };
    double x[2 * N], weights[N], centre[2] = {0}, want[4] = {0}, total = 0;
    dice d = {52};
    for (size_t i = 0; i < N; i++) {
        x[2 * i] = 3 * dice_normal(&d);
        x[2 * i + 1] = x[2 * i] / 2 + dice_uniform(&d, -1, 1);
        weights[i] = 1 + (double)(i % 3);
        total += weights[i];
        centre[0] += weights[i] * x[2 * i];
        centre[1] += weights[i] * x[2 * i + 1];
    }
    for (size_t i = 0; i < N; i++)
        for (size_t k = 0; k < 4; k++)
            want[k] += weights[i] * (x[2 * i + k / 2] - centre[k / 2] / total) *
                       (x[2 * i + k % 2] - centre[k % 2] / total) / (total * total);
    mst_mean_options o = mst_mean_options_default();
    o.weights = weights;
    o.covariance = MST_COVARIANCE_SANDWICH;
    const mst_score *sources[] = {s.exact, s.log};
    for (size_t i = 0; i < 2; i++) {
        mst_mean_result *r = fit(sources[i], N, x, &o);
        for (size_t k = 0; k < 4; k++)
            assert_near(r->covariance[k], want[k], 1e-6 * want[0], "source %zu: %zu", i, k);
        mst_mean_result_free(r);
        /* Distances are no likelihood: their errors are the sandwich whatever is asked for. */
        o.covariance = MST_COVARIANCE_OBSERVED;
    }
    setting_close(&s);
}
END_TEST

/* 500 resamples know a standard deviation to 3.2 %; five of these are 16 %. */
START_TEST(bootstrap_agrees)
{
    setting s = setting_open(specs[_i]);
    enum { N = 200 };
    double *x = draw(&s, N, NULL, 0.4, 53), weights[N];
    mst_mean_options o = mst_mean_options_default();
    o.starts = 1;
    o.covariance = MST_COVARIANCE_SANDWICH;
    mst_mean_result *want = fit(s.exact, N, x, &o), *frechet = fit(s.log, N, x, &o);
    o.covariance = MST_COVARIANCE_BOOTSTRAP;
    o.resamples = 500;
    mst_mean_result *got = fit(s.exact, N, x, &o), *other = fit(s.log, N, x, &o);
    assert_near(got->standard_error, want->standard_error, 0.16 * want->standard_error, "%s: mean",
                specs[_i]);
    assert_near(got->time_standard_error, want->time_standard_error,
                0.16 * want->time_standard_error, "%s: time", specs[_i]);
    assert_near(other->standard_error, frechet->standard_error, 0.16 * frechet->standard_error,
                "%s: Fréchet", specs[_i]);
    /* Rows without weight are not drawn. */
    for (size_t i = 0; i < N; i++)
        weights[i] = i < 100 ? 0 : 1;
    mst_mean_result *few = fit(s.exact, N - 100, x + 100 * s.D, &o);
    o.weights = weights;
    mst_mean_result *weighted = fit(s.exact, N, x, &o);
    assert_near(weighted->standard_error, few->standard_error, 1e-6, "%s: weights", specs[_i]);
    mst_mean_result_free(want), mst_mean_result_free(frechet), mst_mean_result_free(got);
    mst_mean_result_free(other), mst_mean_result_free(few), mst_mean_result_free(weighted);
    free(x);
    setting_close(&s);
}
END_TEST

/* The covariance is that of the mean in the basis of the result: independent data sets scatter like this. */
START_TEST(basis_is_orthonormal_and_tangent)
{
    setting s = setting_open(specs[_i]);
    double *x = draw(&s, 50, NULL, 0.4, 54);
    mst_mean_options o = mst_mean_options_default();
    mst_mean_result *r = fit(s.exact, 50, x, &o);
    for (size_t i = 0; i < s.d; i++)
        for (size_t k = 0; k < s.d; k++) {
            double inner;
            ASSERT_OK(mst_manifold_inner(s.m, 1, r->mean, r->basis + i * s.D, r->basis + k * s.D,
                                         &inner));
            assert_near(inner, i == k ? 1 : 0, 1e-12, "%s: %zu, %zu", specs[_i], i, k);
            assert_near(r->covariance[i * s.d + k], r->covariance[k * s.d + i], 1e-12, "%s",
                        specs[_i]);
        }
    double trace = 0;
    for (size_t i = 0; i < s.d; i++)
        trace += r->covariance[i * s.d + i];
    assert_near(r->standard_error, sqrt(trace), 1e-12, "%s: trace", specs[_i]);
    /* A wider interval for more confidence. That of the sandwich reaches
     * up to what 50 rows may hide, 24 log 2/50 of the time. */
    o.confidence = 0.5;
    mst_mean_result *half = fit(s.exact, 50, x, &o);
    ck_assert(half->region_volume < r->region_volume);
    ck_assert(r->time_low < half->time_low && half->time_low < half->time_corrected);
    ck_assert(half->time_corrected < half->time_high && half->time_high < r->time_high);
    mst_mean_result_free(half);
    o.covariance = MST_COVARIANCE_SANDWICH;
    half = fit(s.exact, 50, x, &o);
    assert_near(half->time_high, half->time * (1 + 24 * log(2) / 50), 1e-9, "%s: high", specs[_i]);
    ck_assert(half->time_low <= half->time && half->time_low > half->time / 1.3);
    mst_mean_result_free(r);
    mst_mean_result_free(half);
    free(x);
    setting_close(&s);
}
END_TEST

/* ---- Promises ---- */

START_TEST(threads_do_not_change_a_bit)
{
    setting s = setting_open("sphere:2");
    enum { N = 30000, FEW = 40 };
    double *x = draw(&s, N, NULL, 0.5, 55);
    mst_mean_options o = mst_mean_options_default();
    for (size_t k = 0; k < 3; k++) {
        o.covariance = k == 1 ? MST_COVARIANCE_BOOTSTRAP : MST_COVARIANCE_OBSERVED;
        o.resamples = 50;
        size_t n = k == 1 ? FEW : N;
        const mst_score *source = k == 2 ? s.log : s.exact;
        o.threads = 1;
        mst_mean_result *want = fit(source, n, x, &o);
        for (int threads = 2; threads < 5; threads++) {
            o.threads = threads;
            mst_mean_result *r = fit(source, n, x, &o);
            ck_assert(memcmp(r->mean, want->mean, 3 * sizeof *r->mean) == 0);
            ck_assert(memcmp(r->covariance, want->covariance, 4 * sizeof *r->mean) == 0);
            ck_assert(memcmp(&r->time, &want->time, sizeof r->time) == 0);
            ck_assert(memcmp(&r->variance, &want->variance, sizeof r->time) == 0);
            ck_assert_uint_eq(r->iterations, want->iterations);
            mst_mean_result_free(r);
        }
        mst_mean_result_free(want);
    }
    free(x);
    setting_close(&s);
}
END_TEST

START_TEST(not_converged_is_said)
{
    setting s = setting_open("sphere:2");
    enum { N = 100 };
    double *x = draw(&s, N, NULL, 0.5, 56);
    mst_mean_options o = mst_mean_options_default();
    static const mst_mean_method methods[] = {MST_MEAN_NEWTON, MST_MEAN_GRADIENT, MST_MEAN_ADAM};
    for (size_t k = 0; k < 3; k++) {
        o.method = methods[k];
        o.iterations = 1;
        mst_mean_result *r = fit_ending(MST_CONVERGENCE, s.exact, N, x, &o);
        assert_one_line("not converged");
        ck_assert(!r->converged && r->iterations == 1 && r->gradient_norm > 1e-10);
        ck_assert_int_eq(r->end, MST_FIT_OUT_OF_STEPS);
        ck_assert(all_finite(3, r->mean) && r->time > 0 && isfinite(r->log_likelihood));
        ck_assert(isnan(r->standard_error));
        mst_mean_result_free(r);
    }
    free(x);
    /* A gradient that vanishes by symmetry is no maximum: Newton's method leaves, the
     * others must not stay there in peace. */
    static const double pair[] = {0, 0.6, 0.8, 0, -0.6, -0.8};
    o = mst_mean_options_default();
    o.time = 0.5;
    o.start = pair;
    o.starts = 1;
    for (size_t k = 0; k < 3; k++) {
        o.method = methods[k];
        mst_mean_result *r = fit_ending(k == 0 ? MST_OK : MST_CONVERGENCE, s.exact, 2, pair, &o);
        ck_assert(r->converged == (k == 0));
        ck_assert_int_eq(r->end, k == 0 ? MST_FIT_SETTLED : MST_FIT_SADDLE);
        mst_mean_result_free(r);
    }
    setting_close(&s);
    /* Without a Hessian as well. */
    o = mst_mean_options_default();
    o.iterations = 1;
    s = setting_open("spd:3");
    x = draw(&s, N, NULL, 0.5, 57);
    mst_mean_result *r = fit_ending(MST_CONVERGENCE, s.log, N, x, &o);
    ck_assert(!r->converged && r->gradient_norm > 1e-10 && r->end == MST_FIT_OUT_OF_STEPS);
    mst_mean_result_free(r);
    free(x);
    setting_close(&s);
}
END_TEST

static int stop_at_once(void *user, double done, double total)
{
    (void)done, (void)total;
    ++*(size_t *)user;
    return 1;
}

/* However often it was seen: no error instead of one of 0. */
START_TEST(one_point_has_no_error)
{
    static const char *const spaces[] = {"euclidean:3", "sphere:2", "product(circle,euclidean:2)"};
    static const double x[] = {0, 0, 1, 0, 0, 1, 0, 0, 1}, heavy[] = {0, 100, 0};
    static const double apart[] = {0, 1, 0, 0, 0, 1, 1, 0, 0};
    for (size_t k = 0; k < 3; k++) {
        setting s = setting_open(spaces[k]);
        for (size_t kind = 0; kind < 3; kind++) {
            mst_mean_options o = mst_mean_options_default();
            o.covariance = (mst_covariance_kind)kind;
            o.resamples = 20;
            for (size_t weighted = 0; weighted < 2; weighted++) {
                o.weights = weighted ? heavy : NULL;
                mst_mean_result *r = fit(s.log, 3, weighted ? apart : x, &o);
                ck_assert(r->converged && isnan(r->standard_error));
                ck_assert_int_eq(r->no_errors, MST_ERRORS_TOO_FEW_ROWS);
                ck_assert_int_eq(r->region_kind, MST_REGION_NONE);
                mst_mean_result_free(r);
            }
            /* A time that is given has an error whatever the rows. */
            o.covariance = MST_COVARIANCE_OBSERVED;
            o.weights = NULL;
            o.time = 0.1;
            mst_mean_result *r = fit(s.exact, 3, x, &o);
            ck_assert(r->standard_error > 0.1);
            mst_mean_result_free(r);
        }
        setting_close(&s);
    }
}
END_TEST

/* Two rows are equally far from their mean: their scatter says nothing of the time, and the model, which
 * does, asks for no small interval. A row without weight is none. */
START_TEST(two_rows_do_not_tell_how_times_scatter)
{
    static const double x[] = {0, 0, 0, 1, 1, 1, 2, 0, 5}, two[] = {1, 1, 0};
    setting s = setting_open("euclidean:3");
    mst_mean_options o = mst_mean_options_default();
    o.covariance = MST_COVARIANCE_SANDWICH;
    for (size_t weighted = 0; weighted < 2; weighted++) {
        o.weights = weighted ? two : NULL;
        mst_mean_result *r = fit(s.exact, weighted ? 3 : 2, x, &o);
        assert_near(r->time, 0.25, 1e-9, "the time");
        ck_assert(isnan(r->time_standard_error) && r->standard_error > 0.1);
        ck_assert_double_gt(r->time_high / r->time_low, 10);
        mst_mean_result_free(r);
    }
    o.weights = NULL;
    mst_mean_result *r = fit(s.exact, 3, x, &o);
    ck_assert_double_gt(r->time_standard_error, 0.01);
    mst_mean_result_free(r);
    setting_close(&s);
}
END_TEST

START_TEST(it_stops_on_request)
{
    static const char *const both[] = {"sphere:2", "spd:3"};
    for (size_t k = 0; k < 2; k++) {
        setting s = setting_open(both[k]);
        double *x = draw(&s, 50, NULL, 0.5, 58);
        size_t calls = 0;
        mst_mean_options o = mst_mean_options_default();
        o.progress = (mst_progress){stop_at_once, &calls};
        (void)fit_ending(MST_INTERRUPTED, k == 0 ? s.exact : s.log, 50, x, &o);
        ck_assert_uint_eq(calls, 1);
        free(x);
        setting_close(&s);
    }
}
END_TEST

START_TEST(bad_arguments)
{
    setting s = setting_open("sphere:2");
    const double x[] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, off[] = {1, 1, 0};
    const double negative[] = {1, -1, 1}, zero[] = {0, 0, 0}, nan_weight[] = {1, NAN, 1};
    const double huge[] = {1e308, 1e308, 1e308}, nan_point[] = {1, 0, 0, 0, NAN, 0, 0, 0, 1};
    mst_mean_options good = mst_mean_options_default(), o[16];
    size_t count = 0;
#define BAD(member, value)           \
    do {                             \
        o[count] = good;             \
        o[count++].member = (value); \
    } while (0)
    BAD(weights, negative);
    BAD(weights, zero);
    BAD(weights, nan_weight);
    BAD(weights, huge);
    BAD(time, -1);
    BAD(time, NAN);
    BAD(time, INFINITY);
    BAD(starts, 0);
    BAD(starts, 1001);
    BAD(tolerance, 0);
    BAD(tolerance, NAN);
    BAD(rate, -1);
    BAD(confidence, 0);
    BAD(confidence, 1.5);
    BAD(confidence, NAN);
    BAD(start, nan_point + 3);
    ck_assert_uint_eq(count, sizeof o / sizeof *o);
    for (size_t k = 0; k < count; k++) {
        (void)fit_ending(MST_ARGUMENT, s.exact, 3, x, &o[k]);
        assert_one_line("bad argument");
    }
    (void)fit_ending(MST_ARGUMENT, s.exact, 0, x, &good);
    (void)fit_ending(MST_ARGUMENT, s.exact, 3, nan_point, &good);
    (void)fit_ending(MST_ARGUMENT, s.log, 3, nan_point, &good);
    mst_mean_options p = good;
    p.start = off;
    (void)fit_ending(MST_DOMAIN, s.exact, 3, x, &p);
    p = good;
    p.covariance = MST_COVARIANCE_BOOTSTRAP;
    p.resamples = 1;
    (void)fit_ending(MST_ARGUMENT, s.exact, 2, x, &p);
    /* The source without a time does not look at it. */
    p = good;
    p.time = -1;
    mst_mean_result_free(fit_ending(MST_OK, s.log, 3, x, &p));
    mst_mean_result_free(NULL);
    setting_close(&s);
}
END_TEST

/* Ten skew rows have a wider region than ten whose third moments are none, and those have Student's. */
START_TEST(skew_rows_widen)
{
    enum { ROWS = 10 };
    setting s = setting_open("euclidean:1");
    double even[ROWS], skew[ROWS];
    for (size_t i = 0; i < ROWS; i++) {
        even[i] = (double)i - 4.5;
        skew[i] = -log(1 - ((double)i + 0.5) / ROWS);
    }
    mst_mean_result *a = fit(s.log, ROWS, even, NULL), *b = fit(s.log, ROWS, skew, NULL);
    double quantile = ROWS / (ROWS - 1.0) * mst_f_quantile(0.95, 1, ROWS - 1);
    assert_near(a->region_radius2, quantile, 1e-9, "even");
    ck_assert(b->region_radius2 > 1.5 * quantile && b->region_radius2 < 4 * quantile);
    assert_near(b->region_volume, 2 * sqrt(b->region_radius2) * b->standard_error, 1e-9, "volume");
    mst_mean_result_free(a);
    mst_mean_result_free(b);
    setting_close(&s);
}
END_TEST

int main(void)
{
    return RUN_SUITE(
        "mean_errors", 60, {skew_rows_widen, 0}, {sandwich_agrees_where_the_model_is_right, SPECS},
        {sandwich_in_closed_form, 0}, {bootstrap_agrees, 2},
        {basis_is_orthonormal_and_tangent, SPECS}, {threads_do_not_change_a_bit, 0},
        {not_converged_is_said, 0}, {one_point_has_no_error, 0},
        {two_rows_do_not_tell_how_times_scatter, 0}, {it_stops_on_request, 0}, {bad_arguments, 0});
}
