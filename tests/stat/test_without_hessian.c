/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Sources that have a time but no second derivatives: the errors of estimates are those of a source that has
 * them, however the rows are spread. */
#include "stat/hidden_source.h"
#include "stat/regress_support.h"

#include <manistat/sample_test.h>

enum { ROWS = 60 };

/* Two covariances (q, q), entry by entry, to a share of the largest. */
static void assert_covariance(size_t q, const double *a, const double *b, double share,
                              const char *what)
{
    double largest = 0;
    for (size_t k = 0; k < q; k++)
        largest = fmax(largest, b[k * q + k]);
    for (size_t k = 0; k < q * q; k++)
        assert_near(a[k], b[k], share * largest, "%s: covariance (%zu, %zu)", what, k / q, k % q);
}

/* Compared at means that are the same to the tolerance, in the frame of each; differences of natural step h
 * are off by h² and the rounding by 1e-6/h. Standard errors along a narrow direction are told apart by 1 %
 * of the wide one's variance, which is 44 times theirs, so they are compared by themselves. */
static void compare_means(const setting *s, const mst_score *other, const double *x, double share,
                          const char *what)
{
    for (int kind = 0; kind < 2; kind++) {
        mst_mean_options o = mst_mean_options_default();
        o.covariance = kind == 0 ? MST_COVARIANCE_OBSERVED : MST_COVARIANCE_SANDWICH;
        mst_mean_result *a = fit(other, ROWS, x, &o), *b = fit(s->exact, ROWS, x, &o);
        assert_covariance(s->d, a->covariance, b->covariance, share, what);
        for (size_t k = 0; k < s->d; k++) {
            double want = sqrt(b->covariance[k * s->d + k]);
            assert_near(sqrt(a->covariance[k * s->d + k]), want, 3 * share * want, "%s: error %zu",
                        what, k);
        }
        assert_near(a->time_standard_error, b->time_standard_error,
                    3 * share * b->time_standard_error, "%s: error of the time", what);
        ck_assert_uint_eq(b->notes & MST_NOTE_MODEL, kind == 0 ? MST_NOTE_MODEL : 0);
        ck_assert_uint_eq(a->notes, b->notes);
        mst_mean_result_free(a);
        mst_mean_result_free(b);
    }
}

static const char *const specs[] = {"sphere:2", "so3", "hyperbolic:3"};
enum { SPECS = sizeof specs / sizeof *specs };

START_TEST(means_of_elongated_rows)
{
    setting s = setting_open(specs[_i]);
    double *x = elongated(&s, ROWS, 81);
    for (int rounded = 0; rounded < 2; rounded++) {
        hidden h = {s.exact, rounded == 1};
        mst_score *other = hide(&h);
        compare_means(&s, other, x, 5e-3, rounded == 1 ? "rounded" : "without a Hessian");
        mst_score_free(other);
    }
    free(x);
    setting_close(&s);
}
END_TEST

/* Steps are a few tenths of √t. Their truncation and the noise of 24 paths are both below 3 %. */
START_TEST(means_by_bridges)
{
    setting s = setting_open("sphere:2");
    double *x = elongated(&s, ROWS, 81);
    mst_bridge_options b = mst_bridge_options_default();
    mst_score *bridges;
    b.paths = 24;
    b.steps = 16;
    ASSERT_OK(mst_score_bridge_new(&bridges, s.m, &b));
    compare_means(&s, bridges, x, 0.03, "bridges");
    mst_score_free(bridges);
    free(x);
    setting_close(&s);
}
END_TEST

START_TEST(regressions_of_elongated_rows)
{
    setting s = setting_open("sphere:2");
    double *y = elongated(&s, ROWS, 82), x[ROWS];
    hidden h = {s.exact, false};
    mst_score *other = hide(&h);
    for (size_t i = 0; i < ROWS; i++)
        x[i] = (double)i / ROWS;
    for (int kind = 0; kind < 2; kind++) {
        mst_regress_options o = mst_regress_options_default();
        o.covariance = kind == 0 ? MST_COVARIANCE_OBSERVED : MST_COVARIANCE_SANDWICH;
        mst_regress_result *a, *b;
        ASSERT_OK(mst_regress_fit(&a, other, ROWS, y, 1, x, &o));
        ASSERT_OK(mst_regress_fit(&b, s.exact, ROWS, y, 1, x, &o));
        ck_assert_uint_eq(a->parameters, b->parameters);
        assert_covariance(a->parameters, a->covariance, b->covariance, 5e-3, "regression");
        mst_regress_result_free(a);
        mst_regress_result_free(b);
    }
    mst_score_free(other);
    free(y);
    setting_close(&s);
}
END_TEST

START_TEST(tests_of_elongated_rows)
{
    setting s = setting_open("sphere:2");
    double *x = elongated(&s, 2 * ROWS, 83);
    size_t group[2 * ROWS];
    hidden h = {s.exact, false};
    mst_score *other = hide(&h);
    for (size_t i = 0; i < 2 * ROWS; i++)
        group[i] = i % 2;
    mst_test_options o = mst_test_options_default();
    o.hypothesis = MST_EQUAL_MEANS;
    mst_test_result *a, *b;
    ASSERT_OK(mst_sample_test(&a, other, 2 * ROWS, x, 2, group, &o));
    ASSERT_OK(mst_sample_test(&b, s.exact, 2 * ROWS, x, 2, group, &o));
    ck_assert_uint_ne(b->notes & MST_TEST_NOTE_MODEL, 0);
    ck_assert_uint_eq(a->notes, b->notes);
    mst_test_result_free(a);
    mst_test_result_free(b);
    mst_score_free(other);
    free(x);
    setting_close(&s);
}
END_TEST

int main(void)
{
    return RUN_SUITE("without_hessian", 120, {means_of_elongated_rows, SPECS},
                     {means_by_bridges, 0}, {regressions_of_elongated_rows, 0},
                     {tests_of_elongated_rows, 0});
}
