/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* The slot `near_log` of metrics with derivatives in all directions. The straight line of the chart is bent
 * to the parabola z(s) = x + sδ + 4s(1 − s)b, δ = y − x, of least energy E = ½∫ g(z', z') ds: in the valleys
 * of a learned metric a straight line is far too long. Its best b depends little on x, so −g⁻¹∂E/∂x is the
 * logarithm, with an error of the fourth order where geodesics are parabolas to second order. */
#include "manifold/metric.h"

#include <math.h>
#include <string.h>

/* Gauss's nodes, and steps for b. The first Hessian is that of the square of z' alone. */
enum { DIM = METRIC_DIRECTIONS, NODES = 4, ROUNDS = 4 };
static const double node[NODES] = {0.06943184420297371, 0.33000947820757187, 0.6699905217924281,
                                   0.9305681557970263},
                    weight[NODES] = {0.17392742256872692, 0.32607257743127307, 0.32607257743127307,
                                     0.17392742256872692};

typedef struct parabola {
    double delta[DIM], b[DIM];
    double by_b[DIM], by_x[DIM]; /* ∂E/∂b, ∂E/∂x */
    double stiff[DIM * DIM];     /* ∂²E/∂b², about */
} parabola;

static mst_status evaluate(const mst_manifold *m, const double *x, bool begins, parabola *p)
{
    size_t d = m->dim, square = d * d;
    double z[NODES * DIM], g[NODES * DIM * DIM], first[NODES * DIM * DIM * DIM];
    for (size_t i = 0; i < NODES; i++)
        for (size_t k = 0; k < d; k++)
            z[i * d + k] = x[k] + node[i] * (p->delta[k] + 4 * (1 - node[i]) * p->b[k]);
    MST_TRY(m->metric->ops.derivatives(m, NODES, z, g, first, NULL));
    memset(p->by_b, 0, sizeof p->by_b);
    memset(p->by_x, 0, sizeof p->by_x);
    if (begins)
        memset(p->stiff, 0, sizeof p->stiff);
    for (size_t i = 0; i < NODES; i++) {
        const double *gi = g + i * square, *slope = first + i * square * d;
        double s = node[i], bulge = 4 * s * (1 - s), turn = 4 * (1 - 2 * s), v[DIM];
        for (size_t k = 0; k < d; k++)
            v[k] = p->delta[k] + turn * p->b[k];
        for (size_t k = 0; k < d; k++) {
            double momentum = 0, force = 0;
            for (size_t a = 0; a < d; a++) {
                momentum += gi[k * d + a] * v[a];
                for (size_t c = 0; c < d; c++)
                    force += 0.5 * slope[k * square + a * d + c] * v[a] * v[c];
                p->stiff[k * d + a] += begins ? weight[i] * turn * turn * gi[k * d + a] : 0;
            }
            p->by_b[k] += weight[i] * (bulge * force + turn * momentum);
            p->by_x[k] += weight[i] * ((1 - s) * force - momentum);
        }
    }
    return MST_OK;
}

/* One step of Newton's method, which does not bend the line by more than its length. */
static void bend(size_t d, parabola *p, double *step)
{
    double factor[DIM * DIM], size = 0, length = 0;
    metric_cholesky(d, p->stiff, factor);
    metric_raise(d, factor, p->by_b, step);
    for (size_t k = 0; k < d; k++) {
        step[k] = p->b[k] - step[k];
        size += step[k] * step[k];
        length += p->delta[k] * p->delta[k];
    }
    double share = length > 0 ? size / length : 0;
    for (size_t k = 0; k < d; k++) {
        double to = step[k] / sqrt(sqrt(1 + share * share));
        step[k] = to - p->b[k];
        p->b[k] = to;
    }
}

/* What the step has told of the valley's sides: the formula of Broyden, Fletcher, Goldfarb and Shanno, as
 * long as it leaves the matrix positive. */
static void stiffen(size_t d, const double *step, const double *before, parabola *p)
{
    const double least = 0.05;
    double pull[DIM] = {0}, change[DIM], along = 0, curved = 0;
    for (size_t a = 0; a < d; a++) {
        for (size_t c = 0; c < d; c++)
            pull[a] += p->stiff[a * d + c] * step[c];
        change[a] = p->by_b[a] - before[a];
        along += pull[a] * step[a];
        curved += change[a] * step[a];
    }
    if (!(curved > least * along))
        return;
    for (size_t a = 0; a < d; a++)
        for (size_t c = 0; c < d; c++)
            p->stiff[a * d + c] += change[a] * change[c] / curved - pull[a] * pull[c] / along;
}

mst_status metric_near_log(const mst_manifold *m, size_t n, const double *x, const double *y,
                           double *v)
{
    size_t d = m->dim;
    for (size_t i = 0; i < n; i++) {
        parabola p = {.b = {0}};
        double g[DIM * DIM], factor[DIM * DIM];
        for (size_t k = 0; k < d; k++)
            p.delta[k] = y[i * d + k] - x[i * d + k];
        MST_TRY(evaluate(m, x + i * d, true, &p));
        for (int round = 0; round < ROUNDS; round++) {
            double step[DIM], before[DIM];
            memcpy(before, p.by_b, sizeof before);
            bend(d, &p, step);
            MST_TRY(evaluate(m, x + i * d, false, &p));
            stiffen(d, step, before, &p);
        }
        MST_TRY(m->metric->ops.derivatives(m, 1, x + i * d, g, NULL, NULL));
        metric_cholesky(d, g, factor);
        metric_raise(d, factor, p.by_x, v + i * d);
        for (size_t k = 0; k < d; k++)
            v[i * d + k] = -v[i * d + k];
    }
    return MST_OK;
}
