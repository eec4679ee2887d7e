/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Fréchet means of manifolds that know a faster way to them than climbing row by row: where it is unique, all
 * rows go through each step together, and what the last step knows gives error bars. */
#ifndef MST_MANIFOLD_BARYCENTRE_H
#define MST_MANIFOLD_BARYCENTRE_H

#include <manistat/manifold.h>
#include <stdbool.h>

typedef struct mst_barycentre mst_barycentre;

typedef struct mst_barycentre_ops {
    /* Its memory, 0 if there is no such way for so many rows. */
    size_t (*size)(const mst_manifold *m, size_t n);
    /* To a gradient of at most `tolerance` times the root of the mean squared distance, that being no less
     * than 0.01 and no more than 1, or as far as rounding lets it. weights (n) and start (D) may be null. */
    mst_status (*find)(mst_barycentre **out, const mst_manifold *m, size_t n, const double *x,
                       const double *weights, const double *start, double tolerance, int threads,
                       mst_progress progress);
    /* Log of the rows in the frame at the mean, c (n, d). */
    mst_status (*logs)(const mst_barycentre *b, double *c);
    /* c (sides, d) ← H⁻¹ c to a relative error of `tolerance`, H the Hessian of half the mean squared
     * distance in that frame. */
    mst_status (*solve)(const mst_barycentre *b, double tolerance, size_t sides, double *c);
    /* H itself (d, d). */
    mst_status (*hessian)(const mst_barycentre *b, double *h);
    void (*free)(mst_barycentre *b);
} mst_barycentre_ops;

struct mst_barycentre {
    const mst_barycentre_ops *ops;
    double *mean;         /* (D) */
    double square;        /* mean squared distance from it */
    double gradient_norm; /* of half of that */
    size_t passes;        /* over all rows */
    bool settled;         /* the gradient is as small as it was asked for, or as it can be */
};

/* spd_mean.c */
extern const mst_barycentre_ops mst_spd_barycentre;

#endif
