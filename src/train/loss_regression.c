/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Least squares on a random target w whose conditional mean is the score: t|P c − w|²/d. The network itself
 * is then regressed on (w − c₀)/g. The time head likewise on its own target. */
#include "train/loss.h"

#include <string.h>

/* The share of the time head in the whole loss: its targets are as good as the score's,
 * and the hidden layers are shared. */
static const double time_share = 0.25;

/* What is left to the noise of a sample's tail. The rest is what the network, as it stands, says of the
 * sample before: that has no noise, but the network's errors. */
static const double own_share = 0.1;

/* A sample keeps: weight, target (q), normals (normals·q), with a time head its weight and target, and where
 * targets are chained a matrix (q, q). */
typedef struct layout {
    size_t q, normal, time, chain, size;
} layout;

static layout layout_of(const loss_setup *setup)
{
    const features *s = setup->net->features;
    layout l = {.q = s->outputs, .normal = 1 + s->outputs};
    l.time = l.normal + s->normals * s->outputs;
    l.chain = l.time + (setup->net->info.time_head ? 2 : 0);
    l.size = l.chain + (setup->chained > 0 ? l.q * l.q : 0);
    return l;
}

mst_status regression_plan(loss_setup *setup)
{
    setup->rows = 1;
    setup->tangents = setup->net->info.energy ? setup->net->features->d : 0;
    if (setup->net->info.energy)
        setup->chained = 0;
    setup->extra = layout_of(setup).size;
    return MST_OK;
}

/* What the score's target leaves to the network: (w − c₀)/g in output coordinates `c` (n, q), in place. */
static void subtract_baseline(const features *s, size_t n, const double *t, const double *baseline,
                              double *c)
{
    for (size_t i = 0; i < n; i++) {
        double scale = 1 / features_scale(s, t[i]);
        for (size_t k = 0; k < s->outputs; k++)
            c[i * s->outputs + k] = (c[i * s->outputs + k] - baseline[i * s->outputs + k]) * scale;
    }
}

/* Energies: directions are the frame at y, and c₀ are the derivatives of e₀ in them. */
static mst_status prepare_tangents(const loss_setup *setup, size_t n, const sample_rows *rows,
                                   float *tangents, double *c)
{
    const features *s = setup->net->features;
    size_t d = s->d;
    double *frame;
    MST_TRY(mst_allocate(&frame, n * d * (s->D + s->inputs + 1)));
    double *wide = frame + n * d * s->D, *slope = wide + n * d * s->inputs;
    mst_status status = mst_manifold_frame(s->m, n, rows->y, frame);
    if (status == MST_OK)
        status = features_differentiate(s, n, d, rows->x, rows->y, rows->t, frame, wide, slope);
    for (size_t k = 0; status == MST_OK && k < n * d * s->inputs; k++)
        tangents[k] = (float)wide[k];
    for (size_t k = 0; status == MST_OK && k < n * d; k++)
        c[k] -= slope[k];
    mst_release(frame);
    return status;
}

static void keep(const loss_setup *setup, size_t n, const sample_rows *rows, const double *baseline,
                 const double *c, const double *time_target, const double *normals, float *extra)
{
    const features *s = setup->net->features;
    layout l = layout_of(setup);
    double d = (double)s->d;
    for (size_t i = 0; i < n; i++, extra += l.size) {
        double t = rows->t[i], g = s->energy ? 1 : features_scale(s, t);
        double share = rows->weight != NULL ? rows->weight[i] : 1;
        extra[0] = (float)(share * (s->plain ? 1 / d : t * g * g / d));
        for (size_t k = 0; k < l.q; k++)
            extra[1 + k] = (float)c[i * l.q + k];
        for (size_t k = 0; k < s->normals * l.q; k++)
            extra[l.normal + k] = (float)normals[i * s->normals * l.q + k];
        if (time_target == NULL)
            continue;
        double scale = features_time_scale(s, t);
        double rest = time_target[i] - features_time_baseline(s, t, baseline + i * s->base);
        double weight = setup->score_only ? 0 : share * time_share / d;
        extra[l.time] = (float)(weight * (s->plain ? 1 : t * t * scale * scale));
        extra[l.time + 1] = (float)(rest / scale);
    }
}

/* The chain of every row as a matrix between the network's outputs, and the target without what that of the
 * sample before contributes. c (n, q) are the targets in the network's units. */
static mst_status keep_chains(const loss_setup *setup, size_t n, const sample_rows *rows,
                              const double *c, float *extra)
{
    const features *s = setup->net->features;
    layout l = layout_of(setup);
    size_t d = s->d, D = s->D, q = l.q;
    double *work;
    MST_TRY(mst_allocate(&work, n * d * (D + q)));
    double *points = work, *u = points + n * d * D;
    for (size_t k = 0; k < n * d; k++)
        memcpy(points + k * D, rows->y + k / d * D, D * sizeof *points);
    mst_status status = features_to_outputs(s, n * d, points, rows->frame, u);
    for (size_t i = 0; status == MST_OK && i < n; i++, extra += l.size) {
        size_t before = (i + n - setup->chained) % n;
        const double *own = u + i * d * q, *other = u + before * d * q,
                     *chain = rows->chain + i * d * d;
        double scale =
            (1 - own_share) * features_scale(s, rows->t[before]) / features_scale(s, rows->t[i]);
        for (size_t e = 0; e < q; e++)
            for (size_t f = 0; f < q; f++) {
                double sum = 0;
                for (size_t a = 0; a < d; a++)
                    for (size_t b = 0; b < d; b++)
                        sum += own[a * q + e] * chain[a * d + b] * other[b * q + f];
                extra[l.chain + e * q + f] = (float)(scale * sum);
                extra[1 + e] -= (float)(scale * sum * c[before * q + f]);
            }
    }
    mst_release(work);
    return status;
}

mst_status regression_prepare(const loss_setup *setup, size_t n, const sample_rows *rows,
                              const double *target, const double *time_target,
                              const loss_samples *out)
{
    const features *s = setup->net->features;
    size_t q = s->outputs;
    double *work;
    MST_TRY(mst_allocate(&work, n * (s->base + q + s->normals * q)));
    double *baseline = work, *c = baseline + n * s->base, *normals = c + n * q;
    mst_status status = loss_read(setup, n, rows->x, rows->y, rows->t, out->inputs, baseline);
    if (status == MST_OK)
        status = features_to_outputs(s, n, rows->y, target, c);
    if (status == MST_OK && s->energy)
        status = prepare_tangents(setup, n, rows, out->tangents, c);
    else if (status == MST_OK)
        subtract_baseline(s, n, rows->t, baseline, c);
    if (status == MST_OK)
        status = features_normals(s, n, rows->y, normals);
    if (status == MST_OK)
        keep(setup, n, rows, baseline, c, setup->net->info.time_head ? time_target : NULL, normals,
             out->extra);
    if (status == MST_OK && setup->chained > 0)
        status = keep_chains(setup, n, rows, c, out->extra);
    mst_release(work);
    return status;
}

static double add_residual(float weight, float residual, float *slope)
{
    *slope = 2 * weight * residual;
    return (double)(weight * residual * residual);
}

/* Residuals of the time head, the last output. */
static double time_residuals(const loss_setup *setup, size_t n, const float *extra,
                             const loss_work *work)
{
    layout l = layout_of(setup);
    size_t outputs = setup->net->shape.outputs;
    double sum = 0;
    for (size_t i = 0; i < n; i++, extra += l.size)
        sum += add_residual(extra[l.time], work->out[(i + 1) * outputs - 1] - extra[l.time + 1],
                            &work->d_out[(i + 1) * outputs - 1]);
    return sum;
}

static double energy_gradient(const loss_setup *setup, const float *theta, size_t n,
                              const loss_samples *samples, loss_work *work, float *gradient)
{
    const mlp_shape *shape = &setup->net->shape;
    layout l = layout_of(setup);
    size_t d = setup->tangents, outputs = shape->outputs;
    mlp_forward(shape, theta, n, samples->inputs, work->out, work->mlp);
    mlp_tangent(shape, theta, n, d, samples->tangents, work->tan, work->mlp);
    double sum = 0;
    memset(work->d_out, 0, n * outputs * sizeof *work->d_out);
    memset(work->d_tan, 0, n * d * outputs * sizeof *work->d_tan);
    for (size_t i = 0; i < n; i++) {
        const float *extra = samples->extra + i * l.size;
        for (size_t k = 0; k < d; k++) {
            size_t at = (i * d + k) * outputs;
            sum += add_residual(extra[0], work->tan[at] - extra[1 + k], &work->d_tan[at]);
        }
    }
    if (setup->net->info.time_head)
        sum += time_residuals(setup, n, samples->extra, work);
    mlp_backward_tangent(shape, theta, n, d, samples->inputs, samples->tangents, work->d_out,
                         work->d_tan, gradient, work->mlp);
    return sum;
}

/* What the averaged network says of the samples before, through the chains: out (n, q). */
static void chained_shares(const loss_setup *setup, size_t n, const loss_samples *samples,
                           loss_work *work)
{
    const mlp_shape *shape = &setup->net->shape;
    layout l = layout_of(setup);
    size_t q = l.q, outputs = shape->outputs;
    mlp_forward(shape, setup->net->theta, n, samples->before, work->out, work->mlp);
    for (size_t i = 0; i < n; i++) {
        const float *chain = samples->extra + i * l.size + l.chain, *out = work->out + i * outputs;
        for (size_t e = 0; e < q; e++) {
            float sum = 0;
            for (size_t f = 0; f < q; f++)
                sum += chain[e * q + f] * out[f];
            work->share[i * q + e] = sum;
        }
    }
}

double regression_gradient(const loss_setup *setup, const float *theta, size_t n,
                           const loss_samples *samples, loss_work *work, float *gradient)
{
    if (setup->net->info.energy)
        return energy_gradient(setup, theta, n, samples, work, gradient);
    const mlp_shape *shape = &setup->net->shape;
    const features *s = setup->net->features;
    layout l = layout_of(setup);
    size_t q = l.q, outputs = shape->outputs;
    if (setup->chained > 0)
        chained_shares(setup, n, samples, work);
    mlp_forward(shape, theta, n, samples->inputs, work->out, work->mlp);
    double sum = 0;
    const float *extra = samples->extra;
    for (size_t i = 0; i < n; i++, extra += l.size) {
        float *out = work->out + i * outputs, *slope = work->d_out + i * outputs;
        loss_project(q, s->normals, extra + l.normal, out);
        for (size_t k = 0; k < q; k++)
            sum +=
                add_residual(extra[0], out[k] - extra[1 + k] - work->share[i * q + k], &slope[k]);
    }
    if (setup->net->info.time_head)
        sum += time_residuals(setup, n, samples->extra, work);
    mlp_backward(shape, theta, n, samples->inputs, work->d_out, gradient, NULL, work->mlp);
    return sum;
}
