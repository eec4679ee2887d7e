/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Regression by a network: y_i is where Brownian motion from f_θ(x_i) is at the time σ_θ²(x_i), with f_θ a
 * multilayer perceptron whose output becomes a point of the manifold. On spheres it is a vector beside a base
 * point, projected; elsewhere the coordinates of a tangent vector at the base point, followed by Exp.
 * Training climbs the likelihood by Adam on scores and time derivatives; rows that are held out tell when to
 * stop, which of several beginnings is the best, and how large the noise is. */
#ifndef MANISTAT_CURVE_H
#define MANISTAT_CURVE_H

#include <manistat/network.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct mst_curve mst_curve;

/* Told after some epochs, on the calling thread. A non-zero answer stops the training: what is there is still
 * returned, with MST_INTERRUPTED. */
typedef struct mst_curve_state {
    size_t epoch, epochs; /* of the restart that is farthest; at most so many */
    double best;          /* held-out loss per row and dimension, of the best restart */
    double seconds;
} mst_curve_state;
typedef struct mst_curve_report {
    int (*report)(void *user, const mst_curve_state *state);
    void *user;
} mst_curve_report;

typedef struct mst_curve_options {
    size_t size;         /* set by the default: how much of the struct the program knows */
    size_t width, depth; /* default 128, 2 */
    bool noise_network;  /* default false: σ² is one number; true: an output of the network */
    size_t batch;        /* default 64 */
    double rate;         /* default 3e-3, at the top of its schedule */
    double decay;        /* default 0.3: of the weights, per unit of the rate */
    double validation;   /* default 0.15: the share of the rows that is held out */
    size_t epochs;       /* default 300: at most */
    size_t patience;     /* default 40: epochs without a better held-out loss, then it stops */
    size_t restarts;     /* default 3: different first weights */
    uint64_t seed;       /* default 2712 */
    int threads;         /* default 0: all cores; the result does not depend on it */
    const char
        *checkpoint;   /* default null: none; else a file that is rewritten every few seconds */
    double every;      /* default 5 s between checkpoints */
    bool resume;       /* default false; true: continue from the checkpoint */
    const char *terms; /* default null; else a text that is kept with the curve: its inputs */
    mst_curve_report report;
} mst_curve_options;

MST_API mst_curve_options mst_curve_options_default(void);

/* What a curve is. Texts belong to it. */
typedef struct mst_curve_info {
    const char *manifold, *terms; /* terms: "" if there are none */
    size_t inputs, width, depth, parameters;
    bool projected; /* outputs are projected; else coordinates for Exp */
    bool noise_network;
    /* σ², of a noise network its geometric mean over the held-out rows; NAN: least squares */
    double noise;
    size_t rows, held_out;
    /* per row: mean log-likelihoods, NAN without one */
    double log_likelihood, held_out_log_likelihood;
    double r_squared, held_out_r_squared; /* 1 − Σ dist²(y, f(x))/Σ dist²(y, base) */
    size_t epochs, restart;               /* of the best restart, and which it is, from 0 */
    uint64_t seed;
    double seconds;
    bool finished; /* false: interrupted, or a checkpoint */
} mst_curve_info;

/* y (n, D), x (n, k). The source has a time, or is one of distances: least squares. */
MST_API MST_MUST_USE mst_status mst_curve_train(mst_curve **out, const mst_score *source, size_t n,
                                                const double *y, size_t k, const double *x,
                                                const mst_curve_options *options);
/* The numbers, from 0, of the rows that a training of n rows with these options holds out: rows (n) has room
 * for them, *count says how many there are. For calibration, for example: the curve has
 * not seen them, its noise has. */
MST_API MST_MUST_USE mst_status mst_curve_held_out(size_t n, const mst_curve_options *options,
                                                   size_t *rows, size_t *count);
MST_API void mst_curve_free(mst_curve *c);
MST_API mst_curve_info mst_curve_describe(const mst_curve *c);
MST_API const mst_manifold *mst_curve_manifold(const mst_curve *c); /* borrowed */

/* points (n, D) and noise (n), each may be null, at x (n, inputs). */
MST_API MST_MUST_USE mst_status mst_curve_predict(const mst_curve *c, size_t n, const double *x,
                                                  double *points, double *noise);

/* safetensors; `m` is null, or the manifold where its spec is none that can be parsed, and then borrowed. */
MST_API MST_MUST_USE mst_status mst_curve_write(const mst_curve *c, const char *path, bool force);
MST_API MST_MUST_USE mst_status mst_curve_read(mst_curve **out, const char *path,
                                               const mst_manifold *m);

#ifdef __cplusplus
}
#endif
#endif
