/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Curves by a network: from covariates to points and back with gradients. */
#include "stat/curve_parts.h"

#include "stat/fit.h"

#include <math.h>
#include <string.h>

size_t curve_parameters(const mlp_shape *shape)
{
    return mlp_parameters(shape) + CURVE_EXTRA;
}

size_t curve_width(const mst_curve *c)
{
    return c->shape.outputs - (c->noise_network ? 1 : 0);
}

mst_status curve_new(mst_curve **out, const mst_manifold *m, size_t inputs, size_t width,
                     size_t depth, bool noise_network)
{
    mst_curve *c;
    size_t d = mst_manifold_dim(m), D = mst_manifold_ambient(m);
    MST_TRY(mst_allocate_zero(&c, 1));
    bool projected = mst_manifold_traits_of(m)->unit_rows;
    c->m = m;
    c->noise_network = noise_network;
    c->shape = (mlp_shape){.inputs = inputs,
                           .width = width,
                           .depth = depth,
                           .outputs = (projected ? D : d) + (noise_network ? 1 : 0),
                           .activation = MLP_SILU};
    c->info = (mst_curve_info){.inputs = inputs,
                               .width = width,
                               .depth = depth,
                               .parameters = curve_parameters(&c->shape),
                               .projected = projected,
                               .noise_network = noise_network,
                               .noise = NAN,
                               .log_likelihood = NAN,
                               .held_out_log_likelihood = NAN,
                               .r_squared = NAN,
                               .held_out_r_squared = NAN};
    mst_status status = mst_allocate_zero(&c->theta, curve_parameters(&c->shape));
    if (status == MST_OK)
        status = mst_allocate_zero(&c->centre, 2 * inputs + D);
    if (status == MST_OK)
        status = mst_copy_string(&c->terms, "");
    if (status != MST_OK) {
        mst_curve_free(c);
        return status;
    }
    c->scale = c->centre + inputs;
    c->base = c->scale + inputs;
    *out = c;
    return MST_OK;
}

void mst_curve_free(mst_curve *c)
{
    if (c == NULL)
        return;
    mst_release(c->theta);
    mst_release(c->centre);
    mst_release(c->terms);
    mst_manifold_free(c->owned);
    mst_release(c);
}

mst_curve_info mst_curve_describe(const mst_curve *c)
{
    mst_curve_info info = c->info;
    info.manifold = mst_manifold_spec(c->m);
    info.terms = c->terms;
    return info;
}

const mst_manifold *mst_curve_manifold(const mst_curve *c)
{
    return c->m;
}

/* ---- Forward ---- */

mst_status curve_work_new(curve_work *w, const mst_curve *c, size_t rows)
{
    size_t D = mst_manifold_ambient(c->m), in = c->shape.inputs, out = c->shape.outputs;
    *w = (curve_work){.rows = rows};
    mst_status status = mlp_work_new(&w->mlp, &c->shape, rows, 0);
    if (status == MST_OK)
        status = mst_allocate(&w->floats, rows * (in + 2 * out));
    if (status == MST_OK)
        status = mst_allocate(&w->memory, rows * (4 * D + 1));
    if (status != MST_OK) {
        curve_work_free(w);
        return status;
    }
    w->x = w->floats;
    w->out = w->x + rows * in;
    w->d_out = w->out + rows * out;
    w->a = w->memory;
    w->base = w->a + rows * D;
    w->v = w->base + rows * D;
    w->pulled = w->v + rows * D;
    w->length = w->pulled + rows * D;
    return MST_OK;
}

void curve_work_free(curve_work *w)
{
    mlp_work_free(w->mlp);
    mst_release(w->floats);
    mst_release(w->memory);
    *w = (curve_work){0};
}

/* Beside the base point, then onto the sphere. */
static mst_status project_outputs(const mst_curve *c, size_t n, double *y, curve_work *w)
{
    size_t D = mst_manifold_ambient(c->m), out = c->shape.outputs;
    for (size_t i = 0; i < n; i++) {
        double square = 0;
        for (size_t a = 0; a < D; a++) {
            y[i * D + a] = c->base[a] + (double)w->out[i * out + a];
            square += y[i * D + a] * y[i * D + a];
        }
        w->length[i] = sqrt(square);
    }
    return mst_manifold_project(c->m, n, y, y);
}

/* Coordinates at the base point, in units of the spread, then Exp. The vectors stay in w->v. */
static mst_status follow_outputs(const mst_curve *c, size_t n, double *y, curve_work *w)
{
    size_t d = mst_manifold_dim(c->m), D = mst_manifold_ambient(c->m), out = c->shape.outputs;
    for (size_t i = 0; i < n; i++) {
        memcpy(w->base + i * D, c->base, D * sizeof *w->base);
        for (size_t a = 0; a < d; a++)
            w->a[i * d + a] = c->spread * (double)w->out[i * out + a];
    }
    MST_TRY(mst_manifold_from_frame(c->m, n, w->base, w->a, w->v));
    return mst_manifold_exp(c->m, n, w->base, w->v, y);
}

mst_status curve_forward(const mst_curve *c, const float *theta, size_t n, const double *x,
                         double *y, double *t, curve_work *w)
{
    size_t in = c->shape.inputs, out = c->shape.outputs;
    for (size_t k = 0; k < n * in; k++)
        w->x[k] = (float)((x[k] - c->centre[k % in]) / c->scale[k % in]);
    mlp_forward(&c->shape, theta, n, w->x, w->out, w->mlp);
    float constant = theta[mlp_parameters(&c->shape)];
    for (size_t i = 0; i < n; i++) {
        float log_ratio = c->noise_network ? w->out[i * out + out - 1] + constant : constant;
        t[i] = c->time * exp((double)log_ratio);
    }
    return c->info.projected ? project_outputs(c, n, y, w) : follow_outputs(c, n, y, w);
}

mst_status curve_backward(const mst_curve *c, const float *theta, size_t n, const double *score,
                          const double *by_log_time, double factor, float *gradient, curve_work *w)
{
    size_t d = mst_manifold_dim(c->m), D = mst_manifold_ambient(c->m), out = c->shape.outputs;
    size_t width = curve_width(c);
    if (!c->info.projected) {
        MST_TRY(mst_manifold_exp_adjoint(c->m, n, w->base, w->v, score, NULL, w->pulled));
        MST_TRY(mst_manifold_to_frame(c->m, n, w->base, w->pulled, w->a));
    }
    for (size_t i = 0; i < n; i++) {
        for (size_t a = 0; a < width; a++)
            w->d_out[i * out + a] =
                (float)(factor * (c->info.projected ? score[i * D + a] / w->length[i]
                                                    : c->spread * w->a[i * d + a]));
        if (c->noise_network)
            w->d_out[i * out + out - 1] = (float)(factor * by_log_time[i]);
        gradient[mlp_parameters(&c->shape)] += (float)(factor * by_log_time[i]);
    }
    mlp_backward(&c->shape, theta, n, w->x, w->d_out, gradient, NULL, w->mlp);
    return MST_OK;
}

mst_status mst_curve_predict(const mst_curve *c, size_t n, const double *x, double *points,
                             double *noise)
{
    enum { ROWS = 256 };
    size_t D = mst_manifold_ambient(c->m), in = c->shape.inputs;
    curve_work w;
    double *y;
    for (size_t k = 0; k < n * in; k++)
        if (!isfinite(x[k]))
            return mst_fail(MST_ARGUMENT, "row %zu: %g is not a covariate", k / in + 1, x[k]);
    MST_TRY(curve_work_new(&w, c, ROWS));
    mst_status status = mst_allocate(&y, ROWS * (D + 1));
    double *t = y + ROWS * D;
    for (size_t at = 0; status == MST_OK && at < n; at += ROWS) {
        size_t some = n - at < ROWS ? n - at : ROWS;
        status = curve_forward(c, c->theta, some, x + at * in, y, t, &w);
        if (status == MST_OK && points != NULL)
            memcpy(points + at * D, y, some * D * sizeof *y);
        if (status == MST_OK && noise != NULL)
            memcpy(noise + at, t, some * sizeof *t);
    }
    mst_release(y);
    curve_work_free(&w);
    return status;
}
