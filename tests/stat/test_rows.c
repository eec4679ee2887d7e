/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Rows that were written down several times, and rows that squares lose. */
#include "stat/rows.h"

#include "stat/mean_support.h"

#include <float.h>
#include <manistat/sample_test.h>

enum { DIFFERENT = 12 };

/* Row i is i % different in each column, as often as `times` says in turn. */
static size_t copies_of(size_t different, const size_t *times, size_t kinds)
{
    double x[2000];
    size_t n = 0, found;
    for (size_t turn = 0; turn < 100; turn++)
        for (size_t i = 0; i < different; i++)
            if (turn < times[i % kinds]) {
                x[n++] = (double)i;
                x[n++] = -1;
            }
    ASSERT_OK(rows_copies(n / 2, 2, x, &found));
    return found;
}

START_TEST(copies_are_counted)
{
    static const size_t once[] = {1}, thrice[] = {3}, even[] = {2, 4, 6}, odd[] = {4, 6, 9},
                        often[] = {20};
    ck_assert_uint_eq(copies_of(DIFFERENT, once, 1), 1);
    ck_assert_uint_eq(copies_of(DIFFERENT, thrice, 1), 3);
    ck_assert_uint_eq(copies_of(DIFFERENT, even, 3), 2);
    ck_assert_uint_eq(copies_of(DIFFERENT, odd, 3), 1);
    /* Chance would make pairs of three rows once in four times, and all rows of one point have no spread. */
    ck_assert_uint_eq(copies_of(3, even, 1), 1);
    ck_assert_uint_eq(copies_of(1, often, 1), 1);
    ck_assert_uint_eq(copies_of(2, often, 1), 1);
    ck_assert_uint_eq(copies_of(3, often, 1), 20);
}
END_TEST

/* Counts of a histogram are no copies: with ten cells one set in 2^9 has even ones only, and 3^−9 and less
 * come on top; more than 10 of 2000 sets have a probability of 0.5 %. The seed is fixed. */
START_TEST(histograms_are_no_copies)
{
    enum { SETS = 2000, CELLS = 10, N = 200 };
    size_t alarms = 0, found;
    for (size_t set = 0; set < SETS; set++) {
        double x[N];
        mst_random_uniforms((mst_random){91, set}, 0, N, x);
        for (size_t i = 0; i < N; i++)
            x[i] = floor(CELLS * x[i]);
        ASSERT_OK(rows_copies(N, 1, x, &found));
        alarms += found > 1;
    }
    ck_assert_uint_le(alarms, 10);
}
END_TEST

/* Twelve rows, each twice, on a product: the mean and the test say so, unless weights or clusters tell what
 * rows are worth. Copies of one factor alone are none. */
START_TEST(means_and_tests_tell)
{
    setting s = setting_open("product(euclidean:1,circle)");
    double *x = draw(&s, DIFFERENT, NULL, 0.1, 5), twice[4 * DIFFERENT], weights[2 * DIFFERENT];
    size_t clusters[2 * DIFFERENT];
    for (size_t i = 0; i < 2 * DIFFERENT; i++) {
        memcpy(twice + 2 * i, x + 2 * (i % DIFFERENT), 2 * sizeof *x);
        weights[i] = 1;
        clusters[i] = i % DIFFERENT;
    }
    for (size_t k = 0; k < 10; k++) {
        mst_mean_options o = mst_mean_options_default();
        mst_mean_result *r;
        o.time_per_factor = k / 5 == 1;
        o.weights = k % 5 == 1 ? weights : NULL;
        o.clusters = k % 5 == 2 ? clusters : NULL;
        for (size_t i = 0; k % 5 == 3 && i < 2 * DIFFERENT; i++)
            twice[2 * i] = x[2 * (i % DIFFERENT)] + (double)i / 100;
        ASSERT_OK(mst_mean_fit(&r, s.exact, k % 5 == 4 ? DIFFERENT : 2 * DIFFERENT, twice, &o));
        bool told = (r->notes & MST_NOTE_COPIES) != 0;
        ck_assert_msg(told == (k % 5 == 0), "%zu", k);
        ck_assert_uint_eq(r->copies, told ? 2 : 1);
        mst_mean_result_free(r);
        for (size_t i = 0; k == 4 && i < 2 * DIFFERENT; i++)
            memcpy(twice + 2 * i, x + 2 * (i % DIFFERENT), 2 * sizeof *x);
    }
    /* Two samples of different rows, and then the second as a copy of itself. */
    for (size_t copied = 0; copied < 2; copied++) {
        double *y = draw(&s, 4 * DIFFERENT, NULL, 0.1, 6);
        size_t group[4 * DIFFERENT];
        for (size_t i = 0; i < 4 * DIFFERENT; i++)
            group[i] = i % 2;
        for (size_t i = 1; copied == 1 && i < 2 * DIFFERENT; i += 2)
            memcpy(y + 2 * (i + 2 * DIFFERENT), y + 2 * i, 2 * sizeof *y);
        mst_test_options to = mst_test_options_default();
        mst_test_result *t;
        ASSERT_OK(mst_sample_test(&t, s.exact, 4 * DIFFERENT, y, 2, group, &to));
        ck_assert(((t->notes & MST_TEST_NOTE_COPIES) != 0) == (copied == 1));
        mst_test_result_free(t);
        free(y);
    }
    free(x);
    setting_close(&s);
}
END_TEST

/* Squares of 1e-160 are nothing, and what is computed from them is anything: a test once had p = 0. */
START_TEST(coordinates_may_be_too_small)
{
    setting s = setting_open("euclidean:2");
    double *x = draw(&s, 20, NULL, 1, 3);
    mst_mean_result *r;
    for (size_t k = 0; k < 40; k++)
        x[k] *= 1e-160;
    ck_assert_int_eq(mst_mean_fit(&r, s.exact, 20, x, NULL), MST_ARGUMENT);
    for (size_t k = 0; k < 40; k++)
        x[k] *= 1e40;
    ASSERT_OK(mst_mean_fit(&r, s.exact, 20, x, NULL));
    ck_assert(r->standard_error > 0 && isfinite(r->standard_error));
    mst_mean_result_free(r);
    memset(x, 0, 40 * sizeof *x);
    ASSERT_OK(mst_mean_fit(&r, s.log, 20, x, NULL));
    mst_mean_result_free(r);
    free(x);
    setting_close(&s);
}
END_TEST

/* Metrics of matrices that do not see units: the mean and its time must not, either. With variances of 1 and
 * 1e15 all points were once taken for one. */
START_TEST(units_of_channels_do_not_make_points_one)
{
    static const char *const specs[] = {"spd:2", "spd:2?metric=log-euclidean",
                                        "spd:2?metric=log-cholesky"};
    static const double first[] = {1, 1.1, 1.3, 0.9}, second[] = {1, 0.8, 1.2, 1};
    setting s = setting_open(specs[_i]);
    double time = 0, error = 0;
    for (double unit = 1; unit < 1e61; unit *= 1e15) {
        double x[16];
        mst_mean_result *r;
        for (size_t i = 0; i < 4; i++) {
            double row[4] = {first[i], i % 2 == 0 ? 0.0 : -0.0, i % 2 == 0 ? -0.0 : 0.0,
                             unit * second[i]};
            memcpy(x + 4 * i, row, sizeof row);
        }
        ASSERT_OK(mst_mean_fit(&r, s.exact, 4, x, NULL));
        time = unit == 1 ? r->time : time;
        error = unit == 1 ? r->standard_error : error;
        ck_assert_double_gt(error, 0);
        ck_assert_double_eq_tol(r->time / time, 1, 1e-8);
        ck_assert_double_eq_tol(r->standard_error / error, 1, 1e-6);
        mst_mean_result_free(r);
        for (size_t i = 1; i < 4; i++) /* rounding of one matrix */
            for (size_t k = 0; k < 4; k++)
                x[4 * i + k] = x[k] * (1 + 2 * (double)i * DBL_EPSILON);
        ck_assert_int_eq(mst_mean_fit(&r, s.exact, 4, x, NULL), MST_CONVERGENCE);
        ck_assert_int_eq(r->end, MST_FIT_COLLAPSED);
        mst_mean_result_free(r);
    }
    setting_close(&s);
}
END_TEST

int main(void)
{
    return RUN_SUITE("rows", 30, {units_of_channels_do_not_make_points_one, 3},
                     {copies_are_counted, 1}, {histograms_are_no_copies, 1},
                     {means_and_tests_tell, 1}, {coordinates_may_be_too_small, 1});
}
