/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Estimators with a source like a network: values rounded to float and a little wrong, no log p, a range of
 * times. All that it gives is compared with what the exact kernel gives. */
#include "stat/spoilt_source.h"
#include "stat/two_samples.h"

#include <manistat/cluster.h>

static mst_mean_options one_thread(void)
{
    mst_mean_options o = mst_mean_options_default();
    o.threads = 1;
    return o;
}

#define RANGE .least = 0.005, .largest = 1

static const char *const specs[] = {"sphere:2", "sphere:5", "hyperbolic:2"};
enum { SPECS = sizeof specs / sizeof *specs, N = 1000, ROWS = 300 };

/* Means, times and error bars are those of the exact kernel but for the error of the source. */
START_TEST(fits_are_as_good_as_the_source)
{
    static const struct {
        const char *what;
        double wrong, noise, precision;
        bool hessian;
    } kinds[] = {{"float", 0, 0, 1e-6, true},
                 {"noise", 0, 1e-6, 1e-6, true},
                 {"smooth", 1e-3, 0, 1e-6, true},
                 {"coarse", 1e-4, 1e-4, 1e-4, true},
                 {"no Hessian", 1e-4, 1e-6, 1e-6, false}};
    static const double times[] = {0.006, 0.1, 0.6};
    setting s = setting_open(specs[_i]);
    for (size_t k = 0; k < 15; k++) {
        double t = times[k / 5], wrong = kinds[k % 5].wrong + kinds[k % 5].noise + 1e-6;
        double *x = draw(&s, ROWS, NULL, t, 21 + k);
        spoilt data = {.wrong = kinds[k % 5].wrong, .noise = kinds[k % 5].noise, RANGE};
        mst_score *source = network_open(&s, kinds[k % 5].hessian, kinds[k % 5].precision, &data);
        mst_mean_options o = one_thread();
        for (size_t c = 0; c < 2; c++) {
            o.covariance = c == 0 ? MST_COVARIANCE_OBSERVED : MST_COVARIANCE_SANDWICH;
            mst_mean_result *want = fit(s.exact, ROWS, x, &o), *r = fit(source, ROWS, x, &o);
            const char *what = kinds[k % 5].what;
            ck_assert_msg(r->unique && r->set_size == 1 && r->time_limit == MST_TIME_FINITE,
                          "%s on %s at %g: %zu means", what, specs[_i], t, r->set_size);
            ck_assert(isnan(r->log_likelihood) && isnan(r->aic) && isnan(r->set[0].log_likelihood));
            ck_assert_uint_le(r->iterations, kinds[k % 5].hessian ? 8 : 40);
            /* A slope that is wrong by a share of the rows' own moves the mean by that share of √t. */
            assert_near(gap(&s, r->mean, want->mean), 0, 20 * wrong * sqrt(want->time),
                        "%s on %s at %g: mean", what, specs[_i], t);
            assert_near(r->time, want->time, 20 * wrong * want->time, "%s on %s at %g: time", what,
                        specs[_i], t);
            double share = 0.01;
            assert_near(r->standard_error, want->standard_error, share * want->standard_error,
                        "%s on %s at %g: error", what, specs[_i], t);
            assert_near(r->time_standard_error, want->time_standard_error,
                        share * want->time_standard_error, "%s on %s at %g: error of the time",
                        what, specs[_i], t);
            mst_mean_result_free(want);
            mst_mean_result_free(r);
        }
        mst_score_free(source);
        free(x);
    }
    setting_close(&s);
}
END_TEST

START_TEST(bootstrap_is_that_of_the_exact_kernel)
{
    setting s = setting_open("sphere:2");
    double *x = draw(&s, 200, NULL, 0.3, 31);
    spoilt data = {.noise = 1e-6, RANGE};
    mst_score *source = network_open(&s, true, 1e-6, &data);
    mst_mean_options o = one_thread();
    o.covariance = MST_COVARIANCE_BOOTSTRAP;
    o.resamples = 60;
    mst_mean_result *want = fit(s.exact, 200, x, &o), *r = fit(source, 200, x, &o);
    assert_near(r->standard_error, want->standard_error, 1e-3 * want->standard_error, "mean");
    assert_near(r->time_standard_error, want->time_standard_error, 1e-3 * want->time_standard_error,
                "time");
    mst_mean_result_free(want);
    mst_mean_result_free(r);
    mst_score_free(source);
    free(x);
    setting_close(&s);
}
END_TEST

/* Newton's method starts at a distance, also where a step of the score alone would lead too far. */
START_TEST(climbs_from_afar)
{
    setting s = setting_open(specs[_i]);
    double *x = draw(&s, 300, NULL, 0.2, 32), *v = doubles(s.D), *start = doubles(s.D);
    double *c = doubles(s.d), *origin = doubles(s.D);
    mst_manifold_start(s.m, origin);
    spoilt data = {.noise = 1e-6, RANGE};
    mst_score *source = network_open(&s, true, 1e-6, &data);
    mst_mean_options o = one_thread();
    mst_mean_result *want = fit(s.exact, 300, x, &o);
    o.starts = 1;
    o.start = start;
    memset(c, 0, s.d * sizeof *c);
    for (double far = 0.3; far < 3; far += 0.6) {
        c[0] = far;
        ASSERT_OK(mst_manifold_from_frame(s.m, 1, origin, c, v));
        ASSERT_OK(mst_manifold_exp(s.m, 1, origin, v, start));
        mst_mean_result *r = fit(source, 300, x, &o);
        assert_near(gap(&s, r->mean, want->mean), 0, 1e-4, "%s from %g", specs[_i], far);
        assert_near(r->time, want->time, 1e-4, "%s from %g: time", specs[_i], far);
        mst_mean_result_free(r);
    }
    mst_mean_result_free(want);
    mst_score_free(source);
    free(x), free(v), free(start), free(c), free(origin);
    setting_close(&s);
}
END_TEST

/* ---- Edges ---- */

START_TEST(times_stop_at_the_edges)
{
    static const struct {
        double time, edge;
        mst_time_limit limit;
    } cases[] = {{2, 1, MST_TIME_LARGEST}, {0.001, 0.005, MST_TIME_LEAST}};
    setting s = setting_open(specs[_i]);
    /* At time 1 the law on sphere:5 is so nearly uniform that plain ascent takes thousands of steps. */
    for (size_t k = 0; k < (s.d == 5 ? 4 : 12); k++) {
        double edge = cases[k % 2].edge;
        double *x = draw(&s, 500, NULL, cases[k % 2].time, 41);
        spoilt data = {.noise = 1e-6, RANGE};
        mst_score *source = network_open(&s, k / 2 % 2 == 0, 1e-6, &data);
        mst_mean_options o = one_thread();
        o.method = (mst_mean_method)(k / 4);
        /* √t is the length of the picture: steps of gradient ascent must not be longer. */
        o.rate = o.method == MST_MEAN_ADAM ? 0.02 : edge < 0.1 ? 1e-3 : 0.1;
        mst_mean_result *r = fit(source, 500, x, &o);
        ck_assert_msg(r->end == MST_FIT_EDGE || r->end == MST_FIT_ROUNDING, "end %d", (int)r->end);
        ck_assert_msg(r->time_limit == cases[k % 2].limit && r->time == edge &&
                          (r->unique || r->uniqueness == MST_UNIQUENESS_NOT_ESTABLISHED),
                      "%s, method %zu: limit %d, time %g", specs[_i], k / 4, (int)r->time_limit,
                      r->time);
        ck_assert(r->set[0].time == edge && isnan(r->time_standard_error) && isnan(r->time_low));
        /* The mean is the one of that time. */
        o.method = MST_MEAN_NEWTON;
        o.time = edge;
        mst_mean_result *want = fit(s.exact, 500, x, &o);
        assert_near(gap(&s, r->mean, want->mean), 0, 0.005 * want->standard_error, "%s: mean, %zu",
                    specs[_i], k);
        /* At time 2 the points on sphere:5 are uniform for all one can see, and no error is given. */
        ck_assert(isnan(r->standard_error) == (r->no_errors != MST_ERRORS_GIVEN));
        ck_assert((r->no_errors == MST_ERRORS_UNIFORM) == (s.d == 5 && k % 2 == 0));
        if (data.hessian && r->no_errors == MST_ERRORS_GIVEN)
            assert_near(r->standard_error, want->standard_error, 0.01 * want->standard_error,
                        "%s: error", specs[_i]);
        mst_mean_result_free(want);
        mst_mean_result_free(r);
        mst_score_free(source);
        free(x);
    }
    setting_close(&s);
}
END_TEST

/* The maximiser next to an edge, on either side of it. */
START_TEST(times_next_to_an_edge)
{
    setting s = setting_open("sphere:2");
    double *x = draw(&s, N, NULL, 0.5, 42);
    mst_mean_options o = one_thread();
    mst_mean_result *want = fit(s.exact, N, x, &o);
    static const double shares[] = {0.9, 0.999, 0.99999, 1.00001, 1.001, 1.1};
    for (size_t k = 0; k < 12; k++) {
        double edge = want->time * shares[k % 6];
        bool upper = k < 6, inside = upper ? edge > want->time : edge < want->time;
        spoilt data = {.least = upper ? 0.005 : edge, .largest = upper ? edge : 4};
        mst_score *source = network_open(&s, true, 1e-6, &data);
        mst_mean_result *r = fit(source, N, x, &o);
        assert_near(r->time, inside ? want->time : edge, 2e-5 * edge, "edge %g", edge);
        /* Within rounding of the edge it may be either. */
        if (fabs(shares[k % 6] - 1) > 1e-4) {
            ck_assert_int_eq(r->time_limit, inside  ? MST_TIME_FINITE
                                            : upper ? MST_TIME_LARGEST
                                                    : MST_TIME_LEAST);
            ck_assert(isnan(r->time_standard_error) == !inside);
            if (inside)
                assert_near(r->time_standard_error, want->time_standard_error,
                            0.01 * want->time_standard_error, "error of the time");
        }
        mst_mean_result_free(r);
        mst_score_free(source);
    }
    mst_mean_result_free(want);
    free(x);
    setting_close(&s);
}
END_TEST

START_TEST(one_point_has_the_least_time)
{
    setting s = setting_open("sphere:2");
    double x[] = {0.6, 0, 0.8, 0.6, 0, 0.8};
    spoilt data = {RANGE};
    mst_score *source = network_open(&s, true, 1e-6, &data);
    mst_mean_options o = one_thread();
    for (size_t n = 1; n < 3; n++) {
        mst_mean_result *r = fit(source, n, x, &o);
        ck_assert(r->time_limit == MST_TIME_LEAST && r->time == 0.005);
        assert_near(gap(&s, r->mean, x), 0, 1e-5, "mean");
        /* The least time is that of the source, not of the rows, and makes no errors. */
        ck_assert(r->no_errors == MST_ERRORS_TOO_FEW_ROWS && r->region_kind == MST_REGION_NONE);
        ck_assert(isnan(r->standard_error) && isnan(r->covariance[0]));
        mst_mean_result_free(r);
        o.time = 0.01;
        r = fit(source, n, x, &o);
        assert_near(r->standard_error, sqrt(2 * 0.01 / (double)n), 0.01, "of a given time");
        mst_mean_result_free(r);
        o.time = 0;
    }
    mst_score_free(source);
    setting_close(&s);
}
END_TEST

START_TEST(fixed_times)
{
    setting s = setting_open("sphere:2");
    double *x = draw(&s, 300, NULL, 0.4, 43);
    spoilt data = {.noise = 1e-6, RANGE};
    mst_score *source = network_open(&s, true, 1e-6, &data);
    mst_mean_options o = one_thread();
    mst_mean_result *r;
    mst_test_result *t;
    mst_test_options to = mst_test_options_default();
    static const double outside[] = {0.0049, 1.01, 7};
    for (size_t k = 0; k < 3; k++) {
        o.time = to.time = outside[k];
        ASSERT_FAILS(MST_DOMAIN, mst_mean_fit(&r, source, 300, x, &o));
        ck_assert_ptr_null(r);
        ck_assert_ptr_nonnull(strstr(mst_error_detail(), "0.005 to 1"));
        ASSERT_FAILS(MST_DOMAIN, two_samples(&t, source, 150, x, 150, x + 450, &to));
        ck_assert_ptr_null(t);
    }
    static const double inside[] = {0.005, 0.05, 1};
    for (size_t k = 0; k < 3; k++) {
        o.time = inside[k];
        mst_mean_result *want = fit(s.exact, 300, x, &o);
        r = fit(source, 300, x, &o);
        ck_assert(r->time == inside[k] && r->time_limit == MST_TIME_FINITE);
        assert_near(gap(&s, r->mean, want->mean), 0, 1e-4, "time %g", inside[k]);
        assert_near(r->standard_error, want->standard_error, 0.01 * want->standard_error,
                    "time %g: error", inside[k]);
        mst_mean_result_free(want);
        mst_mean_result_free(r);
    }
    /* A source of one time has no other, nothing to fit. */
    data.least = data.largest = 0.3;
    mst_score_free(source);
    source = network_open(&s, true, 1e-6, &data);
    o.time = 0.3;
    mst_mean_result *want = fit(s.exact, 300, x, &o);
    o.time = 0;
    r = fit(source, 300, x, &o);
    ck_assert(r->time == 0.3 && r->time_limit == MST_TIME_FINITE && isnan(r->time_standard_error));
    assert_near(gap(&s, r->mean, want->mean), 0, 1e-4, "the only time");
    mst_mean_result_free(want);
    mst_mean_result_free(r);
    mst_score_free(source);
    free(x);
    setting_close(&s);
}
END_TEST

/* The published methods end where Newton's does. */
START_TEST(all_methods_agree)
{
    setting s = setting_open("sphere:2");
    double *x = draw(&s, 300, NULL, 0.4, 44);
    mst_mean_options o = one_thread();
    mst_mean_result *want = fit(s.exact, 300, x, &o);
    for (size_t k = 0; k < 6; k++) {
        spoilt data = {.noise = 1e-6, RANGE};
        mst_score *source = network_open(&s, k % 2 == 0, 1e-6, &data);
        o.method = (mst_mean_method)(k / 2);
        mst_mean_result *r = fit(source, 300, x, &o);
        assert_near(gap(&s, r->mean, want->mean), 0, 1e-4, "method %zu", k / 2);
        assert_near(r->time, want->time, 1e-4, "method %zu: time", k / 2);
        mst_mean_result_free(r);
        mst_score_free(source);
    }
    mst_mean_result_free(want);
    free(x);
    setting_close(&s);
}
END_TEST

/* ---- Sources without a time ---- */

START_TEST(frechet_means)
{
    setting s = setting_open(specs[_i]);
    static const double times[] = {0.006, 0.1, 0.5};
    mst_mean_options o = one_thread();
    for (size_t k = 0; k < 3; k++) {
        double *x = draw(&s, N, NULL, times[k], 51);
        mst_mean_result *want = fit(s.log, N, x, &o);
        spoilt data = {.noise = 1e-6};
        mst_score *source = limit_open(&s, &data);
        mst_mean_result *r = fit(source, N, x, &o);
        ck_assert(r->unique && isnan(r->time) && isnan(r->log_likelihood));
        assert_near(gap(&s, r->mean, want->mean), 0, 2e-5 * sqrt(want->variance), "%s: mean",
                    specs[_i]);
        assert_near(r->standard_error, want->standard_error, 0.01 * want->standard_error,
                    "%s: error", specs[_i]);
        ck_assert_uint_le(r->iterations, 15);
        mst_mean_result_free(r);
        mst_mean_result_free(want);
        mst_score_free(source);
        free(x);
    }
    setting_close(&s);
}
END_TEST

/* ---- Several maxima, none with a value ---- */

START_TEST(sets_of_means)
{
    setting s = setting_open("sphere:2");
    static const double square[] = {1, 0, 0, 0, 1, 0, -1, 0, 0, 0, -1, 0};
    mst_mean_options o = one_thread();
    spoilt data = {.noise = 1e-6, RANGE};
    mst_score *source = network_open(&s, true, 1e-6, &data);
    o.starts = 30;
    o.time = 0.3;
    mst_mean_result *r = fit(source, 4, square, &o);
    ck_assert_msg(!r->unique && r->set_size == 2, "%zu means of a square", r->set_size);
    assert_near(r->set[0].mean[2] + r->set[1].mean[2], 0, 1e-4, "both poles");
    assert_near(fabs(r->mean[2]), 1, 1e-6, "pole");
    mst_mean_result_free(r);
    /* A little to the north: the better one of two maxima, though the climb begins at the other. */
    double lifted[12], south[] = {0, 0, -1};
    for (size_t i = 0; i < 12; i++)
        lifted[i] = i % 3 == 2 ? 0.1 : square[i];
    ASSERT_OK(mst_manifold_project(s.m, 4, lifted, lifted));
    o.start = south;
    o.starts = 1;
    r = fit(source, 4, lifted, &o);
    assert_near(r->mean[2], -1, 1e-6, "the lower one");
    mst_mean_result_free(r);
    o.starts = 30;
    r = fit(source, 4, lifted, &o);
    ck_assert(r->set_size == 1);
    /* Four rows on a great circle may be of the uniform law. */
    ck_assert(!r->unique && r->uniqueness == MST_UNIQUENESS_NOT_ESTABLISHED);
    assert_near(r->mean[2], 1, 1e-6, "the better one");
    mst_mean_result_free(r);
    mst_score_free(source);
    setting_close(&s);
}
END_TEST

/* ---- What else takes a source ---- */

START_TEST(kmeans_centres)
{
    setting s = setting_open("sphere:2");
    double axes[] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, *x = doubles(600 * 3);
    /* The last cluster is narrower than the range allows. */
    static const double times[] = {0.05, 0.02, 0.001};
    for (size_t k = 0; k < 3; k++) {
        double *part = draw(&s, 200, axes + 3 * k, times[k], 71 + k);
        memcpy(x + 600 * k, part, 600 * sizeof *x);
        free(part);
    }
    spoilt data = {.noise = 1e-6, RANGE};
    mst_score *source = network_open(&s, true, 1e-6, &data), *log = limit_open(&s, &data);
    mst_kmeans_options o = mst_kmeans_options_default();
    o.k = 3;
    o.restarts = 3;
    o.threads = 1;
    for (size_t kind = 0; kind < 2; kind++) {
        mst_kmeans_result *want, *r;
        data.exact = kind == 0 ? s.exact : s.log;
        o.kind = kind == 0 ? s.exact : NULL;
        ASSERT_OK(mst_kmeans_fit(&want, s.m, 600, x, &o));
        o.kind = kind == 0 ? source : log;
        ASSERT_OK(mst_kmeans_fit(&r, s.m, 600, x, &o));
        ck_assert(r->converged && memcmp(r->labels, want->labels, 600 * sizeof *r->labels) == 0);
        for (size_t c = 0; c < 3; c++) {
            assert_near(gap(&s, r->centres + 3 * c, want->centres + 3 * c), 0, 1e-4, "centre %zu",
                        c);
            if (kind == 0)
                assert_near(r->times[c], fmax(0.005, want->times[c]), 1e-4, "time %zu", c);
        }
        mst_kmeans_result_free(want);
        mst_kmeans_result_free(r);
    }
    mst_score_free(source);
    mst_score_free(log);
    free(x);
    setting_close(&s);
}
END_TEST

START_TEST(mixtures_need_log_p)
{
    setting s = setting_open("sphere:2");
    double x[] = {1, 0, 0, 0, 1, 0};
    spoilt data = {RANGE};
    mst_score *source = network_open(&s, true, 1e-6, &data);
    mst_mixture_options o = mst_mixture_options_default();
    o.k = 1;
    mst_mixture_result *r;
    ASSERT_FAILS(MST_UNABLE, mst_mixture_fit(&r, source, 2, x, &o));
    ck_assert_ptr_null(r);
    ck_assert_ptr_nonnull(strstr(mst_error_detail(), "log p"));
    ck_assert_ptr_nonnull(strstr(mst_error_detail(), "network"));
    mst_score_free(source);
    setting_close(&s);
}
END_TEST

/* The statistic from gradients is the one from likelihoods. */
START_TEST(tests_of_two_samples)
{
    setting s = setting_open("sphere:2");
    double from[] = {0.15, 0, 1};
    ASSERT_OK(mst_manifold_project(s.m, 1, from, from));
    double *x = draw(&s, 120, NULL, 0.2, 81), *y = draw(&s, 90, from, 0.3, 82);
    spoilt data = {.noise = 1e-6, RANGE};
    mst_score *source = network_open(&s, true, 1e-6, &data);
    mst_test_options o = mst_test_options_default();
    o.permutations = 49;
    o.threads = 1;
    for (size_t k = 0; k < 6; k++) {
        o.hypothesis = (mst_hypothesis)(k % 3);
        o.method = k < 3 ? MST_TEST_LR : MST_TEST_PERMUTATION;
        mst_test_result *want, *r;
        ASSERT_OK(two_samples(&want, s.exact, 120, x, 90, y, &o));
        ASSERT_OK(two_samples(&r, source, 120, x, 90, y, &o));
        ck_assert(r->converged && isnan(r->log_likelihood_null));
        assert_near(r->statistic, want->statistic, 1e-3 * (1 + want->statistic), "statistic %zu",
                    k);
        assert_near(r->p_value, want->p_value, 1e-3 + (k < 3 ? 0 : 0.02), "p value %zu", k);
        mst_test_result_free(want);
        mst_test_result_free(r);
    }
    mst_score_free(source);
    free(x), free(y);
    setting_close(&s);
}
END_TEST

/* ---- Cost ---- */

/* Rows are what a network's time goes into. */
START_TEST(rows_are_counted)
{
    setting s = setting_open("sphere:2");
    static const double times[] = {0.02, 0.3, 0.8};
    mst_mean_options o = one_thread();
    for (size_t k = 0; k < 3; k++) {
        double *x = draw(&s, N, NULL, times[k], 91);
        spoilt data = {.wrong = 1e-3, .noise = 1e-6, RANGE};
        mst_score *source = network_open(&s, true, 1e-6, &data);
        mst_mean_result *r = fit(source, N, x, &o);
        size_t slow = data.slow_rows, fast = data.rows - data.slow_rows;
        /* Rows that are spread over half of the sphere deserve a look or two more. */
        ck_assert_msg(slow <= 10 * N && fast <= (k < 2 ? 5 : 8) * N,
                      "%zu rows with derivatives, %zu without", slow, fast);
        /* In pieces for several threads, which are a quarter of the rows of a first look. */
        ck_assert_uint_ge(data.rows, 64 * data.calls);
        ck_assert_uint_le(data.rows, 256 * data.calls);
        mst_mean_result_free(r);
        mst_score_free(source);
        free(x);
    }
    setting_close(&s);
}
END_TEST

START_TEST(threads_make_no_difference)
{
    setting s = setting_open("sphere:2");
    double *x = draw(&s, N, NULL, 0.3, 92);
    spoilt data = {.noise = 1e-6, RANGE};
    mst_score *source = network_open(&s, true, 1e-6, &data);
    mst_mean_options o = one_thread();
    o.threads = 1;
    mst_mean_result *one = fit(source, N, x, &o);
    o.threads = 4;
    mst_mean_result *four = fit(source, N, x, &o);
    ck_assert(memcmp(one->mean, four->mean, 3 * sizeof *one->mean) == 0);
    ck_assert(one->time == four->time && one->standard_error == four->standard_error);
    mst_mean_result_free(one);
    mst_mean_result_free(four);
    mst_score_free(source);
    free(x);
    setting_close(&s);
}
END_TEST

int main(void)
{
    return RUN_SUITE("ranged_source", 60, {fits_are_as_good_as_the_source, SPECS},
                     {bootstrap_is_that_of_the_exact_kernel, 0}, {climbs_from_afar, SPECS},
                     {times_stop_at_the_edges, SPECS}, {times_next_to_an_edge, 0},
                     {one_point_has_the_least_time, 0}, {fixed_times, 0}, {all_methods_agree, 0},
                     {frechet_means, SPECS}, {sets_of_means, 0}, {kmeans_centres, 0},
                     {mixtures_need_log_p, 0}, {tests_of_two_samples, 0}, {rows_are_counted, 0},
                     {threads_make_no_difference, 0});
}
