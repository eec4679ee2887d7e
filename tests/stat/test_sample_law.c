/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Does a likelihood ratio say so when its χ² law is not to be relied on? */
#include "stat/samples.h"

#include <manistat/sample_test.h>

static unsigned notes_of(const space *s, size_t n, const double *x, size_t groups,
                         mst_hypothesis hypothesis, double time)
{
    size_t *group = calloc(n, sizeof *group);
    ck_assert_ptr_nonnull(group);
    for (size_t i = 0; i < n; i++)
        group[i] = i % groups;
    mst_test_options o = mst_test_options_default();
    o.hypothesis = hypothesis;
    o.time = time;
    o.threads = 1;
    mst_test_result *r;
    ASSERT_OK(mst_sample_test(&r, s->exact, n, x, groups, group, &o));
    unsigned notes = r->notes;
    mst_test_result_free(r);
    free(group);
    return notes;
}

static const char *const specs[] = {"euclidean:3", "sphere:2",     "so3",
                                    "torus:2",     "hyperbolic:2", "spd:2"};
enum { SPECS = sizeof specs / sizeof *specs };

/* Brownian points are what the model says; the chance of a note is 1 % per set at most. */
START_TEST(no_note_without_a_reason)
{
    enum { ROWS = 120, SETS = 4 };
    space s = space_open(specs[_i]);
    double *x = doubles(ROWS * s.D), *start = doubles(s.D);
    mst_manifold_start(s.m, start);
    for (uint64_t set = 0; set < SETS; set++) {
        brownian_rows(&s, start, 0.2, ROWS, 60 + set, x);
        for (int h = 0; h < 3; h++)
            ck_assert_uint_eq(notes_of(&s, ROWS, x, 2, (mst_hypothesis)h, 0), 0);
    }
    free(start);
    free(x);
    space_close(&s);
}
END_TEST

START_TEST(small_samples)
{
    enum { ROWS = 12 };
    space s = space_open(specs[_i]);
    double *x = doubles(ROWS * s.D), *start = doubles(s.D);
    mst_manifold_start(s.m, start);
    brownian_rows(&s, start, 0.1, ROWS, 71, x);
    for (int h = 0; h < 3; h++)
        ck_assert_uint_ne(notes_of(&s, ROWS, x, 3, (mst_hypothesis)h, 0) & MST_TEST_NOTE_SMALL, 0);
    /* With the time given, χ² is the law itself in flat space. */
    ck_assert_uint_eq(notes_of(&s, ROWS, x, 3, MST_EQUAL_MEANS, 0.1) & MST_TEST_NOTE_SMALL, 0);
    free(start);
    free(x);
    space_close(&s);
}
END_TEST

/* One direction ten times as wide as the others: the statistic is near 3 χ² of one degree in place of χ² of
 * three, and is above the limit of 5 % in 11 %. */
START_TEST(unequal_directions)
{
    enum { ROWS = 80 };
    space s = space_open("euclidean:3"), p = space_open("product(euclidean:1,sphere:2)");
    double x[ROWS * 3], y[ROWS * 4], start[4] = {0};
    brownian_rows(&s, start, 1, ROWS, 81, x);
    for (size_t i = 0; i < ROWS; i++)
        x[3 * i] *= 10;
    ck_assert_uint_eq(notes_of(&s, ROWS, x, 2, MST_EQUAL_MEANS, 0), MST_TEST_NOTE_MODEL);
    ck_assert_uint_ne(notes_of(&s, ROWS, x, 2, MST_EQUAL_BOTH, 0) & MST_TEST_NOTE_MODEL, 0);
    mst_manifold_start(p.m, start);
    brownian_rows(&p, start, 0.02, ROWS, 82, y);
    for (size_t i = 0; i < ROWS; i++)
        y[4 * i] *= 10;
    ck_assert_uint_eq(notes_of(&p, ROWS, y, 2, MST_EQUAL_MEANS, 0), MST_TEST_NOTE_MODEL);
    space_close(&p);
    space_close(&s);
}
END_TEST

/* Tails heavier than those of Brownian motion: times of samples differ more than they
 * should, means do not. */
START_TEST(heavy_tails)
{
    enum { ROWS = 200 };
    space s = space_open("sphere:2");
    double x[ROWS * 3], start[3] = {0, 0, 1};
    brownian_rows(&s, start, 0.01, ROWS, 91, x);
    brownian_rows(&s, start, 0.3, ROWS / 10, 92, x);
    for (size_t i = 0; i < ROWS; i += 2) /* rows of both kinds in both samples */
        for (size_t a = 0; a < 3; a++) {
            double kept = x[3 * (i * 7 % ROWS) + a];
            x[3 * (i * 7 % ROWS) + a] = x[3 * i + a];
            x[3 * i + a] = kept;
        }
    ck_assert_uint_eq(notes_of(&s, ROWS, x, 2, MST_EQUAL_TIMES, 0), MST_TEST_NOTE_MODEL);
    ck_assert_uint_eq(notes_of(&s, ROWS, x, 2, MST_EQUAL_MEANS, 0), 0);
    space_close(&s);
}
END_TEST

int main(void)
{
    return RUN_SUITE("sample_law", 60, {no_note_without_a_reason, SPECS}, {small_samples, SPECS},
                     {unequal_directions, 0}, {heavy_tails, 0});
}
