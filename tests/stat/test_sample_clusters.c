/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Tests of samples whose rows come in clusters: whole clusters change groups, or, if each meets several,
 * rows change places within them. */
#include "stat/samples.h"

#include <manistat/sample_test.h>

static mst_test_options options(const size_t *clusters)
{
    mst_test_options o = mst_test_options_default();
    o.method = MST_TEST_PERMUTATION;
    o.clusters = clusters;
    o.threads = 1;
    return o;
}

static mst_test_result *run(const mst_score *source, size_t n, const double *x, size_t groups,
                            const size_t *group, mst_test_options o)
{
    mst_test_result *r;
    ASSERT_OK(mst_sample_test(&r, source, n, x, groups, group, &o));
    return r;
}

static const char *const specs[] = {"euclidean:2", "circle", "sphere:2", "so3"};
enum { SPECS = sizeof specs / sizeof *specs };

/* Rows that are there three times, in clusters, tell no more than those that are there once. */
START_TEST(repeated_rows_are_no_news)
{
    enum { ROWS = 16, TIMES = 3 };
    space s = space_open(specs[_i]);
    double *x = doubles(ROWS * s.D), *many = doubles(TIMES * ROWS * s.D);
    size_t group[ROWS], groups[TIMES * ROWS], cluster[TIMES * ROWS], alone[ROWS];
    clusters_of_rows(&s, 2, ROWS / 2, 0.15, 0.1, 3, x);
    for (size_t i = 0; i < ROWS; i++) {
        group[i] = i < ROWS / 2 + 2;
        alone[i] = 77 - i;
    }
    for (size_t i = 0; i < TIMES * ROWS; i++) {
        memcpy(many + i * s.D, x + i % ROWS * s.D, s.D * sizeof *x);
        groups[i] = group[i % ROWS];
        cluster[i] = 1000 + i % ROWS;
    }
    for (int kind = 0; kind < 2; kind++) {
        const mst_score *source = kind == 0 ? s.log : s.exact;
        mst_test_result *once = run(source, ROWS, x, 2, group, options(NULL));
        mst_test_result *by_rows = run(source, ROWS, x, 2, group, options(alone));
        mst_test_result *thrice = run(source, TIMES * ROWS, many, 2, groups, options(cluster));
        ck_assert(once->clusters == 0 && thrice->clusters == ROWS && !thrice->paired);
        assert_near(by_rows->statistic, once->statistic, 1e-8, "rows as clusters");
        assert_near(thrice->statistic, once->statistic * (kind == 0 ? 1 : TIMES), 1e-6, "clusters");
        /* Clusters are numbered by what they are called: the draws of two runs are others. */
        assert_near(thrice->p_value, once->p_value, 0.09, "p");
        ck_assert_double_eq(thrice->least_p_value, 0.001);
        mst_test_result_free(thrice);
        mst_test_result_free(by_rows);
        mst_test_result_free(once);
    }
    free(many);
    free(x);
    space_close(&s);
}
END_TEST

/* Rows of a cluster that are close together look like news if they are taken for independent. */
START_TEST(close_rows_are_not_independent)
{
    enum { CLUSTERS = 6, EACH = 30, ROWS = CLUSTERS * EACH };
    space s = space_open("sphere:2");
    double x[ROWS * 3], centre[3] = {0, 0, 1}, centres[CLUSTERS * 3];
    size_t group[ROWS], cluster[ROWS];
    brownian_rows(&s, centre, 0.1, CLUSTERS, 9, centres);
    for (size_t k = 0; k < CLUSTERS; k++)
        brownian_rows(&s, centres + 3 * k, 0.002, EACH, 20 + k, x + 3 * k * EACH);
    for (size_t i = 0; i < ROWS; i++) {
        cluster[i] = i / EACH;
        group[i] = i / EACH % 2;
    }
    mst_test_result *naive = run(s.log, ROWS, x, 2, group, options(NULL));
    mst_test_result *aware = run(s.log, ROWS, x, 2, group, options(cluster));
    ck_assert_double_le(naive->p_value, 0.001);
    ck_assert(aware->exhaustive && aware->permutations == 19 && aware->p_value >= 0.1);
    assert_near(aware->least_p_value, 0.1, 1e-12, "three against three");
    ck_assert_uint_eq(aware->notes, MST_TEST_NOTE_TOO_FEW);
    mst_test_result_free(aware);
    mst_test_result_free(naive);
    space_close(&s);
}
END_TEST

/* Pairs on the line: the sum of differences against that of all signs. */
START_TEST(pairs_against_all_signs)
{
    enum { PAIRS = 7 };
    static const double difference[PAIRS] = {0.9, 0.4, -0.2, 1.1, 0.7, -0.1, 0.3};
    space s = space_open("euclidean:1");
    double x[2 * PAIRS], sum = 0, above = 0;
    size_t group[2 * PAIRS], cluster[2 * PAIRS];
    for (size_t k = 0; k < PAIRS; k++) {
        /* Subjects differ by far more than the two of a pair, and stand in any order. */
        size_t first = 2 * (3 * k % PAIRS);
        x[first] = 100 * sin((double)k);
        x[first + 1] = x[first] + difference[k];
        group[first] = 0;
        group[first + 1] = 1;
        cluster[first] = cluster[first + 1] = 50 - k;
        sum += difference[k];
    }
    for (unsigned signs = 0; signs < 1U << PAIRS; signs++) {
        double other = 0;
        for (unsigned k = 0; k < PAIRS; k++)
            other += signs >> k & 1 ? -difference[k] : difference[k];
        above += fabs(other) >= fabs(sum) - 1e-9;
    }
    mst_test_result *r = run(s.log, 2 * PAIRS, x, 2, group, options(cluster));
    ck_assert(r->paired && r->exhaustive && r->clusters == PAIRS);
    ck_assert_uint_eq(r->permutations, (1U << PAIRS) - 1);
    assert_near(r->statistic, sum * sum / (2 * PAIRS), 1e-8, "statistic");
    assert_near(r->p_value, above / (1U << PAIRS), 1e-12, "p");
    assert_near(r->least_p_value, 2.0 / (1U << PAIRS), 1e-12, "least p");
    mst_test_result_free(r);
    /* Not paired, the differences drown in those of the subjects. */
    r = run(s.log, 2 * PAIRS, x, 2, group, options(NULL));
    ck_assert_double_gt(r->p_value, 0.5);
    mst_test_result_free(r);
    space_close(&s);
}
END_TEST

/* A cluster counts once in each group, however often it was measured there. */
START_TEST(repeated_measures_of_pairs)
{
    enum { PAIRS = 6, ROWS = 2 * PAIRS, MORE = ROWS + 2 * PAIRS };
    space s = space_open(specs[_i]);
    double *x = doubles(ROWS * s.D), *more = doubles(MORE * s.D);
    size_t group[MORE], cluster[MORE], at = 0;
    clusters_of_rows(&s, 2, PAIRS, 0.2, 0.05, 33, x);
    for (size_t i = 0; i < ROWS; i++) {
        group[i] = i / PAIRS;
        cluster[i] = i % PAIRS;
    }
    for (int kind = 0; kind < 2; kind++) {
        const mst_score *source = kind == 0 ? s.log : s.exact;
        mst_test_options o = options(cluster);
        mst_test_result *once = run(source, ROWS, x, 2, group, o);
        size_t groups[MORE], clusters[MORE];
        at = 0;
        for (size_t i = 0; i < ROWS; i++)
            for (size_t copy = 0; copy < (i < PAIRS ? 3U : 1U); copy++) {
                memcpy(more + at * s.D, x + i * s.D, s.D * sizeof *x);
                groups[at] = group[i];
                clusters[at++] = cluster[i];
            }
        o.clusters = clusters;
        mst_test_result *thrice = run(source, MORE, more, 2, groups, o);
        ck_assert(once->paired && thrice->paired && thrice->exhaustive);
        assert_near(thrice->statistic, 2 * once->statistic, 1e-6, "as if all were there twice");
        ck_assert_double_eq(thrice->p_value, once->p_value);
        mst_test_result_free(thrice);
        mst_test_result_free(once);
    }
    free(more);
    free(x);
    space_close(&s);
}
END_TEST

/* Three groups in each of five clusters: 6^5 labellings, which are drawn from; and clusters that meet two of
 * three groups. */
START_TEST(blocks_of_three)
{
    enum { BLOCKS = 5, ROWS = 3 * BLOCKS };
    space s = space_open("circle");
    double x[ROWS];
    size_t group[ROWS], cluster[ROWS];
    for (size_t i = 0; i < ROWS; i++) {
        group[i] = i % 3;
        cluster[i] = i / 3;
        x[i] =
            0.3 * sin(1.7 * (double)(i / 3)) + 0.02 * sin(5.0 * (double)i) + 0.1 * (double)(i % 3);
    }
    mst_test_result *r = run(s.log, ROWS, x, 3, group, options(cluster));
    ck_assert(r->paired && !r->exhaustive && r->permutations == 999);
    ck_assert_double_le(r->p_value, 0.01); /* 6 of 7776 are as far apart, and may be drawn */
    mst_test_result_free(r);
    mst_test_options all = options(cluster);
    all.permutations = 7775;
    r = run(s.log, ROWS, x, 3, group, all);
    ck_assert(r->exhaustive && r->permutations == 7775);
    assert_near(r->p_value, 6.0 / 7776, 1e-12, "p");
    mst_test_result_free(r);
    size_t count = 0;
    for (size_t i = 0; i < ROWS; i++)
        if (i % 3 != i / 3 % 3) {
            x[count] = x[i];
            group[count] = group[i];
            cluster[count++] = cluster[i];
        }
    r = run(s.log, count, x, 3, group, options(cluster));
    ck_assert(r->paired && r->exhaustive && r->permutations == 31);
    mst_test_result_free(r);
    space_close(&s);
}
END_TEST

START_TEST(refusals)
{
    space s = space_open("circle");
    double x[6] = {0.1, 0.2, 0.5, 0.3, 0.7, 0.6};
    size_t group[6] = {0, 1, 0, 0, 1, 1}, mixed[6] = {1, 1, 2, 2, 3, 3},
           one[6] = {4, 4, 5, 5, 6, 6};
    mst_test_result *r;
    mst_test_options o = options(mixed);
    ASSERT_FAILS(MST_ARGUMENT, mst_sample_test(&r, s.log, 6, x, 2, group, &o));
    ck_assert_ptr_nonnull(
        strstr(mst_error_detail(), "2 clusters lie in one group and 1 in several"));
    ck_assert_ptr_null(r);
    o = options(one);
    o.method = MST_TEST_LR;
    ASSERT_FAILS(MST_UNABLE, mst_sample_test(&r, s.exact, 6, x, 2, group, &o));
    ck_assert_ptr_nonnull(strstr(mst_error_detail(), "independent"));
    space_close(&s);
}
END_TEST

int main(void)
{
    return RUN_SUITE("sample_clusters", 60, {repeated_rows_are_no_news, SPECS},
                     {close_rows_are_not_independent, 0}, {pairs_against_all_signs, 0},
                     {repeated_measures_of_pairs, SPECS}, {blocks_of_three, 0}, {refusals, 0});
}
