/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Random numbers as a function of (seed, stream, index): Philox4x32-10 (Salmon, Moraes, Dror and Shaw,
 * SC'11), the seed being its key and (index, stream) its counter. There is no state, so results do not
 * depend on the number of threads or on the order of the calls. */
#ifndef MANISTAT_RANDOM_H
#define MANISTAT_RANDOM_H

#include <manistat/status.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct mst_random {
    uint64_t seed;
    uint64_t stream;
} mst_random;

/* Numbers first … first+n−1 of the stream. Asking for them in pieces gives the same numbers. The three
 * functions read the same underlying bits: use different streams for different purposes.
 * bits: 64 random bits each. uniforms: in the open interval (0, 1), odd multiples of 2^-53.
 * normals: standard normal, by Box–Muller; numbers 2k and 2k+1 come from one Philox block. */
MST_API void mst_random_bits(mst_random r, uint64_t first, size_t n, uint64_t *out);
MST_API void mst_random_uniforms(mst_random r, uint64_t first, size_t n, double *out);
MST_API void mst_random_normals(mst_random r, uint64_t first, size_t n, double *out);

/* A uniformly random order of 0 … n−1 (Fisher–Yates, unbiased indices). Reads the bits of the stream from
 * number 0. */
MST_API void mst_random_permutation(mst_random r, size_t n, size_t *out);

/* k different numbers out of 0 … n−1 in random order, all ordered choices alike. MST_ARGUMENT if k > n,
 * MST_MEMORY. */
MST_API MST_MUST_USE mst_status mst_random_choice(mst_random r, size_t n, size_t k, size_t *out);

#ifdef __cplusplus
}
#endif
#endif
