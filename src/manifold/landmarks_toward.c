/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* The drift of Brownian motion of landmarks, and a smooth potential toward a point: f = ½ δ·K̄⁻¹δ with
 * δ = x − y and K̄ the mean of K at both, which is ½r² + O(r⁴). With π = K̄⁻¹δ its differential is
 * π − ½ ∂H/∂x(x, π). */
#include "manifold/landmarks.h"

#include <math.h>
#include <string.h>

void landmark_drift_at(landmark_place *at, double *b)
{
    const landmark_shape *s = at->shape;
    size_t n = s->count, wide = s->wide;
    double m = (double)s->space;
    double *inverse = at->pair[3], *f = at->room;
    landmark_inverse(at, inverse);
    memset(b, 0, at->half * sizeof *b);
    for (size_t c = 0; c < s->space; c++) {
        const double *q = at->q + c * wide;
        double *out = b + c * wide;
        for (size_t a = 0; a < n; a++) {
            double sum = 0;
            f[a] = 0;
            for (size_t j = 0; j < n; j++) {
                double e = at->pair[1][a * wide + j] * (q[a] - q[j]);
                sum += e;
                f[a] += inverse[a * wide + j] * e;
            }
            out[a] = -0.5 * sum;
        }
        for (size_t a = 0; a < n; a++)
            for (size_t j = 0; j < n; j++)
                out[a] -= 0.5 * m * at->pair[0][a * wide + j] * f[j];
    }
}

mst_status landmark_drift(const mst_manifold *m, size_t n, const double *x, double *b)
{
    const landmarks *l = mst_manifold_data(m);
    landmark_place at;
    double *column;
    MST_TRY(landmark_place_new(&at, &l->shape));
    mst_status status = mst_allocate(&column, at.half);
    for (size_t i = 0; status == MST_OK && i < n; i++) {
        bool regular = landmark_place_at(&at, x + i * m->dim, 1);
        if (regular)
            landmark_drift_at(&at, column);
        for (size_t k = 0; !regular && k < at.half; k++)
            column[k] = NAN;
        landmark_row(at.shape, column, b + i * m->dim);
    }
    mst_release(column);
    landmark_place_free(&at);
    return status;
}

typedef struct toward_room {
    landmark_place at, mean;
    double *pi, *slope, *unit, *change, *other; /* (half) */
    double *memory;
} toward_room;

static mst_status room_new(toward_room *r, const landmark_shape *s)
{
    *r = (toward_room){0};
    MST_TRY(landmark_place_new(&r->at, s));
    mst_status status = landmark_place_new(&r->mean, s);
    size_t half = r->at.half;
    if (status == MST_OK)
        status = mst_allocate_zero(&r->memory, 5 * half);
    r->pi = r->memory;
    r->slope = r->pi + half;
    r->unit = r->slope + half;
    r->change = r->unit + half;
    r->other = r->change + half;
    return status;
}

static void room_free(toward_room *r)
{
    landmark_place_free(&r->at);
    landmark_place_free(&r->mean);
    mst_release(r->memory);
}

/* To the pair: places, π and df. */
static bool settle(toward_room *r, const double *x, const double *y, double *f)
{
    const landmark_shape *s = r->at.shape;
    size_t square = s->count * s->wide, half = r->at.half;
    /* K at y, then its mean with K at x. */
    if (!landmark_place_at(&r->mean, y, 0) || !landmark_place_at(&r->at, x, 2))
        return false;
    for (size_t k = 0; k < square; k++)
        r->mean.root[k] = 0.5 * (r->mean.pair[0][k] + r->at.pair[0][k]);
    if (!r->at.kernels->cholesky(s->count, s->wide, r->mean.root))
        return false;
    *f = 0;
    for (size_t k = 0; k < half; k++)
        r->pi[k] = r->other[k] = r->at.q[k] - r->mean.q[k];
    landmark_lower(&r->mean, r->pi);
    for (size_t k = 0; k < half; k++)
        *f += 0.5 * r->pi[k] * r->other[k];
    r->at.kernels->slopes(s, r->at.q, r->pi, r->other, r->slope, r->at.room);
    for (size_t k = 0; k < half; k++)
        r->slope[k] = r->pi[k] + 0.5 * r->slope[k];
    return true;
}

/* Σ over the frame of the second derivatives along it, and the drift. */
static double laplacian(toward_room *r)
{
    const landmark_shape *s = r->at.shape;
    size_t half = r->at.half;
    double sum = 0;
    for (size_t a = 0; a < s->count; a++)
        for (size_t c = 0; c < s->space; c++) {
            memset(r->unit, 0, half * sizeof *r->unit);
            r->unit[c * s->wide + a] = 1;
            landmark_colour(&r->at, r->unit);
            memset(r->change, 0, half * sizeof *r->change);
            landmark_turn(&r->at, r->pi, r->unit, r->change);
            for (size_t k = 0; k < half; k++)
                r->change[k] = r->unit[k] + 0.5 * r->change[k];
            landmark_lower(&r->mean, r->change);
            landmark_bend(&r->at, r->pi, r->unit, r->change, r->other);
            for (size_t k = 0; k < half; k++)
                sum += r->unit[k] * (r->change[k] + 0.5 * r->other[k]);
        }
    landmark_drift_at(&r->at, r->other);
    for (size_t k = 0; k < half; k++)
        sum += 2 * r->other[k] * r->slope[k];
    return sum;
}

mst_status landmark_toward(const mst_manifold *m, size_t n, const double *x, const double *y,
                           double *f, double *v, double *laplace)
{
    const landmarks *l = mst_manifold_data(m);
    size_t d = m->dim;
    toward_room r;
    mst_status status = room_new(&r, &l->shape);
    for (size_t i = 0; status == MST_OK && i < n; i++) {
        double value = NAN;
        bool regular = settle(&r, x + i * d, y + i * d, &value);
        if (f != NULL)
            f[i] = value;
        if (laplace != NULL)
            laplace[i] = regular ? laplacian(&r) : NAN;
        if (v == NULL)
            continue;
        /* v = −K df = −L (Lᵀ df) */
        r.at.kernels->slopes(r.at.shape, r.at.q, r.slope, r.other, r.change, r.at.room);
        for (size_t k = 0; k < r.at.half; k++)
            r.other[k] = regular ? -r.other[k] : NAN;
        landmark_row(r.at.shape, r.other, v + i * d);
    }
    room_free(&r);
    return status;
}
