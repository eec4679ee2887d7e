/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Permutation tests of columns with refits. What the other columns do not explain of the tested ones changes
 * places, all else stays, and the curve is fitted again: the test is exact if there are no other columns,
 * whatever the law of the points, and the search for the curve may find what it will. */
#include "stat/regress_parts.h"

#include <manistat/random.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

static const uint64_t shuffle_stream = UINT64_C(0x73687566) << 24;

/* Permutations between two looks at the count. */
enum { ROUND = 50 };

typedef struct shuffle {
    const regress_job *j;
    double *explained,
        *rest;      /* (n, k): z = explained + rest, rest 0 in columns that are not tested */
    double *values; /* (ROUND) */
    size_t first;   /* number of the first permutation of this round */
    bool loglinear, likelihood;
} shuffle;

/* What is maximised, at a state. */
static mst_status value_of(const shuffle *s, const regress_job *j, const double *state,
                           double climbed, double *value)
{
    if (s->likelihood) {
        *value = climbed;
        return MST_OK;
    }
    regress_model m = regress_job_model(j, j->k, NULL, s->loglinear);
    double square;
    MST_TRY(regress_square(j, &m, state, &square));
    *value = -square;
    return MST_OK;
}

/* Number of the order as it is. */
static const size_t unchanged = SIZE_MAX;

/* One permutation; INFINITY where there is no fit, which counts against the columns. Climbs end early, that
 * of the unchanged order like the others. */
static mst_status refit(const shuffle *s, size_t number, size_t *order, double *z, double *state,
                        double *value)
{
    regress_job j = *s->j;
    mst_regress_options o = *j.o;
    size_t n = j.n, k = j.k;
    fit_outcome out;
    if (number == unchanged)
        for (size_t i = 0; i < n; i++)
            order[i] = i;
    else
        mst_random_permutation((mst_random){o.seed, shuffle_stream + number}, n, order);
    for (size_t i = 0; i < n; i++)
        for (size_t c = 0; c < k; c++)
            z[i * k + c] = s->explained[i * k + c] + s->rest[order[i] * k + c];
    o.threads = 1;
    o.tolerance = 1e-4;
    o.iterations = 30;
    o.progress = (mst_progress){0};
    j.o = &o;
    j.z = z;
    j.design.z = z;
    j.memory = NULL; /* others climb at the same time */
    *value = INFINITY;
    mst_status status = regress_fit_columns(&j, s->loglinear, state, &out);
    if (status == MST_OK)
        status = value_of(s, &j, state, out.value, value);
    if (status == MST_OK && isnan(*value))
        *value = INFINITY;
    return status == MST_MEMORY || status == MST_INTERRUPTED ? status : MST_OK;
}

static mst_status run_refits(void *context, size_t begin, size_t end)
{
    const shuffle *s = context;
    size_t n = s->j->n, k = s->j->k, *order;
    double *z;
    MST_TRY(mst_allocate(&z, n * k + (1 + k) * s->j->D + 1 + k));
    mst_status status = mst_allocate(&order, n);
    for (size_t b = begin; status == MST_OK && b < end; b++)
        status = refit(s, s->first == unchanged ? unchanged : s->first + b, order, z, z + n * k,
                       &s->values[b]);
    mst_release(order);
    mst_release(z);
    return status;
}

/* explained and rest of the tested columns, by the others and a constant. q: (k + 1, n). */
static void split_columns(const shuffle *s, const unsigned char *marked, double *q)
{
    size_t n = s->j->n, k = s->j->k, found = regress_add_orthonormal(n, NULL, 0, 0, q);
    for (size_t c = 0; c < k; c++)
        if (!marked[c])
            found = regress_add_orthonormal(n, s->j->z + c, k, found, q);
    memset(s->rest, 0, n * k * sizeof *s->rest);
    memcpy(s->explained, s->j->z, n * k * sizeof *s->explained);
    for (size_t c = 0; c < k; c++) {
        if (!marked[c])
            continue;
        for (size_t i = 0; i < n; i++)
            s->explained[i * k + c] = 0;
        for (size_t e = 0; e < found; e++) {
            double along = 0;
            for (size_t i = 0; i < n; i++)
                along += q[e * n + i] * s->j->z[i * k + c];
            for (size_t i = 0; i < n; i++)
                s->explained[i * k + c] += along * q[e * n + i];
        }
        for (size_t i = 0; i < n; i++)
            s->rest[i * k + c] = s->j->z[i * k + c] - s->explained[i * k + c];
    }
}

/* Permutations until all are done, or so many reach the value that the columns explain nothing. */
static mst_status count(shuffle *s, mst_regress_test *test)
{
    s->first = unchanged;
    MST_TRY(run_refits(s, 0, 1));
    double value = s->values[0];
    if (!isfinite(value))
        return MST_OK;
    size_t all = s->j->o->resamples, done = 0, reached = 0;
    size_t enough = all / 20 > 20 ? all / 20 : 20;
    /* Orders that differ in equal rows only are the same but for rounding. */
    double slack = 1e-9 * (1 + fabs(value));
    while (done < all && reached < enough) {
        size_t round = all - done < ROUND ? all - done : ROUND;
        s->first = done;
        MST_TRY(mst_parallel_blocks(round, 1, s->j->o->threads, s->j->o->progress, run_refits, s));
        for (size_t b = 0; b < round; b++)
            reached += s->values[b] >= value - slack;
        done += round;
    }
    test->method = MST_REGRESS_PERMUTATION;
    test->statistic = value;
    test->p_value = (double)(reached + 1) / (double)(done + 1);
    return MST_OK;
}

mst_status regress_shuffle(const regress_job *j, const unsigned char *marked,
                           mst_regress_test *test)
{
    size_t n = j->n, k = j->k;
    shuffle s = {.j = j,
                 .loglinear = j->o->noise == MST_REGRESS_LOGLINEAR,
                 .likelihood = j->timed && mst_score_gives(j->source, MST_GIVES_LOG_P)};
    MST_TRY(mst_allocate(&s.explained, 2 * n * k + ROUND + (k + 1) * n));
    s.rest = s.explained + n * k;
    s.values = s.rest + n * k;
    split_columns(&s, marked, s.values + ROUND);
    mst_status status = count(&s, test);
    mst_release(s.explained);
    return status;
}
