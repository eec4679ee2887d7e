/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Training steps of networks, without samples, against the rate of the matrix product on
 * the same cores in the same run. */
#include "net/optimiser.h"
#include "products.h"

#include <string.h>

/* What one thread has of a batch. */
typedef struct shard {
    mlp_work *work;
    float *x, *out, *d_out;
} shard;

typedef struct training {
    const mlp_shape *shape;
    size_t rows, size; /* of a shard; of the block of parameters */
    float *theta, *mean, *first, *second, *gradients[THREADS];
    size_t count; /* of shards, one for each thread */
    shard shards[THREADS];
    adam_settings settings;
} training;

static mst_status find_gradient(void *context, size_t t, size_t next)
{
    training *r = context;
    const shard *s = &r->shards[t];
    (void)next;
    mlp_forward(r->shape, r->theta, r->rows, s->x, s->out, s->work);
    mlp_backward(r->shape, r->theta, r->rows, s->x, s->d_out, r->gradients[t], NULL, s->work);
    return MST_OK;
}

static mst_status update(void *context, size_t t, size_t next)
{
    training *r = context;
    size_t groups = r->size / 16;
    size_t begin = groups * t / r->count * 16, end = groups * next / r->count * 16;
    adam_update(&r->settings, begin, end, r->count, r->gradients, r->first, r->second, r->theta);
    average_update(0.999f, begin, end, r->theta, r->mean);
    return MST_OK;
}

/* Forward, backward, Adam and the running average. */
static void step(training *r)
{
    const mst_progress silent = {0};
    int threads = (int)r->count;
    r->settings.step++;
    BENCH_OK(mst_parallel_blocks(r->count, 1, threads, silent, find_gradient, r));
    BENCH_OK(mst_parallel_blocks(r->count, 1, threads, silent, update, r));
}

/* Steps per second. */
static double step_rate(int threads, const mlp_shape *shape, size_t batch)
{
    size_t size = mlp_parameters(shape), rows = batch / (size_t)threads;
    training r = {.shape = shape,
                  .rows = rows,
                  .size = size,
                  .count = (size_t)threads,
                  .theta = filled(size),
                  .mean = filled(size),
                  .first = filled(size),
                  .second = filled(size),
                  .settings = {.rate = 1e-4f,
                               .beta1 = 0.9f,
                               .beta2 = 0.999f,
                               .epsilon = 1e-8f,
                               .scale = 1.0f / (float)batch}};
    mlp_initialise(shape, (mst_random){.seed = 1}, 1, r.theta);
    memset(r.first, 0, size * sizeof(float));
    memset(r.second, 0, size * sizeof(float));
    for (int t = 0; t < threads; t++) {
        r.gradients[t] = filled(size);
        r.shards[t] = (shard){.x = filled(rows * shape->inputs),
                              .out = filled(rows * shape->outputs),
                              .d_out = filled(rows * shape->outputs)};
        BENCH_OK(mlp_work_new(&r.shards[t].work, shape, rows, 0));
    }
    double seconds;
    BENCH_BEST(seconds, step(&r));
    for (int t = 0; t < threads; t++) {
        free(r.gradients[t]), free(r.shards[t].x), free(r.shards[t].out), free(r.shards[t].d_out);
        mlp_work_free(r.shards[t].work);
    }
    free(r.theta), free(r.mean), free(r.first), free(r.second);
    return 1 / seconds;
}

static void product_line(int threads, const char *size, double rate)
{
    char title[100];
    snprintf(title, sizeof title, "%d thread%s, %s", threads, threads > 1 ? "s" : "", size);
    bench_record(title, 1e-9 * rate, "GFLOP/s", 0);
    printf("%-42s %8.1f GFLOP/s\n", title, 1e-9 * rate);
}

int main(void)
{
    static const struct {
        const char *name;
        mlp_shape shape;
        double target; /* share of the rate of the product */
    } nets[] = {{"3x128 SiLU", {12, 128, 3, 3, MLP_SILU}, 0.55},
                {"5x512 tanh", {10, 512, 5, 10, MLP_TANH}, 0.7}};
    printf("matrix products by %s\n", gemm_provider());
    for (int threads = 1; threads <= THREADS; threads++) {
        double large = product_rate(threads, 1024, 1024, 1024);
        product_line(threads, "1024x1024x1024", large);
        product_line(threads, "1024x128x128", product_rate(threads, 1024, 128, 128));
        for (size_t i = 0; i < sizeof nets / sizeof *nets; i++)
            for (size_t batch = 2048; batch <= 4096; batch *= 2) {
                double steps = step_rate(threads, &nets[i].shape, batch);
                double rate = steps * (double)batch * step_operations(&nets[i].shape);
                char title[100];
                snprintf(title, sizeof title, "%d thread%s, step of %s, batch %zu", threads,
                         threads > 1 ? "s" : "", nets[i].name, batch);
                bench_record(title, steps, "steps/s", 0);
                printf("%-42s %8.1f steps/s %7.1f GFLOP/s   share %.2f   target %.2f\n", title,
                       steps, 1e-9 * rate, rate / large, nets[i].target);
            }
    }
    return 0;
}
