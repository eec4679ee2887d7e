/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Time of one fit of a mean or of clusters, data in memory, one start, one core, error bars included:
 * bench_mean [FOLDER]. The published data sets are taken from FOLDER (default: the environment variable
 * MANISTAT_SHARED, or ../shared) if they are there, else simulated ones of the same law. */
#include "bench.h"

#include <manistat.h>
#include <math.h>
#include <string.h>

typedef struct rows {
    mst_manifold *m;
    double *x;
    size_t n;
    const char *from;
} rows;

/* Brownian end points from the default start, thrown away by rows_free like those of a file. */
static void simulate(rows *r, size_t n, double time, size_t steps)
{
    size_t D = mst_manifold_ambient(r->m);
    double *x = malloc(n * D * sizeof *x);
    if (x == NULL)
        exit(3);
    for (size_t i = 0; i < n; i++)
        mst_manifold_start(r->m, x + i * D);
    mst_brownian_options o = mst_brownian_options_default();
    o.steps = steps;
    BENCH_OK(mst_brownian_endpoints(r->m, n, x, time, &o, x));
    r->x = x;
    r->n = n;
    r->from = "simulated";
}

static rows load(const char *folder, const char *file, const char *spec, size_t n, double time)
{
    rows r = {.from = file};
    char path[4096];
    BENCH_OK(mst_manifold_parse(&r.m, spec));
    snprintf(path, sizeof path, "%s/data/%s", folder, file);
    mst_points_options o = mst_points_options_default();
    double *read;
    if (mst_points_read(&read, &r.n, r.m, path, &o) != MST_OK) {
        simulate(&r, n, time, 50);
        return r;
    }
    size_t size = r.n * mst_manifold_ambient(r.m) * sizeof *read;
    r.x = malloc(size);
    if (r.x == NULL)
        exit(3);
    memcpy(r.x, read, size);
    mst_points_free(read);
    return r;
}

static void rows_free(rows *r)
{
    free(r->x);
    mst_manifold_free(r->m);
}

static mst_mean_result *fit(const mst_score *source, const rows *r)
{
    mst_mean_options o = mst_mean_options_default();
    mst_mean_result *result;
    o.starts = 1;
    o.threads = 1;
    BENCH_OK(mst_mean_fit(&result, source, r->n, r->x, &o));
    return result;
}

/* Milliseconds against the target, 0: none. */
static void time_line(const char *what, double seconds, double target, const mst_mean_result *r)
{
    bench_record(what, 1e3 * seconds, "ms", 1e3 * target);
    printf("%-46s %10.3f ms", what, 1e3 * seconds);
    if (target > 0)
        printf("   target %6.1f   %5.2f x", 1e3 * target, target / seconds);
    printf("   %zu iterations, gradient %.1e\n", r->iterations, r->gradient_norm);
    fflush(stdout);
}

static void measure(rows r, bool frechet, double target)
{
    mst_score *source;
    mst_mean_result *result = NULL;
    double seconds;
    char title[200];
    if (frechet)
        BENCH_OK(mst_score_log_new(&source, r.m));
    else
        BENCH_OK(mst_score_exact_new(&source, r.m));
    BENCH_BEST(seconds, {
        mst_mean_result_free(result);
        result = fit(source, &r);
    });
    snprintf(title, sizeof title, "%s, %zu x %s, %s", frechet ? "Fréchet" : "diffusion", r.n,
             mst_manifold_spec(r.m),
             strrchr(r.from, '/') != NULL ? strrchr(r.from, '/') + 1 : r.from);
    time_line(title, seconds, target, result);
    mst_mean_result_free(result);
    mst_score_free(source);
    rows_free(&r);
}

static void measure_kmeans(rows r, double target)
{
    mst_kmeans_options o = mst_kmeans_options_default();
    o.k = 3;
    o.restarts = 20;
    o.threads = 1;
    mst_kmeans_result *result = NULL;
    double seconds;
    BENCH_BEST(seconds, {
        mst_kmeans_result_free(result);
        BENCH_OK(mst_kmeans_fit(&result, r.m, r.n, r.x, &o));
    });
    char title[100];
    snprintf(title, sizeof title, "k-means, k = 3, 20 restarts, %zu x %s", r.n,
             mst_manifold_spec(r.m));
    bench_record(title, 1e3 * seconds, "ms", 1e3 * target);
    printf("%-46s %10.3f ms   target %6.1f   %5.2f x   inertia %.4f\n", title, 1e3 * seconds,
           1e3 * target, target / seconds, result->inertia);
    fflush(stdout);
    mst_kmeans_result_free(result);
    rows_free(&r);
}

/* One restart on a million rows of five clusters. */
static void measure_many_rows(double target)
{
    static const double starts[5][3] = {
        {0, 0, 1}, {1, 0, 0}, {0, 1, 0}, {-0.6, 0, -0.8}, {0, -0.8, 0.6}};
    enum { N = 1000000 };
    rows r = {.n = N, .x = malloc(N * 3 * sizeof(double))};
    BENCH_OK(mst_manifold_parse(&r.m, "sphere:2"));
    if (r.x == NULL)
        exit(3);
    for (size_t i = 0; i < N; i++)
        memcpy(r.x + 3 * i, starts[i % 5], sizeof *starts);
    mst_brownian_options brownian = mst_brownian_options_default();
    brownian.steps = 5;
    BENCH_OK(mst_brownian_endpoints(r.m, N, r.x, 0.12, &brownian, r.x));
    mst_kmeans_options o = mst_kmeans_options_default();
    o.k = 5;
    o.restarts = 1;
    o.threads = 1;
    mst_kmeans_result *result;
    double begin = bench_now();
    BENCH_OK(mst_kmeans_fit(&result, r.m, N, r.x, &o));
    double seconds = bench_now() - begin;
    const char *title = "k-means, k = 5, 1 restart, 1000000 x sphere:2";
    bench_record(title, 1e3 * seconds, "ms", 1e3 * target);
    printf("%-46s %10.3f ms   target %6.1f   %5.2f x   %zu iterations\n", title, 1e3 * seconds,
           1e3 * target, target / seconds, result->iterations);
    fflush(stdout);
    mst_kmeans_result_free(result);
    rows_free(&r);
}

/* Halves of the rows against each other, with 999 permutations. */
static void measure_test(rows r, double target)
{
    mst_score *source;
    mst_test_options o = mst_test_options_default();
    mst_test_result *result = NULL;
    size_t *group = malloc(r.n * sizeof *group);
    double seconds;
    if (group == NULL)
        exit(3);
    for (size_t i = 0; i < r.n; i++)
        group[i] = 2 * i / r.n;
    o.method = MST_TEST_PERMUTATION;
    o.threads = 1;
    BENCH_OK(mst_score_exact_new(&source, r.m));
    BENCH_BEST(seconds, {
        mst_test_result_free(result);
        BENCH_OK(mst_sample_test(&result, source, r.n, r.x, 2, group, &o));
    });
    char title[100];
    snprintf(title, sizeof title, "test, 999 permutations, %zu x %s", r.n, mst_manifold_spec(r.m));
    bench_record(title, 1e3 * seconds, "ms", 1e3 * target);
    printf("%-46s %10.3f ms   target %6.1f   %5.2f x\n", title, 1e3 * seconds, 1e3 * target,
           target / seconds);
    fflush(stdout);
    free(group);
    mst_test_result_free(result);
    mst_score_free(source);
    rows_free(&r);
}

/* The cost per point should not depend on how many there are. */
static void measure_growth(void)
{
    rows r = {0};
    mst_score *source;
    BENCH_OK(mst_manifold_parse(&r.m, "sphere:2"));
    BENCH_OK(mst_score_exact_new(&source, r.m));
    simulate(&r, 10000000, 0.5, 5);
    for (size_t n = 10000; n <= 10000000; n *= 10) {
        r.n = n;
        double begin = bench_now();
        mst_mean_result *result = fit(source, &r);
        double seconds = bench_now() - begin;
        double each = 1e9 * seconds / (double)(n * (result->iterations + 1));
        char title[100];
        snprintf(title, sizeof title, "diffusion, sphere:2, %zu points, per point and iteration",
                 n);
        bench_record(title, each, "ns", 0);
        printf("%-58s %8.1f ns  %10.3f s, %zu iterations\n", title, each, seconds,
               result->iterations);
        fflush(stdout);
        mst_mean_result_free(result);
    }
    mst_score_free(source);
    rows_free(&r);
}

int main(int argc, char **argv)
{
    const char *shared = getenv("MANISTAT_SHARED");
    const char *folder = argc > 1 ? argv[1] : shared != NULL ? shared : "../shared";
    measure(load(folder, "synthetic/S2.csv", "sphere:2", 1000, 0.5), false, 5e-3);
    measure(load(folder, "synthetic/S10.csv", "sphere:10", 1000, 0.5), false, 10e-3);
    measure(load(folder, "synthetic/S2.csv", "sphere:2", 1000, 0.5), true, 0);
    measure(load(folder, "headpose/biwi_quat_s3.csv", "so3", 2472, 0.15), false, 0);
    measure(load(folder, "dti/coronal50x20_tensors.csv", "spd:3", 1000, 0.1), true, 10e-3);
    measure(load(folder, "spd/eeg_erp_cov32_triu.csv", "spd:32", 108, 0.05), true, 0.5);
    const char *flat = "spd:32?metric=log-euclidean";
    measure(load(folder, "spd/eeg_erp_cov32_triu.csv", flat, 108, 0.05), false, 0.1);
    measure(load(folder, "spd/eeg_erp_cov32_triu.csv", flat, 108, 0.05), true, 0.1);
    measure_kmeans(load(folder, "headpose/aflw2000_quat_s3.csv", "sphere:3", 1256, 0.04), 0.2);
    measure_test(load(folder, "spd/eeg_erp_cov32_triu.csv", flat, 108, 0.05), 1);
    measure_many_rows(5);
    measure_growth();
    return 0;
}
