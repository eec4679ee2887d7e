/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Tests of samples on manifolds that are R^d by their chart: the same as by fits that know nothing of it. */
#include "stat/mean_support.h"
#include "stat/veiled_source.h"

#include <manistat/sample_test.h>

static const char *const specs[] = {"euclidean:2", "spd:3?metric=log-euclidean",
                                    "spd:3?metric=log-cholesky", "product(euclidean:1,sym:2)"};
enum { SPECS = sizeof specs / sizeof *specs, GROUPS = 3, EACH = 7, N = GROUPS * EACH };

typedef struct data {
    setting s;
    mst_score *veiled;
    double *x;
    size_t group[N], clusters[N];
} data;

static data open_data(const char *spec)
{
    data p = {.s = setting_open(spec)};
    ASSERT_OK(mst_score_new(&p.veiled, &veiled_ops, p.s.m, p.s.exact));
    p.x = draw(&p.s, N, NULL, 0.4, 4);
    double *start = doubles(p.s.D), *last;
    mst_manifold_start(p.s.m, start);
    /* The last group is elsewhere, and wider. */
    memcpy(start, p.x, p.s.D * sizeof *start);
    last = draw(&p.s, EACH, start, 0.9, 5);
    memcpy(p.x + 2 * EACH * p.s.D, last, EACH * p.s.D * sizeof *last);
    for (size_t i = 0; i < N; i++) {
        p.group[i] = i / EACH;
        p.clusters[i] = i / 2 + 100 * (i / EACH);
    }
    free(last);
    free(start);
    return p;
}

static void close_data(data *p)
{
    mst_score_free(p->veiled);
    free(p->x);
    setting_close(&p->s);
}

static void compare(const data *p, const mst_test_options *o, const char *what)
{
    mst_test_result *a, *b;
    const char *spec = mst_manifold_spec(p->s.m);
    ASSERT_OK(mst_sample_test(&a, p->s.exact, N, p->x, GROUPS, p->group, o));
    ASSERT_OK(mst_sample_test(&b, p->veiled, N, p->x, GROUPS, p->group, o));
    ck_assert_msg(a->statistic > 0.1, "%s, %s: %g", spec, what, a->statistic);
    assert_near(a->statistic, b->statistic, 1e-8 * b->statistic, "%s, %s: statistic", spec, what);
    assert_near(a->p_value, b->p_value, 1e-8, "%s, %s: p", spec, what);
    assert_near(a->log_likelihood_null, b->log_likelihood_null, 1e-8, "%s, %s: null", spec, what);
    ck_assert(a->permutations == b->permutations && a->notes == b->notes && a->converged);
    ck_assert((a->common_mean == NULL) == (b->common_mean == NULL));
    for (size_t k = 0; a->common_mean != NULL && k < p->s.D; k++)
        assert_near(a->common_mean[k], b->common_mean[k], 1e-6, "%s, %s: mean", spec, what);
    ck_assert(isnan(a->common_time) == isnan(b->common_time));
    if (!isnan(a->common_time))
        assert_near(a->common_time, b->common_time, 1e-7, "%s, %s: time", spec, what);
    mst_test_result_free(a);
    mst_test_result_free(b);
}

START_TEST(fits_come_to_the_same)
{
    static const char *const names[] = {"means", "times", "both"};
    data p = open_data(specs[_i]);
    mst_test_options o = mst_test_options_default();
    o.threads = 1;
    o.permutations = 50;
    for (int hypothesis = 0; hypothesis < 3; hypothesis++)
        for (int method = 0; method < 2; method++) {
            o.hypothesis = (mst_hypothesis)hypothesis;
            o.method = (mst_test_method)method;
            compare(&p, &o, names[hypothesis]);
        }
    o.hypothesis = MST_EQUAL_MEANS;
    o.clusters = p.clusters;
    compare(&p, &o, "clusters");
    o.clusters = NULL;
    o.time = 0.5;
    compare(&p, &o, "a fixed time");
    close_data(&p);
}
END_TEST

/* Fréchet means: the groups' own errors, clusters, pairs, and a group of one row. */
START_TEST(distances_come_to_the_same)
{
    data p = open_data(specs[_i]);
    mst_score *source, *veiled;
    ASSERT_OK(mst_score_log_new(&source, p.s.m));
    ASSERT_OK(mst_score_new(&veiled, &veiled_ops, p.s.m, source));
    mst_test_options o = mst_test_options_default();
    o.method = MST_TEST_PERMUTATION;
    o.permutations = 50;
    o.threads = 1;
    size_t pairs[N], alone[N];
    for (size_t i = 0; i < N; i++) {
        pairs[i] = i % EACH;
        alone[i] = i < 3 ? i : 2;
    }
    const size_t *const clusters[] = {NULL, p.clusters, pairs, NULL};
    for (size_t k = 0; k < 4; k++) {
        const size_t *group = k < 3 ? p.group : alone;
        mst_test_result *a, *b;
        o.clusters = clusters[k];
        ASSERT_OK(mst_sample_test(&a, source, N, p.x, GROUPS, group, &o));
        ASSERT_OK(mst_sample_test(&b, veiled, N, p.x, GROUPS, group, &o));
        ck_assert_double_gt(a->statistic, 0.1);
        assert_near(a->statistic, b->statistic, 1e-8 * b->statistic, "%zu: statistic", k);
        assert_near(a->p_value, b->p_value, 1e-8, "%zu: p", k);
        ck_assert(a->paired == (k == 2) && b->paired == a->paired && a->notes == b->notes);
        for (size_t i = 0; i < p.s.D; i++)
            assert_near(a->common_mean[i], b->common_mean[i], 1e-6, "%zu: mean", k);
        mst_test_result_free(a);
        mst_test_result_free(b);
    }
    mst_score_free(veiled);
    mst_score_free(source);
    close_data(&p);
}
END_TEST

int main(void)
{
    return RUN_SUITE("sample_test_flat", 120, {fits_come_to_the_same, SPECS},
                     {distances_come_to_the_same, SPECS});
}
