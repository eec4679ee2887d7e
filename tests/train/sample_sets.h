/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Drawing samples for tests. */
#ifndef TEST_SAMPLE_SETS_H
#define TEST_SAMPLE_SETS_H

#include "support/support.h"
#include "train/samples_parts.h"

#include <stdlib.h>

typedef struct sample_set {
    mst_manifold *m;
    sample_plan *plan;
    size_t n, rows, D; /* paths, samples, ambient dimension */
    sample_rows at;
} sample_set;

static inline sample_options sample_test_options(void)
{
    return (sample_options){.kind = SAMPLE_BEL,
                            .t_min = 0.02,
                            .t_max = 1,
                            .steps = 32,
                            .slots = 4,
                            .seed = 20,
                            .spread = 0.3};
}

/* A plan; `sweep` sends every factor through the generic sweep. */
static inline sample_set sample_set_plan(const char *spec, bool sweep, const sample_options *o)
{
    sample_set s = {0};
    ASSERT_OK(mst_manifold_parse(&s.m, spec));
    ASSERT_OK(sample_plan_new(&s.plan, s.m, o));
    for (size_t k = 0; sweep && k < s.plan->factors; k++) {
        s.plan->factor[k].run = sample_sweep;
        ASSERT_OK(sample_sweep_tune(s.plan, &s.plan->factor[k]));
    }
    s.D = mst_manifold_ambient(s.m);
    return s;
}

static inline void sample_set_free_rows(sample_set *s)
{
    double *rows[] = {s->at.x,        s->at.y,    s->at.t,       s->at.target, s->at.time_target,
                      s->at.previous, s->at.step, s->at.arrived, s->at.h};
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
        free(rows[k]);
    s->at = (sample_rows){0};
}

/* Room for the samples of n paths, and paths first … first+n−1 in it. */
static inline void sample_set_draw(sample_set *s, uint64_t first, size_t n)
{
    sample_set_free_rows(s);
    s->n = n;
    s->rows = n * s->plan->options.slots;
    s->at = (sample_rows){
        .x = doubles(s->rows * s->D), .y = doubles(s->rows * s->D), .t = doubles(s->rows)};
    if (s->plan->options.kind == SAMPLE_BEL) {
        s->at.target = doubles(s->rows * s->D);
        s->at.time_target = doubles(s->rows);
    } else {
        s->at.previous = doubles(s->rows * s->D);
        s->at.step = doubles(s->rows * s->D);
        s->at.arrived = doubles(s->rows * s->D);
        s->at.h = doubles(s->rows);
    }
    ASSERT_OK(sample_draw(s->plan, first, n, &s->at));
}

static inline void sample_set_free(sample_set *s)
{
    sample_set_free_rows(s);
    sample_plan_free(s->plan);
    mst_manifold_free(s->m);
}

#endif
