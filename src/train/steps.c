/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* The steps of a training. In each one threads first take tasks as they come free: a shard of the batch
 * through the network into the shard's own gradient block, or a block of paths for the next pool. Then they
 * add up the shards' gradients, in order, and update the parameters, range by range. So nothing depends on
 * the number of threads. */
#include "net/muon.h"
#include "net/optimiser.h"
#include "train/trainer.h"
#include "util/clock.h"

#include <math.h>
#include <string.h>

/* Rows of a shard that go through the network together: a few layers of them fit the second-level cache. */
enum { CHUNK = 512, RANGES = 16 };
/* Samples over which losses are averaged before they are believed. */
enum { JUDGED = 1024 };

/* ---- Workspaces of the threads ---- */

void trainer_work_free(trainer *r)
{
    for (int i = 0; r->work != NULL && i < r->threads; i++) {
        loss_work_free(&r->work[i].loss);
        feeder_work_free(&r->work[i].feeder);
        mst_release(r->work[i].room);
    }
    for (size_t k = 0; r->gradients != NULL && k < r->shards; k++)
        mst_release(r->gradients[k]);
    mst_release(r->work);
    mst_release(r->gradients);
}

mst_status trainer_work_new(trainer *r)
{
    size_t shards = r->feeder.batch / CHUNK, width = r->net->shape.width;
    r->shards = shards < 1 ? 1 : shards > TRAINER_SHARDS ? TRAINER_SHARDS : shards;
    MST_TRY(mst_allocate_zero(&r->work, (size_t)r->threads));
    MST_TRY(mst_allocate_zero(&r->gradients, r->shards));
    for (int i = 0; i < r->threads; i++) {
        MST_TRY(loss_work_new(&r->work[i].loss, &r->setup, CHUNK));
        MST_TRY(feeder_work_new(&r->work[i].feeder, &r->feeder));
        if (r->by_matrices)
            MST_TRY(mst_allocate(&r->work[i].room, muon_room(width, width)));
    }
    for (size_t k = 0; k < r->shards; k++)
        MST_TRY(mst_allocate_zero(&r->gradients[k], r->parameters));
    return MST_OK;
}

/* ---- A step ---- */

static void shard_gradient(trainer *r, size_t shard, size_t step, uint64_t pool, loss_work *work)
{
    const feeder *f = &r->feeder;
    size_t end = f->batch * (shard + 1) / r->shards;
    r->sum[shard] = 0;
    for (size_t at = f->batch * shard / r->shards, n; at < end; at += n) {
        n = feeder_run(f, step * f->batch + at, end - at < CHUNK ? end - at : CHUNK);
        loss_samples samples = feeder_at(f, pool, step * f->batch + at);
        r->sum[shard] +=
            f->ops->gradient(&r->setup, r->theta, n, &samples, work, r->gradients[shard]);
    }
}

/* Ranges of the parameters for the update. */
static size_t range_begin(const trainer *r, size_t range)
{
    return r->parameters / 16 * range / RANGES * 16;
}

/* The factor on the summed gradient if it is longer than allowed. */
static float clipped_scale(const trainer *r)
{
    double scale = 1 / (double)r->feeder.batch, square = 0;
    for (size_t k = 0; k < RANGES; k++)
        square +=
            gradient_square(range_begin(r, k), range_begin(r, k + 1), r->shards, r->gradients);
    double norm = sqrt(square) * scale;
    return (float)(norm > r->o->clip ? scale * r->o->clip / norm : scale);
}

/* ---- Bursts of steps ---- */

/* Has it gone astray? Losses are about 1 for a score of zero, the noise of the targets aside, which shows at
 * the start. Those without a target fall far below zero, and may. */
static mst_status judge(trainer *r, double loss)
{
    double share = fmin(0.5, (double)r->feeder.batch / JUDGED);
    r->smooth = r->step <= 1 ? loss : 0.98 * r->smooth + 0.02 * loss;
    r->recent += share * (loss - r->recent);
    if (isfinite(r->recent) && r->recent <= 1 + 3 * r->early)
        return MST_OK;
    return mst_fail(MST_BREAKDOWN,
                    "training diverged at step %llu (loss %g, at the start %g): use a smaller "
                    "learning rate (`rate`) than %g, or `clip`",
                    (unsigned long long)r->step, loss, r->early, r->o->rate);
}

/* One step. */
typedef struct step {
    trainer *r;
    adam_settings adam;
    float decay;
    uint64_t pool;
    size_t number, due, tasks; /* step of the pool; first block that is due; shards and blocks */
} step;

static step plan_step(trainer *r)
{
    step b = {.r = r};
    size_t end;
    r->rate = r->o->rate * schedule_factor(r->step, r->o->warm_up, trainer_used(r));
    b.pool = r->step / r->feeder.steps;
    b.number = r->step % r->feeder.steps;
    feeder_due(&r->feeder, b.number, &b.due, &end);
    b.tasks = r->shards + end - b.due;
    b.adam = (adam_settings){.rate = (float)r->rate,
                             .beta1 = 0.9F,
                             .beta2 = 0.999F,
                             .epsilon = 1e-8F,
                             .scale = 1 / (float)r->feeder.batch,
                             .step = r->step + 1};
    /* The average forgets the start faster than the first steps move away from it. */
    b.decay = (float)fmin(r->o->average, (double)r->step / ((double)r->step + 10));
    return b;
}

static mst_status run_task(void *context, size_t task, size_t end)
{
    const step *b = context;
    trainer_work *work = &b->r->work[mst_parallel_slot()];
    (void)end;
    if (task >= b->r->shards)
        return feeder_fill(&b->r->feeder, b->pool + 1, b->due + task - b->r->shards, &work->feeder);
    shard_gradient(b->r, task, b->number, b->pool, &work->loss);
    return MST_OK;
}

/* The matrices between hidden layers move as such; the first layer, whose columns are
 * quantities of different kinds, the last one and the biases by Adam. */
static mst_status update_layer(void *context, size_t k, size_t next)
{
    /* Of the rate for Adam: a fifth of it is too careful, measured. */
    const float factor = 4, momentum = 0.95F;
    const step *b = context;
    trainer *r = b->r;
    const mlp_shape *shape = &r->net->shape;
    mlp_layer layer = mlp_layer_at(shape, k);
    size_t begin = layer.weight,
           end = k < shape->depth ? mlp_layer_at(shape, next).weight : r->parameters;
    if (k > 0 && k < shape->depth) {
        float *gradients[TRAINER_SHARDS];
        for (size_t i = 0; i < r->shards; i++)
            gradients[i] = r->gradients[i] + begin;
        muon_settings settings = {factor * b->adam.rate, momentum, b->adam.scale};
        muon_update(&settings, layer.rows, layer.columns, r->shards, gradients, r->first + begin,
                    r->theta + begin, r->work[mst_parallel_slot()].room);
        begin = layer.bias;
    }
    adam_update(&b->adam, begin, end, r->shards, r->gradients, r->first, r->second, r->theta);
    average_update(b->decay, layer.weight, end, r->theta, r->net->theta);
    return MST_OK;
}

static mst_status update_range(void *context, size_t k, size_t next)
{
    const step *b = context;
    trainer *r = b->r;
    size_t begin = range_begin(r, k), end = range_begin(r, next);
    adam_update(&b->adam, begin, end, r->shards, r->gradients, r->first, r->second, r->theta);
    average_update(b->decay, begin, end, r->theta, r->net->theta);
    return MST_OK;
}

/* Has the training gone astray with this step? */
static mst_status finish_step(trainer *r)
{
    double loss = 0;
    for (size_t k = 0; k < r->shards; k++)
        loss += r->sum[k] / (double)r->feeder.batch;
    r->step++;
    r->seconds = mst_clock_seconds() - r->begin;
    MST_TRY(feeder_judge(&r->feeder));
    return judge(r, loss);
}

static mst_status run_step(trainer *r)
{
    step b = plan_step(r);
    mst_status status =
        mst_parallel_blocks(b.tasks, 1, r->threads, (mst_progress){0}, run_task, &b);
    if (status != MST_OK)
        return trainer_failed(status, mst_error_detail());
    if (r->o->clip > 0)
        b.adam.scale = clipped_scale(r);
    if (r->by_matrices)
        status = mst_parallel_blocks(r->net->shape.depth + 1, 1, r->threads, (mst_progress){0},
                                     update_layer, &b);
    else
        status = mst_parallel_blocks(RANGES, 1, r->threads, (mst_progress){0}, update_range, &b);
    return status == MST_OK ? finish_step(r) : status;
}

/* Steps until the clock of the training shows `until` or the budget is used up. */
mst_status trainer_run(trainer *r, double until)
{
    r->begin = mst_clock_seconds() - r->seconds;
    do
        MST_TRY(run_step(r));
    while (trainer_used(r) < 1 && r->seconds < until);
    return MST_OK;
}

/* Blocks of a pool. */
typedef struct filling {
    trainer *r;
    uint64_t pool;
    size_t first;
} filling;

static mst_status fill_block(void *context, size_t block, size_t end)
{
    const filling *f = context;
    (void)end;
    return feeder_fill(&f->r->feeder, f->pool, f->first + block,
                       &f->r->work[mst_parallel_slot()].feeder);
}

/* Pool number `pool`, its first `blocks` blocks, some at a time: somebody may ask to stop. */
static mst_status fill_pool(trainer *r, uint64_t pool, size_t blocks)
{
    enum { AT_ONCE = 64 };
    for (size_t done = 0; done < blocks && !r->stop; done += AT_ONCE) {
        filling f = {r, pool, done};
        size_t count = blocks - done < AT_ONCE ? blocks - done : AT_ONCE;
        mst_status status =
            mst_parallel_blocks(count, 1, r->threads, (mst_progress){0}, fill_block, &f);
        if (status != MST_OK)
            return trainer_failed(status, mst_error_detail());
        trainer_report(r);
    }
    return MST_OK;
}

/* The loss of the first samples with the weights as they are at the start. */
static void look_at_the_start(trainer *r)
{
    const feeder *f = &r->feeder;
    size_t judged = f->paths * f->slots < JUDGED ? f->paths * f->slots : JUDGED;
    double sum = 0;
    for (size_t at = 0, n; at < judged; at += n) {
        loss_samples samples = feeder_at(f, 0, at);
        n = feeder_run(f, at, judged - at < CHUNK ? judged - at : CHUNK);
        sum +=
            f->ops->gradient(&r->setup, r->theta, n, &samples, &r->work[0].loss, r->gradients[0]);
    }
    memset(r->gradients[0], 0, r->parameters * sizeof **r->gradients);
    r->recent = sum / (double)judged;
    r->early = fabs(r->recent);
}

/* The pools as they stood before the next step. */
mst_status trainer_fill(trainer *r)
{
    uint64_t pool = r->step / r->feeder.steps;
    size_t begin, end;
    feeder_due(&r->feeder, r->step % r->feeder.steps, &begin, &end);
    MST_TRY(fill_pool(r, pool, r->feeder.blocks));
    MST_TRY(feeder_judge(&r->feeder));
    if (r->step == 0 && !r->stop)
        look_at_the_start(r);
    return fill_pool(r, pool + 1, begin);
}
