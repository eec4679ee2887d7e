/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* From the terms of the expansion along each geodesic of a pair to log p and its derivatives, whatever found
 * them: several geodesics summed, conjugate points softened, the error estimated. Vectors are in a frame at
 * y. */
#ifndef MST_SCORE_EXPANSION_SEARCH_H
#define MST_SCORE_EXPANSION_SEARCH_H

#include "score/expansion.h"

enum { SEARCH_SEVERAL = 4 }; /* geodesics of a pair */

/* One geodesic from y to x of length r. */
typedef struct search_ray {
    bool good;
    double r, b0, laplacian;    /* Δb₀ */
    double simpson;             /* a₁ by Simpson's rule of Scal/12 */
    double least;               /* the least singular value of the derivative of Exp */
    double conjugate;           /* the part of the way to the first conjugate point */
    double ricci, rise, spread; /* |Ric| at the ends; |∇Scal| and ΔScal at y */
    double *log;                /* (d): Log_y(x) */
    double *slope, *simpson_slope,
        *ahead;                 /* (d): ∇b₀, ∇ of Simpson's a₁; and room for who fills it */
    double *bend, *square_bend; /* (d, d): second derivatives of b₀ and ½r² */
} search_ray;

/* How many numbers a ray needs, and where they are. */
size_t search_ray_numbers(size_t d);
void search_ray_place(search_ray *a, size_t d, double *numbers);

/* Row i of the block from SEARCH_SEVERAL rays, some of which may be no good; `radius` is a radius of
 * curvature. */
MST_MUST_USE mst_status search_sum_row(const mst_manifold *m, const expansion_block *b, size_t i,
                                       const search_ray *rays, double radius);

#endif
