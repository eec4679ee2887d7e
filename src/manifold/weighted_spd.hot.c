/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Paths of positive definite matrices from the identity, MST_LANES at a time: z ← E z E with E = exp(S/2)
 * puts the symmetric step S before the others. The recursions are those of weighted_curved.hot.c, for the
 * trace-free parts. */
#include "base/linalg_small.h"
#include "base/random_lanes.h"
#include "manifold/symmetric.h"
#include "manifold/weighted_kernels.h"

enum { COORDINATES = LANES_ORDER * (LANES_ORDER + 1) / 2, DEGREE = 12 };

typedef struct state {
    LANES(z, LANES_ENTRIES); /* lower triangle */
    LANES(u, COORDINATES);
    LANES(sum, SPD_SUMS);
} state;

/* Lower triangle of the product of symmetric matrices that commute. */
static inline void product(size_t n, const lanes *a, const lanes *b, lanes *out)
{
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j <= i; j++) {
            lanes_fill(&out[i * n + j], 1, 0);
            for (size_t m = 0; m < n; m++)
                lanes_add_product(a[lanes_lower(n, i, m)], b[lanes_lower(n, m, j)], out[i * n + j]);
        }
}

/* exp of a by its Taylor series: a is at most about ½. */
static inline void exponential(size_t n, int squarings, const lanes *a, lanes *e)
{
    LANES(t, LANES_ENTRIES);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j <= i; j++) {
            double one = i == j ? 1 : 0, *restrict out = e[i * n + j];
            const double *in = a[i * n + j];
            LANES_LOOP out[k] = one + in[k] * (1.0 / DEGREE);
        }
    for (int degree = DEGREE - 1; degree > 0; degree--) {
        product(n, a, e, t);
        double inverse = 1.0 / degree;
        for (size_t i = 0; i < n; i++)
            for (size_t j = 0; j <= i; j++) {
                double one = i == j ? 1 : 0, *restrict out = e[i * n + j];
                const double *in = t[i * n + j];
                LANES_LOOP out[k] = one + in[k] * inverse;
            }
    }
    for (int s = 0; s < squarings; s++) {
        product(n, e, e, t);
        for (size_t i = 0; i < n; i++)
            for (size_t j = 0; j <= i; j++)
                lanes_copy(t[i * n + j], e[i * n + j]);
    }
}

/* z ← E z E */
static inline void sandwich(size_t n, const lanes *e, lanes *z)
{
    LANES(t, LANES_ENTRIES);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) {
            lanes_fill(&t[i * n + j], 1, 0);
            for (size_t m = 0; m < n; m++)
                lanes_add_product(e[lanes_lower(n, i, m)], z[lanes_lower(n, m, j)], t[i * n + j]);
        }
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j <= i; j++) {
            lanes_fill(&z[i * n + j], 1, 0);
            for (size_t m = 0; m < n; m++)
                lanes_add_product(t[i * n + m], e[lanes_lower(n, m, j)], z[i * n + j]);
        }
}

/* Take the trace part out of the normals xi and add it up; then the recursions. */
static inline void weights(size_t n, const double *f, lanes *xi, state *s)
{
    size_t d = symmetric_dim(n);
    _Alignas(64) lanes mean, square, along;
    lanes_fill(&mean, 1, 0);
    for (size_t i = 0; i < n; i++) {
        const double *diagonal = xi[symmetric_index(n, i, i)];
        LANES_LOOP mean[k] += diagonal[k];
    }
    double *restrict trace = s->sum[SPD_TRACE];
    LANES_LOOP trace[k] += mean[k];
    for (size_t i = 0; i < n; i++) {
        double *restrict diagonal = xi[symmetric_index(n, i, i)];
        LANES_LOOP diagonal[k] -= mean[k] * (1 / (double)n);
    }
    lanes_fill(&square, 1, 0);
    lanes_fill(&along, 1, 0);
    for (size_t c = 0; c < d; c++) {
        double *restrict u = s->u[c];
        const double *x = xi[c];
        LANES_LOOP
        {
            square[k] += x[k] * x[k];
            along[k] += x[k] * u[k];
            u[k] = f[k] * u[k] + x[k];
        }
    }
    double half = 0.5 * ((double)d - 1), *restrict time = s->sum[CURVED_TIME_WEIGHT],
           *restrict squares = s->sum[CURVED_SQUARES], *restrict pairs = s->sum[CURVED_PAIRS];
    LANES_LOOP
    {
        time[k] += f[k] * along[k] + (0.5 * square[k] - half);
        pairs[k] += f[k] * squares[k];
        squares[k] = f[k] * f[k] * squares[k] + 1;
    }
}

static inline void record(size_t n, const spd_block *b, size_t step, const state *s)
{
    const mst_weighted_paths *p = b->paths;
    size_t d = symmetric_dim(n);
    for (size_t e = p->begin[step]; e < p->begin[step + 1]; e++) {
        size_t k = p->event[e].path;
        double *row = b->out + (p->event[e].slot * p->n + k) * spd_width(n);
        for (size_t i = 0; i < n; i++)
            for (size_t j = 0; j < n; j++)
                *row++ = s->z[lanes_lower(n, i, j)][k];
        for (size_t c = 0; c < d; c++)
            *row++ = s->u[c][k];
        for (size_t c = 0; c < SPD_SUMS; c++)
            *row++ = s->sum[c][k];
    }
}

static inline void run_order(size_t n, const spd_block *b)
{
    size_t d = symmetric_dim(n);
    state s;
    LANES(xi, COORDINATES);
    LANES(a, LANES_ENTRIES);
    LANES(e, LANES_ENTRIES);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j <= i; j++)
            lanes_fill(&s.z[i * n + j], 1, i == j ? 1 : 0);
    lanes_fill(s.u, d, 0);
    lanes_fill(s.sum, SPD_SUMS, 0);
    double shrink = 1;
    for (int k = 0; k < b->squarings; k++)
        shrink /= 2;
    mst_noise noise = b->paths->noise;
    for (size_t step = 0; step < b->paths->steps; step++) {
        noise_step(noise.seed, noise.first_path, noise.first_step + step, d, xi);
        weights(n, b->growth, xi, &s);
        for (size_t i = 0; i < n; i++)
            for (size_t j = 0; j <= i; j++) {
                const double *in = xi[symmetric_index(n, i, j)], *half = b->half_step;
                double scale = shrink * (i == j ? 1 : SYMMETRIC_SQRT_HALF), *restrict out =
                                                                                a[i * n + j];
                LANES_LOOP out[k] = scale * half[k] * in[k];
            }
        exponential(n, b->squarings, a, e);
        sandwich(n, e, s.z);
        record(n, b, step + 1, &s);
    }
}

/* Each order gets its own loops. */
static void run(const spd_block *b)
{
    if (b->n == 2)
        run_order(2, b);
    else if (b->n == 3)
        run_order(3, b);
    else
        run_order(4, b);
}

const struct spd_path_kernels HOT(spd_path_kernels) = {.run = run};
