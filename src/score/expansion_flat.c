/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* The expansion on flat manifolds, where every geodesic has a Gaussian and nothing else: Θ = 1, a₁ = 0. */
#include "heat/kernel_parts.h"
#include "score/expansion.h"

#include <math.h>
#include <string.h>

static const double pi = 3.141592653589793, two_pi_log = 1.8378770664093454836;

bool expansion_gaussian_fits(const mst_manifold *m)
{
    return heat_gaussian_fits(m) && (m->traits.closed & MST_CLOSED_LOG) != 0;
}

mst_status expansion_gaussian(const mst_manifold *m, const void *data, const expansion_block *b)
{
    (void)data;
    memset(b->error, 0, b->n * sizeof *b->error);
    memset(b->doubt, 0, b->n * sizeof *b->doubt);
    return heat_gaussian(m, b->n, b->x, b->y, b->t,
                         &(mst_heat_values){b->log_p, b->dt, b->score, b->hessian});
}

/* The geodesics of a circle of length `circumference` from y to x, which is `r` ahead. */
typedef struct windings {
    double log_p, dt, score, bend, error, doubt;
} windings;

static windings wind(double r, double circumference, double t)
{
    enum { MOST = 64 };
    /* What is left out is then below e^−40. */
    double needed = sqrt(80 * t) / circumference + 1, sum = 0, first = 0, second = 0;
    int most = needed < MOST ? (int)needed : MOST;
    for (int k = -most; k <= most; k++) {
        double length = r + k * circumference;
        double p = exp((r - length) * (r + length) / (2 * t));
        sum += p;
        first += p * length;
        second += p * length * length;
    }
    windings out = {.score = first / (sum * t),
                    .dt = (second / (sum * t) - 1) / (2 * t),
                    .log_p = log(sum) - r * r / (2 * t) - 0.5 * (two_pi_log + log(t))};
    out.bend = second / (sum * t * t) - out.score * out.score - 1 / t;
    double next = (most + 1) * circumference - fabs(r);
    double share = exp((r - next) * (r + next) / (2 * t)) / sum;
    out.error = share * next / t;
    out.doubt = share;
    return out;
}

bool expansion_torus_fits(const mst_manifold *m)
{
    return m->traits.angles;
}

mst_status expansion_torus(const mst_manifold *m, const void *data, const expansion_block *b)
{
    (void)data;
    size_t d = m->dim;
    for (size_t i = 0; i < b->n; i++) {
        double error = 0, *h = b->hessian != NULL ? b->hessian + i * d * d : NULL;
        if (h != NULL)
            memset(h, 0, d * d * sizeof *h);
        b->log_p[i] = b->dt[i] = b->doubt[i] = 0;
        for (size_t k = i * d; k < (i + 1) * d; k++) {
            windings w = wind(remainder(b->x[k] - b->y[k], 2 * pi), 2 * pi, b->t[i]);
            b->log_p[i] += w.log_p;
            b->dt[i] += w.dt;
            b->score[k] = w.score;
            error += w.error * w.error;
            b->doubt[i] += w.doubt;
            if (h != NULL)
                h[(k - i * d) * (d + 1)] = w.bend;
        }
        b->error[i] = sqrt(error);
    }
    return MST_OK;
}

/* Closed curves. */
bool expansion_circle_fits(const mst_manifold *m)
{
    return m->dim == 1 && m->traits.compact == MST_YES &&
           (m->traits.closed & MST_CLOSED_LOG) != 0 && isfinite(mst_manifold_injectivity(m));
}

mst_status expansion_circle(const mst_manifold *m, const void *data, const expansion_block *b)
{
    (void)data;
    size_t D = m->ambient;
    double r[EXPANSION_BLOCK], around = 2 * mst_manifold_injectivity(m);
    MST_TRY(mst_manifold_log(m, b->n, b->y, b->x, b->score, NULL));
    MST_TRY(mst_manifold_norm(m, b->n, b->y, b->score, r));
    for (size_t i = 0; i < b->n; i++) {
        windings w = wind(r[i], around, b->t[i]);
        b->log_p[i] = w.log_p;
        b->dt[i] = w.dt;
        b->error[i] = w.error;
        b->doubt[i] = w.doubt;
        if (b->hessian != NULL)
            b->hessian[i] = w.bend;
        for (size_t a = i * D; a < (i + 1) * D; a++)
            b->score[a] *= r[i] > 0 ? w.score / r[i] : 0;
    }
    return MST_OK;
}
