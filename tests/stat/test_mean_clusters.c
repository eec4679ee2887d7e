/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Rows that depend on each other: errors against sums by hand, clusters that are no more than repetitions,
 * names and order that do not matter, what few clusters leave. Coverage is in test_cut_coverage_slow.c. */
#include "stat/mean_support.h"

enum { N = 60, CLUSTERS = 12 };

/* Rows about centres of their own, cluster i % CLUSTERS. */
static double *dependent_rows(const setting *s, size_t *clusters, uint64_t seed)
{
    double *x = draw(s, N, NULL, 0.2, seed), *centres = draw(s, CLUSTERS, NULL, 0.2, seed + 1);
    double *start = doubles(2 * s->D), *v = start + s->D;
    mst_manifold_start(s->m, start);
    for (size_t i = 0; i < N; i++) {
        clusters[i] = i % CLUSTERS;
        ASSERT_OK(mst_manifold_log(s->m, 1, start, x + i * s->D, v, NULL));
        double *c = doubles(s->d);
        ASSERT_OK(mst_manifold_to_frame(s->m, 1, start, v, c));
        ASSERT_OK(mst_manifold_from_frame(s->m, 1, centres + clusters[i] * s->D, c, v));
        ASSERT_OK(mst_manifold_exp(s->m, 1, centres + clusters[i] * s->D, v, x + i * s->D));
        free(c);
    }
    free(centres);
    free(start);
    return x;
}

/* In flat space: G/(G − 1) Σ (Σ_c (x − mean))²/n² for clusters of one size, with Student's quantile. */
START_TEST(clusters_in_closed_form)
{
    setting s = setting_open("euclidean:1");
    size_t clusters[N];
    double *x = dependent_rows(&s, clusters, 21), sums[CLUSTERS] = {0}, mean = 0, want = 0;
    double squares = 0;
    for (size_t i = 0; i < N; i++)
        mean += x[i] / N;
    for (size_t i = 0; i < N; i++) {
        sums[clusters[i]] += x[i] - mean;
        squares += (x[i] - mean) * (x[i] - mean);
    }
    for (size_t c = 0; c < CLUSTERS; c++)
        want += sums[c] * sums[c] * CLUSTERS / (CLUSTERS - 1.0);
    const mst_score *sources[] = {s.exact, s.log};
    for (size_t k = 0; k < 2; k++) {
        mst_mean_options o = mst_mean_options_default();
        o.clusters = clusters;
        mst_mean_result *r = fit(sources[k], N, x, &o);
        ck_assert_int_eq(r->covariance_kind, MST_COVARIANCE_SANDWICH);
        ck_assert_uint_eq(r->clusters, CLUSTERS);
        assert_near(r->covariance[0], want / N / N, 1e-7 * want, "source %zu: variance", k);
        assert_near(r->degrees_of_freedom, CLUSTERS - 1, 1e-9, "degrees of freedom");
        /* Student's 97.5 % quantile with 11 degrees of freedom */
        assert_near(sqrt(r->region_radius2), 2.200985160082949, 1e-9, "radius");
        assert_near(r->effective_n, N * squares / want, 1e-6, "effective n");
        ck_assert(r->effective_n < N / 2);
        if (k == 0)
            assert_near(log(r->time_high / r->time) * r->time / r->time_standard_error,
                        2.200985160082949, 1e-9, "interval");
        mst_mean_result_free(r);
    }
    free(x);
    setting_close(&s);
}
END_TEST

static const char *const specs[] = {"circle", "sphere:2", "so3", "product(sphere:2,euclidean:1)"};
enum { SPECS = sizeof specs / sizeof *specs };

/* Every row five times, as one cluster: the errors are those of the rows, but for their few numbers. */
START_TEST(repetitions_tell_nothing_new)
{
    setting s = setting_open(specs[_i]);
    enum { COPIES = 5 };
    double *x = draw(&s, N, NULL, 0.3, 22), *copies = doubles(COPIES * N * s.D);
    size_t names[COPIES * N];
    for (size_t i = 0; i < COPIES * N; i++) {
        memcpy(copies + i * s.D, x + i % N * s.D, s.D * sizeof *x);
        names[i] = 1000000007 * (i % N);
    }
    const mst_score *sources[] = {s.log, s.exact};
    for (size_t k = 0; k < 2; k++) {
        mst_mean_options o = mst_mean_options_default();
        o.covariance = MST_COVARIANCE_SANDWICH;
        mst_mean_result *plain = fit(sources[k], N, x, &o);
        o.clusters = names;
        mst_mean_result *r = fit(sources[k], COPIES * N, copies, &o);
        double scale = plain->standard_error * plain->standard_error;
        for (size_t a = 0; a < s.d * s.d; a++)
            assert_near(r->covariance[a], plain->covariance[a] * N / (N - 1.0), 1e-5 * scale,
                        "%s: covariance %zu", specs[_i], a);
        assert_near(r->effective_n, N - 1, 1e-4, "%s: effective n", specs[_i]);
        if (k == 1)
            assert_near(r->log_likelihood, COPIES * plain->log_likelihood,
                        1e-9 * fabs(r->log_likelihood), "%s: likelihood", specs[_i]);
        /* A count of five within a cluster is the same. */
        double counts[N];
        size_t own[N];
        for (size_t i = 0; i < N; i++) {
            counts[i] = COPIES;
            own[i] = N - i;
        }
        o.clusters = own;
        o.weights = counts;
        mst_mean_result *counted = fit(sources[k], N, x, &o);
        assert_near(counted->standard_error, r->standard_error, 1e-6 * r->standard_error, "counts");
        assert_near(counted->effective_n, r->effective_n, 1e-4, "counts: effective n");
        mst_mean_result_free(plain);
        mst_mean_result_free(r);
        mst_mean_result_free(counted);
    }
    free(x);
    free(copies);
    setting_close(&s);
}
END_TEST

/* 1000 resamples of whole clusters know a standard deviation to 2.3 %; with twelve clusters the bootstrap is
 * off by more than that, in curved space too. */
START_TEST(bootstrap_draws_clusters)
{
    setting s = setting_open("sphere:2");
    size_t clusters[N];
    double *x = dependent_rows(&s, clusters, 23);
    mst_mean_options o = mst_mean_options_default();
    o.covariance = MST_COVARIANCE_BOOTSTRAP;
    mst_mean_result *alone = fit(s.log, N, x, &o);
    o.clusters = clusters;
    mst_mean_result *together = fit(s.log, N, x, &o);
    o.covariance = MST_COVARIANCE_SANDWICH;
    mst_mean_result *want = fit(s.log, N, x, &o);
    assert_near(together->standard_error, want->standard_error, 0.15 * want->standard_error,
                "bootstrap");
    ck_assert(alone->standard_error < 0.8 * together->standard_error);
    mst_mean_result_free(alone);
    mst_mean_result_free(together);
    mst_mean_result_free(want);
    free(x);
    setting_close(&s);
}
END_TEST

/* Sizes that differ cost degrees of freedom; rows without weight are in no cluster. */
START_TEST(unequal_clusters)
{
    setting s = setting_open("sphere:2");
    size_t clusters[N];
    double *x = dependent_rows(&s, clusters, 24), weights[N];
    mst_mean_options o = mst_mean_options_default();
    o.clusters = clusters;
    for (size_t i = 0; i < N; i++) {
        clusters[i] = i < N / 2 ? 3 : i % CLUSTERS;
        weights[i] = clusters[i] == 7 ? 0 : 1;
    }
    mst_mean_result *r = fit(s.log, N, x, &o);
    ck_assert_uint_eq(r->clusters, CLUSTERS);
    ck_assert(r->degrees_of_freedom < 8 && r->degrees_of_freedom > 1);
    mst_mean_result_free(r);
    o.weights = weights;
    r = fit(s.log, N, x, &o);
    ck_assert_uint_eq(r->clusters, CLUSTERS - 1);
    mst_mean_result_free(r);
    free(x);
    setting_close(&s);
}
END_TEST

/* Rows of a cluster that make up for each other have smaller errors than independent ones, and are worth no
 * more than what they are. */
START_TEST(clusters_are_worth_their_rows_at_most)
{
    setting s = setting_open("euclidean:1");
    size_t clusters[N];
    double x[N];
    for (size_t i = 0; i < N; i++) {
        clusters[i] = i / 2;
        x[i] = (i % 2 == 0 ? 1 : -1) + 0.1 * sin((double)i);
    }
    mst_mean_options o = mst_mean_options_default();
    mst_mean_result *alone = fit(s.log, N, x, &o);
    o.clusters = clusters;
    mst_mean_result *r = fit(s.log, N, x, &o);
    ck_assert(r->standard_error < 0.2 * alone->standard_error);
    ck_assert_double_eq(r->effective_n, N);
    mst_mean_result_free(alone);
    mst_mean_result_free(r);
    setting_close(&s);
}
END_TEST

START_TEST(few_clusters)
{
    setting s = setting_open("sphere:2");
    size_t clusters[N];
    double *x = dependent_rows(&s, clusters, 25);
    mst_mean_options o = mst_mean_options_default();
    o.clusters = clusters;
    mst_mean_result *r = fit(s.log, N, x, &o);
    ck_assert((r->notes & MST_NOTE_FEW_CLUSTERS) == 0 && r->region_kind == MST_REGION_ELLIPSOID);
    mst_mean_result_free(r);
    for (size_t count = 1; count <= 4; count++) {
        for (size_t i = 0; i < N; i++)
            clusters[i] = 10 * (i % count);
        for (size_t k = 0; k < 3; k++) {
            o.covariance = (mst_covariance_kind)k;
            o.resamples = 50;
            r = fit(s.exact, N, x, &o);
            ck_assert_uint_eq(r->clusters, count);
            ck_assert_int_eq(r->no_errors, count == 1 ? MST_ERRORS_TOO_FEW_ROWS : MST_ERRORS_GIVEN);
            ck_assert_int_eq(isfinite(r->standard_error), count > 1);
            /* Two clusters have a spread along one direction only. */
            ck_assert_int_eq(r->region_kind, count > 2 ? MST_REGION_ELLIPSOID : MST_REGION_NONE);
            ck_assert(((r->notes & MST_NOTE_FEW_CLUSTERS) != 0) == (count > 1));
            /* One cluster does not tell how much its rows are worth, nor how sure the time is. */
            ck_assert_int_eq(isnan(r->effective_n), count == 1);
            ck_assert_int_eq(isnan(r->time_low), count == 1);
            mst_mean_result_free(r);
        }
    }
    free(x);
    setting_close(&s);
}
END_TEST

int main(void)
{
    return RUN_SUITE("mean_clusters", 60, {clusters_in_closed_form, 0},
                     {repetitions_tell_nothing_new, SPECS}, {bootstrap_draws_clusters, 0},
                     {unequal_clusters, 0}, {clusters_are_worth_their_rows_at_most, 0},
                     {few_clusters, 0});
}
