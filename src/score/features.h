/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* How a manifold looks to a network: what it reads of (x, y, t), and what its outputs mean.
 *
 * The score is s = P_y c, where P_y maps the q output coordinates c onto the tangent space at y such that P_y
 * P_yᵀ is the identity: the projection of ambient vectors on spheres and manifolds from equations, which have
 * no smooth frame, and coordinates in the frame of mst_manifold_frame elsewhere. The coordinates are c = c₀ +
 * g(t) F: the short-time baseline c₀ ≈ D/t, with D a cheap and smooth stand-in for Log_y(x), and the network
 * F, scaled by g so that F is of order one at all times. */
#ifndef MST_SCORE_FEATURES_H
#define MST_SCORE_FEATURES_H

#include "base/internal.h"

#include <manistat/manifold.h>

typedef struct features_part features_part;

typedef struct features {
    const mst_manifold *m; /* borrowed */
    size_t d, D;
    size_t inputs;  /* of the network */
    size_t outputs; /* q */
    size_t normals; /* q − d: P_yᵀP_y = I − Σ n nᵀ over that many orthonormal vectors n */
    bool plain;     /* the network reads (x, y, t) as they are and there is no baseline */
    /* The network is a scalar G, the score the gradient of e₀ + G with the short-time energy e₀; c are
     * coordinates in the frame on all manifolds, and e₀ takes the place of c₀. */
    bool energy;
    /* The score turns within a width of about t where geodesics are equally long, and the network reads what
     * it takes to follow it. */
    bool sharp;
    double unit; /* times are read in units of this; 1 unless learned, in few coordinates */
    size_t base; /* length of a baseline: q, or 1 of energies */
    size_t parts;
    features_part *part;
} features;

/* Points of more coordinates are refused, MST_ARGUMENT: derivatives take memory with the square of it. */
enum { FEATURES_MOST_COORDINATES = 2048 };
MST_MUST_USE mst_status features_new(features **out, const mst_manifold *m, bool plain,
                                     bool energy);
/* How many inputs a network has there, and outputs for the score, and are they sharp: what a file can be
 * judged by before memory is taken for it. */
MST_MUST_USE mst_status features_sizes(const mst_manifold *m, bool plain, bool energy,
                                       size_t *inputs, size_t *outputs, bool *sharp);
void features_free(features *s); /* null allowed */

/* g(t), the size of the network's share of the score, and that of its share of the time derivative. */
double features_scale(const features *s, double t);
double features_time_scale(const features *s, double t);

/* Rows x, y (n, D), t (n): inputs (n, inputs) and the baseline (n, base). */
MST_MUST_USE mst_status features_read(const features *s, size_t n, const double *x, const double *y,
                                      const double *t, double *inputs, double *baseline);
/* The baseline of ∂_t log p that belongs to a row's baseline (base): ½|D|²/t² − d/2t. */
double features_time_baseline(const features *s, double t, const double *baseline);

/* Tangent vectors v (n, D) at y to output coordinates c (n, q), P_yᵀv, and back, P_y c. */
MST_MUST_USE mst_status features_to_outputs(const features *s, size_t n, const double *y,
                                            const double *v, double *c);
MST_MUST_USE mst_status features_from_outputs(const features *s, size_t n, const double *y,
                                              const double *c, double *v);
/* The normals (n, normals, q). */
MST_MUST_USE mst_status features_normals(const features *s, size_t n, const double *y,
                                         double *normals);

/* Derivatives of inputs (n, T, inputs) and baseline (n, T, base) when y moves in the unit directions v (n, T,
 * D), by differences in double that are good to about 1e-8. */
MST_MUST_USE mst_status features_differentiate(const features *s, size_t n, size_t directions,
                                               const double *x, const double *y, const double *t,
                                               const double *v, double *inputs, double *baseline);
/* The connection at one point y: omega (d, d, q), entry (b, a, k) = <E_a, ∇_b (P e_k)> with the frame E at y,
 * so that <E_a, ∇_b s> = <P_yᵀE_a, ∂_b c> + Σ_k omega_bak c_k. */
MST_MUST_USE mst_status features_connection(const features *s, const double *y, double *omega);
/* Its trace, delta (n, q): Σ_a ω_aak, so that div s = Σ_a <P_yᵀE_a, ∂_a c> + <delta, c>. */
MST_MUST_USE mst_status features_divergence(const features *s, size_t n, const double *y,
                                            double *delta);
/* The same without geodesics, of manifolds from equations or a metric that are no
 * products; *done: is it one? */
MST_MUST_USE mst_status features_closed_connection(const features *s, const double *y,
                                                   double *omega, bool *done);
/* The trace part by part, where no geodesics are needed for it; *done: is that so? Else
 * nothing is written. */
MST_MUST_USE mst_status features_closed_divergence(const features *s, size_t n, const double *y,
                                                   double *delta, bool *done);

#endif
