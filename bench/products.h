/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* The rate of matrix products, against which networks are held, and the operations of a training step. */
#ifndef MST_BENCH_PRODUCTS_H
#define MST_BENCH_PRODUCTS_H

#include "bench.h"
#include "net/gemm.h"
#include "net/mlp.h"

#include <omp.h>

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

/* (m, k) times (k, n), the same on every thread. */
static inline void multiply(int threads, size_t m, size_t n, size_t k, const float *a,
                            const float *b, float **c)
{
#pragma omp parallel num_threads(threads)
    gemm(false, false, m, n, k, a, k, b, n, 0, c[omp_get_thread_num()], n);
}

/* Operations per second. */
static inline double product_rate(int threads, size_t m, size_t n, size_t k)
{
    float *a = filled(m * k), *b = filled(k * n), *c[THREADS];
    for (int t = 0; t < threads; t++)
        c[t] = filled(m * n);
    double seconds;
    BENCH_BEST(seconds, multiply(threads, m, n, k, a, b, c));
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
