/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Rolling by the derivatives of a metric: a parallel vector has e' = −Γ(x', e), and the Ricci tensor in a
 * frame is a product with its vectors. */
#include "manifold/in_space.h"
#include "manifold/metric.h"
#include "manifold/rolling.h"

#include <math.h>
#include <string.h>

enum { DIM = METRIC_DIRECTIONS, SQUARE = DIM * DIM, CUBE = DIM * SQUARE };

/* The metric at one point, its connection and Ricci tensor. */
typedef struct place {
    double g[SQUARE], first[CUBE], second[DIM * CUBE];
    double factor[SQUARE], inverse[SQUARE], low[CUBE], high[CUBE], mean[DIM], ricci[SQUARE];
} place;

static mst_status look(const mst_manifold *m, const double *x, bool curved, place *p)
{
    size_t d = m->dim;
    MST_TRY(m->metric->ops.derivatives(m, 1, x, p->g, p->first, curved ? p->second : NULL));
    metric_invert(d, p->g, p->factor, p->inverse);
    metric_connection(d, p->inverse, p->first, p->low, p->high);
    if (curved)
        metric_ricci_tensor(d, p->inverse, p->low, p->high, p->second, p->mean, p->ricci);
    return MST_OK;
}

/* Column c of path i. */
static double *at(const double *columns, size_t n, size_t c, size_t i)
{
    return (double *)columns + c * n + i;
}

static bool is_inside(const mst_manifold *m, const double *x)
{
    unsigned char inside;
    metric_inside(m, 1, x, &inside);
    return inside;
}

/* The point and the vectors of the frame of path i, (d) and (d, d). */
static void take(size_t d, size_t n, const double *state, size_t i, double *x, double *e)
{
    for (size_t k = 0; k < d; k++)
        x[k] = *at(state, n, k, i);
    for (size_t k = 0; k < d * d; k++)
        e[k] = *at(state, n, d + k, i);
}

static mst_status slopes(const mst_manifold *m, size_t n, const double *state, const double *b,
                         double *out)
{
    size_t d = m->dim;
    for (size_t i = 0; i < n; i++) {
        double x[DIM], e[SQUARE], along[DIM] = {0};
        place p;
        bool moves = false;
        take(d, n, state, i, x, e);
        for (size_t a = 0; a < d; a++) {
            moves |= *at(b, n, a, i) != 0;
            for (size_t k = 0; k < d; k++)
                along[k] += *at(b, n, a, i) * e[a * d + k];
        }
        bool inside = moves && is_inside(m, x);
        for (size_t c = 0; c < d + d * d; c++)
            *at(out, n, c, i) = moves && !inside ? NAN : c < d ? along[c] : 0;
        if (!inside)
            continue;
        MST_TRY(look(m, x, false, &p));
        for (size_t a = 0; a < d; a++)
            for (size_t k = 0; k < d; k++)
                for (size_t j = 0; j < d * d; j++)
                    *at(out, n, d + a * d + k, i) -=
                        p.high[k * d * d + j] * along[j / d] * e[a * d + j % d];
    }
    return MST_OK;
}

/* e_a · A e_b. */
static double product(size_t d, const double *a, const double *matrix, const double *b)
{
    double sum = 0;
    for (size_t i = 0; i < d; i++)
        for (size_t j = 0; j < d; j++)
            sum += a[i] * matrix[i * d + j] * b[j];
    return sum;
}

/* Gram and Schmidt. */
static void straighten(size_t d, const double *g, double *e)
{
    for (size_t a = 0; a < d; a++) {
        double *own = e + a * d;
        for (size_t b = 0; b < a; b++) {
            double part = product(d, e + b * d, g, own);
            for (size_t k = 0; k < d; k++)
                own[k] -= part * e[b * d + k];
        }
        double length = sqrt(product(d, own, g, own));
        for (size_t k = 0; k < d; k++)
            own[k] /= length;
    }
}

static mst_status arrival(const mst_manifold *m, size_t n, const double *state, double *frame,
                          double *ricci)
{
    size_t d = m->dim, R = rolling_ricci_size(d);
    for (size_t i = 0; i < n; i++) {
        double x[DIM], e[SQUARE];
        place p;
        take(d, n, state, i, x, e);
        if (!is_inside(m, x)) {
            for (size_t k = 0; frame != NULL && k < d * d; k++)
                *at(frame, n, k, i) = NAN;
            for (size_t k = 0; k < R; k++)
                *at(ricci, n, k, i) = NAN;
            continue;
        }
        MST_TRY(look(m, x, true, &p));
        if (frame != NULL)
            straighten(d, p.g, e);
        for (size_t k = 0; frame != NULL && k < d * d; k++)
            *at(frame, n, k, i) = e[k];
        for (size_t a = 0, k = 0; k < R; a++)
            for (size_t c = 0; c <= a && k < R; c++, k++)
                *at(ricci, n, k, i) = product(d, e + a * d, p.ricci, e + c * d);
    }
    return MST_OK;
}

/* ---- Slots ---- */

static rolling rolling_of(const mst_manifold *m, double *period)
{
    bool any = mst_periods(m, period);
    return (rolling){.d = m->dim,
                     .D = m->dim,
                     .slopes = slopes,
                     .arrival = arrival,
                     .period = any ? period : NULL};
}

static mst_status roll(const mst_manifold *m, const mst_rolling_paths *paths)
{
    double period[DIM];
    rolling r = rolling_of(m, period);
    return rolling_roll(m, &r, paths);
}

static mst_status walk(const mst_manifold *m, size_t n, double *x, double h, size_t steps,
                       mst_noise noise)
{
    double period[DIM];
    rolling r = rolling_of(m, period);
    return rolling_walk(m, &r, n, x, h, steps, noise);
}

void metric_attach_roll(mst_manifold *m)
{
    if (m->dim < 2 || !metric_has_derivatives(m))
        return;
    m->ops.roll = roll;
    m->ops.walk = walk;
    if (m->metric->ops.domain == NULL && m->metric->ops.period == NULL)
        m->ops.near_log = metric_near_log;
}
