/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Curvature of landmark manifolds in closed form. */
#ifndef MST_MANIFOLD_LANDMARKS_CURVATURE_H
#define MST_MANIFOLD_LANDMARKS_CURVATURE_H

#include "manifold/landmarks.h"

typedef struct landmark_curvature {
    landmark_place at;
    double *inverse;                               /* K⁻¹ (count, wide) */
    double *e[LANDMARK_SPACE];                     /* 2k' D of each coordinate, (count, wide) */
    double *m[LANDMARK_SPACE];                     /* e K⁻¹ */
    double *g[LANDMARK_SPACE];                     /* e K⁻¹ eᵀ */
    double *f[LANDMARK_SPACE], *s[LANDMARK_SPACE]; /* (wide): Σ_b K⁻¹_ab e_ab, Σ_b e_ab */
    double *to_k, *to_inverse, *to_laplace, *to_e, *work, *other; /* (count, wide): reverse mode */
    double *memory;
} landmark_curvature;
MST_MUST_USE mst_status landmark_curvature_new(landmark_curvature *c, const landmark_shape *s);
void landmark_curvature_free(landmark_curvature *c);
/* The scalar curvature at a point by columns and its differential (half) by columns, or null. NAN where the
 * metric is singular. */
double landmark_scalar(landmark_curvature *c, const double *q, double *differential);

#endif
