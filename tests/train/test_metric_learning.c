/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Short trainings on manifolds given by their metrics: on the way to the scores that
 * test_metric_learning_slow.c asks for. */
#include "metric_learning.h"

/* Score and time derivative; untrained networks have 0.037 and 0.059, 0.074 and 0.345. */
static const double most[METRIC_TWINS][2] = {{0.025, 0.045}, {0.069, 0.32}};

START_TEST(networks_learn)
{
    const metric_twin *twin = &metric_twins[_i];
    learning_errors e = learn_metric(twin, 60, 512, 32);
    ck_assert_msg(e.score < most[_i][0] && e.time < most[_i][1],
                  "%s: score %.4f, time %.4f after a short training", twin->spec, e.score, e.time);
}
END_TEST

int main(void)
{
    return RUN_SUITE("metric learning", 60, {networks_learn, METRIC_TWINS});
}
