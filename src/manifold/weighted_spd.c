/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* The weighted walk of positive definite matrices of order n ≤ 4, affine-invariant metric: paths from the
 * identity, moved to y = L Lᵀ by x = L z Lᵀ. The trace of log x is a flat coordinate of its own. On the rest,
 * an irreducible symmetric space, the Ricci tensor is ρ = −n/4, and the constants of a step of time h are, to
 * second order,
 *   the factor e^(−ρh/12) of the step's length;
 *   f = e^(ρh/2) (1 + (h²/16) C) of the recursions, C = n(n + 2)/16 being the squared curvature
 *   Σ R_ijca R_ijcb (see train/samples_walk.c);
 *   g/q = e^(ρh/4) and g α/q = e^(ρh/6) of the normalisers (see weighted_curved.c). */
#include "base/linalg.h"
#include "manifold/internal.h"
#include "manifold/spd_kernels.h"
#include "manifold/symmetric.h"
#include "manifold/weighted_kernels.h"

#include <math.h>

enum { ORDER = MST_SMALL_ORDER };

/* Halvings until a step that is longer than those of nearly all normals has norm ½. */
static int squarings(size_t n, double h)
{
    double longest = 0.5 * sqrt(h) * (sqrt((double)symmetric_dim(n)) + 4);
    int count = 0;
    for (; longest > 0.5; longest /= 2)
        count++;
    return count;
}

/* out = L A Lᵀ, symmetric to the last bit. */
static void move(size_t n, const double *l, const double *a, double *out)
{
    double t[ORDER * ORDER];
    mst_multiply(n, l, a, t);
    mst_multiply_nt(n, t, l, out);
    symmetric_part(n, out, out);
}

/* From the kernel's row, of j steps of time h, to the sample at y = L Lᵀ. */
static double finish(size_t n, double h, double j, const double *l, const double *row, double *x,
                     double *target)
{
    const double *u = row + n * n, *sum = u + symmetric_dim(n);
    double order = (double)n, ricci = -0.25 * order, t = j * h;
    double gain = exp(ricci * h / 4), self = exp(ricci * h / 6);
    double trace = sum[SPD_TRACE] * sqrt(h), weight[ORDER * ORDER], z[ORDER * ORDER];
    symmetric_unpack(n, u, weight);
    for (size_t e = 0; e < n * n; e++) {
        weight[e] /= sqrt(h) * gain * sum[CURVED_SQUARES];
        z[e] = row[e] * exp(trace / order);
    }
    for (size_t i = 0; i < n; i++)
        weight[i * (n + 1)] += trace / order / t;
    move(n, l, z, x);
    move(n, l, weight, target);
    return 0.5 * (trace * trace / order / t - 1) / t +
           0.5 * sum[CURVED_TIME_WEIGHT] / (h * (gain * gain * sum[CURVED_PAIRS] + 0.5 * j * self));
}

static void run_paths(size_t n, const mst_weighted_paths *p, double *rows)
{
    double half_step[MST_LANES], growth[MST_LANES], order = (double)n, ricci = -0.25 * order;
    for (size_t i = 0; i < MST_LANES; i++) {
        double h = p->h[i < p->n ? i : p->n - 1];
        half_step[i] = 0.5 * sqrt(h) * exp(-ricci * h / 12);
        growth[i] = exp(ricci * h / 2) * (1 + h * h * order * (order + 2) / 256);
    }
    MST_PICK(spd_path_kernels)
        ->run(&(spd_block){.n = n,
                           .squarings = squarings(n, p->longest),
                           .paths = p,
                           .half_step = half_step,
                           .growth = growth,
                           .out = rows});
}

mst_status mst_spd_weighted_walk(const mst_manifold *m, const mst_weighted_paths *p)
{
    size_t D = m->ambient, n = symmetric_order(D), width = spd_width(n);
    double *rows, l[ORDER * ORDER];
    MST_TRY(mst_allocate(&rows, p->slots * p->n * width));
    run_paths(n, p, rows);
    mst_status status = MST_OK;
    for (size_t k = 1; status == MST_OK && k <= p->steps; k++)
        for (size_t e = p->begin[k]; e < p->begin[k + 1]; e++) {
            size_t i = p->event[e].path, row = p->event[e].slot * p->n + i;
            if (!mst_dense_cholesky(n, p->y + row * D, l)) {
                status = mst_fail(MST_DOMAIN, "a start is not positive definite");
                break;
            }
            p->time_target[row] = finish(n, p->h[i], (double)k, l, rows + row * width,
                                         p->x + row * D, p->target + row * D);
        }
    mst_release(rows);
    return status;
}
