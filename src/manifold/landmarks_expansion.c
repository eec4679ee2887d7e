/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* The expansion's view of landmark manifolds: geodesics with their terms. */
#include "manifold/landmarks_rays.h"
#include "manifold/landmarks_terms.h"

#include <math.h>
#include <string.h>

/* Ends are met to this part of the distance: errors of r² are of its square. */
static const double tolerance = 1e-6;

typedef struct expansion_room {
    landmark_shooter *shooter;
    landmark_terms terms;
    landmark_ray rays[LANDMARK_WAYS];
    double *momenta, *y, *last, *slope; /* (ways, d), (half), (d): y before, (half) */
    double scalar;
    bool known; /* scalar and slope are those of `last` */
} expansion_room;

void landmark_expansion_release(void *room)
{
    expansion_room *r = room;
    if (r == NULL)
        return;
    landmark_shooter_free(r->shooter);
    landmark_terms_free(&r->terms);
    mst_release(r->momenta);
    mst_release(r);
}

mst_status landmark_expansion_room(const mst_manifold *m, void **room)
{
    expansion_room *r;
    size_t d = m->dim;
    *room = NULL;
    MST_TRY(mst_allocate_zero(&r, 1));
    mst_status status = landmark_shooter_new(&r->shooter, m);
    if (status == MST_OK)
        status = landmark_terms_new(&r->terms, m);
    size_t half = r->terms.flow.half;
    if (status == MST_OK)
        status = mst_allocate(&r->momenta, (LANDMARK_WAYS + 1) * d + 2 * half);
    if (status != MST_OK) {
        landmark_expansion_release(r);
        return status;
    }
    for (size_t k = 0; k < LANDMARK_WAYS; k++)
        r->rays[k].p = r->momenta + k * d;
    r->last = r->momenta + LANDMARK_WAYS * d;
    r->y = r->last + d;
    r->slope = r->y + half;
    *room = r;
    return MST_OK;
}

/* Scal and its differential at y, which most often is that of the row before. */
static bool settle(expansion_room *r, const double *y, size_t d)
{
    if (!r->known || memcmp(y, r->last, d * sizeof *y) != 0) {
        memcpy(r->last, y, d * sizeof *y);
        landmark_columns(r->terms.shape, y, r->y);
        r->scalar = landmark_scalar(&r->terms.curvature, r->y, r->slope);
        r->known = true;
    }
    return isfinite(r->scalar);
}

mst_status landmark_expansion_rays(const mst_manifold *m, void *room, const double *y,
                                   const double *x, const double *warm, bool hasty, size_t several,
                                   mst_ray *rays, size_t *count)
{
    expansion_room *r = room;
    size_t d = m->dim, found;
    landmark_search how = {.several = several < LANDMARK_WAYS ? several : LANDMARK_WAYS,
                           .tolerance = tolerance,
                           .within = tolerance,
                           .warm = warm,
                           .hasty = hasty};
    *count = 0;
    if (rays[0].keep != NULL)
        rays[0].keep[0] = NAN;
    if (!settle(r, y, d))
        return MST_OK;
    MST_TRY(landmark_rays_find(r->shooter, m, y, x, &how, r->rays, &found));
    for (size_t k = 0; k < found; k++) {
        mst_ray *out = &rays[*count];
        landmark_ray_terms terms = {.log = out->log,
                                    .slope_b = out->slope_b,
                                    .slope_a = out->slope_a,
                                    .hessian = out->hessian};
        if (!landmark_terms_find(&r->terms, y, r->rays[k].p, r->rays[k].steps, r->slope, r->scalar,
                                 &terms))
            continue;
        out->square = r->rays[k].square;
        out->b = -0.5 * terms.log_theta;
        out->a = terms.a;
        if (out->keep != NULL)
            memcpy(out->keep, r->rays[k].p, d * sizeof *y);
        ++*count;
    }
    /* One with a conjugate point is a guess all the same. */
    if (*count == 0 && found > 0 && rays[0].keep != NULL)
        memcpy(rays[0].keep, r->rays[0].p, d * sizeof *y);
    return MST_OK;
}
