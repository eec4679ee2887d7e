/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* What the parts of a training share. */
#ifndef MST_TRAIN_TRAINER_H
#define MST_TRAIN_TRAINER_H

#include "train/feeder.h"

#include <manistat/train.h>
#include <stdio.h>

enum { TRAINER_SHARDS = 16 };

/* Of one thread. */
typedef struct trainer_work {
    loss_work loss;
    feeder_work feeder;
    float *room; /* for steps by matrices, or null */
} trainer_work;

typedef struct trainer {
    const mst_train_options *o;
    const mst_manifold *m;
    int threads;
    mst_network *net; /* its weights are the averaged ones */
    loss_setup setup;
    sample_plan *plan;
    feeder feeder;
    size_t parameters;
    float *theta, *first, *second; /* weights and moments of Adam */
    bool by_matrices;              /* steps between hidden layers are those of muon.h */
    trainer_work *work;            /* (threads) */
    size_t shards;                 /* of a batch, whatever the number of threads */
    float **gradients;             /* (shards) */
    double sum[TRAINER_SHARDS];    /* losses */

    /* Held-out samples with the targets of bel, the same for every training of the
     * manifold and range of times. */
    loss_setup held_setup;
    feeder held;
    double held_baseline; /* their loss with the short-time baseline alone; 0: not measured yet */

    uint64_t step;
    double begin;    /* what the clock showed at second 0 */
    double reported; /* and at the last report */
    bool stop;       /* somebody asked for it */
    double reserve;  /* of a budget by the clock: for what comes after the last step */
    double measuring, measure_cost,
        save_cost;     /* evaluations in all, the last one, the last checkpoint */
    size_t measures;   /* how many */
    uint64_t measured; /* at this step */
    double seconds, rate, speed;
    /* Losses: running mean for reports, mean over the last thousand samples or so, size at the start. */
    double smooth, recent, early;
} trainer;

/* Network, plan and weights for a fresh start; the options are checked. */
MST_MUST_USE mst_status trainer_prepare(trainer *r);
void trainer_release(trainer *r);

/* Centre and reach of some of the plan's paths into the network, unless they start everywhere or distances
 * would have to be searched for. */
MST_MUST_USE mst_status trainer_measure_reach(trainer *r, const sample_plan *plan);

/* A failure with this detail while samples were made: one that the points of paths have
 * caused is a breakdown. */
mst_status trainer_failed(mst_status status, const char *detail);

/* Workspaces of the threads, and both pools as they stood before the next step. */
MST_MUST_USE mst_status trainer_work_new(trainer *r);
void trainer_work_free(trainer *r);
MST_MUST_USE mst_status trainer_fill(trainer *r);
/* Tells how it stands if half a second has passed since the last time; the answer may set `stop`. */
void trainer_report(trainer *r);
/* Share of the budget that is used up. */
double trainer_used(const trainer *r);
/* Steps until the clock of the training shows `until` seconds or the budget is used up.
 * MST_BREAKDOWN if the loss grows. */
MST_MUST_USE mst_status trainer_run(trainer *r, double until);

/* The held-out loss into net->info.excess. */
MST_MUST_USE mst_status trainer_measure(trainer *r);

/* The whole state of the training to and from the checkpoint. */
MST_MUST_USE mst_status trainer_save(const trainer *r);
MST_MUST_USE mst_status trainer_restore(trainer *r);

#endif
