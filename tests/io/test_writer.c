/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

#include "support/scratch.h"

#include <float.h>
#include <manistat/io.h>
#include <math.h>

static void write_rows(const char *path, size_t n, size_t cols, const char *const *names,
                       const double *rows)
{
    mst_writer *w;
    ck_assert_int_eq(mst_writer_open(&w, path, cols, names, false), MST_OK);
    /* In two pieces, as a stream would. */
    ck_assert_int_eq(mst_writer_rows(w, n / 2, rows), MST_OK);
    ck_assert_int_eq(mst_writer_rows(w, n - n / 2, rows + n / 2 * cols), MST_OK);
    ck_assert_int_ne(access(path, F_OK), 0);
    ck_assert_int_eq(mst_writer_commit(w), MST_OK);
    mst_writer_free(w);
}

static void check_content(const char *path, const char *expected)
{
    char *text = scratch_read(path, NULL);
    ck_assert_str_eq(text, expected);
    free(text);
}

START_TEST(test_words)
{
    static const double rows[] = {1, 0.5, NAN, NAN};
    static const char *const names[] = {"a", "b", "status"}, *const words[] = {"fine",
                                                                               "left, lost"};
    mst_writer *w;
    ck_assert_int_eq(mst_writer_open_words(&w, scratch("w.csv"), 3, names, false), MST_OK);
    ck_assert_int_eq(mst_writer_rows(w, 2, rows), MST_ARGUMENT);
    ck_assert_int_eq(mst_writer_rows_words(w, 2, rows, words), MST_OK);
    ck_assert_int_eq(mst_writer_commit(w), MST_OK);
    mst_writer_free(w);
    check_content(scratch("w.csv"), "a,b,status\n1,0.5,fine\nnan,nan,\"left, lost\"\n");
    ck_assert_int_eq(mst_writer_open_words(&w, scratch("w.npy"), 3, names, false), MST_UNABLE);
    ck_assert_int_eq(mst_writer_open(&w, scratch("v.csv"), 2, NULL, false), MST_OK);
    ck_assert_int_eq(mst_writer_rows_words(w, 2, rows, words), MST_ARGUMENT);
    mst_writer_free(w);
}
END_TEST

START_TEST(test_text)
{
    static const double rows[] = {1, 0.5, -2e-20, NAN, INFINITY, 1e22};
    static const char *const names[] = {"#a", "b, \"c\"", ""};
    write_rows(scratch("a.csv"), 2, 3, NULL, rows);
    check_content(scratch("a.csv"), "1,0.5,-2e-20\nnan,inf,1e+22\n");
    write_rows(scratch("a.tsv"), 2, 3, names, rows);
    check_content(scratch("a.tsv"),
                  "\"#a\"\t\"b, \"\"c\"\"\"\t\"\"\n1\t0.5\t-2e-20\nnan\tinf\t1e+22\n");
    write_rows(scratch("b.csv"), 1, 3, names, rows);
    check_content(scratch("b.csv"), "\"#a\",\"b, \"\"c\"\"\",\"\"\n1,0.5,-2e-20\n");
    write_rows(scratch("c.txt"), 0, 3, names, rows);
    check_content(scratch("c.txt"), "\"#a\",\"b, \"\"c\"\"\",\"\"\n");

    mst_reader *r;
    ck_assert_int_eq(mst_reader_open(&r, scratch("b.csv")), MST_OK);
    for (size_t i = 0; i < 3; i++)
        ck_assert_str_eq(mst_reader_name(r, i), names[i]);
    mst_reader_free(r);
}
END_TEST

START_TEST(test_npy_bytes)
{
    static const double rows[] = {1, 2, 3, 4, 5, 6};
    write_rows(scratch("a.npy"), 2, 3, NULL, rows);
    size_t n;
    char *bytes = scratch_read(scratch("a.npy"), &n);
    ck_assert_uint_eq(n, 128 + sizeof rows);
    ck_assert_mem_eq(bytes, "\x93NUMPY\1\0\x76\0", 10);
    static const char dictionary[] =
        "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3), }    ";
    ck_assert_mem_eq(bytes + 10, dictionary, sizeof dictionary - 1);
    ck_assert_int_eq(bytes[127], '\n');
    ck_assert_mem_eq(bytes + 128, rows, sizeof rows);
    free(bytes);
}
END_TEST

/* Random bits, special values and all shapes come back as they went. */
START_TEST(test_round_trip)
{
    static const char *const files[] = {"r.csv", "r.tsv", "r.npy"};
    static const double special[] = {0, -0.0, DBL_MAX, DBL_MIN, DBL_TRUE_MIN, INFINITY, -INFINITY};
    uint64_t state = 99;
    enum { ROWS = 5000 };
    for (int f = 0; f < 3; f++)
        for (size_t cols = 1; cols <= 9; cols += 4) {
            double *x = malloc(ROWS * cols * sizeof *x), *y = malloc(ROWS * cols * sizeof *y);
            for (size_t i = 0; i < ROWS * cols; i++) {
                uint64_t bits = scramble(&state);
                memcpy(&x[i], &bits, sizeof bits);
                if (isnan(x[i]) || bits % 16 == 0)
                    x[i] = special[bits / 16 % 7];
            }
            const char *path = scratch(files[f]);
            write_rows(path, ROWS, cols, NULL, x);
            mst_reader *r;
            ck_assert_int_eq(mst_reader_open(&r, path), MST_OK);
            ck_assert_uint_eq(mst_reader_cols(r), cols);
            size_t n = 0;
            for (size_t got = 1; got > 0; n += got)
                ck_assert_int_eq(mst_reader_next(r, n == 0 ? 7 : ROWS - n, y + n * cols, &got),
                                 MST_OK);
            ck_assert_uint_eq(n, ROWS);
            ck_assert_mem_eq(x, y, ROWS * cols * sizeof *x);
            mst_reader_free(r);
            ck_assert_int_eq(unlink(path), 0);
            free(x);
            free(y);
        }
}
END_TEST

START_TEST(test_refusals)
{
    mst_writer *w;
    ck_assert_int_eq(mst_writer_open(&w, scratch("a.csv"), 0, NULL, false), MST_ARGUMENT);
    scratch_text("a.csv", "old");
    ck_assert_int_eq(mst_writer_open(&w, scratch("a.csv"), 1, NULL, false), MST_IO);
    ck_assert_detail("exists; pass `force`");
    ck_assert_int_eq(mkfifo(scratch("pipe.npy"), 0600), 0);
    int reading = open(scratch("pipe.npy"), O_RDONLY | O_NONBLOCK);
    ck_assert_int_eq(mst_writer_open(&w, scratch("pipe.npy"), 1, NULL, false), MST_UNABLE);
    ck_assert_detail("only CSV can be written to it");
    close(reading);
    mst_writer_free(NULL);

    /* Nothing is left of a writer that is not committed. */
    ck_assert_int_eq(mst_writer_open(&w, scratch("b.npy"), 1, NULL, false), MST_OK);
    ck_assert_int_eq(mst_writer_rows(w, 1, (const double[]){1}), MST_OK);
    mst_writer_free(w);
    ck_assert_int_ne(access(scratch("b.npy"), F_OK), 0);
    check_content(scratch("a.csv"), "old");
}
END_TEST

int main(void)
{
    TCase *c = tcase_create("all");
    tcase_set_timeout(c, 60);
    tcase_add_checked_fixture(c, scratch_open, scratch_close);
    tcase_add_test(c, test_text);
    tcase_add_test(c, test_words);
    tcase_add_test(c, test_npy_bytes);
    tcase_add_test(c, test_round_trip);
    tcase_add_test(c, test_refusals);
    return run_case("writer", c);
}
