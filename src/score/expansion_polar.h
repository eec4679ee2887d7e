/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* The expansion on a surface, in polar coordinates (s, θ) about x: the metric is ds² + f² dθ², f'' = −K f.
 * With P = ∂_θ log f, h = f_s/f and u = h − 1/s,
 *   b₀ = −½ log(f/s),  b₀_s = −u/2,  b₀_θ = −P/2,
 *   a₁ = (1/r) ∫ q ds,  q = ½(Δb₀ + |∇b₀|²) = ½(K/2 + u/2s + u²/4 + W),  W = (5P²/4 − f_θθ/2f)/f²,
 * and ∂_θ a₁ = (1/r) ∫ q_θ ds with f_θθθ. The derivatives of f solve the same equation with sources made of
 * the derivatives of K across the geodesic. Nothing is found by differences. */
#ifndef MST_SCORE_EXPANSION_POLAR_H
#define MST_SCORE_EXPANSION_POLAR_H

#include "manifold/surface.h"

/* Gauss–Lobatto nodes along the geodesic; the middle is one of them. */
enum { POLAR_NODES = 33 };

typedef struct polar_rule {
    double node[POLAR_NODES], weight[POLAR_NODES]; /* on [0, 1] */
    /* Integrals from 0 to node i, and repeated ones, of what the values at the nodes interpolate. */
    double once[POLAR_NODES][POLAR_NODES], twice[POLAR_NODES][POLAR_NODES];
} polar_rule;
void polar_rule_make(polar_rule *rule);

/* A number and its derivatives at y along T, away from x, and across along ν. */
typedef struct polar_value {
    double value, along, across;
} polar_value;

typedef struct polar_terms {
    polar_value b0;
    polar_value simpson;   /* a₁ from K/6 at x, in the middle and at y */
    polar_value transport; /* a₁ itself */
    polar_value start;     /* K/6 at x and half of its derivatives: a₁ where y = x */
    /* Second derivatives of b₀ at y, along and across, and r f_s/f, that of ½r² across */
    double bend[3], spread;
    double width; /* f at y */
    double least; /* of f/s on the way: below 0 there is a conjugate point */
} polar_terms;

/* For a geodesic of length r, jet (POLAR_NODES, JET_COUNT) being the derivatives of K at the nodes. */
polar_terms polar_terms_of(const polar_rule *rule, double r, const double *jet);
/* The same at a part `whole` < 1 of a way that is short against everything. */
void polar_terms_shorten(polar_terms *t, double whole);

#endif
