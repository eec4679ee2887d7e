/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Are points on a compact space more than uniform random numbers? The test of Rayleigh on circle and spheres,
 * and its like on flat tori, so3 and products of these: the length of the mean of the first eigenfunctions of
 * the Laplacian. It asks whether there is a mean at all. Points that lie as densely around −a as around a
 * have none; whether they are uniform is asked by `axial_…`. */
#ifndef MANISTAT_UNIFORMITY_H
#define MANISTAT_UNIFORMITY_H

#include <manistat/mean.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct mst_uniformity_options {
    size_t size;           /* set by the default: how much of the struct the program knows */
    const double *weights; /* default null: all 1; (n), ≥ 0, not all 0 */
    mst_weight_meaning weights_are; /* default MST_WEIGHTS_COUNTS */
    /* default null: rows are independent; (n): which cluster each is of. Under the hypothesis the clusters as
     * they are may be turned in any way, independently of each other. */
    const size_t *clusters;
    uint64_t seed; /* default 2712: of simulated laws */
} mst_uniformity_options;

MST_API mst_uniformity_options mst_uniformity_options_default(void);

typedef struct mst_uniformity {
    double statistic; /* Σ p n R̄² over the pieces, p eigenfunctions with mean vector R̄ */
    double
        degrees_of_freedom; /* Σ p: the statistic is χ² of so many under the uniform law, for large n */
    double p_value; /* by χ² with its correction of order 1/n, and for n ≤ 10 by simulation */
    double
        effective_n; /* n, Σ w of counts, (Σ w)²/Σ w²; of clusters: of independent rows as uncertain */
    bool simulated; /* the p-value */
    /* Against second moments (Bingham's test; cosine and sine of the doubled angle): NAN for so3, whose first
     * eigenfunctions do not tell a quaternion from its opposite, and with clusters. */
    double axial_statistic, axial_degrees_of_freedom, axial_p_value;
    bool p_value_is_floor; /* no draw reached the statistic: more of them may have a smaller p */
} mst_uniformity;

/* Rows x (n, D), n ≥ 1. MST_UNABLE unless every factor is a circle, flat torus, sphere or so3: spaces of
 * infinite volume have no uniform law. */
MST_API MST_MUST_USE mst_status mst_uniformity_test(mst_uniformity *out, const mst_manifold *m,
                                                    size_t n, const double *x,
                                                    const mst_uniformity_options *options);

#ifdef __cplusplus
}
#endif
#endif
