/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

#include "train/loss.h"

const loss_ops *loss_find(mst_loss loss)
{
    static const loss_ops *const table[] = {
#define LOSS_ENTRY(constant, name, what) [MST_LOSS_##constant] = &loss_##name,
        MST_LOSS_LIST(LOSS_ENTRY)
#undef LOSS_ENTRY
    };
    return (size_t)loss < sizeof table / sizeof *table ? table[loss] : NULL;
}

mst_status loss_work_new(loss_work *work, const loss_setup *setup, size_t capacity)
{
    const mlp_shape *shape = &setup->net->shape;
    size_t rows = capacity * setup->rows, outputs = shape->outputs;
    *work = (loss_work){.capacity = capacity};
    mst_status status = mlp_work_new(&work->mlp, shape, rows, setup->tangents);
    if (status == MST_OK)
        status = mst_allocate_zero(&work->out, rows * outputs * (3 + 2 * setup->tangents));
    if (status != MST_OK) {
        loss_work_free(work);
        return status;
    }
    work->d_out = work->out + rows * outputs;
    work->tan = work->d_out + rows * outputs;
    work->d_tan = work->tan + rows * setup->tangents * outputs;
    work->share = work->d_tan + rows * setup->tangents * outputs;
    return MST_OK;
}

void loss_work_free(loss_work *work)
{
    mlp_work_free(work->mlp);
    mst_release(work->out);
    *work = (loss_work){0};
}

mst_status loss_refuse_time_head(const loss_setup *setup)
{
    if (!setup->net->info.time_head)
        return MST_OK;
    return mst_fail(MST_ARGUMENT,
                    "only the loss bel has targets for a time head or an energy; take "
                    "the `loss` bel, or neither `time_head` nor `energy`");
}

void loss_project(size_t q, size_t normals, const float *normal, float *v)
{
    for (size_t k = 0; k < normals; k++, normal += q) {
        float along = 0;
        for (size_t a = 0; a < q; a++)
            along += normal[a] * v[a];
        for (size_t a = 0; a < q; a++)
            v[a] -= along * normal[a];
    }
}

mst_status loss_read(const loss_setup *setup, size_t n, const double *x, const double *y,
                     const double *t, float *inputs, double *baseline)
{
    const features *s = setup->net->features;
    double *wide;
    MST_TRY(mst_allocate(&wide, n * s->inputs));
    mst_status status = features_read(s, n, x, y, t, wide, baseline);
    for (size_t k = 0; status == MST_OK && k < n * s->inputs; k++)
        inputs[k] = (float)wide[k];
    mst_release(wide);
    return status;
}
