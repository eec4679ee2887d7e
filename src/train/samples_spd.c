/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Samples on the positive definite matrices of order n ≤ 4 with the affine-invariant metric: paths from the
 * identity, moved to y = L Lᵀ by x = L z Lᵀ. The trace of log x is a flat coordinate of its own. On the rest,
 * an irreducible symmetric space, the Ricci tensor is ρ = −n/4, and the constants of a step of time h are, to
 * second order,
 *   the factor e^(−ρh/12) of the step's length;
 *   f = e^(ρh/2) (1 + (h²/16) C) of the recursions, C = n(n + 2)/16 being the squared curvature
 *   Σ R_ijca R_ijcb (see samples_walk.c);
 *   g/q = e^(ρh/4) and g α/q = e^(ρh/6) of the normalisers (see samples_curved.c). */
#include "base/linalg.h"
#include "manifold/internal.h"
#include "manifold/symmetric.h"
#include "train/samples_kernels.h"

#include <math.h>

enum { ORDER = 4 };

bool sample_spd_fits(const mst_manifold *m)
{
    return mst_is_family(m, "spd") && m->ambient <= ORDER * ORDER;
}

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

static mst_status finish_slot(const sample_job *job, size_t slot, const double *rows)
{
    size_t D = job->factor->m->ambient, n = symmetric_order(D);
    MST_TRY(sample_starts(job, slot, job->y + slot * job->n * D));
    for (size_t i = 0; i < job->n; i++) {
        size_t out = slot * job->n + i, lane = slot * MST_LANES + i;
        double l[ORDER * ORDER];
        if (!mst_dense_cholesky(n, job->y + out * D, l))
            return mst_fail(MST_DOMAIN, "a start is not positive definite");
        job->time_target[out] = finish(n, job->h[i], job->at[lane], l, rows + lane * spd_width(n),
                                       job->x + out * D, job->target + out * D);
    }
    return MST_OK;
}

static void run_paths(const sample_job *job, const uint32_t *begin, const sample_event *event,
                      double *rows)
{
    size_t n = symmetric_order(job->factor->m->ambient);
    const sample_options *o = &job->plan->options;
    double half_step[MST_LANES], growth[MST_LANES], order = (double)n, ricci = -0.25 * order;
    for (size_t i = 0; i < MST_LANES; i++) {
        double h = job->h[i];
        half_step[i] = 0.5 * sqrt(h) * exp(-ricci * h / 12);
        growth[i] = exp(ricci * h / 2) * (1 + h * h * order * (order + 2) / 256);
    }
    spd_block b = {
        .n = n,
        .squarings = squarings(n, o->t_max / (double)o->steps),
        .seed = sample_seed(job->root, SAMPLE_SEED_NOISE, job->factor->index),
        .first = job->first,
        .steps = o->steps,
        .half_step = half_step,
        .growth = growth,
        .begin = begin,
        .event = event,
        .out = rows,
    };
    MST_PICK(spd_path_kernels)->run(&b);
}

mst_status sample_spd(const sample_job *job)
{
    size_t n = symmetric_order(job->factor->m->ambient), events = job->slots * MST_LANES;
    double *rows;
    uint32_t *begin = NULL;
    sample_event *event = NULL;
    mst_status status = mst_allocate(&rows, events * spd_width(n));
    if (status == MST_OK)
        status = mst_allocate(&begin, job->plan->options.steps + 2);
    if (status == MST_OK)
        status = mst_allocate(&event, events);
    if (status == MST_OK) {
        sample_events(job, begin, event);
        run_paths(job, begin, event, rows);
    }
    for (size_t slot = 0; status == MST_OK && slot < job->slots; slot++)
        status = finish_slot(job, slot, rows);
    mst_release(event);
    mst_release(begin);
    mst_release(rows);
    return status;
}
