/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Labellings of the rows other than the one that came, and how many of them have as large a statistic. */
#include "stat/sample_test_parts.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

mst_status test_arrangement_new(test_arrangement *a, const samples *t)
{
    size_t units = t->units->units, *sizes;
    double *x;
    *a = (test_arrangement){0};
    MST_TRY(mst_allocate(&sizes, 3 * units + 2 * t->groups));
    a->memory[0] = sizes;
    a->sizes = sizes;
    a->at = sizes + t->groups;
    a->ends = a->at + units;
    a->work = a->ends + units;
    MST_TRY(mst_allocate(&x, t->n * (t->D + 2)));
    a->memory[1] = x;
    a->x = x;
    a->standard = x + t->n * t->D;
    a->weights = t->unequal_cells ? a->standard + t->n : NULL;
    for (size_t k = 0; k < units; k++)
        a->at[k] = k;
    return MST_OK;
}

void test_arrangement_free(test_arrangement *a)
{
    mst_release(a->memory[0]);
    mst_release(a->memory[1]);
}

void test_arrange(test_arrangement *a, const samples *t)
{
    const test_units *u = t->units;
    size_t to = 0, D = t->D;
    double typical = (double)u->rows / (double)u->units;
    for (size_t g = 0; g < u->groups; g++) {
        size_t begin = to;
        for (size_t p = u->group_places[g]; p < u->group_places[g + 1]; p++) {
            size_t unit = a->at[u->by_group[p]], end = u->first[unit + 1];
            for (size_t i = u->first[unit]; i < end; i++, to++) {
                memcpy(a->x + to * D, t->x + u->row[i] * D, D * sizeof *a->x);
                if (a->weights != NULL)
                    a->weights[to] = typical / (double)(end - u->first[unit]);
            }
            a->ends[p] = to;
        }
        a->sizes[g] = to - begin;
    }
}

/* Bits of `exceeds`. */
enum { EXCEEDS = 1, FEWER = 2 };

typedef struct permuting {
    const samples *t;
    bool all; /* one after the other instead of at random */
} permuting;

static mst_status permute_some(const permuting *p, size_t begin, size_t end, test_arrangement *a,
                               comparison *c)
{
    const samples *t = p->t;
    for (size_t b = begin; b < end; b++) {
        /* The first of all is the one that came. */
        if (p->all)
            test_units_list(t->units, b + 1, a->at, a->work);
        else
            test_units_draw(t->units, (mst_random){.seed = t->o->seed}, b, a->at, a->work);
        if (t->moved != NULL) {
            double statistic;
            MST_TRY(samples_times_apart(t, a->at, &statistic));
            t->exceeds[b] = statistic >= t->observed * (1 - 1e-9) ? EXCEEDS : 0;
            continue;
        }
        if (t->flat == NULL)
            test_arrange(a, t);
        MST_TRY(t->flat != NULL ? samples_compare_flat(t, a, false, c)
                                : samples_compare(t, a, false, c));
        /* Ties count, also those that rounding has torn apart. */
        double precision = mst_score_describe(t->source)->precision;
        double slack = fmax(1e-9, precision) * (1 + t->observed) + 1e-12 * fabs(c->separate_value);
        test_rank rank = samples_rank(t, c, slack);
        if (isinf(c->separate_value) || rank.p <= t->rank.p * (1 + 1e-9))
            t->exceeds[b] |= EXCEEDS;
        if (rank.freedom <= t->rank.freedom * (1 + 1e-9))
            t->exceeds[b] |= FEWER;
    }
    return MST_OK;
}

static mst_status permute_block(void *context, size_t begin, size_t end)
{
    const permuting *p = context;
    test_arrangement a = {0};
    comparison c = {0};
    mst_status status = test_arrangement_new(&a, p->t);
    if (status == MST_OK)
        status = comparison_new(&c, p->t);
    c.values_only = true;
    if (status == MST_OK)
        status = permute_some(p, begin, end, &a, &c);
    comparison_free(&c);
    test_arrangement_free(&a);
    return status;
}

mst_status samples_count(samples *t, test_count *out)
{
    enum { BLOCK = 8 };
    const test_units *u = t->units;
    size_t count = t->o->permutations;
    *out = (test_count){.all = u->labellings <= (double)count + 1};
    if (out->all)
        count = (size_t)u->labellings - 1;
    samples one = *t; /* labellings side by side, each on one thread */
    one.threads = 1;
    MST_TRY(mst_allocate_zero(&one.exceeds, count + 1));
    permuting p = {.t = &one, .all = out->all};
    mst_status status =
        mst_parallel_blocks(count, BLOCK, t->o->threads, t->o->progress, permute_block, &p);
    for (size_t b = 0; status == MST_OK && b < count; b++) {
        out->above += (one.exceeds[b] & EXCEEDS) != 0;
        out->fewer += (one.exceeds[b] & FEWER) != 0;
    }
    mst_release(one.exceeds);
    out->labellings = count;
    return status;
}

double test_p_value(const test_count *count)
{
    return (1 + (double)count->above) / (1 + (double)count->labellings);
}

mst_status samples_permute(samples *t, mst_test_result *r)
{
    const test_units *u = t->units;
    test_count count;
    MST_TRY(samples_count(t, &count));
    r->exhaustive = count.all;
    r->permutations = count.labellings;
    r->p_value = test_p_value(&count);
    r->p_value_is_floor = count.above == 0 && !count.all;
    /* Rows of unequal spreads cannot be exchanged, and few of them not even about: then the F law is heard
     * as well. It errs on the low side if directions are unequal, so that the larger p-value counts. */
    double fewer = (1 + (double)count.fewer) / (1 + (double)count.labellings);
    if (isfinite(t->rank.freedom) && fewer <= 0.05 && r->p_value < t->rank.p) {
        r->p_value = t->rank.p;
        r->p_value_is_floor = false;
    }
    r->least_p_value = fmax(1 / (1 + (double)count.labellings), u->alike / u->labellings);
    if (r->least_p_value > 0.05)
        r->notes |= MST_TEST_NOTE_TOO_FEW;
    return MST_OK;
}
