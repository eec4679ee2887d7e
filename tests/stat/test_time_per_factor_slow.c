/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Products whose factors scatter on scales ten times apart: how often the 95 % region holds the true mean,
 * with one time and with a time per factor, and the intervals their times; and how often the test of one time
 * is wrong where there is one. With 2000 sets the binomial standard deviation at 95 % is 0.49 %, and the
 * limits of 93 % and 97 % are four of it away. The alarm rate of 1 % has 0.22 %. */
#include "stat/ellipsoid.h"

#include <stdio.h>

enum { N = 200 };

typedef struct unlike {
    const char *spec;
    size_t factors;
    double times[3]; /* of the factors */
} unlike;

static const unlike cases[] = {
    {"product(sphere:2,euclidean:1)", 2, {0.04, 4}},
    {"product(circle,so3)", 2, {0.005, 0.5}},
    {"product(sphere:2,hyperbolic:2,euclidean:1)", 3, {0.4, 0.04, 0.004}},
    {"product(sphere:2,so3)", 2, {0.3, 0.3}},
    {"product(euclidean:1,hyperbolic:2)", 2, {0.3, 0.3}},
};
enum { CASES = sizeof cases / sizeof *cases };

/* Rows of set k: each factor's Brownian motion up to its own time. */
static mst_status simulate(const setting *s, const unlike *u, size_t k, double *x)
{
    size_t at = 0;
    for (size_t f = 0; f < u->factors; f++) {
        const mst_manifold *m = mst_manifold_factor(s->m, f);
        size_t D = mst_manifold_ambient(m);
        mst_brownian_options o = mst_brownian_options_default();
        o.method = MST_BROWNIAN_EXACT;
        o.first_path = k * N;
        o.seed = 900 + f;
        o.threads = 1;
        double *part = doubles(N * D);
        for (size_t i = 0; i < N; i++)
            mst_manifold_start(m, part + i * D);
        mst_status status = mst_brownian_endpoints(m, N, part, u->times[f], &o, part);
        for (size_t i = 0; i < N; i++)
            memcpy(x + i * s->D + at, part + i * D, D * sizeof *x);
        at += D;
        free(part);
        if (status != MST_OK)
            return status;
    }
    return MST_OK;
}

typedef struct tally {
    size_t together, apart, interval[3], alarms, declined;
} tally;

static void add_set(const setting *s, const unlike *u, size_t k, const double *truth, tally *t)
{
    double *x = doubles(N * s->D);
    mst_mean_options o = mst_mean_options_default();
    mst_mean_result *one = NULL, *each = NULL;
    o.threads = 1;
    ASSERT_OK(simulate(s, u, k, x));
    mst_status status = mst_mean_fit(&one, s->exact, N, x, &o);
    o.time_per_factor = true;
    if (status == MST_OK)
        status = mst_mean_fit(&each, s->exact, N, x, &o);
    if (status != MST_OK || isnan(one->standard_error) || isnan(each->standard_error)) {
        t->declined++;
    } else {
        t->together += region_holds(s, one, truth);
        t->apart += region_holds(s, each, truth);
        t->alarms += (one->notes & MST_NOTE_UNEQUAL_TIMES) != 0;
        for (size_t f = 0; f < u->factors; f++)
            t->interval[f] +=
                each->times_low[f] <= u->times[f] && u->times[f] <= each->times_high[f];
    }
    mst_mean_result_free(one);
    mst_mean_result_free(each);
    free(x);
}

static void assert_covers(size_t count, size_t sets, const char *what)
{
    double share = 100 * (double)count / (double)sets;
    ck_assert_msg(share >= 93 && share <= 97, "%s: covered in %g %%", what, share);
}

typedef struct factor_job {
    const setting *s;
    const unlike *u;
    const double *truth;
    tally *each; /* set */
} factor_job;

static void run_set(void *data, size_t k)
{
    factor_job *j = data;
    add_set(j->s, j->u, k, j->truth, &j->each[k]);
}

START_TEST(products_cover)
{
    const unlike *u = &cases[_i];
    setting s = setting_open(u->spec);
    double truth[16];
    size_t sets = simulated_sets(2000);
    double percent = 100 / (double)sets;
    size_t together = 0, apart = 0, first = 0, second = 0, third = 0, alarms = 0, declined = 0;
    mst_manifold_start(s.m, truth);
    factor_job j = {&s, u, truth, calloc(sets, sizeof *j.each)};
    each_in_parallel(sets, run_set, &j);
    for (size_t k = 0; k < sets; k++) {
        tally t = j.each[k];
        together += t.together;
        apart += t.apart;
        first += t.interval[0];
        second += t.interval[1];
        third += t.interval[2];
        alarms += t.alarms;
        declined += t.declined;
    }
    printf("%s: %zu sets of %d: region %.2f %% with one time, %.2f %% with one per factor; "
           "intervals %.2f, "
           "%.2f, %.2f %%; unequal times %zu, declined %zu\n",
           u->spec, sets, N, percent * (double)together, percent * (double)apart,
           percent * (double)first, percent * (double)second, percent * (double)third, alarms,
           declined);
    assert_covers(together, sets, "region with one time");
    assert_covers(apart, sets, "region with a time per factor");
    assert_covers(first, sets, "first interval");
    assert_covers(second, sets, "second interval");
    if (u->factors > 2)
        assert_covers(third, sets, "third interval");
    bool equal = u->times[0] == u->times[1];
    ck_assert_uint_le(declined, sets / 20);
    if (equal)
        ck_assert_uint_le(alarms, sets / 50); /* 1 % expected: 4.5 standard deviations */
    else
        ck_assert_uint_eq(alarms, sets - declined);
    free(j.each);
    setting_close(&s);
}
END_TEST

int main(void)
{
    return RUN_SUITE("time per factor, coverage", 1800, {products_cover, CASES});
}
