/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Layers of a network on several channels: values, and derivatives in directions of the latent space. */
#ifndef MST_LEARNED_DECODER_KERNELS_H
#define MST_LEARNED_DECODER_KERNELS_H

#include "base/isa.h"

#include <stddef.h>

struct decoder_kernels {
    /* to[c] (rows) = W from[c] for channels c, `weight` (columns, rows) being Wᵀ; of channel 0 with a bias
     * (rows), which may be null. Channels are `stride` apart. */
    void (*multiply)(size_t rows, size_t columns, const double *weight, const double *bias,
                     size_t channels, size_t stride, const double *from, double *to);
};
MST_DECLARE_HOT(struct decoder_kernels, decoder_kernels);

#endif
