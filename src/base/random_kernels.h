/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

#ifndef MST_BASE_RANDOM_KERNELS_H
#define MST_BASE_RANDOM_KERNELS_H

#include "base/isa.h"
#include "base/lanes.h"

#include <stddef.h>
#include <stdint.h>

/* A block of Philox gives two numbers; each call makes MST_LANES blocks, 2·MST_LANES numbers. */
struct random_kernels {
    void (*bits)(uint64_t seed, uint64_t stream, uint64_t block, uint64_t *out);
    void (*uniforms)(uint64_t seed, uint64_t stream, uint64_t block, double *out);
    void (*normals)(uint64_t seed, uint64_t stream, uint64_t block, double *out);
    /* One step of the noise of MST_LANES consecutive paths, z (d rounded up to even, MST_LANES). */
    void (*step)(uint64_t seed, uint64_t first_path, uint64_t number, size_t d,
                 double (*z)[MST_LANES]);
    /* Uniform number 2·index of MST_LANES consecutive streams. */
    void (*step_uniform)(uint64_t seed, uint64_t first_path, uint64_t index, double *u);
};
MST_DECLARE_HOT(struct random_kernels, random_kernels);

#endif
