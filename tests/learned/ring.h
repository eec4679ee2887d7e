/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* A ring of data: points of the unit circle, and at each a row of numbers that turns with it. */
#ifndef TESTS_LEARNED_RING_H
#define TESTS_LEARNED_RING_H

#include "support/support.h"

#include <manistat/learned.h>

enum { RING = 48, WIDE = 12 };

typedef struct ring {
    double latent[RING * 2], data[RING * WIDE];
} ring;

static inline void ring_row(double angle, double *row)
{
    for (size_t k = 0; k < WIDE / 2; k++) {
        row[2 * k] = cos((double)(k + 1) * angle) / (double)(k + 1);
        row[2 * k + 1] = sin((double)(k + 1) * angle) / (double)(k + 1);
    }
}

static inline void ring_make(ring *r)
{
    for (size_t i = 0; i < RING; i++) {
        double angle = 2 * M_PI * (double)i / RING;
        r->latent[2 * i] = cos(angle);
        r->latent[2 * i + 1] = sin(angle);
        ring_row(angle, r->data + i * WIDE);
    }
}

/* Learned with these numbers; NAN: by likelihood. */
static inline mst_manifold *ring_learn(double variance, double length, double noise)
{
    static ring r;
    mst_manifold *m;
    mst_gp_options o = mst_gp_options_default();
    o.variance = variance;
    o.length_scale = length;
    o.noise = noise;
    ring_make(&r);
    ASSERT_OK(mst_gp_learn(&m, "ring.gp", RING, 2, r.latent, WIDE, r.data, &o));
    return m;
}

#endif
