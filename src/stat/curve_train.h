/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* The state of a training of network curves. */
#ifndef MST_STAT_CURVE_TRAIN_H
#define MST_STAT_CURVE_TRAIN_H

#include "stat/curve_parts.h"
#include "stat/fit.h"

#include <string.h>

typedef struct curve_restart {
    float *theta, *first, *second, *best, *gradient; /* (curve_parameters) */
    uint64_t step;
    size_t epoch, best_epoch;
    double best_loss; /* of the rows that are held out */
    bool done;
} curve_restart;

typedef struct curve_trainer {
    mst_curve *c;
    const mst_score *source;
    const mst_curve_options *o;
    size_t n, k, train;
    const double *y, *x;
    size_t *index; /* (n): rows to train on first, then those held out */
    curve_restart *restarts;
    float *floats;
} curve_trainer;

/* Rows `index` (n) of the data. */
static inline void curve_gather(const curve_trainer *r, size_t n, const size_t *index, double *x,
                                double *y)
{
    size_t D = mst_manifold_ambient(r->c->m);
    for (size_t i = 0; i < n; i++) {
        memcpy(x + i * r->k, r->x + index[i] * r->k, r->k * sizeof *x);
        memcpy(y + i * D, r->y + index[i] * D, D * sizeof *y);
    }
}

MST_MUST_USE mst_status curve_checkpoint_save(const curve_trainer *r);
MST_MUST_USE mst_status curve_checkpoint_read(curve_trainer *r);

#endif
