/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Diffusion means of landmarks by the expansion: recovery, what their examination says, metrics compared. */
#include "support/score_support.h"

#include <manistat/brownian.h>
#include <manistat/mean.h>

enum { N = 60, D = 10 };

/* N rows of Brownian motion of five landmarks, one width apart in two rows. */
static void simulate(const mst_manifold *m, double gap, double t, double *start, double *x)
{
    double from[N * D];
    for (size_t a = 0; a < 5; a++) {
        start[2 * a] = gap * (double)(a % 3);
        start[2 * a + 1] = gap * (double)(a / 3);
    }
    for (size_t i = 0; i < N; i++)
        memcpy(from + i * D, start, D * sizeof *start);
    mst_brownian_options o = mst_brownian_options_default();
    o.steps = 64;
    ASSERT_OK(mst_brownian_endpoints(m, N, from, t, &o, x));
}

static mst_mean_result *fit(const mst_score *source, size_t n, const double *x)
{
    mst_mean_result *r;
    mst_mean_options o = mst_mean_options_default();
    o.starts = 1;
    o.covariance = mst_mean_default_covariance(mst_score_manifold(source));
    ASSERT_OK(mst_mean_fit(&r, source, n, x, &o));
    return r;
}

/* Truth is recovered and nothing is said against it. Right code fails about once in 500 seeds: three standard
 * errors of t, √(2/(n d)), and the same of χ². */
START_TEST(recovers_what_was_simulated)
{
    mst_manifold *m = open_manifold("landmarks:5x2?sigma=1");
    mst_score *source;
    double x[N * D], start[D], v[D], square, t = 0.07;
    simulate(m, 1, t, start, x);
    ASSERT_OK(mst_score_open(&source, "expansion", m));
    mst_mean_result *r = fit(source, N, x);
    assert_near(r->time_corrected, r->time * N / (N - 1.0), 1e-12, "the corrected time");
    assert_near(r->time_corrected / t, 1, 3 * sqrt(2.0 / (N * D)), "the time");
    ASSERT_OK(mst_manifold_log(m, 1, r->mean, start, v, NULL));
    ASSERT_OK(mst_manifold_inner(m, 1, r->mean, v, v, &square));
    assert_near(N * square / t, D, 3 * sqrt(2.0 * D), "chi2 of the mean");
    ck_assert_int_eq(r->covariance_kind, MST_COVARIANCE_SANDWICH);
    mst_mean_examination e;
    ASSERT_OK(mst_mean_examine(&e, source, N, x, r, 150, 7, 1));
    ck_assert_uint_eq(e.refused, 0);
    ck_assert_uint_eq(e.notes, 0);
    ck_assert_uint_eq(e.simulated, 150);
    assert_near(e.simulated_time, 1, 3 * e.simulated_error, "the time of the simulation");
    /* Bridges, which need no expansion, find it right to a hundredth of log p and of the time. */
    ck_assert_uint_eq(e.bridged, 3);
    assert_near(e.bridge_log_p, 0, 0.03, "log p by bridges");
    assert_near(e.bridge_time, 0, 0.01 + 3 * e.bridge_error, "the time by bridges");
    ck_assert(e.bridge_ess > 0.9 && e.bridge_error < 0.01);
    ck_assert(e.curvature < 0 && e.curvature > -0.2);
    assert_near(e.spread, 1, 0.4, "squared distances scatter as they should");
    mst_mean_result_free(r);
    mst_score_free(source);
    mst_manifold_free(m);
}
END_TEST

/* What a fit knows of its rows is what one finds who asks for it anew, to the tolerance 1e-6 of the
 * geodesics; a climb that has ended says how, and is within a hundredth of a standard
 * error of its maximum. */
START_TEST(knows_its_rows)
{
    mst_manifold *m = open_manifold("landmarks:5x2?sigma=1");
    mst_score *source;
    double x[N * D], start[D], r[N], v[N], sum = 0;
    simulate(m, 1, 0.07, start, x);
    ASSERT_OK(mst_score_open(&source, "expansion", m));
    mst_mean_result *f = fit(source, N, x);
    ck_assert(f->converged && f->iterations > 0);
    ck_assert_double_lt(2 * f->decrement * N, 1e-4);
    for (size_t i = 0; i < N; i++)
        ASSERT_OK(mst_manifold_dist(m, 1, f->mean, x + i * D, r + i));
    mst_pairs rows = {.n = N, .x = x, .y = f->mean, .t = &f->time};
    ASSERT_OK(mst_score_validity(source, &rows, &(mst_heat_values){0}, v));
    for (size_t i = 0; i < N; i++) {
        assert_near(f->distances[i] / r[i], 1, 1e-5, "distance of row %zu", i);
        assert_near(f->validity[i] / v[i], 1, 1e-4, "validity of row %zu", i);
        sum += r[i] * r[i] / N;
    }
    assert_near(f->variance / sum, 1, 1e-5, "variance");
    mst_mean_result_free(f);
    mst_score_free(source);
    mst_manifold_free(m);
}
END_TEST

/* Far apart the mean is that of the coordinates, and the examination says so. */
START_TEST(flat_metrics_are_called_flat)
{
    mst_manifold *m = open_manifold("landmarks:5x2?sigma=0.05");
    mst_score *source;
    double x[N * D], start[D], mean[D] = {0}, wide = 0;
    simulate(m, 1, 0.002, start, x);
    for (size_t i = 0; i < N * D; i++)
        mean[i % D] += x[i] / N;
    /* One row far out: not Brownian. */
    for (size_t k = 0; k < D; k++) {
        mean[k] += 3 * (x[k] - start[k]) / N;
        x[k] += 3 * (x[k] - start[k]);
        wide += x[k];
    }
    ck_assert(isfinite(wide));
    ASSERT_OK(mst_score_open(&source, "expansion", m));
    mst_mean_result *r = fit(source, N, x);
    for (size_t k = 0; k < D; k++)
        assert_near(r->mean[k], mean[k], 1e-6, "coordinate %zu", k);
    mst_mean_examination e;
    ASSERT_OK(mst_mean_examine(&e, source, N, x, r, 0, 7, 1));
    ck_assert_uint_eq(e.notes, MST_EXAMINED_FLAT | MST_EXAMINED_NOT_BROWNIAN);
    ck_assert_uint_eq(e.refused, 0);
    ck_assert(e.bridged == 0 && isnan(e.bridge_time)); /* nothing was simulated */
    mst_mean_result_free(r);
    mst_score_free(source);
    mst_manifold_free(m);
}
END_TEST

/* Crowded landmarks at a long time: the expansion overcorrects, and bridges say by how much, with the sign
 * that simulations have (docs/shapes.md). */
START_TEST(bridges_tell_what_the_expansion_is_off_by)
{
    mst_manifold *m = open_manifold("landmarks:5x2?sigma=1.2");
    mst_score *source;
    double x[N * D], start[D];
    simulate(m, 1, 1, start, x);
    ASSERT_OK(mst_score_open(&source, "expansion", m));
    mst_mean_result *r = fit(source, N, x);
    mst_mean_examination e;
    ASSERT_OK(mst_mean_examine(&e, source, N, x, r, 20, 7, 1));
    ck_assert(e.curvature < -0.5 && e.refused == 0);
    ck_assert(e.notes & MST_EXAMINED_BRIDGES);
    ck_assert_msg(e.bridge_log_p < -0.2 && e.bridge_time < 0, "%g, %g", e.bridge_log_p,
                  e.bridge_time);
    ck_assert(e.bridge_ess > 0.1 && e.bridge_ess < 0.8);
    mst_mean_result_free(r);
    mst_score_free(source);
    mst_manifold_free(m);
}
END_TEST

/* Two groups about places that are far apart: all rows are equally far from the mean between them. */
START_TEST(groups_are_too_even)
{
    mst_manifold *m = open_manifold("landmarks:5x2?sigma=1");
    mst_score *source;
    double x[N * D], start[D];
    simulate(m, 1, 0.002, start, x);
    for (size_t i = 0; i < N / 2; i++)
        for (size_t k = 0; k < D; k++)
            x[i * D + k] += k % 4 == 0 ? 0.6 : 0;
    ASSERT_OK(mst_score_open(&source, "expansion", m));
    mst_mean_result *r = fit(source, N, x);
    mst_mean_examination e;
    ASSERT_OK(mst_mean_examine(&e, source, N, x, r, 0, 7, 1));
    ck_assert_double_lt(e.spread, 0.5);
    ck_assert((e.notes & MST_EXAMINED_EVEN) != 0 && (e.refused & MST_EXAMINED_EVEN) == 0);
    mst_mean_result_free(r);
    /* Two rows cannot be anything else. */
    r = fit(source, 2, x + (N / 2 - 1) * D);
    ASSERT_OK(mst_mean_examine(&e, source, 2, x + (N / 2 - 1) * D, r, 0, 7, 1));
    ck_assert(e.spread < 0.1 && (e.notes & MST_EXAMINED_EVEN) == 0);
    mst_mean_result_free(r);
    mst_score_free(source);
    mst_manifold_free(m);
}
END_TEST

/* The metric of the data has a higher likelihood than a flat one and one that is too stiff. */
START_TEST(likelihood_prefers_the_metric_of_the_data)
{
    static const char *const specs[] = {"landmarks:5x2?sigma=1", "landmarks:5x2?sigma=0.1",
                                        "landmarks:5x2?sigma=1.5"};
    mst_manifold *m[3];
    double x[N * D], start[D];
    for (int k = 0; k < 3; k++)
        m[k] = open_manifold(specs[k]);
    simulate(m[0], 1, 0.07, start, x);
    mst_metric_score s[3];
    ASSERT_OK(
        mst_mean_compare_metrics(3, (const mst_manifold *const *)m, N, x, 1, (mst_progress){0}, s));
    ck_assert_double_gt(s[0].log_likelihood, s[1].log_likelihood);
    ck_assert_double_gt(s[0].log_likelihood, s[2].log_likelihood);
    /* The flat metric by its closed form: the variance per number. */
    double mean[D] = {0}, variance = 0;
    for (size_t i = 0; i < N * D; i++)
        mean[i % D] += x[i] / N;
    for (size_t i = 0; i < N * D; i++)
        variance += (x[i] - mean[i % D]) * (x[i] - mean[i % D]) / (N * D);
    assert_near(s[1].log_likelihood, -0.5 * (log(2 * M_PI * variance) + 1), 1e-4, "flat");
    mst_manifold *other = open_manifold("landmarks:4x2");
    ASSERT_FAILS(MST_ARGUMENT,
                 mst_mean_compare_metrics(2, (const mst_manifold *const[]){m[0], other}, N, x, 1,
                                          (mst_progress){0}, s));
    mst_manifold_free(other);
    for (int k = 0; k < 3; k++)
        mst_manifold_free(m[k]);
}
END_TEST

static int count_steps(void *user, double done, double total)
{
    (void)done;
    (void)total;
    ++*(size_t *)user;
    return 0;
}

/* Landmarks all over the square, no Brownian motion at all, are refused before the first step of a climb. */
START_TEST(crowds_are_refused_early)
{
    mst_manifold *m = open_manifold("landmarks:5x2?sigma=0.5");
    mst_score *source;
    double x[N * D];
    size_t steps = 0;
    dice die = {5};
    for (size_t i = 0; i < N * D; i++)
        x[i] = dice_uniform(&die, 0, 1);
    ASSERT_OK(mst_score_open(&source, "expansion", m));
    mst_mean_result *f = NULL;
    mst_mean_options o = mst_mean_options_default();
    o.progress = (mst_progress){count_steps, &steps};
    ASSERT_FAILS(MST_UNABLE, mst_mean_fit(&f, source, N, x, &o));
    ck_assert_ptr_null(f);
    ck_assert_uint_eq(steps, 0);
    ck_assert_ptr_nonnull(strstr(mst_error_detail(), "take a nugget"));
    mst_score_free(source);
    mst_manifold_free(m);
}
END_TEST

/* Other manifolds have other checks; a fit without a time has nothing to examine. */
START_TEST(what_is_not_examined)
{
    mst_manifold *m = open_manifold("sphere:2");
    mst_score *source;
    double x[6] = {0, 0, 1, 0, 0.6, 0.8};
    ASSERT_OK(mst_score_open(&source, "expansion", m));
    mst_mean_result r = {.mean = x, .time = 0.1};
    mst_mean_examination e;
    ASSERT_FAILS(MST_UNABLE, mst_mean_examine(&e, source, 2, x, &r, 0, 1, 1));
    ck_assert_int_eq(mst_mean_default_covariance(m), MST_COVARIANCE_OBSERVED);
    mst_score_free(source);
    mst_manifold_free(m);
}
END_TEST

int main(void)
{
    return RUN_SUITE("mean_examine", 60, {recovers_what_was_simulated, 0}, {knows_its_rows, 0},
                     {flat_metrics_are_called_flat, 0},
                     {bridges_tell_what_the_expansion_is_off_by, 0}, {groups_are_too_even, 0},
                     {crowds_are_refused_early, 0}, {likelihood_prefers_the_metric_of_the_data, 0},
                     {what_is_not_examined, 0});
}
