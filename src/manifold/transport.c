/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Parallel transport of a manifold that has only `exp`. In parallel frames the Jacobi
 * fields along a geodesic v are
 *
 *     J = I − R/6 − R'/12 − R''/40 + R²/120 + …,
 *
 * R the curvature in the direction of v and R', R'' its derivatives, all symmetric: the first term that is
 * not symmetric is a product of R and R', of the fifth order in |v|. So the orthogonal factor of the polar
 * decomposition of J, in any two frames, is the transport to that order, and exactly so on symmetric spaces.
 * The field along v itself is the velocity at the end, from where the next leg goes on:
 * nothing has to be searched for. */
#include "base/linalg.h"
#include "manifold/fallback.h"
#include "manifold/jacobi.h"

#include <math.h>
#include <string.h>

enum { ROUNDS = 8, LONGEST = 10000 };

/* What goes along a geodesic, in coordinates of the frame at the point where it is. */
typedef struct carrier {
    jacobi here, there;
    double *velocity, *vector, *work; /* (d) */
    double *fields, *turn, *gram;     /* (d, d) */
    double *newest, *table;           /* (d), (ROUNDS, d): of Romberg's extrapolation */
    double *end;                      /* (D) */
    double *memory;
} carrier;

static mst_status carrier_new(carrier *c, const mst_manifold *m)
{
    size_t d = m->dim;
    *c = (carrier){0};
    MST_TRY(jacobi_new(&c->here, m));
    MST_TRY(jacobi_new(&c->there, m));
    MST_TRY(mst_allocate(&c->memory, (4 + ROUNDS) * d + 3 * d * d + m->ambient));
    double **parts[] = {&c->velocity, &c->vector, &c->work, &c->newest};
    double *next = c->memory;
    for (size_t k = 0; k < sizeof parts / sizeof *parts; k++, next += d)
        *parts[k] = next;
    c->table = next;
    c->fields = next + ROUNDS * d;
    c->turn = c->fields + d * d;
    c->gram = c->turn + d * d;
    c->end = c->gram + d * d;
    return MST_OK;
}

static void carrier_free(carrier *c)
{
    jacobi_free(&c->here);
    jacobi_free(&c->there);
    mst_release(c->memory);
}

/* The orthogonal factor of q, in place, by the iteration of Newton and Schulz. False if q
 * is not near enough to it. */
static bool nearest_rotation(size_t d, double *q, double *gram, double *next)
{
    double off = 0.9;
    for (;;) {
        double before = off;
        mst_multiply_nt(d, q, q, gram);
        off = 0;
        for (size_t i = 0; i < d; i++) {
            double sum = 0;
            for (size_t k = 0; k < d; k++)
                sum += fabs(gram[i * d + k] - (i == k));
            off = sum > off || isnan(sum) ? sum : off;
        }
        if (!(off < before)) /* at rounding, or from the start */
            return off < 1e-12;
        for (size_t i = 0; i < d * d; i++)
            gram[i] = 1.5 * (i % (d + 1) == 0) - 0.5 * gram[i];
        mst_multiply(d, gram, q, next);
        memcpy(q, next, d * d * sizeof *q);
    }
}

/* Row vector times matrix, in place. */
static void apply(size_t d, const double *a, double *v, double *work)
{
    memset(work, 0, d * sizeof *work);
    for (size_t k = 0; k < d; k++)
        for (size_t i = 0; i < d; i++)
            work[i] += v[k] * a[k * d + i];
    memcpy(v, work, d * sizeof *v);
}

/* One leg, to `end` or, if that is null, to where it leads. */
static mst_status advance(const mst_manifold *m, carrier *c, const double *end, bool *near)
{
    size_t d = m->dim, D = m->ambient;
    MST_TRY(jacobi_along(&c->here, m, c->velocity));
    MST_TRY(jacobi_at(&c->there, m, end != NULL ? end : c->here.point));
    for (size_t k = 0; k < d; k++)
        for (size_t i = 0; i < d; i++)
            MST_TRY(mst_manifold_inner(m, 1, c->there.base, c->here.field + k * D,
                                       c->there.frame + i * D, &c->fields[k * d + i]));
    memcpy(c->turn, c->fields, d * d * sizeof *c->turn);
    apply(d, c->fields, c->velocity, c->work);
    /* Of the fields only their turn is left, so their place serves as workspace. */
    *near = nearest_rotation(d, c->turn, c->gram, c->fields);
    apply(d, c->turn, c->vector, c->work);
    jacobi swap = c->here;
    c->here = c->there;
    c->there = swap;
    return MST_OK;
}

/* From x along v in so many legs; c->vector has the coordinates of the result in the frame at c->end. */
static mst_status carry(const mst_manifold *m, const double *x, const double *v, const double *u,
                        size_t legs, carrier *c, bool *near)
{
    size_t d = m->dim, D = m->ambient;
    MST_TRY(jacobi_at(&c->here, m, x));
    for (size_t k = 0; k < d; k++) {
        const double *e = c->here.frame + k * D;
        MST_TRY(mst_manifold_inner(m, 1, x, e, v, &c->velocity[k]));
        MST_TRY(mst_manifold_inner(m, 1, x, e, u, &c->vector[k]));
        c->velocity[k] /= (double)legs;
    }
    *near = true;
    for (size_t leg = 0; *near && leg < legs; leg++)
        MST_TRY(advance(m, c, leg + 1 < legs ? NULL : c->end, near));
    return MST_OK;
}

/* Takes the next approximation, c->vector, into the table, whose first `level` rows are those of the last
 * time, and puts the best extrapolation into c->newest. The error is a series in even powers of 1/legs, from
 * the fourth on, because the way back undoes the way there. The change against the last time. */
static double extrapolate(size_t d, carrier *c, int level)
{
    double change = level > 0 ? 0 : INFINITY, weight = 4;
    memcpy(c->newest, c->vector, d * sizeof *c->newest);
    for (int order = 0; order < level; order++) {
        double *last = c->table + (size_t)order * d;
        weight *= 4;
        for (size_t k = 0; k < d; k++) {
            double better = c->newest[k] + (c->newest[k] - last[k]) / (weight - 1);
            if (order + 1 == level)
                change = fmax(change, fabs(better - last[k]));
            last[k] = c->newest[k];
            c->newest[k] = better;
        }
    }
    memcpy(c->table + (size_t)level * d, c->newest, d * sizeof *c->newest);
    return change;
}

static mst_status transport_row(const mst_manifold *m, const double *x, const double *v,
                                const double *u, carrier *c, double *out)
{
    size_t d = m->dim, D = m->ambient;
    double length, size, best = INFINITY;
    int level = 0;
    MST_TRY(mst_manifold_norm(m, 1, x, v, &length));
    MST_TRY(mst_manifold_norm(m, 1, x, u, &size));
    if (!(length <= LONGEST))
        return mst_fail(MST_CONVERGENCE, "no parallel transport along a geodesic %g long", length);
    MST_TRY(mst_manifold_exp(m, 1, x, v, c->end));
    size_t legs = length < 0.5 ? 1 : (size_t)(2 * length) + 1;
    for (int round = 0; round < ROUNDS && !(best <= 1e-10 * size); round++, legs *= 2) {
        bool near;
        MST_TRY(carry(m, x, v, u, legs, c, &near));
        if (!near) { /* strong curvature: shorter legs */
            level = 0;
            continue;
        }
        double change = extrapolate(d, c, level++);
        if (!(change < best))
            continue;
        best = change;
        memset(out, 0, D * sizeof *out);
        for (size_t k = 0; k < d; k++)
            for (size_t a = 0; a < D; a++)
                out[a] += c->newest[k] * c->here.frame[k * D + a];
    }
    if (!(best <= 1e-7 * size))
        return mst_fail(MST_CONVERGENCE, "parallel transport settled to %.1g only", best);
    return MST_OK;
}

mst_status mst_fallback_transport(const mst_manifold *m, size_t n, const double *x, const double *v,
                                  const double *u, double *out)
{
    size_t D = m->ambient;
    carrier c;
    double *result = NULL;
    mst_status status = carrier_new(&c, m);
    if (status == MST_OK)
        status = mst_allocate(&result, D);
    for (size_t i = 0; status == MST_OK && i < n; i++) {
        status = transport_row(m, x + i * D, v + i * D, u + i * D, &c, result);
        if (status == MST_OK)
            memcpy(out + i * D, result, D * sizeof *out);
    }
    mst_release(result);
    carrier_free(&c);
    return status;
}
