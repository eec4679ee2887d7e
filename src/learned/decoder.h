/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Decoders: multilayer perceptrons f from the latent space to the data, and perhaps σ, a second one for
 * standard deviations. The metric is J_fᵀJ_f + J_σᵀJ_σ. A last layer that is linear, f = Wh + b, is not
 * evaluated for it: products of derivatives of f are those of h with WᵀW between them. */
#ifndef MST_LEARNED_DECODER_H
#define MST_LEARNED_DECODER_H

#include "learned/learned.h"

#define DECODER_FORMAT "manistat decoder 1"
enum { DECODER_LAYERS = 32, DECODER_DIM = 12, DECODER_WIDEST = 1 << 20 };

/* What is applied to the outputs of a layer. */
typedef enum bend {
    BEND_LINEAR,
    BEND_TANH,
    BEND_SILU,
    BEND_SOFTPLUS,
    BEND_HALF_EXP, /* exp(x/2): standard deviations from the logarithm of variances */
} bend;
/* "linear", "tanh", …; a null at the end. */
extern const char *const bend_names[];

typedef struct dense_layer {
    size_t rows, columns;
    double *weight; /* (columns, rows): transposed */
    double *bias;   /* (rows) */
} dense_layer;

typedef struct perceptron {
    size_t layers; /* 0: there is none */
    dense_layer layer[DECODER_LAYERS];
    bend output;
    size_t widest;
    double *gram; /* (h, h), h the columns of the last layer, if the output is linear */
} perceptron;

typedef struct decoder {
    learned base; /* first */
    bend hidden;
    perceptron mean, sd;
    char network[160]; /* in words */
} decoder;

void perceptron_release(perceptron *p);
/* The value and its first three derivatives. */
void bend_values(bend b, double x, double out[4]);

/* y (outputs) at x (d). */
MST_MUST_USE mst_status perceptron_value(const perceptron *p, bend hidden, const double *x,
                                         double *y);

extern const mst_metric_ops decoder_metric;

#endif
