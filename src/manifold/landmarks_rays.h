/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* One or several geodesics between two points of a landmark manifold. */
#ifndef MST_MANIFOLD_LANDMARKS_RAYS_H
#define MST_MANIFOLD_LANDMARKS_RAYS_H

#include "geodesic/own.h"
#include "manifold/landmarks.h"

enum { LANDMARK_WAYS = 4 };

typedef struct landmark_ray {
    double *p;            /* (d): the momentum at the start */
    double square, error; /* length², its relative error */
    size_t steps;
    int starts; /* of the first: how many first paths were tried */
    bool taken;
} landmark_ray;

typedef struct landmark_search {
    size_t several;
    int starts;               /* as in mst_geodesic_options */
    double tolerance, within; /* as landmark_shoot takes them */
    const double *warm;       /* (d) a first guess, or null; NAN: none */
    bool hasty;               /* what shooting does not find is not there */
} landmark_search;

/* Do landmarks turn around each other on the way, so that there may be other ways? */
bool landmark_may_pass(const landmark_shape *s, const double *y, const double *x);
/* Momenta at y (several, d) of what the general solver finds. */
MST_MUST_USE mst_status landmark_other_ways(const mst_manifold *m, const double *y, const double *x,
                                            int starts, size_t several, double *p, size_t *found);
/* Up to how->several geodesics from y to x, the shortest first. */
MST_MUST_USE mst_status landmark_rays_find(landmark_shooter *s, const mst_manifold *m,
                                           const double *y, const double *x,
                                           const landmark_search *how, landmark_ray *rays,
                                           size_t *count);

/* Slots of mst_own_geodesics (landmarks_expansion.c). */
mst_status landmark_expansion_room(const mst_manifold *m, void **room);
void landmark_expansion_release(void *room);
mst_status landmark_expansion_rays(const mst_manifold *m, void *room, const double *y,
                                   const double *x, const double *warm, bool hasty, size_t several,
                                   mst_ray *rays, size_t *count);

#endif
