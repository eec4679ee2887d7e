/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Heat kernels of pairs of points on one core: log p, score and ∂_t in a call, a time per row. Beside them
 * the plain 100-term series of the sphere, which is the usual way and wrong for short times
 * (docs/heat-kernels.md). */
#include "bench.h"

#include <manistat/heat.h>
#include <manistat/manifold.h>
#include <math.h>
#include <string.h>

/* Few enough for a call to fit into a time slice of a busy machine. */
enum { N = 2048, PLAIN = 512, TERMS = 100 };

typedef struct batch {
    mst_manifold *m;
    size_t D;
    double *x, *y, *t;
    mst_heat_values out;
} batch;

static double *doubles(size_t n)
{
    double *x = calloc(n, sizeof *x);
    if (x == NULL) {
        fprintf(stderr, "not enough memory\n");
        exit(3);
    }
    return x;
}

/* Random bases, second points at distances within 1 % of r in random directions, times within 1 % of t. */
static batch new_batch(const char *spec, double r, double t)
{
    batch b = {0};
    BENCH_OK(mst_manifold_parse(&b.m, spec));
    size_t d = mst_manifold_dim(b.m), D = b.D = mst_manifold_ambient(b.m);
    double *c = doubles(N * d), *v = doubles(N * D), *u = doubles(N);
    b.x = doubles(N * D), b.y = doubles(N * D), b.t = doubles(N);
    BENCH_OK(mst_manifold_random_point(b.m, (mst_random){1, 1}, 0, N, b.x));
    mst_random_normals((mst_random){1, 2}, 0, N * d, c);
    mst_random_uniforms((mst_random){1, 3}, 0, N, u);
    for (size_t i = 0; i < N; i++) {
        double norm = 0;
        for (size_t k = 0; k < d; k++)
            norm += c[i * d + k] * c[i * d + k];
        for (size_t k = 0; k < d; k++)
            c[i * d + k] *= r * (0.99 + 0.01 * u[i]) / sqrt(norm);
        b.t[i] = t * (1 + 0.01 * u[i]);
    }
    BENCH_OK(mst_manifold_from_frame(b.m, N, b.x, c, v));
    BENCH_OK(mst_manifold_exp(b.m, N, b.x, v, b.y));
    free(c);
    free(v);
    free(u);
    b.out = (mst_heat_values){.log_p = doubles(N),
                              .dt_log_p = doubles(N),
                              .score = doubles(N * D),
                              .hessian = doubles(N * d * d)};
    return b;
}

static void free_batch(batch *b)
{
    mst_manifold_free(b->m);
    free(b->x);
    free(b->y);
    free(b->t);
    free(b->out.log_p);
    free(b->out.dt_log_p);
    free(b->out.score);
    free(b->out.hessian);
}

/* p = Σ e^(−l(l+m−1)t/2) (2l+m−1)/(m−1) C_l(⟨x, y⟩)/A, C_l the Gegenbauer polynomials of order (m−1)/2, and
 * the two derivatives term by term. */
static void plain_series(const batch *b, size_t m)
{
    size_t D = b->D;
    double alpha = ((double)m - 1) / 2;
    double area = 2 * pow(M_PI, alpha + 1) / tgamma(alpha + 1);
    for (size_t i = 0; i < PLAIN; i++) {
        const double *x = b->x + i * D, *y = b->y + i * D;
        double c = 0, t = b->t[i];
        for (size_t a = 0; a < D; a++)
            c += x[a] * y[a];
        double value = 1, before = 0, slope = 0, slope_before = 0, p = 0, dp = 0, dt = 0;
        for (int l = 0; l < TERMS; l++) {
            double rate = 0.5 * l * (l + 2 * alpha);
            double weight = exp(-rate * t) * (l + alpha) / alpha;
            p += weight * value;
            dp += weight * slope;
            dt -= rate * weight * value;
            double u = 2 * (l + alpha) / (l + 1), w = (l + 2 * alpha - 1) / (l + 1);
            double next = u * c * value - w * before,
                   next_slope = u * (value + c * slope) - w * slope_before;
            before = value, value = next;
            slope_before = slope, slope = next_slope;
        }
        b->out.log_p[i] = log(p / area);
        b->out.dt_log_p[i] = dt / p;
        for (size_t a = 0; a < D; a++)
            b->out.score[i * D + a] = dp / p * (x[a] - c * y[a]);
    }
}

static double kernel_speed(const batch *b, bool hessian)
{
    mst_heat_values out = b->out;
    if (!hessian)
        out.hessian = NULL;
    double seconds;
    BENCH_BEST(seconds, BENCH_OK(mst_heat_kernel_times(b->m, N, b->x, b->y, b->t, 1, &out)));
    return N / seconds / 1e6;
}

typedef struct spot {
    const char *spec;
    double r, t, target;
    size_t series; /* dimension of the sphere, to time the plain series; 0: do not */
} spot;

int main(void)
{
    const spot spots[] = {
        {"sphere:2", 3.0, 0.02, 2.5, 2},
        {"sphere:10", 3.1, 0.05, 2.5, 10},
        {"sphere:2", 0.5, 0.5, 2.5, 2},
        {"sphere:10", 0.5, 0.05, 2.5, 0},
        {"sphere:2", 2.0, 1.0, 8, 2},
        {"sphere:10", 2.0, 0.5, 8, 10},
        {"sphere:50", 1.0, 0.05, 0, 0},
        {"circle", 2.0, 0.3, 0, 0},
        {"torus:2", 2.0, 0.3, 0, 0},
        {"hyperbolic:2", 1.0, 0.3, 0, 0},
        {"hyperbolic:2", 1.0, 3.0, 0, 0},
        {"hyperbolic:3", 1.0, 0.3, 0, 0},
        {"so3", 2.0, 0.3, 0, 0},
        {"spd:2", 1.0, 0.3, 0, 0},
        {"euclidean:3", 1.0, 0.3, 0, 0},
        {"spd:3?metric=log-euclidean", 1.0, 0.3, 0, 0},
        {"product(sphere:2,euclidean:1)", 1.0, 0.3, 0, 0},
    };
    bench_section("log p, score and dt of pairs of points, a time per row, one core");
    for (size_t k = 0; k < sizeof spots / sizeof *spots; k++) {
        const spot *s = &spots[k];
        batch b = new_batch(s->spec, s->r, s->t);
        char what[100];
        snprintf(what, sizeof what, "%s, r = %g, t = %g", s->spec, s->r, s->t);
        double speed = kernel_speed(&b, false);
        bench_line(what, speed, s->target);
        bench_line("  with the Hessian", kernel_speed(&b, true), 0);
        if (s->series > 0) {
            double seconds;
            BENCH_BEST(seconds, plain_series(&b, s->series));
            double series = PLAIN / seconds / 1e6;
            snprintf(what, sizeof what, "  plain series, %d terms", TERMS);
            bench_line(what, series, 0);
        }
        free_batch(&b);
    }
    return 0;
}
