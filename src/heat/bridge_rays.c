/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Bridges led along geodesics, on manifolds that find these with the terms of the expansion. The guide is
 * Log/τ, and by Elworthy and Truman
 *
 *     p_t(y, x) = (2πt)^{−d/2} e^{−r²/2t} E exp( −½ ∫ D(X_s)/τ ds ),   D = r ∂_r log Θ = 2 <∇b, Log>,
 *
 * b = −½ log Θ, τ = t − s. Nothing of second order is asked for, and what scatters is the curvature along the
 * way alone. The integral ends one step before x, where the expansion b + τa takes over. */
#include "geodesic/own.h"
#include "heat/bridge_parts.h"

#include <math.h>
#include <string.h>

bool bridge_rays_fit(const mst_manifold *m)
{
    return m->own != NULL && m->own->rays != NULL;
}

typedef struct ray_walk {
    const bridge_block *b;
    size_t lane;
    void *own;
    mst_ray ray;
    double *at, *guess, *step, *c; /* (D), (keep), (D), (d) */
    double *memory;
} ray_walk;

static mst_status walk_new(ray_walk *w, const bridge_block *b)
{
    const mst_manifold *m = b->m;
    size_t D = m->ambient, keep = m->own->keep(m);
    *w = (ray_walk){.b = b};
    MST_TRY(mst_allocate(&w->memory, 5 * D + 2 * keep + m->dim));
    w->at = w->memory;
    w->step = w->at + D;
    w->ray = (mst_ray){.log = w->step + D, .slope_b = w->step + 2 * D, .slope_a = w->step + 3 * D};
    w->guess = w->step + 4 * D;
    w->ray.keep = w->guess + keep;
    w->c = w->ray.keep + keep;
    return m->own->room(m, &w->own);
}

static void walk_free(ray_walk *w)
{
    w->b->m->own->release(w->own);
    mst_release(w->memory);
}

/* The geodesic from where the path is to its end. After a step of the share `share` of the time that was left
 * the old one cut by as much is the first guess; without one, share is 1. */
static mst_status find_ray(ray_walk *w, double share)
{
    const mst_manifold *m = w->b->m;
    const double *end = w->b->x + w->lane * m->ambient;
    size_t count = 0, keep = m->own->keep(m);
    for (size_t k = 0; share < 1 && k < keep; k++)
        w->guess[k] = (1 - share) * w->ray.keep[k];
    if (share < 1)
        MST_TRY(m->own->rays(m, w->own, w->at, end, w->guess, false, 1, &w->ray, &count));
    if (count == 0)
        MST_TRY(m->own->rays(m, w->own, w->at, end, NULL, false, 1, &w->ray, &count));
    return count > 0 ? MST_OK
                     : mst_fail(MST_BREAKDOWN,
                                "no geodesic of %s was found from a point of a bridge to its end",
                                m->spec);
}

/* Step k, h long: c Log + √(h(1 − c)) ξ by Exp, c = h/τ. Of the correction for the length of steps the
 * isotropic part is taken, h Scal/12d, with a for Scal/12. */
static mst_status move(ray_walk *w, size_t k, double h)
{
    const bridge_block *b = w->b;
    size_t d = b->m->dim, D = b->m->ambient;
    double share = b->grid->share[k], bend = h * w->ray.a / (double)d;
    double noise = sqrt(h * (1 - share)) * (1 - bend + 0.5 * bend * bend);
    for (size_t a = 0; a < d; a++)
        w->c[a] = noise * b->xi[(k * d + a) * MST_LANES + w->lane];
    MST_TRY(mst_manifold_from_frame(b->m, 1, w->at, w->c, w->step));
    for (size_t a = 0; a < D; a++)
        w->step[a] += share * w->ray.log[a];
    return mst_manifold_exp(b->m, 1, w->at, w->step, w->at);
}

static void keep_point(const ray_walk *w, size_t k)
{
    const bridge_block *b = w->b;
    size_t D = b->m->ambient;
    if (b->point != NULL)
        memcpy(b->point + (k * b->n + w->lane) * D, w->at, D * sizeof *w->at);
}

static mst_status run_path(ray_walk *w)
{
    const double two_pi = 6.283185307179586;
    const bridge_block *b = w->b;
    const mst_manifold *m = b->m;
    size_t steps = b->grid->steps, D = m->ambient;
    double t = b->t[w->lane], sum = 0, before = 0, tau = t;
    memcpy(w->at, b->y + w->lane * D, D * sizeof *w->at);
    for (size_t k = 0; k < steps; k++) {
        double rate;
        keep_point(w, k);
        MST_TRY(find_ray(w, k > 0 ? b->grid->share[k - 1] : 1));
        MST_TRY(mst_manifold_inner(m, 1, w->at, w->ray.slope_b, w->ray.log, &rate));
        tau = t * (1 - b->grid->from[k]);
        rate /= tau;
        if (k == 0)
            b->log_weight[w->lane] =
                -w->ray.square / (2 * t) - 0.5 * (double)m->dim * log(two_pi * t);
        else
            sum += 0.5 * t * b->grid->part[k - 1] * (before + rate);
        before = rate;
        if (k + 1 < steps)
            MST_TRY(move(w, k, t * b->grid->part[k]));
    }
    b->log_weight[w->lane] += w->ray.b + tau * w->ray.a - sum;
    memcpy(w->at, b->x + w->lane * D, D * sizeof *w->at);
    keep_point(w, steps);
    return MST_OK;
}

mst_status bridge_rays(const bridge_block *b)
{
    ray_walk w;
    mst_status status = walk_new(&w, b);
    for (w.lane = 0; status == MST_OK && w.lane < b->n; w.lane++)
        status = run_path(&w);
    walk_free(&w);
    return status;
}
