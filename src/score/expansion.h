/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* The expansion of the heat kernel for small times along a geodesic of length r,
 *   log p = −r²/2t − (d/2) log 2πt + b₀ + t a₁ (+ t² b₂),  b₀ = −½ log Θ, Θ the Jacobian of Exp,
 * summed over the geodesics without a conjugate point. What a manifold says of itself decides which part
 * computes it; products add up. */
#ifndef MST_SCORE_EXPANSION_H
#define MST_SCORE_EXPANSION_H

#include "manifold/internal.h"

#include <manistat/heat.h>

/* Rows of one call of a part. */
enum { EXPANSION_BLOCK = 128 };

/* Errors of scores are compared with their own size, or with this part of 1/√t: next to x the score is
 * nothing but rounding. */
#define EXPANSION_LEAST_SCORE 1e-6

/* All of them are wanted, but for the last. */
typedef struct expansion_block {
    size_t n;
    const double *x, *y, *t;
    double *log_p, *dt, *score;
    /* (n): the estimated error of the score, as a norm; and how much else there is to doubt, in the unit of
     * relative errors: that of log p where the score is too small to tell. */
    double *error, *doubt;
    /* (n, d, d) as in mst_heat_values, but for the second derivatives of the last terms; or null */
    double *hessian;
    double *kept; /* (n, keep): of the geodesics from one time to the next, or null */
    struct expansion_paths *paths; /* or the geodesics themselves, of rows `first` on; or null */
    size_t first;
} expansion_block;

typedef struct expansion_part {
    bool (*fits)(const mst_manifold *m);
    /* What the part makes of the manifold once; null: nothing. */
    mst_status (*open)(const mst_manifold *m, void **data);
    void (*close)(void *data);
    mst_status (*run)(const mst_manifold *m, const void *data, const expansion_block *b);
    double cost, precision;                /* as in mst_score_info */
    size_t (*keep)(const mst_manifold *m); /* numbers to keep of a row; null: none */
    size_t paths;                          /* geodesics to keep of a row; 0: none */
} expansion_part;

/* Flat: one Gaussian, or one for each winding number. Constant curvature, and a line beside it. */
bool expansion_gaussian_fits(const mst_manifold *m);
mst_status expansion_gaussian(const mst_manifold *m, const void *data, const expansion_block *b);
bool expansion_torus_fits(const mst_manifold *m);
mst_status expansion_torus(const mst_manifold *m, const void *data, const expansion_block *b);
bool expansion_circle_fits(const mst_manifold *m);
mst_status expansion_circle(const mst_manifold *m, const void *data, const expansion_block *b);
bool expansion_round_fits(const mst_manifold *m);
mst_status expansion_round_open(const mst_manifold *m, void **data);
mst_status expansion_round(const mst_manifold *m, const void *data, const expansion_block *b);
bool expansion_line_fits(const mst_manifold *m);
mst_status expansion_line(const mst_manifold *m, const void *data, const expansion_block *b);

/* Positive definite matrices of any order, by eigenvalues. */
bool expansion_matrices_fits(const mst_manifold *m);
mst_status expansion_matrices(const mst_manifold *m, const void *data, const expansion_block *b);

/* Surfaces from formulas, by geodesics that are searched for, up to so many of a pair. */
enum { EXPANSION_SURFACE_RAYS = 4 };
bool expansion_surface_fits(const mst_manifold *m);
mst_status expansion_surface_open(const mst_manifold *m, void **data);
void expansion_surface_close(void *data);
mst_status expansion_surface(const mst_manifold *m, const void *data, const expansion_block *b);

/* Everything else whose geodesics are searched for. */
bool expansion_search_fits(const mst_manifold *m);
mst_status expansion_search(const mst_manifold *m, const void *data, const expansion_block *b);
/* Row i without a geodesic: the smooth potential that stands in for ½r², and no faith in it. */
mst_status expansion_give_up(const mst_manifold *m, const expansion_block *b, size_t i);
/* Manifolds that bring the terms themselves (geodesic/own.h). */
bool expansion_rays_fits(const mst_manifold *m);
mst_status expansion_rays(const mst_manifold *m, const void *data, const expansion_block *b);
size_t expansion_rays_keep(const mst_manifold *m);
/* The next term against c t|∇a₁|, measured: docs/expansion.md. */
#define EXPANSION_RAY_ERROR 4.0

#endif
