/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Exact heat kernels: p_t(x, y) is the transition density of Brownian motion (generator ½Δ) with respect to
 * the Riemannian volume, symmetric in x and y. Everything is computed in the log domain and is right for
 * every t for which the result is representable: log p to 1e-12·max(1, |log p|), score and time derivative to
 * 1e-10 of their natural sizes 1/√t and 1/t or their value, whichever is larger. */
#ifndef MANISTAT_HEAT_H
#define MANISTAT_HEAT_H

#include <manistat/manifold.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Where to put the results of n rows; what is null is not computed. */
typedef struct mst_heat_values {
    double *log_p;    /* (n): log p_t(x, y) */
    double *dt_log_p; /* (n): its derivative by t */
    double *score;    /* (n, D): ∇_y log p_t(x, y), a tangent vector at y */
    /* (n, d, d): second covariant derivative in y, in the frame of mst_manifold_frame at y */
    double *hessian;
} mst_heat_values;

/* Rows (x_i, y_i, t_i). Estimators compare many x with one y at one time, so either may
 * be shared by all rows. */
typedef struct mst_pairs {
    size_t n;
    const double *x; /* (n, D) */
    const double *y; /* y_stride = D: (n, D); y_stride = 0: one point (D) for all rows */
    const double *t; /* t_stride = 1: (n); t_stride = 0: one time for all rows */
    size_t y_stride, t_stride;
    /* The number of the first row in the whole data set: who draws random numbers for a row draws them by its
     * number, so that they are the same however the rows are cut into calls and threads. */
    uint64_t first;
} mst_pairs;

/* n rows, each with a y and a time of its own, counted from 0. */
MST_API mst_pairs mst_pairs_rows(const mst_manifold *m, size_t n, const double *x, const double *y,
                                 const double *t);
/* Rows at … at + n − 1 of them. */
MST_API mst_pairs mst_pairs_part(const mst_manifold *m, const mst_pairs *pairs, size_t at,
                                 size_t n);

/* Is there a closed form? euclidean, circle, sphere, torus, hyperbolic, so3, sym, spd:1, spd:2, log-Euclidean
 * spd and products of these. */
MST_API bool mst_heat_has_exact(const mst_manifold *m);
/* MST_OK, or MST_UNABLE with a detail that names the manifolds that have one. */
MST_API MST_MUST_USE mst_status mst_heat_require_exact(const mst_manifold *m);

/* Rows on the manifold, times from 1e-50 to 1e50 (flat and simply connected: any) (MST_ARGUMENT names the
 * row). Points are taken as they are; only NaN and infinities are refused (MST_DOMAIN names the row, other
 * rows may have been written). threads ≤ 0: all cores; the result does not depend on it. MST_UNABLE where
 * there is no closed form. */
MST_API MST_MUST_USE mst_status mst_heat_pairs(const mst_manifold *m, const mst_pairs *pairs,
                                               int threads, const mst_heat_values *out);
/* The same for rows x and y (n, D) with one time, and with a time per row (n). */
MST_API MST_MUST_USE mst_status mst_heat_kernel(const mst_manifold *m, size_t n, const double *x,
                                                const double *y, double time, int threads,
                                                const mst_heat_values *out);
MST_API MST_MUST_USE mst_status mst_heat_kernel_times(const mst_manifold *m, size_t n,
                                                      const double *x, const double *y,
                                                      const double *times, int threads,
                                                      const mst_heat_values *out);

#ifdef __cplusplus
}
#endif
#endif
