/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Tests of several samples, against χ² or against relabelled samples. */
#include "base/options.h"
#include "stat/distributions.h"
#include "stat/rows.h"
#include "stat/sample_test_parts.h"
#include "util/clock.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

mst_test_options mst_test_options_default(void)
{
    return (mst_test_options){.size = sizeof(mst_test_options),
                              .method = MST_TEST_AUTOMATIC,
                              .permutations = 999,
                              .seed = 2712};
}

/* ---- Arguments ---- */

static mst_status check_groups(size_t n, size_t groups, const size_t *group)
{
    unsigned char *seen;
    size_t found = 0;
    mst_status status = MST_OK;
    if (groups < 2)
        return mst_fail(MST_ARGUMENT, "a test needs at least two samples");
    MST_TRY(mst_allocate_zero(&seen, groups));
    for (size_t i = 0; i < n && status == MST_OK; i++) {
        if (group[i] >= groups) {
            status = mst_fail(MST_ARGUMENT, "row %zu is of group %zu of %zu", i, group[i], groups);
        } else {
            found += seen[group[i]] == 0;
            seen[group[i]] = 1;
        }
    }
    mst_release(seen);
    if (status == MST_OK && found < groups)
        return mst_fail(MST_ARGUMENT, "a sample has no points");
    return status;
}

static mst_status check_options(const mst_score *source, const mst_test_options *o)
{
    bool timed = mst_score_gives(source, MST_GIVES_TIME);
    if (!(o->time >= 0) || !isfinite(o->time))
        return mst_fail(MST_ARGUMENT, "the time must be positive, not %g", o->time);
    if (o->method != MST_TEST_LR && o->permutations < 1)
        return mst_fail(MST_ARGUMENT, "there must be at least one permutation");
    MST_TRY(fit_check_time(source, o->time));
    if (!timed && o->method == MST_TEST_LR)
        return mst_fail(MST_UNABLE,
                        "the source \"%s\" has no time and so no likelihood ratio; use "
                        "permutations",
                        mst_score_name(source));
    if (o->clusters != NULL && o->method == MST_TEST_LR)
        return mst_fail(MST_UNABLE, "the likelihood ratio takes rows for independent, which those "
                                    "of a cluster are not; use permutations");
    if (o->hypothesis == MST_EQUAL_TIMES && (!timed || fit_given_time(source, o->time) > 0))
        return mst_fail(MST_ARGUMENT, "equal times can be tested only where times are fitted");
    return MST_OK;
}

/* ---- The fits of the samples as they came ---- */

void mst_test_result_free(mst_test_result *r)
{
    if (r == NULL)
        return;
    for (size_t g = 0; r->fits != NULL && g < r->groups; g++)
        mst_mean_result_free(r->fits[g]);
    mst_release(r->fits);
    mst_release(r->common_mean);
    mst_release(r);
}

/* Which rows to fit a mean to, with what goes along. */
typedef struct rows_to_fit {
    size_t n;
    const double *x, *weights;
    const size_t *clusters;
} rows_to_fit;

/* One mean with error bars. A time that runs to infinity still has a likelihood, one that runs to zero has
 * not. */
static mst_status fit_mean(const samples *t, const rows_to_fit *rows, const char *what,
                           mst_mean_result **out)
{
    mst_mean_options o = mst_mean_options_default();
    o.time = t->o->time;
    o.seed = t->o->seed;
    o.threads = t->o->threads;
    o.weights = rows->weights;
    o.clusters = rows->clusters;
    mst_status status = mst_mean_fit(out, t->source, rows->n, rows->x, &o);
    if (*out == NULL)
        return mst_fail(status, "%s: %s", what, mst_error_detail());
    if ((*out)->time_limit != MST_TIME_ZERO)
        return MST_OK;
    mst_mean_result_free(*out);
    *out = NULL;
    return mst_fail(MST_DOMAIN,
                    "%s: all the points are one, so that no time fits and nothing can be compared; "
                    "fix the time",
                    what);
}

/* Each group; a unit is what a cluster has in a group. */
static mst_status fit_groups(const samples *t, const test_arrangement *a, mst_test_result *r)
{
    const test_units *u = t->units;
    size_t *cluster = NULL, first = 0;
    mst_status status = MST_OK;
    if (u->clusters > 0)
        status = mst_allocate(&cluster, t->n);
    for (size_t p = 0, i = 0; status == MST_OK && cluster != NULL && p < u->units; p++)
        for (; i < a->ends[p]; i++)
            cluster[i] = p;
    for (size_t g = 0; g < t->groups && status == MST_OK; first += a->sizes[g], g++) {
        char what[64];
        snprintf(what, sizeof what, "sample %zu of %zu", g + 1, t->groups);
        rows_to_fit rows = {.n = a->sizes[g],
                            .x = a->x + first * t->D,
                            .weights = a->weights != NULL ? a->weights + first : NULL,
                            .clusters = cluster != NULL ? cluster + first : NULL};
        status = fit_mean(t, &rows, what, &r->fits[g]);
    }
    mst_release(cluster);
    return status;
}

/* The fit of all rows is wanted for its mean only, a start, and for how far they scatter. */
static mst_status fit_pooled(samples *t, const test_arrangement *a, double *mean)
{
    mst_mean_result *all;
    rows_to_fit rows = {.n = t->n, .x = a->x, .weights = a->weights};
    MST_TRY(fit_mean(t, &rows, "all samples together", &all));
    memcpy(mean, all->mean, t->D * sizeof *mean);
    mst_mean_result_free(all);
    t->pooled = mean;
    fit_rows every = {.n = t->n, .x = a->x};
    return t->standardised ? samples_scatter(t, &every, mean, 1, NULL, &t->pooled_square) : MST_OK;
}

/* ---- The result ---- */

/* mst_mean_fit looks from more starts; where it finds more, that counts. */
static void take_better_fits(const samples *t, const mst_test_result *r, comparison *c)
{
    double value = 0;
    for (size_t g = 0; g < t->groups; g++)
        value += r->fits[g]->log_likelihood;
    if (t->timed && value > c->separate_value)
        c->separate_value = value;
}

static void describe(const samples *t, const comparison *c, mst_test_result *r)
{
    size_t means = null_means(t), times = null_times(t);
    double others = (double)t->groups - 1;
    r->statistic = samples_statistic(c);
    r->degrees_of_freedom = r->common_time = r->log_likelihood_null =
        r->log_likelihood_alternative = r->least_p_value = NAN;
    if (t->timed) {
        r->degrees_of_freedom =
            others * ((means == 1 ? (double)t->d : 0) + (times == 1 && t->time_is_free ? 1 : 0));
    }
    if (t->timed && mst_score_gives(t->source, MST_GIVES_LOG_P)) {
        r->log_likelihood_null = c->null_value;
        r->log_likelihood_alternative = c->separate_value;
    }
    if (t->timed && (times == 1 || !t->time_is_free))
        r->common_time = c->null[means * t->D];
    if (means == 1)
        memcpy(r->common_mean, c->null, t->D * sizeof *c->null);
    r->end = c->null_end;
    r->seed = t->o->seed;
    r->clusters = t->units->clusters;
    r->paired = t->units->paired;
    r->converged = c->null_converged && c->separate_converged;
    for (size_t g = 0; g < t->groups; g++)
        r->converged = r->converged && r->fits[g]->converged;
}

/* The method of the options, or what is best instead of MST_TEST_AUTOMATIC. */
static mst_status choose_method(const samples *t, mst_test_method *method)
{
    *method = t->o->method;
    if (t->o->method == MST_TEST_LR && !samples_have_law(t))
        return mst_fail(MST_UNABLE,
                        "%zu rows are too few for the likelihood ratio of %zu samples in %zu "
                        "dimensions: its chi-squared law has more degrees of freedom than rows "
                        "less samples; use permutations",
                        t->n, t->groups, t->d);
    if (t->o->method == MST_TEST_AUTOMATIC) {
        bool law = t->timed && t->o->clusters == NULL && t->o->hypothesis == MST_EQUAL_MEANS &&
                   samples_have_law(t);
        *method = law ? MST_TEST_LR : MST_TEST_PERMUTATION;
    }
    return MST_OK;
}

/* The law of times depends on tails that small samples hardly show. So permutations must not contradict a
 * p-value below 0.05; above 0.06 they do. */
static mst_status doubt_times(samples *t, mst_test_result *r)
{
    test_count count;
    MST_TRY(samples_count(t, &count));
    if (test_p_value(&count) > 0.06)
        r->notes |= MST_TEST_NOTE_MODEL;
    return MST_OK;
}

static mst_status find_p_value(samples *t, const test_arrangement *a, const comparison *c,
                               double **moved, mst_test_result *r)
{
    bool permuting = r->method == MST_TEST_PERMUTATION;
    t->observed = r->statistic;
    t->rank = samples_rank(t, c, 0);
    if (samples_can_move(t, c))
        MST_TRY(samples_move(t, a, c, moved));
    if (permuting) {
        r->statistic = t->observed;
        return samples_permute(t, r);
    }
    r->p_value = mst_chi_square_survival(r->statistic, r->degrees_of_freedom);
    MST_TRY(samples_judge_law(t, c, &r->notes));
    return t->moved != NULL && r->p_value <= 0.05 ? doubt_times(t, r) : MST_OK;
}

static mst_status decide(samples *t, test_arrangement *a, comparison *c, mst_test_result *r)
{
    double *moved = NULL;
    MST_TRY(choose_method(t, &r->method));
    bool permuting = r->method == MST_TEST_PERMUTATION;
    MST_TRY(samples_compare(t, a, !permuting, c));
    if (!permuting)
        take_better_fits(t, r, c);
    describe(t, c, r);
    mst_status status = find_p_value(t, a, c, &moved, r);
    mst_release(moved);
    return status;
}

static mst_status run(samples *t, test_arrangement *a, double *pooled, comparison *c,
                      mst_test_result *r)
{
    r->groups = t->groups;
    MST_TRY(mst_allocate_zero(&r->fits, t->groups));
    if (null_means(t) == 1)
        MST_TRY(mst_allocate(&r->common_mean, t->D));
    test_arrange(a, t);
    MST_TRY(fit_groups(t, a, r));
    MST_TRY(fit_pooled(t, a, pooled));
    double *coordinates;
    mst_status status = samples_unroll(t, &coordinates);
    if (status == MST_OK)
        status = decide(t, a, c, r);
    t->flat = NULL;
    mst_release(coordinates);
    return status;
}

/* Does every group have units enough to know its own scatter? */
static bool scatter_is_known(const test_units *u)
{
    bool known = true;
    for (size_t g = 0; g < u->groups; g++)
        known = known && u->group_places[g + 1] - u->group_places[g] > 1;
    return known;
}

static bool cells_differ(const test_units *u)
{
    bool differ = false;
    for (size_t k = 1; k < u->units; k++)
        differ = differ || u->first[k + 1] - u->first[k] != u->first[1];
    return u->paired && differ;
}

static mst_status test_samples(mst_test_result **out, const mst_score *source, const double *x,
                               const test_units *u, const mst_test_options *o)
{
    const mst_manifold *m = mst_score_manifold(source);
    bool timed = mst_score_gives(source, MST_GIVES_TIME);
    double time = timed ? fit_given_time(source, o->time) : 1;
    samples t = {.source = source,
                 .m = m,
                 .o = o,
                 .units = u,
                 .groups = u->groups,
                 .n = u->rows,
                 .d = mst_manifold_dim(m),
                 .D = mst_manifold_ambient(m),
                 .x = x,
                 .timed = timed,
                 .time_is_free = timed && time == 0,
                 .unequal_cells = cells_differ(u),
                 .standardised = !timed && !u->paired && scatter_is_known(u),
                 .time = time,
                 .threads = o->threads};
    double *pooled;
    test_arrangement a = {0};
    comparison c = {0};
    mst_test_result *r = NULL;
    MST_TRY(mst_allocate(&pooled, t.D));
    mst_status status = test_arrangement_new(&a, &t);
    if (status == MST_OK)
        status = comparison_new(&c, &t);
    if (status == MST_OK)
        status = mst_allocate_zero(&r, 1);
    if (status == MST_OK)
        status = run(&t, &a, pooled, &c, r);
    comparison_free(&c);
    test_arrangement_free(&a);
    mst_release(pooled);
    if (status != MST_OK)
        mst_test_result_free(r);
    else
        *out = r;
    return status;
}

/* names (n) of rows that were written down several times, a name for copies in one group: equal rows of
 * different groups are no pairs. Null where there are none. */
static mst_status take_copies(size_t n, size_t D, const double *x, size_t groups,
                              const size_t *group, size_t **names)
{
    double *own = NULL;
    size_t *row = NULL;
    *names = NULL;
    mst_status status = mst_allocate(&own, n * D);
    if (status == MST_OK)
        status = mst_allocate(&row, n);
    for (size_t g = 0; status == MST_OK && g < groups; g++) {
        size_t count = 0, *first, different;
        for (size_t i = 0; i < n; i++)
            if (group[i] == g) {
                memcpy(own + count * D, x + i * D, D * sizeof *x);
                row[count++] = i;
            }
        status = rows_copies(count, D, own, &first, &different);
        if (status == MST_OK && first != NULL && *names == NULL) {
            status = mst_allocate(names, n);
            for (size_t i = 0; status == MST_OK && i < n; i++)
                (*names)[i] = i;
        }
        for (size_t k = 0; status == MST_OK && first != NULL && k < count; k++)
            (*names)[row[k]] = row[first[k]];
        mst_release(first);
    }
    mst_release(row);
    mst_release(own);
    return status;
}

mst_status mst_sample_test(mst_test_result **out, const mst_score *source, size_t n,
                           const double *x, size_t groups, const size_t *group,
                           const mst_test_options *options)
{
    *out = NULL;
    double begin = mst_clock_seconds();
    mst_test_options o;
    test_units units;
    MST_TRY(MST_TAKE_OPTIONS(&o, mst_test_options, options));
    MST_TRY(check_options(source, &o));
    MST_TRY(check_groups(n, groups, group));
    MST_TRY(rows_check(mst_score_manifold(source), n, x, NULL));
    MST_TRY(mst_score_prepare(source, n, x));
    size_t *copies = NULL;
    if (o.clusters == NULL)
        MST_TRY(take_copies(n, mst_manifold_ambient(mst_score_manifold(source)), x, groups, group,
                            &copies));
    /* The likelihood ratio, where it was asked for, takes copies for independent, and the note says so. */
    if (o.method != MST_TEST_LR && copies != NULL)
        o.clusters = copies;
    mst_test_result *r = NULL;
    mst_status status = test_units_new(&units, n, groups, group, o.clusters);
    if (status == MST_OK)
        status = test_samples(&r, source, x, &units, &o);
    test_units_free(&units);
    bool copied = copies != NULL;
    mst_release(copies);
    if (status != MST_OK)
        return status;
    if (copied)
        r->notes |= MST_TEST_NOTE_COPIES;
    r->seconds = mst_clock_seconds() - begin;
    *out = r;
    if (!r->converged)
        return mst_fail(MST_CONVERGENCE, "a fit of the test did not converge: a time runs to "
                                         "infinity or the iterations ran out");
    return MST_OK;
}
