/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Networks trained on manifolds given by their metrics have the scores of the exact kernels to 2 %. */
#include "metric_learning.h"

START_TEST(scores_are_within_two_percent)
{
    const metric_twin *twin = &metric_twins[_i];
    learning_errors e = learn_metric(twin, 1200, 2048, 64);
    ck_assert_msg(e.score <= 0.02, "%s: score off by %.4f", twin->spec, e.score);
    ck_assert_msg(e.time <= 0.06, "%s: time derivative off by %.4f", twin->spec, e.time);
}
END_TEST

int main(void)
{
    return RUN_SUITE("metric learning", 600, {scores_are_within_two_percent, METRIC_TWINS});
}
