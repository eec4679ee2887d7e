/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Hot loops of the weighted walks that start all paths at one base point. */
#ifndef MST_MANIFOLD_WEIGHTED_KERNELS_H
#define MST_MANIFOLD_WEIGHTED_KERNELS_H

#include "base/isa.h"
#include "base/lanes.h"

#include <manistat/manifold.h>

/* A space of constant curvature of dimension m. The kernel works with the normals ξ = b/√h. */
typedef struct curved_block {
    size_t m;
    bool sphere; /* or hyperbolic space */
    const mst_weighted_paths *paths;
    const double *angle, *growth; /* (MST_LANES): arc of a step per |ξ|, and f of the recursions */
    double *work;                 /* curved_work(m) */
    double *out;                  /* (rows, curved_width(m)), rows as in `paths` */
} curved_block;

/* Columns of a row of `out`: the point z (m + 1, the base point being the last unit vector), then the weight
 * U (m), then these. */
enum { CURVED_TIME_WEIGHT, CURVED_SQUARES, CURVED_PAIRS, CURVED_SUMS };
static inline size_t curved_width(size_t m)
{
    return 2 * m + 1 + CURVED_SUMS;
}

static inline size_t curved_work(size_t m)
{
    return ((m + 1) + m + (m + 2)) * MST_LANES;
}

struct curved_path_kernels {
    void (*run)(const curved_block *b);
};
MST_DECLARE_HOT(struct curved_path_kernels, curved_path_kernels);

/* Positive definite matrices of order n ≤ 4, affine-invariant metric, from the identity. Traces are apart:
 * they add up like flat coordinates. */
typedef struct spd_block {
    size_t n;
    int squarings; /* of the exponential of a step, whose argument is divided by 2^squarings first */
    const mst_weighted_paths *paths;
    const double *half_step, *growth; /* (MST_LANES): half the trace-free step per ξ, and f */
    double *out;                      /* (rows, spd_width(n)) */
} spd_block;

/* Columns of a row of `out`, with d = n(n+1)/2 coordinates as in symmetric.h: the point of determinant 1 (n,
 * n), the trace-free weight U (d), then these. */
enum { SPD_TRACE = CURVED_SUMS, SPD_SUMS };
static inline size_t spd_width(size_t n)
{
    return n * n + n * (n + 1) / 2 + SPD_SUMS;
}

struct spd_path_kernels {
    void (*run)(const spd_block *b);
};
MST_DECLARE_HOT(struct spd_path_kernels, spd_path_kernels);

#endif
