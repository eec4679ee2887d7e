/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Denoising score matching with a control variate: |s(y)|² + 2(<s(y), v'> − <s(y₋), v>)/h, where the last
 * step v led from y₋ to y and arrived there as v'. The second product has mean zero, and takes away most of
 * the noise of the first. */
#include "train/loss.h"

#include <string.h>

/* A sample keeps: weight, g, then q floats each of c₀ at y and before, v'/h, v/h, and the
 * normals at both points. */
typedef struct layout {
    size_t q, baseline, step, normal, size;
} layout;

static layout layout_of(const mst_network *net)
{
    const features *s = net->features;
    layout l = {.q = s->outputs, .baseline = 2};
    l.step = l.baseline + 2 * l.q;
    l.normal = l.step + 2 * l.q;
    l.size = l.normal + 2 * s->normals * l.q;
    return l;
}

static mst_status plan(loss_setup *setup)
{
    MST_TRY(loss_refuse_time_head(setup));
    setup->rows = 2;
    setup->tangents = 0;
    setup->extra = layout_of(setup->net).size;
    return MST_OK;
}

/* One of the two points of every sample: `side` 0 is y, 1 the point before. */
static mst_status prepare_side(const loss_setup *setup, size_t n, size_t side,
                               const sample_rows *rows, const double *y, const double *step,
                               const loss_samples *out)
{
    const features *s = setup->net->features;
    layout l = layout_of(setup->net);
    size_t q = l.q, normals = s->normals * q;
    double *work;
    float *inputs;
    MST_TRY(mst_allocate(&work, n * (2 * q + normals)));
    double *baseline = work, *c = baseline + n * q, *normal = c + n * q;
    mst_status status = mst_allocate(&inputs, n * s->inputs);
    if (status == MST_OK)
        status = loss_read(setup, n, rows->x, y, rows->t, inputs, baseline);
    if (status == MST_OK)
        status = features_to_outputs(s, n, y, step, c);
    if (status == MST_OK)
        status = features_normals(s, n, y, normal);
    for (size_t i = 0; status == MST_OK && i < n; i++) {
        float *extra = out->extra + i * l.size;
        double t = rows->t[i];
        memcpy(out->inputs + (2 * i + side) * s->inputs, inputs + i * s->inputs,
               s->inputs * sizeof *inputs);
        extra[0] = (float)((s->plain ? 1 : t) / (double)s->d);
        extra[1] = (float)features_scale(s, t);
        for (size_t k = 0; k < q; k++) {
            extra[l.baseline + side * q + k] = (float)baseline[i * q + k];
            extra[l.step + side * q + k] = (float)(c[i * q + k] / rows->h[i]);
        }
        for (size_t k = 0; k < normals; k++)
            extra[l.normal + side * normals + k] = (float)normal[i * normals + k];
    }
    mst_release(work);
    mst_release(inputs);
    return status;
}

static mst_status prepare(const loss_setup *setup, uint64_t first, size_t n,
                          const sample_rows *rows, const loss_samples *out)
{
    (void)first;
    MST_TRY(prepare_side(setup, n, 0, rows, rows->y, rows->arrived, out));
    return prepare_side(setup, n, 1, rows, rows->previous, rows->step, out);
}

static double gradient_of(const loss_setup *setup, const float *theta, size_t n,
                          const loss_samples *samples, loss_work *work, float *gradient)
{
    const mlp_shape *shape = &setup->net->shape;
    const features *s = setup->net->features;
    layout l = layout_of(setup->net);
    size_t q = l.q;
    mlp_forward(shape, theta, 2 * n, samples->inputs, work->out, work->mlp);
    double sum = 0;
    const float *extra = samples->extra;
    for (size_t i = 0; i < n; i++, extra += l.size) {
        float weight = extra[0], g = extra[1];
        float *here = work->out + 2 * i * q, *before = here + q;
        float *slope = work->d_out + 2 * i * q;
        const float *c0 = extra + l.baseline, *step = extra + l.step;
        loss_project(q, s->normals, extra + l.normal, here);
        loss_project(q, s->normals, extra + l.normal + s->normals * q, before);
        float value = 0;
        for (size_t k = 0; k < q; k++) {
            float c = c0[k] + g * here[k], c_before = c0[q + k] + g * before[k];
            value += c * c + 2 * (c * step[k] - c_before * step[q + k]);
            slope[k] = 2 * weight * g * (c + step[k]);
            slope[q + k] = -2 * weight * g * step[q + k];
        }
        sum += (double)(weight * value);
    }
    mlp_backward(shape, theta, 2 * n, samples->inputs, work->d_out, gradient, NULL, work->mlp);
    return sum;
}

const loss_ops loss_dsmvr = {
    .kind = SAMPLE_LAST_STEP,
    .plan = plan,
    .prepare = prepare,
    .gradient = gradient_of,
};
