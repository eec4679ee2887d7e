/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* A score network from the training to a mean. The sphere S² has an exact heat kernel, so that the program
 * can compare: it trains for 300 steps, which take seconds, evaluates the score at a pair of points, and
 * estimates where a thousand simulated points came from. It fails if network and kernel disagree. On a
 * manifold without an exact kernel, the lines with `exact` go and the rest stays. */
#include <manistat.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { POINTS = 1000 };

static const double end_time = 0.5;

/* What has to be released. */
typedef struct things {
    mst_manifold *sphere;
    mst_network *network;
    mst_score *learned, *exact;
    mst_mean_result *fit, *exact_fit;
} things;

static mst_status train(things *a)
{
    mst_train_options options = mst_train_options_default();
    options.steps = 300; /* instead of minutes: the same weights on any number of threads */
    options.batch = 1024;
    options.warm_up = 50;
    mst_status status = mst_sphere_new(&a->sphere, 2);
    if (status == MST_OK)
        status = mst_train(&a->network, a->sphere, &options);
    if (status == MST_OK)
        status = mst_score_network_new(&a->learned, a->network, false);
    if (status == MST_OK)
        status = mst_score_exact_new(&a->exact, a->sphere);
    return status;
}

/* The relative error of the score at y = (1, 0, 0), seen from x, the north pole. */
static mst_status compare_scores(const things *a, double *error)
{
    const double x[3] = {0, 0, 1}, y[3] = {1, 0, 0};
    double got[3], want[3], square = 0, size = 0;
    mst_status status =
        mst_score_evaluate_rows(a->learned, 1, x, y, &end_time, &(mst_heat_values){.score = got});
    if (status == MST_OK)
        status = mst_score_evaluate_rows(a->exact, 1, x, y, &end_time,
                                         &(mst_heat_values){.score = want});
    for (int k = 0; status == MST_OK && k < 3; k++) {
        square += (got[k] - want[k]) * (got[k] - want[k]);
        size += want[k] * want[k];
    }
    if (status != MST_OK)
        return status;
    *error = sqrt(square / size);
    printf("score of the network  (%.4f, %.4f, %.4f)\n", got[0], got[1], got[2]);
    printf("exact                 (%.4f, %.4f, %.4f)\n\n", want[0], want[1], want[2]);
    return MST_OK;
}

/* Brownian motion from the north pole. */
static mst_status simulate(const things *a, double *points)
{
    static double start[3 * POINTS];
    mst_brownian_options options = mst_brownian_options_default();
    for (size_t i = 0; i < POINTS; i++)
        mst_manifold_start(a->sphere, start + 3 * i);
    return mst_brownian_endpoints(a->sphere, POINTS, start, end_time, &options, points);
}

/* Both means of the same points: how far apart they are, and their times. */
static mst_status compare_means(things *a, double *apart, double *times)
{
    static double points[3 * POINTS];
    mst_mean_options options = mst_mean_options_default();
    mst_status status = simulate(a, points);
    if (status == MST_OK)
        status = mst_mean_fit(&a->fit, a->learned, POINTS, points, &options);
    if (status == MST_OK)
        status = mst_mean_fit(&a->exact_fit, a->exact, POINTS, points, &options);
    if (status == MST_OK)
        status = mst_manifold_dist(a->sphere, 1, a->fit->mean, a->exact_fit->mean, apart);
    if (status != MST_OK)
        return status;
    *times = fabs(a->fit->time - a->exact_fit->time);
    printf("mean of %d points: %.4f from the exact one, standard error %.4f\n", POINTS, *apart,
           a->fit->standard_error);
    printf("time: %.4f, exactly %.4f, standard error %.4f\n", a->fit->time, a->exact_fit->time,
           a->fit->time_standard_error);
    return MST_OK;
}

int main(void)
{
    things a = {0};
    double error = NAN, apart = NAN, times = NAN;
    mst_status status = train(&a);
    if (status == MST_OK)
        status = compare_scores(&a, &error);
    if (status == MST_OK)
        status = compare_means(&a, &apart, &times);
    if (status != MST_OK)
        fprintf(stderr, "train_network: %s\n", mst_error_detail());

    /* Half a standard error for mean and time; a training as short as this one leaves a quarter or less. */
    bool good = status == MST_OK && error < 0.05 && apart < 0.02 && times < 0.009;
    if (status == MST_OK && !good)
        fprintf(stderr, "train_network: network and exact kernel disagree\n");
    mst_mean_result_free(a.fit);
    mst_mean_result_free(a.exact_fit);
    mst_score_free(a.learned);
    mst_score_free(a.exact);
    mst_network_free(a.network);
    mst_manifold_free(a.sphere);
    return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
