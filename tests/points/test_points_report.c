/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* What headers say about rows, and what is noticed while they are read. */
#include "points/read_text.h"

#include <math.h>

/* The matrix 1 2 3 / 2 5 6 / 3 6 9 in many orders. */
START_TEST(triangles_in_any_order)
{
    static const struct {
        const char *text;
        mst_triangle asked, found;
    } cases[] = {
        {"1,2,3,5,6,9\n", MST_TRIANGLE_ANY, MST_TRIANGLE_UPPER},
        {"1,2,3,5,6,9\n", MST_TRIANGLE_UPPER, MST_TRIANGLE_UPPER},
        {"1,2,5,3,6,9\n", MST_TRIANGLE_LOWER, MST_TRIANGLE_LOWER},
        {"xx,xy,xz,yy,yz,zz\n1,2,3,5,6,9\n", MST_TRIANGLE_ANY, MST_TRIANGLE_UPPER},
        {"Dxx,Dyx,Dyy,Dzx,Dzy,Dzz\n1,2,5,3,6,9\n", MST_TRIANGLE_ANY, MST_TRIANGLE_LOWER},
        {"D_xx,D_xy,D_yy,D_xz,D_yz,D_zz\n1,2,5,3,6,9\n", MST_TRIANGLE_ANY, MST_TRIANGLE_LOWER},
        {"a11,a21,a22,a31,a32,a33\n1,2,5,3,6,9\n", MST_TRIANGLE_ANY, MST_TRIANGLE_LOWER},
        {"x_0_0,x_1_0,x_1_1,x_2_0,x_2_1,x_2_2\n1,2,5,3,6,9\n", MST_TRIANGLE_ANY,
         MST_TRIANGLE_LOWER},
        {"xx,yy,zz,xy,xz,yz\n1,5,9,2,3,6\n", MST_TRIANGLE_ANY, MST_TRIANGLE_UPPER},
        /* Names that tell nothing, or not all, count for nothing. */
        {"a,b,c,d,e,f\n1,2,3,5,6,9\n", MST_TRIANGLE_ANY, MST_TRIANGLE_UPPER},
        {"x_1,x_2,x_3,x_4,x_5,x_6\n1,2,3,5,6,9\n", MST_TRIANGLE_ANY, MST_TRIANGLE_UPPER},
        {"a22,a23,a24,a33,a34,a44\n1,2,3,5,6,9\n", MST_TRIANGLE_ANY, MST_TRIANGLE_UPPER},
    };
    const double expected[] = {1, 2, 3, 2, 5, 6, 3, 6, 9};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        mst_points_options options = mst_points_options_default();
        options.triangle = cases[i].asked;
        double x[9];
        size_t n;
        ASSERT_OK(read_text("sym:3", cases[i].text, options, x, &n));
        for (size_t k = 0; k < 9; k++)
            ck_assert_msg(x[k] == expected[k], "case %zu, entry %zu: %g", i, k, x[k]);
        ck_assert_msg(report.triangle == cases[i].found, "case %zu", i);
    }
}
END_TEST

START_TEST(a_lower_triangle_is_suggested)
{
    double x[9];
    size_t n;
    mst_points_options options = mst_points_options_default();
    const char *lower = "4,-1,3,0.1,0.2,2\n"; /* as an upper triangle: 0.1 and 3 off the diagonal */
    ck_assert_int_eq(read_text("spd:3", lower, options, x, &n), MST_DOMAIN);
    ck_assert_detail("row 1 (line 1)");
    ck_assert_detail("as a lower triangle it is: pass `triangle` lower");
    options.triangle = MST_TRIANGLE_LOWER;
    ASSERT_OK(read_text("spd:3", lower, options, x, &n));
    ck_assert(x[1] == -1 && x[2] == 0.1 && x[5] == 0.2);
    options.triangle = MST_TRIANGLE_UPPER; /* who says so is not asked */
    ck_assert_int_eq(read_text("spd:3", lower, options, x, &n), MST_DOMAIN);
    ck_assert(strstr(mst_error_detail(), "lower") == NULL);
}
END_TEST

START_TEST(moves_are_counted)
{
    double x[64];
    size_t n;
    mst_points_options options = mst_points_options_default();
    options.project = true;
    ASSERT_OK(read_text("sphere:1", "1,0\n0,2\n0.8,0\n0,1.01\n1.0000001,0\n", options, x, &n));
    ck_assert_uint_eq(report.rows, 5);
    ck_assert_uint_eq(report.moved, 3);
    ck_assert_double_eq_tol(report.median_move, 0.25, 1e-15);
    ck_assert_double_eq_tol(report.largest_move, 0.5, 1e-15);
    ck_assert_uint_eq(report.largest_row, 2);
    ASSERT_OK(read_text("so3", "1,0,0,0\n0,0,0,4\n", options, x, &n));
    ck_assert_uint_eq(report.moved, 1);
    ck_assert_double_eq_tol(report.largest_move, 0.75, 1e-15);
    options.project = false;
    ASSERT_OK(read_text("sphere:1", "1,0\n", options, x, &n));
    ck_assert_uint_eq(report.moved, 0);
}
END_TEST

START_TEST(far_from_positive_is_refused)
{
    double x[64];
    size_t n;
    mst_points_options options = mst_points_options_default();
    options.project = true;
    ASSERT_OK(read_text("spd:2", "2,0,1\n1,0,-0.09\n", options, x, &n));
    ck_assert_uint_eq(report.moved, 1);
    ck_assert(report.raised == 1 && report.raised_row == 2);
    ASSERT_OK(read_text("product(spd:2,spd:2)",
                        "1,0,0,0,1,0,0,-1e-3\n1,0,0,2,1,0,0.3,2\n1,0,0,1,1,0,0,0\n", options, x,
                        &n));
    ck_assert(report.raised == 2 && report.raised_row == 3); /* the second is not symmetric only */
    ck_assert_uint_eq(report.moved, 3);
    ck_assert_int_eq(read_text("spd:2", "2,0,1\n1,0,-0.11\n", options, x, &n), MST_DOMAIN);
    ck_assert_detail("row 2 (line 2)");
    ck_assert_detail("pass `force`");
    ck_assert_int_eq(read_text("spd:2", "-1,0,-2\n", options, x, &n), MST_DOMAIN);
    ASSERT_OK(read_text("sym:2", "1,0.5,0,-3\n", options, x, &n));
    ck_assert_int_eq(read_text("product(circle,spd:2)", "1,2,0,0,1\n1,1,0,0,-1\n", options, x, &n),
                     MST_DOMAIN);
    options.force = true;
    ASSERT_OK(read_text("spd:2", "1,0,-0.5\n", options, x, &n));
    ck_assert(report.largest_move > 0.4 && x[3] > 0 && report.raised == 1);
}
END_TEST

START_TEST(units_are_doubted)
{
    static const struct {
        const char *spec, *text;
        bool degrees, latlon;
        mst_angle_doubt doubt;
    } cases[] = {
        {"circle", "0.12\n1.57\n3.141\n-2.5\n-0.34\n", true, false, MST_ANGLES_LIKE_RADIANS},
        {"circle", "0.12\n1.57\n3.141\n6.2\n5.34\n", true, false, MST_ANGLES_LIKE_RADIANS},
        {"circle", "0.12\n1.57\n3.141\n-2.5\n-0.34\n", false, false, MST_ANGLES_FINE},
        {"circle", "0.12\n0.57\n0.141\n0.65\n0.34\n", true, false, MST_ANGLES_FINE},
        {"circle", "0\n1\n3\n-2\n1\n", true, false, MST_ANGLES_FINE},
        {"circle", "0.12\n1.57\n3.141\n-5.5\n-0.34\n", true, false, MST_ANGLES_FINE},
        {"circle", "0.12\n1.57\n3.141\n-2.5\n", true, false, MST_ANGLES_FINE},
        {"circle", "10\n350\n20\n3\n180\n", false, false, MST_ANGLES_LIKE_DEGREES},
        {"circle", "10\n350\n20\n3\n180\n", true, false, MST_ANGLES_FINE},
        {"circle", "10\n3\n2\n3\n7\n", false, false, MST_ANGLES_FINE},
        {"circle", "1000\n350\n20\n3\n180\n", false, false, MST_ANGLES_FINE},
        {"product(euclidean:1,circle)", "100,1\n200,2\n300,3\n1,3\n900,1\n", false, false,
         MST_ANGLES_FINE},
        {"product(euclidean:1,circle)", "1,100\n2,200\n3,300\n1,30\n9,10\n", false, false,
         MST_ANGLES_LIKE_DEGREES},
        {"sphere:2", "0.12,1.57\n0.9,3.141\n-1.3,-2.5\n0,0\n0,1\n", false, true,
         MST_ANGLES_LIKE_RADIANS},
        {"sphere:2", "0.12,1.57\n1.9,3.141\n-1.3,-2.5\n0,0\n0,1\n", false, true, MST_ANGLES_FINE},
        {"sphere:2", "1,0,0\n0,1,0\n0,0,1\n1,0,0\n0,1,0\n", false, false, MST_ANGLES_FINE},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        mst_points_options options = mst_points_options_default();
        options.degrees = cases[i].degrees;
        options.latlon = cases[i].latlon;
        double x[64];
        size_t n;
        ASSERT_OK(read_text(cases[i].spec, cases[i].text, options, x, &n));
        ck_assert_msg(report.angles == cases[i].doubt, "case %zu: %d", i, (int)report.angles);
    }
}
END_TEST

int main(void)
{
    TCase *c = tcase_create("all");
    tcase_add_checked_fixture(c, scratch_open, scratch_close);
    tcase_add_test(c, triangles_in_any_order);
    tcase_add_test(c, a_lower_triangle_is_suggested);
    tcase_add_test(c, moves_are_counted);
    tcase_add_test(c, far_from_positive_is_refused);
    tcase_add_test(c, units_are_doubted);
    return run_case("reports of points", c);
}
