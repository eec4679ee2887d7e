/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Regression on Bismut–Elworthy–Li weights: no noise in flat space, noise of the order of
 * the curvature elsewhere. */
#include "train/loss.h"

static mst_status prepare(const loss_setup *setup, uint64_t first, size_t n,
                          const sample_rows *rows, const loss_samples *out)
{
    (void)first;
    return regression_prepare(setup, n, rows, rows->target, rows->time_target, out);
}

const loss_ops loss_bel = {
    .kind = SAMPLE_BEL,
    .plan = regression_plan,
    .prepare = prepare,
    .gradient = regression_gradient,
};
