/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* The passes over the units of a layer between two matrix products. */
#ifndef MST_NET_ACTIVATION_KERNELS_H
#define MST_NET_ACTIVATION_KERNELS_H

#include "base/isa.h"

#include <stddef.h>

/* Units come in whole groups of this many floats; columns beyond the width of a layer are
 * zero and stay so. */
enum { NET_GROUP = 16 };

/* Matrices (n, ld) with ld a multiple of NET_GROUP, biases and sums of ld floats. Tangent rows i·T … i·T + T
 * − 1 belong to row i. */
struct activation_kernels {
    /* z ← act(z + bias), slope = act'; one function for each mlp_activation. */
    void (*forward[2])(size_t n, size_t ld, const float *bias, float *z, float *slope);
    /* The same and curve = act''. */
    void (*forward_curved[2])(size_t n, size_t ld, const float *bias, float *z, float *slope,
                              float *curve);
    /* d ← d·slope, and sums += its columns. */
    void (*backward)(size_t n, size_t ld, const float *slope, float *d, float *sums);
    /* u = slope·pre, the slope of the row for each of its tangents. */
    void (*tangent)(size_t n, size_t T, size_t ld, const float *slope, const float *pre, float *u);
    /* From the gradients d by the values and e by the tangents u = slope·pre to those by what stood before
     * the activation: d ← slope·d + Σ_k curve·pre_k·e_k, e_k ← slope·e_k, and sums += the
     * columns of the new d. */
    void (*backward_tangent)(size_t n, size_t T, size_t ld, const float *slope, const float *curve,
                             const float *pre, float *d, float *e, float *sums);
};
MST_DECLARE_HOT(struct activation_kernels, activation_kernels);

#endif
