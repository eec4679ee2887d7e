/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Where paths begin. */
#include "base/random_kernels.h"
#include "manifold/leaving.h"
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

static mst_status move_by_exp(const mst_manifold *m, size_t n, size_t steps, const double *h,
                              mst_noise noise, double *y)
{
    size_t d = m->dim, D = m->ambient;
    double *work;
    MST_TRY(mst_allocate(&work, sample_noise_size(d) + MST_LANES * (d + D)));
    double(*z)[MST_LANES] = (double(*)[MST_LANES])work;
    double *c = work + sample_noise_size(d), *v = c + MST_LANES * d;
    mst_status status = MST_OK;
    for (size_t k = 0; status == MST_OK && k < steps; k++) {
        MST_PICK(random_kernels)->step(noise.seed, noise.first_path, noise.first_step + k, d, z);
        sample_noise_rows(n, d, z, c);
        for (size_t i = 0; i < n; i++)
            for (size_t a = 0; a < d; a++)
                c[i * d + a] *= sqrt(h[i]);
        status = mst_manifold_from_frame(m, n, y, c, v);
        mst_status ends[MST_LANES];
        if (status == MST_OK)
            status = mst_can_be_left(m) ? mst_exp_each(m, n, y, v, y, ends)
                                        : mst_manifold_exp(m, n, y, v, y);
    }
    mst_release(work);
    return status;
}

static mst_status move_by_rolling(const mst_manifold *m, size_t n, size_t steps, const double *h,
                                  mst_noise noise, double *y)
{
    size_t d = m->dim, D = m->ambient, points = (steps + 1) * D * n;
    unsigned char left[MST_LANES];
    double *x;
    MST_TRY(mst_allocate(&x, points + (steps + 1) * (d * D + d * d) * n + steps * d * n));
    mst_rolling_paths p = {.n = n, .steps = steps, .h = h, .noise = noise, .plain = true};
    p.x = x;
    p.frame = x + points;
    p.ricci = p.frame + (steps + 1) * d * D * n;
    p.increment = p.ricci + (steps + 1) * d * d * n;
    p.left = left;
    for (size_t k = 0; k < D * n; k++)
        x[k] = y[k % n * D + k / n];
    mst_status status = m->ops.roll(m, &p);
    for (size_t k = 0; status == MST_OK && k < D * n; k++)
        y[k % n * D + k / n] = x[points - D * n + k];
    for (size_t i = 0; status == MST_OK && i < n; i++)
        if (left[i])
            mst_lose(D, y + i * D);
    mst_release(x);
    return status;
}

mst_status sample_move(const mst_manifold *m, size_t n, size_t steps, const double *h,
                       mst_noise noise, double *y)
{
    return m->ops.roll != NULL ? move_by_rolling(m, n, steps, h, noise, y)
                               : move_by_exp(m, n, steps, h, noise, y);
}

/* One of `count` rows from `from`, or the default start, then one geodesic step of time `spread` times a
 * uniform number. The factors of a product share the choice and the time. */
static mst_status spread_starts(const sample_job *job, size_t count, const double *from,
                                size_t stride, size_t draw, double *y)
{
    const struct random_kernels *random = MST_PICK(random_kernels);
    const sample_options *o = &job->plan->options;
    const mst_manifold *m = job->factor->m;
    uint64_t choice = sample_seed(job->root, SAMPLE_SEED_CHOICE, 0);
    uint64_t seed = sample_seed(job->root, SAMPLE_SEED_START, job->factor->index);
    double u[MST_LANES];
    random->step_uniform(choice, job->first, 2 * draw, u);
    for (size_t i = 0; i < job->n; i++) {
        size_t row = (size_t)(u[i] * (double)count); /* u < 1 */
        if (count == 0)
            mst_manifold_start(m, y + i * m->ambient);
        else
            memcpy(y + i * m->ambient, from + row * stride, m->ambient * sizeof *y);
    }
    double least = job->factor->pooled > 0 ? job->factor->apart : 0;
    if (!(o->spread + least > 0))
        return MST_OK;
    random->step_uniform(choice, job->first, 2 * draw + 1, u);
    for (size_t i = 0; i < job->n; i++)
        u[i] = least + o->spread * u[i];
    return sample_move(m, job->n, 1, u, (mst_noise){seed, job->first, draw}, y);
}

static mst_status own_starts(const sample_job *job, size_t draw, double *y)
{
    const sample_factor *f = job->factor;
    const sample_options *o = &job->plan->options;
    if (f->pooled > 0)
        return spread_starts(job, f->pooled, f->pool, f->m->ambient, draw, y);
    if (!f->uniform)
        return spread_starts(job, o->starts, o->starts > 0 ? o->start + f->offset : NULL,
                             job->plan->m->ambient, draw, y);
    uint64_t seed = sample_seed(job->root, SAMPLE_SEED_START, f->index);
    return mst_manifold_random_point(f->m, (mst_random){seed, draw}, job->first, job->n, y);
}

mst_status sample_starts(const sample_job *job, size_t draw, double *y)
{
    const sample_factor *f = job->factor;
    size_t D = job->plan->m->ambient, width = f->m->ambient;
    bool own = job->from == NULL;
    for (size_t i = 0; i < job->n && !own; i++)
        own = mst_is_lost(D, job->from + i * D);
    if (own)
        MST_TRY(own_starts(job, draw, y));
    for (size_t i = 0; job->from != NULL && i < job->n; i++)
        if (!mst_is_lost(D, job->from + i * D))
            memcpy(y + i * width, job->from + i * D + f->offset, width * sizeof *y);
    return MST_OK;
}

/* Networks read points in single precision. Far out in curved spaces neighbours become one for them, later
 * for doubles, too: how far a point is moved by that, against `most`. Work: (2 D). */
static bool can_go_on(const mst_manifold *m, const double *x, double most, double *work)
{
    size_t D = m->ambient;
    double *rounded = work, *v = work + D, square;
    for (size_t a = 0; a < D; a++)
        rounded[a] = (double)(float)x[a];
    if (mst_manifold_project(m, 1, rounded, rounded) != MST_OK)
        return false;
    for (size_t a = 0; a < D; a++)
        rounded[a] -= x[a];
    return mst_manifold_tangent(m, 1, x, rounded, v) == MST_OK &&
           mst_manifold_inner(m, 1, x, v, v, &square) == MST_OK && square <= most * most;
}

mst_status sample_settle(const sample_plan *plan, size_t n, double *end)
{
    const mst_manifold *m = plan->m;
    const double share = 0.01;
    double *work, most = share * sqrt(plan->options.t_min);
    size_t D = m->ambient;
    MST_TRY(mst_allocate(&work, 2 * D));
    for (size_t i = 0; i < n; i++) {
        double *x = end + i * D;
        if (mst_is_lost(D, x) || mst_manifold_project(m, 1, x, x) != MST_OK ||
            !can_go_on(m, x, most, work))
            mst_lose(D, x);
    }
    mst_release(work);
    return MST_OK;
}
