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
        mst_allocate_zero(&r->memory, half * (2 * (LANDMARK_PIECES + 1) + 2 * LANDMARK_PIECES + 5) +
                                          square * (LANDMARK_PIECES + 1) + 4 * s->wide));
    double *at = r->memory;
    double **const paths[] = {&r->path, &r->trial};
    for (size_t k = 0; k < 2; k++, at += (LANDMARK_PIECES + 1) * half)
        *paths[k] = at;
    r->p = at;
    r->force = at += LANDMARK_PIECES * half;
    r->work = at += LANDMARK_PIECES * half;
    r->k = at += 5 * half;
    r->sum = at += LANDMARK_PIECES * square;
    r->room = at + square;
    return MST_OK;
}

void landmark_relaxer_free(landmark_relaxer *r)
{
    landmark_place_free(&r->at);
    mst_release(r->memory);
}

/* The energy of a path; with `keep` its K_s, p_s and forces. INFINITY where a metric is singular. */
static double measure(landmark_relaxer *r, const double *path, bool keep)
{
    size_t half = r->half, square = r->shape->count * r->shape->wide;
    double energy = 0, *middle = r->work, *p = middle + half, *dq = p + half;
    for (size_t s = 0; s < r->pieces; s++) {
        const double *from = path + s * half, *to = from + half;
        for (size_t k = 0; k < half; k++) {
            middle[k] = 0.5 * (from[k] + to[k]);
            p[k] = (double)r->pieces * (to[k] - from[k]);
        }
        if (!landmark_place_columns(&r->at, middle, 0))
            return INFINITY;
        landmark_lower(&r->at, p);
        for (size_t k = 0; k < half; k++)
            energy += 0.5 * p[k] * (to[k] - from[k]);
        if (!keep)
            continue;
        memcpy(r->k + s * square, r->at.pair[0], square * sizeof *r->k);
        memcpy(r->p + s * half, p, half * sizeof *p);
        r->at.kernels->slopes(r->shape, middle, p, dq, r->force + s * half, r->room);
    }
    return energy;
}

/* out += h K v by columns. */
static void add_flow(const landmark_relaxer *r, const double *k, const double *v, double *out)
{
    size_t n = r->shape->count, wide = r->shape->wide;
    for (size_t c = 0; c < r->shape->space; c++)
        for (size_t a = 0; a < n; a++) {
            double sum = 0;
            for (size_t b = 0; b < n; b++)
                sum += k[a * wide + b] * v[c * wide + b];
            out[c * wide + a] += sum / (double)r->pieces;
        }
}

/* r->p: the momenta that the forces ask for; false: ΣK is singular. */
static bool balance(landmark_relaxer *r)
{
    const landmark_shape *shape = r->shape;
    size_t half = r->half, square = shape->count * shape->wide;
    double *need = r->work, *flow = need + half, h = 1 / (double)r->pieces;
    memset(r->sum, 0, square * sizeof *r->sum);
    memset(flow, 0, half * sizeof *flow);
    memset(r->p, 0, half * sizeof *r->p);
    for (size_t s = 0; s < r->pieces; s++) {
        double *p = r->p + s * half;
        const double *force = r->force + s * half;
        for (size_t k = 0; s > 0 && k < half; k++)
            p[k] = p[k - half] + 0.5 * h * (force[k - half] + force[k]);
        add_flow(r, r->k + s * square, p, flow);
        for (size_t k = 0; k < square; k++)
            r->sum[k] += h * r->k[s * square + k];
    }
    for (size_t k = 0; k < half; k++)
        need[k] = r->path[r->pieces * half + k] - r->path[k] - flow[k];
    memcpy(r->at.root, r->sum, square * sizeof *r->sum);
    if (!r->at.kernels->cholesky(shape->count, shape->wide, r->at.root))
        return false;
    landmark_lower(&r->at, need);
    for (size_t s = 0; s < r->pieces; s++)
        for (size_t k = 0; k < half; k++)
            r->p[s * half + k] += need[k];
    return true;
}

bool landmark_relax(landmark_relaxer *r, const double *y, const double *x, size_t pieces,
                    int rounds, double *p)
{
    size_t half = r->half, square = r->shape->count * r->shape->wide;
    r->pieces = pieces;
    for (size_t s = 0; s <= pieces; s++)
        for (size_t k = 0; k < half; k++)
            r->path[s * half + k] = y[k] + (double)s / (double)pieces * (x[k] - y[k]);
    double energy = measure(r, r->path, true);
    for (int round = 0; isfinite(energy) && round < rounds; round++) {
        if (!balance(r))
            return false;
        memcpy(r->trial, r->path, half * sizeof *y);
        for (size_t s = 0; s < pieces; s++) {
            double *from = r->trial + s * half, *to = from + half;
            memcpy(to, from, half * sizeof *to);
            add_flow(r, r->k + s * square, r->p + s * half, to);
        }
        double now = measure(r, r->trial, false), part = 1;
        while (!(now < energy) && part > 1e-2) {
            part /= 2;
            for (size_t k = half; k < pieces * half; k++)
                r->trial[k] = 0.5 * (r->trial[k] + r->path[k]);
            now = measure(r, r->trial, false);
        }
        if (!(now < energy))
            break;
        double gain = energy - now;
        memcpy(r->path, r->trial, (pieces + 1) * half * sizeof *y);
        memcpy(r->path + pieces * half, x, half * sizeof *x);
        energy = measure(r, r->path, true);
        if (gain < 1e-9 * energy)
            break;
    }
    /* At y, half a piece before the middle of the first. */
    for (size_t k = 0; k < half; k++)
        p[k] = r->p[k] - 0.5 / (double)pieces * r->force[k];
    return isfinite(energy);
}
