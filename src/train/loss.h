/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Losses: what a sample shows to the network, and the gradient of its loss. One file each, one table.
 *
 * With F the network, the score has the coordinates c = c₀ + g F (score/features.h). Losses are weighted by t
 * and divided by d, so that the score itself, of size √(d/t), counts about 1 at all times. */
#ifndef MST_TRAIN_LOSS_H
#define MST_TRAIN_LOSS_H

#include "score/network.h"
#include "train/samples.h"

/* What a loss needs of the network, and how many floats of a sample it keeps. */
typedef struct loss_setup {
    const mst_network *net;
    bool hutchinson;
    bool score_only; /* the time head counts nothing */
    uint64_t seed;   /* of random directions */
    size_t rows;     /* rows of inputs a sample */
    size_t tangents; /* directions a row, with derivatives of the inputs */
    size_t extra;    /* floats beside the inputs */
    /* Rows of a slot in the rows that are prepared together; 0: targets are not chained (samples.h). */
    size_t chained;
} loss_setup;

/* Workspace of one thread for the gradients of up to `capacity` samples. */
typedef struct loss_work {
    size_t capacity;
    mlp_work *mlp;
    float *out, *d_out; /* (capacity·rows, outputs) */
    float *tan, *d_tan; /* (capacity·rows·tangents, outputs) */
    float *share;       /* (capacity·rows, outputs): of targets, what the samples before add; 0 */
} loss_work;
MST_MUST_USE mst_status loss_work_new(loss_work *work, const loss_setup *setup, size_t capacity);
void loss_work_free(loss_work *work);

/* Samples as the gradient reads them: inputs (n, rows, inputs), tangents (n, rows,
 * tangents, inputs), extra (n, extra). */
typedef struct loss_samples {
    float *inputs, *tangents, *extra;
    const float *before; /* (n, inputs), where targets are chained: of the samples before */
} loss_samples;

typedef struct loss_ops {
    sample_kind kind;
    /* Fills rows, tangents, extra; MST_ARGUMENT for designs that the loss cannot train. */
    mst_status (*plan)(loss_setup *setup);
    /* n simulated samples to what the gradient reads; they are numbers first … of all,
     * for random directions. */
    mst_status (*prepare)(const loss_setup *setup, uint64_t first, size_t n,
                          const sample_rows *rows, const loss_samples *out);
    /* Adds the gradient of the sum over n ≤ capacity samples, and returns that sum. */
    double (*gradient)(const loss_setup *setup, const float *theta, size_t n,
                       const loss_samples *samples, loss_work *work, float *gradient);
} loss_ops;

/* Null if there is no such loss. */
const loss_ops *loss_find(mst_loss loss);
#define LOSS_DECLARE(constant, name, what) extern const loss_ops loss_##name;
MST_LOSS_LIST(LOSS_DECLARE)
#undef LOSS_DECLARE

/* ---- Regression on a target, shared by bel and dsm ---- */

/* Floats a sample keeps: the target of the network and its weight, and the normals. */
MST_MUST_USE mst_status regression_plan(loss_setup *setup);
/* `target` (n, D): tangent vectors at y; `time_target` (n) if there is a time head. */
MST_MUST_USE mst_status regression_prepare(const loss_setup *setup, size_t n,
                                           const sample_rows *rows, const double *target,
                                           const double *time_target, const loss_samples *out);
double regression_gradient(const loss_setup *setup, const float *theta, size_t n,
                           const loss_samples *samples, loss_work *work, float *gradient);

/* ---- Losses with a divergence, shared by ism and ssm ---- */

/* What is added up: |s|² + 2 div s, or with random unit vectors u its slices d<u, s>² + 2d<u, ∇_u s>. */
MST_MUST_USE mst_status implicit_plan(loss_setup *setup, size_t directions);
MST_MUST_USE mst_status implicit_prepare(const loss_setup *setup, uint64_t first, size_t n,
                                         const sample_rows *rows, const loss_samples *out);
double implicit_gradient(const loss_setup *setup, const float *theta, size_t n, bool sliced,
                         const loss_samples *samples, loss_work *work, float *gradient);

/* MST_ARGUMENT for designs with a time head, which only bel has targets for. */
MST_MUST_USE mst_status loss_refuse_time_head(const loss_setup *setup);

/* v ← v − Σ <n, v> n over `normals` rows of `normal`; vectors of q floats. */
void loss_project(size_t q, size_t normals, const float *normal, float *v);
/* Inputs of the network and baselines (n, base) of rows (x, y, t). */
MST_MUST_USE mst_status loss_read(const loss_setup *setup, size_t n, const double *x,
                                  const double *y, const double *t, float *inputs,
                                  double *baseline);

#endif
