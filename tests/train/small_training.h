/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Trainings that take a moment. */
#ifndef TESTS_SCORE_SMALL_TRAINING_H
#define TESTS_SCORE_SMALL_TRAINING_H

#include "support/score_support.h"
#include "train/trainer.h"

#include <manistat/train.h>

static inline mst_train_options small_options(void)
{
    mst_train_options o = mst_train_options_default();
    o.width = 8;
    o.depth = 2;
    o.batch = 64;
    o.steps = 30;
    o.path_steps = 8;
    o.path_samples = 16;
    o.threads = 1;
    return o;
}

static inline mst_network *trained(const char *spec, const mst_train_options *o, mst_manifold **m)
{
    mst_network *net = NULL;
    *m = open_manifold(spec);
    ASSERT_OK(mst_train(&net, *m, o));
    return net;
}

/* Bytes of the averaged weights; what else depends on the course of a training. */
static inline void same_weights(const mst_network *a, const mst_network *b)
{
    size_t size = mlp_parameters(&a->shape) * sizeof(float);
    ck_assert_mem_eq(a->theta, b->theta, size);
    ck_assert(a->info.excess == b->info.excess);
    ck_assert_uint_eq(a->info.steps, b->info.steps);
    ck_assert_uint_eq(a->info.samples, b->info.samples);
}

/* `steps` steps, one after the other, and a checkpoint. */
static inline void train_and_save(const mst_manifold *m, const mst_train_options *o, uint64_t steps)
{
    trainer r = {.o = o, .m = m, .threads = 2};
    ASSERT_OK(trainer_prepare(&r));
    ASSERT_OK(trainer_work_new(&r));
    if (o->resume)
        ASSERT_OK(trainer_restore(&r));
    ASSERT_OK(trainer_fill(&r));
    for (uint64_t k = 0; k < steps; k++)
        ASSERT_OK(trainer_run(&r, 0));
    ASSERT_OK(trainer_save(&r));
    mst_network_free(r.net);
    trainer_work_free(&r);
    trainer_release(&r);
}

#endif
