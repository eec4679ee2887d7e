/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* A network in double precision, one row at a time, with plain loops: values and tangents. Gradients come
 * from central differences of it. */
#ifndef TEST_NET_PLAIN_MLP_H
#define TEST_NET_PLAIN_MLP_H

#include "net/mlp.h"

#include <math.h>
#include <string.h>

enum { PLAIN_WIDEST = 160 };

static inline double plain_act(mlp_activation kind, double z)
{
    return kind == MLP_TANH ? tanh(z) : z / (1 + exp(-z));
}

static inline double plain_slope(mlp_activation kind, double z)
{
    if (kind == MLP_TANH)
        return 1 / (cosh(z) * cosh(z));
    double sigma = 1 / (1 + exp(-z));
    return sigma + z * sigma / (1 + exp(z));
}

static inline double plain_curve(mlp_activation kind, double z)
{
    double half = cosh(z / 2);
    if (kind == MLP_TANH)
        return -2 * tanh(z) / (cosh(z) * cosh(z));
    return (2 - z * tanh(z / 2)) / (4 * half * half);
}

/* out (outputs) of one row x, and tan_out in the direction dx unless that is null. */
static inline void plain_row(const mlp_shape *s, const double *theta, const double *x,
                             const double *dx, double *out, double *tan_out)
{
    double h[PLAIN_WIDEST], u[PLAIN_WIDEST], z[PLAIN_WIDEST], v[PLAIN_WIDEST];
    memcpy(h, x, s->inputs * sizeof *h);
    memset(u, 0, sizeof u);
    if (dx != NULL)
        memcpy(u, dx, s->inputs * sizeof *u);
    for (size_t k = 0; k <= s->depth; k++) {
        mlp_layer layer = mlp_layer_at(s, k);
        for (size_t a = 0; a < layer.rows; a++) {
            z[a] = theta[layer.bias + a];
            v[a] = 0;
            for (size_t b = 0; b < layer.columns; b++) {
                double weight = theta[layer.weight + a * layer.columns + b];
                z[a] += weight * h[b];
                v[a] += weight * u[b];
            }
        }
        for (size_t a = 0; a < layer.rows; a++) {
            h[a] = k < s->depth ? plain_act(s->activation, z[a]) : z[a];
            u[a] = k < s->depth ? plain_slope(s->activation, z[a]) * v[a] : v[a];
        }
    }
    memcpy(out, h, s->outputs * sizeof *out);
    if (dx != NULL)
        memcpy(tan_out, u, s->outputs * sizeof *tan_out);
}

#endif
