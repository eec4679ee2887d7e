/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Simulated covariance matrices. */
#ifndef MST_BENCH_WISHART_H
#define MST_BENCH_WISHART_H

#include <manistat/random.h>
#include <math.h>
#include <stdlib.h>

/* n Wishart matrices of order p with 3p degrees of freedom, over that number, about diag(100^{k/(p−1)}),
 * k = 0 … p−1: estimated covariances of 3p samples. Matrix i reads stream first + i of
 * seed 1. To be freed. */
static inline double *wishart_new(size_t n, size_t p, uint64_t first)
{
    size_t degrees = 3 * p;
    double *z = malloc(degrees * p * sizeof *z), *x = calloc(n * p * p, sizeof *x);
    if (z == NULL || x == NULL)
        exit(3);
    for (size_t i = 0; i < n; i++) {
        double *out = x + i * p * p;
        mst_random_normals((mst_random){.seed = 1, .stream = first + i}, 0, degrees * p, z);
        for (size_t k = 0; k < degrees * p; k++)
            z[k] *= pow(10, (double)(k % p) / (double)(p - 1));
        for (size_t a = 0; a < p; a++)
            for (size_t b = 0; b <= a; b++) {
                double sum = 0;
                for (size_t k = 0; k < degrees; k++)
                    sum += z[k * p + a] * z[k * p + b];
                out[a * p + b] = out[b * p + a] = sum / (double)degrees;
            }
    }
    free(z);
    return x;
}

#endif
