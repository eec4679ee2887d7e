/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* How often rows that are spread like Brownian motion are said not to be, and how often rows that are not
 * are found out, over 2000 simulated sets. Two tests at 0.5 % each make false alarms in 1 % of the sets at
 * most, of which the binomial standard deviation is 0.22 %: the limit of 2 % is four of it away. */
#include "stat/mean_support.h"

#include <stdatomic.h>
#include <stdio.h>

typedef struct alarm_case {
    const char *spec;
    double time;
    size_t n;
    bool tails; /* every tenth row from five times as far */
} alarm_case;

static const alarm_case cases[] = {
    {"euclidean:3", 0.5, 20, false},   {"euclidean:3", 0.5, 300, false},
    {"euclidean:30", 0.5, 20, false},  {"circle", 0.5, 100, false},
    {"circle", 2, 1000, false},        {"torus:2", 0.5, 500, false},
    {"sphere:2", 0.3, 20, false},      {"sphere:2", 0.5, 300, false},
    {"sphere:10", 0.1, 50, false},     {"sphere:10", 0.5, 300, false},
    {"so3", 0.3, 20, false},           {"so3", 1, 500, false},
    {"hyperbolic:2", 0.5, 300, false}, {"hyperbolic:2", 2, 300, false},
    {"spd:2", 0.4, 300, false},        {"product(sphere:2,euclidean:1)", 0.3, 200, false},
    {"sphere:2", 0.02, 100, true},     {"euclidean:3", 0.02, 100, true},
    {"so3", 0.02, 100, true},
};
enum { CASES = sizeof cases / sizeof *cases };

static unsigned notes_of_set(const setting *s, const alarm_case *c, size_t k)
{
    double *x = draw(s, c->n, NULL, c->time, 1 + 2 * k);
    if (c->tails) {
        double *far = draw(s, c->n / 10, NULL, 25 * c->time, 2 + 2 * k);
        memcpy(x, far, c->n / 10 * s->D * sizeof *x);
        free(far);
    }
    mst_mean_options o = mst_mean_options_default();
    mst_mean_result *r = NULL;
    o.threads = 1;
    o.starts = 1;
    if (mst_mean_fit(&r, s->exact, c->n, x, &o) != MST_OK)
        abort();
    unsigned notes = r->notes;
    mst_mean_result_free(r);
    free(x);
    return notes;
}

typedef struct alarm_job {
    const setting *s;
    const alarm_case *c;
    atomic_size_t noted;
} alarm_job;

static void look_at_set(void *data, size_t k)
{
    alarm_job *j = data;
    atomic_fetch_add(&j->noted, (notes_of_set(j->s, j->c, k) & MST_NOTE_MODEL) != 0);
}

START_TEST(rows_are_called_what_they_are)
{
    const alarm_case *c = &cases[_i];
    setting s = setting_open(c->spec);
    size_t sets = simulated_sets(2000);
    alarm_job j = {.s = &s, .c = c};
    each_in_parallel(sets, look_at_set, &j);
    double rate = (double)atomic_load(&j.noted) / (double)sets;
    printf("%-30s t %-4g n %-4zu%s: noted in %.2f +- %.2f %%\n", c->spec, c->time, c->n,
           c->tails ? " with tails" : "", 100 * rate, 100 * sqrt(rate * (1 - rate) / (double)sets));
    fflush(stdout);
    if (c->tails)
        ck_assert_msg(rate > 0.95, "%s: noted in %g", c->spec, rate);
    else
        ck_assert_msg(rate <= 0.02, "%s: noted in %g", c->spec, rate);
    setting_close(&s);
}
END_TEST

int main(void)
{
    return RUN_SUITE("model of means, alarms", 1700, {rows_are_called_what_they_are, CASES});
}
