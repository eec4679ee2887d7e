/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

#include "support/scratch.h"

#include <manistat/io.h>

/* A file of the format, built by hand: the text of the dictionary, then the bytes of the array. */
static const char *npy(int version, const char *dictionary, const void *data, size_t n)
{
    char bytes[4096];
    size_t length = strlen(dictionary);
    memcpy(bytes, "\x93NUMPY", 6);
    bytes[6] = (char)version;
    bytes[7] = 0;
    bytes[8] = (char)(length & 0xff);
    bytes[9] = (char)(length >> 8);
    bytes[10] = bytes[11] = 0;
    size_t start = version == 1 ? 10 : 12;
    memcpy(bytes + start, dictionary, length);
    memcpy(bytes + start + length, data, n);
    return scratch_bytes("t.npy", bytes, start + length + n);
}

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
        if (status != MST_OK)
            break;
        for (size_t k = 0; k < got; k++) {
            uint64_t row, line;
            mst_reader_where(r, k, &row, &line);
            ck_assert_uint_eq(row, *rows + k + 1);
            ck_assert_uint_eq(line, 0);
        }
        *rows += got;
    }
    ck_assert_ptr_null(mst_reader_name(r, 0));
    mst_reader_free(r);
    return status;
}

/* Runs `read_all` with the file on standard input through a pipe. */
static mst_status read_all_from_pipe(const char *path, size_t batch, double *x, size_t *rows,
                                     size_t *cols)
{
    size_t n;
    char *bytes = scratch_read(path, &n);
    int ends[2];
    ck_assert_int_eq(pipe(ends), 0);
    ck_assert_int_eq((int)write(ends[1], bytes, n), (int)n);
    close(ends[1]);
    dup2(ends[0], STDIN_FILENO);
    close(ends[0]);
    free(bytes);
    return read_all("-", batch, x, rows, cols);
}

static void check_values(const char *path, size_t rows, size_t cols, const double *expected)
{
    for (size_t batch = 1; batch <= 4; batch++)
        for (int piped = 0; piped <= 1; piped++) {
            double x[256];
            size_t got_rows, got_cols;
            mst_status status =
                (piped ? read_all_from_pipe : read_all)(path, batch, x, &got_rows, &got_cols);
            ck_assert_msg(status == MST_OK, "%s", mst_error_detail());
            ck_assert_uint_eq(got_rows, rows);
            ck_assert_uint_eq(got_cols, cols);
            for (size_t i = 0; i < rows * cols; i++)
                ck_assert_double_eq(x[i], expected[i]);
        }
}

static void check_failure(const char *path, const char *detail)
{
    for (int piped = 0; piped <= 1; piped++) {
        double x[256];
        size_t rows, cols;
        mst_status status = (piped ? read_all_from_pipe : read_all)(path, 2, x, &rows, &cols);
        ck_assert_int_eq(status, MST_FORMAT);
        ck_assert_detail(detail);
        ck_assert_detail(piped ? "standard input" : "t.npy");
    }
}

static const double SIX[] = {0.5, -1, 2, 3e300, 4, 5};

START_TEST(test_versions_and_shapes)
{
    for (int version = 1; version <= 3; version++) {
        check_values(npy(version, "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3), }  \n",
                         SIX, sizeof SIX),
                     2, 3, SIX);
        check_values(npy(version, "{'descr': '<f8', 'fortran_order': False, 'shape': (6,), }\n",
                         SIX, sizeof SIX),
                     6, 1, SIX);
    }
    check_values(
        npy(1, "{'shape': (3L, 2L), \"descr\":'=f8','fortran_order':False}", SIX, sizeof SIX), 3, 2,
        SIX);
    check_values(
        npy(1, "{'descr': '<f8', 'fortran_order': False, 'shape': (1, 3, 2), }", SIX, sizeof SIX),
        1, 6, SIX);
    check_values(
        npy(1, "{'descr': '<f8', 'fortran_order': True, 'shape': (6,), }", SIX, sizeof SIX), 6, 1,
        SIX);
}
END_TEST

START_TEST(test_fortran_order)
{
    /* As written by numpy.save(numpy.asfortranarray([[0, 1, 2], [3, 4, 5]])). */
    static const double columns[] = {0, 3, 1, 4, 2, 5};
    static const double rows[] = {0, 1, 2, 3, 4, 5};
    check_values(npy(1, "{'descr': '<f8', 'fortran_order': True, 'shape': (2, 3), }", columns,
                     sizeof columns),
                 2, 3, rows);

    /* Entry (i, j, k) of a (2, 3, 4) array is 100 i + 10 j + k. */
    double fortran[24], expected[24];
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 3; j++)
            for (int k = 0; k < 4; k++) {
                fortran[i + 2 * (j + 3 * k)] = 100 * i + 10 * j + k;
                expected[(i * 3 + j) * 4 + k] = 100 * i + 10 * j + k;
            }
    check_values(npy(1, "{'descr': '<f8', 'fortran_order': True, 'shape': (2, 3, 4), }", fortran,
                     sizeof fortran),
                 2, 12, expected);
    check_values(npy(1, "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3, 4), }", expected,
                     sizeof expected),
                 2, 12, expected);
}
END_TEST

/* The same four values, −2 … 1 or 1 … 4, in every type and both byte orders. */
START_TEST(test_types)
{
    static const double negative[] = {-2, -1, 0, 1}, positive[] = {1, 2, 3, 250};
    static const char kinds[] = "fiu";
    for (const char *kind = kinds; *kind != '\0'; kind++)
        for (size_t item = 1; item <= 8; item *= 2)
            for (int big = 0; big <= 1; big++) {
                if (*kind == 'f' && item < 4)
                    continue;
                const double *values = *kind == 'u' ? positive : negative;
                unsigned char data[32];
                for (size_t i = 0; i < 4; i++) {
                    uint64_t bits;
                    float f = (float)values[i];
                    uint32_t f_bits;
                    memcpy(&f_bits, &f, 4);
                    if (*kind == 'f' && item == 8)
                        memcpy(&bits, &values[i], 8);
                    else if (*kind == 'f')
                        bits = f_bits;
                    else
                        bits = (uint64_t)(int64_t)values[i];
                    for (size_t b = 0; b < item; b++)
                        data[i * item + (big ? item - 1 - b : b)] =
                            (unsigned char)(bits >> (8 * b));
                }
                char dictionary[128];
                snprintf(dictionary, sizeof dictionary,
                         "{'descr': '%c%c%zu', 'fortran_order': %s, 'shape': (2, 2), }",
                         item == 1 ? '|'
                         : big     ? '>'
                                   : '<',
                         *kind, item, "False");
                check_values(npy(1, dictionary, data, 4 * item), 2, 2, values);
                double transposed[] = {values[0], values[2], values[1], values[3]};
                snprintf(dictionary, sizeof dictionary,
                         "{'descr': '%c%c%zu', 'fortran_order': %s, 'shape': (2, 2), }",
                         item == 1 ? '|'
                         : big     ? '>'
                                   : '<',
                         *kind, item, "True");
                check_values(npy(1, dictionary, data, 4 * item), 2, 2, transposed);
            }
    check_values(npy(1, "{'descr': '|b1', 'fortran_order': False, 'shape': (3,), }", "\1\0\1", 3),
                 3, 1, (const double[]){1, 0, 1});
}
END_TEST

START_TEST(test_refused_types)
{
    check_failure(npy(1, "{'descr': '|O', 'fortran_order': False, 'shape': (1,), }", "", 0),
                  "holds Python objects");
    check_failure(npy(1,
                      "{'descr': [('a', '<f8'), ('b', '<i4', (2,))], 'fortran_order': False, "
                      "'shape': (1,), }",
                      "", 0),
                  "holds records");
    check_failure(npy(1, "{'descr': '<c16', 'fortran_order': False, 'shape': (1,), }", "", 0),
                  "holds numbers of type \"<c16\"; save them as float64");
    check_failure(npy(1, "{'descr': '<U5', 'fortran_order': False, 'shape': (1,), }", "", 0),
                  "type \"<U5\"");
    check_failure(npy(1, "{'descr': '', 'fortran_order': False, 'shape': (1,), }", "", 0),
                  "type \"\"");
}
END_TEST

START_TEST(test_bad_headers)
{
    static const char *const bad[] = {
        "",
        "{",
        "}",
        "{}",
        "[1]",
        "{'descr': '<f8'}",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (1,), 'more': 1}",
        "{'descr': '<f8', 'fortran_order': Maybe, 'shape': (1,)}",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (-1,)}",
        "{'descr': '<f8', 'fortran_order': False, 'shape': 1}",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (1 2)}",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (1,",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (99999999999999999999,)}",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (1,)} x",
        "{'descr': '<f8, 'fortran_order': False, 'shape': (1,)}",
        "{'descr': [",
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        check_failure(npy(1, bad[i], SIX, 8), "the NPY header cannot be understood");
    check_failure(npy(9, "{}", SIX, 8), "is NPY version 9");
    check_failure(scratch_bytes("t.npy", "\x93NUMPY", 6), "in the middle of its NPY header");
    check_failure(scratch_bytes("t.npy", "\x93NUMPY\1\0\x76", 9),
                  "in the middle of its NPY header");
    check_failure(scratch_bytes("t.npy", "\x93NUMPY\1\0\x76\0{'descr'", 18),
                  "in the middle of its NPY header");
    check_failure(scratch_bytes("t.npy", "\x93NUMPY\2\0\xff\xff\xff\xff{'descr'", 20),
                  "is implausible");
}
END_TEST

START_TEST(test_shapes_that_do_not_fit)
{
    check_failure(npy(1, "{'descr': '<f8', 'fortran_order': False, 'shape': ()}", SIX, 8),
                  "holds a single number");
    check_failure(npy(1, "{'descr': '<f8', 'fortran_order': False, 'shape': (0, 3)}", SIX, 0),
                  "is empty: no rows of numbers");
    check_failure(npy(1, "{'descr': '<f8', 'fortran_order': False, 'shape': (3, 0)}", SIX, 0),
                  "is empty: no columns of numbers");
    check_failure(npy(1,
                      "{'descr': '<f8', 'fortran_order': False, 'shape': (4294967296, 4294967296)}",
                      SIX, sizeof SIX),
                  "is too large");
    check_failure(npy(1,
                      "{'descr': '<f8', 'fortran_order': True, 'shape': (2, 9223372036854775807, "
                      "9223372036854775807)}",
                      SIX, sizeof SIX),
                  "is too large");
    for (int fortran = 0; fortran <= 1; fortran++) {
        char dictionary[128];
        snprintf(dictionary, sizeof dictionary,
                 "{'descr': '<f8', 'fortran_order': %s, 'shape': (1000000000000, 3)}",
                 fortran ? "True" : "False");
        check_failure(npy(1, dictionary, SIX, sizeof SIX),
                      "ends early: 48 bytes of numbers, its header promises 24000000000000");
        snprintf(dictionary, sizeof dictionary,
                 "{'descr': '<f8', 'fortran_order': %s, 'shape': (2, 3)}",
                 fortran ? "True" : "False");
        check_failure(npy(1, dictionary, SIX, sizeof SIX - 1),
                      "ends early: 47 bytes of numbers, its header promises 48");
        snprintf(dictionary, sizeof dictionary,
                 "{'descr': '<f8', 'fortran_order': %s, 'shape': (2, 2)}",
                 fortran ? "True" : "False");
        check_failure(npy(1, dictionary, SIX, sizeof SIX), "goes on after the array");
    }
}
END_TEST

int main(void)
{
    TCase *c = tcase_create("all");
    tcase_set_timeout(c, 60);
    tcase_add_checked_fixture(c, scratch_open, scratch_close);
    tcase_add_test(c, test_versions_and_shapes);
    tcase_add_test(c, test_fortran_order);
    tcase_add_test(c, test_types);
    tcase_add_test(c, test_refused_types);
    tcase_add_test(c, test_bad_headers);
    tcase_add_test(c, test_shapes_that_do_not_fit);
    return run_case("npy_reader", c);
}
