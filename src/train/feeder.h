/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Feeds a training: two pools of samples, one in use while the other is filled block by block between the
 * matrix products. Pool number k is a function of the plan's seed and k alone, so an interrupted training
 * finds its samples again; or, with chained starts, of these and of where the paths of pool k - 1 ended,
 * which is then part of a checkpoint. */
#ifndef MST_SCORE_FEEDER_H
#define MST_SCORE_FEEDER_H

#include "train/loss.h"

#include <stdatomic.h>

typedef struct feeder {
    const loss_ops *ops;
    const loss_setup *setup;
    const sample_plan *plan;
    size_t batch, slots;
    size_t steps;  /* batches a pool */
    size_t paths;  /* of a pool */
    size_t blocks; /* of a pool */
    loss_samples half[2];
    /* Chained starts, or null: where the paths of pool k ended is ends[k % 3] (paths, D). Those of the pool
     * before the one in use are kept, for a checkpoint. */
    double *ends[3];
    atomic_uint_fast64_t drawn, left; /* samples, and those of paths that left the domain */
} feeder;

/* Workspace of one thread for a block. */
typedef struct feeder_work {
    sample_rows rows;
    loss_samples samples;
    double *memory;
} feeder_work;

/* `chained`: paths begin where those of the pool before ended, and a pool is a batch, or
 * as many as the samples of MST_LANES paths make. */
MST_MUST_USE mst_status feeder_new(feeder *f, const loss_ops *ops, const loss_setup *setup,
                                   const sample_plan *plan, size_t batch, size_t slots,
                                   bool chained);
void feeder_free(feeder *f);
MST_MUST_USE mst_status feeder_work_new(feeder_work *work, const feeder *f);
void feeder_work_free(feeder_work *work);

/* Block `block` of pool `pool`; blocks are independent. */
MST_MUST_USE mst_status feeder_fill(feeder *f, uint64_t pool, size_t block, feeder_work *work);
/* Where the paths of a pool begin (paths, D); null: all at starts of their own. */
double *feeder_starts(const feeder *f, uint64_t pool);
/* MST_BREAKDOWN if too many of the samples so far are of paths that left the domain. To be asked where all
 * threads have done their blocks. */
MST_MUST_USE mst_status feeder_judge(const feeder *f);
/* Blocks of the next pool that are due at step 0 … steps−1 of a pool: begin … end−1. */
void feeder_due(const feeder *f, size_t step, size_t *begin, size_t *end);
/* Sample `at` of a pool and those behind it. */
loss_samples feeder_at(const feeder *f, uint64_t pool, size_t at);
/* How many of the n samples from `at` on have those before them side by side as well. */
size_t feeder_run(const feeder *f, size_t at, size_t n);

#endif
