/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Labels from a file of their own, and from a column beside points. */
#include "support/scratch.h"

#include <manistat/points.h>

/* The label of each row, joined by bars, after the names in their order. */
static void check_labels(const mst_labels *labels, const char *expected)
{
    char text[400] = "";
    for (size_t i = 0; i < labels->count; i++)
        strcat(strcat(text, labels->names[i]), ";");
    for (size_t i = 0; i < labels->n; i++) {
        ck_assert_uint_lt(labels->index[i], labels->count);
        strcat(strcat(text, "|"), labels->names[labels->index[i]]);
    }
    ck_assert_str_eq(text, expected);
}

static void check_file(const char *text, size_t n, const char *expected)
{
    mst_labels *labels;
    mst_status status = mst_labels_read(&labels, scratch_text("l.txt", text), n);
    ck_assert_msg(status == MST_OK, "%s", mst_error_detail());
    check_labels(labels, expected);
    mst_labels_free(labels);
}

static void refuse_file(const char *text, size_t n, const char *detail)
{
    mst_labels *labels = NULL;
    ck_assert_int_eq(mst_labels_read(&labels, scratch_text("l.txt", text), n), MST_FORMAT);
    ck_assert_ptr_null(labels);
    ck_assert_detail("l.txt");
    ck_assert_detail(detail);
}

START_TEST(test_files)
{
    check_file("b\na\nb\n", 3, "a;b;|b|a|b");
    check_file("\xef\xbb\xbf# made by hand\n\n \"New York\" \r\nParis\t\nNew York", 3,
               "New York;Paris;|New York|Paris|New York");
    check_file("10\n9\n-1\n9\n", 4, "-1;9;10;|10|9|-1|9");
    check_file("10\n9\nx\n", 3, "10;9;x;|10|9|x");
    check_file("1\n1.0\n", 2, "1;1.0;|1|1.0");
    check_file("group\n2\n1\n", 2, "1;2;|2|1"); /* a header */
    check_file("a\nb\na\n", 2, "a;b;|b|a");     /* a header that is a label too */
    check_file("a, b\na; b\n", 2, "a, b;a; b;|a, b|a; b");
    check_file("a\n", 1, "a;|a");
    refuse_file("", 1, "0 labels for 1 row;");
    refuse_file("a\nb\n", 4, "2 labels for 4 rows");
    refuse_file("a\nb\nc\n", 1, "3 labels for 1 row;");
    static const char zero[] = "a\0b\n";
    mst_labels *labels = NULL;
    ck_assert_int_eq(mst_labels_read(&labels, scratch_bytes("l.txt", zero, sizeof zero - 1), 1),
                     MST_FORMAT);
    ck_assert_int_eq(mst_labels_read(&labels, scratch("none"), 1), MST_IO);
    mst_labels_free(NULL);
}
END_TEST

START_TEST(test_array)
{
    static const char array[] =
        "\x93NUMPY\1\0\x38\0{'descr': '|u1', 'fortran_order': False, 'shape': (3,)}\n\5\1\5";
    mst_labels *labels;
    mst_status status =
        mst_labels_read(&labels, scratch_bytes("l.npy", array, sizeof array - 1), 3);
    ck_assert_msg(status == MST_OK, "%s", mst_error_detail());
    check_labels(labels, "1;5;|5|1|5");
    mst_labels_free(labels);
}
END_TEST

/* Enough labels for the tables to grow many times; row i has label i mod 1000. */
START_TEST(test_many)
{
    enum { ROWS = 20000, NAMES = 1000 };
    FILE *f = fopen(scratch("many.txt"), "w");
    for (int i = 0; i < ROWS; i++)
        fprintf(f, "%d\n", i % NAMES);
    fclose(f);
    mst_labels *labels;
    ck_assert_int_eq(mst_labels_read(&labels, scratch("many.txt"), ROWS), MST_OK);
    ck_assert_uint_eq(labels->count, NAMES);
    for (size_t i = 0; i < ROWS; i++)
        ck_assert_uint_eq(labels->index[i], i % NAMES);
    mst_labels_free(labels);
}
END_TEST

static mst_status read_by(const char *text, const char *column, double *x, size_t *n,
                          mst_labels **labels)
{
    mst_manifold *m;
    double *read = NULL;
    const mst_points_options options = mst_points_options_default();
    ck_assert_int_eq(mst_manifold_parse(&m, "euclidean:2"), MST_OK);
    mst_status status =
        mst_points_read_by(&read, n, labels, m, scratch_text("p.csv", text), column, &options);
    if (status == MST_OK)
        memcpy(x, read, 2 * *n * sizeof *x);
    mst_points_free(read);
    mst_manifold_free(m);
    return status;
}

START_TEST(test_columns)
{
    static const struct {
        const char *text, *column;
    } same[] = {
        {"x,y,g\n1,2,b\n3,4,a\n", "g"},
        {"x,y,g\n1,2,b\n3,4,a\n", "3"},
        {"1,2,b\n3,4,a\n", "3"},
        {"b,1,2\na,3,4\n", "1"},
        {"x;the group;y\n1; b ;2\n3;\"a\";4", "the group"},
        {"1\tb\t2\n\n# nothing\n3\ta\t4\n", "2"},
    };
    for (size_t i = 0; i < sizeof same / sizeof *same; i++) {
        double x[4];
        size_t n = 0;
        mst_labels *labels;
        mst_status status = read_by(same[i].text, same[i].column, x, &n, &labels);
        ck_assert_msg(status == MST_OK, "%zu: %s", i, mst_error_detail());
        ck_assert_uint_eq(n, 2);
        for (int k = 0; k < 4; k++)
            ck_assert_double_eq(x[k], k + 1);
        check_labels(labels, "a;b;|b|a");
        mst_labels_free(labels);
    }
}
END_TEST

START_TEST(test_several_columns)
{
    static const struct {
        const char *text, *detail; /* null: one column */
    } cases[] = {
        {"rat,age\n1,7\n", "t.csv has 2 columns: rat, age; labels need one"},
        {"1,7\n2,8\n", "t.csv has 2 columns; labels need one"},
        {"a;b;c\nu;v;w\n",
         "3 columns: a, b, c; labels need one: keep the one that is meant (cut -d';' -f1)"},
        {"a\tb\nu\tv\n", "2 columns: a, b"},
        {"\"Smith, J\"\n\"Doe, K\"\n", NULL},
        {"one, two\nthree\n", NULL},
        {"New York\nBonn\n", NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        mst_labels *labels = NULL;
        mst_status status = mst_labels_read(&labels, scratch_text("t.csv", cases[i].text), 2);
        ck_assert_msg(status == (cases[i].detail != NULL ? MST_FORMAT : MST_OK), "%zu: %s", i,
                      mst_error_detail());
        if (cases[i].detail != NULL)
            ck_assert_detail(cases[i].detail);
        mst_labels_free(labels);
    }
}
END_TEST

START_TEST(test_bad_columns)
{
    static const struct {
        const char *text, *column;
        mst_status status;
        const char *detail;
    } bad[] = {
        {"x,y,g\n1,2,b\n", "h", MST_ARGUMENT, "which has x, y, g"},
        {"x,y,g\n1,2,b\n", "4", MST_ARGUMENT, "\"4\" is neither"},
        {"x,y,g\n1,2,b\n", "x,g", MST_ARGUMENT, "one column is needed, not \"x,g\"; "},
        {"1,2,3\n", "0", MST_ARGUMENT, "no header and 3 columns"},
        {"1,2,3\n", "1.5", MST_ARGUMENT, "neither"},
        {"1,2\n", "1", MST_FORMAT, "without the labels, "},
        {"1,2,\n1,2,a", "3", MST_ARGUMENT, "2 columns"},
        {"1,,2\n", "2", MST_FORMAT, "row 1 (line 1), column 2: the cell is empty"},
        {"1,a,nan\n", "2", MST_FORMAT, "column 3: nan"},
        {"1,a,2\n1,2\n", "2", MST_FORMAT, "row 2 (line 2): 2 columns"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        double x[4];
        size_t n;
        mst_labels *labels = NULL;
        mst_status status = read_by(bad[i].text, bad[i].column, x, &n, &labels);
        ck_assert_msg(status == bad[i].status, "%zu: %s, %s", i, mst_status_name(status),
                      mst_error_detail());
        ck_assert_detail(bad[i].detail);
        ck_assert_ptr_null(labels);
    }
}
END_TEST

/* Two columns of labels, and the points are what is left. */
START_TEST(test_two_columns)
{
    static const char *const columns[] = {"g", "1"}, *const twice[] = {"g", "3"};
    const char *path = scratch_text("p.csv", "id,x,g,y\nq,1,b,2\nr,3,a,4\nq,5,a,6\n");
    mst_manifold *m;
    mst_labels *labels[2] = {NULL};
    double *x = NULL;
    size_t n;
    ck_assert_int_eq(mst_manifold_parse(&m, "euclidean:2"), MST_OK);
    ck_assert_int_eq(mst_points_read_labelled(&x, &n, 2, columns, labels, m, path, NULL), MST_OK);
    ck_assert_uint_eq(n, 3);
    for (int k = 0; k < 6; k++)
        ck_assert_double_eq(x[k], k + 1);
    check_labels(labels[0], "a;b;|b|a|a");
    check_labels(labels[1], "q;r;|q|r|q");
    mst_points_free(x);
    mst_labels_free(labels[0]);
    mst_labels_free(labels[1]);
    labels[0] = NULL;
    ck_assert_int_eq(mst_points_read_labelled(&x, &n, 2, twice, labels, m, path, NULL),
                     MST_ARGUMENT);
    ck_assert_detail("column 3");
    ck_assert_ptr_null(labels[0]);
    /* Columns are counted as they are in the file. */
    path = scratch_text("p.csv", "q,1,b,2\nr,3,a,nan\n");
    static const char *const numbers[] = {"3", "1"};
    ck_assert_int_eq(mst_points_read_labelled(&x, &n, 2, numbers, labels, m, path, NULL),
                     MST_FORMAT);
    ck_assert_detail("column 4: nan");
    mst_manifold_free(m);
}
END_TEST

int main(void)
{
    TCase *c = tcase_create("all");
    tcase_add_checked_fixture(c, scratch_open, scratch_close);
    tcase_add_test(c, test_files);
    tcase_add_test(c, test_array);
    tcase_add_test(c, test_many);
    tcase_add_test(c, test_columns);
    tcase_add_test(c, test_several_columns);
    tcase_add_test(c, test_bad_columns);
    tcase_add_test(c, test_two_columns);
    return run_case("labels", c);
}
