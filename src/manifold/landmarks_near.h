/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Almost the logarithm of a few landmarks: see landmarks_near.hot.c. */
#ifndef MST_MANIFOLD_LANDMARKS_NEAR_H
#define MST_MANIFOLD_LANDMARKS_NEAR_H

#include "manifold/landmarks_kernels.h"

enum { LANDMARK_NEAR_CHORDS = 8 };

typedef struct landmark_near_effort {
    /* of relaxation (1 at least), of shooting (LANDMARK_NEAR_CHORDS at most), and of its integration */
    int rounds, chords, steps;
} landmark_near_effort;

struct landmark_near_kernels {
    /* v (d, 8) ≈ Log_y(x) of eight pairs y, x (d, 8). */
    void (*near_log)(const landmark_shape *s, const double *y, const double *x,
                     const landmark_near_effort *effort, double *v);
};
MST_DECLARE_HOT(struct landmark_near_kernels, landmark_near_kernels);

#endif
