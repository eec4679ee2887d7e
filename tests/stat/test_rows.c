/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Rows that were written down several times, and rows that squares lose. */
#include "stat/rows.h"

#include "stat/mean_support.h"

#include <float.h>
#include <manistat/sample_test.h>

enum { DIFFERENT = 12 };

/* The different rows of x if copies were found, else 0. */
static size_t different_rows(size_t n, size_t D, const double *x)
{
    size_t *names, different;
    ASSERT_OK(rows_copies(n, D, x, &names, &different));
    for (size_t i = 0; names != NULL && i < n; i++)
        ck_assert(names[i] <= i && names[names[i]] == names[i] &&
                  memcmp(x + i * D, x + names[i] * D, D * sizeof *x) == 0);
    bool found = names != NULL;
    ck_assert(found || different == n);
    free(names);
    return found ? different : 0;
}

/* Row i is i % different in each column, as often as `times` says in turn. */
static size_t copies_of(size_t different, const size_t *times, size_t kinds)
{
    double x[2000];
    size_t n = 0;
    for (size_t turn = 0; turn < 100; turn++)
        for (size_t i = 0; i < different; i++)
            if (turn < times[i % kinds]) {
                x[n++] = (double)i;
                x[n++] = -1;
            }
    return different_rows(n / 2, 2, x);
}

/* Of numbers of one digit, which chance makes equal. */
START_TEST(multiples_are_copies)
{
    static const size_t once[] = {1}, thrice[] = {3}, even[] = {2, 4, 6}, odd[] = {4, 6, 9},
                        often[] = {20};
    ck_assert_uint_eq(copies_of(DIFFERENT, once, 1), 0);
    ck_assert_uint_eq(copies_of(DIFFERENT, thrice, 1), DIFFERENT);
    ck_assert_uint_eq(copies_of(DIFFERENT, even, 3), DIFFERENT);
    ck_assert_uint_eq(copies_of(DIFFERENT, odd, 3), 0);
    /* Chance would make pairs of three rows once in four times, and all rows of one point have no spread. */
    ck_assert_uint_eq(copies_of(3, even, 1), 0);
    ck_assert_uint_eq(copies_of(1, often, 1), 0);
    ck_assert_uint_eq(copies_of(2, often, 1), 0);
    ck_assert_uint_eq(copies_of(3, often, 1), 3);
}
END_TEST

/* Rows of all digits, one to three times; and the same rounded to a grid in various ways, where more rows are
 * equal by chance. */
START_TEST(long_rows_are_copies_and_grids_are_none)
{
    enum { ROWS = 40, MANY = 400 };
    static const char *const spaces[] = {"euclidean:2", "circle", "torus:2",
                                         "sphere:2",    "so3",    "product(sphere:2,euclidean:1)"};
    for (size_t k = 0; k < 6; k++) {
        setting s = setting_open(spaces[k]);
        for (uint64_t set = 0; set < 20; set++) {
            double *x = draw(&s, ROWS, NULL, 0.3, 11 + set), *all = doubles(3 * ROWS * s.D);
            size_t n = 0;
            for (size_t i = 0; i < 3 * ROWS; i++)
                if (i < ROWS || (i % 7 + set) % 3 == 1)
                    memcpy(all + n++ * s.D, x + i % ROWS * s.D, s.D * sizeof *x);
            ck_assert_msg(different_rows(n, s.D, all) == ROWS, "%s, set %zu", spaces[k],
                          (size_t)set);
            ck_assert_uint_eq(different_rows(ROWS, s.D, all), 0);
            free(x), free(all);
        }
        setting_close(&s);
    }
    setting s = setting_open("euclidean:2");
    for (uint64_t set = 0; set < 20; set++) {
        double *x = draw(&s, MANY, NULL, 0.3, 31 + set);
        double grid[2 * MANY], degrees[2 * MANY], hours[MANY], written[MANY], unit[3 * MANY],
            globe[3 * MANY];
        for (size_t i = 0; i < 2 * MANY; i++) {
            grid[i] = round(x[i] * 20) / 20;
            degrees[i] = round(x[i] * 20) * 2 * M_PI / 180;
        }
        for (size_t i = 0; i < MANY; i++) {
            double *p = unit + 3 * i, *q = globe + 3 * i, a = grid[2 * i], b = grid[2 * i + 1];
            double length = sqrt(1 + a * a + b * b), u = degrees[2 * i], v = degrees[2 * i + 1];
            hours[i] = 2 * M_PI * round(x[2 * i] * 1000) / 24000;
            /* tenths of degrees, written with ten decimals from 0 to 2π, read from −π on */
            double tenths = round(x[2 * i] * 500), turn = tenths < 0 ? 3600 : 0;
            written[i] = round((tenths + turn) * M_PI / 1800 * 1e10) / 1e10;
            written[i] -= written[i] > M_PI ? 2 * M_PI : 0;
            memcpy(p, (double[]){a / length, b / length, 1 / length}, 3 * sizeof *p);
            memcpy(q, (double[]){cos(u) * cos(v), cos(u) * sin(v), sin(u)}, 3 * sizeof *q);
        }
        ck_assert_uint_eq(different_rows(MANY, 2, grid), 0);
        ck_assert_uint_eq(different_rows(MANY, 2, degrees), 0);
        ck_assert_uint_eq(different_rows(MANY, 1, hours), 0);
        ck_assert_uint_eq(different_rows(MANY, 1, written), 0);
        ck_assert_uint_eq(different_rows(MANY, 3, unit), 0);
        ck_assert_uint_eq(different_rows(MANY, 3, globe), 0);
        free(x);
    }
    setting_close(&s);
}
END_TEST

/* Counts of a histogram are no copies: with ten cells one set in 2^9 has even ones only, and 3^−9 and less
 * come on top; more than 10 of 2000 sets have a probability of 0.5 %. The seed is fixed. */
START_TEST(histograms_are_no_copies)
{
    enum { SETS = 2000, CELLS = 10, N = 200 };
    size_t alarms = 0;
    for (size_t set = 0; set < SETS; set++) {
        double x[N];
        mst_random_uniforms((mst_random){91, set}, 0, N, x);
        for (size_t i = 0; i < N; i++)
            x[i] = floor(CELLS * x[i]);
        alarms += different_rows(N, 1, x) > 0;
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
    double copied = NAN;
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
        ck_assert_uint_eq(r->different_rows, told ? DIFFERENT : r->n);
        /* They have the errors of clusters that have names. */
        if (k == 0)
            copied = r->standard_error;
        if (k == 2)
            ck_assert_double_eq(r->standard_error, copied);
        mst_mean_result_free(r);
        for (size_t i = 0; k == 4 && i < 2 * DIFFERENT; i++)
            memcpy(twice + 2 * i, x + 2 * (i % DIFFERENT), 2 * sizeof *x);
    }
    /* Two samples of different rows, and then the second as a copy of itself. */
    for (size_t again = 0; again < 2; again++) {
        double *y = draw(&s, 4 * DIFFERENT, NULL, 0.1, 6);
        size_t group[4 * DIFFERENT];
        for (size_t i = 0; i < 4 * DIFFERENT; i++)
            group[i] = i % 2;
        for (size_t i = 1; again == 1 && i < 2 * DIFFERENT; i += 2)
            memcpy(y + 2 * (i + 2 * DIFFERENT), y + 2 * i, 2 * sizeof *y);
        mst_test_options to = mst_test_options_default();
        mst_test_result *t;
        ASSERT_OK(mst_sample_test(&t, s.exact, 4 * DIFFERENT, y, 2, group, &to));
        ck_assert(((t->notes & MST_TEST_NOTE_COPIES) != 0) == (again == 1));
        ck_assert_int_eq(t->method, again == 1 ? MST_TEST_PERMUTATION : MST_TEST_LR);
        ck_assert_uint_eq(t->clusters, again == 1 ? 3 * DIFFERENT : 0);
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
                     {multiples_are_copies, 1}, {long_rows_are_copies_and_grids_are_none, 1},
                     {histograms_are_no_copies, 1}, {means_and_tests_tell, 1},
                     {coordinates_may_be_too_small, 1});
}
