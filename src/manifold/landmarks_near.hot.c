/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Almost the logarithm of a few landmarks, by a fixed number of operations, so that it is smooth. First a
 * path in pieces from y to x, straight at the beginning: with K_k and the forces f_k in the middles of its
 * pieces, momenta p_k = p + f_1 + … + ½f_k lead from y to x for the right p, and along another path, which
 * takes the place of the first. Then shooting, p ← p + B(x − Exp_y(p)) by Broyden's method, which begins with
 * B = K̄⁻¹, K̄ the mean of K along the path: where landmarks turn around each other that alone does not
 * contract. */
#include "manifold/landmarks_near.h"
#include "manifold/landmarks_eight_hot.h"

enum { PIECES = 8, CHORDS = LANDMARK_NEAR_CHORDS };

typedef struct near_path {
    eight corner[PIECES + 1][DIM];
    eight p[PIECES][DIM]; /* in the middles */
    matrix mean;          /* the inverse of the mean of K */
} near_path;

/* One round: new momenta and corners; p at y. */
static void relax(const landmark_shape *s, const eight *x, bool first, near_path *r, eight *p)
{
    size_t n = s->count, d = n * s->space;
    place at[PIECES];
    eight offset[PIECES][DIM], force[DIM], sum[DIM], rest[DIM], mid[DIM];
    matrix mean, l, inverse;
    for (size_t a = 0; a < n; a++)
        for (size_t b = 0; b < n; b++)
            mean[a][b] = zero;
    for (size_t k = 0; k < PIECES; k++) {
        for (size_t e = 0; e < d; e++)
            mid[e] = 0.5 * (r->corner[k][e] + r->corner[k + 1][e]);
        pairs_at(&at[k], s, mid, 1);
        for (size_t a = 0; a < n; a++)
            for (size_t b = 0; b < n; b++)
                mean[a][b] += at[k].k[a][b] * (1.0 / PIECES);
    }
    factor_matrix(n, COUNT, mean[0], l[0], inverse[0]);
    invert(n, (const matrix *)&inverse, &r->mean);
    for (size_t e = 0; e < d; e++) {
        rest[e] = x[e] - r->corner[0][e];
        sum[e] = zero;
    }
    if (first) {
        apply(&at[0], &r->mean, rest, p);
        for (size_t k = 0; k < PIECES; k++)
            memcpy(r->p[k], p, d * sizeof *p);
    }
    for (size_t k = 0; k < PIECES; k++) {
        force_at(&at[k], r->p[k], force);
        for (size_t e = 0; e < d; e++) {
            offset[k][e] = sum[e] + (0.5 / PIECES) * force[e];
            sum[e] += (1.0 / PIECES) * force[e];
        }
        apply(&at[k], &at[k].k, offset[k], force);
        for (size_t e = 0; e < d; e++)
            rest[e] -= (1.0 / PIECES) * force[e];
    }
    apply(&at[0], &r->mean, rest, p);
    eight moved[PIECES][DIM], trust = zero;
    memcpy(sum, r->corner[0], d * sizeof *sum);
    for (size_t k = 0; k < PIECES; k++) {
        for (size_t e = 0; e < d; e++)
            offset[k][e] += p[e];
        apply(&at[k], &at[k].k, offset[k], force);
        for (size_t e = 0; e < d; e++) {
            sum[e] += (1.0 / PIECES) * force[e];
            moved[k][e] = sum[e] - r->corner[k + 1][e];
            trust += moved[k][e] * moved[k][e];
        }
    }
    /* Long moves are not to be trusted with their whole length. */
    trust = 1 / (1 + trust * (1 / (PIECES * s->sigma * s->sigma)));
    for (size_t k = 0; k < PIECES; k++)
        for (size_t e = 0; e < d; e++) {
            r->corner[k + 1][e] += trust * moved[k][e];
            r->p[k][e] += trust * (offset[k][e] - r->p[k][e]);
        }
}

/* Slopes of (q, p), both in one row. */
INLINE void slope_at(const landmark_shape *s, const eight *x, eight *out)
{
    place at;
    size_t d = s->count * s->space;
    pairs_at(&at, s, x, 1);
    apply(&at, &at.k, x + d, out);
    force_at(&at, x + d, out + d);
}

/* The end of the geodesic from x, by steps of the classical method of order four. */
static void shoot(const landmark_shape *s, size_t steps, eight *x)
{
    size_t count = 2 * s->count * s->space;
    eight slope[2 * DIM], at[2 * DIM], sum[2 * DIM];
    static const double next[4] = {0.5, 0.5, 1, 0}, weight[4] = {1, 2, 2, 1};
    double h = 1 / (double)steps;
    for (size_t step = 0; step < steps; step++) {
        memcpy(at, x, count * sizeof *x);
        memcpy(sum, x, count * sizeof *x);
        for (int stage = 0; stage < 4; stage++) {
            slope_at(s, at, slope);
            for (size_t e = 0; e < count; e++) {
                sum[e] += h / 6 * weight[stage] * slope[e];
                at[e] = x[e] + h * next[stage] * slope[e];
            }
        }
        memcpy(x, sum, count * sizeof *x);
    }
}

/* Steps of Broyden's method in p (Kelley 1995, 7.3), K times each, and their products. */
typedef struct chord_steps {
    eight step[CHORDS][DIM], weighted[CHORDS][DIM], square[CHORDS];
} chord_steps;

INLINE void dot_all(size_t d, const eight *a, const eight *b, eight *out)
{
    *out = a[0] * b[0];
    for (size_t e = 1; e < d; e++)
        *out += a[e] * b[e];
}

/* Step number n, in the place of K̄⁻¹ of the miss: with what the steps before it tell of B. A step that leads
 * back to where the last one came from would be infinite: it is bounded, and smooth. */
INLINE void update(const place *at, size_t n, chord_steps *c)
{
    size_t d = at->d;
    eight *next = c->step[n], along;
    for (size_t j = 0; j < n; j++) {
        dot_all(d, c->weighted[j], next, &along);
        along /= c->square[j];
        if (j + 1 == n) {
            eight left = 1 - along;
            along = left / (left * left + 0.01);
        }
        for (size_t e = 0; e < d; e++)
            next[e] = j + 1 < n ? next[e] + along * c->step[j + 1][e] : along * next[e];
    }
    apply(at, &at->k, next, c->weighted[n]);
    dot_all(d, next, c->weighted[n], &c->square[n]);
    c->square[n] += 1e-300;
}

static void near_log(const landmark_shape *s, const double *from, const double *to,
                     const landmark_near_effort *effort, double *out)
{
    size_t d = s->count * s->space;
    eight y[DIM], x[DIM], p[DIM], sure[DIM], by[DIM], state[2 * DIM], trust = zero;
    near_path r;
    chord_steps c;
    place at;
    memcpy(y, from, d * sizeof *y);
    memcpy(x, to, d * sizeof *x);
    for (size_t k = 0; k <= PIECES; k++)
        for (size_t e = 0; e < d; e++)
            r.corner[k][e] = y[e] + (double)k / PIECES * (x[e] - y[e]);
    for (int round = 0; round < effort->rounds; round++) {
        relax(s, x, round == 0, &r, p);
        if (round == 0)
            memcpy(sure, p, d * sizeof *p);
    }
    pairs_at(&at, s, y, 1);
    for (int chord = 0; chord < effort->chords; chord++) {
        memcpy(state, y, d * sizeof *y);
        memcpy(state + d, p, d * sizeof *p);
        shoot(s, (size_t)effort->steps, state);
        trust = zero;
        for (size_t e = 0; e < d; e++) {
            state[e] = x[e] - state[e];
            trust += state[e] * state[e];
        }
        trust *= 1 / (s->sigma * s->sigma);
        apply(&at, &r.mean, state, c.step[chord]);
        update(&at, (size_t)chord, &c);
        for (size_t e = 0; e < d; e++)
            p[e] += c.step[chord][e];
    }
    /* Where the last step was not among the small ones, what the straight path says. */
    trust *= 100;
    trust = 1 / (1 + trust * trust);
    eight_mask sound = trust > 0;
    for (size_t e = 0; e < d; e++)
        p[e] = sure[e] + EIGHT_CHOOSE(sound, trust * (p[e] - sure[e]), zero);
    apply(&at, &at.k, p, by);
    memcpy(out, by, d * sizeof *by);
}

const struct landmark_near_kernels HOT(landmark_near_kernels) = {
    .near_log = near_log,
};
