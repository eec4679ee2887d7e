/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* A multilayer perceptron in float: `depth` hidden layers of `width` units, a linear last layer. Values,
 * gradients, directional derivatives (tangents) and gradients of functions of values and tangents.
 *
 * Parameters are one block; weights are stored (outputs of the layer, inputs of the layer), as in PyTorch.
 * Rows are independent, so threads take shards of a batch, each with its own workspace and its own gradient
 * block. With oneDNN or CBLAS (MST_GEMM) a row's results may differ by a few ulp with its
 * place in the batch. */
#ifndef MST_NET_MLP_H
#define MST_NET_MLP_H

#include "base/internal.h"

#include <manistat/random.h>

typedef enum mlp_activation { MLP_SILU, MLP_TANH } mlp_activation;

typedef struct mlp_shape {
    size_t inputs, width, depth, outputs; /* depth ≥ 1 */
    mlp_activation activation;
} mlp_shape;

/* Layer k = 0 … depth: where its weights (rows, columns) and biases (rows) stand in the block. */
typedef struct mlp_layer {
    size_t rows, columns, weight, bias;
} mlp_layer;
mlp_layer mlp_layer_at(const mlp_shape *shape, size_t k);
/* Size of the block: a multiple of 16 floats; layers begin at multiples of 16, the padding stays zero. */
size_t mlp_parameters(const mlp_shape *shape);

/* Uniform in ±√(3·gain/columns) (variance gain/columns; gain 1 for tanh, 2 for SiLU), zero biases; the last
 * layer has gain 1 and is multiplied by `last`. */
void mlp_initialise(const mlp_shape *shape, mst_random r, float last, float *theta);

/* Workspace for up to `rows` rows with up to `tangents` tangents each (0: none). MST_MEMORY. */
typedef struct mlp_work mlp_work;
MST_MUST_USE mst_status mlp_work_new(mlp_work **out, const mlp_shape *shape, size_t rows,
                                     size_t tangents);
/* The same for mlp_forward and mlp_tangent alone: gradients find nothing there, and it is so much smaller
 * that they take less time. */
MST_MUST_USE mst_status mlp_work_new_small(mlp_work **out, const mlp_shape *shape, size_t rows,
                                           size_t tangents);
void mlp_work_free(mlp_work *work); /* null allowed */

/* out (n, outputs) from x (n, inputs). Leaves in the workspace what the other functions need. */
void mlp_forward(const mlp_shape *shape, const float *theta, size_t n, const float *x, float *out,
                 mlp_work *work);
/* After mlp_forward on the same rows: adds to gradient (parameters) that of Σ <d_out, out>, and writes d_x
 * (n, inputs) unless it is null. */
void mlp_backward(const mlp_shape *shape, const float *theta, size_t n, const float *x,
                  const float *d_out, float *gradient, float *d_x, mlp_work *work);

/* After mlp_forward on the same rows: the derivatives tan_out (n, T, outputs) in the
 * directions dx (n, T, inputs). */
void mlp_tangent(const mlp_shape *shape, const float *theta, size_t n, size_t tangents,
                 const float *dx, float *tan_out, mlp_work *work);
/* After mlp_forward and mlp_tangent on the same rows: adds to gradient that of Σ <d_out, out> + Σ <d_tan_out,
 * tan_out>, the directions dx being constants. d_out (n, outputs) may be null: zero. */
void mlp_backward_tangent(const mlp_shape *shape, const float *theta, size_t n, size_t tangents,
                          const float *x, const float *dx, const float *d_out,
                          const float *d_tan_out, float *gradient, mlp_work *work);

#endif
