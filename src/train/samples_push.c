/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Pairs that Brownian motion makes too rarely to learn from: far apart for their time. Every other path gets
 * a constant push θ in its parallel frame, normal with variance τ² = push/T, T the length of the path. The
 * sum B of the increments over a time t then has variance t(1 + τ²t) instead of t, and nothing else of the
 * law of the path given B has changed. So a sample has the density
 *
 *     q/p = ½ + ½ (1 + τ²t)^(−d/2) e^(ρ|B|²/2t),   ρ = τ²t/(1 + τ²t),
 *
 * against that of Brownian motion, and with the weight p/q its conditional means are those of Brownian
 * motion. That alone would make the far pairs as light as they are rare, but any function of (x, y, t) may
 * multiply the weights, for it leaves conditional means alone: q/p again, with an estimate of |B|² from x and
 * y. What is left is about 1 everywhere. */
#include "base/random_kernels.h"
#include "manifold/in_space.h"
#include "manifold/rolling.h"
#include "train/samples_parts.h"

#include <math.h>

/* Of half the squared chord: it is smooth, and not longer than the geodesic. */
bool sample_can_push(const mst_manifold *m)
{
    return mst_has_equations(m) || mst_map_dim(m) > 0;
}

static double pushed(const sample_job *job, size_t i)
{
    const sample_options *o = &job->plan->options;
    return (job->first + i) % 2 == 1 ? sqrt(o->push / (job->h[i] * (double)o->steps)) : 0;
}

void sample_push(const sample_job *job, double *push)
{
    size_t d = mst_manifold_dim(job->factor->m);
    LANES(z, ROLLING_DIM);
    uint64_t seed = sample_seed(job->root, SAMPLE_SEED_PUSH, job->factor->index);
    MST_PICK(random_kernels)->step(seed, job->first, 0, d, z);
    for (size_t a = 0; a < d; a++)
        for (size_t i = 0; i < job->n; i++)
            push[a * job->n + i] = pushed(job, i) * z[a][i];
}

/* 2 q/p − 1, exponents cut off at `most`. */
static double surplus(double d, double tau, double t, double square, double most)
{
    double part = tau * t / (1 + tau * t);
    return pow(1 + tau * t, -0.5 * d) * exp(fmin(0.5 * part * square / t, most));
}

mst_status sample_push_weights(const sample_job *job, const double *square)
{
    /* An estimate may be too long; what is exact is cut off at the range of doubles. */
    const double most = 9, range = 700;
    const sample_options *o = &job->plan->options;
    const mst_manifold *m = job->factor->m;
    size_t n = job->n, rows = job->slots * n;
    double d = (double)mst_manifold_dim(m);
    MST_TRY(mst_manifold_toward(m, rows, job->y, job->x, job->weight, NULL, NULL));
    for (size_t row = 0; row < rows; row++) {
        size_t i = row % n, slot = row / n;
        double t = job->h[i] * job->at[slot * MST_LANES + i];
        double tau = o->push / (job->h[i] * (double)o->steps);
        double chord = 2 * job->factor->stretch * job->weight[row];
        job->weight[row] =
            (1 + surplus(d, tau, t, chord, most)) / (1 + surplus(d, tau, t, square[row], range));
    }
    return MST_OK;
}
