/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Rows that are covariance matrices: singular ones, missing channels, shrinkage. */
#include "points/read_text.h"

#include <math.h>

START_TEST(refusals_say_what_it_is)
{
    static const struct {
        const char *spec, *text, *row, *detail;
    } cases[] = {
        {"spd:2", "2,0,1\n1,1,1\n", "row 2 (line 2): ", "singular, of rank 1 instead of 2"},
        {"spd:2", "2,0,1\n1,1,1\n", "pass `shrink` VALUE or oas", "or `project`"},
        {"spd:3",
         "8.077935669463161e-28,0,0,8.077935669463161e-28,8.077935669463161e-28,8.077935669463161e-"
         "28\n",
         "row 1", "rank 2 instead of 3"},
        {"spd:3", "2,-1,-1,2,-1,2\n", "rank 2 instead of 3", "sum to zero, as with an average"},
        {"spd:3", "2,0,-1,0,0,2\n", "rank 2", "row and column 2 are zero"},
        {"spd:3", "2,0,0,0,0,0\n", "rank 1", "rows and columns 2, 3 are zero"},
        {"spd:2", "0,0,0\n", "row 1", "matrix is zero"},
        {"spd:2", "1,2,1\n", "row 1", "not positive definite (smallest eigenvalue -1); correct it"},
        {"product(circle,spd:2)", "1,1,1,1,1\n", "row 1", "rank 1 instead of 2"},
        {"spd:2?metric=log-euclidean", "1,1,1\n", "row 1", "rank 1 instead of 2"},
        {"spd:2?metric=frobenius", "1,1,1\n", "row 1", "rank 1 instead of 2"},
    };
    double x[64];
    size_t n;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ASSERT_FAILS(MST_DOMAIN,
                     read_text(cases[i].spec, cases[i].text, mst_points_options_default(), x, &n));
        ck_assert_detail(cases[i].row);
        ck_assert_detail(cases[i].detail);
    }
    ck_assert(strstr(mst_error_detail(), "eigenvalue") == NULL);
}
END_TEST

START_TEST(missing_channels_are_named)
{
    static const struct {
        const char *spec, *text, *detail;
    } cases[] = {
        {"spd:3", "2,0,0,2,0,2\n2,nan,0,nan,nan,2\n", "row 2 (line 2): channel 2 is missing"},
        {"spd:3", "nan,nan,nan,2,nan,nan\n", "channels 1, 3 are missing"},
        {"spd:3", "nan,nan,nan,nan,nan,nan\n", "all 3 channels are missing"},
        {"spd:3", "1,0,nan,0,1,nan,nan,nan,nan\n", "channel 3 is missing (nan in its row and"},
        {"sym:3", "1,0,nan,0,1,nan,nan,nan,nan\n", "channel 3 is missing"},
        {"spd:3", "2,0,nan,2,0,2\n", "column 3: nan is not a finite number"},
        {"spd:3", "2,nan,nan,2,0,2\n", "column 2: nan is not a finite number"},
        {"spd:3", "inf,inf,inf,2,0,2\n", "column 1: inf is not a finite number"},
        {"spd:3", "nan,nan,nan,2,inf,2\n", "channel 1 is missing"},
        {"spd:1", "nan\n", "column 1: nan is not a finite number"},
        {"sphere:2", "1,0,nan\n", "column 3: nan is not a finite number"},
    };
    double x[64];
    size_t n;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ASSERT_FAILS(MST_FORMAT,
                     read_text(cases[i].spec, cases[i].text, mst_points_options_default(), x, &n));
        ck_assert_detail(cases[i].detail);
    }
}
END_TEST

/* The second matrix of a pair, and the one before a number. */
START_TEST(missing_channels_in_any_part)
{
    mst_manifold *m;
    mst_points_reader *r;
    double x[9], y[9], t;
    size_t n;
    ASSERT_OK(mst_spd_new(&m, 3));
    const char *path = scratch_text("pairs.csv", "1,0,0,1,0,1, 1,nan,0,nan,nan,1, 0.5\n");
    ASSERT_OK(mst_points_open(&r, m, "pps", path, NULL));
    ASSERT_FAILS(MST_FORMAT, mst_points_next(r, 1, (double *const[]){x, y, &t}, &n));
    ck_assert_detail("channel 2 is missing");
    mst_points_reader_free(r);
    path = scratch_text("pairs.csv", "1,0,0,1,0,1, 1,0,0,1,0,1, nan\n");
    ASSERT_OK(mst_points_open(&r, m, "pps", path, NULL));
    ASSERT_FAILS(MST_FORMAT, mst_points_next(r, 1, (double *const[]){x, y, &t}, &n));
    ck_assert_detail("column 13: nan");
    mst_points_reader_free(r);
    mst_manifold_free(m);
}
END_TEST

/* Matrices that Cholesky takes by the luck of rounding. */
START_TEST(singular_up_to_rounding_is_noticed)
{
    double x[64];
    size_t n;
    mst_points_options options = mst_points_options_default();
    ASSERT_OK(read_text("spd:2",
                        "2,1,2\n1,1,1.0000000000000004\n1,0,1e-30\n1,1,1.000000000000001\n",
                        options, x, &n));
    ck_assert_uint_eq(report.singular, 2);
    ck_assert(report.singular_row == 2 && report.rank == 1 && report.order == 2);
    ASSERT_OK(read_text("spd:2", "2,1,2\n1,0.9999,1\n", options, x, &n));
    ck_assert_uint_eq(report.singular, 0);
    options.shrink = MST_SHRINK_VALUE;
    options.intensity = 0.01;
    ASSERT_OK(read_text("spd:2", "2,1,2\n1,1,1.0000000000000004\n", options, x, &n));
    ck_assert_uint_eq(report.singular, 0);
}
END_TEST

START_TEST(shrunk_points)
{
    double x[64];
    size_t n;
    mst_points_options options = mst_points_options_default();
    options.shrink = MST_SHRINK_VALUE;
    options.intensity = 0.25;
    ASSERT_OK(read_text("spd:2", "3,1,1\n1,1,1\n", options, x, &n));
    const double want[] = {2.75, 0.75, 0.75, 1.25, 1, 0.75, 0.75, 1};
    for (size_t k = 0; k < 8; k++)
        ck_assert_double_eq(x[k], want[k]);
    ck_assert_uint_eq(report.shrunk, 2);
    ck_assert(report.least_intensity == 0.25 && report.most_intensity == 0.25);
    ASSERT_OK(read_text("product(circle,spd:2,euclidean:1)", "0.5,3,1,1,1,7\n", options, x, &n));
    for (size_t k = 0; k < 4; k++)
        ck_assert_double_eq(x[1 + k], want[k]);
    ck_assert(x[0] == 0.5 && x[5] == 7 && report.shrunk == 1);
    options.shrink = MST_SHRINK_OAS;
    options.samples = 10;
    ASSERT_OK(read_text("spd:2", "3,0,1\n1e-27,0,1e-27\n", options, x, &n));
    assert_near(x[0], 0.2 * 3 + 0.8 * 2, 8 * DBL_EPSILON, "0.8 by hand");
    assert_near(report.least_intensity, 0.8, 4 * DBL_EPSILON, "least");
    ck_assert_double_eq(report.most_intensity, 1);
    options.shrink = MST_SHRINK_NONE;
    ASSERT_OK(read_text("spd:2", "3,1,1\n", options, x, &n));
    ck_assert(x[0] == 3 && report.shrunk == 0);
}
END_TEST

START_TEST(shrinkage_is_for_covariances)
{
    double x[64];
    size_t n;
    mst_points_options options = mst_points_options_default();
    options.shrink = MST_SHRINK_VALUE;
    options.intensity = 0.9;
    ASSERT_FAILS(MST_DOMAIN, read_text("spd:2", "2,0,1\n1,0,-0.5\n", options, x, &n));
    ck_assert_detail("row 2 (line 2): matrix is not positive definite");
    options.force = true;
    ASSERT_OK(read_text("spd:2", "2,0,1\n1,0,-0.5\n", options, x, &n));
    options.force = false;
    ASSERT_FAILS(MST_DOMAIN, read_text("spd:2", "0,0,0\n", options, x, &n));
    ASSERT_FAILS(MST_DOMAIN, read_text("spd:2", "1,0.5,0,1\n", options, x, &n));
    ck_assert_detail("not symmetric");
    static const char *const others[] = {"sym:2", "sphere:3", "product(sphere:1,euclidean:2)"};
    for (size_t i = 0; i < 3; i++) {
        ASSERT_FAILS(MST_ARGUMENT, read_text(others[i], "1,0,0,1\n", options, x, &n));
        ck_assert_detail("`shrink` needs matrices of spd:n");
    }
    static const struct {
        mst_shrink shrink;
        double intensity;
        const char *detail;
    } wrong[] = {
        {MST_SHRINK_OAS, 0, "needs `samples`"},
        {MST_SHRINK_LEDOIT_WOLF, 0, "is found from signals"},
        {MST_SHRINK_VALUE, 1.5, "not between 0 and 1"},
        {MST_SHRINK_VALUE, -0.1, "not between 0 and 1"},
        {MST_SHRINK_VALUE, NAN, "not between 0 and 1"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        options.shrink = wrong[i].shrink;
        options.intensity = wrong[i].intensity;
        ASSERT_FAILS(MST_ARGUMENT, read_text("spd:2", "1,0,1\n", options, x, &n));
        ck_assert_detail(wrong[i].detail);
    }
}
END_TEST

/* A program that was built before there was shrinkage. */
START_TEST(older_options_are_taken)
{
    union {
        mst_points_options options;
        unsigned char bytes[sizeof(mst_points_options)];
    } older;
    double x[4];
    size_t n;
    memset(older.bytes, 0xff, sizeof older.bytes);
    mst_points_options known = mst_points_options_default();
    memcpy(older.bytes, &known, offsetof(mst_points_options, shrink));
    older.options.size = offsetof(mst_points_options, shrink);
    mst_manifold *m;
    double *all;
    ASSERT_OK(mst_spd_new(&m, 2));
    ASSERT_OK(mst_points_read(&all, &n, m, scratch_text("t.csv", "3,1,1\n"), &older.options));
    memcpy(x, all, sizeof x);
    ck_assert(x[0] == 3 && x[1] == 1);
    mst_points_free(all);
    mst_manifold_free(m);
}
END_TEST

int main(void)
{
    TCase *c = tcase_create("all");
    tcase_add_checked_fixture(c, scratch_open, scratch_close);
    tcase_add_test(c, refusals_say_what_it_is);
    tcase_add_test(c, missing_channels_are_named);
    tcase_add_test(c, missing_channels_in_any_part);
    tcase_add_test(c, singular_up_to_rounding_is_noticed);
    tcase_add_test(c, shrunk_points);
    tcase_add_test(c, shrinkage_is_for_covariances);
    tcase_add_test(c, older_options_are_taken);
    return run_case("rows that are matrices", c);
}
