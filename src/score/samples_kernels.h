/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Hot loops of the simulators that start all paths at one base point. */
#ifndef MST_SCORE_SAMPLES_KERNELS_H
#define MST_SCORE_SAMPLES_KERNELS_H

#include "base/isa.h"
#include "score/samples_parts.h"

/* A space of constant curvature of dimension m. The kernel works with the normals ξ = b/√h. */
typedef struct curved_block {
    size_t m;
    bool sphere; /* or hyperbolic space */
    uint64_t seed, first;
    size_t steps;
    const double *angle, *growth; /* (MST_LANES): arc of a step per |ξ|, and f of the recursions */
    const uint32_t *begin;        /* see sample_events */
    const sample_event *event;
    double *scratch; /* curved_scratch(m) */
    double *out;     /* row slot·MST_LANES + lane of curved_width(m) */
} curved_block;

/* Columns of a row of `out`: the point z (m + 1, the base point being the last unit vector), then the weight U (m), then
 * these. */
enum { CURVED_TIME_WEIGHT, CURVED_SQUARES, CURVED_PAIRS, CURVED_SUMS };
static inline size_t curved_width(size_t m)
{
    return 2 * m + 1 + CURVED_SUMS;
}

static inline size_t curved_scratch(size_t m)
{
    return ((m + 1) + m + (m + 2)) * MST_LANES;
}

struct sample_kernels {
    void (*curved)(const curved_block *b);
};
MST_DECLARE_HOT(struct sample_kernels, sample_kernels);

#endif
