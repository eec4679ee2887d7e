/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Recovery of mean and time from simulated shapes of thirty landmarks, in three kernels. */
#include "support/score_support.h"

#include <manistat/brownian.h>
#include <manistat/mean.h>
#include <stdio.h>

enum { N = 80, LANDMARKS = 30, D = 2 * LANDMARKS, SEEDS = 20 };

/* An outline with four lobes, like the wings of a butterfly, its neighbours one apart on average. */
static void shape(double *x)
{
    double sum = 0;
    for (size_t a = 0; a < LANDMARKS; a++) {
        double angle = 2 * M_PI * (double)a / LANDMARKS, r = 1 + 0.3 * cos(4 * angle);
        x[2 * a] = 1.3 * r * cos(angle);
        x[2 * a + 1] = r * sin(angle);
    }
    for (size_t a = 0; a < LANDMARKS; a++) {
        double nearest = INFINITY;
        for (size_t b = 0; b < LANDMARKS; b++)
            if (a != b)
                nearest = fmin(nearest, hypot(x[2 * a] - x[2 * b], x[2 * a + 1] - x[2 * b + 1]));
        sum += nearest / LANDMARKS;
    }
    for (size_t k = 0; k < D; k++)
        x[k] /= sum;
}

/* The mean over the seeds of the corrected time within `limit` of the truth or two standard errors of it, and
 * χ² of the means consistent with d. */
static void recover(const char *spec, double sigma, double tau, double limit)
{
    mst_manifold *m = open_manifold(spec);
    mst_score *source;
    static double x[N * D], from[N * D];
    double start[D], t = tau * sigma * sigma, ratio = 0, chi = 0;
    size_t seeds = simulated_sets(SEEDS);
    shape(start);
    for (size_t i = 0; i < N; i++)
        memcpy(from + i * D, start, sizeof start);
    ASSERT_OK(mst_score_open(&source, "expansion", m));
    for (size_t seed = 0; seed < seeds; seed++) {
        mst_brownian_options b = mst_brownian_options_default();
        mst_mean_options o = mst_mean_options_default();
        mst_mean_result *r;
        double v[D], square;
        b.seed = 101 + seed;
        o.starts = 1;
        ASSERT_OK(mst_brownian_endpoints(m, N, from, t, &b, x));
        ASSERT_OK(mst_mean_fit(&r, source, N, x, &o));
        ASSERT_OK(mst_manifold_log(m, 1, r->mean, start, v, NULL));
        ASSERT_OK(mst_manifold_inner(m, 1, r->mean, v, v, &square));
        ratio += r->time_corrected / t / (double)seeds;
        chi += N * square / t / (double)seeds;
        mst_mean_result_free(r);
    }
    double error = sqrt(2.0 / (N * D) / (double)seeds);
    printf("%s: time %.4f +- %.4f of the truth, chi2 %.1f of %d\n", spec, ratio, error, chi, D);
    assert_near(ratio, 1, limit + 2 * error, "%s: the time", spec);
    assert_near(chi, D, 4 * sqrt(2.0 * D / (double)seeds) + 3, "%s: chi2 of the mean", spec);
    mst_score_free(source);
    mst_manifold_free(m);
}

START_TEST(one_gap)
{
    recover("landmarks:30x2?sigma=1", 1, 0.07, 0.015);
}
END_TEST

START_TEST(one_and_a_half)
{
    recover("landmarks:30x2?sigma=1.5", 1.5, 0.09, 0.03);
}
END_TEST

START_TEST(two_with_a_nugget)
{
    recover("landmarks:30x2?sigma=2&nugget=0.1", 2, 0.025, 0.015);
}
END_TEST

int main(void)
{
    return RUN_SUITE("mean_landmarks_slow", 3600, {one_gap, 0}, {one_and_a_half, 0},
                     {two_with_a_nugget, 0});
}
