/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Estimators on a manifold whose logarithm and distance always fail: what they find is what they find on the
 * sphere that it is in secret. */
#include "stat/distances.h"
#include "stat/mean_support.h"
#include "stat/two_samples.h"
#include "support/mute_sphere.h"

#include <manistat/cluster.h>
#include <math.h>

enum { N = 60 };

typedef struct pair {
    setting sphere;
    mst_manifold *m;
    mst_score *source, *scores; /* with log p and without */
} pair;

static pair pair_open(void)
{
    pair p = {.sphere = setting_open("sphere:2")};
    ASSERT_OK(mute_sphere_new(&p.m));
    ASSERT_OK(mute_score_new(&p.source, p.m, true));
    ASSERT_OK(mute_score_new(&p.scores, p.m, false));
    return p;
}

static void pair_close(pair *p)
{
    mst_score_free(p->scores);
    mst_score_free(p->source);
    mst_manifold_free(p->m);
    setting_close(&p->sphere);
}

/* Chords tell near from far and are distances when they are short. */
START_TEST(chords_are_short_distances)
{
    pair p = pair_open();
    const double pole[] = {0, 0, 1};
    double r, chord, before = 0;
    for (double angle = 1e-6; angle < 3.1; angle *= 1.5) {
        const double x[] = {sin(angle), 0, cos(angle)};
        ASSERT_OK(chords_to(p.m, 1, x, pole, &chord));
        assert_near(chord, 2 * sin(angle / 2), 1e-12, "chord at %g", angle);
        ck_assert(chord > before);
        before = chord;
    }
    const double far[] = {0, 0, -1};
    ASSERT_OK(chords_to(p.m, 1, far, pole, &chord));
    assert_near(chord, 2, 1e-12, "antipode");
    ck_assert_int_eq(mst_manifold_dist(p.m, 1, far, pole, &r), MST_UNABLE);
    ASSERT_OK(distance_about(p.m, far, pole, &r));
    assert_near(r, 2, 1e-12, "about");
    ASSERT_OK(distance_about(p.sphere.m, far, pole, &r));
    assert_near(r, acos(-1), 1e-12, "where there is a distance");
    pair_close(&p);
}
END_TEST

START_TEST(means_have_error_bars)
{
    pair p = pair_open();
    double *x = draw(&p.sphere, N, NULL, 0.3, 7);
    for (mst_covariance_kind kind = MST_COVARIANCE_OBSERVED; kind <= MST_COVARIANCE_BOOTSTRAP;
         kind++) {
        mst_mean_options o = mst_mean_options_default();
        o.covariance = kind;
        o.resamples = 200;
        mst_mean_result *want = fit(p.sphere.exact, N, x, &o);
        mst_mean_result *found = fit(p.source, N, x, &o);
        assert_near(gap(&p.sphere, found->mean, want->mean), 0, 1e-9, "mean");
        assert_near(found->time, want->time, 1e-9, "time");
        /* The bootstrap has tangent parts of chords for logarithms, which are shorter by r³/6, r ≈ 0.2. */
        double tolerance = kind == MST_COVARIANCE_BOOTSTRAP ? 2e-2 : 1e-6;
        assert_near(found->standard_error, want->standard_error, tolerance * want->standard_error,
                    "standard error, kind %d", (int)kind);
        assert_near(found->time_standard_error, want->time_standard_error,
                    1e-6 * want->time_standard_error, "of the time, kind %d", (int)kind);
        ck_assert(found->set_size == 1 && found->end == MST_FIT_SETTLED);
        ck_assert(isnan(found->variance) && !isnan(want->variance));
        ck_assert_int_eq(found->covariance_kind, kind);
        mst_mean_result_free(found);
        mst_mean_result_free(want);
    }
    free(x);
    pair_close(&p);
}
END_TEST

/* Rows around the equator, a little north of it and more of them on one side: a maximum on either side of it,
 * which are no antipodes, and the northern one is the mean. Without log p they are compared along a way, here
 * a projected chord. */
START_TEST(maxima_are_compared)
{
    pair p = pair_open();
    double x[N * 3];
    const double latitude = 0.02, south[] = {0, 0, -1};
    for (size_t i = 0; i < N; i++) {
        double turn = 2 * acos(-1) * (double)i / N, longitude = turn - 0.5 * sin(turn);
        x[3 * i] = cos(latitude) * cos(longitude);
        x[3 * i + 1] = cos(latitude) * sin(longitude);
        x[3 * i + 2] = sin(latitude);
    }
    mst_mean_options o = mst_mean_options_default();
    o.time = 0.5;
    o.start = south;
    o.starts = 1;
    mst_mean_result *lower = fit(p.sphere.exact, N, x, &o);
    mst_mean_result *lower_found = fit(p.scores, N, x, &o);
    o.starts = 10;
    mst_mean_result *want = fit(p.sphere.exact, N, x, &o);
    mst_mean_result *found = fit(p.scores, N, x, &o);
    ck_assert(lower->mean[2] < -0.5 && want->mean[2] > 0.5);
    ck_assert(want->log_likelihood > lower->log_likelihood + 1);
    assert_near(gap(&p.sphere, lower_found->mean, lower->mean), 0, 1e-8, "lower maximum");
    ck_assert_uint_eq(found->set_size, 1);
    assert_near(gap(&p.sphere, found->mean, want->mean), 0, 1e-8, "mean");
    mst_mean_result_free(lower);
    mst_mean_result_free(lower_found);
    mst_mean_result_free(found);
    mst_mean_result_free(want);
    pair_close(&p);
}
END_TEST

/* Three clusters around the axes; rows in turn. */
static double *clusters(const setting *s)
{
    double *x = doubles(N * 3);
    for (size_t c = 0; c < 3; c++) {
        double axis[3] = {0};
        axis[c] = 1;
        double *part = draw(s, N / 3, axis, 0.02, 20 + c);
        for (size_t i = 0; i < N / 3; i++)
            memcpy(x + 3 * (3 * i + c), part + 3 * i, 3 * sizeof *x);
        free(part);
    }
    return x;
}

START_TEST(clusters_are_found)
{
    pair p = pair_open();
    double *x = clusters(&p.sphere);
    mst_kmeans_options o = mst_kmeans_options_default();
    mst_kmeans_result *want, *found;
    o.k = 3;
    o.kind = p.sphere.exact;
    ASSERT_OK(mst_kmeans_fit(&want, p.sphere.m, N, x, &o));
    o.kind = p.source;
    ASSERT_OK(mst_kmeans_fit(&found, p.m, N, x, &o));
    ck_assert_mem_eq(found->labels, want->labels, N * sizeof *found->labels);
    for (size_t c = 0; c < 3; c++) {
        assert_near(gap(&p.sphere, found->centres + 3 * c, want->centres + 3 * c), 0, 1e-7,
                    "centre %zu", c);
        assert_near(found->times[c], want->times[c], 1e-6, "time %zu", c);
    }
    ck_assert(found->inertia > 0.9 * want->inertia && found->inertia < want->inertia);
    ck_assert(found->seed == 2712 && found->end == MST_FIT_SETTLED);
    mst_kmeans_result_free(found);
    mst_kmeans_result_free(want);
    /* Fréchet centres are made of logarithms. */
    o.kind = NULL;
    ck_assert_int_eq(mst_kmeans_fit(&found, p.m, N, x, &o), MST_UNABLE);
    free(x);
    pair_close(&p);
}
END_TEST

START_TEST(mixtures_are_found)
{
    pair p = pair_open();
    double *x = clusters(&p.sphere);
    mst_mixture_options o = mst_mixture_options_default();
    mst_mixture_result *want, *found;
    o.k = 3;
    o.tolerance = 1e-13;
    ASSERT_OK(mst_mixture_fit(&want, p.sphere.exact, N, x, &o));
    ASSERT_OK(mst_mixture_fit(&found, p.source, N, x, &o));
    assert_near(found->log_likelihood, want->log_likelihood, 1e-8, "log-likelihood");
    for (size_t c = 0; c < 3; c++)
        assert_near(gap(&p.sphere, found->centres + 3 * c, want->centres + 3 * c), 0, 1e-5,
                    "centre %zu", c);
    ck_assert(found->end == MST_FIT_SETTLED && !found->degenerate);
    mst_mixture_result_free(found);
    mst_mixture_result_free(want);
    free(x);
    pair_close(&p);
}
END_TEST

START_TEST(samples_are_compared)
{
    pair p = pair_open();
    const double other[] = {0.2, 0, sqrt(1 - 0.04)};
    double *x = draw(&p.sphere, N, NULL, 0.2, 7), *y = draw(&p.sphere, N, other, 0.3, 8);
    for (int h = 0; h < 3; h++) {
        mst_test_options o = mst_test_options_default();
        o.hypothesis = (mst_hypothesis)h;
        o.method = MST_TEST_LR;
        mst_test_result *want, *found, *by_scores;
        ASSERT_OK(two_samples(&want, p.sphere.exact, N, x, N, y, &o));
        ASSERT_OK(two_samples(&found, p.source, N, x, N, y, &o));
        ASSERT_OK(two_samples(&by_scores, p.scores, N, x, N, y, &o));
        assert_near(found->statistic, want->statistic, 1e-9 * want->statistic, "statistic %d", h);
        assert_near(by_scores->statistic, want->statistic, 1e-6 * want->statistic, "by scores %d",
                    h);
        ck_assert_int_eq(found->end, MST_FIT_SETTLED);
        mst_test_result_free(by_scores);
        mst_test_result_free(found);
        mst_test_result_free(want);
    }
    free(x), free(y);
    pair_close(&p);
}
END_TEST

int main(void)
{
    return RUN_SUITE("without log", 60, {chords_are_short_distances, 0}, {means_have_error_bars, 0},
                     {maxima_are_compared, 0}, {clusters_are_found, 0}, {mixtures_are_found, 0},
                     {samples_are_compared, 0});
}
