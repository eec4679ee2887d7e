/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

#include "support/scratch.h"

#include <manistat/io.h>
#include <math.h>

enum { MOST = 4096 };

typedef struct table {
    size_t rows, cols;
    double x[MOST];
} table;

/* Reads `batch` rows at a time; the answers must not depend on it. */
static mst_status read_table(const char *path, size_t batch, table *t)
{
    mst_reader *r;
    mst_status status = mst_reader_open(&r, path);
    if (status != MST_OK)
        return status;
    t->rows = 0;
    t->cols = mst_reader_cols(r);
    size_t got = 1;
    while (status == MST_OK && got > 0) {
        ck_assert_uint_le((t->rows + batch) * t->cols, MOST);
        status = mst_reader_next(r, batch, t->x + t->rows * t->cols, &got);
        if (status == MST_OK)
            t->rows += got;
    }
    mst_reader_free(r);
    return status;
}

static void check_table(const char *bytes, size_t length, size_t rows, size_t cols,
                        const double *expected)
{
    const char *path = scratch_bytes("t.csv", bytes, length);
    for (size_t batch = 1; batch <= 8; batch++) {
        table t;
        mst_status status = read_table(path, batch, &t);
        ck_assert_msg(status == MST_OK, "%s", mst_error_detail());
        ck_assert_uint_eq(t.rows, rows);
        ck_assert_uint_eq(t.cols, cols);
        for (size_t i = 0; i < rows * cols; i++)
            ck_assert(t.x[i] == expected[i] || (isnan(t.x[i]) && isnan(expected[i])));
    }
}

#define CHECK_TABLE(text, rows, cols, ...) \
    check_table(text, sizeof text - 1, rows, cols, (const double[]){__VA_ARGS__})

static void check_failure(const char *bytes, size_t length, const char *detail)
{
    const char *path = scratch_bytes("t.csv", bytes, length);
    for (size_t batch = 1; batch <= 4; batch++) {
        table t;
        mst_status status = read_table(path, batch, &t);
        ck_assert_msg(status == MST_FORMAT, "status %s for %s", mst_status_name(status), bytes);
        ck_assert_detail(detail);
        ck_assert_ptr_null(strchr(mst_error_detail(), '\n'));
        ck_assert_detail("t.csv");
    }
}

#define CHECK_FAILURE(text, detail) check_failure(text, sizeof text - 1, detail)

START_TEST(test_separators)
{
    CHECK_TABLE("1,2,3\n4,5,6\n", 2, 3, 1, 2, 3, 4, 5, 6);
    CHECK_TABLE("1\t2\t3\n4\t5\t6\n", 2, 3, 1, 2, 3, 4, 5, 6);
    CHECK_TABLE("1;2;3\n4;5;6\n", 2, 3, 1, 2, 3, 4, 5, 6);
    CHECK_TABLE("1 2 3\n4 5 6\n", 2, 3, 1, 2, 3, 4, 5, 6);
    CHECK_TABLE("  1   2  3  \n4 5\t6\n", 2, 3, 1, 2, 3, 4, 5, 6);
    CHECK_TABLE(" 1 , 2 ,3\n4,\t5,6 \n", 2, 3, 1, 2, 3, 4, 5, 6);
    CHECK_TABLE("1 \t 2\n3\t4 \n", 2, 2, 1, 2, 3, 4);
    CHECK_TABLE("1\n2\n3\n", 3, 1, 1, 2, 3);
    CHECK_TABLE("\"1\",\"2\"\n\"3\",4\n", 2, 2, 1, 2, 3, 4);
    CHECK_TABLE("1,2,\n3,4,\n", 2, 2, 1, 2, 3, 4);
    CHECK_TABLE("1,2, \n3,4\n", 2, 2, 1, 2, 3, 4);
}
END_TEST

START_TEST(test_lines)
{
    CHECK_TABLE("1,2\n3,4", 2, 2, 1, 2, 3, 4);
    CHECK_TABLE("1,2\r\n3,4\r\n", 2, 2, 1, 2, 3, 4);
    CHECK_TABLE("1,2\r\n3,4\r", 2, 2, 1, 2, 3, 4);
    CHECK_TABLE("\xef\xbb\xbf"
                "1,2\n3,4\n",
                2, 2, 1, 2, 3, 4);
    CHECK_TABLE("# comment, with 1,2,3\n\n  \t\n1,2\n  # another\n\r\n3,4\n#\n", 2, 2, 1, 2, 3, 4);
    CHECK_TABLE("\xef\xbb\xbf# x y\n1 2\n", 1, 2, 1, 2);
    CHECK_TABLE("7", 1, 1, 7);
    CHECK_TABLE("nan,inf\n-inf,1e-400\n", 2, 2, NAN, INFINITY, -INFINITY, 0);
}
END_TEST

START_TEST(test_header)
{
    CHECK_TABLE("x,y\n1,2\n", 1, 2, 1, 2);
    CHECK_TABLE("a b,c d\n1,2\n", 1, 2, 1, 2);
    CHECK_TABLE("a name of one column\n1\n2\n", 2, 1, 1, 2);
    CHECK_TABLE(",y\n1,2\n", 1, 2, 1, 2);
    CHECK_TABLE("a, b\n1 2\n", 1, 2, 1, 2);

    mst_reader *r;
    ck_assert_int_eq(mst_reader_open(&r, scratch_text("t.csv", "\"a, \"\"b\"\"\", c ,\n1,2,\n")),
                     MST_OK);
    ck_assert_uint_eq(mst_reader_cols(r), 2);
    ck_assert_str_eq(mst_reader_name(r, 0), "a, \"b\"");
    ck_assert_str_eq(mst_reader_name(r, 1), "c");
    ck_assert_ptr_null(mst_reader_name(r, 2));
    ck_assert_str_eq(mst_reader_path(r), scratch("t.csv"));
    mst_reader_free(r);

    ck_assert_int_eq(mst_reader_open(&r, scratch_text("t.csv", "lat, deg\tlon, deg\n1\t2\n")),
                     MST_OK);
    ck_assert_str_eq(mst_reader_name(r, 0), "lat, deg");
    ck_assert_str_eq(mst_reader_name(r, 1), "lon, deg");
    mst_reader_free(r);

    ck_assert_int_eq(mst_reader_open(&r, scratch_text("t.csv", "1,2\n")), MST_OK);
    ck_assert_ptr_null(mst_reader_name(r, 0));
    mst_reader_free(r);
}
END_TEST

START_TEST(test_bad_cells)
{
    CHECK_FAILURE("x,y\n\n1,2\n#\n3,abc\n",
                  "t.csv, row 2 (line 5), column 2: \"abc\" is not a number");
    CHECK_FAILURE("1.0,abc,2.0\n", "row 1 (line 1), column 2: \"abc\" is not a number");
    CHECK_FAILURE("1,2\n3,\"4,5\"\n", "row 2 (line 2), column 2: \"4,5\" is not a number");
    CHECK_FAILURE("1,2\n,4\n", "row 2 (line 2), column 1: the cell is empty");
    CHECK_FAILURE("1,2,3\n4,,6\n", "row 2 (line 2), column 2: the cell is empty");
    CHECK_FAILURE(",,\n1,2\n", "row 1 (line 1), column 1: the cell is empty");
    CHECK_FAILURE("1,2\n3,4 # four\n", "row 2 (line 2), column 2: \"4 # four\" is not a number");
    CHECK_FAILURE("1;2\n1,5;2\n", "column 1: \"1,5\" is not a number; write decimals with a point");
    CHECK_FAILURE("1,2\n3,\"\x01\x7f\x1b[31m\"\n", "\"\\x01\\x7f\\x1b[31m\" is not a number");
    CHECK_FAILURE("1,2\n3,\xff\xfe\n", "is not a number");
    CHECK_FAILURE("0\n1\r2\r3\n4\n5\n", "\"1\\x0d2\\x0d3\" is not a number");
    CHECK_FAILURE("1,2\n3,0x10\n", "\"0x10\" is not a number");
    CHECK_FAILURE("1,2\n1e999,1\n", "\"1e999\" is not a number");
    CHECK_FAILURE("1,2\n\"3,4\n", "row 2 (line 2), column 1: \"\"3\" is not a number");
    CHECK_FAILURE("1\n2 3\n", "row 2 (line 2), column 1: \"2 3\" is not a number");
    CHECK_FAILURE("1 2\n3 4x\n", "column 2: \"4x\" is not a number");

    char text[3000] = "1,";
    memset(text + 2, 'z', sizeof text - 3);
    check_failure(text, sizeof text - 1, "zzz…\" is not a number");
    ck_assert_uint_lt(strlen(mst_error_detail()), 200);
}
END_TEST

START_TEST(test_cut_text_is_utf8)
{
    for (int shift = 0; shift < 6; shift++) {
        char text[400] = "1,1\n1,";
        memset(text + 6, 'z', (size_t)shift);
        for (int i = 0; i < 100; i++)
            strcat(text, "€");
        check_failure(text, strlen(text), "€…\" is not a number");
    }
}
END_TEST

START_TEST(test_wrong_widths)
{
    CHECK_FAILURE("1,2,3\n4,5,6\n\n7,8\n", "t.csv, row 3 (line 4): 2 columns, expected 3");
    CHECK_FAILURE("1,2\n4,5,6\n", "t.csv, row 2 (line 2): 3 columns, expected 2");
    CHECK_FAILURE("1,2\n4\n", "t.csv, row 2 (line 2): 1 column, expected 2");
    CHECK_FAILURE("1\n2,3\n", "t.csv, row 2 (line 2): 2 columns, expected 1");
    CHECK_FAILURE("a,b\n1\n", "t.csv, row 1 (line 2): 1 column, expected 2");
    CHECK_FAILURE("a,b,c\n1,2\n", "t.csv, row 1 (line 2): 2 columns, expected 3");
    CHECK_FAILURE("a,b\nr,1,2\n", "t.csv, row 1 (line 2): 3 columns, expected 2");
}
END_TEST

START_TEST(test_empty)
{
    CHECK_FAILURE("", "t.csv is empty: no rows of numbers");
    CHECK_FAILURE("\n\n  \n", "t.csv is empty: no rows of numbers");
    CHECK_FAILURE("# nothing", "t.csv is empty: no rows of numbers");
    CHECK_FAILURE("x,y\n", "t.csv is empty: no rows of numbers");
    CHECK_FAILURE("\xef\xbb\xbf", "t.csv is empty: no rows of numbers");
}
END_TEST

START_TEST(test_zero_bytes)
{
    CHECK_FAILURE("1,2\n3,\0\n", "t.csv, line 2: a zero byte");
    CHECK_FAILURE("#\0\n1,2\n", "t.csv, line 1: a zero byte");
    CHECK_FAILURE("\0", "t.csv, line 1: a zero byte");
}
END_TEST

START_TEST(test_where)
{
    const char *path = scratch_text("t.csv", "# c\nx\n1\n2\n\n3\n# c\n# c\n4\n5\n6\n");
    static const uint64_t lines[] = {3, 4, 6, 9, 10, 11};
    for (size_t batch = 1; batch <= 7; batch++) {
        mst_reader *r;
        double x[7];
        size_t got, before = 0;
        ck_assert_int_eq(mst_reader_open(&r, path), MST_OK);
        do {
            ck_assert_int_eq(mst_reader_next(r, batch, x, &got), MST_OK);
            for (size_t k = 0; k < got; k++) {
                uint64_t row, line;
                mst_reader_where(r, k, &row, &line);
                ck_assert_uint_eq(row, before + k + 1);
                ck_assert_uint_eq(line, lines[before + k]);
                ck_assert_double_eq(x[k], (double)row);
            }
            before += got;
        } while (got > 0);
        ck_assert_uint_eq(before, 6);
        /* The end stays the end. */
        ck_assert_int_eq(mst_reader_next(r, batch, x, &got), MST_OK);
        ck_assert_uint_eq(got, 0);
        mst_reader_free(r);
    }
}
END_TEST

/* Lines longer than any buffer, and numbers that fall on the edges of the buffer. */
START_TEST(test_long_lines)
{
    enum { COLS = 200000, ROWS = 3 };
    const char *path = scratch("long.csv");
    FILE *f = fopen(path, "w");
    for (size_t i = 0; i < ROWS; i++)
        for (size_t j = 0; j < COLS; j++)
            fprintf(f, "%zu.%zu%s", i, j, j + 1 < COLS ? "," : "\n");
    fclose(f);
    mst_reader *r;
    ck_assert_int_eq(mst_reader_open(&r, path), MST_OK);
    ck_assert_uint_eq(mst_reader_cols(r), COLS);
    double *row = malloc(COLS * sizeof *row);
    size_t got, wrong = 0;
    for (size_t i = 0; i < ROWS; i++) {
        ck_assert_int_eq(mst_reader_next(r, 1, row, &got), MST_OK);
        ck_assert_uint_eq(got, 1);
        for (size_t j = 0; j < COLS; j++) {
            char text[32];
            snprintf(text, sizeof text, "%zu.%zu", i, j);
            wrong += row[j] != strtod(text, NULL);
        }
    }
    ck_assert_int_eq(mst_reader_next(r, 1, row, &got), MST_OK);
    ck_assert_uint_eq(got, 0);
    ck_assert_uint_eq(wrong, 0);
    free(row);
    mst_reader_free(r);
}
END_TEST

START_TEST(test_many_short_lines)
{
    const char *path = scratch("many.csv");
    FILE *f = fopen(path, "w");
    enum { ROWS = 300000 };
    for (int i = 0; i < ROWS; i++)
        fprintf(f, "%d,%d.5\n", i, -i);
    fclose(f);
    mst_reader *r;
    ck_assert_int_eq(mst_reader_open(&r, path), MST_OK);
    double x[2 * 1000];
    size_t got, n = 0, wrong = 0;
    do {
        ck_assert_int_eq(mst_reader_next(r, 1000, x, &got), MST_OK);
        for (size_t k = 0; k < got; k++, n++) {
            wrong += x[2 * k] != (double)n;
            wrong += x[2 * k + 1] != -(double)n - (n > 0 ? 0.5 : -0.5);
        }
    } while (got > 0);
    ck_assert_uint_eq(n, ROWS);
    ck_assert_uint_eq(wrong, 0);
    mst_reader_free(r);
}
END_TEST

int main(void)
{
    TCase *c = tcase_create("all");
    tcase_set_timeout(c, 60);
    tcase_add_checked_fixture(c, scratch_open, scratch_close);
    tcase_add_test(c, test_separators);
    tcase_add_test(c, test_lines);
    tcase_add_test(c, test_header);
    tcase_add_test(c, test_bad_cells);
    tcase_add_test(c, test_cut_text_is_utf8);
    tcase_add_test(c, test_wrong_widths);
    tcase_add_test(c, test_empty);
    tcase_add_test(c, test_zero_bytes);
    tcase_add_test(c, test_where);
    tcase_add_test(c, test_long_lines);
    tcase_add_test(c, test_many_short_lines);
    return run_case("csv_reader", c);
}
