/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* What the files of the sample simulators share. A plan splits a product into its factors; each factor has a
 * simulator, which works on up to MST_LANES paths at a time. */
#ifndef MST_SCORE_SAMPLES_PARTS_H
#define MST_SCORE_SAMPLES_PARTS_H

#include "base/lanes.h"
#include "train/samples.h"

/* Every use of random numbers has a seed of its own, and in it the path number is the stream. SUB makes the
 * roots of the slots of a plan with one fixed time, and of the pilot run. */
typedef enum sample_purpose {
    SAMPLE_SEED_TIMES,
    SAMPLE_SEED_CHOICE, /* which of the given starts, and how long it is spread */
    SAMPLE_SEED_START,
    SAMPLE_SEED_NOISE,
    SAMPLE_SEED_SUB,
    SAMPLE_SEED_POOL,
    SAMPLE_SEED_PUSH,
} sample_purpose;
uint64_t sample_seed(uint64_t root, sample_purpose purpose, uint64_t number);

typedef struct sample_job sample_job;
typedef mst_status sample_simulator(const sample_job *job);

typedef struct sample_factor {
    const mst_manifold *m;
    size_t index, offset; /* number of the factor, and its first column in a row of the product */
    bool uniform;         /* paths start uniformly */
    sample_simulator *run;
    double stretch;           /* of pushed paths: what |B|² is against the squared chord, about */
    double kappa, mean_ricci; /* of the backward sweep: decay rate of its weights, tr Ric / d */
    /* (pooled, D): points all over a compact manifold that has no sampler of its own, from
     * which paths start; 0, null: there are none */
    size_t pooled;
    double *pool;
    double apart; /* a time in which paths from neighbours in the pool meet */
} sample_factor;

struct sample_plan {
    const mst_manifold *m;
    sample_options options; /* its start is owned */
    double *start;
    size_t factors;
    sample_factor *factor;
};

/* Paths first … first+n−1, n ≤ MST_LANES, on one factor. Path i has steps of time h[i]; slot s of it is its
 * point after at[s·MST_LANES + i] steps. Rows of the outputs are s·n + i; a null output is not wanted. The
 * points of a path that left the domain are NAN. */
struct sample_job {
    const sample_plan *plan;
    const sample_factor *factor;
    uint64_t root;
    uint64_t first;
    size_t n, slots;
    const double *h;
    const uint32_t *at;
    double *x, *y, *target, *time_target, *weight;
    double *chain, *frame; /* or null */
    const double *from;    /* (n, D of the product) as in sample_rows, or null */
};

/* The law of the times: h (MST_LANES) and at (slots, MST_LANES) of paths first …, all lanes filled. */
void sample_times(const sample_options *o, uint64_t root, uint64_t first, size_t slots, double *h,
                  uint32_t *at);

/* The slots of a block of paths in the order of their steps: event[begin[k]] … event[begin[k + 1] − 1] happen
 * after k ≥ 1 steps. begin has steps + 2 entries, event slots·n. */
void sample_events(const sample_job *job, uint32_t *begin, mst_path_event *event);

/* Start points (n, D) number `draw` of the job's paths; NAN where the way to one left the domain. Paths that
 * go on have one whatever the draw. */
MST_MUST_USE mst_status sample_starts(const sample_job *job, size_t draw, double *y);
/* Ends (n, D) of paths, in place: brought onto the manifold, or NAN where no path should begin. */
MST_MUST_USE mst_status sample_settle(const sample_plan *plan, size_t n, double *end);

/* Fills the pool of a compact factor, unless it cannot be covered in a reasonable time. */
MST_MUST_USE mst_status sample_cover(const sample_plan *plan, sample_factor *factor);
/* Points y (n, D), n ≤ MST_LANES, each moved by `steps` geodesic steps of times h (n), in
 * place. */
MST_MUST_USE mst_status sample_move(const mst_manifold *m, size_t n, size_t steps, const double *h,
                                    mst_noise noise, double *y);

/* Size of the noise of a step, and columns to rows: frame coordinates c (n, d) from normals z. */
size_t sample_noise_size(size_t d);
void sample_noise_rows(size_t n, size_t d, double (*z)[MST_LANES], double *c);

/* One step of the geodesic walk of weak order two, of times h (n), from the normals xi (n, d): c = √h ξ and
 * the vector v that is walked, both tangent at x, and y = Exp_x(v). On curved manifolds first and second
 * become Ric c and Ric² c. */
MST_MUST_USE mst_status sample_walk_step(const mst_manifold *m, size_t n, const double *x,
                                         const double *h, const double *xi, double *c, double *v,
                                         double *first, double *second, double *y);

/* The simulators. */
sample_simulator sample_flat, sample_weighted, sample_rolling, sample_sweep;
/* Can it be simulated with this step, and over this time? MST_ARGUMENT says what would help. */
MST_MUST_USE mst_status sample_weighted_check(const mst_manifold *m, double h, double t);
/* Pushed paths: is there an estimate for their weights; the drifts (d, n) of the job's paths; and the weights
 * of all rows from |B|² (slots·n). */
bool sample_can_push(const mst_manifold *m);
void sample_push(const sample_job *job, double *push);
MST_MUST_USE mst_status sample_push_weights(const sample_job *job, const double *square);
/* The pilot run of the sweep, which chooses its kappa. */
MST_MUST_USE mst_status sample_sweep_tune(const sample_plan *plan, sample_factor *factor);
/* The same for rolling paths. */
MST_MUST_USE mst_status sample_rolling_tune(const sample_plan *plan, sample_factor *factor);
/* Last-step samples of the whole manifold; rows of `out` are s·stride + i. */
MST_MUST_USE mst_status sample_last_step(const sample_job *job, size_t stride,
                                         const sample_rows *out);

#endif
