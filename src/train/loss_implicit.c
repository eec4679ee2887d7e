/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Implicit score matching: t(|s|² + 2 div s)/d has the score as its minimiser and needs no target. The
 * divergence is the trace of the network's derivative in all directions of the frame, or in one random
 * direction times d. */
#include "train/loss.h"

#include <math.h>
#include <string.h>

/* A sample keeps: weight, g, the constant part of the divergence, q floats each of c₀ and of the trace of the
 * connection, Pᵀv times its weight for each direction v, and the normals. */
typedef struct layout {
    size_t q, baseline, trace, direction, normal, size;
} layout;

static layout layout_of(const loss_setup *setup)
{
    const features *s = setup->net->features;
    layout l = {.q = s->outputs, .baseline = 3};
    l.trace = l.baseline + l.q;
    l.direction = l.trace + l.q;
    l.normal = l.direction + setup->tangents * l.q;
    l.size = l.normal + s->normals * l.q;
    return l;
}

mst_status implicit_plan(loss_setup *setup, size_t directions)
{
    MST_TRY(loss_refuse_time_head(setup));
    setup->rows = 1;
    setup->tangents = directions;
    setup->extra = layout_of(setup).size;
    return MST_OK;
}

/* Directions v (n, T, D): the frame, or random unit vectors numbered first …. */
static mst_status choose_directions(const loss_setup *setup, uint64_t first, size_t n,
                                    const double *y, double *v)
{
    const features *s = setup->net->features;
    size_t d = s->d;
    if (setup->tangents == d && d > 1)
        return mst_manifold_frame(s->m, n, y, v);
    static const uint64_t stream = 0x646972656374696f;
    double *c;
    MST_TRY(mst_allocate(&c, n * d));
    mst_random_normals((mst_random){setup->seed, stream}, first * d, n * d, c);
    for (size_t i = 0; i < n; i++) {
        double square = 0;
        for (size_t k = 0; k < d; k++)
            square += c[i * d + k] * c[i * d + k];
        for (size_t k = 0; k < d; k++)
            c[i * d + k] /= sqrt(square);
    }
    mst_status status = mst_manifold_from_frame(s->m, n, y, c, v);
    mst_release(c);
    return status;
}

typedef struct workspace {
    double *points, *v, *e, *d_inputs, *d_baseline; /* (n, T, …) */
    double *baseline, *trace, *normal;              /* (n, …) */
    double *memory;
} workspace;

static mst_status workspace_new(workspace *r, const loss_setup *setup, size_t n)
{
    const features *s = setup->net->features;
    size_t T = setup->tangents, q = s->outputs;
    MST_TRY(mst_allocate(&r->memory,
                         n * T * (2 * s->D + q + s->inputs + s->base) + n * q * (2 + s->normals)));
    r->points = r->memory;
    r->v = r->points + n * T * s->D;
    r->e = r->v + n * T * s->D;
    r->d_inputs = r->e + n * T * q;
    r->d_baseline = r->d_inputs + n * T * s->inputs;
    r->baseline = r->d_baseline + n * T * s->base;
    r->trace = r->baseline + n * q;
    r->normal = r->trace + n * q;
    return MST_OK;
}

static mst_status fill(const loss_setup *setup, uint64_t first, size_t n, const sample_rows *rows,
                       const loss_samples *out, workspace *r)
{
    const features *s = setup->net->features;
    size_t T = setup->tangents;
    MST_TRY(loss_read(setup, n, rows->x, rows->y, rows->t, out->inputs, r->baseline));
    MST_TRY(choose_directions(setup, first, n, rows->y, r->v));
    for (size_t k = 0; k < n * T; k++)
        memcpy(r->points + k * s->D, rows->y + k / T * s->D, s->D * sizeof *rows->y);
    MST_TRY(features_to_outputs(s, n * T, r->points, r->v, r->e));
    MST_TRY(features_differentiate(s, n, T, rows->x, rows->y, rows->t, r->v, r->d_inputs,
                                   r->d_baseline));
    MST_TRY(features_divergence(s, n, rows->y, r->trace));
    MST_TRY(features_normals(s, n, rows->y, r->normal));
    for (size_t k = 0; k < n * T * s->inputs; k++)
        out->tangents[k] = (float)r->d_inputs[k];
    return MST_OK;
}

mst_status implicit_prepare(const loss_setup *setup, uint64_t first, size_t n,
                            const sample_rows *rows, const loss_samples *out)
{
    const features *s = setup->net->features;
    layout l = layout_of(setup);
    size_t q = l.q, T = setup->tangents;
    double factor = (double)s->d / (double)T;
    workspace r;
    MST_TRY(workspace_new(&r, setup, n));
    mst_status status = fill(setup, first, n, rows, out, &r);
    for (size_t i = 0; status == MST_OK && i < n; i++) {
        float *extra = out->extra + i * l.size;
        double t = rows->t[i], constant = 0;
        for (size_t k = 0; k < q; k++) {
            extra[l.baseline + k] = (float)r.baseline[i * q + k];
            extra[l.trace + k] = (float)r.trace[i * q + k];
            constant += r.baseline[i * q + k] * r.trace[i * q + k];
        }
        for (size_t k = 0; k < T * q; k++) {
            extra[l.direction + k] = (float)(factor * r.e[i * T * q + k]);
            constant += factor * r.e[i * T * q + k] * r.d_baseline[i * T * q + k];
        }
        for (size_t k = 0; k < s->normals * q; k++)
            extra[l.normal + k] = (float)r.normal[i * s->normals * q + k];
        extra[0] = (float)((s->plain ? 1 : t) / (double)s->d);
        extra[1] = (float)features_scale(s, t);
        extra[2] = (float)constant;
    }
    mst_release(r.memory);
    return status;
}

/* |c|² and its slope, or d<u, c>² with u the only direction; c is in work->out. */
static float square_and_slope(const layout *l, float d, bool sliced, const float *extra,
                              const float *c, float *slope)
{
    float sum = 0;
    if (!sliced) {
        for (size_t k = 0; k < l->q; k++) {
            sum += c[k] * c[k];
            slope[k] = 2 * c[k];
        }
        return sum;
    }
    const float *e = extra + l->direction; /* d·Pᵀu */
    for (size_t k = 0; k < l->q; k++)
        sum += e[k] * c[k];
    for (size_t k = 0; k < l->q; k++)
        slope[k] = 2 * sum * e[k] / d;
    return sum * sum / d;
}

double implicit_gradient(const loss_setup *setup, const float *theta, size_t n, bool sliced,
                         const loss_samples *samples, loss_work *work, float *gradient)
{
    const mlp_shape *shape = &setup->net->shape;
    const features *s = setup->net->features;
    layout l = layout_of(setup);
    size_t q = l.q, T = setup->tangents;
    mlp_forward(shape, theta, n, samples->inputs, work->out, work->mlp);
    mlp_tangent(shape, theta, n, T, samples->tangents, work->tan, work->mlp);
    double sum = 0;
    const float *extra = samples->extra;
    for (size_t i = 0; i < n; i++, extra += l.size) {
        float weight = extra[0], g = extra[1], divergence = extra[2];
        float *c = work->out + i * q, *slope = work->d_out + i * q;
        for (size_t k = 0; k < T * q; k++) {
            divergence += g * extra[l.direction + k] * work->tan[i * T * q + k];
            work->d_tan[i * T * q + k] = 2 * weight * g * extra[l.direction + k];
        }
        for (size_t k = 0; k < q; k++)
            divergence += g * extra[l.trace + k] * c[k];
        loss_project(q, s->normals, extra + l.normal, c);
        for (size_t k = 0; k < q; k++)
            c[k] = extra[l.baseline + k] + g * c[k];
        float square = square_and_slope(&l, (float)s->d, sliced, extra, c, slope);
        for (size_t k = 0; k < q; k++)
            slope[k] = weight * g * (slope[k] + 2 * extra[l.trace + k]);
        sum += (double)(weight * (square + 2 * divergence));
    }
    mlp_backward_tangent(shape, theta, n, T, samples->inputs, samples->tangents, work->d_out,
                         work->d_tan, gradient, work->mlp);
    return sum;
}
