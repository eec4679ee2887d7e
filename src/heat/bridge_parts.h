/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Blocks of led paths. Step k goes from the time s_k to s_{k+1}; with u = k/steps the time that is left is τ
 * = t (1 − u)², so that steps get shorter as the pull toward the end gets stronger. */
#ifndef MST_HEAT_BRIDGE_PARTS_H
#define MST_HEAT_BRIDGE_PARTS_H

#include "base/lanes.h"
#include "manifold/internal.h"

#include <manistat/bridge.h>

/* Paths of a pair where the caller leaves their number open. */
enum { BRIDGE_USUAL_PATHS = 200 };

/* Shares of the time t: (steps) each, `from` steps + 1. */
typedef struct bridge_grid {
    size_t steps;
    double *from;  /* s_k/t */
    double *part;  /* h_k/t */
    double *share; /* h_k/τ_k; 1 for the last */
} bridge_grid;

MST_MUST_USE mst_status bridge_grid_new(bridge_grid *g, size_t steps);
void bridge_grid_free(bridge_grid *g);

/* Up to MST_LANES paths on a manifold that is no product. */
typedef struct bridge_block {
    const mst_manifold *m;
    const bridge_grid *grid;
    bool log;  /* the guide is Log, not `toward` */
    bool rays; /* by geodesics of the manifold's own; score and time are null */
    size_t n;
    const double *y, *x; /* (n, D): from, to */
    const double *t;     /* (n) */
    mst_noise noise;     /* of other random numbers than these: */
    const double *xi;    /* (steps, d, MST_LANES): the normals of all steps but the last */
    double *log_weight;  /* (n); −INFINITY: the path left the manifold */
    /* Weights whose means are the score, in the frame of mst_manifold_frame at y, and the time derivative;
     * null: not wanted. */
    double *score; /* (n, d) */
    double *time;  /* (n) */
    double *point; /* (steps + 1, n, D): the paths, or null */
} bridge_block;

/* The normals of all steps but the last, to xi (steps, d + 1, MST_LANES), of which b->xi is the beginning;
 * and uniform numbers u (MST_LANES) beside them. */
void bridge_draw(const bridge_block *b, double *xi);
void bridge_uniform(const bridge_block *b, uint64_t number, double *u);
/* Factors of a product have noise of their own. */
uint64_t bridge_factor_seed(uint64_t seed, size_t factor);

/* By what is fastest on the manifold. */
MST_MUST_USE mst_status bridge_run(const bridge_block *b);
/* Any manifold, by its operations on rows. */
MST_MUST_USE mst_status bridge_rows(const bridge_block *b);
/* Those that find geodesics with the terms of the expansion. */
bool bridge_rays_fit(const mst_manifold *m);
MST_MUST_USE mst_status bridge_rays(const bridge_block *b);
/* Those that roll a frame along. */
MST_MUST_USE mst_status bridge_frames(const bridge_block *b);

/* Is Log the guide? */
bool bridge_by_log(const mst_manifold *m, mst_bridge_guide guide);
/* Ways to the end along one geodesic: Log times `by`, and what share of the kernel they carry. */
typedef struct bridge_ways {
    size_t count;
    double by[3], mass[3];
} bridge_ways;

/* When the time τ is left: where the curvature is constant, r away, and for an angle of a flat torus. */
bridge_ways bridge_round_ways(const mst_manifold *m, double r, double tau);
bridge_ways bridge_angle_ways(double angle, double tau);
/* By what to multiply a guide v with Ric(v, v)/|v|² = 3·bend. */
double bridge_pull(double bend, double tau);
/* The guide g (d) becomes the increment of a led step of time h, from the normals z (d) and the uniform
 * number u; the logarithm of its weight. */
double bridge_lead(size_t d, const bridge_ways *w, double share, double h, double u,
                   const double *z, double *g);
/* What share of the kernel other ways carry than those near the shortest, at most; 1: unknown. */
double bridge_unseen(const mst_manifold *m, double r, double t);

/* tr Ric/d at x (n, D), rows that repeat the one before being computed once. */
MST_MUST_USE mst_status bridge_mean_ricci(const mst_manifold *m, size_t n, const double *x,
                                          double *out);

/* The logarithm of the density of the last step, of time h over the squared distance `square`, with bend =
 * Ric(v, v) and ricci = tr Ric/d: −r²/2h − (d/2) log 2πh + Ric(v, v)/12 + h Scal/12. */
double bridge_last_step(size_t d, double h, double square, double bend, double ricci);

#endif
