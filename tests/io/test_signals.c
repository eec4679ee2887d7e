/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Epochs and recordings: the same numbers whichever way they stand in a file. */
#include "support/scratch.h"

#include <manistat/io.h>
#include <manistat/signals.h>
#include <math.h>

/* x (n) in an NPY file of this shape. */
static const char *npy(const char *name, const char *shape, size_t n, const double *x)
{
    static char bytes[1 << 16];
    int length = snprintf(bytes + 10, sizeof bytes - 10,
                          "{'descr': '<f8', 'fortran_order': False, 'shape': (%s), }\n", shape);
    memcpy(bytes, "\x93NUMPY\1\0", 8);
    bytes[8] = (char)length;
    bytes[9] = 0;
    ck_assert(length < 256 && 10 + (size_t)length + n * sizeof *x <= sizeof bytes);
    memcpy(bytes + 10 + length, x, n * sizeof *x);
    return scratch_bytes(name, bytes, 10 + (size_t)length + n * sizeof *x);
}

/* All epochs of a file, x (count, channels, samples), up to 1000 numbers. */
typedef struct epochs {
    size_t channels, samples, count, rest;
    uint64_t dropped, last; /* the number of the last */
    double x[1000];
} epochs;

static mst_status read_epochs(const char *path, mst_signals_options o, epochs *e)
{
    mst_signals *s;
    mst_status status = mst_signals_open(&s, path, &o);
    *e = (epochs){0};
    if (status != MST_OK)
        return status;
    e->channels = mst_signals_channels(s);
    e->samples = mst_signals_samples(s);
    e->rest = mst_signals_rest(s);
    size_t size = e->channels * e->samples;
    for (bool got = true; got && status == MST_OK;) {
        ck_assert((e->count + 1) * size <= 1000);
        status = mst_signals_next(s, e->x + e->count * size, &e->last, &got);
        e->count += status == MST_OK && got;
    }
    e->dropped = mst_signals_dropped(s);
    mst_signals_free(s);
    return status;
}

/* Number 100 (epoch + 1) + 10 channel + sample, as (2, 3, 4). */
static void numbers(double *x, double *turned)
{
    for (size_t e = 0; e < 2; e++)
        for (size_t c = 0; c < 3; c++)
            for (size_t t = 0; t < 4; t++) {
                x[(e * 3 + c) * 4 + t] = (double)(100 * (e + 1) + 10 * c + t);
                turned[(e * 4 + t) * 3 + c] = (double)(100 * (e + 1) + 10 * c + t);
            }
}

START_TEST(epochs_either_way)
{
    double x[24], turned[24];
    epochs e;
    mst_signals_options o = mst_signals_options_default();
    numbers(x, turned);
    for (int way = 0; way < 2; way++) {
        o.transpose = way == 1;
        ASSERT_OK(read_epochs(
            npy("e.npy", way == 0 ? "2, 3, 4" : "2, 4, 3", 24, way == 0 ? x : turned), o, &e));
        ck_assert(e.channels == 3 && e.samples == 4 && e.count == 2 && e.last == 1);
        ck_assert(memcmp(e.x, x, sizeof x) == 0);
    }
}
END_TEST

/* One recording of two channels and seven samples in four files. */
START_TEST(recordings_and_windows)
{
    const double rows[14] = {0, 1, 2, 3, 4, 5, 6, 10, 11, 12, 13, 14, 15, 16};
    double cols[14];
    for (size_t t = 0; t < 7; t++)
        for (size_t c = 0; c < 2; c++)
            cols[t * 2 + c] = rows[c * 7 + t];
    npy("a.npy", "2, 7", 14, rows);
    npy("b.npy", "7, 2", 14, cols);
    scratch_text("a.csv", "Fz,Cz\n0,10\n1,11\n2,12\n3,13\n4,14\n5,15\n6,16\n");
    scratch_text("b.csv", "0 1 2 3 4 5 6\n10 11 12 13 14 15 16\n");
    static const struct {
        const char *name;
        bool transpose;
    } files[] = {{"a.npy", false}, {"b.npy", true}, {"a.csv", false}, {"b.csv", true}};
    static const struct {
        size_t window, step, count, rest;
    } cuts[] = {{0, 0, 1, 0}, {3, 0, 2, 1}, {3, 2, 3, 0}, {2, 4, 2, 1}, {7, 1, 1, 0}, {2, 9, 1, 5}};
    for (size_t f = 0; f < 4; f++)
        for (size_t k = 0; k < sizeof cuts / sizeof *cuts; k++) {
            epochs e;
            mst_signals_options o = mst_signals_options_default();
            o.transpose = files[f].transpose;
            o.window = cuts[k].window;
            o.step = cuts[k].step;
            ASSERT_OK(read_epochs(scratch(files[f].name), o, &e));
            size_t samples = cuts[k].window > 0 ? cuts[k].window : 7,
                   step = cuts[k].step > 0 ? cuts[k].step : samples;
            ck_assert_msg(e.channels == 2 && e.samples == samples && e.count == cuts[k].count &&
                              e.rest == cuts[k].rest,
                          "%s, cut %zu: %zu windows, %zu left", files[f].name, k, e.count, e.rest);
            for (size_t i = 0; i < e.count; i++)
                for (size_t c = 0; c < 2; c++)
                    for (size_t t = 0; t < samples; t++)
                        ck_assert_double_eq(e.x[(i * 2 + c) * samples + t],
                                            (double)(10 * c + i * step + t));
        }
    mst_signals *s;
    ASSERT_OK(mst_signals_open(&s, scratch("a.csv"), NULL));
    ck_assert_str_eq(mst_signals_name(s, 1), "Cz");
    ck_assert(!mst_signals_has_epochs(s));
    mst_signals_free(s);
    ASSERT_OK(mst_signals_open(&s, scratch("a.npy"), NULL));
    ck_assert_ptr_null(mst_signals_name(s, 1));
    mst_signals_free(s);
}
END_TEST

START_TEST(what_is_missing)
{
    double x[24], turned[24];
    epochs e;
    mst_signals_options o = mst_signals_options_default();
    numbers(x, turned);
    x[12 + 4 + 2] = NAN;
    const char *path = npy("e.npy", "2, 3, 4", 24, x);
    ASSERT_FAILS(MST_FORMAT, read_epochs(path, o, &e));
    ck_assert_detail("e.npy, epoch 2, channel 2, sample 3: nan");
    o.drop_missing = true;
    ASSERT_OK(read_epochs(path, o, &e));
    ck_assert(e.count == 1 && e.dropped == 1 && e.last == 1);
    x[0] = INFINITY;
    ASSERT_OK(read_epochs(npy("e.npy", "2, 3, 4", 24, x), o, &e));
    ck_assert(e.count == 0 && e.dropped == 2);
    path = scratch_text("r.csv", "Fz,Cz\n0,1\n1,2\n2,nan\n3,4\n4,5\n5,6\n");
    o.window = 2;
    ASSERT_OK(read_epochs(path, o, &e));
    ck_assert(e.count == 2 && e.dropped == 1 && e.x[4] == 4 && e.last == 2);
    o.drop_missing = false;
    ASSERT_FAILS(MST_FORMAT, read_epochs(path, o, &e));
    ck_assert_detail("channel 2 \"Cz\", sample 3 (line 4): nan");
    x[1] = -INFINITY;
    o.window = 0;
    ASSERT_FAILS(MST_FORMAT, read_epochs(npy("r.npy", "2, 5", 10, x + 1), o, &e));
    ck_assert_detail("channel 1, sample 1: -inf");
}
END_TEST

START_TEST(refusals)
{
    double x[24], turned[24];
    epochs e;
    mst_signals_options o = mst_signals_options_default(), cut = o, stepped = o;
    numbers(x, turned);
    cut.window = 5;
    stepped.step = 2;
    const char *path = npy("e.npy", "2, 3, 4", 24, x);
    ASSERT_FAILS(MST_ARGUMENT, read_epochs(path, cut, &e));
    ck_assert_detail("holds 2 epochs already");
    ASSERT_FAILS(MST_ARGUMENT, read_epochs(path, stepped, &e));
    ck_assert_detail("needs `window`");
    ASSERT_FAILS(MST_ARGUMENT, read_epochs(npy("r.npy", "6, 4", 24, x), cut, &e));
    ck_assert_detail("6 channels of 4 samples");
    ASSERT_FAILS(MST_FORMAT, read_epochs(npy("f.npy", "2, 3, 2, 2", 24, x), o, &e));
    ck_assert_detail("(2, 3, 2, 2)");
    ASSERT_FAILS(MST_FORMAT, read_epochs(npy("g.npy", "2, 3, 2, 2, 1", 24, x), o, &e));
    ck_assert_detail("5 axes, of shape (2, 3, 2, 2, …)");
    ASSERT_FAILS(MST_FORMAT, read_epochs(scratch_text("l.tps", "LM=1\n1 2\nID=a\n"), o, &e));
    ck_assert_detail("landmarks");
    ASSERT_FAILS(MST_FORMAT, read_epochs(scratch_text("w.csv", "a,b\n1,x\n"), o, &e));
    ASSERT_FAILS(MST_IO, read_epochs(scratch("none.npy"), o, &e));
    char text[60000] = "";
    size_t used = 0;
    for (size_t i = 0; i < 9000; i++)
        used += (size_t)snprintf(text + used, sizeof text - used, "%zu%s", i,
                                 i + 1 < 9000 ? "," : "\n");
    ASSERT_FAILS(MST_FORMAT, read_epochs(scratch_text("wide.csv", text), o, &e));
    ck_assert_detail("9000 channels of 1 sample are too many");
    /* A plain array is one channel. */
    ASSERT_OK(read_epochs(npy("one.npy", "24,", 24, x), o, &e));
    ck_assert(e.channels == 1 && e.samples == 24 && e.count == 1);
}
END_TEST

/* Matrices make the round trip, whole or as triangles. */
START_TEST(matrices_are_written)
{
    const double x[18] = {1, 2, 3, 2, 4, 5, 3, 5, 6, 1e-27, 0, 0, 0, 7, 0, 0, 0, -8};
    mst_writer *w;
    size_t n;
    for (int kind = 0; kind < 3; kind++) {
        static const char *const names[] = {"m.csv", "m.tsv", "m.npy"};
        ASSERT_OK(mst_writer_open_matrices(&w, scratch(names[kind]), 3, false));
        ASSERT_OK(mst_writer_rows(w, 1, x));
        ASSERT_OK(mst_writer_rows(w, 1, x + 9));
        ASSERT_OK(mst_writer_commit(w));
        mst_writer_free(w);
        char *got = scratch_read(scratch(names[kind]), &n);
        if (kind == 0)
            ck_assert_str_eq(got, "1,2,3,4,5,6\n1e-27,0,0,7,0,-8\n");
        else if (kind == 1)
            ck_assert_str_eq(got, "1\t2\t3\t4\t5\t6\n1e-27\t0\t0\t7\t0\t-8\n");
        else
            ck_assert(n == 128 + sizeof x && memcmp(got + 128, x, sizeof x) == 0 &&
                      strstr(got + 10, "'shape': (2, 3, 3), }") != NULL);
        free(got);
    }
    ASSERT_FAILS(MST_ARGUMENT, mst_writer_open_matrices(&w, scratch("z.csv"), 0, false));
    ASSERT_FAILS(MST_IO, mst_writer_open_matrices(&w, scratch("m.npy"), 3, false));
}
END_TEST

int main(void)
{
    TCase *c = tcase_create("all");
    tcase_add_checked_fixture(c, scratch_open, scratch_close);
    tcase_add_test(c, epochs_either_way);
    tcase_add_test(c, recordings_and_windows);
    tcase_add_test(c, what_is_missing);
    tcase_add_test(c, refusals);
    tcase_add_test(c, matrices_are_written);
    return run_case("signals", c);
}
