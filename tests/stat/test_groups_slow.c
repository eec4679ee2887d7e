/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* How often tests of samples reject a true hypothesis where the rows are not
 * spread like Brownian motion, and how often mixtures say that components are
 * pieces of a long heap. */
#include "stat/laws.h"
#include "support/rates.h"

#include <manistat/cluster.h>
#include <manistat/sample_test.h>
#include <stdio.h>

/* ---- Tests ---- */

typedef struct test_case {
    const char *spec;
    size_t n[2];
    row_law law[2];
    double apart; /* of the two means */
    mst_hypothesis hypothesis;
    mst_test_method method;
    bool frechet, model; /* model: the rows are spread like Brownian motion */
    const space *s;
} test_case;

static outcome test_set(const void *law, size_t set)
{
    const test_case *c = law;
    const space *s = c->s;
    size_t n = c->n[0] + c->n[1], group[200];
    double *x = doubles(n * s->D), *centre = doubles(s->D);
    for (size_t g = 0, at = 0; g < 2; at += c->n[g++]) {
        mst_random random = {.seed = 31 + g, .stream = set};
        point_along(s, 0, g == 0 ? 0 : c->apart, centre);
        law_rows(s, &c->law[g], centre, c->n[g], random, x + at * s->D);
        for (size_t i = 0; i < c->n[g]; i++)
            group[at + i] = g;
    }
    mst_test_options o = mst_test_options_default();
    o.hypothesis = c->hypothesis;
    o.method = c->method;
    o.permutations = 399;
    o.seed = set;
    o.threads = 1;
    mst_test_result *r = NULL;
    mst_status status = mst_sample_test(&r, c->frechet ? s->log : s->exact, n, x, 2, group, &o);
    outcome out = {0};
    if (r != NULL && status == MST_OK) {
        out.flagged = r->notes != 0;
        /* A p-value that comes with its doubt is not an answer. */
        out.answered = c->method != MST_TEST_LR || !out.flagged;
        out.hit = r->p_value <= 0.05;
    }
    mst_test_result_free(r);
    free(centre);
    free(x);
    return out;
}

#define NORMAL(sd)        \
    {                     \
        LAW_NORMAL, sd, 1 \
    }
#define BOTH(shape, sd, ratio) .law = {{shape, sd, ratio}, {shape, sd, ratio}}
#define TIMES .hypothesis = MST_EQUAL_TIMES, .method = MST_TEST_AUTOMATIC
#define RATIO .hypothesis = MST_EQUAL_TIMES, .method = MST_TEST_LR
#define MEANS .hypothesis = MST_EQUAL_MEANS, .method = MST_TEST_PERMUTATION

static test_case tests[] = {
    {"sphere:2", {20, 20}, BOTH(LAW_NORMAL, 0.3, 1), 1, TIMES, .model = true},
    {"sphere:2", {8, 40}, BOTH(LAW_NORMAL, 0.3, 1), 1, TIMES, .model = true},
    {"sphere:2", {20, 20}, BOTH(LAW_T5, 0.3, 1), 1, TIMES},
    {"sphere:2", {8, 40}, BOTH(LAW_T5, 0.3, 1), 1, TIMES},
    {"sphere:2", {40, 8}, BOTH(LAW_T5, 0.3, 1), 0, TIMES},
    {"sphere:2", {12, 12}, BOTH(LAW_LONG, 0.3, 4), 1, TIMES},
    {"sphere:2", {8, 40}, BOTH(LAW_LONG, 0.3, 4), 1, TIMES},
    {"sphere:2", {25, 25}, BOTH(LAW_OUTLIERS, 0.2, 1), 1, TIMES},
    {"sphere:2", {8, 40}, BOTH(LAW_OUTLIERS, 0.2, 1), 1, TIMES},
    {"so3", {8, 40}, BOTH(LAW_T5, 0.3, 1), 1, TIMES},
    {"euclidean:2", {8, 40}, BOTH(LAW_T5, 0.3, 1), 1, TIMES},
    {"hyperbolic:2", {20, 30}, BOTH(LAW_OUTLIERS, 0.3, 1), 1, TIMES},
    /* Equal variances, but different tails. */
    {"sphere:2", {30, 30}, {{LAW_T5, 0.3, 1}, NORMAL(0.3)}, 1, TIMES},
    {"sphere:2", {20, 20}, {{LAW_LONG, 0.3, 4}, NORMAL(0.3)}, 1, TIMES},
    /* Those whose likelihood ratio says nothing. */
    {"sphere:2", {40, 40}, BOTH(LAW_NORMAL, 0.3, 1), 1, RATIO, .model = true},
    {"sphere:2", {8, 40}, BOTH(LAW_T5, 0.3, 1), 1, RATIO},
    {"sphere:2", {20, 20}, BOTH(LAW_LONG, 0.3, 4), 1, RATIO},
    {"sphere:2", {25, 25}, BOTH(LAW_OUTLIERS, 0.2, 1), 1, RATIO},
    /* Times and means at once. */
    {"sphere:2",
     {8, 40},
     BOTH(LAW_T5, 0.3, 1),
     0,
     .hypothesis = MST_EQUAL_BOTH,
     .method = MST_TEST_AUTOMATIC},
    /* Small samples of unequal spreads. */
    {"sphere:2", {5, 5}, {NORMAL(0.2), NORMAL(0.6)}, 0, MEANS, .frechet = true},
    {"sphere:2", {5, 5}, {NORMAL(0.1), NORMAL(0.5)}, 0, MEANS, .frechet = true},
    {"euclidean:2", {5, 5}, {NORMAL(0.2), NORMAL(0.6)}, 0, MEANS, .frechet = true},
    {"sphere:2", {10, 5}, {NORMAL(0.1), NORMAL(0.5)}, 0, MEANS, .frechet = true},
    {"sphere:2", {5, 5}, BOTH(LAW_NORMAL, 0.3, 1), 0, MEANS, .frechet = true, .model = true},
    {"sphere:2", {5, 5}, {NORMAL(0.2), NORMAL(0.6)}, 0, MEANS},
    {"sphere:2", {5, 5}, {NORMAL(0.1), NORMAL(0.5)}, 0, MEANS},
    {"euclidean:2", {5, 5}, {NORMAL(0.1), NORMAL(0.5)}, 0, MEANS},
    {"sphere:2", {10, 5}, {NORMAL(0.1), NORMAL(0.5)}, 0, MEANS},
    {"sphere:2", {5, 5}, BOTH(LAW_NORMAL, 0.3, 1), 0, MEANS, .model = true},
};
enum { TESTS = sizeof tests / sizeof *tests };

START_TEST(true_hypotheses)
{
    static const char *const shapes[] = {"normal", "t5", "long", "outliers"};
    static const char *const methods[] = {"lr", "permutation", "automatic"};
    static const char *const questions[] = {"means", "times", "both"};
    test_case c = tests[_i];
    space s = space_open(c.spec);
    char name[200];
    c.s = &s;
    snprintf(name, sizeof name, "equal %s by %s%s, %s, %zu %s of sd %g and %zu %s of sd %g",
             questions[c.hypothesis], methods[c.method], c.frechet ? " (frechet)" : "", c.spec,
             c.n[0], shapes[c.law[0].shape], c.law[0].scale, c.n[1], shapes[c.law[1].shape],
             c.law[1].scale);
    if (c.model)
        assert_rejections_of_model(name, simulate(test_set, &c));
    else
        assert_rejections(name, simulate(test_set, &c));
    space_close(&s);
}
END_TEST

/* ---- Mixtures ---- */

/* Heaps of 50 or 100 rows around different points, and up to `most` components
 * to describe them by. */
typedef struct mixture_case {
    const char *spec;
    size_t heaps, each, most;
    row_law law;
    double apart;
    bool chosen; /* of 1 … most components those of least BIC, else `most` */
    const space *s;
} mixture_case;

static outcome mixture_set(const void *law, size_t set)
{
    const mixture_case *c = law;
    const space *s = c->s;
    size_t n = c->heaps * c->each;
    double *x = doubles(n * s->D), *centre = doubles(s->D), bic = INFINITY;
    for (size_t g = 0; g < c->heaps; g++) {
        point_along(s, g / 2, g % 2 == 0 ? c->apart : -c->apart, centre);
        law_rows(s, &c->law, centre, c->each, (mst_random){71 + g, set}, x + g * c->each * s->D);
    }
    outcome out = {0};
    for (size_t k = c->chosen ? 1 : c->most; k <= c->most; k++) {
        mst_mixture_options o = mst_mixture_options_default();
        mst_mixture_result *r;
        o.k = k;
        o.threads = 1;
        mst_status status = mst_mixture_fit(&r, s->exact, n, x, &o);
        if (r == NULL || (status != MST_OK && status != MST_CONVERGENCE))
            abort();
        if (r->bic < bic && !r->degenerate) {
            bic = r->bic;
            out = (outcome){.answered = true, .hit = k == c->heaps, .flagged = r->is_elongated};
        }
        mst_mixture_result_free(r);
    }
    free(centre);
    free(x);
    return out;
}

static const mixture_case mixtures[] = {
    /* long */
    {"sphere:2", 1, 100, 5, {LAW_LONG, 0.3, 3}, 0, .chosen = true},
    {"euclidean:2", 1, 100, 5, {LAW_LONG, 1, 3}, 0, .chosen = true},
    {"so3", 1, 100, 5, {LAW_LONG, 0.3, 3}, 0, .chosen = true},
    {"sphere:2", 2, 100, 6, {LAW_LONG, 0.15, 3}, 0.6, .chosen = true},
    {"sphere:2", 1, 100, 1, {LAW_LONG, 0.3, 3}, 0, .chosen = false},
    {"sphere:2", 2, 60, 2, {LAW_LONG, 0.15, 3}, 0.6, .chosen = false},
    /* round */
    {"sphere:2", 1, 100, 3, {LAW_NORMAL, 0.3, 1}, 0, .chosen = true},
    {"sphere:2", 1, 30, 3, {LAW_NORMAL, 0.3, 1}, 0, .chosen = true},
    {"sphere:2", 2, 50, 4, {LAW_NORMAL, 0.2, 1}, 0.6, .chosen = true},
    {"sphere:2", 2, 50, 4, {LAW_NORMAL, 0.3, 1}, 0.6, .chosen = true},
    {"euclidean:3", 3, 40, 5, {LAW_NORMAL, 0.3, 1}, 1, .chosen = true},
    {"so3", 2, 50, 4, {LAW_NORMAL, 0.3, 1}, 0.6, .chosen = true},
};
enum { MIXTURES = sizeof mixtures / sizeof *mixtures };

START_TEST(long_heaps)
{
    mixture_case c = mixtures[_i];
    space s = space_open(c.spec);
    c.s = &s;
    rates r = simulate(mixture_set, &c);
    double flagged = (double)r.flagged / (double)r.sets;
    printf("%zu heap(s) of %zu on %s, %g : 1, at most %zu components: as many "
           "components in %.1f "
           "%% of %zu sets, "
           "flagged %.1f %%\n",
           c.heaps, c.each, c.spec, c.law.ratio, c.most, 100 * (double)r.hits / (double)r.sets,
           r.sets, 100 * flagged);
    fflush(stdout);
    double slack = r.sets < 400 ? 3 * sqrt(0.02 / (double)r.sets) : 0;
    if (c.law.ratio > 1)
        ck_assert_msg(flagged >= 0.95 - slack, "flagged %.4f", flagged);
    else
        ck_assert_msg(flagged <= 0.02 + slack, "flagged %.4f", flagged);
    space_close(&s);
}
END_TEST

int main(void)
{
    return RUN_SUITE("groups_slow", 1700, {true_hypotheses, TESTS}, {long_heaps, MIXTURES});
}
