/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* How often tests of samples reject a true hypothesis at 5 %, over 2000 simulated data sets per case
 * (MST_SETS changes that, MANISTAT_FIRST_CASE leaves some out): the likelihood ratio, permutations of
 * rows, of clusters and within them. The binomial standard deviation at 5 % is 0.49 %; limits are four of it
 * from what is expected. Permutations are exact where the laws of the groups
 * are the same: 3 % to 7 %. */
#include "stat/samples.h"
#include "util/clock.h"

#include <manistat/sample_test.h>
#include <stdatomic.h>
#include <stdio.h>

enum { MOST_GROUPS = 3 };

/* Rows start at one point, or, with clusters, at one point per cluster that has come from there in the time
 * `between`. Each group has `clusters` of `each` rows (else `n` rows); paired: the same clusters. */
typedef struct alarm_case {
    const char *spec;
    size_t groups, n[MOST_GROUPS];
    double time[MOST_GROUPS];
    bool frechet, permute, paired, blind; /* blind: the test is not told of clusters */
    size_t clusters, each[MOST_GROUPS];
    double between;
    mst_hypothesis hypothesis;
    double low, high; /* limits of the rate */
    bool small;       /* MST_TEST_NOTE_SMALL is expected in every set */
} alarm_case;

#define SAME(t) .time = {t, t, t}
#define EXACT .low = 0.03, .high = 0.07
/* χ² in samples of 30 is 5.5 % … 6 %. */
#define LARGE .low = 0.03, .high = 0.075

static const alarm_case cases[] = {
    {"sphere:2", 2, {30, 30}, SAME(0.3), LARGE},
    {"circle", 2, {30, 30}, SAME(0.3), LARGE},
    {"so3", 2, {30, 30}, SAME(0.3), LARGE},
    {"spd:2", 2, {30, 30}, SAME(0.3), LARGE},
    {"sphere:2", 3, {30, 30, 30}, SAME(0.3), LARGE},
    {"circle", 3, {30, 30, 30}, SAME(0.3), LARGE},
    {"so3", 3, {30, 30, 30}, SAME(0.3), LARGE},
    {"spd:2", 3, {30, 30, 30}, SAME(0.3), LARGE},
    {"sphere:2", 2, {100, 100}, SAME(0.3), LARGE},
    {"sphere:2", 3, {30, 30, 30}, SAME(0.3), .hypothesis = MST_EQUAL_TIMES, LARGE},
    {"so3", 2, {30, 30}, SAME(0.3), .hypothesis = MST_EQUAL_BOTH, LARGE},
    {"sphere:2", 2, {30, 60}, {0.1, 0.4}, LARGE},
    /* Small samples are above the level, and say so. */
    {"so3", 3, {10, 10, 10}, SAME(0.3), .low = 0.05, .high = 0.105, .small = true},
    {"spd:2", 3, {5, 5, 5}, SAME(0.3), .low = 0.07, .high = 0.15, .small = true},
    {"sphere:2", 2, {8, 8}, SAME(0.3), .permute = true, EXACT},
    {"circle", 3, {6, 8, 10}, SAME(0.5), .permute = true, EXACT},
    {"sphere:2", 2, {8, 12}, SAME(0.3), .frechet = true, .permute = true, EXACT},
    {"so3", 3, {10, 10, 10}, SAME(0.5), .frechet = true, .permute = true, EXACT},
    {"spd:3", 2, {10, 15}, SAME(0.2), .frechet = true, .permute = true, EXACT},
    /* Unequal spreads: the statistic is in units of the samples' own errors. */
    {"sphere:2",
     2,
     {20, 20},
     {0.05, 0.4},
     .frechet = true,
     .permute = true,
     .low = 0.03,
     .high = 0.08},
    {"sphere:2",
     2,
     {15, 45},
     {0.4, 0.05},
     .frechet = true,
     .permute = true,
     .low = 0.03,
     .high = 0.08},
    {"sphere:2",
     2,
     {15, 45},
     {0.05, 0.4},
     .frechet = true,
     .permute = true,
     .low = 0.015,
     .high = 0.08},
    /* Rows of clusters taken for independent, and not. */
    {"sphere:2", 2, SAME(0.05), .frechet = true, .permute = true, .blind = true, .clusters = 8,
     .each = {5, 5}, .between = 0.1, .low = 0.3, .high = 0.7},
    {"sphere:2", 2, SAME(0.05), .frechet = true, .permute = true, .clusters = 8, .each = {5, 5},
     .between = 0.1, EXACT},
    {"so3", 3, SAME(0.05), .frechet = true, .permute = true, .clusters = 5, .each = {3, 3, 3},
     .between = 0.1, EXACT},
    {"sphere:2", 2, SAME(0.05), .permute = true, .clusters = 6, .each = {3, 3}, .between = 0.1,
     EXACT},
    {"sphere:2", 2, SAME(0.1), .frechet = true, .permute = true, .paired = true, .clusters = 10,
     .each = {1, 1}, .between = 0.3, EXACT},
    {"circle", 3, SAME(0.1), .frechet = true, .permute = true, .paired = true, .clusters = 8,
     .each = {2, 2, 2}, .between = 0.3, EXACT},
    {"sphere:2", 2, SAME(0.1), .permute = true, .paired = true, .clusters = 8, .each = {1, 1},
     .between = 0.2, EXACT},
    /* Different spreads and numbers of rows on the two sides of a pair. */
    {"sphere:2",
     2,
     {0},
     {0.02, 0.2},
     .frechet = true,
     .permute = true,
     .paired = true,
     .clusters = 10,
     .each = {3, 1},
     .between = 0.3,
     .low = 0.03,
     .high = 0.075},
};
enum { CASES = sizeof cases / sizeof *cases };

static size_t number_from(const char *variable, size_t otherwise)
{
    const char *text = getenv(variable);
    return text != NULL ? (size_t)strtoul(text, NULL, 10) : otherwise;
}

typedef struct labelled_set {
    size_t n;
    double *x;
    size_t *group, *cluster;
} labelled_set;

static void move_rows(const space *s, size_t n, double time, uint64_t seed, size_t first, double *x)
{
    mst_brownian_options o = mst_brownian_options_default();
    o.method = mst_brownian_has_exact(s->m) ? MST_BROWNIAN_EXACT : MST_BROWNIAN_TANGENT;
    o.steps = 20;
    o.seed = seed;
    o.first_path = first;
    o.threads = 1;
    ASSERT_OK(mst_brownian_endpoints(s->m, n, x, time, &o, x));
}

static size_t rows_of(const alarm_case *c, size_t g)
{
    return c->clusters > 0 ? c->clusters * c->each[g] : c->n[g];
}

/* Set number k. Cluster number j of group g is number g·clusters + j, or j if the test is paired. */
static void simulate(const space *s, const alarm_case *c, size_t k, labelled_set *out)
{
    size_t at = 0, count = c->paired ? c->clusters : c->groups * c->clusters;
    double *centres = doubles((count + 1) * s->D);
    for (size_t j = 0; j <= count; j++)
        mst_manifold_start(s->m, centres + j * s->D);
    if (count > 0)
        move_rows(s, count, c->between, 7, k * count, centres);
    for (size_t g = 0; g < c->groups; g++) {
        size_t first = at;
        for (size_t i = 0; i < rows_of(c, g); i++, at++) {
            size_t j = count;
            if (count > 0)
                j = i / c->each[g] + (c->paired ? 0 : g * c->clusters);
            out->group[at] = g;
            out->cluster[at] = j;
            memcpy(out->x + at * s->D, centres + j * s->D, s->D * sizeof *out->x);
        }
        move_rows(s, at - first, c->time[g], 100 + g, k * (at - first), out->x + first * s->D);
    }
    free(centres);
}

typedef struct alarm_job {
    const alarm_case *c;
    const space *s;
    size_t n;
    atomic_size_t rejected, small;
} alarm_job;

static void test_set(void *data, size_t k)
{
    alarm_job *j = data;
    const alarm_case *c = j->c;
    const space *s = j->s;
    labelled_set set = {.n = j->n, .x = doubles(j->n * s->D)};
    set.group = calloc(2 * j->n, sizeof *set.group);
    set.cluster = set.group + j->n;
    simulate(s, c, k, &set);
    mst_test_options o = mst_test_options_default();
    o.hypothesis = c->hypothesis;
    o.method = c->permute ? MST_TEST_PERMUTATION : MST_TEST_LR;
    o.permutations = c->frechet ? 99 : 39; /* 5 % is a whole number of them either way */
    o.clusters = c->clusters > 0 && !c->blind ? set.cluster : NULL;
    o.seed = k;
    o.threads = 1;
    mst_test_result *r = NULL;
    mst_status status =
        mst_sample_test(&r, c->frechet ? s->log : s->exact, j->n, set.x, c->groups, set.group, &o);
    if (r == NULL || (status != MST_OK && status != MST_CONVERGENCE))
        abort();
    atomic_fetch_add(&j->rejected, r->p_value <= 0.05);
    atomic_fetch_add(&j->small, (r->notes & MST_TEST_NOTE_SMALL) != 0);
    mst_test_result_free(r);
    free(set.group);
    free(set.x);
}

static void count_alarms(const alarm_case *c, const space *s, size_t sets, size_t *alarms,
                         size_t *notes)
{
    alarm_job j = {.c = c, .s = s};
    for (size_t g = 0; g < c->groups; g++)
        j.n += rows_of(c, g);
    each_in_parallel(sets, test_set, &j);
    *alarms = atomic_load(&j.rejected);
    *notes = atomic_load(&j.small);
}

START_TEST(true_hypotheses_are_rejected_as_often_as_they_say)
{
    const alarm_case *c = &cases[_i];
    size_t sets = simulated_sets(2000), alarms, notes;
    if ((size_t)_i < number_from("MANISTAT_FIRST_CASE", 0))
        return;
    space s = space_open(c->spec);
    double begin = mst_clock_seconds();
    count_alarms(c, &s, sets, &alarms, &notes);
    double rate = (double)alarms / (double)sets, error = sqrt(rate * (1 - rate) / (double)sets);
    printf("%2d %-9s %zu groups%s%s%s%s%s %5.2f %% +- %.2f, %.0f s\n", _i, c->spec, c->groups,
           c->frechet ? ", frechet" : "", c->permute ? ", permutation" : "",
           c->clusters > 0 ? ", clusters" : "", c->blind ? " unknown" : "",
           c->paired ? ", paired" : "", 100 * rate, 100 * error, mst_clock_seconds() - begin);
    fflush(stdout);
    /* With fewer sets than 2000 the limits are wider, by what chance adds. */
    double slack = 4 * sqrt(0.05 * 0.95) * fmax(0, 1 / sqrt((double)sets) - 1 / sqrt(2000));
    ck_assert_msg(rate >= c->low - slack && rate <= c->high + slack, "rate %.4f", rate);
    ck_assert_uint_eq(notes, c->small ? sets : 0);
    space_close(&s);
}
END_TEST

int main(void)
{
    return RUN_SUITE("sample_test_slow", 1700,
                     {true_hypotheses_are_rejected_as_often_as_they_say, CASES});
}
