/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Jacobi fields of a manifold that has only `exp`: the derivatives of Exp_x at v along the vectors of a frame
 * at x, by differences. In parallel frames J = I − R/6 − …, R being the curvature in the direction of v, so
 * they tell metric and curvature in normal coordinates, and parallel transport. */
#ifndef MST_MANIFOLD_JACOBI_H
#define MST_MANIFOLD_JACOBI_H

#include "manifold/internal.h"

/* Steps and weights of the fourth-order central difference. */
extern const double mst_difference_at[4], mst_difference_weight[4];

/* The same of the eighth order: with MST_WIDE_STEP truncation is below 1e-16 for what varies on the scale
 * one, and rounding is multiplied by 100 only, which spares results that are themselves differences. */
enum { MST_WIDE_POINTS = 8 };
#define MST_WIDE_STEP 0.01
extern const double mst_wide_at[MST_WIDE_POINTS], mst_wide_weight[MST_WIDE_POINTS];

typedef struct jacobi {
    double *frame; /* (d, D), at x */
    double *point; /* (D), Exp_x(v) */
    double *field; /* (d, D), tangent at the point */
    double *base;  /* (4d + 1, D), x in every row */
    double *aim;   /* (4d + 1, D) */
    double *memory;
} jacobi;

MST_MUST_USE mst_status jacobi_new(jacobi *j, const mst_manifold *m);
void jacobi_free(jacobi *j);

/* The frame at x. */
MST_MUST_USE mst_status jacobi_at(jacobi *j, const mst_manifold *m, const double *x);
/* Point and fields, v having the coordinates u (d) in the frame. */
MST_MUST_USE mst_status jacobi_along(jacobi *j, const mst_manifold *m, const double *u);

#endif
