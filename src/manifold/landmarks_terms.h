/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Terms of the heat kernel's expansion along one geodesic of a landmark manifold. */
#ifndef MST_MANIFOLD_LANDMARKS_TERMS_H
#define MST_MANIFOLD_LANDMARKS_TERMS_H

#include "manifold/landmarks_curvature.h"

enum { LANDMARK_INNER = 3 };

typedef struct landmark_terms {
    const landmark_shape *shape;
    size_t d;
    landmark_flow flow;
    landmark_curvature curvature;
    landmark_place at;
    /* (d, lead): fields at the inner places, at the ends, and what they are contracted to */
    double *z_q[LANDMARK_INNER], *z_p[LANDMARK_INNER], *x_q[LANDMARK_INNER], *x_p[LANDMARK_INNER];
    double *end_p, *start_p, *lu, *u, *w, *work, *flipped;
    /* (half): by columns */
    double *inner[LANDMARK_INNER], *inner_p[LANDMARK_INNER];
    double *y, *x, *p, *back, *other, *to_q, *to_p, *gap, *total, *scalar, *row;
    size_t *pivot;
    double *memory;
} landmark_terms;
MST_MUST_USE mst_status landmark_terms_new(landmark_terms *w, const mst_manifold *m);
void landmark_terms_free(landmark_terms *w);

typedef struct landmark_ray_terms {
    double log_theta, a;
    double *log; /* (d): Log_y(x) */
    double *slope_b,
        *slope_a;    /* (d): gradients of b₀ and a₁ in y as tangent vectors; null: not wanted */
    double *hessian; /* (d, d) of ½r² in the frame at y, or null */
} landmark_ray_terms;
/* Of the geodesic with momentum p (d) at y; Scal at y with its differential (half, by columns) is given.
 * False beyond a conjugate point. */
bool landmark_terms_find(landmark_terms *w, const double *y, const double *p, size_t steps,
                         const double *curvature_y, double scalar_y, landmark_ray_terms *out);

#endif
