/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Whole training steps (forward, backward, Adam, average) with our own products and with those of oneDNN, in
 * turn in one process. The figure is the median of the ratios of processor times; above
 * 1, ours are faster. */
#include "products.h"

#include "net/optimiser.h"

#include <pthread.h>

typedef void product(bool transpose_a, bool transpose_b, size_t m, size_t n, size_t k,
                     const float *a, size_t lda, const float *b, size_t ldb, float beta, float *c,
                     size_t ldc);
product gemm_own, gemm_onednn;

enum { OWN, ONEDNN, WHO, ROWS = 512, CHUNKS = 4, RATIOS = 15, WARM = 2 };
static product *const products[WHO] = {gemm_own, gemm_onednn};
static _Thread_local int who;

/* In the place of that of the library. */
void gemm(bool transpose_a, bool transpose_b, size_t m, size_t n, size_t k, const float *a,
          size_t lda, const float *b, size_t ldb, float beta, float *c, size_t ldc)
{
    products[who](transpose_a, transpose_b, m, n, k, a, lda, b, ldb, beta, c, ldc);
}

const char *gemm_provider(void)
{
    return "manistat and oneDNN, in turn";
}

typedef struct net {
    const mlp_shape *shape;
    size_t size, chunks; /* parameters; pieces of ROWS rows that a step has on this thread */
    float *theta, *mean, *first, *second, *gradient, *x, *out, *d_out;
    mlp_work *work;
    adam_settings settings;
    double ratio[RATIOS];
} net;

static void step(net *r)
{
    r->settings.step++;
    for (size_t c = 0; c < r->chunks; c++) {
        mlp_forward(r->shape, r->theta, ROWS, r->x, r->out, r->work);
        mlp_backward(r->shape, r->theta, ROWS, r->x, r->d_out, r->gradient, NULL, r->work);
    }
    adam_update(&r->settings, 0, r->size, 1, &r->gradient, r->first, r->second, r->theta);
    average_update(0.999f, 0, r->size, r->theta, r->mean);
}

static double processor_time(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Two steps with each, the one that begins changing. */
static void *compare(void *context)
{
    net *r = context;
    for (int k = -WARM; k < RATIOS; k++) {
        double seconds[WHO];
        for (int turn = 0; turn < WHO; turn++) {
            who = turn ^ (k & 1);
            double begin = processor_time();
            step(r);
            step(r);
            seconds[who] = processor_time() - begin;
        }
        if (k >= 0)
            r->ratio[k] = seconds[ONEDNN] / seconds[OWN];
    }
    qsort(r->ratio, RATIOS, sizeof *r->ratio, by_size);
    return NULL;
}

static void open_net(net *r, const mlp_shape *shape, size_t chunks)
{
    size_t size = mlp_parameters(shape);
    *r = (net){.shape = shape, .size = size, .chunks = chunks};
    float **block[] = {&r->theta, &r->mean, &r->first, &r->second, &r->gradient};
    for (size_t k = 0; k < sizeof block / sizeof *block; k++)
        *block[k] = filled(size);
    r->x = filled(ROWS * shape->inputs);
    r->out = filled(ROWS * shape->outputs);
    r->d_out = filled(ROWS * shape->outputs);
    r->settings = (adam_settings){
        .rate = 1e-4f, .beta1 = 0.9f, .beta2 = 0.999f, .epsilon = 1e-8f, .scale = 1e-3f};
    mlp_initialise(shape, (mst_random){.seed = 1}, 1, r->theta);
    memset(r->first, 0, size * sizeof(float));
    memset(r->second, 0, size * sizeof(float));
    BENCH_OK(mlp_work_new(&r->work, shape, ROWS, 0));
}

static void close_net(net *r)
{
    free(r->theta), free(r->mean), free(r->first), free(r->second), free(r->gradient);
    free(r->x), free(r->out), free(r->d_out);
    mlp_work_free(r->work);
}

int main(void)
{
    static const struct {
        const char *name;
        mlp_shape shape;
    } nets[] = {{"3x128 SiLU", {12, 128, 3, 3, MLP_SILU}},
                {"5x512 tanh", {10, 512, 5, 10, MLP_TANH}}};
    printf("batch %d; ratio of processor times, oneDNN over ours\n", ROWS * CHUNKS);
    for (int threads = 1; threads <= THREADS; threads++)
        for (size_t i = 0; i < sizeof nets / sizeof *nets; i++) {
            net r[THREADS];
            pthread_t thread[THREADS];
            for (int t = 0; t < threads; t++) {
                open_net(&r[t], &nets[i].shape, CHUNKS / (size_t)threads);
                if (pthread_create(&thread[t], NULL, compare, &r[t]) != 0)
                    return 3;
            }
            for (int t = 0; t < threads; t++) {
                char title[100];
                pthread_join(thread[t], NULL);
                snprintf(title, sizeof title, "thread %d of %d, step of %s", t + 1, threads,
                         nets[i].name);
                bench_record(title, r[t].ratio[RATIOS / 2], "ratio", 0);
                printf("%-42s %8.2f   (quartiles %.2f, %.2f)   target 0.97\n", title,
                       r[t].ratio[RATIOS / 2], r[t].ratio[RATIOS / 4], r[t].ratio[3 * RATIOS / 4]);
                fflush(stdout);
                close_net(&r[t]);
            }
        }
    return 0;
}
