/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* The steps of a training, in one parallel region as long as nobody asks. First threads take tasks as they
 * come free: a shard of the batch through the network into the shard's own gradient block, or a block of
 * paths for the next pool. Then they add up the shards' gradients, in order, and update the parameters, range
 * by range. So nothing depends on the number of threads. */
#include "base/barrier.h"
#include "net/muon.h"
#include "net/optimiser.h"
#include "train/trainer.h"
#include "util/clock.h"

#include <math.h>
#include <omp.h>
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

static void fill_block(trainer *r, uint64_t pool, size_t block, trainer_work *work)
{
    if (work->status != MST_OK)
        return;
    work->status = feeder_fill(&r->feeder, pool, block, &work->feeder);
    if (work->status != MST_OK)
        snprintf(work->detail, sizeof work->detail, "%s", mst_error_detail());
}

static mst_status first_failure(const trainer *r)
{
    for (int i = 0; i < r->threads; i++)
        if (r->work[i].status != MST_OK)
            return trainer_failed(r->work[i].status, r->work[i].detail);
    return MST_OK;
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

/* What the threads of a team share during one burst of steps. */
typedef struct burst {
    barrier gate;
    adam_settings adam;
    float decay;
    uint64_t pool;
    size_t step, due, tasks; /* step of the pool; first block that is due; shards and blocks */
    atomic_size_t next;      /* task */
    bool over;
} burst;

static void plan_step(trainer *r, burst *b)
{
    size_t end;
    r->rate = r->o->rate * schedule_factor(r->step, r->o->warm_up, trainer_used(r));
    b->pool = r->step / r->feeder.steps;
    b->step = r->step % r->feeder.steps;
    feeder_due(&r->feeder, b->step, &b->due, &end);
    b->tasks = r->shards + end - b->due;
    b->adam = (adam_settings){.rate = (float)r->rate,
                              .beta1 = 0.9F,
                              .beta2 = 0.999F,
                              .epsilon = 1e-8F,
                              .scale = 1 / (float)r->feeder.batch,
                              .step = r->step + 1};
    /* The average forgets the start faster than the first steps move away from it. */
    b->decay = (float)fmin(r->o->average, (double)r->step / ((double)r->step + 10));
    atomic_store(&b->next, 0);
}

static void run_tasks(trainer *r, burst *b, trainer_work *work)
{
    for (size_t k; (k = atomic_fetch_add(&b->next, 1)) < b->tasks;)
        if (k < r->shards)
            shard_gradient(r, k, b->step, b->pool, &work->loss);
        else
            fill_block(r, b->pool + 1, b->due + k - r->shards, work);
}

/* Layers are shared out. The matrices between hidden layers move as such; the first layer, whose columns are
 * quantities of different kinds, the last one and the biases by Adam. */
static void update_layers(trainer *r, const burst *b, size_t thread, size_t threads)
{
    /* Of the rate for Adam: a fifth of it is too careful, measured. */
    const float factor = 4, momentum = 0.95F;
    const mlp_shape *shape = &r->net->shape;
    for (size_t k = thread; k <= shape->depth; k += threads) {
        mlp_layer layer = mlp_layer_at(shape, k);
        size_t begin = layer.weight,
               end = k < shape->depth ? mlp_layer_at(shape, k + 1).weight : r->parameters;
        if (k > 0 && k < shape->depth) {
            float *gradients[TRAINER_SHARDS];
            for (size_t i = 0; i < r->shards; i++)
                gradients[i] = r->gradients[i] + begin;
            muon_settings settings = {factor * b->adam.rate, momentum, b->adam.scale};
            muon_update(&settings, layer.rows, layer.columns, r->shards, gradients,
                        r->first + begin, r->theta + begin, r->work[thread].room);
            begin = layer.bias;
        }
        adam_update(&b->adam, begin, end, r->shards, r->gradients, r->first, r->second, r->theta);
        average_update(b->decay, layer.weight, end, r->theta, r->net->theta);
    }
}

static void update(trainer *r, const burst *b, size_t thread, size_t threads)
{
    if (r->by_matrices) {
        update_layers(r, b, thread, threads);
        return;
    }
    for (size_t k = thread; k < RANGES; k += threads) {
        size_t begin = range_begin(r, k), end = range_begin(r, k + 1);
        adam_update(&b->adam, begin, end, r->shards, r->gradients, r->first, r->second, r->theta);
        average_update(b->decay, begin, end, r->theta, r->net->theta);
    }
}

/* After a step, on one thread. */
static mst_status finish_step(trainer *r)
{
    double loss = 0;
    for (size_t k = 0; k < r->shards; k++)
        loss += r->sum[k] / (double)r->feeder.batch;
    r->step++;
    r->seconds = mst_clock_seconds() - r->begin;
    MST_TRY(first_failure(r));
    MST_TRY(feeder_judge(&r->feeder));
    return judge(r, loss);
}

/* Steps until the clock of the training shows `until` or the budget is used up. */
mst_status trainer_run(trainer *r, double until)
{
    burst b = {0};
    mst_status status = MST_OK;
    r->begin = mst_clock_seconds() - r->seconds;
    plan_step(r, &b);
#pragma omp parallel num_threads(r->threads)
    {
        size_t thread = (size_t)omp_get_thread_num(), threads = (size_t)omp_get_num_threads();
        while (!b.over) {
            run_tasks(r, &b, &r->work[thread]);
            barrier_wait(&b.gate, threads);
            if (r->o->clip > 0) {
                if (thread == 0)
                    b.adam.scale = clipped_scale(r);
                barrier_wait(&b.gate, threads);
            }
            update(r, &b, thread, threads);
            barrier_wait(&b.gate, threads);
            if (thread == 0) {
                status = finish_step(r);
                b.over = status != MST_OK || trainer_used(r) >= 1 || r->seconds >= until;
                if (!b.over)
                    plan_step(r, &b);
            }
            barrier_wait(&b.gate, threads);
        }
    }
    return status;
}

/* Pool number `pool`, its first `blocks` blocks, some at a time: somebody may ask to stop. */
static mst_status fill_pool(trainer *r, uint64_t pool, size_t blocks)
{
    enum { AT_ONCE = 64 };
    for (size_t done = 0; done < blocks && !r->stop; done += AT_ONCE) {
        size_t end = blocks - done < AT_ONCE ? blocks : done + AT_ONCE;
#pragma omp parallel for num_threads(r->threads) schedule(dynamic, 1)
        for (size_t b = done; b < end; b++)
            fill_block(r, pool, b, &r->work[omp_get_thread_num()]);
        MST_TRY(first_failure(r));
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
