/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

#include "io/internal.h"
#include "support/scratch.h"

#include <manistat/points.h>
#include <math.h>

static const char two[] = "LM=2\n1 2\n-3 4.5\nIMAGE=a.jpg\nID=first\nSCALE=\n"
                          "LM=2\r\n5 6\r\n7 8\r\nID=second\r\n\r\n";

static mst_status read_all(const char *path, size_t batch, double *x, size_t *rows, size_t *cols)
{
    mst_reader *r;
    mst_status status = mst_reader_open(&r, path);
    if (status != MST_OK)
        return status;
    *cols = mst_reader_cols(r);
    *rows = 0;
    for (size_t got = 1; status == MST_OK && got > 0;) {
        status = mst_reader_next(r, batch, x + *rows * *cols, &got);
        *rows += status == MST_OK ? got : 0;
    }
    mst_reader_free(r);
    return status;
}

static void check_values(const char *text, size_t rows, size_t cols, const double *expected)
{
    const char *path = scratch_text("a.txt", text); /* the name does not matter */
    for (size_t batch = 1; batch <= 4; batch++) {
        double x[64];
        size_t n = 0, k = 0;
        ck_assert_msg(read_all(path, batch, x, &n, &k) == MST_OK, "%s", mst_error_detail());
        ck_assert_uint_eq(n, rows);
        ck_assert_uint_eq(k, cols);
        for (size_t i = 0; i < rows * cols; i++)
            ck_assert_double_eq(x[i], expected[i]);
    }
}

START_TEST(test_values)
{
    check_values(two, 2, 4, (double[]){1, 2, -3, 4.5, 5, 6, 7, 8});
    check_values("\xef\xbb\xbf\n lm = 1\n1\t2\nVARIABLES=x\nCOMMENT=\n", 1, 2, (double[]){1, 2});
    check_values("LM3=2\n1 2 3\n4 5 6\n", 1, 6, (double[]){1, 2, 3, 4, 5, 6});
    check_values("LM=1\n1 2 3\n", 1, 3, (double[]){1, 2, 3}); /* as some programs write */
}
END_TEST

START_TEST(test_scale)
{
    check_values("LM=1\n1 2\nSCALE=0.5\nLM=1\n-3 4\nSCALE=2\n", 2, 2, (double[]){0.5, 1, -6, 8});
}
END_TEST

START_TEST(test_curves)
{
    check_values("LM=1\n1 2\nCURVES=2\nPOINTS=2\n3 4\n5 6\nPOINTS=1\n7 8\nID=c\n", 1, 8,
                 (double[]){1, 2, 3, 4, 5, 6, 7, 8});
    check_values("LM=0\nOUTLINES=1\nPOINTS=2\n3 4\n5 6\nSCALE=10\n", 1, 4,
                 (double[]){30, 40, 50, 60});
}
END_TEST

static void check_refused(const char *text, const char *detail)
{
    double x[64];
    size_t rows, cols;
    ck_assert_int_eq(read_all(scratch_text("bad.tps", text), 3, x, &rows, &cols), MST_FORMAT);
    ck_assert_detail("bad.tps");
    ck_assert_detail(detail);
}

START_TEST(test_refused)
{
    check_refused("LM=3\n1 2\n3 4\nID=1\n", "specimen 1 (line 1): LM=3, but 2 points stand before");
    check_refused("LM=2\n1 2\n", "specimen 1 (line 1): LM=2, but 1 point stands before the end");
    check_refused("LM=1\n1 2\n3 4\nID=1\n",
                  "specimen 1 (line 3): another point, but LM=1 has had all");
    check_refused("LM=2\n1 2\n3 4\nLM=1\n1 2\n",
                  "specimen 2 (line 4): 1 points, but the specimens before have 2");
    check_refused("LM=2\n1 2\n3 4\nLM=x\n1 2\n",
                  "specimen 2 (line 4): LM=\"x\" is not a number of");
    check_refused("LM=-2\n1 2\n3 4\n", "LM=\"-2\" is not a number of points");
    check_refused("LM=1e300\n1 2\n", "is not a number of points");
    check_refused("LM=9999999\n1 2\n", "LM=9999999, but 1 point stands");
    check_refused("LM=0\nID=1\n", "no points");
    check_refused("LM=1\n1 2 3 4\n", "point 1 has 4 numbers, not 2");
    check_refused("LM3=1\n1 2\n", "point 1 has 2 numbers, not 3");
    check_refused("LM=1\n1 2\nLM3=1\n1 2 3\n",
                  "specimen 2 (line 3): LM3=, but the specimens before");
    check_refused("LM=1\n1 2,5\n", "point 1: \"2,5\" is not a number; write decimals with a point");
    check_refused("LM=1\n1 inf\n", "point 1: \"inf\" is not a number");
    check_refused("LM=1\n1 2\nSCALE=0\n", "SCALE=\"0\" is not a positive number");
    check_refused("LM=1\n1 2\nSCALE=2\nLM=1\n1 2\nSCALE=\n",
                  "specimen 2 (line 4): it has not a SCALE");
    check_refused("LM=1\n1 2\nCURVES=2\nPOINTS=1\n1 2\n",
                  "(line 3): CURVES=2, but 1 block POINTS=");
    check_refused("LM=1\n1 2\nCURVES=1\nPOINTS=2\n1 2\nID=2\n", "(line 4): POINTS=2, but 1 point");
    check_refused("LM=1\n1 2\nhello\n", "\"hello\" is neither a point nor of the form KEY=value");
    check_refused("LM=2\n1 2\nNA NA\nID=x\n", "specimen 1 (line 1): point 2 is missing (ID=x)");
}
END_TEST

START_TEST(test_missing)
{
    mst_reader *r;
    double x[8];
    size_t got;
    ck_assert_int_eq(mst_reader_open(&r, scratch_text("a.tps", two)), MST_OK);
    ck_assert_int_eq(mst_reader_missing_negative(r), MST_OK);
    ck_assert_int_eq(mst_reader_next(r, 2, x, &got), MST_FORMAT);
    ck_assert_detail("point 2 is missing (ID=first)");
    mst_reader_free(r);
    ck_assert_int_eq(mst_reader_open(&r, scratch_text("a.tps", two)), MST_OK);
    ck_assert_int_eq(mst_reader_missing_negative(r), MST_OK);
    mst_reader_allow_missing(r);
    ck_assert_int_eq(mst_reader_next(r, 2, x, &got), MST_OK);
    ck_assert_uint_eq(got, 2);
    ck_assert(isnan(x[2]) && isnan(x[3])); /* one coordinate is negative: the point is missing */
    ck_assert_double_eq(x[1], 2);
    mst_reader_free(r);
    ck_assert_int_eq(mst_reader_open(&r, scratch_text("a.csv", "1,-2\n")), MST_OK);
    ck_assert_int_eq(mst_reader_missing_negative(r), MST_ARGUMENT);
    ck_assert_detail("`missing_negative` is for TPS files");
    mst_reader_free(r);
}
END_TEST

START_TEST(test_points_and_labels)
{
    mst_manifold *m;
    mst_labels *labels;
    double *x;
    size_t n;
    const char *path = scratch_text("a.tps", two);
    ck_assert_int_eq(mst_euclidean_new(&m, 4), MST_OK);
    static const char *const columns[] = {NULL, "ID", "id"};
    for (size_t k = 0; k < 3; k++) {
        ck_assert_msg(mst_points_read_by(&x, &n, &labels, m, path, columns[k], NULL) == MST_OK,
                      "%s", mst_error_detail());
        ck_assert_uint_eq(n, 2);
        ck_assert_double_eq(x[3], 4.5);
        ck_assert_str_eq(labels->names[labels->index[0]], "first");
        ck_assert_str_eq(labels->names[labels->index[1]], "second");
        mst_points_free(x);
        mst_labels_free(labels);
    }
    mst_points_options options = mst_points_options_default();
    options.missing_negative = true;
    ck_assert_int_eq(mst_points_read(&x, &n, m, path, &options), MST_FORMAT);
    /* Without ID the image, without that the number. */
    path = scratch_text("b.tps", "LM=2\n1 2\n3 4\nIMAGE=p.jpg\nLM=2\n1 2\n3 4\n");
    ck_assert_int_eq(mst_points_read_by(&x, &n, &labels, m, path, NULL, NULL), MST_OK);
    ck_assert_str_eq(labels->names[labels->index[0]], "p.jpg");
    ck_assert_str_eq(labels->names[labels->index[1]], "2");
    mst_points_free(x);
    mst_labels_free(labels);
    mst_manifold_free(m);
}
END_TEST

START_TEST(test_lines)
{
    mst_reader *r;
    double x[8];
    size_t got;
    uint64_t row, line;
    ck_assert_int_eq(mst_reader_open(&r, scratch_text("a.tps", two)), MST_OK);
    ck_assert_int_eq(mst_reader_next(r, 1, x, &got), MST_OK);
    ck_assert_int_eq(mst_reader_next(r, 1, x, &got), MST_OK);
    mst_reader_where(r, 0, &row, &line);
    ck_assert_uint_eq(row, 2);
    ck_assert_uint_eq(line, 7);
    mst_reader_free(r);
}
END_TEST

START_TEST(test_round_trip)
{
    static const double rows[] = {0.1, -1e-300, 3, NAN, 5, 1e22};
    mst_writer *w;
    mst_reader *r;
    double x[6];
    size_t got, n;
    const char *path = scratch("out.tps");
    ck_assert_int_eq(mst_writer_open_landmarks(&w, path, 3, 3, false), MST_OK);
    ck_assert_int_eq(mst_writer_specimens(w, 1, rows, (const char *const[]){"left wing"}), MST_OK);
    ck_assert_int_eq(mst_writer_rows(w, 1, rows + 3), MST_OK);
    ck_assert_int_eq(mst_writer_commit(w), MST_OK);
    mst_writer_free(w);
    char *text = scratch_read(path, &n);
    ck_assert_str_eq(text, "LM3=1\n0.1 -1e-300 3\nID=left wing\nLM3=1\nNA 5 1e+22\nID=2\n");
    free(text);
    ck_assert_int_eq(mst_reader_open(&r, path), MST_OK);
    mst_reader_allow_missing(r);
    ck_assert_int_eq(mst_reader_next(r, 2, x, &got), MST_OK);
    for (size_t k = 0; k < 3; k++) {
        ck_assert_double_eq(x[k], rows[k]);
        ck_assert(isnan(x[3 + k]));
    }
    mst_reader_free(r);
    ck_assert_int_eq(mst_writer_open(&w, scratch("t.tps"), 4, NULL, false), MST_UNABLE);
    ck_assert_detail("TPS files hold landmarks");
    ck_assert_int_eq(mst_writer_open_landmarks(&w, scratch("t.tps"), 5, 2, false), MST_ARGUMENT);
    ck_assert_int_eq(mst_writer_open_landmarks(&w, scratch("t.csv"), 4, 2, false), MST_OK);
    ck_assert_int_eq(mst_writer_specimens(w, 1, (double[]){1, 2, 3, 4}, NULL), MST_OK);
    ck_assert_int_eq(mst_writer_commit(w), MST_OK);
    mst_writer_free(w);
    text = scratch_read(scratch("t.csv"), &n);
    ck_assert_str_eq(text, "1,2,3,4\n");
    free(text);
}
END_TEST

int main(void)
{
    TCase *c = tcase_create("all");
    tcase_add_checked_fixture(c, scratch_open, scratch_close);
    tcase_add_test(c, test_values);
    tcase_add_test(c, test_scale);
    tcase_add_test(c, test_curves);
    tcase_add_test(c, test_refused);
    tcase_add_test(c, test_missing);
    tcase_add_test(c, test_points_and_labels);
    tcase_add_test(c, test_lines);
    tcase_add_test(c, test_round_trip);
    return run_case("tps_reader", c);
}
