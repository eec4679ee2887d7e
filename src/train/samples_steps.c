/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Manifolds with steps of Brownian motion that can be differentiated: the derivative flow of the steps takes
 * the place of transport and Ricci tensor. With A_k the derivative of step k at fixed
 * noise, all in tangent vectors,
 *
 *     λ_k = (I − ¼hR) c_k + e^(−κh) A_kᵀ λ_{k+1},   pair_k = <(I − ¼hR) arrived_k, λ_{k+1}>,
 *
 * because dP_{T−s}f (A_s … A_0 u) is a martingale for every u, as Q_s dP_{T−s}f is for the damped transport
 * Q. For the time target c_k has to meet λ_{k+1} where the step has arrived: in a chart c_k itself would lack
 * the drift that makes a divergence of it. The factors I − ¼hR, R the Ricci tensor, are those of the midpoint
 * rule, which make the weights right to second order; where R is not cheap they are left out, and the targets
 * are off by ¼hR. */
#include "base/random_kernels.h"
#include "manifold/internal.h"
#include "train/samples_sweep.h"

#include <math.h>
#include <string.h>

/* rows ← (I − ¼hR) rows, and <rows, R rows> before that added to *ricci unless it is null. */
static mst_status damp(sweep_paths *p, const double *x, double *rows, double *ricci)
{
    const mst_manifold *m = p->m;
    size_t n = p->n, D = m->ambient;
    if ((m->traits.closed & MST_CLOSED_RICCI) == 0)
        return MST_OK;
    MST_TRY(mst_manifold_ricci(m, n, x, rows, p->r));
    if (ricci != NULL)
        MST_TRY(mst_manifold_inner(m, n, x, rows, p->r, p->sum));
    for (size_t i = 0; i < n; i++) {
        if (ricci != NULL)
            *ricci += p->sum[i];
        for (size_t a = i * D; a < (i + 1) * D; a++)
            rows[a] -= 0.25 * p->h[i] * p->r[a];
    }
    return MST_OK;
}

static mst_status step_forward(sweep_paths *p, uint64_t seed, uint64_t first, double *ricci,
                               double *size)
{
    const mst_manifold *m = p->m;
    size_t n = p->n, d = m->dim, D = m->ambient, row = n * D;
    for (size_t k = 0; k < p->steps; k++) {
        double *x = p->x + k * row, *xi = p->walked + k * row, *c = p->own + k * row;
        MST_PICK(random_kernels)->step(seed, first, k, d, p->z);
        sample_noise_rows(n, d, p->z, xi);
        for (size_t i = 0; i < n; i++)
            if (p->lost[i])
                memset(xi + i * d, 0, d * sizeof *xi);
        MST_TRY(mst_manifold_from_frame(m, n, x, xi, c));
        for (size_t i = 0; i < n; i++) {
            double square = 0, root = sqrt(p->h[i]);
            for (size_t a = 0; a < d; a++)
                square += xi[i * d + a] * xi[i * d + a];
            for (size_t a = i * D; a < (i + 1) * D; a++)
                c[a] *= root;
            *size += p->square[k * n + i] = p->h[i] * square;
        }
        MST_TRY(damp(p, x, c, ricci));
        MST_TRY(m->ops.step(m, n, x, xi, p->h, x + row, p->partner + k * row));
        sweep_lose(p, k);
        MST_TRY(damp(p, x + row, p->partner + k * row, NULL));
    }
    return MST_OK;
}

static mst_status step_back(sweep_paths *p, size_t k, double kappa, double *pair)
{
    const mst_manifold *m = p->m;
    size_t n = p->n, D = m->ambient, row = n * D;
    const double *x = p->x + k * row, *xi = p->walked + k * row;
    MST_TRY(mst_manifold_inner(m, n, x + row, p->partner + k * row, p->lambda, pair));
    MST_TRY(m->ops.step_adjoint(m, n, x, xi, p->h, p->lambda, p->back));
    for (size_t i = 0; i < n; i++) {
        double decay = exp(-kappa * p->h[i]);
        pair[i] *= decay;
        for (size_t a = i * D; a < (i + 1) * D; a++)
            p->lambda[a] = decay * p->back[a];
    }
    return MST_OK;
}

static void rest(sweep_paths *p, size_t k, size_t i)
{
    size_t d = p->m->dim;
    memset(p->walked + k * p->n * p->m->ambient + i * d, 0, d * sizeof *p->walked);
}

const sweep_ops sweep_steps = {
    .forward = step_forward,
    .rest = rest,
    .back = step_back,
};
