/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Sweeps along paths X_0 … X_K, by geodesic walks (samples_walk.c) or by steps with an adjoint
 * (samples_steps.c). With κ the decay rate of the weights,
 *
 *     λ_k = own_k + e^(−κh) B_k λ_{k+1},                  target λ_k / (h G_j),
 *     V_k = V_{k+1} + e^(−κh) pair_k + ½(|c_k|² − dh),    time target ½ V_k / (h² (S_j + ½j (1 + ρh/6))),
 *
 * G_j = Σ_{n<j} e^(−κhn), S_j = Σ_{0<n<j} (j − n) e^(−κhn), ρ the mean Ricci curvature, c_k the increment;
 * own_k ≈ c_k is its share in the weight, B_k takes λ back along the step, and pair_k is the product of c_k
 * with λ_{k+1}, brought together. */
#ifndef MST_TRAIN_SAMPLES_SWEEP_H
#define MST_TRAIN_SAMPLES_SWEEP_H

#include "train/samples_parts.h"

typedef struct sweep_paths sweep_paths;

typedef struct sweep_ops {
    /* From the points that stand in x; adds <c, Ric c> and |c|² to *ricci and *size as
     * far as it knows them. */
    mst_status (*forward)(sweep_paths *p, uint64_t seed, uint64_t first, double *ricci,
                          double *size);
    /* Step k of path i, which is lost, becomes none at all. */
    void (*rest)(sweep_paths *p, size_t k, size_t i);
    /* λ in place from step k + 1 to k, without own_k: e^(−κh) B λ; pair (n) with its decay. */
    mst_status (*back)(sweep_paths *p, size_t k, double kappa, double *pair);
} sweep_ops;
extern const sweep_ops sweep_walk, sweep_steps;

/* n paths and what the sweep needs of their steps. */
struct sweep_paths {
    const sweep_ops *ops;
    const mst_manifold *m;
    size_t n, steps;
    const double *h;
    double *x;               /* (steps + 1, n, D): the points */
    double *walked;          /* (steps, n, D): the vectors walked, or the normals of the steps */
    double *own, *partner;   /* (steps, n, D): c as it counts in λ, and in pairs */
    double *square;          /* (steps, n): |c|² */
    double *xi, *c, *r, *r2; /* workspace: rows */
    double *lambda, *back, *sum; /* workspace: rows of the sweep, and V (n) */
    double (*z)[MST_LANES];
    double *memory;
    bool lost[MST_LANES]; /* who has left the domain; the path rests at the start then */
};

/* After step k: rows of x that are NAN are lost, and rest from now on. */
void sweep_lose(sweep_paths *p, size_t k);

#endif
