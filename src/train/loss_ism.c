/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Implicit score matching with the exact divergence, or with Hutchinson's estimate of it:
 * one random direction. */
#include "train/loss.h"

static mst_status plan(loss_setup *setup)
{
    return implicit_plan(setup, setup->hutchinson ? 1 : setup->net->features->d);
}

static double gradient_of(const loss_setup *setup, const float *theta, size_t n,
                          const loss_samples *samples, loss_work *work, float *gradient)
{
    return implicit_gradient(setup, theta, n, false, samples, work, gradient);
}

const loss_ops loss_ism = {
    .kind = SAMPLE_LAST_STEP,
    .plan = plan,
    .prepare = implicit_prepare,
    .gradient = gradient_of,
};
