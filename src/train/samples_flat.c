/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Flat manifolds: a single step of any length is Brownian motion exactly, and the Bismut weight is the
 * increment over the time; where points are reached in several ways (torus), its mean
 * over them is the score. */
#include "base/random_kernels.h"
#include "manifold/internal.h"
#include "train/samples_parts.h"

#include <math.h>

/* Frame coordinates c: normals on entry, the increment of the path on return. */
static mst_status flat_rows(const sample_job *job, size_t slot, double *c, double *v)
{
    const mst_manifold *m = job->factor->m;
    size_t n = job->n, d = m->dim, D = m->ambient, row = slot * n;
    MST_TRY(sample_starts(job, slot, job->y + row * D));
    for (size_t i = 0; i < n; i++) {
        double t = job->h[i] * job->at[slot * MST_LANES + i], square = 0;
        for (size_t k = i * d; k < (i + 1) * d; k++) {
            square += c[k] * c[k];
            c[k] *= sqrt(t);
        }
        job->time_target[row + i] = 0.5 * (square - (double)d) / t;
    }
    MST_TRY(mst_manifold_from_frame(m, n, job->y + row * D, c, v));
    MST_TRY(mst_manifold_exp(m, n, job->y + row * D, v, job->x + row * D));
    for (size_t i = 0; i < n; i++) {
        double t = job->h[i] * job->at[slot * MST_LANES + i];
        for (size_t a = 0; a < D; a++)
            job->target[(row + i) * D + a] = v[i * D + a] / t;
    }
    return MST_OK;
}

mst_status sample_flat(const sample_job *job)
{
    const mst_manifold *m = job->factor->m;
    size_t d = m->dim;
    uint64_t seed = sample_seed(job->root, SAMPLE_SEED_NOISE, job->factor->index);
    double *work;
    MST_TRY(mst_allocate(&work, sample_noise_size(d) + MST_LANES * (d + m->ambient)));
    double(*z)[MST_LANES] = (double(*)[MST_LANES])work;
    double *c = work + sample_noise_size(d), *v = c + MST_LANES * d;
    mst_status status = MST_OK;
    for (size_t s = 0; status == MST_OK && s < job->slots; s++) {
        MST_PICK(random_kernels)->step(seed, job->first, s, d, z);
        sample_noise_rows(job->n, d, z, c);
        status = flat_rows(job, s, c, v);
    }
    mst_release(work);
    return status;
}
