/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* What training, prediction and files of network curves share. */
#ifndef MST_STAT_CURVE_PARTS_H
#define MST_STAT_CURVE_PARTS_H

#include "io/tensors.h"
#include "net/mlp.h"

#include <manistat/curve.h>

/* Behind the weights of the network, a group of floats of which the first is log σ²/t₀ where that is one
 * number. */
enum { CURVE_EXTRA = 16 };

struct mst_curve {
    const mst_manifold *m;
    mst_manifold *owned;
    mlp_shape shape;        /* outputs: D or d, and the noise */
    float *theta;           /* (curve_parameters) */
    double *centre, *scale; /* (inputs): columns are read as (x − centre)/scale */
    double *base;           /* (D) */
    double spread;          /* root of the mean squared distance from it: the unit of outputs */
    double time;            /* t₀ = spread²/d; NAN: least squares */
    bool noise_network;
    char *terms;
    mst_curve_info info;
};

size_t curve_parameters(const mlp_shape *shape);
/* Outputs that make the point. */
size_t curve_width(const mst_curve *c);
/* Zero weights; arrays are there, and hold nothing yet. The manifold is borrowed. */
MST_MUST_USE mst_status curve_new(mst_curve **out, const mst_manifold *m, size_t inputs,
                                  size_t width, size_t depth, bool noise_network);

/* Workspace for up to `rows` rows. */
typedef struct curve_work {
    size_t rows;
    mlp_work *mlp;
    float *x, *out, *d_out;        /* (rows, inputs), (rows, outputs), (rows, outputs) */
    double *a, *base, *v, *pulled; /* (rows, D) */
    double *length;                /* (rows): of the vectors that are projected */
    double *memory;
    float *floats;
} curve_work;
MST_MUST_USE mst_status curve_work_new(curve_work *w, const mst_curve *c, size_t rows);
void curve_work_free(curve_work *w);

/* y (n, D) and t (n) of n ≤ w->rows rows x (n, inputs) in the columns' own units; t is
 * NAN for least squares. */
MST_MUST_USE mst_status curve_forward(const mst_curve *c, const float *theta, size_t n,
                                      const double *x, double *y, double *t, curve_work *w);
/* After it, on the same rows: adds the gradient of Σ <score, y> + Σ by_log_time · log t, score (n, D) tangent
 * at y, with the factor, to gradient (curve_parameters). */
MST_MUST_USE mst_status curve_backward(const mst_curve *c, const float *theta, size_t n,
                                       const double *score, const double *by_log_time,
                                       double factor, float *gradient, curve_work *w);

/* Writes it with `count` tensors and `texts` metadata more. */
MST_MUST_USE mst_status curve_save(const mst_curve *c, const char *path, mst_output_rule rule,
                                   size_t count, const tensor *more, size_t texts,
                                   const tensor_text *text);
MST_MUST_USE mst_status curve_from_tensors(mst_curve **out, const char *name, const tensors *t,
                                           const mst_manifold *m);

#endif
