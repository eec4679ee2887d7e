/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* The rate of matrix products, against which networks are held, and the operations of a training step. */
#ifndef MST_BENCH_PRODUCTS_H
#define MST_BENCH_PRODUCTS_H

#include "base/internal.h"
#include "bench.h"
#include "net/gemm.h"
#include "net/mlp.h"

enum { THREADS = 2 };

static inline float *filled(size_t n)
{
    float *x = aligned_alloc(64, (n / 16 + 1) * 64);
    if (x == NULL)
        exit(3);
    for (size_t i = 0; i < n; i++)
        x[i] = (float)(i % 17) / 17 - 0.5f;
    return x;
}

/* (m, k) times (k, n). */
typedef struct multiplication {
    size_t m, n, k;
    const float *a, *b;
    float **c; /* one for each thread */
} multiplication;

static inline mst_status multiply(void *context, size_t begin, size_t end)
{
    const multiplication *p = context;
    for (size_t t = begin; t < end; t++)
        gemm(false, false, p->m, p->n, p->k, p->a, p->k, p->b, p->n, 0, p->c[t], p->n);
    return MST_OK;
}

/* Operations per second. */
static inline double product_rate(int threads, size_t m, size_t n, size_t k)
{
    float *a = filled(m * k), *b = filled(k * n), *c[THREADS];
    for (int t = 0; t < threads; t++)
        c[t] = filled(m * n);
    double seconds;
    multiplication p = {m, n, k, a, b, c};
    BENCH_BEST(seconds, BENCH_OK(mst_parallel_blocks((size_t)threads, 1, threads, (mst_progress){0},
                                                     multiply, &p)));
    for (int t = 0; t < threads; t++)
        free(c[t]);
    free(a), free(b);
    return 2.0 * threads * (double)m * (double)n * (double)k / seconds;
}

/* Floating-point operations per sample: the three products of each layer, two in the first one. */
static inline double step_operations(const mlp_shape *s)
{
    size_t products = 2 * s->inputs * s->width + 3 * (s->depth - 1) * s->width * s->width +
                      3 * s->width * s->outputs;
    return 2.0 * (double)products;
}

#endif
