/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Simulated Brownian paths, cut into training samples: pairs (x, y) a time t apart, with the random targets
 * whose conditional mean given (x, y) is the score ∇_y log p_t(x, y) or the time derivative.
 *
 * A plan is immutable and shared by threads. Sample number (path p, slot s) is a function of the plan and its
 * seed alone: the path number is the stream of all its random numbers, and each purpose (times, starts,
 * noise) has a seed of its own, mixed from the plan's.
 *
 * Bismut–Elworthy–Li samples come from one of four simulators, factor by factor on products: flat manifolds
 * take one exact step (samples_flat.c); manifolds that have a slot `weighted_walk` simulate by it, with
 * independent y for each slot (samples_weighted.c); those with a slot `roll` take the noise and the curvature
 * of paths with a frame (samples_rolling.c); everything else makes a geodesic walk and a backward
 * sweep (samples_walk.c), whose samples share the end of the path, x. */
#ifndef MST_SCORE_SAMPLES_H
#define MST_SCORE_SAMPLES_H

#include "base/internal.h"

#include <manistat/manifold.h>
#include <manistat/network.h>

typedef enum sample_kind {
    /* Bismut–Elworthy–Li: y is the start of the (sub-)path, x its end; `target` and `time_target`. */
    SAMPLE_BEL,
    /* Denoising: x is the start of the path, y its end after the last step of length h from `previous`. */
    SAMPLE_LAST_STEP,
} sample_kind;

typedef struct sample_options {
    sample_kind kind;
    /* Samples have times in [t_min, t_max]; equal: one fixed time, and every slot is a path of its own. */
    double t_min, t_max;
    /* of a path; BEL: of length T/steps with T random per path; LAST_STEP: t_max/steps */
    size_t steps;
    size_t slots; /* samples taken from a path, at stratified random times of it */
    uint64_t seed;
    /* Where paths begin, (starts, D), or 0, null: uniformly on manifolds that are compact and can do so, else
     * spread around the default start. Given starts are spread too: Brownian motion for a
     * time uniform in [0, spread]. */
    size_t starts;
    const double *start;
    double spread;
    /* More pairs that are far apart for their time, on manifolds that can have them: half of the paths are
     * driven away, such that the variance of their ends is 1 + push times what it was, and rows have weights
     * that make up for it. 0: none. BEL only. */
    double push;
} sample_options;

typedef struct sample_plan sample_plan;
/* The manifold is borrowed, the starts are copied. MST_ARGUMENT for options out of range, and for steps too
 * coarse or paths too long for a curved manifold (curvature · dimension · time above 20 and 500). */
MST_MUST_USE mst_status sample_plan_new(sample_plan **out, const mst_manifold *m,
                                        const sample_options *options);
void sample_plan_free(sample_plan *plan); /* null allowed */
/* Do paths start everywhere, on all factors? */
bool sample_plan_is_uniform(const sample_plan *plan);

/* How its targets are found, and the decay rate of their weights; NAN where there is none,
 * or more than one. */
mst_targets sample_plan_targets(const sample_plan *plan, double *kappa);

/* The samples that it takes from a path. */
size_t sample_plan_slots(const sample_plan *plan);

/* Can its rows have chains? */
bool sample_plan_has_chains(const sample_plan *plan);

/* Where to put the samples, rows; tangent vectors are ambient rows (D). Null: not wanted. */
typedef struct sample_rows {
    double *x, *y; /* (rows, D) */
    double *t;     /* (rows) */
    /* (rows, D), BEL: a tangent vector at y with conditional mean ∇_y log p_t(x, y) */
    double *target;
    double *weight;      /* (rows), BEL: in least squares; 1 without push */
    double *time_target; /* (rows), BEL: conditional mean ∂_t log p_t(x, y) */
    /* Plans with chains: the target w of a row is that of the first part of its path and of the target w' of
     * the same path's sample in the slot before, cyclically, which has the rest of the path:
     *     w = … + Σ_ab E_a C_ab <E'_b, w'>,
     * with frames E (rows, d, D) at the rows' own y and matrices C (rows, d, d); C = 0: there is no such
     * sample. The mean of w' given its points may stand for w'. */
    double *chain, *frame;
    double *previous; /* (rows, D), LAST_STEP: the point before the last step */
    /* (rows, D), LAST_STEP: √h ξ, the last increment before the Ricci correction, tangent at previous */
    double *step;
    double *arrived; /* (rows, D), LAST_STEP: the same, transported to y */
    double *h;       /* (rows), LAST_STEP: length in time of the last step */
    /* How many samples are of paths that left the domain; it is added to. They are left out: others of the
     * same slot take their places. */
    uint64_t *left;
    /* (paths, D), null: every path begins at a start of its own. Else here, for all its slots; at a start of
     * its own if the row is NAN. All begin at their own where a path from here cannot be simulated. */
    const double *from;
    /* (paths, D): where paths ended, for `from` of those that go on. Of BEL it is the x of slot 0. NAN: the
     * path left the domain, or is so far out that single precision moves its end by more than √t_min/100. */
    double *end;
} sample_rows;

/* The samples of paths first … first+n−1, n ≤ 65536: row s·n + (p − first) is slot s of path p. The slots of
 * a path have different times, and the rows of one slot over many paths have all times: slot s of path p uses
 * stratum (s + p) mod slots of the times. MST_DOMAIN if all paths of a slot left the domain. */
MST_MUST_USE mst_status sample_draw(const sample_plan *plan, uint64_t first, size_t n,
                                    const sample_rows *out);

#endif
