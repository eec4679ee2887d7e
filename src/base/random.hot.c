/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

#include "base/random_kernels.h"
#include "base/random_lanes.h"

static void bits(uint64_t seed, uint64_t stream, uint64_t block, uint64_t *out)
{
    philox_lanes c;
    philox_indices(seed, stream, block, &c);
    for (int i = 0; i < MST_LANES; i++) {
        out[2 * i] = (uint64_t)c.w[1][i] << 32 | c.w[0][i];
        out[2 * i + 1] = (uint64_t)c.w[3][i] << 32 | c.w[2][i];
    }
}

static void uniforms(uint64_t seed, uint64_t stream, uint64_t block, double *out)
{
    philox_lanes c;
    philox_indices(seed, stream, block, &c);
    for (int i = 0; i < MST_LANES; i++) {
        out[2 * i] = philox_uniform(c.w[0][i], c.w[1][i]);
        out[2 * i + 1] = philox_uniform(c.w[2][i], c.w[3][i]);
    }
}

static void normals(uint64_t seed, uint64_t stream, uint64_t block, double *out)
{
    philox_lanes c;
    double even[MST_LANES], odd[MST_LANES];
    philox_indices(seed, stream, block, &c);
    philox_normals(&c, even, odd);
    for (int i = 0; i < MST_LANES; i++) {
        out[2 * i] = even[i];
        out[2 * i + 1] = odd[i];
    }
}

static void step(uint64_t seed, uint64_t first_path, uint64_t number, size_t d,
                 double (*z)[MST_LANES])
{
    noise_step(seed, first_path, number, d, z);
}

static void step_uniform(uint64_t seed, uint64_t first_path, uint64_t index, double *u)
{
    philox_lanes c;
    philox_streams(seed, first_path, index, &c);
    for (int i = 0; i < MST_LANES; i++)
        u[i] = philox_uniform(c.w[0][i], c.w[1][i]);
}

const struct random_kernels HOT(random_kernels) = {
    .bits = bits,
    .uniforms = uniforms,
    .normals = normals,
    .step = step,
    .step_uniform = step_uniform,
};
