/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Any manifold, by its public operations: a geodesic walk X_0 … X_K forward, then one sweep backward, which
 * makes every (X_k, X_K) a sample of time j h, j = K − k. With c_k = √h ξ the increment, P the transport back
 * along the step, R the Ricci tensor and κ the decay rate of the weights,
 *
 *     λ_k = (I − ¼hR + …) c_k + μ_k,   μ_k = e^(−κh) M P λ_{k+1},
 *     target λ_k / (h G_j),  G_j = Σ_{n<j} e^(−κhn).
 *
 * M damps: it is e^(−hR/2) to second order, less (h²/16) C, because transport along a random geodesic of time
 * h is e^(h∇²/2) (1 + (h²/16) C) on the average, C_ab = Σ R_ijca R_ijcb being the squared curvature. Only the
 * Ricci tensor is known here, so we take C = 2R²/(d − 1), which is right on surfaces and
 * for constant curvature.
 *
 * The time target has the weights e^(−κr) and e^(κr) of its two integrals, whose product depends on the
 * difference of the times alone, as the sweep needs:
 *
 *     V_k = V_{k+1} + ⟨(I + ¼hR + …) c_k, μ_k⟩ + ½(|c_k|² − dh),
 *     ½ V_k / (h² (S_j + ½j (1 + ρh/6))),  S_j = Σ_{0<n<j} (j − n) e^(−κhn),  ρ the mean of R.
 *
 * The factor at c_k is the one of λ without a half of M: a pair of increments n steps
 * apart meets n − 1 transports. */
#include "base/random_kernels.h"
#include "manifold/leaving.h"
#include "train/samples_sweep.h"

#include <math.h>
#include <string.h>

mst_status sample_walk_step(const mst_manifold *m, size_t n, const double *x, const double *h,
                            const double *xi, double *c, double *v, double *first, double *second,
                            double *y)
{
    size_t D = m->ambient;
    MST_TRY(mst_manifold_from_frame(m, n, x, xi, c));
    for (size_t i = 0; i < n; i++)
        for (size_t a = i * D; a < (i + 1) * D; a++)
            v[a] = c[a] *= sqrt(h[i]);
    if (!mst_manifold_is_flat(m)) {
        MST_TRY(mst_ricci_twice(m, n, x, c, first, second));
        for (size_t i = 0; i < n; i++) {
            double part = h[i] / 12;
            for (size_t a = i * D; a < (i + 1) * D; a++)
                v[a] += part * (part / 2 * second[a] - first[a]);
        }
    }
    mst_status ends[MST_LANES];
    return mst_can_be_left(m) ? mst_exp_each(m, n, x, v, y, ends) : mst_manifold_exp(m, n, x, v, y);
}

/* From the points that stand in x; adds ⟨c, Rc⟩ and |c|² to *ricci and *size. */
static mst_status walk_forward(sweep_paths *p, uint64_t seed, uint64_t first, double *ricci,
                               double *size)
{
    const mst_manifold *m = p->m;
    size_t n = p->n, D = m->ambient, row = n * D;
    for (size_t k = 0; k < p->steps; k++) {
        double *x = p->x + k * row, *own = p->own + k * row, *partner = p->partner + k * row;
        MST_PICK(random_kernels)->step(seed, first, k, m->dim, p->z);
        sample_noise_rows(n, m->dim, p->z, p->xi);
        for (size_t i = 0; i < n; i++)
            if (p->lost[i])
                memset(p->xi + i * m->dim, 0, m->dim * sizeof *p->xi);
        MST_TRY(sample_walk_step(m, n, x, p->h, p->xi, p->c, p->walked + k * row, p->r, p->r2,
                                 x + row));
        MST_TRY(mst_manifold_inner(m, n, x, p->c, p->c, p->square + k * n));
        MST_TRY(mst_manifold_inner(m, n, x, p->c, p->r, p->sum));
        for (size_t i = 0; i < n; i++) {
            double quarter = p->h[i] / 4;
            *ricci += p->sum[i];
            *size += p->square[k * n + i];
            for (size_t a = i * D; a < (i + 1) * D; a++) {
                double even = p->c[a] + quarter * quarter / 2 * p->r2[a], odd = quarter * p->r[a];
                own[a] = even - odd;
                partner[a] = even + odd;
            }
        }
        sweep_lose(p, k);
    }
    return MST_OK;
}

static mst_status carry_back(sweep_paths *p, size_t k, double kappa, double *pair)
{
    const mst_manifold *m = p->m;
    size_t n = p->n, D = m->ambient, row = n * D;
    const double *x = p->x + k * row, *v = p->walked + k * row;
    MST_TRY(mst_manifold_transport(m, n, x, v, v, p->back));
    for (size_t a = 0; a < row; a++)
        p->back[a] = -p->back[a];
    MST_TRY(mst_manifold_transport(m, n, x + row, p->back, p->lambda, p->lambda));
    MST_TRY(mst_ricci_twice(m, n, x, p->lambda, p->r, p->r2));
    double curl = m->dim > 1 ? 1 / ((double)m->dim - 1) : 0;
    for (size_t i = 0; i < n; i++) {
        double half = p->h[i] / 2, decay = exp(-kappa * p->h[i]);
        for (size_t a = i * D; a < (i + 1) * D; a++)
            p->lambda[a] =
                decay * (p->lambda[a] + half * (half / 2 * (1 - curl) * p->r2[a] - p->r[a]));
    }
    return mst_manifold_inner(m, n, x, p->partner + k * row, p->lambda, pair);
}

static void rest(sweep_paths *p, size_t k, size_t i)
{
    size_t D = p->m->ambient;
    memset(p->walked + (k * p->n + i) * D, 0, D * sizeof *p->walked);
}

const sweep_ops sweep_walk = {
    .forward = walk_forward,
    .rest = rest,
    .back = carry_back,
};
