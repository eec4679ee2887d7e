/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

#include "io/internal.h"
#include "support/scratch.h"

#include <manistat/io.h>
#include <signal.h>
#include <sys/time.h>
#include <sys/wait.h>

static void check_failure(const char *path, mst_status expected, const char *detail)
{
    mst_reader *r;
    ck_assert_int_eq(mst_reader_open(&r, path), expected);
    ck_assert_detail(detail);
}

START_TEST(test_files_that_cannot_be_read)
{
    check_failure(scratch("none.csv"), MST_IO, "none.csv: No such file or directory");
    check_failure(scratch_directory, MST_IO, "is a directory, not a file of numbers");
    check_failure("", MST_IO, "No such file or directory");
    const char *path = scratch_text("secret.csv", "1,2\n");
    chmod(path, 0);
    chmod(scratch_directory, 0755);
    if (geteuid() == 0)
        ck_assert_int_eq(seteuid(65534), 0);
    check_failure(path, MST_IO, "secret.csv: Permission denied");
    if (getuid() == 0)
        ck_assert_int_eq(seteuid(0), 0);
    mst_reader_free(NULL);
}
END_TEST

START_TEST(test_other_formats)
{
    check_failure(scratch_bytes("a.npz", "PK\x03\x04....", 8), MST_FORMAT, "a zip archive");
    check_failure(scratch_bytes("a.csv.gz", "\x1f\x8b\x08\x00", 4), MST_FORMAT, "gzip");
    check_failure(scratch_bytes("a.txt", "\xff\xfe\x31\x00", 4), MST_FORMAT, "UTF-16");
    check_failure(scratch_bytes("a.h5", "\x89HDF\r\n", 6), MST_FORMAT, "HDF5");
}
END_TEST

/* The name says nothing, the content does. */
START_TEST(test_format_by_content)
{
    mst_writer *w;
    const double rows[] = {1, 2, 3, 4};
    ck_assert_int_eq(mst_writer_open(&w, scratch("a.npy"), 2, NULL, false), MST_OK);
    ck_assert_int_eq(mst_writer_rows(w, 2, rows), MST_OK);
    ck_assert_int_eq(mst_writer_commit(w), MST_OK);
    mst_writer_free(w);
    ck_assert_int_eq(rename(scratch("a.npy"), scratch("a.csv")), 0);
    scratch_text("b.npy", "1 2\n3 4\n");
    static const char *const names[] = {"a.csv", "b.npy"};
    for (int i = 0; i < 2; i++) {
        mst_reader *r;
        double x[6];
        size_t got;
        ck_assert_int_eq(mst_reader_open(&r, scratch(names[i])), MST_OK);
        ck_assert_int_eq(mst_reader_next(r, 3, x, &got), MST_OK);
        ck_assert_uint_eq(got, 2);
        ck_assert_mem_eq(x, rows, sizeof rows);
        mst_reader_free(r);
    }
}
END_TEST

/* Text that arrives byte by byte must not be cut into wrong numbers. */
START_TEST(test_slow_pipe)
{
    static const char text[] = "x,y\n1.25,2\n# c\n3,4.5";
    int ends[2];
    ck_assert_int_eq(pipe(ends), 0);
    pid_t child = fork();
    ck_assert_int_ge(child, 0);
    if (child == 0) {
        for (size_t i = 0; i + 1 < sizeof text; i++) {
            if (write(ends[1], text + i, 1) != 1)
                _exit(1);
            usleep(300);
        }
        _exit(0);
    }
    close(ends[1]);
    dup2(ends[0], STDIN_FILENO);
    mst_reader *r;
    double x[4];
    size_t got;
    ck_assert_int_eq(mst_reader_open(&r, "-"), MST_OK);
    ck_assert_str_eq(mst_reader_path(r), "standard input");
    ck_assert_str_eq(mst_reader_name(r, 1), "y");
    ck_assert_int_eq(mst_reader_next(r, 2, x, &got), MST_OK);
    ck_assert_uint_eq(got, 2);
    ck_assert_double_eq(x[0], 1.25);
    ck_assert_double_eq(x[3], 4.5);
    mst_reader_free(r);
    waitpid(child, NULL, 0);
    ck_assert_int_ge(fcntl(STDIN_FILENO, F_GETFD), 0);
}
END_TEST

static void on_alarm(int signal_number)
{
    (void)signal_number;
}

START_TEST(test_interrupted)
{
    int ends[2];
    ck_assert_int_eq(pipe(ends), 0);
    dup2(ends[0], STDIN_FILENO);
    /* No SA_RESTART: the handler ends the read. */
    struct sigaction action = {.sa_handler = on_alarm};
    sigaction(SIGALRM, &action, NULL);
    struct itimerval timer = {.it_value = {.tv_usec = 50000}};
    setitimer(ITIMER_REAL, &timer, NULL);
    check_failure("-", MST_INTERRUPTED, "interrupted while reading standard input");
}
END_TEST

START_TEST(test_long_and_odd_paths)
{
    char name[256];
    memset(name, 'n', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    scratch_text(name, "1,2\n3,abc\n");
    mst_reader *r;
    double x[4];
    size_t got;
    ck_assert_int_eq(mst_reader_open(&r, scratch(name)), MST_OK);
    ck_assert_int_eq(mst_reader_next(r, 2, x, &got), MST_FORMAT);
    ck_assert_detail("row 2 (line 2), column 2: \"abc\" is not a number");
    mst_reader_free(r);
    check_failure(scratch("two\nlines"), MST_IO, "two?lines: No such file");
}
END_TEST

START_TEST(test_missing_numbers)
{
    mst_reader *r;
    double x[9];
    size_t got;
    const char *path = scratch_text("m.csv", "a,b,c\n1,,3\nNA,5,6\n7,8,\n");
    ck_assert_int_eq(mst_reader_open(&r, path), MST_OK);
    ck_assert_int_eq(mst_reader_next(r, 3, x, &got), MST_FORMAT);
    ck_assert_detail("row 1 (line 2), column 2: the cell is empty");
    mst_reader_free(r);
    ck_assert_int_eq(mst_reader_open(&r, path), MST_OK);
    mst_reader_allow_missing(r);
    ck_assert_int_eq(mst_reader_next(r, 3, x, &got), MST_OK);
    ck_assert_uint_eq(got, 3);
    for (int k = 0; k < 9; k++)
        if (k == 1 || k == 3 || k == 8)
            ck_assert(isnan(x[k]));
        else
            ck_assert_double_eq(x[k], k + 1);
    mst_reader_free(r);
    ck_assert_int_eq(mst_reader_open(&r, scratch_text("m.csv", "1,2\n1\n")), MST_OK);
    mst_reader_allow_missing(r);
    ck_assert_int_eq(mst_reader_next(r, 3, x, &got), MST_FORMAT);
    ck_assert_detail("1 column, expected 2");
    mst_reader_free(r);
    ck_assert_int_eq(mst_reader_open(&r, scratch_text("m.csv", "1,2\n1,?\n")), MST_OK);
    mst_reader_allow_missing(r);
    ck_assert_int_eq(mst_reader_next(r, 3, x, &got), MST_FORMAT);
    ck_assert_detail("\"?\" is not a number");
    mst_reader_free(r);
}
END_TEST

/* Two rows with a label each. */
static mst_status named_rows(mst_reader *r, size_t max, double *rows, size_t *got)
{
    static const char *const names[] = {"left wing", "right wing"};
    for (*got = 0; *got < max && r->row + *got < 2; ++*got) {
        rows[*got] = (double)(r->row + *got);
        if (r->label_rows)
            MST_TRY(mst_labels_add(r->labels[0].to, names[r->row + *got],
                                   strlen(names[r->row + *got])));
    }
    return MST_OK;
}

static const reader_format named = {.name = "named", .row_labels = true, .next = named_rows};

START_TEST(test_labels_of_rows)
{
    mst_reader *csv, rows = {.format = &named, .cols = 1};
    mst_labels *labels;
    double x[2];
    size_t got;
    uint64_t row, line;
    ck_assert_int_eq(mst_labels_new(&labels), MST_OK);
    ck_assert_int_eq(mst_reader_set_labels(&rows, NULL, labels), MST_OK);
    for (size_t i = 0; i < 2; i++) {
        ck_assert_int_eq(mst_reader_next(&rows, 1, x, &got), MST_OK);
        ck_assert_uint_eq(got, 1);
        ck_assert_double_eq(x[0], (double)i);
        mst_reader_where(&rows, 0, &row, &line);
        ck_assert_uint_eq(row, i + 1);
        ck_assert_uint_eq(line, 0);
    }
    ck_assert_int_eq(mst_labels_finish(labels), MST_OK);
    ck_assert_uint_eq(labels->n, 2);
    ck_assert_str_eq(labels->names[labels->index[1]], "right wing");
    ck_assert_int_eq(mst_reader_open(&csv, scratch_text("a.csv", "1,2\n")), MST_OK);
    ck_assert_int_eq(mst_reader_set_labels(csv, NULL, labels), MST_UNABLE);
    ck_assert_detail("CSV");
    mst_reader_free(csv);
    mst_labels_free(labels);
}
END_TEST

int main(void)
{
    TCase *c = tcase_create("all");
    tcase_set_timeout(c, 60);
    tcase_add_checked_fixture(c, scratch_open, scratch_close);
    tcase_add_test(c, test_files_that_cannot_be_read);
    tcase_add_test(c, test_other_formats);
    tcase_add_test(c, test_format_by_content);
    tcase_add_test(c, test_missing_numbers);
    tcase_add_test(c, test_labels_of_rows);
    tcase_add_test(c, test_slow_pipe);
    tcase_add_test(c, test_interrupted);
    tcase_add_test(c, test_long_and_odd_paths);
    return run_case("reader", c);
}
