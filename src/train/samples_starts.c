/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Where paths begin. */
#include "base/random_kernels.h"
#include "manifold/internal.h"
#include "train/samples_parts.h"

#include <math.h>
#include <string.h>

size_t sample_noise_size(size_t d)
{
    return (d + 1) / 2 * 2 * MST_LANES;
}

void sample_noise_rows(size_t n, size_t d, double (*z)[MST_LANES], double *c)
{
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < d; k++)
            c[i * d + k] = z[k][i];
}

/* A given or the default start, then one step of time `spread` times a uniform number. The factors of a
 * product share the choice and the time. */
static mst_status spread_starts(const sample_job *job, uint64_t seed, uint64_t draw, double *y)
{
    const struct random_kernels *random = MST_PICK(random_kernels);
    const sample_options *o = &job->plan->options;
    const mst_manifold *m = job->factor->m;
    size_t d = m->dim, D = m->ambient;
    uint64_t choice = sample_seed(job->root, SAMPLE_SEED_CHOICE, 0);
    double u[MST_LANES];
    random->step_uniform(choice, job->first, 2 * draw, u);
    for (size_t i = 0; i < job->n; i++) {
        size_t row = (size_t)(u[i] * (double)o->starts); /* u < 1 */
        if (o->starts == 0)
            mst_manifold_start(m, y + i * D);
        else
            memcpy(y + i * D, o->start + row * job->plan->m->ambient + job->factor->offset,
                   D * sizeof *y);
    }
    if (!(o->spread > 0))
        return MST_OK;
    random->step_uniform(choice, job->first, 2 * draw + 1, u);
    double *work;
    MST_TRY(mst_allocate(&work, sample_noise_size(d) + MST_LANES * (d + D)));
    double(*z)[MST_LANES] = (double(*)[MST_LANES])work;
    double *c = work + sample_noise_size(d), *v = c + MST_LANES * d;
    random->step(seed, job->first, draw, d, z);
    sample_noise_rows(job->n, d, z, c);
    for (size_t i = 0; i < job->n; i++)
        for (size_t k = 0; k < d; k++)
            c[i * d + k] *= sqrt(o->spread * u[i]);
    mst_status status = mst_manifold_from_frame(m, job->n, y, c, v);
    if (status == MST_OK)
        status = mst_manifold_exp(m, job->n, y, v, y);
    mst_release(work);
    return status;
}

mst_status sample_starts(const sample_job *job, size_t draw, double *y)
{
    const sample_factor *f = job->factor;
    uint64_t seed = sample_seed(job->root, SAMPLE_SEED_START, f->index);
    if (!f->uniform)
        return spread_starts(job, seed, draw, y);
    return mst_manifold_random_point(f->m, (mst_random){seed, draw}, job->first, job->n, y);
}
