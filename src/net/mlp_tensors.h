/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* The layers of a perceptron as tensors of a file: layers.K.weight and layers.K.bias. */
#ifndef MST_NET_MLP_TENSORS_H
#define MST_NET_MLP_TENSORS_H

#include "io/tensors.h"
#include "net/mlp.h"

enum { MLP_TENSOR_NAME = 40 };

/* All layers of the block: `names` and `list` have room for 2 (depth + 1). */
void mlp_to_tensors(const mlp_shape *shape, float *theta, char (*names)[MLP_TENSOR_NAME],
                    tensor *list);
/* Layer k into the block; false: it is not there in this shape. */
bool mlp_take_layer(const mlp_shape *shape, const tensors *t, size_t k, float *theta);

#endif
