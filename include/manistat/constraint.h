/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Manifolds given by equations: the points of R^D where h_1 = … = h_c = 0, with the metric of R^D. Closed
 * surfaces need no charts this way. Rows are points of R^D, vectors are tangent: ∇h·v = 0. */
#ifndef MANISTAT_CONSTRAINT_H
#define MANISTAT_CONSTRAINT_H

#include <manistat/manifold.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- The table. Slots are called with n ≥ 1 finite rows near the manifold and outputs that overlap no
 * inputs, from several threads at once. `size`, `name`, `start`, `constraint` and `constraint_hessian` are
 * required. ---- */
typedef struct mst_constraint_ops {
    size_t size; /* sizeof(mst_constraint_ops) */
    const char *name;
    /* The default start, one point; it may be off the manifold by rounding. */
    void (*start)(const mst_manifold *m, double *x);
    /* h (n, c) and its gradients (n, c, D); each may be null. */
    mst_status (*constraint)(const mst_manifold *m, size_t n, const double *x, double *h,
                             double *gradient);
    /* Σ_k λ_k ∇²h_k, (n, D, D), for λ (n, c). */
    mst_status (*constraint_hessian)(const mst_manifold *m, size_t n, const double *x,
                                     const double *lambda, double *hessian);
    /* inside (n): is the row in the part of space that counts? Fall-back: all are. */
    void (*domain)(const mst_manifold *m, size_t n, const double *x, unsigned char *inside);
    /* As in mst_manifold_ops; fall-back: unknown. */
    void (*traits)(const mst_manifold *m, mst_manifold_traits *traits);
    double (*injectivity)(const mst_manifold *m);
    void (*free_data)(void *data);
} mst_constraint_ops;

/* A manifold of dimension ambient − constraints. The table is copied; `data`, which is mst_manifold_data of
 * the manifold in the slots, goes to free_data, also on failure. */
MST_API MST_MUST_USE mst_status mst_constraint_new(mst_manifold **out,
                                                   const mst_constraint_ops *ops, const char *spec,
                                                   size_t ambient, size_t constraints, void *data);

#ifdef __cplusplus
}
#endif
#endif
