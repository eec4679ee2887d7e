/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

#include "net/mlp.h"

#include "net/activation_kernels.h"
#include "net/gemm.h"

#include <math.h>
#include <string.h>

static size_t whole_groups(size_t n)
{
    return (n + NET_GROUP - 1) / NET_GROUP * NET_GROUP;
}

mlp_layer mlp_layer_at(const mlp_shape *s, size_t k)
{
    size_t first = whole_groups(s->width * s->inputs) + whole_groups(s->width);
    size_t middle = whole_groups(s->width * s->width) + whole_groups(s->width);
    mlp_layer layer = {.rows = k < s->depth ? s->width : s->outputs,
                       .columns = k == 0 ? s->inputs : s->width,
                       .weight = k == 0 ? 0 : first + (k - 1) * middle};
    layer.bias = layer.weight + whole_groups(layer.rows * layer.columns);
    return layer;
}

size_t mlp_parameters(const mlp_shape *shape)
{
    return mlp_layer_at(shape, shape->depth).bias + whole_groups(shape->outputs);
}

void mlp_initialise(const mlp_shape *shape, mst_random r, float last, float *theta)
{
    memset(theta, 0, mlp_parameters(shape) * sizeof *theta);
    uint64_t drawn = 0;
    for (size_t k = 0; k <= shape->depth; k++) {
        mlp_layer layer = mlp_layer_at(shape, k);
        double gain = k < shape->depth && shape->activation == MLP_SILU ? 2 : 1;
        double range =
            sqrt(3 * gain / (double)layer.columns) * (k < shape->depth ? 1.0 : (double)last);
        size_t count = layer.rows * layer.columns;
        for (size_t i = 0; i < count;) {
            double u[256];
            size_t some = count - i < 256 ? count - i : 256;
            mst_random_uniforms(r, drawn, some, u);
            for (size_t l = 0; l < some; l++)
                theta[layer.weight + i + l] = (float)(range * (2 * u[l] - 1));
            i += some;
            drawn += some;
        }
    }
}

/* All matrices have rows of ld = whole_groups(width) floats, so that the passes between products see whole
 * groups; the columns beyond the width are zero. Those of layer k stand k·rows·ld (tangents:
 * k·rows·tangents·ld) floats on; of a small workspace k modulo `kept`, but for the slopes. */
struct mlp_work {
    const struct activation_kernels *kernels;
    size_t rows, tangents, ld;
    size_t kept; /* so many layers; a small one has two, from one to the other */
    bool small;
    /* The activation and its derivatives, the second one only if there may be tangents. */
    float *value, *slope, *curve;
    /* Tangents before and after the activation. */
    float *pre, *tangent;
    /* Gradients by values and by tangents, of two neighbouring layers. */
    float *d[2], *e[2];
};

static mst_status work_new(mlp_work **out, const mlp_shape *shape, size_t rows, size_t tangents,
                           bool small)
{
    mlp_work *w;
    size_t kept = small && shape->depth > 2 ? 2 : shape->depth, gradients = small ? 0 : 1;
    *out = NULL;
    MST_TRY(mst_allocate_zero(&w, 1));
    *w = (mlp_work){.kernels = MST_PICK(activation_kernels),
                    .rows = rows,
                    .tangents = tangents,
                    .ld = whole_groups(shape->width),
                    .kept = kept,
                    .small = small};
    const struct {
        float **matrix;
        size_t layers, rows;
    } parts[] = {{&w->value, kept, 1},
                 {&w->slope, shape->depth, 1},
                 {&w->d[0], gradients, 1},
                 {&w->d[1], gradients, 1},
                 {&w->curve, gradients * shape->depth, 1},
                 {&w->pre, small ? 1 : shape->depth, tangents},
                 {&w->tangent, kept, tangents},
                 {&w->e[0], gradients, tangents},
                 {&w->e[1], gradients, tangents}};
    size_t count = tangents > 0 ? sizeof parts / sizeof *parts : 4;
    mst_status status = MST_OK;
    for (size_t i = 0; i < count && status == MST_OK; i++) {
        size_t size;
        if (__builtin_mul_overflow(parts[i].layers * w->ld, parts[i].rows, &size) ||
            __builtin_mul_overflow(rows, size, &size))
            size = SIZE_MAX; /* refused below */
        status = mst_allocate_zero(parts[i].matrix, size);
    }
    if (status != MST_OK) {
        mlp_work_free(w);
        return status;
    }
    *out = w;
    return MST_OK;
}

mst_status mlp_work_new(mlp_work **out, const mlp_shape *shape, size_t rows, size_t tangents)
{
    return work_new(out, shape, rows, tangents, false);
}

mst_status mlp_work_new_small(mlp_work **out, const mlp_shape *shape, size_t rows, size_t tangents)
{
    return work_new(out, shape, rows, tangents, true);
}

void mlp_work_free(mlp_work *w)
{
    if (w == NULL)
        return;
    float *parts[] = {w->value, w->slope, w->curve, w->pre, w->tangent,
                      w->d[0],  w->d[1],  w->e[0],  w->e[1]};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        mst_release(parts[i]);
    mst_release(w);
}

/* Rows that a layer reads: of the network's input, or of the workspace. */
typedef struct input {
    const float *rows;
    size_t ld;
} input;

static float *values_of(const mlp_work *w, size_t k)
{
    return w->value + k % w->kept * w->rows * w->ld;
}

static float *tangents_of(const mlp_work *w, size_t k)
{
    return w->tangent + k % w->kept * w->rows * w->tangents * w->ld;
}

static input values_before(const mlp_shape *shape, const mlp_work *w, size_t k, const float *x)
{
    if (k == 0)
        return (input){x, shape->inputs};
    return (input){values_of(w, k - 1), w->ld};
}

static input tangents_before(const mlp_shape *shape, const mlp_work *w, size_t k, const float *dx)
{
    if (k == 0)
        return (input){dx, shape->inputs};
    return (input){tangents_of(w, k - 1), w->ld};
}

/* out (n, rows of the layer) = in Wᵀ. */
static void through(mlp_layer layer, const float *theta, size_t n, input in, float beta, float *out,
                    size_t ld)
{
    gemm(false, true, n, layer.rows, layer.columns, in.rows, in.ld, theta + layer.weight,
         layer.columns, beta, out, ld);
}

/* d_in (n, columns of the layer) = d W. */
static void back_through(mlp_layer layer, const float *theta, size_t n, const float *d, size_t ld,
                         float *d_in, size_t ld_in)
{
    gemm(false, false, n, layer.columns, layer.rows, d, ld, theta + layer.weight, layer.columns, 0,
         d_in, ld_in);
}

/* Gradient by the weights += dᵀ in. */
static void add_weight_gradient(mlp_layer layer, size_t n, const float *d, size_t ld, input in,
                                float *gradient)
{
    gemm(true, false, layer.rows, layer.columns, n, d, ld, in.rows, in.ld, 1,
         gradient + layer.weight, layer.columns);
}

void mlp_forward(const mlp_shape *shape, const float *theta, size_t n, const float *x, float *out,
                 mlp_work *w)
{
    for (size_t k = 0; k < shape->depth; k++) {
        mlp_layer layer = mlp_layer_at(shape, k);
        size_t at = k * w->rows * w->ld;
        const float *bias = theta + layer.bias;
        float *value = values_of(w, k), *slope = w->slope + at;
        through(layer, theta, n, values_before(shape, w, k, x), 0, value, w->ld);
        if (w->tangents > 0 && !w->small)
            w->kernels->forward_curved[shape->activation](n, w->ld, bias, value, slope,
                                                          w->curve + at);
        else
            w->kernels->forward[shape->activation](n, w->ld, bias, value, slope);
    }
    mlp_layer last = mlp_layer_at(shape, shape->depth);
    for (size_t i = 0; i < n; i++)
        memcpy(out + i * last.rows, theta + last.bias, last.rows * sizeof *out);
    through(last, theta, n, values_before(shape, w, shape->depth, x), 1, out, last.rows);
}

/* The last layer's part of the gradient of Σ <d_out, out>; leaves in d the gradient by
 * the values before it. */
static void backward_last(const mlp_shape *shape, const float *theta, size_t n, const float *d_out,
                          float *gradient, float *d, const mlp_work *w)
{
    mlp_layer last = mlp_layer_at(shape, shape->depth);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < last.rows; j++)
            gradient[last.bias + j] += d_out[i * last.rows + j];
    add_weight_gradient(last, n, d_out, last.rows, values_before(shape, w, shape->depth, NULL),
                        gradient);
    back_through(last, theta, n, d_out, last.rows, d, w->ld);
}

void mlp_backward(const mlp_shape *shape, const float *theta, size_t n, const float *x,
                  const float *d_out, float *gradient, float *d_x, mlp_work *w)
{
    float *d = w->d[0], *d_before = w->d[1];
    backward_last(shape, theta, n, d_out, gradient, d, w);
    for (size_t k = shape->depth; k-- > 0;) {
        mlp_layer layer = mlp_layer_at(shape, k);
        w->kernels->backward(n, w->ld, w->slope + k * w->rows * w->ld, d, gradient + layer.bias);
        add_weight_gradient(layer, n, d, w->ld, values_before(shape, w, k, x), gradient);
        if (k > 0)
            back_through(layer, theta, n, d, w->ld, d_before, w->ld);
        else if (d_x != NULL)
            back_through(layer, theta, n, d, w->ld, d_x, shape->inputs);
        float *swap = d;
        d = d_before;
        d_before = swap;
    }
}

void mlp_tangent(const mlp_shape *shape, const float *theta, size_t n, size_t tangents,
                 const float *dx, float *tan_out, mlp_work *w)
{
    for (size_t k = 0; k < shape->depth; k++) {
        float *pre = w->pre + (w->small ? 0 : k) * w->rows * w->tangents * w->ld;
        through(mlp_layer_at(shape, k), theta, n * tangents, tangents_before(shape, w, k, dx), 0,
                pre, w->ld);
        w->kernels->tangent(n, tangents, w->ld, w->slope + k * w->rows * w->ld, pre,
                            tangents_of(w, k));
    }
    mlp_layer last = mlp_layer_at(shape, shape->depth);
    through(last, theta, n * tangents, tangents_before(shape, w, shape->depth, dx), 0, tan_out,
            last.rows);
}

void mlp_backward_tangent(const mlp_shape *shape, const float *theta, size_t n, size_t tangents,
                          const float *x, const float *dx, const float *d_out,
                          const float *d_tan_out, float *gradient, mlp_work *w)
{
    float *d = w->d[0], *d_before = w->d[1], *e = w->e[0], *e_before = w->e[1];
    mlp_layer last = mlp_layer_at(shape, shape->depth);
    if (d_out != NULL)
        backward_last(shape, theta, n, d_out, gradient, d, w);
    else
        memset(d, 0, n * w->ld * sizeof *d);
    add_weight_gradient(last, n * tangents, d_tan_out, last.rows,
                        tangents_before(shape, w, shape->depth, dx), gradient);
    back_through(last, theta, n * tangents, d_tan_out, last.rows, e, w->ld);
    for (size_t k = shape->depth; k-- > 0;) {
        mlp_layer layer = mlp_layer_at(shape, k);
        size_t at = k * w->rows * w->ld;
        w->kernels->backward_tangent(n, tangents, w->ld, w->slope + at, w->curve + at,
                                     w->pre + at * w->tangents, d, e, gradient + layer.bias);
        add_weight_gradient(layer, n, d, w->ld, values_before(shape, w, k, x), gradient);
        add_weight_gradient(layer, n * tangents, e, w->ld, tangents_before(shape, w, k, dx),
                            gradient);
        if (k > 0) {
            back_through(layer, theta, n, d, w->ld, d_before, w->ld);
            back_through(layer, theta, n * tangents, e, w->ld, e_before, w->ld);
        }
        float *swap = d;
        d = d_before, d_before = swap;
        swap = e;
        e = e_before, e_before = swap;
    }
}
