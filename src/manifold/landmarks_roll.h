/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Brownian paths of a few landmarks with a parallel frame: see landmarks_roll.hot.c. Eight paths are worked
 * on side by side; number e of path i of a group stands at 8·e + i. */
#ifndef MST_MANIFOLD_LANDMARKS_ROLL_H
#define MST_MANIFOLD_LANDMARKS_ROLL_H

#include "manifold/landmarks_kernels.h"

#include <stdbool.h>

/* Coordinates of a point at most. */
enum { LANDMARK_ROLL_DIM = 12, LANDMARK_ROLL_PATHS = 8 };

/* A group of paths. All is NAN of those that have come to where the metric is singular. */
typedef struct landmark_roll_group {
    double *q;     /* (d, 8): the points, coordinate c of landmark a in place a·space + c */
    double *alpha; /* (d, d, 8): the covectors of the frame */
    double *frame; /* (d, d, 8): the vectors of the frame */
    double *ricci; /* (d(d + 1)/2, 8): the Ricci tensor in it, its lower triangle by rows */
} landmark_roll_group;

struct landmark_roll_kernels {
    /* Frames, those of the slot `frame`, and Ricci tensors at the points q. */
    void (*begin)(const landmark_shape *s, const landmark_roll_group *g);
    /* One step along the increments b (d, 8) of times h (8); h null: without the corrections of weak order
     * two. */
    void (*step)(const landmark_shape *s, const double *h, const double *b,
                 const landmark_roll_group *g);
};
MST_DECLARE_HOT(struct landmark_roll_kernels, landmark_roll_kernels);

/* Can paths of this shape roll? Kernels with a cusp have curvatures without bound. */
static inline bool landmark_can_roll(const landmark_shape *s)
{
    return s->count > 1 && s->count * s->space <= LANDMARK_ROLL_DIM &&
           (s->kind == LANDMARK_GAUSS || s->kind == LANDMARK_MATERN52);
}

#endif
