/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* How often regions of means and intervals of times hold the truth where rows are repeated, have unequal
 * weights, or are not spread like Brownian motion. */
#include "stat/laws.h"
#include "support/rates.h"

#include <manistat/mean.h>
#include <manistat/sample_test.h>
#include <stdio.h>

enum { MOST_ROWS = 600 };

typedef enum row_worth {
    WORTH_ONE,
    TWICE_OR_SO,   /* rows are written down one to three times */
    SOME_FIVE,     /* 30 % of them are, five times */
    FAR_WEIGH_TEN, /* relative weights: ten for the half that is far from the centre, else one */
    ONE_WEIGHS_N,  /* relative weights: n for the first row, else one */
    /* relative weights that have nothing to do with the rows */
    EXPONENTIAL,
    UNEVEN, /* from 0 to 1 */
} row_worth;

typedef struct law_case {
    const char *spec;
    size_t n; /* different rows */
    row_law law;
    row_worth worth;
    bool frechet;
    mst_covariance_kind covariance;
    bool per_factor;
    bool follows; /* the model: few are flagged */
    const space *s;
    double time; /* the maximiser under the law, where times are judged */
} law_case;

/* Rows and their weights, relative ones; how many rows there are. */
static size_t rows_of(const law_case *c, size_t set, double *x, double *weights)
{
    const space *s = c->s;
    double *centre = doubles(s->D), *all = doubles(c->n * s->D), u[MOST_ROWS], distance[MOST_ROWS];
    size_t n = 0;
    mst_manifold_start(s->m, centre);
    law_rows(s, &c->law, centre, c->n, (mst_random){.seed = 77, .stream = set}, all);
    mst_random_uniforms((mst_random){.seed = 78, .stream = set}, 0, c->n, u);
    for (size_t i = 0; i < c->n; i++) {
        size_t times = c->worth == TWICE_OR_SO               ? 1 + (size_t)(3 * u[i])
                       : c->worth == SOME_FIVE && u[i] < 0.3 ? 5
                                                             : 1;
        for (size_t k = 0; k < times; k++)
            memcpy(x + n++ * s->D, all + i * s->D, s->D * sizeof *x);
        ASSERT_OK(mst_manifold_dist(s->m, 1, centre, all + i * s->D, &distance[i]));
    }
    for (size_t i = 0; i < c->n; i++) {
        size_t nearer = 0;
        for (size_t k = 0; k < c->n; k++)
            nearer += distance[k] < distance[i];
        weights[i] = c->worth == FAR_WEIGH_TEN  ? (2 * nearer >= c->n ? 10 : 1)
                     : c->worth == ONE_WEIGHS_N ? (i == 0 ? (double)c->n : 1)
                     : c->worth == EXPONENTIAL  ? -log(1 - u[i])
                     : c->worth == UNEVEN       ? u[i]
                                                : 1;
    }
    free(centre), free(all);
    return n;
}

static mst_mean_options options_of(const law_case *c, const double *weights)
{
    mst_mean_options o = mst_mean_options_default();
    o.threads = 1;
    o.covariance = c->covariance;
    o.time_per_factor = c->per_factor;
    if (c->worth >= FAR_WEIGH_TEN) {
        o.weights = weights;
        o.weights_are = MST_WEIGHTS_RELATIVE;
    }
    return o;
}

/* Notes that say that something is wrong with the data. */
static const unsigned flags = MST_NOTE_MODEL | MST_NOTE_FEW_WEIGHTS | MST_NOTE_FAR_ROWS;

static outcome region_of_set(const void *law, size_t set)
{
    const law_case *c = law;
    const space *s = c->s;
    double *x = doubles(5 * c->n * s->D), weights[MOST_ROWS], *truth = doubles(s->D);
    size_t n = rows_of(c, set, x, weights);
    mst_mean_options o = options_of(c, weights);
    mst_mean_result *r = NULL;
    outcome out = {0};
    mst_manifold_start(s->m, truth);
    if (mst_mean_fit(&r, c->frechet ? s->log : s->exact, n, x, &o) == MST_OK) {
        out.answered = r->region_kind != MST_REGION_NONE;
        out.flagged = (r->notes & flags) != 0 || !out.answered;
        if (out.answered)
            ASSERT_OK(mst_mean_region_holds(&out.hit, r, c->frechet ? s->log : s->exact, n, x, &o,
                                            truth));
    }
    mst_mean_result_free(r);
    free(x), free(truth);
    return out;
}

static outcome time_of_set(const void *law, size_t set)
{
    const law_case *c = law;
    const space *s = c->s;
    double *x = doubles(5 * c->n * s->D), weights[MOST_ROWS];
    size_t n = rows_of(c, set, x, weights);
    mst_mean_options o = options_of(c, weights);
    mst_mean_result *r = NULL;
    outcome out = {0};
    if (mst_mean_fit(&r, s->exact, n, x, &o) == MST_OK) {
        out.answered = !isnan(r->time_low);
        out.flagged = (r->notes & flags) != 0 || !out.answered;
        out.hit = r->time_low <= c->time && c->time <= r->time_high;
    }
    mst_mean_result_free(r);
    free(x);
    return out;
}

/* The time that the law has: from 40000 rows, in flat space from its variance. */
static double time_of_law(const law_case *c)
{
    enum { MANY = 40000 };
    const space *s = c->s;
    if (strncmp(c->spec, "euclidean", 9) == 0)
        return c->law.scale * c->law.scale;
    double *x = doubles(MANY * s->D), *centre = doubles(s->D), time;
    mst_mean_options o = mst_mean_options_default();
    mst_mean_result *r = NULL;
    o.starts = 1;
    mst_manifold_start(s->m, centre);
    law_rows(s, &c->law, centre, MANY, (mst_random){.seed = 79}, x);
    ASSERT_OK(mst_mean_fit(&r, s->exact, MANY, x, &o));
    time = r->time;
    mst_mean_result_free(r);
    free(x), free(centre);
    return time;
}

static void name_case(const law_case *c, const char *what, char name[120])
{
    static const char *const shapes[] = {"normal", "t5", "long", "t3", "skew", "outliers"};
    static const char *const worths[] = {"",
                                         ", 1-3 times",
                                         ", 30 % five times",
                                         ", far * 10",
                                         ", one weighs n",
                                         ", exponential weights",
                                         ", uneven weights"};
    static const char *const kinds[] = {"observed", "sandwich", "bootstrap"};
    snprintf(name, 120, "%s of %s%s, %zu rows %s %g%s%s, %s", what, c->spec,
             c->frechet ? " (Frechet)" : "", c->n, shapes[c->law.shape], c->law.ratio,
             worths[c->worth], c->per_factor ? ", times" : "", kinds[c->covariance]);
}

static void count_regions(law_case c)
{
    char name[120];
    space s = space_open(c.spec);
    c.s = &s;
    name_case(&c, "region", name);
    rates r = simulate(region_of_set, &c);
    if (c.follows)
        assert_coverage_of_model(name, r);
    else
        assert_coverage(name, r);
    space_close(&s);
}

static void count_intervals(law_case c)
{
    char name[120];
    space s = space_open(c.spec);
    c.s = &s;
    c.time = time_of_law(&c);
    name_case(&c, "time", name);
    rates r = simulate(time_of_set, &c);
    if (c.follows)
        assert_coverage_of_model(name, r);
    else
        assert_coverage(name, r);
    space_close(&s);
}

#define OBSERVED .covariance = MST_COVARIANCE_OBSERVED
#define SANDWICH .covariance = MST_COVARIANCE_SANDWICH
#define FOLLOWS .follows = true
#define NORMAL(sd) .law = {LAW_NORMAL, sd, 1}

/* ---- Rows that were written down several times ---- */

static const law_case copied[] = {
    {"sphere:2", 16, NORMAL(0.3), TWICE_OR_SO, OBSERVED, FOLLOWS},
    {"sphere:2", 40, NORMAL(0.3), TWICE_OR_SO, OBSERVED, FOLLOWS},
    {"sphere:2", 100, NORMAL(0.3), TWICE_OR_SO, OBSERVED, FOLLOWS},
    {"sphere:2", 40, NORMAL(0.3), TWICE_OR_SO, SANDWICH, FOLLOWS},
    {"sphere:2", 40, NORMAL(0.3), TWICE_OR_SO, OBSERVED, FOLLOWS, .frechet = true},
    {"so3", 100, NORMAL(0.3), TWICE_OR_SO, OBSERVED, FOLLOWS},
    {"euclidean:1", 16, NORMAL(0.3), TWICE_OR_SO, OBSERVED, FOLLOWS},
    {"sphere:2", 50, NORMAL(0.3), SOME_FIVE, OBSERVED, FOLLOWS},
    {"product(sphere:2,euclidean:1)", 40, NORMAL(0.3), TWICE_OR_SO, OBSERVED, FOLLOWS},
    {"product(sphere:2,euclidean:1)", 40, NORMAL(0.3), TWICE_OR_SO, OBSERVED, FOLLOWS,
     .per_factor = true},
};

START_TEST(regions_of_copied_rows)
{
    count_regions(copied[_i]);
}
END_TEST

/* ---- And tests of two samples of them ---- */

static outcome copied_samples(const void *law, size_t set)
{
    const law_case *c = law;
    const space *s = c->s;
    double *x = doubles(10 * c->n * s->D), weights[MOST_ROWS];
    size_t group[MOST_ROWS], first = rows_of(c, 2 * set, x, weights);
    size_t n = first + rows_of(c, 2 * set + 1, x + first * s->D, weights);
    for (size_t i = 0; i < n; i++)
        group[i] = i >= first;
    mst_test_options o = mst_test_options_default();
    mst_test_result *r = NULL;
    o.permutations = 199;
    o.seed = set;
    o.threads = 1;
    outcome out = {0};
    if (mst_sample_test(&r, c->frechet ? s->log : s->exact, n, x, 2, group, &o) == MST_OK) {
        out.answered = true;
        out.hit = r->p_value <= 0.05;
        out.flagged = (r->notes & ~(unsigned)MST_TEST_NOTE_COPIES) != 0;
    }
    mst_test_result_free(r);
    free(x);
    return out;
}

START_TEST(tests_of_copied_rows)
{
    law_case c = copied[_i == 0 ? 0 : 4];
    char name[120];
    space s = space_open(c.spec);
    c.s = &s;
    name_case(&c, "test", name);
    assert_rejections_of_model(name, simulate(copied_samples, &c));
    space_close(&s);
}
END_TEST

/* ---- Weights ---- */

static const law_case weighted[] = {
    {"euclidean:2", 10, NORMAL(0.3), FAR_WEIGH_TEN, OBSERVED},
    {"euclidean:2", 10, NORMAL(0.3), FAR_WEIGH_TEN, SANDWICH},
    {"euclidean:2", 20, NORMAL(0.3), FAR_WEIGH_TEN, SANDWICH},
    {"euclidean:1", 10, NORMAL(0.3), FAR_WEIGH_TEN, SANDWICH},
    {"sphere:2", 10, NORMAL(0.3), FAR_WEIGH_TEN, SANDWICH},
    {"sphere:2", 20, NORMAL(0.3), FAR_WEIGH_TEN, SANDWICH},
    {"sphere:2", 20, NORMAL(0.3), FAR_WEIGH_TEN, OBSERVED},
    {"sphere:2", 20, NORMAL(0.3), FAR_WEIGH_TEN, OBSERVED, .frechet = true},
    {"sphere:2", 100, NORMAL(0.3), FAR_WEIGH_TEN, OBSERVED},
    {"so3", 20, NORMAL(0.3), ONE_WEIGHS_N, OBSERVED},
    {"so3", 20, NORMAL(0.3), ONE_WEIGHS_N, SANDWICH},
    {"so3", 40, NORMAL(0.3), ONE_WEIGHS_N, OBSERVED},
    {"so3", 40, NORMAL(0.3), ONE_WEIGHS_N, OBSERVED, .frechet = true},
    {"so3", 40, NORMAL(0.3), ONE_WEIGHS_N, SANDWICH},
    {"sphere:2", 20, NORMAL(0.3), EXPONENTIAL, OBSERVED},
    {"sphere:2", 20, NORMAL(0.3), EXPONENTIAL, SANDWICH},
    {"so3", 40, NORMAL(0.3), EXPONENTIAL, OBSERVED},
    {"sphere:2", 20, NORMAL(0.3), UNEVEN, OBSERVED, FOLLOWS},
    {"sphere:2", 20, NORMAL(0.3), UNEVEN, SANDWICH, FOLLOWS},
    {"sphere:2", 20, NORMAL(0.3), UNEVEN, OBSERVED, FOLLOWS, .frechet = true},
    {"so3", 40, NORMAL(0.3), UNEVEN, SANDWICH, FOLLOWS},
};

START_TEST(regions_of_weighted_rows)
{
    count_regions(weighted[_i]);
}
END_TEST

/* ---- Times ---- */

static const law_case timed[] = {
    {"sphere:2", 12, NORMAL(0.3), OBSERVED, FOLLOWS},
    {"sphere:2", 12, NORMAL(0.3), SANDWICH, FOLLOWS},
    {"euclidean:2", 10, NORMAL(0.3), OBSERVED, FOLLOWS},
    {"euclidean:2", 10, NORMAL(0.3), SANDWICH, FOLLOWS},
    {"euclidean:1", 30, NORMAL(0.3), SANDWICH, FOLLOWS},
    {"so3", 30, NORMAL(0.3), SANDWICH, FOLLOWS},
    {"so3", 30, NORMAL(0.3), OBSERVED, FOLLOWS},
    {"sphere:2", 30, NORMAL(0.3), SANDWICH, FOLLOWS},
    {"sphere:2", 100, NORMAL(0.3), SANDWICH, FOLLOWS},
    {"sphere:2", 30, .law = {LAW_T3, 0.2, 1}, SANDWICH},
    {"sphere:2", 100, .law = {LAW_T3, 0.2, 1}, SANDWICH},
    {"euclidean:2", 30, .law = {LAW_T3, 0.2, 1}, SANDWICH},
    {"sphere:2", 30, .law = {LAW_OUTLIERS, 0.2, 1}, SANDWICH},
    {"sphere:2", 100, .law = {LAW_OUTLIERS, 0.2, 1}, SANDWICH},
    {"euclidean:2", 30, .law = {LAW_OUTLIERS, 0.2, 1}, SANDWICH},
    {"euclidean:2", 100, .law = {LAW_OUTLIERS, 0.2, 1}, SANDWICH},
    {"euclidean:2", 400, .law = {LAW_OUTLIERS, 0.2, 1}, SANDWICH},
    {"sphere:2", 12, .law = {LAW_LONG, 0.3, 3}, OBSERVED},
    {"sphere:2", 20, .law = {LAW_LONG, 0.3, 3}, OBSERVED},
    {"sphere:2", 10, .law = {LAW_LONG, 0.3, 8}, OBSERVED},
    {"euclidean:2", 12, .law = {LAW_LONG, 0.3, 3}, OBSERVED},
    {"euclidean:2", 10, .law = {LAW_LONG, 0.3, 8}, OBSERVED},
};

START_TEST(intervals_of_times)
{
    count_intervals(timed[_i]);
}
END_TEST

/* ---- Few rows of laws that are not round ---- */

static const law_case unlike[] = {
    {"sphere:2", 10, .law = {LAW_LONG, 0.3, 8}, OBSERVED},
    {"sphere:2", 20, .law = {LAW_LONG, 0.3, 3}, OBSERVED},
    {"sphere:2", 10, .law = {LAW_SKEW, 0.1, 1}, OBSERVED, .frechet = true},
    {"sphere:2", 30, .law = {LAW_SKEW, 0.1, 1}, OBSERVED, .frechet = true},
    {"sphere:2", 5, NORMAL(0.1), OBSERVED, FOLLOWS, .frechet = true},
    {"sphere:2", 10, NORMAL(0.1), OBSERVED, FOLLOWS, .frechet = true},
    {"sphere:2", 30, NORMAL(0.1), OBSERVED, FOLLOWS, .frechet = true},
    {"sphere:2", 5, NORMAL(0.1), OBSERVED, FOLLOWS},
    {"product(euclidean:1,euclidean:1)", 5, .law = {LAW_LONG, 0.2236, 3}, OBSERVED},
    {"product(circle,euclidean:1)", 5, .law = {LAW_LONG, 0.2236, 3}, OBSERVED},
    {"product(euclidean:1,sphere:2)", 5, .law = {LAW_LONG, 0.2, 3}, OBSERVED},
    {"product(euclidean:1,euclidean:1)", 5, NORMAL(0.2), OBSERVED, FOLLOWS},
    {"product(euclidean:1,sphere:2)", 5, NORMAL(0.2), OBSERVED, FOLLOWS},
};

START_TEST(regions_of_few_rows)
{
    count_regions(unlike[_i]);
}
END_TEST

int main(void)
{
    return RUN_SUITE(
        "laws of means", 1800, {regions_of_copied_rows, sizeof copied / sizeof *copied},
        {tests_of_copied_rows, 2}, {regions_of_weighted_rows, sizeof weighted / sizeof *weighted},
        {intervals_of_times, sizeof timed / sizeof *timed},
        {regions_of_few_rows, sizeof unlike / sizeof *unlike});
}
