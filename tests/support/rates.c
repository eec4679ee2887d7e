/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

#include "support/rates.h"

#include "support/support.h"

#include <stdatomic.h>
#include <stdio.h>

typedef struct simulation {
    simulated_set f;
    const void *law;
    size_t first;
    atomic_size_t answered, hits, flagged;
} simulation;

static void simulate_set(void *data, size_t set)
{
    simulation *s = data;
    outcome o = s->f(s->law, s->first + set);
    atomic_fetch_add(&s->answered, o.answered);
    atomic_fetch_add(&s->hits, o.answered && o.hit);
    atomic_fetch_add(&s->flagged, o.flagged);
}

rates simulate(simulated_set f, const void *law)
{
    simulation s = {.f = f, .law = law, .first = first_simulated_set()};
    size_t sets = simulated_sets(400);
    each_in_parallel(sets, simulate_set, &s);
    return (rates){sets, atomic_load(&s.answered), atomic_load(&s.hits), atomic_load(&s.flagged)};
}

static void judge(const char *name, rates r, double nominal, bool follows_model)
{
    double answered = (double)r.answered, sets = (double)r.sets;
    double rate = r.answered > 0 ? (double)r.hits / answered : NAN;
    double slack = r.answered > 0 ? fmax(0.03, 3 * sqrt(0.05 * 0.95 / answered)) : 0;
    double flagged = (double)r.flagged / sets;
    printf("%s: %.1f %% of %zu answers (%.0f %% wanted), %zu sets, flagged %.1f %%\n", name,
           100 * rate, r.answered, 100 * nominal, r.sets, 100 * flagged);
    fflush(stdout);
    bool kept = fabs(rate - nominal) <= slack; /* false without any answer */
    if (follows_model) {
        double most = 0.02 + 3 * sqrt(0.02 * 0.98 / sets) * (r.sets < 400);
        ck_assert_msg(kept, "%s: rate %.4f", name, rate);
        ck_assert_msg(flagged <= most, "%s: flagged %.4f", name, flagged);
    } else {
        ck_assert_msg(kept || flagged >= 0.95, "%s: rate %.4f, flagged %.4f", name, rate, flagged);
    }
}

void assert_coverage(const char *name, rates r)
{
    judge(name, r, 0.95, false);
}

void assert_coverage_of_model(const char *name, rates r)
{
    judge(name, r, 0.95, true);
}

void assert_rejections(const char *name, rates r)
{
    judge(name, r, 0.05, false);
}

void assert_rejections_of_model(const char *name, rates r)
{
    judge(name, r, 0.05, true);
}
