/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Geodesics between two points, and parallel transport, of a manifold that has only `exp`. */
#include "base/linalg.h"
#include "manifold/fallback.h"

#include <math.h>
#include <string.h>

/* Room for shooting at one point. */
typedef struct shot {
    double *c, *trial;          /* frame coordinates of the velocity, (d) */
    double *v, *end, *residual; /* (D) */
    double *jacobian;           /* (d, D), row k the derivative of the end point by c_k */
    double *normal, *right;     /* (d, d), (d) */
    double *block;
} shot;

static mst_status shot_new(shot *s, size_t d, size_t D)
{
    MST_TRY(mst_allocate(&s->block, 3 * d + 3 * D + d * D + d * d));
    s->c = s->block;
    s->trial = s->c + d;
    s->right = s->trial + d;
    s->v = s->right + d;
    s->end = s->v + D;
    s->residual = s->end + D;
    s->jacobian = s->residual + D;
    s->normal = s->jacobian + d * D;
    return MST_OK;
}

/* end = Exp_x(E c). */
static mst_status shoot(const mst_manifold *m, const double *x, const double *c, shot *s,
                        double *end)
{
    MST_TRY(mst_manifold_from_frame(m, 1, x, c, s->v));
    return mst_manifold_exp(m, 1, x, s->v, end);
}

static mst_status miss(const mst_manifold *m, const double *x, const double *y, const double *c,
                       shot *s, double *size)
{
    MST_TRY(shoot(m, x, c, s, s->end));
    *size = 0;
    for (size_t a = 0; a < m->ambient; a++) {
        s->residual[a] = y[a] - s->end[a];
        *size = fmax(*size, fabs(s->residual[a]));
    }
    return MST_OK;
}

/* The Gauss–Newton step into s->right, with the Jacobian by central differences. */
static mst_status newton_step(const mst_manifold *m, const double *x, shot *s)
{
    size_t d = m->dim, D = m->ambient;
    const double h = 1e-5; /* ε^(1/3): balances truncation and rounding of a central difference */
    for (size_t k = 0; k < d; k++) {
        double *row = s->jacobian + k * D, kept = s->c[k];
        s->c[k] = kept + h;
        MST_TRY(shoot(m, x, s->c, s, row));
        s->c[k] = kept - h;
        MST_TRY(shoot(m, x, s->c, s, s->end));
        s->c[k] = kept;
        for (size_t a = 0; a < D; a++)
            row[a] = (row[a] - s->end[a]) / (2 * h);
    }
    for (size_t i = 0; i < d; i++) {
        s->right[i] = 0;
        for (size_t a = 0; a < D; a++)
            s->right[i] += s->jacobian[i * D + a] * s->residual[a];
        for (size_t j = 0; j < d; j++) {
            s->normal[i * d + j] = 0;
            for (size_t a = 0; a < D; a++)
                s->normal[i * d + j] += s->jacobian[i * D + a] * s->jacobian[j * D + a];
        }
    }
    return mst_solve(1, d, 1, s->normal, s->right, s->right, NULL);
}

static mst_status log_row(const mst_manifold *m, const double *x, const double *y, double *v,
                          shot *s)
{
    size_t d = m->dim, D = m->ambient;
    double scale = 1, size;
    for (size_t a = 0; a < D; a++) {
        s->v[a] = y[a] - x[a];
        scale = fmax(scale, fmax(fabs(x[a]), fabs(y[a])));
    }
    MST_TRY(mst_manifold_tangent(m, 1, x, s->v, s->v));
    MST_TRY(mst_manifold_to_frame(m, 1, x, s->v, s->c));
    MST_TRY(miss(m, x, y, s->c, s, &size));
    /* The residual settles at rounding; stop when it no longer falls. */
    for (int iteration = 0; iteration < 60 && size > 1e-16 * scale; iteration++) {
        MST_TRY(newton_step(m, x, s));
        double best = size, step = 1;
        for (int halving = 0; halving < 12; halving++, step /= 2) {
            for (size_t k = 0; k < d; k++)
                s->trial[k] = s->c[k] + step * s->right[k];
            MST_TRY(miss(m, x, y, s->trial, s, &size));
            if (size < best)
                break;
        }
        if (!(size < best)) {
            MST_TRY(miss(m, x, y, s->c, s, &size));
            break;
        }
        memcpy(s->c, s->trial, d * sizeof *s->c);
    }
    MST_TRY(mst_manifold_from_frame(m, 1, x, s->c, v));
    if (!(size <= 1e-10 * scale))
        return mst_fail(MST_CONVERGENCE, "shooting missed the point by %.2g", size);
    return MST_OK;
}

mst_status mst_fallback_log(const mst_manifold *m, size_t n, const double *x, const double *y,
                            double *v, unsigned char *flag)
{
    size_t D = m->ambient;
    shot s;
    MST_TRY(shot_new(&s, m->dim, D));
    mst_status status = MST_OK;
    for (size_t i = 0; i < n; i++) {
        mst_status row = log_row(m, x + i * D, y + i * D, v + i * D, &s);
        if (row != MST_OK && status == MST_OK)
            status = row;
        if (row != MST_OK && row != MST_CONVERGENCE)
            break;
    }
    if (flag != NULL)
        memset(flag, 0, n);
    mst_release(s.block);
    return status;
}

mst_status mst_fallback_dist(const mst_manifold *m, size_t n, const double *x, const double *y,
                             double *r)
{
    size_t D = m->ambient;
    double *v;
    enum { BLOCK = 64 };
    MST_TRY(mst_allocate(&v, BLOCK * D));
    mst_status status = MST_OK;
    for (size_t i = 0; status == MST_OK && i < n; i += BLOCK) {
        size_t count = n - i < BLOCK ? n - i : BLOCK;
        status = mst_manifold_log(m, count, x + i * D, y + i * D, v, NULL);
        if (status == MST_OK)
            status = mst_manifold_norm(m, count, x + i * D, v, r + i);
    }
    mst_release(v);
    return status;
}

/* Room for the ladder at one point: rows of D. */
typedef struct ladder {
    double *here, *middle, *next, *velocity, *rung, *trial;
} ladder;

enum { LADDER_LEVELS = 6 };

/* One rung of the pole ladder: carry s.rung from `here` half a velocity to the middle and reflect it there, which turns
 * it into minus the vector at `next`. Exact on symmetric spaces, third order otherwise. */
static mst_status climb(const mst_manifold *m, ladder *s, double fraction)
{
    size_t D = m->ambient;
    for (size_t a = 0; a < D; a++)
        s->middle[a] = fraction / 2 * s->velocity[a];
    MST_TRY(mst_manifold_exp(m, 1, s->here, s->middle, s->middle));
    for (size_t a = 0; a < D; a++)
        s->next[a] = fraction * s->velocity[a];
    MST_TRY(mst_manifold_exp(m, 1, s->here, s->next, s->next));
    MST_TRY(mst_manifold_exp(m, 1, s->here, s->rung, s->rung));
    MST_TRY(mst_manifold_log(m, 1, s->middle, s->rung, s->rung, NULL));
    for (size_t a = 0; a < D; a++)
        s->rung[a] = -s->rung[a];
    MST_TRY(mst_manifold_exp(m, 1, s->middle, s->rung, s->rung));
    MST_TRY(mst_manifold_log(m, 1, s->next, s->rung, s->rung, NULL));
    for (size_t a = 0; a < D; a++)
        s->rung[a] = -s->rung[a];
    return MST_OK;
}

/* `steps` rungs along v; the rung is shortened to `length`, so that its geodesics stay short. */
static mst_status climb_all(const mst_manifold *m, const double *x, const double *v,
                            const double *u, double length, size_t steps, ladder *s, double *out)
{
    size_t D = m->ambient;
    double size;
    MST_TRY(mst_manifold_norm(m, 1, x, u, &size));
    if (size < 1e-290) { /* no rung can be made of it */
        memset(out, 0, D * sizeof *out);
        return MST_OK;
    }
    double shrink = length / size;
    memcpy(s->here, x, D * sizeof *x);
    memcpy(s->velocity, v, D * sizeof *v);
    for (size_t a = 0; a < D; a++)
        s->rung[a] = shrink * u[a];
    for (size_t k = 0; k < steps; k++) {
        MST_TRY(climb(m, s, 1 / (double)steps));
        /* The velocity is its own transport: aim again from the next point. */
        if (k + 1 < steps) {
            double *ahead = s->middle, left = (double)(k + 2) / (double)steps;
            for (size_t a = 0; a < D; a++)
                ahead[a] = left * v[a];
            MST_TRY(mst_manifold_exp(m, 1, x, ahead, ahead));
            MST_TRY(mst_manifold_log(m, 1, s->next, ahead, s->velocity, NULL));
            for (size_t a = 0; a < D; a++)
                s->velocity[a] *= (double)steps;
        }
        memcpy(s->here, s->next, D * sizeof *s->here);
    }
    for (size_t a = 0; a < D; a++)
        out[a] = s->rung[a] / shrink;
    return MST_OK;
}

/* The ladder's error is a series in 1/steps² when the rungs shorten with the steps: Romberg's extrapolation over
 * doublings. `table` holds the diagonal of the last level, LEVELS rows of D. */
static mst_status transport_row(const mst_manifold *m, const double *x, const double *v,
                                const double *u, ladder *s, double *table, double *out)
{
    size_t D = m->ambient;
    double length, best = INFINITY;
    MST_TRY(mst_manifold_norm(m, 1, x, v, &length));
    /* At most half a unit of length per rung to begin with, so that the logarithms find their geodesics. */
    size_t steps = length < 0.5 ? 1 : (size_t)(2 * length) + 1;
    for (int level = 0; level < LADDER_LEVELS; level++, steps *= 2) {
        double *newest = s->trial, change = 0, size = 0;
        MST_TRY(climb_all(m, x, v, u, 0.1 / (double)steps, steps, s, newest));
        double weight = 1;
        for (int order = 0; order < level; order++) {
            double *previous = table + (size_t)order * D;
            weight *= 4;
            for (size_t a = 0; a < D; a++) {
                double better = newest[a] + (newest[a] - previous[a]) / (weight - 1);
                previous[a] = newest[a];
                newest[a] = better;
            }
        }
        for (size_t a = 0; a < D; a++) {
            double *last = &table[(size_t)level * D + a];
            change = level > 0 ? fmax(change, fabs(newest[a] - table[(size_t)(level - 1) * D + a]))
                               : INFINITY;
            size = fmax(size, fabs(newest[a]));
            *last = newest[a];
        }
        if (change <= best) {
            best = change;
            memcpy(out, newest, D * sizeof *out);
        }
        if (change <= 1e-10 * size)
            return MST_OK;
        if (level + 1 == LADDER_LEVELS && !(best <= 1e-7 * size))
            return mst_fail(MST_CONVERGENCE, "parallel transport settled to %.1g only", best);
    }
    return MST_OK;
}

mst_status mst_fallback_transport(const mst_manifold *m, size_t n, const double *x, const double *v,
                                  const double *u, double *out)
{
    size_t D = m->ambient;
    double *block;
    MST_TRY(mst_allocate(&block, (7 + LADDER_LEVELS) * D));
    ladder s = {block, block + D, block + 2 * D, block + 3 * D, block + 4 * D, block + 5 * D};
    double *result = block + 6 * D, *table = block + 7 * D;
    mst_status status = MST_OK;
    for (size_t i = 0; status == MST_OK && i < n; i++) {
        status = transport_row(m, x + i * D, v + i * D, u + i * D, &s, table, result);
        memcpy(out + i * D, result, D * sizeof *out);
    }
    mst_release(block);
    return status;
}
