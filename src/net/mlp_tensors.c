/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

#include "net/mlp_tensors.h"

#include <stdio.h>
#include <string.h>

void mlp_to_tensors(const mlp_shape *shape, float *theta, char (*names)[MLP_TENSOR_NAME],
                    tensor *list)
{
    for (size_t k = 0; k <= shape->depth; k++, names += 2, list += 2) {
        mlp_layer layer = mlp_layer_at(shape, k);
        snprintf(names[0], MLP_TENSOR_NAME, "layers.%zu.weight", k);
        snprintf(names[1], MLP_TENSOR_NAME, "layers.%zu.bias", k);
        list[0] = (tensor){.name = names[0],
                           .type = TENSOR_F32,
                           .rank = 2,
                           .shape = {layer.rows, layer.columns},
                           .data = theta + layer.weight};
        list[1] = (tensor){.name = names[1],
                           .type = TENSOR_F32,
                           .rank = 1,
                           .shape = {layer.rows},
                           .data = theta + layer.bias};
    }
}

bool mlp_take_layer(const mlp_shape *shape, const tensors *t, size_t k, float *theta)
{
    mlp_layer layer = mlp_layer_at(shape, k);
    char weight[MLP_TENSOR_NAME], bias[MLP_TENSOR_NAME];
    snprintf(weight, sizeof weight, "layers.%zu.weight", k);
    snprintf(bias, sizeof bias, "layers.%zu.bias", k);
    const tensor *w = tensors_find(t, weight), *b = tensors_find(t, bias);
    if (w == NULL || b == NULL || w->type != TENSOR_F32 || b->type != TENSOR_F32 || w->rank != 2 ||
        b->rank != 1 || w->shape[0] != layer.rows || w->shape[1] != layer.columns ||
        b->shape[0] != layer.rows)
        return false;
    memcpy(theta + layer.weight, w->data, layer.rows * layer.columns * sizeof *theta);
    memcpy(theta + layer.bias, b->data, layer.rows * sizeof *theta);
    return true;
}
