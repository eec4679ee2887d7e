/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Philox4x32-10 and Box–Muller on MST_LANES counters at once, for *.hot.c files. */
#ifndef MST_BASE_RANDOM_LANES_H
#define MST_BASE_RANDOM_LANES_H

#include "base/lanes.h"
#include "base/vecmath.h"

/* Four words of the counter, word by word; becomes the output in place. */
typedef struct philox_lanes {
    uint32_t w[4][MST_LANES];
} philox_lanes;

static inline void philox_run(uint64_t seed, philox_lanes *c)
{
    uint32_t k0 = (uint32_t)seed, k1 = (uint32_t)(seed >> 32);
    for (int round = 0; round < 10; round++) {
        MST_SIMD
        for (int i = 0; i < MST_LANES; i++) {
            uint32_t a = c->w[0][i], b = c->w[2][i];
            uint32_t a_high = (uint32_t)(((uint64_t)a * UINT32_C(0xD2511F53)) >> 32);
            uint32_t b_high = (uint32_t)(((uint64_t)b * UINT32_C(0xCD9E8D57)) >> 32);
            c->w[0][i] = b_high ^ c->w[1][i] ^ k0;
            c->w[1][i] = b * UINT32_C(0xCD9E8D57);
            c->w[2][i] = a_high ^ c->w[3][i] ^ k1;
            c->w[3][i] = a * UINT32_C(0xD2511F53);
        }
        k0 += UINT32_C(0x9E3779B9);
        k1 += UINT32_C(0xBB67AE85);
    }
}

/* Counters (index, stream + i): the same draw of MST_LANES consecutive streams. */
static inline void philox_streams(uint64_t seed, uint64_t stream, uint64_t index, philox_lanes *c)
{
    for (int i = 0; i < MST_LANES; i++) {
        c->w[0][i] = (uint32_t)index;
        c->w[1][i] = (uint32_t)(index >> 32);
        c->w[2][i] = (uint32_t)(stream + (uint64_t)i);
        c->w[3][i] = (uint32_t)((stream + (uint64_t)i) >> 32);
    }
    philox_run(seed, c);
}

/* Counters (index + i, stream): consecutive draws of one stream. */
static inline void philox_indices(uint64_t seed, uint64_t stream, uint64_t index, philox_lanes *c)
{
    for (int i = 0; i < MST_LANES; i++) {
        c->w[0][i] = (uint32_t)(index + (uint64_t)i);
        c->w[1][i] = (uint32_t)((index + (uint64_t)i) >> 32);
        c->w[2][i] = (uint32_t)stream;
        c->w[3][i] = (uint32_t)(stream >> 32);
    }
    philox_run(seed, c);
}

/* 52 random bits as an odd multiple of 2^-53 in (0, 1), from the high bits of two words. */
static inline double philox_uniform(uint32_t low, uint32_t high)
{
    uint64_t bits = ((uint64_t)high << 32 | low) >> 12;
    return vm_double(bits | UINT64_C(0x3ff0000000000000)) - (1 - 0x1p-53);
}

/* The two independent standard normals of each block. */
static inline void philox_normals(const philox_lanes *c, double *restrict even,
                                  double *restrict odd)
{
    MST_SIMD
    for (int i = 0; i < MST_LANES; i++) {
        double u = philox_uniform(c->w[0][i], c->w[1][i]),
               v = philox_uniform(c->w[2][i], c->w[3][i]);
        double radius = sqrt(-2 * vm_log(u)), s, k;
        vm_sincos_turn(v, &s, &k);
        even[i] = radius * k;
        odd[i] = radius * s;
    }
}

/* Normals z[j] (MST_LANES each), j < d, of one step of the walks of consecutive paths; see mst_noise. z has
 * room for d rounded up to even. */
static inline void noise_step(uint64_t seed, uint64_t first_path, uint64_t step, size_t d,
                              double (*restrict z)[MST_LANES])
{
    size_t pairs = (d + 1) / 2;
    for (size_t j = 0; j < pairs; j++) {
        philox_lanes c;
        philox_streams(seed, first_path, step * pairs + j, &c);
        philox_normals(&c, z[2 * j], z[2 * j + 1]);
    }
}

#endif
