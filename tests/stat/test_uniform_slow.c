/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* How often the 95 % interval holds the true time and the 95 % region the true mean where data say little,
 * over 2000 simulated sets per case, and how often the test of uniformity raises a false alarm. The binomial
 * standard deviation is 0.5 %: a true coverage of 95 % leaves 93 … 97 % with a probability of 4e-5. More than
 * 97 % is allowed where regions are the whole space or intervals one-sided. MST_SETS in the environment is
 * another number of sets, MST_COVERAGE_CASE the number of the only case, one more than the last for the test
 * of uniformity. */
#include "stat/mean_support.h"
#include "util/clock.h"

#include <manistat/uniformity.h>
#include <stdatomic.h>
#include <stdio.h>

typedef struct coverage_case {
    const char *spec;
    double time;
    size_t n;
    bool may_decline, may_be_wide; /* regions or intervals may be all there is */
} coverage_case;

static const coverage_case cases[] = {
    {"sphere:2", 0.5, 300, false, false},  {"sphere:2", 2, 300, false, false},
    {"sphere:10", 0.5, 300, false, false}, {"sphere:20", 0.3, 300, true, true},
    {"sphere:50", 0.3, 300, true, true},   {"circle", 0.5, 1000, false, false},
    {"circle", 2, 1000, false, false},     {"so3", 0.5, 500, false, false},
    {"so3", 1, 500, false, false},         {"so3", 1.5, 500, false, false},
    {"torus:2", 0.5, 500, false, false}};
enum { CASES = sizeof cases / sizeof *cases };

typedef struct tally {
    size_t mean_hits, time_hits, declined, whole, endless, scores, failures;
} tally;

static mst_status simulate(const setting *s, const coverage_case *c, const double *truth, size_t k,
                           double *x)
{
    for (size_t i = 0; i < c->n; i++)
        memcpy(x + i * s->D, truth, s->D * sizeof *x);
    mst_brownian_options o = mst_brownian_options_default();
    o.method = MST_BROWNIAN_EXACT;
    o.first_path = k * c->n;
    o.threads = 1;
    return mst_brownian_endpoints(s->m, c->n, x, c->time, &o, x);
}

static tally one_set(const setting *s, const coverage_case *c, const double *truth, size_t k)
{
    tally t = {0};
    double *x = malloc(c->n * s->D * sizeof *x);
    mst_mean_options o = mst_mean_options_default();
    mst_mean_result *r = NULL;
    o.starts = 1;
    o.threads = 1;
    bool held = false;
    if (x != NULL && simulate(s, c, truth, k, x) == MST_OK)
        (void)!mst_mean_fit(&r, s->exact, c->n, x, &o);
    if (r == NULL) {
        t.failures = 1;
    } else if (r->region_kind == MST_REGION_NONE || isnan(r->time_low)) {
        t.declined = 1;
    } else {
        if (mst_mean_region_holds(&held, r, s->exact, c->n, x, &o, truth) != MST_OK)
            t.failures = 1;
        t.mean_hits = held ? 1 : 0;
        t.time_hits = r->time_low <= c->time && c->time <= r->time_high ? 1 : 0;
        t.whole = r->region_kind == MST_REGION_WHOLE ? 1 : 0;
        t.scores = r->region_kind == MST_REGION_SCORE ? 1 : 0;
        t.endless = r->time_high > 1e300 ? 1 : 0;
    }
    mst_mean_result_free(r);
    free(x);
    return t;
}

typedef struct coverage_job {
    const setting *s;
    const coverage_case *c;
    const double *truth;
    tally *each; /* set */
} coverage_job;

static void run_set(void *data, size_t k)
{
    coverage_job *j = data;
    j->each[k] = one_set(j->s, j->c, j->truth, k);
}

START_TEST(regions_and_intervals_hold_the_truth)
{
    const coverage_case *c = &cases[_i];
    if (!is_simulated(_i))
        return;
    setting s = setting_open(c->spec);
    double *truth = doubles(s.D), begin = mst_clock_seconds();
    ASSERT_OK(mst_manifold_random_point(s.m, (mst_random){61, 1}, 0, 1, truth));
    size_t sets = simulated_sets(2000), mean_hits = 0, time_hits = 0, declined = 0, whole = 0,
           endless = 0, scores = 0, failures = 0;
    coverage_job j = {&s, c, truth, malloc(sets * sizeof *j.each)};
    each_in_parallel(sets, run_set, &j);
    for (size_t k = 0; k < sets; k++) {
        tally t = j.each[k];
        mean_hits += t.mean_hits;
        time_hits += t.time_hits;
        declined += t.declined;
        whole += t.whole;
        scores += t.scores;
        endless += t.endless;
        failures += t.failures;
    }
    double answered = (double)(sets - declined), mean = (double)mean_hits / answered,
           time = (double)time_hits / answered;
    printf("%-9s t = %-4g n = %-4zu region %.2f %% (%zu score, %zu whole), interval %.2f %% (%zu "
           "endless), "
           "%zu declined, %.0f s\n",
           c->spec, c->time, c->n, 100 * mean, scores, whole, 100 * time, endless, declined,
           mst_clock_seconds() - begin);
    fflush(stdout);
    ck_assert_uint_eq(failures, 0);
    ck_assert(c->may_decline || declined * 20 < sets);
    ck_assert_msg(mean >= 0.93 && (mean <= 0.97 || c->may_be_wide), "%s: region %.4f", c->spec,
                  mean);
    ck_assert_msg(time >= 0.93 && (time <= 0.97 || c->may_be_wide), "%s: interval %.4f", c->spec,
                  time);
    free(truth), free(j.each);
    setting_close(&s);
}
END_TEST

/* ---- The test of uniformity ---- */

static const char *const specs[] = {"circle",  "sphere:2", "sphere:20",
                                    "torus:2", "so3",      "product(sphere:2,so3)"};
enum { SPECS = sizeof specs / sizeof *specs };

typedef struct alarm_job {
    const setting *s;
    size_t n;
    atomic_size_t alarms;
} alarm_job;

static void test_set(void *data, size_t k)
{
    alarm_job *j = data;
    const setting *s = j->s;
    double *x = malloc(j->n * s->D * sizeof *x);
    mst_uniformity u;
    if (x == NULL || mst_manifold_random_point(s->m, (mst_random){62, k}, 0, j->n, x) != MST_OK ||
        mst_uniformity_test(&u, s->m, j->n, x, NULL) != MST_OK || u.p_value <= 0.05)
        atomic_fetch_add(&j->alarms, 1);
    free(x);
}

static size_t count_alarms(const setting *s, size_t n, size_t sets)
{
    alarm_job j = {.s = s, .n = n};
    each_in_parallel(sets, test_set, &j);
    return atomic_load(&j.alarms);
}

/* 5 % within four standard deviations of 0.35 %, and 0.2 % for what the corrections leave. */
START_TEST(uniform_points_are_rejected_as_often_as_they_should_be)
{
    if (!is_simulated(CASES))
        return;
    static const size_t rows[] = {10, 50, 300};
    setting s = setting_open(specs[_i]);
    for (size_t k = 0; k < 3; k++) {
        size_t sets = simulated_sets(4000);
        double rate = (double)count_alarms(&s, rows[k], sets) / (double)sets;
        printf("%-21s n = %-3zu false alarms %.2f %%\n", specs[_i], rows[k], 100 * rate);
        fflush(stdout);
        double room = 0.002 + 4 * sqrt(0.05 * 0.95 / (double)sets);
        ck_assert_msg(fabs(rate - 0.05) <= room, "%s, n = %zu: %.4f", specs[_i], rows[k], rate);
    }
    setting_close(&s);
}
END_TEST

/* Concentrated data, t ≤ 0.3 and n ≥ 20: a warning in at most 1 % of the sets. */
START_TEST(concentrated_points_are_not_called_uniform)
{
    if (!is_simulated(CASES))
        return;
    setting s = setting_open(specs[_i]);
    coverage_case c = {.spec = specs[_i], .time = s.d > 10 ? 0.1 : 0.3, .n = 20};
    double *truth = doubles(s.D), *x = doubles(c.n * s.D);
    size_t alarms = 0, sets = simulated_sets(2000);
    mst_manifold_start(s.m, truth);
    for (size_t k = 0; k < sets; k++) {
        mst_uniformity u;
        double *rows = draw(&s, c.n, truth, c.time, 1000 + k);
        ASSERT_OK(mst_uniformity_test(&u, s.m, c.n, rows, NULL));
        alarms += u.p_value > 0.05 ? 1 : 0;
        free(rows);
    }
    printf("%-21s t = %g, n = %zu: called uniform %zu of %zu\n", specs[_i], c.time, c.n, alarms,
           sets);
    ck_assert_uint_le(alarms * 100, sets);
    free(truth), free(x);
    setting_close(&s);
}
END_TEST

int main(void)
{
    return RUN_SUITE("uniform", 1700, {regions_and_intervals_hold_the_truth, CASES},
                     {uniform_points_are_rejected_as_often_as_they_should_be, SPECS},
                     {concentrated_points_are_not_called_uniform, SPECS});
}
