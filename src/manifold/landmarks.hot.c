/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

#include "base/hot.h"
#include "base/vecmath.h"
#include "manifold/landmarks_matrix_hot.h"
#include "manifold/landmarks_radial_hot.h"

#include <math.h>
#include <string.h>

enum { EIGHT = 8 };

static void radial(const landmark_shape *s, const double *u, int order, double *k0, double *k1,
                   double *k2, double *k3)
{
    if (order == 0)
        radial_to(s, u, 0, k0, k1, k2, k3);
    else if (order == 1)
        radial_to(s, u, 1, k0, k1, k2, k3);
    else if (order == 2)
        radial_to(s, u, 2, k0, k1, k2, k3);
    else
        radial_to(s, u, 3, k0, k1, k2, k3);
}

/* Squared distances of landmark a to those from `from` on. */
INLINE void distances(const landmark_shape *s, const double *restrict q, size_t a, size_t from,
                      double *restrict u)
{
    memset(u + from, 0, (s->wide - from) * sizeof *u);
    for (size_t c = 0; c < s->space; c++) {
        double at = q[c * s->wide + a];
        MST_SIMD
        for (size_t b = from; b < s->wide; b++) {
            double gap = at - q[c * s->wide + b];
            u[b] += gap * gap;
        }
    }
}

static void pairs(const landmark_shape *s, const double *q, int order,
                  double *const k[LANDMARK_ORDERS])
{
    size_t n = s->count, wide = s->wide;
    for (size_t a = 0; a < n; a++) {
        double *row[LANDMARK_ORDERS] = {NULL, NULL, NULL, NULL};
        for (int o = 0; o <= order; o++)
            row[o] = k[o] + a * wide;
        /* The distances stand where the values will. */
        distances(s, q, a, 0, row[order]);
        double own[EIGHT];
        for (size_t b = 0; b < wide; b += EIGHT) {
            landmark_shape part = *s;
            part.wide = EIGHT;
            memcpy(own, row[order] + b, sizeof own);
            radial(&part, own, order, row[0] + b, order > 0 ? row[1] + b : NULL,
                   order > 1 ? row[2] + b : NULL, order > 2 ? row[3] + b : NULL);
        }
        for (int o = 0; o <= order; o++) {
            for (size_t b = n; b < wide; b++)
                row[o][b] = 0;
            row[o][a] = o == 0 ? s->alpha + s->nugget : 0;
        }
    }
}

INLINE double sum_of(const vector *v)
{
    double sum = 0;
    for (size_t k = 0; k < VECTOR; k++)
        sum += (*v)[k];
    return sum;
}

/* What landmark a and those after it do to each other, so that no kernel is computed twice; `from` is the
 * first of their vectors. */
INLINE void slopes_of(const landmark_shape *s, size_t space, const double *q, const double *p,
                      size_t a, size_t from, const double *k, const double *k1, double *dq,
                      double *dp)
{
    size_t wide = s->wide;
    vector flow[LANDMARK_SPACE], force[LANDMARK_SPACE];
    for (size_t c = 0; c < space; c++)
        flow[c] = force[c] = (vector){0};
    for (size_t b = from; b < wide; b += VECTOR) {
        vector dot = {0}, here = LOAD_VECTOR(k + b);
        for (size_t c = 0; c < space; c++) {
            vector momentum = LOAD_VECTOR(p + c * wide + b);
            dot += p[c * wide + a] * momentum;
            flow[c] += here * momentum;
            *(loose_vector *)(dq + c * wide + b) += here * p[c * wide + a];
        }
        dot *= LOAD_VECTOR(k1 + b);
        for (size_t c = 0; c < space; c++) {
            vector push = dot * (q[c * wide + a] - LOAD_VECTOR(q + c * wide + b));
            force[c] += push;
            *(loose_vector *)(dp + c * wide + b) += push;
        }
    }
    for (size_t c = 0; c < space; c++) {
        dq[c * wide + a] += sum_of(&flow[c]) + (s->alpha + s->nugget) * p[c * wide + a];
        dp[c * wide + a] -= sum_of(&force[c]);
    }
}

INLINE void slopes_in(const landmark_shape *s, size_t space, const double *q, const double *p,
                      double *dq, double *dp, double *room)
{
    size_t n = s->count, wide = s->wide;
    double *u = room, *k = room + wide, *k1 = k + wide;
    memset(dq, 0, space * wide * sizeof *dq);
    memset(dp, 0, space * wide * sizeof *dp);
    for (size_t a = 0; a < n; a++) {
        size_t from = (a + 1) / VECTOR * VECTOR;
        landmark_shape part = *s;
        part.wide = wide - from;
        distances(s, q, a, from, u);
        radial(&part, u + from, 1, k + from, k1 + from, NULL, NULL);
        for (size_t b = from; b <= a; b++)
            k[b] = k1[b] = 0;
        slopes_of(s, space, q, p, a, from, k, k1, dq, dp);
    }
    for (size_t c = 0; c < space; c++)
        for (size_t b = n; b < wide; b++)
            dq[c * wide + b] = dp[c * wide + b] = 0;
}

static void slopes(const landmark_shape *s, const double *q, const double *p, double *dq,
                   double *dp, double *room)
{
    if (s->space == 2)
        slopes_in(s, 2, q, p, dq, dp, room);
    else
        slopes_in(s, 3, q, p, dq, dp, room);
}

/* Places `from` to from + EIGHT of landmark a's rows in A, for each coordinate c those of the landmarks that
 * stand there, and sums of them. */
typedef struct stretch {
    double turn[LANDMARK_SPACE][LANDMARK_SPACE * EIGHT]; /* ∂q'/∂q */
    double flow[LANDMARK_SPACE][LANDMARK_SPACE * EIGHT]; /* ∂q'/∂p */
    double bend[LANDMARK_SPACE][LANDMARK_SPACE * EIGHT]; /* ∂p'/∂q */
    double back[LANDMARK_SPACE][LANDMARK_SPACE * EIGHT]; /* ∂p'/∂p */
    double turn_own[LANDMARK_SPACE][LANDMARK_SPACE][EIGHT];
    double bend_own[LANDMARK_SPACE][LANDMARK_SPACE][EIGHT];
} stretch;

INLINE void linearise_stretch(const landmark_shape *s, size_t space, const double *q,
                              const double *p, double *const k[LANDMARK_ORDERS], size_t a,
                              size_t from, stretch *to)
{
    size_t wide = s->wide;
    const double *k0 = k[0] + a * wide + from, *k1 = k[1] + a * wide + from,
                 *k2 = k[2] + a * wide + from;
    MST_SIMD
    for (size_t j = 0; j < EIGHT; j++) {
        double gap[LANDMARK_SPACE], mine[LANDMARK_SPACE], theirs[LANDMARK_SPACE], dot = 0;
        for (size_t c = 0; c < space; c++) {
            double other = p[c * wide + from + j];
            gap[c] = q[c * wide + a] - q[c * wide + from + j];
            mine[c] = k1[j] * p[c * wide + a];
            theirs[c] = k1[j] * other;
            dot += p[c * wide + a] * other;
        }
        for (size_t c = 0; c < space; c++)
            for (size_t e = 0; e < space; e++) {
                double turn = theirs[c] * gap[e];
                double bend = dot * (k2[j] * gap[c] * gap[e] + (c == e ? k1[j] : 0));
                to->turn[c][j * space + e] = -turn;
                to->flow[c][j * space + e] = c == e ? k0[j] : 0;
                to->bend[c][j * space + e] = bend;
                to->back[c][j * space + e] = -mine[e] * gap[c];
                to->turn_own[c][e][j] += turn;
                to->bend_own[c][e][j] += bend;
            }
    }
}

INLINE double sum_of_eight(const double *v)
{
    return ((v[0] + v[4]) + (v[2] + v[6])) + ((v[1] + v[5]) + (v[3] + v[7]));
}

/* As many numbers as EIGHT landmarks have, or `here`. */
INLINE void put_stretch(size_t space, size_t here, const double *from, double *to)
{
    if (here == EIGHT)
        memcpy(to, from, EIGHT * space * sizeof *to);
    else
        for (size_t j = 0; j < here * space; j++)
            to[j] = from[j];
}

/* Rows of landmark a in A: the columns of the other landmarks, and sums of them in its own. */
INLINE void linearise_row(const landmark_shape *s, size_t space, const double *q, const double *p,
                          double *const k[LANDMARK_ORDERS], size_t a, size_t lead,
                          double *restrict slope)
{
    size_t n = s->count, d = n * space;
    double *rows = slope + a * space * lead, *low = rows + d * lead;
    stretch part;
    for (size_t c = 0; c < space; c++)
        for (size_t e = 0; e < space; e++)
            for (size_t j = 0; j < EIGHT; j++)
                part.turn_own[c][e][j] = part.bend_own[c][e][j] = 0;
    for (size_t from = 0; from < n; from += EIGHT) {
        size_t here = n - from < EIGHT ? n - from : EIGHT;
        linearise_stretch(s, space, q, p, k, a, from, &part);
        for (size_t c = 0; c < space; c++) {
            size_t at = c * lead + from * space;
            put_stretch(space, here, part.turn[c], rows + at);
            put_stretch(space, here, part.flow[c], rows + at + d);
            put_stretch(space, here, part.bend[c], low + at);
            put_stretch(space, here, part.back[c], low + at + d);
        }
    }
    for (size_t c = 0; c < space; c++)
        for (size_t e = 0; e < space; e++) {
            size_t at = c * lead + a * space + e;
            rows[at] = sum_of_eight(part.turn_own[c][e]);
            low[at] = -sum_of_eight(part.bend_own[c][e]);
            low[e * lead + a * space + c + d] = -rows[at];
        }
}

static void linearise(const landmark_shape *s, const double *q, const double *p,
                      double *const k[LANDMARK_ORDERS], size_t lead, double *slope)
{
    pairs(s, q, 2, k);
    for (size_t a = 0; a < s->count; a++)
        if (s->space == 2)
            linearise_row(s, 2, q, p, k, a, lead, slope);
        else
            linearise_row(s, 3, q, p, k, a, lead, slope);
}

const struct landmark_kernels HOT(landmark_kernels) = {
    .pairs = pairs,
    .slopes = slopes,
    .linearise = linearise,
    .blend = blend,
    .multiply = multiply,
    .cholesky = cholesky,
    .solve_lower = solve_lower,
    .solve_upper = solve_upper,
    .factor = factor,
    .solve = solve,
};
