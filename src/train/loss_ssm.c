/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Sliced score matching: both the square and the divergence in one random direction. */
#include "train/loss.h"

static mst_status plan(loss_setup *setup)
{
    return implicit_plan(setup, 1);
}

static double gradient_of(const loss_setup *setup, const float *theta, size_t n,
                          const loss_samples *samples, loss_work *work, float *gradient)
{
    return implicit_gradient(setup, theta, n, true, samples, work, gradient);
}

const loss_ops loss_ssm = {
    .kind = SAMPLE_LAST_STEP,
    .plan = plan,
    .prepare = implicit_prepare,
    .gradient = gradient_of,
};
