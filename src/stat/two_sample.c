/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Two fits against a common one. The hypothesis says which of mean and time the two groups of a fit_problem share. */
#include "base/options.h"
#include "stat/cluster_parts.h"
#include "stat/distributions.h"
#include "stat/fit.h"
#include "stat/mean_parts.h"
#include "stat/rows.h"

#include <manistat/two_sample.h>
#include <math.h>
#include <string.h>

mst_test_options mst_test_options_default(void)
{
    return (mst_test_options){.size = sizeof(mst_test_options), .permutations = 999, .seed = 2712};
}

/* Rows drawn for one block of permutations are copied into one buffer. */
enum { PERMUTATIONS = 8 };

typedef struct test {
    const mst_score *source;
    const mst_manifold *m;
    const mst_test_options *o;
    size_t n[2], d, D;
    const double *x;      /* both samples, one after the other */
    const double *pooled; /* (D): the mean of all rows */
    bool time_is_free;
    double time; /* the fixed one, else 0 */
    int threads;
    double observed;        /* statistic of the samples as they came */
    unsigned char *exceeds; /* (permutations) */
} test;

/* The fits of one split of the rows. States are means (2, D), then times (2); what is shared stands first. */
typedef struct comparison {
    double null_value, separate_value;
    double *null, *separate, *trial;
    bool null_converged, separate_converged;
    double *block;
} comparison;

static mst_status comparison_new(comparison *c, size_t D)
{
    size_t size = 2 * D + 2;
    *c = (comparison){0};
    MST_TRY(mst_allocate_zero(&c->block, 3 * size));
    c->null = c->block;
    c->separate = c->null + size;
    c->trial = c->separate + size;
    return MST_OK;
}

static size_t null_means(const test *t)
{
    return t->o->hypothesis == MST_EQUAL_TIMES ? 2 : 1;
}

static size_t null_times(const test *t)
{
    return t->o->hypothesis == MST_EQUAL_MEANS ? 2 : 1;
}

/* Σ dist²/(n d) about `mean`, the time of flat space; the fixed one if there is one. */
static mst_status first_time(const test *t, const fit_group *g, const double *mean, double *time)
{
    *time = t->time;
    if (!t->time_is_free)
        return MST_OK;
    MST_TRY(mean_squared_distance(t->m, g->n, g->x, NULL, mean, t->threads, time));
    *time = fit_clamp_time(t->source, *time / (double)t->d);
    return MST_OK;
}

static mst_status climb(const test *t, size_t groups, const fit_group *group, size_t means,
                        size_t times, double *mean, double *time, fit_outcome *out)
{
    fit_problem problem = {.source = t->source,
                           .groups = groups,
                           .group = group,
                           .means = means,
                           .times = times,
                           .time_is_free = t->time_is_free,
                           .threads = t->threads};
    /* The value is second order in the gradient: 1e-8 leaves 1e-16 per row. */
    fit_options options = {
        .method = MST_MEAN_NEWTON, .tolerance = 1e-8, .rate = 0.1, .iterations = 100};
    MST_TRY(fit_climb(&problem, &(fit_state){mean, time}, &options, out));
    out->converged |= out->limit == MST_TIME_INFINITY;
    return MST_OK;
}

/* One group from the start in `mean`; *value is INFINITY where all its points are one and the time is free. */
static mst_status fit_one(const test *t, const fit_group *g, double *mean, double *time,
                          double *value, bool *converged)
{
    fit_group alone = *g;
    alone.mean = alone.time = 0;
    fit_outcome outcome;
    if (!(*time >= 1e-29) && t->time_is_free) {
        *value = INFINITY;
        return MST_OK;
    }
    MST_TRY(climb(t, 1, &alone, 1, 1, mean, time, &outcome));
    *value = outcome.value;
    *converged &= outcome.converged;
    return MST_OK;
}

/* Both groups by themselves, each from the mean of its coordinates, or where that has no direction from the pooled
 * mean. */
static mst_status fit_separate(const test *t, const fit_group *group, comparison *c)
{
    c->separate_value = 0;
    for (size_t s = 0; s < 2; s++) {
        double *mean = c->separate + s * t->D, *time = c->separate + 2 * t->D + s, value;
        mst_status status = mean_extrinsic(t->m, group[s].n, group[s].x, NULL, mean);
        if (status == MST_DOMAIN)
            memcpy(mean, t->pooled, t->D * sizeof *mean);
        else
            MST_TRY(status);
        MST_TRY(first_time(t, &group[s], mean, time));
        MST_TRY(fit_one(t, &group[s], mean, time, &value, &c->separate_converged));
        c->separate_value += value;
    }
    return MST_OK;
}

/* The common fit from one mean (null: each group from its own), kept if it is the best so far. */
static mst_status try_null(const test *t, const fit_group *group, const double *start,
                           comparison *c)
{
    size_t size = 2 * t->D + 2, means = null_means(t), times = null_times(t);
    double *time = c->trial + means * t->D, each[2];
    for (size_t s = 0; s < 2; s++) {
        const double *mean = start != NULL ? start : c->separate + s * t->D;
        if (s < means)
            memcpy(c->trial + s * t->D, mean, t->D * sizeof *mean);
        MST_TRY(first_time(t, &group[s], mean, &each[s]));
    }
    double n1 = (double)t->n[0], n2 = (double)t->n[1];
    if (times == 1)
        each[0] = (n1 * each[0] + n2 * each[1]) / (n1 + n2);
    memcpy(time, each, times * sizeof *time);
    fit_outcome outcome;
    MST_TRY(climb(t, 2, group, means, times, c->trial, time, &outcome));
    if (outcome.value > c->null_value) {
        c->null_value = outcome.value;
        memcpy(c->null, c->trial, size * sizeof *c->null);
        c->null_converged = outcome.converged;
    }
    return MST_OK;
}

/* Without log p only the difference of the two is known: from the common state to the separate one of each group. */
static mst_status compare_by_gradients(const test *t, const fit_group *group, comparison *c)
{
    if (mst_score_gives(t->source, MST_GIVES_LOG_P))
        return MST_OK;
    c->null_value = c->separate_value = 0;
    for (size_t s = 0; s < 2; s++) {
        fit_group alone = {.n = group[s].n, .first = group[s].first, .x = group[s].x};
        fit_problem problem = {.source = t->source,
                               .groups = 1,
                               .group = &alone,
                               .means = 1,
                               .times = 1,
                               .time_is_free = t->time_is_free,
                               .threads = t->threads};
        fit_state common = {c->null + group[s].mean * t->D,
                            c->null + null_means(t) * t->D + group[s].time},
                  own = {c->separate + s * t->D, c->separate + 2 * t->D + s};
        double difference, variation;
        MST_TRY(fit_difference(&problem, &common, &own, &difference, &variation));
        c->separate_value += difference;
    }
    return MST_OK;
}

/* The fits of a split, as a function of its rows and of nothing else but the pooled mean, which no split changes: that
 * makes the permutation test exact. With `thorough` the common fit starts at the separate means as well. */
static mst_status compare(const test *t, const double *x, bool thorough, comparison *c)
{
    size_t means = null_means(t), times = null_times(t);
    fit_group group[2] = {{.n = t->n[0], .x = x},
                          {.n = t->n[1],
                           .first = t->n[0],
                           .x = x + t->n[0] * t->D,
                           .mean = means - 1,
                           .time = times - 1}};
    c->null_converged = c->separate_converged = true;
    c->null_value = -INFINITY;
    MST_TRY(fit_separate(t, group, c));
    if (isinf(c->separate_value))
        return MST_OK;
    MST_TRY(try_null(t, group, means == 2 ? NULL : t->pooled, c));
    /* Which start led highest is for log p to tell. */
    thorough = thorough && mst_score_gives(t->source, MST_GIVES_LOG_P);
    for (size_t s = 0; thorough && means == 1 && s < 2; s++)
        MST_TRY(try_null(t, group, c->separate + s * t->D, c));
    MST_TRY(compare_by_gradients(t, group, c));
    if (c->null_value <= c->separate_value)
        return MST_OK;
    /* The separate fits missed their maxima: they do at least as well from the common one. */
    c->separate_value = 0;
    c->separate_converged = true;
    for (size_t s = 0; s < 2; s++) {
        double value, *mean = c->separate + s * t->D, *time = c->separate + 2 * t->D + s;
        memcpy(mean, c->null + group[s].mean * t->D, t->D * sizeof *mean);
        *time = c->null[means * t->D + group[s].time];
        MST_TRY(fit_one(t, &group[s], mean, time, &value, &c->separate_converged));
        c->separate_value += value;
    }
    return compare_by_gradients(t, group, c);
}

static double statistic_of(const comparison *c)
{
    return fmax(0, 2 * (c->separate_value - c->null_value));
}

/* ---- Permutations ---- */

static mst_status permute_block(void *context, size_t begin, size_t end)
{
    const test *t = context;
    size_t n = t->n[0] + t->n[1], *order;
    double *x;
    comparison c;
    MST_TRY(mst_allocate(&order, n));
    mst_status status = mst_allocate(&x, n * t->D);
    if (status == MST_OK)
        status = comparison_new(&c, t->D);
    if (status != MST_OK) {
        mst_release(x);
        mst_release(order);
        return status;
    }
    for (size_t b = begin; status == MST_OK && b < end; b++) {
        mst_random_permutation((mst_random){t->o->seed, b}, n, order);
        for (size_t i = 0; i < n; i++)
            memcpy(x + i * t->D, t->x + order[i] * t->D, t->D * sizeof *x);
        status = compare(t, x, false, &c);
        /* Ties count, also those that rounding has torn apart. */
        double precision = mst_score_describe(t->source)->precision;
        double slack = fmax(1e-9, precision) * (1 + t->observed) + 1e-12 * fabs(c.separate_value);
        t->exceeds[b] = isinf(c.separate_value) || statistic_of(&c) >= t->observed - slack;
    }
    mst_release(c.block);
    mst_release(x);
    mst_release(order);
    return status;
}

/* p = (1 + #{T* ≥ T})/(1 + B): the samples as they came are one of the permutations. */
static mst_status permute(test *t, double *p_value)
{
    size_t count = t->o->permutations, above = 0;
    MST_TRY(mst_allocate_zero(&t->exceeds, count));
    test one = *t; /* permutations side by side, each on one thread */
    one.threads = 1;
    mst_status status = mst_parallel_blocks(count, PERMUTATIONS, t->o->threads, t->o->progress,
                                            permute_block, &one);
    for (size_t b = 0; status == MST_OK && b < count; b++)
        above += t->exceeds[b];
    mst_release(t->exceeds);
    *p_value = (1 + (double)above) / (1 + (double)count);
    return status;
}

/* ---- The whole test ---- */

static mst_status check(const mst_score *source, size_t n1, size_t n2, const mst_test_options *o)
{
    if (n1 < 1 || n2 < 1)
        return mst_fail(MST_ARGUMENT, "a sample has no points");
    if (!(o->time >= 0) || !isfinite(o->time))
        return mst_fail(MST_ARGUMENT, "the time must be positive, not %g", o->time);
    if (o->method == MST_TEST_PERMUTATION && o->permutations < 1)
        return mst_fail(MST_ARGUMENT, "there must be at least one permutation");
    MST_TRY(fit_check_time(source, o->time));
    if (!mst_score_gives(source, MST_GIVES_TIME) && o->method == MST_TEST_LR)
        return mst_fail(MST_UNABLE,
                        "the source \"%s\" has no time and so no likelihood ratio; use "
                        "permutations",
                        mst_score_name(source));
    if (o->hypothesis == MST_EQUAL_TIMES &&
        (!mst_score_gives(source, MST_GIVES_TIME) || fit_given_time(source, o->time) > 0))
        return mst_fail(MST_ARGUMENT, "equal times can be tested only where times are fitted");
    return MST_OK;
}

void mst_test_result_free(mst_test_result *r)
{
    if (r == NULL)
        return;
    mst_mean_result_free(r->first);
    mst_mean_result_free(r->second);
    mst_release(r->common_mean);
    mst_release(r);
}

/* One mean with error bars. A time that runs to infinity still has a likelihood, one that runs to zero has not. */
static mst_status fit_mean(const test *t, size_t n, const double *x, const char *what,
                           mst_mean_result **out)
{
    mst_mean_options o = mst_mean_options_default();
    o.time = t->o->time;
    o.seed = t->o->seed;
    o.threads = t->o->threads;
    mst_status status = mst_mean_fit(out, t->source, n, x, &o);
    if (*out == NULL)
        return status;
    if ((*out)->time_limit != MST_TIME_ZERO)
        return MST_OK;
    mst_mean_result_free(*out);
    *out = NULL;
    return mst_fail(MST_DOMAIN,
                    "%s: all the points are one, so that no time fits and nothing can be compared; "
                    "fix the time",
                    what);
}

/* The fit of all rows is wanted for its mean only: a start. */
static mst_status fit_pooled(const test *t, double *mean)
{
    mst_mean_result *all;
    MST_TRY(fit_mean(t, t->n[0] + t->n[1], t->x, "both samples", &all));
    memcpy(mean, all->mean, t->D * sizeof *mean);
    mst_mean_result_free(all);
    return MST_OK;
}

/* mst_mean_fit looks from more starts; where it finds more, that counts. */
static void take_better_fits(const test *t, const mst_test_result *r, comparison *c)
{
    double value = r->first->log_likelihood + r->second->log_likelihood;
    if (mst_score_gives(t->source, MST_GIVES_TIME) && value > c->separate_value)
        c->separate_value = value;
}

static void describe(const test *t, const comparison *c, mst_test_result *r)
{
    size_t means = null_means(t), times = null_times(t);
    bool has_time = mst_score_gives(t->source, MST_GIVES_TIME);
    r->statistic = statistic_of(c);
    r->degrees_of_freedom = r->common_time = r->log_likelihood_null =
        r->log_likelihood_alternative = NAN;
    if (has_time) {
        r->degrees_of_freedom =
            (means == 1 ? (double)t->d : 0) + (times == 1 && t->time_is_free ? 1 : 0);
    }
    if (has_time && mst_score_gives(t->source, MST_GIVES_LOG_P)) {
        r->log_likelihood_null = c->null_value;
        r->log_likelihood_alternative = c->separate_value;
    }
    if (has_time && (times == 1 || !t->time_is_free))
        r->common_time = c->null[means * t->D];
    if (means == 1)
        memcpy(r->common_mean, c->null, t->D * sizeof *c->null);
    r->converged =
        c->null_converged && c->separate_converged && r->first->converged && r->second->converged;
}

static mst_status run(test *t, double *pooled, comparison *c, mst_test_result *r)
{
    bool permuting = t->o->method == MST_TEST_PERMUTATION;
    t->pooled = pooled;
    MST_TRY(fit_mean(t, t->n[0], t->x, "the first sample", &r->first));
    MST_TRY(fit_mean(t, t->n[1], t->x + t->n[0] * t->D, "the second sample", &r->second));
    MST_TRY(fit_pooled(t, pooled));
    MST_TRY(compare(t, t->x, !permuting, c));
    if (!permuting)
        take_better_fits(t, r, c);
    if (null_means(t) == 1)
        MST_TRY(mst_allocate(&r->common_mean, t->D));
    describe(t, c, r);
    t->observed = r->statistic;
    if (permuting) {
        MST_TRY(permute(t, &r->p_value));
        r->permutations = t->o->permutations;
    } else {
        r->p_value = mst_chi_square_survival(r->statistic, r->degrees_of_freedom);
    }
    return MST_OK;
}

mst_status mst_two_sample_test(mst_test_result **out, const mst_score *source, size_t n1,
                               const double *x1, size_t n2, const double *x2,
                               const mst_test_options *options)
{
    *out = NULL;
    double begin = rows_clock();
    mst_test_options o;
    MST_TRY(MST_TAKE_OPTIONS(&o, mst_test_options, options));
    MST_TRY(check(source, n1, n2, &o));
    const mst_manifold *m = mst_score_manifold(source);
    double time = fit_given_time(source, o.time);
    test t = {.source = source,
              .m = m,
              .o = &o,
              .n = {n1, n2},
              .d = mst_manifold_dim(m),
              .D = mst_manifold_ambient(m),
              .time_is_free = mst_score_gives(source, MST_GIVES_TIME) && time == 0,
              .time = time,
              .threads = o.threads};
    double *x;
    comparison c = {0};
    mst_test_result *r = NULL;
    MST_TRY(mst_allocate(&x, (n1 + n2 + 1) * t.D));
    memcpy(x, x1, n1 * t.D * sizeof *x);
    memcpy(x + n1 * t.D, x2, n2 * t.D * sizeof *x);
    t.x = x;
    mst_status status = comparison_new(&c, t.D);
    if (status == MST_OK)
        status = mst_allocate_zero(&r, 1);
    if (status == MST_OK)
        status = run(&t, x + (n1 + n2) * t.D, &c, r);
    mst_release(c.block);
    mst_release(x);
    if (status != MST_OK) {
        mst_test_result_free(r);
        return status;
    }
    r->seconds = rows_clock() - begin;
    *out = r;
    if (!r->converged)
        return mst_fail(MST_CONVERGENCE, "a fit of the test did not converge: a time runs to "
                                         "infinity or the iterations ran out");
    return MST_OK;
}
