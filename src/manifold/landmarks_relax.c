/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* A path of straight pieces from y to x of little energy, for its momentum at y: where shooting
 * begins. The energy is ½ Σ h p_s·K_s p_s with K_s = K in the middle of a piece and p_s = K_s⁻¹ u_s/h, u_s
 * being the piece. At a minimum the momenta obey Hamilton's equation,
 *   p_s − p_{s−1} = ½ h (f_{s−1} + f_s),  f = −∂H/∂q in the middles,
 * so that with the forces f of the last path all of them are known but for a constant, which Σ h K_s p_s = x
 * − y tells: one matrix of order N to solve with (Rygaard and Hauberg 2025, GEORCE, with middles in the place
 * of left ends). Each path is mixed with the last so that the energy falls. */
#include "manifold/landmarks.h"

#include <math.h>
#include <string.h>

mst_status landmark_relaxer_new(landmark_relaxer *r, const landmark_shape *s)
{
    size_t half = s->space * s->wide, square = s->count * s->wide;
    *r = (landmark_relaxer){.shape = s, .half = half};
    MST_TRY(landmark_place_new(&r->at, s));
    MST_TRY(
        mst_allocate_zero(&r->memory, half * (2 * (LANDMARK_PIECES + 1) + 4 * LANDMARK_PIECES + 5) +
                                          square * (2 * LANDMARK_PIECES + 1) + 4 * s->wide));
    double *at = r->memory;
    landmark_path *const paths[] = {&r->now, &r->trial};
    for (size_t k = 0; k < 2; k++) {
        paths[k]->corner = at;
        paths[k]->p = at += (LANDMARK_PIECES + 1) * half;
        paths[k]->force = at += LANDMARK_PIECES * half;
        paths[k]->k = at += LANDMARK_PIECES * half;
        at += LANDMARK_PIECES * square;
    }
    r->work = at;
    r->sum = at += 5 * half;
    r->room = at + square;
    return MST_OK;
}

void landmark_relaxer_free(landmark_relaxer *r)
{
    landmark_place_free(&r->at);
    mst_release(r->memory);
}

/* The energy of a path, from its corners, and the rest of it. INFINITY where a metric is singular. */
static double measure(landmark_relaxer *r, const landmark_path *path)
{
    size_t half = r->half, square = r->shape->count * r->shape->wide;
    double energy = 0, *middle = r->work, *dq = middle + half;
    for (size_t s = 0; s < r->pieces; s++) {
        const double *from = path->corner + s * half, *to = from + half;
        double *p = path->p + s * half;
        for (size_t k = 0; k < half; k++) {
            middle[k] = 0.5 * (from[k] + to[k]);
            p[k] = (double)r->pieces * (to[k] - from[k]);
        }
        if (!landmark_place_columns(&r->at, middle, 0))
            return INFINITY;
        landmark_lower(&r->at, p);
        for (size_t k = 0; k < half; k++)
            energy += 0.5 * p[k] * (to[k] - from[k]);
        memcpy(path->k + s * square, r->at.pair[0], square * sizeof *p);
        r->at.kernels->slopes(r->shape, middle, p, dq, path->force + s * half, r->room);
    }
    return energy;
}

/* out += h K v by columns; K is symmetric. */
static void add_flow(const landmark_relaxer *r, const double *restrict k, const double *v,
                     double *restrict out)
{
    size_t n = r->shape->count, wide = r->shape->wide;
    for (size_t c = 0; c < r->shape->space; c++)
        for (size_t a = 0; a < n; a++) {
            double part = v[c * wide + a] / (double)r->pieces;
            for (size_t b = 0; b < wide; b++)
                out[c * wide + b] += part * k[a * wide + b];
        }
}

/* The momenta that the forces of the path ask for, in their place; false: ΣK is singular. */
static bool balance(landmark_relaxer *r)
{
    const landmark_shape *shape = r->shape;
    size_t half = r->half, square = shape->count * shape->wide;
    double *need = r->work, *flow = need + half, h = 1 / (double)r->pieces;
    memset(r->sum, 0, square * sizeof *r->sum);
    memset(flow, 0, half * sizeof *flow);
    memset(r->now.p, 0, half * sizeof *r->now.p);
    for (size_t s = 0; s < r->pieces; s++) {
        double *p = r->now.p + s * half;
        const double *force = r->now.force + s * half;
        for (size_t k = 0; s > 0 && k < half; k++)
            p[k] = p[k - half] + 0.5 * h * (force[k - half] + force[k]);
        add_flow(r, r->now.k + s * square, p, flow);
        for (size_t k = 0; k < square; k++)
            r->sum[k] += h * r->now.k[s * square + k];
    }
    for (size_t k = 0; k < half; k++)
        need[k] = r->now.corner[r->pieces * half + k] - r->now.corner[k] - flow[k];
    memcpy(r->at.root, r->sum, square * sizeof *r->sum);
    if (!r->at.kernels->cholesky(shape->count, shape->wide, r->at.root))
        return false;
    landmark_lower(&r->at, need);
    for (size_t s = 0; s < r->pieces; s++)
        for (size_t k = 0; k < half; k++)
            r->now.p[s * half + k] += need[k];
    return true;
}

bool landmark_relax(landmark_relaxer *r, const double *y, const double *x, size_t pieces,
                    int rounds, double least, double *p)
{
    size_t half = r->half, square = r->shape->count * r->shape->wide;
    r->pieces = pieces;
    for (size_t s = 0; s <= pieces; s++)
        for (size_t k = 0; k < half; k++)
            r->now.corner[s * half + k] = y[k] + (double)s / (double)pieces * (x[k] - y[k]);
    double energy = measure(r, &r->now);
    for (int round = 0; isfinite(energy) && round < rounds; round++) {
        if (!balance(r))
            return false;
        memcpy(r->trial.corner, y, half * sizeof *y);
        for (size_t s = 0; s < pieces; s++) {
            double *from = r->trial.corner + s * half, *to = from + half;
            memcpy(to, from, half * sizeof *to);
            add_flow(r, r->now.k + s * square, r->now.p + s * half, to);
        }
        memcpy(r->trial.corner + pieces * half, x, half * sizeof *x);
        double now = measure(r, &r->trial), part = 1;
        while (!(now < energy) && part > 1e-2) {
            part /= 2;
            for (size_t k = half; k < pieces * half; k++)
                r->trial.corner[k] = 0.5 * (r->trial.corner[k] + r->now.corner[k]);
            now = measure(r, &r->trial);
        }
        if (!(now < energy))
            break;
        double gain = energy - now;
        landmark_path last = r->now;
        r->now = r->trial;
        r->trial = last;
        energy = now;
        if (gain < least * energy)
            break;
    }
    /* At y, half a piece before the middle of the first. */
    for (size_t k = 0; k < half; k++)
        p[k] = r->now.p[k] - 0.5 / (double)pieces * r->now.force[k];
    return isfinite(energy);
}
