/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Does a likelihood ratio say so when its χ² law is not to be relied on? */
#include "stat/laws.h"

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
    o.method = MST_TEST_LR;
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

/* More degrees of freedom than rows, in 55 dimensions of which three have nearly all the scatter: by χ² the
 * p-value is near 1, whatever the labels are. */
START_TEST(more_directions_than_rows)
{
    enum { ROWS = 40, GROUPS = 4, SHIFTED = 2 };
    space s = space_open("euclidean:55");
    double *x = doubles(ROWS * s.D);
    size_t group[ROWS];
    for (size_t i = 0; i < ROWS; i++) {
        group[i] = i % GROUPS;
        mst_random_normals((mst_random){83, i}, 0, s.D, x + i * s.D);
        for (size_t a = 3; a < s.D; a++)
            x[i * s.D + a] *= 0.01;
    }
    mst_test_options o = mst_test_options_default();
    mst_test_result *r;
    o.threads = 1;
    ASSERT_OK(mst_sample_test(&r, s.exact, ROWS, x, GROUPS, group, &o));
    ck_assert(r->method == MST_TEST_PERMUTATION && r->permutations == o.permutations);
    ck_assert(r->notes == 0 && r->p_value > 0.05 && !r->p_value_is_floor);
    mst_test_result_free(r);
    /* A difference that is there is found. */
    for (size_t i = 0; i < ROWS; i++)
        x[i * s.D] += group[i] == 0 ? SHIFTED : 0;
    ASSERT_OK(mst_sample_test(&r, s.exact, ROWS, x, GROUPS, group, &o));
    ck_assert(r->p_value == 0.001 && r->p_value_is_floor);
    mst_test_result_free(r);
    o.method = MST_TEST_LR;
    ASSERT_FAILS(MST_UNABLE, mst_sample_test(&r, s.exact, ROWS, x, GROUPS, group, &o));
    /* With the time given the law needs no rows. */
    o.time = 1;
    ASSERT_OK(mst_sample_test(&r, s.exact, ROWS, x, GROUPS, group, &o));
    ck_assert_int_eq(r->method, MST_TEST_LR);
    mst_test_result_free(r);
    free(x);
    space_close(&s);
}
END_TEST

/* How many of the sets reject a true hypothesis at 5 % without a note. */
static size_t false_alarms(const space *s, size_t sets, const row_law law[2], const size_t n[2],
                           double apart, mst_test_options o)
{
    size_t alarms = 0, group[64], all = n[0] + n[1];
    double *x = doubles(all * s->D), *centre = doubles(s->D);
    ck_assert_uint_le(all, 64);
    o.threads = 1;
    for (size_t set = 0; set < sets; set++) {
        for (size_t g = 0; g < 2; g++) {
            size_t first = g == 0 ? 0 : n[0];
            point_along(s, 0, g == 0 ? 0 : apart, centre);
            law_rows(s, &law[g], centre, n[g], (mst_random){51 + g, set}, x + first * s->D);
            for (size_t i = 0; i < n[g]; i++)
                group[first + i] = g;
        }
        mst_test_result *r;
        o.seed = set;
        ASSERT_OK(mst_sample_test(&r, s->exact, all, x, 2, group, &o));
        alarms += r->p_value <= 0.05 && r->notes == 0;
        mst_test_result_free(r);
    }
    free(centre);
    free(x);
    return alarms;
}

/* Where means are apart, rows as they came cannot change places. 5 % of 100 sets are above 15 once in 30000
 * seeds. */
START_TEST(times_about_their_own_means)
{
    enum { SETS = 100, MOST = 15 };
    static const row_law t5 = {LAW_T5, 0.3, 1}, outliers = {LAW_OUTLIERS, 0.2, 1};
    space s = space_open(_i == 0 ? "euclidean:2" : "sphere:2");
    mst_test_options o = mst_test_options_default();
    o.hypothesis = MST_EQUAL_TIMES;
    o.permutations = 99;
    o.method = MST_TEST_PERMUTATION;
    ck_assert_uint_le(false_alarms(&s, SETS, (row_law[]){t5, t5}, (size_t[]){20, 20}, 1, o), MOST);
    o.method = MST_TEST_LR; /* what it takes for a difference wrongly comes with a note */
    ck_assert_uint_le(
        false_alarms(&s, SETS, (row_law[]){outliers, outliers}, (size_t[]){24, 24}, 1, o), MOST);
    space_close(&s);
}
END_TEST

/* A difference of times is found, also of three groups and of clusters. */
START_TEST(different_times)
{
    enum { EACH = 30, GROUPS = 3, ROWS = GROUPS * EACH };
    space s = space_open("sphere:2");
    double x[ROWS * 3], centre[3];
    size_t group[ROWS], cluster[ROWS];
    for (size_t g = 0; g < GROUPS; g++) {
        row_law law = {LAW_T5, g == 1 ? 0.5 : 0.2, 1};
        point_along(&s, g, 0.5 * (double)g, centre);
        law_rows(&s, &law, centre, EACH, (mst_random){61, g}, x + g * EACH * 3);
    }
    for (size_t i = 0; i < ROWS; i++) {
        group[i] = i / EACH;
        cluster[i] = i / 3;
    }
    mst_test_options o = mst_test_options_default();
    o.hypothesis = MST_EQUAL_TIMES;
    o.threads = 1;
    for (int clustered = 0; clustered < 2; clustered++) {
        mst_test_result *r;
        o.clusters = clustered ? cluster : NULL;
        ASSERT_OK(mst_sample_test(&r, s.exact, ROWS, x, GROUPS, group, &o));
        ck_assert(r->method == MST_TEST_PERMUTATION && r->degrees_of_freedom == 2);
        ck_assert(r->p_value == 0.001 && r->p_value_is_floor);
        ck_assert(r->statistic > 20 && r->statistic < 200);
        mst_test_result_free(r);
    }
    space_close(&s);
}
END_TEST

/* Two groups of five, one five times as wide: rows of unequal spreads cannot change places either. */
START_TEST(five_rows_of_unequal_spreads)
{
    enum { SETS = 300, MOST = 23 }; /* 7.7 %; by the statistic alone there are 28 */
    static const row_law law[] = {{LAW_NORMAL, 0.1, 1}, {LAW_NORMAL, 0.5, 1}};
    space s = space_open("euclidean:2");
    mst_test_options o = mst_test_options_default();
    o.method = MST_TEST_PERMUTATION;
    ck_assert_uint_le(false_alarms(&s, SETS, law, (size_t[]){5, 5}, 0, o), MOST);
    space_close(&s);
}
END_TEST

int main(void)
{
    return RUN_SUITE("sample_law", 60, {no_note_without_a_reason, SPECS}, {small_samples, SPECS},
                     {unequal_directions, 0}, {heavy_tails, 0}, {more_directions_than_rows, 0},
                     {times_about_their_own_means, 2}, {different_times, 0},
                     {five_rows_of_unequal_spreads, 0});
}
