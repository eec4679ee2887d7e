/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* What weights mean: a count of three is a row three times, for every kind of error bar; a common factor
 * changes errors and likelihoods and no verdict; relative weights know ratios only. */
#include "stat/mean_support.h"

#include <manistat/cluster.h>
#include <stdio.h>

static const char *const specs[] = {
    "circle", "torus:2",  "sphere:2",     "so3",
    "spd:2",  "sphere:3", "hyperbolic:2", "product(sphere:2,euclidean:1)"};
enum { SPECS = sizeof specs / sizeof *specs, N = 40 };

/* Rows repeated as often as their counts say; gives how many there are. */
static size_t repeat_rows(size_t D, const double *x, const double *counts, double *out)
{
    size_t total = 0;
    for (size_t i = 0; i < N; i++)
        for (double k = 0; k < counts[i]; k++, total++)
            memcpy(out + total * D, x + i * D, D * sizeof *x);
    return total;
}

static void assert_same_errors(const setting *s, const mst_mean_result *a, const mst_mean_result *b,
                               double factor, const char *what)
{
    double scale = b->standard_error * b->standard_error;
    ck_assert_msg(isfinite(scale), "%s: no errors", what);
    for (size_t k = 0; k < s->d * s->d; k++)
        assert_near(a->covariance[k] * factor, b->covariance[k], 3e-6 * scale, "%s: covariance %zu",
                    what, k);
    if (!isnan(b->time_standard_error))
        assert_near(a->time_standard_error * sqrt(factor), b->time_standard_error,
                    1e-6 * b->time_standard_error, "%s: error of the time", what);
}

/* Draws of the bootstrap are by observations, so that it agrees as closely as the formulas do. */
START_TEST(a_count_is_a_row_so_many_times)
{
    static const char *const kinds[] = {"observed", "sandwich", "bootstrap"};
    setting s = setting_open(specs[_i]);
    double *x = draw(&s, N, NULL, 0.3, 81), counts[N], *rows = doubles(4 * N * s.D);
    double ones[4 * N]; /* equal rows without weights are copies */
    for (size_t i = 0; i < N; i++)
        counts[i] = (double)(i * i % 5);
    for (size_t i = 0; i < 4 * N; i++)
        ones[i] = 1;
    size_t total = repeat_rows(s.D, x, counts, rows);
    const mst_score *sources[] = {s.log, s.exact};
    for (size_t k = 0; k < 6; k++) {
        if (sources[k % 2] == NULL)
            continue;
        mst_mean_options o = mst_mean_options_default();
        o.starts = 1;
        o.resamples = 100;
        o.covariance = (mst_covariance_kind)(k / 2);
        o.weights = ones;
        mst_mean_result *want = fit(sources[k % 2], total, rows, &o);
        o.weights = counts;
        mst_mean_result *got = fit(sources[k % 2], N, x, &o);
        char what[80];
        snprintf(what, sizeof what, "%s, %s, source %zu", specs[_i], kinds[k / 2], k % 2);
        assert_same_fit(&s, got, want, 1e-7, what);
        assert_same_errors(&s, got, want, 1, what);
        assert_near(got->effective_n, (double)total, 1e-9, "%s: effective n", what);
        if (!isnan(want->bic))
            assert_near(got->bic, want->bic, 1e-7 * fabs(want->bic), "%s: BIC", what);
        assert_near(got->region_volume, want->region_volume, 1e-5 * want->region_volume, "%s",
                    what);
        mst_mean_result_free(want);
        mst_mean_result_free(got);
    }
    free(x);
    free(rows);
    setting_close(&s);
}
END_TEST

static const unsigned by_counts = MST_NOTE_WEIGHTS_SUM_TO_ONE | MST_NOTE_UNEQUAL_TIMES |
                                  MST_NOTE_MAYBE_UNIFORM | MST_NOTE_TIME_BIASED |
                                  MST_NOTE_HARDLY_DETERMINED | MST_NOTE_MODEL |
                                  MST_NOTE_UNIFORM_PART | MST_NOTE_FAR_ROWS;

/* Factors far from one, on spread-out data too. */
START_TEST(a_common_factor_changes_no_verdict)
{
    static const double factors[] = {1e-9, 1.0 / 3, 1e6};
    setting s = setting_open(specs[_i]);
    for (size_t k = 0; k < 12; k++) {
        const mst_score *source = k % 2 == 0 ? s.log : s.exact;
        double time = k / 6 == 0 ? 0.3 : 1.5, weights[N], scaled[N], factor = factors[k / 2 % 3];
        if (source == NULL)
            continue;
        double *x = draw(&s, N, NULL, time, 82);
        for (size_t i = 0; i < N; i++) {
            weights[i] = 1 + (double)(i % 4);
            scaled[i] = weights[i] * factor;
        }
        mst_mean_options o = mst_mean_options_default();
        o.covariance = k / 2 % 2 == 0 ? MST_COVARIANCE_SANDWICH : MST_COVARIANCE_OBSERVED;
        o.weights = weights;
        mst_mean_result *want = NULL, *got = NULL;
        mst_status expected = mst_mean_fit(&want, source, N, x, &o);
        o.weights = scaled;
        ck_assert_int_eq(mst_mean_fit(&got, source, N, x, &o), expected);
        char what[80];
        snprintf(what, sizeof what, "%s, time %g, factor %g, source %zu", specs[_i], time, factor,
                 k % 2);
        ck_assert_msg(got->converged == want->converged && got->end == want->end &&
                          got->unique == want->unique && got->set_size == want->set_size &&
                          got->uniqueness == want->uniqueness,
                      "%s: the verdict changed", what);
        /* Errors are withdrawn where the uniform law is not rejected, which goes by the counts. */
        ck_assert_msg(got->no_errors == want->no_errors || got->no_errors == MST_ERRORS_UNIFORM ||
                          want->no_errors == MST_ERRORS_UNIFORM,
                      "%s: errors", what);
        /* What is said of the counts' sum, and what is significant, must change with it. */
        ck_assert_msg((got->notes | by_counts) == (want->notes | by_counts), "%s: notes", what);
        assert_near(gap(&s, got->mean, want->mean), 0, 1e-7, "%s: mean", what);
        if (!isnan(want->time))
            assert_near(got->time, want->time, 1e-7 * want->time, "%s: time", what);
        if (!isnan(want->aic))
            assert_near(got->log_likelihood, factor * want->log_likelihood,
                        1e-7 * factor * fabs(want->log_likelihood), "%s: likelihood", what);
        if (want->no_errors == MST_ERRORS_GIVEN && got->no_errors == MST_ERRORS_GIVEN &&
            got->covariance_kind == want->covariance_kind)
            assert_same_errors(&s, got, want, factor, what);
        mst_mean_result_free(want);
        mst_mean_result_free(got);
        free(x);
    }
    setting_close(&s);
}
END_TEST

/* Equal relative weights say nothing; unequal ones are worth fewer rows, and the sandwich is that of a
 * weighted mean, Σ w² r²/(Σw)². */
START_TEST(relative_weights)
{
    setting s = setting_open("euclidean:1");
    double *x = draw(&s, N, NULL, 1, 83), equal[N], weights[N];
    double sum = 0, squares = 0, centre = 0, robust = 0;
    for (size_t i = 0; i < N; i++) {
        equal[i] = 1e-3;
        weights[i] = 1e5 * (double)(1 + i % 3);
        sum += weights[i];
        squares += weights[i] * weights[i];
        centre += weights[i] * x[i];
    }
    /* What unequal weights leave of Σw²: h = w/Σw, Σ w²(1 − 2h + Σh²), beyond that of equal ones. */
    double left = squares / (sum * sum) * squares;
    for (size_t i = 0; i < N; i++)
        left += weights[i] * weights[i] * (1 - 2 * weights[i] / sum);
    double factor = squares / left * (N - 1.0) / N;
    for (size_t i = 0; i < N; i++)
        robust += pow(weights[i] * (x[i] - centre / sum) / sum, 2);
    for (size_t k = 0; k < 3; k++) {
        mst_mean_options o = mst_mean_options_default();
        o.covariance = (mst_covariance_kind)k;
        mst_mean_result *plain = fit(s.exact, N, x, &o);
        o.weights_are = MST_WEIGHTS_RELATIVE;
        o.weights = equal;
        mst_mean_result *same = fit(s.exact, N, x, &o);
        assert_same_fit(&s, same, plain, 1e-9, "equal weights");
        assert_same_errors(&s, same, plain, 1, "equal weights");
        assert_near(same->effective_n, N, 1e-9, "effective n");
        assert_near(same->bic, plain->bic, 1e-7, "BIC");
        o.weights = weights;
        mst_mean_result *r = fit(s.exact, N, x, &o);
        double n = sum * sum / squares;
        assert_near(r->effective_n, n, 1e-9, "effective n");
        assert_near(r->mean[0], centre / sum, 1e-9, "mean");
        /* 1000 resamples know a variance to 4.5 % */
        double want = k == MST_COVARIANCE_OBSERVED ? r->time / n : robust * factor;
        assert_near(r->covariance[0], want, (k == MST_COVARIANCE_BOOTSTRAP ? 0.2 : 1e-6) * want,
                    "kind %zu: variance", k);
        ck_assert_int_eq(isinf(r->degrees_of_freedom) != 0, k == MST_COVARIANCE_OBSERVED);
        ck_assert(k == MST_COVARIANCE_OBSERVED || r->region_radius2 > 3.9);
        ck_assert_uint_eq(r->notes & MST_NOTE_WEIGHTS_SUM_TO_ONE, 0);
        mst_mean_result_free(plain);
        mst_mean_result_free(same);
        mst_mean_result_free(r);
    }
    free(x);
    setting_close(&s);
}
END_TEST

/* Weights that are nearly equal have nearly the region of equal ones, and none has a smaller quantile than
 * these; of few rows that count a warning says so. */
START_TEST(unequal_weights_cost_degrees)
{
    enum { ROWS = 10 };
    setting s = setting_open("euclidean:2");
    double *x = draw(&s, ROWS, NULL, 0.1, 91), weights[ROWS], least = 0;
    for (size_t k = 0; k < 4; k++) {
        static const double heavy[] = {1, 1.001, 2, 10};
        for (size_t i = 0; i < ROWS; i++)
            weights[i] = i < ROWS / 2 ? heavy[k] : 1;
        mst_mean_options o = mst_mean_options_default();
        o.weights = weights;
        o.weights_are = MST_WEIGHTS_RELATIVE;
        o.covariance = MST_COVARIANCE_SANDWICH;
        mst_mean_result *r = fit(s.exact, ROWS, x, &o);
        ck_assert_msg(r->region_radius2 > least, "case %zu: %g", k, r->region_radius2);
        if (k == 1) {
            assert_near(r->region_radius2, least, 0.001 * least, "nearly equal");
            assert_near(r->degrees_of_freedom, ROWS - 1, 0.01, "degrees of freedom");
        }
        ck_assert_int_eq((r->notes & MST_NOTE_FEW_WEIGHTS) != 0, k == 3);
        least = r->region_radius2;
        mst_mean_result_free(r);
    }
    free(x);
    setting_close(&s);
}
END_TEST

/* Shares given as counts are noticed; counts, and a row that is alone, are not. */
START_TEST(counts_that_sum_to_one)
{
    setting s = setting_open("sphere:2");
    double *x = draw(&s, N, NULL, 0.3, 84), weights[N];
    static const struct {
        double each, first;
        bool noticed;
    } cases[] = {{1.0 / N, 1.0 / N, true},
                 {1.5 / N, 1.5 / N, true},
                 {0.004 / N, 0.99, true},
                 {1, 1, false},
                 {0, 1, false},
                 {2.5 / N, 2.5 / N, false}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        for (size_t i = 0; i < N; i++)
            weights[i] = i == 0 ? cases[k].first : cases[k].each;
        mst_mean_options o = mst_mean_options_default();
        o.weights = weights;
        mst_mean_result *r = fit(s.log, N, x, &o);
        ck_assert_msg(((r->notes & MST_NOTE_WEIGHTS_SUM_TO_ONE) != 0) == cases[k].noticed,
                      "case %zu", k);
        mst_mean_result_free(r);
        o.weights_are = MST_WEIGHTS_RELATIVE;
        r = fit(s.log, N, x, &o);
        ck_assert_uint_eq(r->notes & MST_NOTE_WEIGHTS_SUM_TO_ONE, 0);
        mst_mean_result_free(r);
    }
    free(x);
    setting_close(&s);
}
END_TEST

/* Large counts cannot be drawn one by one, and fractions not at all: the covariance is scaled. 1000
 * resamples know a variance to 4.5 % in one dimension, and the trace better. */
START_TEST(counts_that_cannot_be_drawn)
{
    setting s = setting_open("sphere:2");
    double *x = draw(&s, N, NULL, 0.3, 85), weights[N];
    static const double factors[] = {1e-3, 0.7, 1e9};
    for (size_t k = 0; k < 3; k++) {
        for (size_t i = 0; i < N; i++)
            weights[i] = factors[k] * (double)(1 + i % 3);
        mst_mean_options o = mst_mean_options_default();
        o.weights = weights;
        o.covariance = MST_COVARIANCE_SANDWICH;
        mst_mean_result *want = fit(s.log, N, x, &o);
        o.covariance = MST_COVARIANCE_BOOTSTRAP;
        mst_mean_result *got = fit(s.log, N, x, &o);
        assert_near(got->standard_error, want->standard_error, 0.1 * want->standard_error,
                    "factor %g", factors[k]);
        mst_mean_result_free(want);
        mst_mean_result_free(got);
    }
    free(x);
    setting_close(&s);
}
END_TEST

/* Inertia and likelihood of clusters count rows as often as their weights say. */
/* Denormal weights gave another mean, and coordinates whose squares overflow a message about a matrix. */
START_TEST(beyond_the_range_of_numbers)
{
    static const double sizes[] = {1e-310, 1e-40, 1e40, 1e300};
    setting s = setting_open("euclidean:2");
    double *x = draw(&s, N, NULL, 0.3, 87), weights[N];
    mst_mean_options o = mst_mean_options_default();
    mst_mean_result *r;
    o.weights = weights;
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        for (size_t i = 0; i < N; i++)
            weights[i] = sizes[k];
        ASSERT_FAILS(MST_ARGUMENT, mst_mean_fit(&r, s.exact, N, x, &o));
    }
    o.weights = NULL;
    x[3] = 1e200;
    ASSERT_FAILS(MST_ARGUMENT, mst_mean_fit(&r, s.exact, N, x, &o));
    ck_assert_ptr_nonnull(strstr(mst_error_detail(), "row 2: 1e+200 is too large"));
    free(x);
    setting_close(&s);
}
END_TEST

START_TEST(clusters_count_rows_too)
{
    setting s = setting_open("sphere:2");
    double *x = draw(&s, N, NULL, 0.5, 86), counts[N], *rows = doubles(4 * N * s.D);
    for (size_t i = 0; i < N; i++)
        counts[i] = (double)(1 + i % 3);
    size_t total = repeat_rows(s.D, x, counts, rows);
    mst_kmeans_options k = mst_kmeans_options_default();
    mst_mixture_options m = mst_mixture_options_default();
    k.k = m.k = 2;
    mst_kmeans_result *many, *few;
    ASSERT_OK(mst_kmeans_fit(&many, s.m, total, rows, &k));
    k.weights = counts;
    ASSERT_OK(mst_kmeans_fit(&few, s.m, N, x, &k));
    assert_near(few->inertia, many->inertia, 1e-9 * many->inertia, "inertia");
    mst_kmeans_result_free(many);
    mst_kmeans_result_free(few);
    mst_mixture_result *wide, *narrow;
    ASSERT_OK(mst_mixture_fit(&wide, s.exact, total, rows, &m));
    m.weights = counts;
    ASSERT_OK(mst_mixture_fit(&narrow, s.exact, N, x, &m));
    assert_near(narrow->log_likelihood, wide->log_likelihood, 1e-5 * fabs(wide->log_likelihood),
                "likelihood");
    assert_near(narrow->bic, wide->bic, 1e-5 * fabs(wide->bic), "BIC");
    mst_mixture_result_free(wide);
    double small[N], equal[N];
    for (size_t i = 0; i < N; i++) {
        small[i] = 1e-6 * counts[i];
        equal[i] = 0.01;
    }
    k.weights = counts;
    ASSERT_OK(mst_kmeans_fit(&many, s.m, N, x, &k));
    k.weights = small;
    ASSERT_OK(mst_kmeans_fit(&few, s.m, N, x, &k));
    assert_near(few->inertia, 1e-6 * many->inertia, 1e-12 * many->inertia, "inertia of a factor");
    ck_assert(memcmp(few->labels, many->labels, N * sizeof *few->labels) == 0);
    mst_kmeans_result_free(few);
    k.weights_are = MST_WEIGHTS_RELATIVE;
    ASSERT_OK(mst_kmeans_fit(&few, s.m, N, x, &k));
    /* weights sum to (Σw)²/Σw² */
    double sum = 0, squares = 0;
    for (size_t i = 0; i < N; i++) {
        sum += counts[i];
        squares += counts[i] * counts[i];
    }
    assert_near(few->inertia, many->inertia * sum / squares, 1e-9 * many->inertia, "relative");
    mst_kmeans_result_free(many);
    mst_kmeans_result_free(few);
    mst_mixture_result *scaled;
    m.weights = small;
    ASSERT_OK(mst_mixture_fit(&scaled, s.exact, N, x, &m));
    assert_near(scaled->log_likelihood, 1e-6 * narrow->log_likelihood,
                1e-12 * fabs(narrow->log_likelihood), "likelihood of a factor");
    mst_mixture_result_free(scaled);
    mst_mixture_result_free(narrow);
    m.weights = NULL;
    ASSERT_OK(mst_mixture_fit(&narrow, s.exact, N, x, &m));
    m.weights = equal;
    m.weights_are = MST_WEIGHTS_RELATIVE;
    ASSERT_OK(mst_mixture_fit(&scaled, s.exact, N, x, &m));
    assert_near(scaled->bic, narrow->bic, 1e-6 * fabs(narrow->bic), "relative: BIC");
    mst_mixture_result_free(scaled);
    mst_mixture_result_free(narrow);
    free(x);
    free(rows);
    setting_close(&s);
}
END_TEST

int main(void)
{
    return RUN_SUITE("mean_weights", 60, {a_count_is_a_row_so_many_times, SPECS},
                     {a_common_factor_changes_no_verdict, SPECS}, {relative_weights, 0},
                     {unequal_weights_cost_degrees, 0}, {counts_that_sum_to_one, 0},
                     {counts_that_cannot_be_drawn, 0}, {clusters_count_rows_too, 0},
                     {beyond_the_range_of_numbers, 0});
}
