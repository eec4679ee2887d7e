/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Training of score networks on simulated Brownian paths. */
#ifndef MANISTAT_TRAIN_H
#define MANISTAT_TRAIN_H

#include <manistat/network.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Told about every half second, on the calling thread. A non-zero answer stops the training: a usable network
 * is still returned, with MST_INTERRUPTED. */
typedef struct mst_train_state {
    uint64_t step, samples;
    double progress; /* 0 … 1, the share of the budget that is used up */
    double seconds;  /* of training, those before a resume included */
    double samples_per_second;
    /* running mean, per dimension, weighted such that a score of zero costs about 1
     * beside the noise of the targets */
    double loss;
    /* as in mst_network_info: below 0 once it beats the baseline; NAN until measured */
    double excess;
    double rate; /* learning rate */
} mst_train_state;

typedef struct mst_train_report {
    int (*report)(void *user, const mst_train_state *state);
    void *user;
} mst_train_report;

typedef struct mst_train_options {
    size_t size;    /* set by the default: how much of the struct the program knows */
    mst_loss loss;  /* default bel */
    double minutes; /* default 1; ignored if steps > 0 */
    /* default 0: by the clock. With steps a training is a function of the seed, whatever the threads */
    uint64_t steps;
    /* default 0: 128, or 64 on manifolds from formulas without a closed logarithm; and 3 */
    size_t width, depth;
    mst_activation activation; /* default SiLU */
    double t_min, t_max;       /* default 0.005, 1 */
    double t;                  /* default 0; > 0: one fixed (small) time instead of a range */
    bool energy;               /* default false */
    bool time_head;            /* default false; energy networks always have one */
    /* default false; true: the network of the paper, raw (x, y, t) → s without baseline and weights */
    bool plain;
    /* default true; false: ism takes the exact divergence, d tangents per sample */
    bool hutchinson;
    size_t batch;     /* default 0: 4096 */
    double rate;      /* default 3e-3, at the top of the schedule */
    uint64_t warm_up; /* default 500 steps; a tenth of the budget if that is less */
    double clip;      /* default 0: no clipping; else the largest norm of a gradient */
    double average;   /* default 0.999: decay of the weight average per step; 0: the last weights */
    /* default 0: 24 and 4, or 48 and 24 where the width is 64; other losses than bel: 100 and 25 */
    size_t path_steps, path_samples;
    /* (starts, D): paths begin around these points; default null: everywhere on compact manifolds, else
     * around the default start of the manifold */
    const double *start;
    size_t starts;
    uint64_t seed; /* default 2712 */
    int threads;   /* default 0: all cores */
    /* default null: none; else a file that is rewritten every few seconds */
    const char *checkpoint;
    double every; /* default 5 s between checkpoints */
    bool resume;  /* default false; true: continue from the checkpoint */
    mst_train_report report;
    /* default false: every path begins at a start of its own. True: the paths of a batch begin where those of
     * the batch before ended, the first ones at starts of their own; so does a path that left the domain, or
     * is so far out that single precision moves it by √t_min/100. A batch has 64 paths or a multiple; batches
     * of fewer samples than these have share them. */
    bool chained_starts;
} mst_train_options;

MST_API mst_train_options mst_train_options_default(void);
/* The paper's, with the network of its spheres: 5×512 tanh, dsm, plain, batch 1024·100, warm-up 1000, rate
 * 1e-3, 100 steps a path, chained starts, seed 2712. */
MST_API mst_train_options mst_train_options_paper(void);
/* The same with the published network of the manifold: 3×128 for Rⁿ, 5×512 for Sⁿ, 3×512 for symmetric and
 * positive definite matrices and landmarks, and, as there is none, for all others. */
MST_API mst_train_options mst_train_options_paper_for(const mst_manifold *m);

/* MST_OK and a network; MST_INTERRUPTED and a network; MST_BREAKDOWN when it diverges (the detail says when
 * and what to do). A resumed training must be given the same options; what differs is
 * MST_ARGUMENT and named. */
MST_API MST_MUST_USE mst_status mst_train(mst_network **out, const mst_manifold *m,
                                          const mst_train_options *options);

#ifdef __cplusplus
}
#endif
#endif
