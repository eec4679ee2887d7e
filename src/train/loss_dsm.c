/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Denoising score matching: regression on −v/h, the last step of the path over its length in time. Its noise,
 * d/h, is large. */
#include "train/loss.h"

static mst_status plan(loss_setup *setup)
{
    MST_TRY(loss_refuse_time_head(setup));
    return regression_plan(setup);
}

static mst_status prepare(const loss_setup *setup, uint64_t first, size_t n,
                          const sample_rows *rows, const loss_samples *out)
{
    (void)first;
    size_t D = setup->net->features->D;
    double *target;
    MST_TRY(mst_allocate(&target, n * D));
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < D; k++)
            target[i * D + k] = -rows->arrived[i * D + k] / rows->h[i];
    mst_status status = regression_prepare(setup, n, rows, target, NULL, out);
    mst_release(target);
    return status;
}

const loss_ops loss_dsm = {
    .kind = SAMPLE_LAST_STEP,
    .plan = plan,
    .prepare = prepare,
    .gradient = regression_gradient,
};
