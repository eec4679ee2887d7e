/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Two-sample tests, against χ² or against relabelled samples. */
#include "base/options.h"
#include "stat/distributions.h"
#include "stat/rows.h"
#include "stat/two_sample_parts.h"
#include "util/clock.h"

#include <math.h>
#include <string.h>

mst_test_options mst_test_options_default(void)
{
    return (mst_test_options){.size = sizeof(mst_test_options), .permutations = 999, .seed = 2712};
}

/* Rows drawn for one block of permutations are copied into one buffer. */
enum { PERMUTATIONS = 8 };

static mst_status permute_block(void *context, size_t begin, size_t end)
{
    const two_samples *t = context;
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
        status = two_sample_compare(t, x, false, &c);
        /* Ties count, also those that rounding has torn apart. */
        double precision = mst_score_describe(t->source)->precision;
        double slack = fmax(1e-9, precision) * (1 + t->observed) + 1e-12 * fabs(c.separate_value);
        t->exceeds[b] = isinf(c.separate_value) || two_sample_statistic(&c) >= t->observed - slack;
    }
    mst_release(c.memory);
    mst_release(x);
    mst_release(order);
    return status;
}

/* p = (1 + #{T* ≥ T})/(1 + B): the samples as they came are one of the permutations. */
static mst_status permute(two_samples *t, double *p_value)
{
    size_t count = t->o->permutations, above = 0;
    MST_TRY(mst_allocate_zero(&t->exceeds, count));
    two_samples one = *t; /* permutations side by side, each on one thread */
    one.threads = 1;
    mst_status status = mst_parallel_blocks(count, PERMUTATIONS, t->o->threads, t->o->progress,
                                            permute_block, &one);
    for (size_t b = 0; status == MST_OK && b < count; b++)
        above += t->exceeds[b];
    mst_release(t->exceeds);
    *p_value = (1 + (double)above) / (1 + (double)count);
    return status;
}

static mst_status check(const mst_score *source, size_t n1, size_t n2, const mst_test_options *o)
{
    bool timed = mst_score_gives(source, MST_GIVES_TIME);
    if (n1 < 1 || n2 < 1)
        return mst_fail(MST_ARGUMENT, "a sample has no points");
    if (!(o->time >= 0) || !isfinite(o->time))
        return mst_fail(MST_ARGUMENT, "the time must be positive, not %g", o->time);
    if (o->method == MST_TEST_PERMUTATION && o->permutations < 1)
        return mst_fail(MST_ARGUMENT, "there must be at least one permutation");
    MST_TRY(fit_check_time(source, o->time));
    if (!timed && o->method == MST_TEST_LR)
        return mst_fail(MST_UNABLE,
                        "the source \"%s\" has no time and so no likelihood ratio; use "
                        "permutations",
                        mst_score_name(source));
    if (o->hypothesis == MST_EQUAL_TIMES && (!timed || fit_given_time(source, o->time) > 0))
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

/* One mean with error bars. A time that runs to infinity still has a likelihood, one that
 * runs to zero has not. */
static mst_status fit_mean(const two_samples *t, size_t n, const double *x, const char *what,
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
static mst_status fit_pooled(const two_samples *t, double *mean)
{
    mst_mean_result *all;
    MST_TRY(fit_mean(t, t->n[0] + t->n[1], t->x, "both samples", &all));
    memcpy(mean, all->mean, t->D * sizeof *mean);
    mst_mean_result_free(all);
    return MST_OK;
}

/* mst_mean_fit looks from more starts; where it finds more, that counts. */
static void take_better_fits(const two_samples *t, const mst_test_result *r, comparison *c)
{
    double value = r->first->log_likelihood + r->second->log_likelihood;
    if (mst_score_gives(t->source, MST_GIVES_TIME) && value > c->separate_value)
        c->separate_value = value;
}

static void describe(const two_samples *t, const comparison *c, mst_test_result *r)
{
    size_t means = null_means(t), times = null_times(t);
    bool has_time = mst_score_gives(t->source, MST_GIVES_TIME);
    r->statistic = two_sample_statistic(c);
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
    r->end = c->null_end;
    r->seed = t->o->seed;
    r->converged =
        c->null_converged && c->separate_converged && r->first->converged && r->second->converged;
}

static mst_status run(two_samples *t, double *pooled, comparison *c, mst_test_result *r)
{
    bool permuting = t->o->method == MST_TEST_PERMUTATION;
    t->pooled = pooled;
    MST_TRY(fit_mean(t, t->n[0], t->x, "the first sample", &r->first));
    MST_TRY(fit_mean(t, t->n[1], t->x + t->n[0] * t->D, "the second sample", &r->second));
    MST_TRY(fit_pooled(t, pooled));
    MST_TRY(two_sample_compare(t, t->x, !permuting, c));
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
    double begin = mst_clock_seconds();
    mst_test_options o;
    MST_TRY(MST_TAKE_OPTIONS(&o, mst_test_options, options));
    MST_TRY(check(source, n1, n2, &o));
    const mst_manifold *m = mst_score_manifold(source);
    double time = fit_given_time(source, o.time);
    two_samples t = {.source = source,
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
    mst_release(c.memory);
    mst_release(x);
    if (status != MST_OK) {
        mst_test_result_free(r);
        return status;
    }
    r->seconds = mst_clock_seconds() - begin;
    *out = r;
    if (!r->converged)
        return mst_fail(MST_CONVERGENCE, "a fit of the test did not converge: a time runs to "
                                         "infinity or the iterations ran out");
    return MST_OK;
}
