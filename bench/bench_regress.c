/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Time of one geodesic regression, data in memory, one core, errors and tests included. With the argument
 * --write FOLDER the rows of the sphere go there as CSV, for bench/regress_peers.py. */
#include "bench.h"

#include <manistat.h>
#include <math.h>
#include <string.h>

enum { N = 1000 };

/* Processor time: the machine may have other work. */
static double bench_cpu(void)
{
    return (double)clock() / CLOCKS_PER_SEC;
}

typedef struct rows {
    mst_manifold *m;
    mst_score *source;
    size_t k;
    double *x, *y;
} rows;

/* N rows about Exp at the default start of Σ x_j v_j, with this noise. */
static rows simulate(const char *spec, const char *score, size_t k, double noise)
{
    rows r = {.k = k};
    BENCH_OK(mst_manifold_parse(&r.m, spec));
    BENCH_OK(mst_score_open(&r.source, score, r.m));
    size_t d = mst_manifold_dim(r.m), D = mst_manifold_ambient(r.m);
    r.x = malloc(N * k * sizeof *r.x);
    r.y = malloc(N * D * sizeof *r.y);
    double *start = malloc(3 * D * sizeof *start);
    if (r.x == NULL || r.y == NULL || start == NULL)
        exit(3);
    double *u = start + D, *v = u + D, frame[64];
    mst_manifold_start(r.m, start);
    for (size_t i = 0; i < N; i++) {
        memset(u, 0, D * sizeof *u);
        for (size_t j = 0; j < k; j++) {
            double x = r.x[i * k + j] =
                j == 0 ? 2 * (double)i / (N - 1) - 1 : sin(17.0 * (double)(i * j + j));
            for (size_t a = 0; a < d; a++)
                frame[a] = 0.5 / sqrt((double)(d * k)) * cos((double)(a + 2 * j + 1));
            BENCH_OK(mst_manifold_from_frame(r.m, 1, start, frame, v));
            for (size_t a = 0; a < D; a++)
                u[a] += x * v[a];
        }
        BENCH_OK(mst_manifold_exp(r.m, 1, start, u, r.y + i * D));
    }
    mst_brownian_options o = mst_brownian_options_default();
    o.steps = 20;
    BENCH_OK(mst_brownian_endpoints(r.m, N, r.y, noise, &o, r.y));
    free(start);
    return r;
}

static void rows_free(rows *r)
{
    free(r->x);
    free(r->y);
    mst_score_free(r->source);
    mst_manifold_free(r->m);
}

static void time_fit(const char *what, const rows *r, double target)
{
    mst_regress_options o = mst_regress_options_default();
    o.threads = 1;
    double best = INFINITY, square = 0;
    for (size_t k = 0; k < 5; k++) {
        mst_regress_result *result;
        double begin = bench_cpu();
        BENCH_OK(mst_regress_fit(&result, r->source, N, r->y, r->k, r->x, &o));
        best = fmin(best, bench_cpu() - begin);
        square = result->r_squared;
        mst_regress_result_free(result);
    }
    bench_record(what, 1e3 * best, "ms", 1e3 * target);
    printf("%-46s %10.3f ms   target %6.1f   %5.2f x   R^2 %.4f\n", what, 1e3 * best, 1e3 * target,
           target / best, square);
}

static void write_rows(const char *folder, const rows *r)
{
    char path[4096];
    size_t D = mst_manifold_ambient(r->m);
    snprintf(path, sizeof path, "%s/x.csv", folder);
    FILE *x = fopen(path, "w");
    snprintf(path, sizeof path, "%s/y.csv", folder);
    FILE *y = fopen(path, "w");
    if (x == NULL || y == NULL)
        exit(3);
    fprintf(x, "x\n");
    for (size_t i = 0; i < N; i++) {
        fprintf(x, "%.17g\n", r->x[i]);
        for (size_t a = 0; a < D; a++)
            fprintf(y, "%.17g%s", r->y[i * D + a], a + 1 < D ? "," : "\n");
    }
    fclose(x);
    fclose(y);
}

int main(int argc, char **argv)
{
    rows sphere = simulate("sphere:2", "exact", 1, 0.05);
    rows distances = simulate("sphere:2", "log", 1, 0.05);
    rows matrices = simulate("spd:3", "log", 5, 0.05);
    if (argc == 3 && strcmp(argv[1], "--write") == 0)
        write_rows(argv[2], &sphere);
    time_fit("regression, sphere:2, 1000 points, 1 column", &sphere, 0.020);
    time_fit("the same by least squares", &distances, 0.020);
    time_fit("regression, spd:3, 1000 points, 5 columns", &matrices, 0.200);
    rows_free(&sphere);
    rows_free(&distances);
    rows_free(&matrices);
    return 0;
}
