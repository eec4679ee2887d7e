/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

#include "train/feeder.h"

#include "base/lanes.h"

#include <inttypes.h>
#include <manistat/brownian.h>
#include <string.h>

/* A pool is large against a path, so that the samples of a path are far apart, and small
 * against the caches' patience. */
enum { POOL = 131072, BLOCK = MST_LANES };

static mst_status samples_new(loss_samples *out, const loss_setup *setup, size_t n)
{
    size_t inputs = setup->rows * setup->net->shape.inputs;
    MST_TRY(mst_allocate(&out->inputs, n * (inputs * (1 + setup->tangents) + setup->extra)));
    out->tangents = out->inputs + n * inputs;
    out->extra = out->tangents + n * inputs * setup->tangents;
    return MST_OK;
}

static mst_status ends_new(feeder *f)
{
    size_t D = f->setup->net->features->D;
    for (size_t k = 0; k < 3; k++)
        MST_TRY(mst_allocate_zero(&f->ends[k], f->paths * D));
    return MST_OK;
}

mst_status feeder_new(feeder *f, const loss_ops *ops, const loss_setup *setup,
                      const sample_plan *plan, size_t batch, size_t slots, bool chained)
{
    *f = (feeder){.ops = ops, .setup = setup, .plan = plan, .batch = batch, .slots = slots};
    size_t pool = setup->tangents > 0 ? POOL / 8 : POOL; /* derivatives of inputs take time */
    size_t wanted = chained || batch > pool ? batch : pool / batch * batch;
    f->paths = (wanted + slots * BLOCK - 1) / (slots * BLOCK) * BLOCK;
    f->steps = f->paths * slots / batch;
    f->blocks = f->paths / BLOCK;
    mst_status status = samples_new(&f->half[0], setup, f->paths * slots);
    if (status == MST_OK)
        status = samples_new(&f->half[1], setup, f->paths * slots);
    if (status == MST_OK && chained)
        status = ends_new(f);
    if (status != MST_OK)
        feeder_free(f);
    return status;
}

void feeder_free(feeder *f)
{
    mst_release(f->half[0].inputs);
    mst_release(f->half[1].inputs);
    for (size_t k = 0; k < 3; k++)
        mst_release(f->ends[k]);
    *f = (feeder){0};
}

mst_status feeder_work_new(feeder_work *work, const feeder *f)
{
    size_t D = f->setup->net->features->D, d = f->setup->net->features->d, n = BLOCK * f->slots;
    bool chained = f->setup->chained > 0;
    *work = (feeder_work){0};
    MST_TRY(mst_allocate(&work->memory, n * (6 * D + 4 + (chained ? d * (d + D) : 0))));
    mst_status status = samples_new(&work->samples, f->setup, n);
    if (status != MST_OK) {
        feeder_work_free(work);
        return status;
    }
    sample_rows *r = &work->rows;
    r->x = work->memory;
    r->y = r->x + n * D;
    r->t = r->y + n * D;
    if (f->ops->kind == SAMPLE_BEL) {
        r->target = r->t + n;
        r->weight = r->target + n * D;
        r->time_target = f->setup->net->info.time_head ? r->weight + n : NULL;
        r->chain = chained ? work->memory + n * (6 * D + 4) : NULL;
        r->frame = chained ? r->chain + n * d * d : NULL;
    } else {
        r->previous = r->t + n;
        r->step = r->previous + n * D;
        r->arrived = r->step + n * D;
        r->h = r->arrived + n * D;
    }
    return MST_OK;
}

void feeder_work_free(feeder_work *work)
{
    mst_release(work->memory);
    mst_release(work->samples.inputs);
    *work = (feeder_work){0};
}

static loss_samples samples_at(const loss_setup *setup, loss_samples s, size_t at)
{
    size_t inputs = setup->rows * setup->net->shape.inputs;
    return (loss_samples){.inputs = s.inputs + at * inputs,
                          .tangents = s.tangents + at * inputs * setup->tangents,
                          .extra = s.extra + at * setup->extra};
}

static void copy_samples(const loss_setup *setup, size_t n, loss_samples from, loss_samples to)
{
    size_t inputs = setup->rows * setup->net->shape.inputs;
    memcpy(to.inputs, from.inputs, n * inputs * sizeof *to.inputs);
    memcpy(to.tangents, from.tangents, n * inputs * setup->tangents * sizeof *to.tangents);
    memcpy(to.extra, from.extra, n * setup->extra * sizeof *to.extra);
}

double *feeder_starts(const feeder *f, uint64_t pool)
{
    return pool > 0 ? f->ends[(pool + 2) % 3] : NULL;
}

/* A slot's samples of all paths stand together, so a batch holds different paths. */
mst_status feeder_fill(feeder *f, uint64_t pool, size_t block, feeder_work *work)
{
    uint64_t first = pool * f->paths + block * BLOCK, left = 0;
    size_t at = block * BLOCK * f->setup->net->features->D;
    const double *starts = feeder_starts(f, pool);
    work->rows.left = &left;
    work->rows.from = starts != NULL ? starts + at : NULL;
    work->rows.end = f->ends[0] != NULL ? f->ends[pool % 3] + at : NULL;
    MST_TRY(sample_draw(f->plan, first, BLOCK, &work->rows));
    atomic_fetch_add(&f->drawn, BLOCK * f->slots);
    atomic_fetch_add(&f->left, left);
    MST_TRY(
        f->ops->prepare(f->setup, first * f->slots, BLOCK * f->slots, &work->rows, &work->samples));
    for (size_t s = 0; s < f->slots; s++)
        copy_samples(f->setup, BLOCK, samples_at(f->setup, work->samples, s * BLOCK),
                     feeder_at(f, pool, s * f->paths + block * BLOCK));
    return MST_OK;
}

mst_status feeder_judge(const feeder *f)
{
    uint64_t drawn = atomic_load(&f->drawn), left = atomic_load(&f->left);
    if ((double)left <= MST_BROWNIAN_MOST_LOST * (double)drawn)
        return MST_OK;
    return mst_fail(MST_BREAKDOWN,
                    "%" PRIu64 " of %" PRIu64 " samples are of paths that left the domain of %s, "
                    "more than %g %%; take a smaller `t_max`, or write the manifold with chart "
                    "blocks or as a constraint, which have no border",
                    left, drawn, mst_manifold_spec(f->setup->net->m), 100 * MST_BROWNIAN_MOST_LOST);
}

void feeder_due(const feeder *f, size_t step, size_t *begin, size_t *end)
{
    *begin = step * f->blocks / f->steps;
    *end = (step + 1) * f->blocks / f->steps;
}

/* The slot before is a slot's samples away, and the last one comes before the first. */
static size_t before(const feeder *f, size_t at)
{
    return (at + (f->slots - 1) * f->paths) % (f->slots * f->paths);
}

loss_samples feeder_at(const feeder *f, uint64_t pool, size_t at)
{
    loss_samples samples = samples_at(f->setup, f->half[pool % 2], at);
    if (f->setup->chained > 0)
        samples.before = samples_at(f->setup, f->half[pool % 2], before(f, at)).inputs;
    return samples;
}

size_t feeder_run(const feeder *f, size_t at, size_t n)
{
    size_t most = f->setup->chained > 0 ? f->slots * f->paths - before(f, at) : n;
    return n < most ? n : most;
}
