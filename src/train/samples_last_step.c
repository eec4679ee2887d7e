/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Denoising data: a geodesic walk from x, and at the chosen times its last step. */
#include "base/random_kernels.h"
#include "manifold/leaving.h"
#include "train/samples_parts.h"

#include <math.h>
#include <string.h>

/* The walkers at one step, rows (n, D), and the rows of those that are taken there. */
typedef struct walkers {
    double *start, *x, *y, *c, *v, *first, *second;
    double *picked[3]; /* previous, v, c; the last becomes the transported step */
    double *xi;
    double (*z)[MST_LANES];
    double *memory;
    bool lost[MST_LANES]; /* who has left the domain, and rests at the start */
} walkers;

static mst_status walkers_new(walkers *w, const mst_manifold *m, size_t slots)
{
    size_t row = MST_LANES * m->ambient, noise = sample_noise_size(m->dim);
    MST_TRY(mst_allocate(&w->memory, noise + (7 + 3 * slots) * row + MST_LANES * m->dim));
    w->z = (double(*)[MST_LANES])w->memory;
    double *next = w->memory + noise;
    double **rows[] = {&w->start, &w->x, &w->y, &w->c, &w->v, &w->first, &w->second};
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++, next += row)
        *rows[k] = next;
    for (size_t k = 0; k < 3; k++, next += slots * row)
        w->picked[k] = next;
    w->xi = next;
    return MST_OK;
}

static void put(double *rows, size_t row, size_t D, const double *from)
{
    if (rows != NULL)
        memcpy(rows + row * D, from, D * sizeof *from);
}

static mst_status take(const sample_job *job, walkers *w, const mst_path_event *event, size_t count,
                       size_t stride, const sample_rows *out)
{
    size_t D = job->factor->m->ambient;
    for (size_t e = 0; e < count; e++) {
        size_t i = event[e].path, row = event[e].slot * stride + i;
        put(out->x, row, D, w->start + i * D);
        put(out->y, row, D, w->y + i * D);
        if (w->lost[i] && out->x != NULL)
            mst_lose(D, out->x + row * D);
        if (w->lost[i] && out->y != NULL)
            mst_lose(D, out->y + row * D);
        put(out->previous, row, D, w->x + i * D);
        put(out->step, row, D, w->c + i * D);
        if (out->h != NULL)
            out->h[row] = job->h[i];
        put(w->picked[0], e, D, w->x + i * D);
        put(w->picked[1], e, D, w->v + i * D);
        put(w->picked[2], e, D, w->c + i * D);
    }
    if (out->arrived == NULL || count == 0)
        return MST_OK;
    MST_TRY(mst_manifold_transport(job->factor->m, count, w->picked[0], w->picked[1], w->picked[2],
                                   w->picked[2]));
    for (size_t e = 0; e < count; e++)
        put(out->arrived, event[e].slot * stride + event[e].path, D, w->picked[2] + e * D);
    return MST_OK;
}

/* Walkers whose row of x is NAN rest from now on; v (n, D) is what they have walked. */
static void lose(const mst_manifold *m, size_t n, walkers *w, double *x, double *v)
{
    size_t D = m->ambient;
    for (size_t i = 0; i < n; i++) {
        w->lost[i] = w->lost[i] || mst_is_lost(D, x + i * D);
        if (!w->lost[i])
            continue;
        mst_manifold_start(m, x + i * D);
        memset(v + i * D, 0, D * sizeof *v);
    }
}

static mst_status walk(const sample_job *job, walkers *w, const uint32_t *begin,
                       const mst_path_event *event, size_t stride, const sample_rows *out)
{
    const mst_manifold *m = job->factor->m;
    uint64_t seed = sample_seed(job->root, SAMPLE_SEED_NOISE, 0);
    MST_TRY(sample_starts(job, 0, w->start));
    memset(w->lost, 0, sizeof w->lost);
    lose(m, job->n, w, w->start, w->v);
    memcpy(w->x, w->start, job->n * m->ambient * sizeof *w->x);
    for (size_t k = 0; k < job->plan->options.steps; k++) {
        MST_PICK(random_kernels)->step(seed, job->first, k, m->dim, w->z);
        sample_noise_rows(job->n, m->dim, w->z, w->xi);
        for (size_t i = 0; i < job->n; i++)
            if (w->lost[i])
                memset(w->xi + i * m->dim, 0, m->dim * sizeof *w->xi);
        MST_TRY(sample_walk_step(m, job->n, w->x, job->h, w->xi, w->c, w->v, w->first, w->second,
                                 w->y));
        lose(m, job->n, w, w->y, w->v);
        MST_TRY(take(job, w, event + begin[k + 1], begin[k + 2] - begin[k + 1], stride, out));
        double *old = w->x;
        w->x = w->y;
        w->y = old;
    }
    for (size_t i = 0; out->end != NULL && i < job->n; i++) {
        put(out->end, i, m->ambient, w->x + i * m->ambient);
        if (w->lost[i])
            mst_lose(m->ambient, out->end + i * m->ambient);
    }
    return MST_OK;
}

mst_status sample_last_step(const sample_job *job, size_t stride, const sample_rows *out)
{
    size_t steps = job->plan->options.steps;
    walkers w = {0};
    uint32_t *begin = NULL;
    mst_path_event *event = NULL;
    mst_status status = walkers_new(&w, job->factor->m, job->slots);
    if (status == MST_OK)
        status = mst_allocate(&begin, steps + 2);
    if (status == MST_OK)
        status = mst_allocate(&event, job->slots * MST_LANES);
    if (status == MST_OK) {
        sample_events(job, begin, event);
        status = walk(job, &w, begin, event, stride, out);
    }
    mst_release(event);
    mst_release(begin);
    mst_release(w.memory);
    return status;
}
