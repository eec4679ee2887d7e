/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Whole jobs on positive definite matrices: Fréchet means and distance matrices of data sets in memory.
 *
 *     bench_spd_jobs                    prints the time of the small ones, best of several, two threads
 *     bench_spd_jobs --write FOLDER     writes all data sets as NAME.npy, rows of whole matrices
 *     bench_spd_jobs --serve FOLDER N   does jobs on N threads for spd_peers.py, which has them run in turn:
 *                                       reads lines "mean NAME TOLERANCE", "once NAME TOLERANCE" or "dist
 *                                       NAME", prints a line of JSON and writes the answer for each
 *
 * "once" is a mean from one start, without the search for others; error bars are part of both. Measured data
 * come from the folder of the environment variable MANISTAT_SHARED, or ../shared, if they are there. */
#include "bench.h"
#include "wishart.h"

#include <manistat.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

typedef struct data_set {
    const char *name;
    const char *file; /* null: simulated, see wishart.h */
    size_t order, n;
    bool large; /* not in the short list */
} data_set;

static const data_set sets[] = {
    {"eeg", "spd/eeg_erp_cov32_triu.csv", 32, 108, false},
    {"connectomes", "spd/connectomes_corr28_triu.csv", 28, 43, false},
    {"dti", "dti/coronal50x20_tensors.csv", 3, 1000, false},
    {"wishart8", NULL, 8, 1000, false},
    {"wishart16", NULL, 16, 1000, true},
    {"wishart64", NULL, 64, 1000, true},
    {"wishart22", NULL, 22, 500, true},
};
enum { SETS = sizeof sets / sizeof *sets };

typedef struct rows {
    mst_manifold *m;
    size_t n;
    const double *x; /* one of the two; null: the data are not there */
    double *read, *made;
} rows;

static rows load(const data_set *set)
{
    const char *shared = getenv("MANISTAT_SHARED");
    rows r = {0};
    char path[4096];
    BENCH_OK(mst_spd_new(&r.m, set->order));
    if (set->file == NULL) {
        r.n = set->n;
        r.x = r.made = wishart_new(r.n, set->order, 0);
        return r;
    }
    snprintf(path, sizeof path, "%s/data/%s", shared != NULL ? shared : "../shared", set->file);
    mst_points_options o = mst_points_options_default();
    if (mst_points_read(&r.read, &r.n, r.m, path, &o) == MST_OK)
        r.x = r.read;
    return r;
}

static void rows_free(rows *r)
{
    free(r->made);
    mst_points_free(r->read);
    mst_manifold_free(r->m);
}

static void write_matrix(const char *folder, const char *prefix, const char *name, size_t n,
                         size_t cols, const double *x)
{
    char path[4096];
    mst_writer *w;
    snprintf(path, sizeof path, "%s/%s%s.npy", folder, prefix, name);
    BENCH_OK(mst_writer_open(&w, path, cols, NULL, true));
    BENCH_OK(mst_writer_rows(w, n, x));
    BENCH_OK(mst_writer_commit(w));
    mst_writer_free(w);
}

static double processor_time(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* What a job took, and its answer (count, cols). */
typedef struct outcome {
    double seconds, processor, variance, gradient, standard_error;
    size_t iterations, count, cols;
    double *answer;
} outcome;

static outcome run_mean(const rows *r, bool once, double tolerance, int threads)
{
    mst_score *source;
    mst_mean_result *result;
    mst_mean_options o = mst_mean_options_default();
    o.threads = threads;
    o.starts = once ? 1 : o.starts;
    o.tolerance = tolerance;
    BENCH_OK(mst_score_log_new(&source, r->m));
    outcome out = {.count = 1, .cols = mst_manifold_ambient(r->m)};
    double begin = bench_now(), processor = processor_time();
    BENCH_OK(mst_mean_fit(&result, source, r->n, r->x, &o));
    out.seconds = bench_now() - begin;
    out.processor = processor_time() - processor;
    out.variance = result->variance;
    out.gradient = result->gradient_norm;
    out.iterations = result->iterations;
    out.standard_error = result->standard_error;
    out.answer = malloc(out.cols * sizeof *out.answer);
    if (out.answer == NULL)
        exit(3);
    memcpy(out.answer, result->mean, out.cols * sizeof *out.answer);
    mst_mean_result_free(result);
    mst_score_free(source);
    return out;
}

static outcome run_distances(const rows *r, int threads)
{
    mst_distances_options o = mst_distances_options_default();
    o.threads = threads;
    outcome out = {
        .count = r->n, .cols = r->n, .variance = NAN, .gradient = NAN, .standard_error = NAN};
    out.answer = malloc(r->n * r->n * sizeof *out.answer);
    if (out.answer == NULL)
        exit(3);
    double begin = bench_now(), processor = processor_time();
    BENCH_OK(mst_distance_matrix(r->m, r->n, r->x, &o, out.answer, NULL));
    out.seconds = bench_now() - begin;
    out.processor = processor_time() - processor;
    return out;
}

/* JSON has no word for numbers that are none. */
static void print_number(const char *key, double x)
{
    if (isfinite(x))
        printf(",\"%s\":%.17g", key, x);
    else
        printf(",\"%s\":null", key);
}

static void serve(const char *folder, int threads)
{
    rows loaded[SETS] = {0};
    char line[200], what[20], name[100];
    while (fgets(line, sizeof line, stdin) != NULL) {
        size_t k = 0;
        double tolerance = 1e-10;
        if (sscanf(line, "%19s %99s %lf", what, name, &tolerance) < 2)
            exit(2);
        while (k < SETS && strcmp(sets[k].name, name) != 0)
            k++;
        if (k == SETS)
            exit(2);
        if (loaded[k].m == NULL)
            loaded[k] = load(&sets[k]);
        if (loaded[k].x == NULL)
            exit(2);
        outcome out = strcmp(what, "dist") == 0
                          ? run_distances(&loaded[k], threads)
                          : run_mean(&loaded[k], strcmp(what, "once") == 0, tolerance, threads);
        write_matrix(folder, strcmp(what, "once") == 0 ? "once_" : "manistat_", name, out.count,
                     out.cols, out.answer);
        printf("{\"iterations\":%zu", out.iterations);
        print_number("seconds", out.seconds);
        print_number("processor", out.processor);
        print_number("variance", out.variance);
        print_number("gradient", out.gradient);
        print_number("standard_error", out.standard_error);
        puts("}");
        fflush(stdout);
        free(out.answer);
    }
    for (size_t k = 0; k < SETS; k++)
        if (loaded[k].m != NULL)
            rows_free(&loaded[k]);
}

static void write_all(const char *folder)
{
    for (size_t k = 0; k < SETS; k++) {
        rows r = load(&sets[k]);
        if (r.x != NULL)
            write_matrix(folder, "", sets[k].name, r.n, mst_manifold_ambient(r.m), r.x);
        rows_free(&r);
    }
}

static void time_line(const char *what, const rows *r, double seconds)
{
    char title[200];
    snprintf(title, sizeof title, "%s, %zu x %s", what, r->n, mst_manifold_spec(r->m));
    bench_record(title, 1e3 * seconds, "ms", 0);
    printf("%-52s %10.3f ms\n", title, 1e3 * seconds);
    fflush(stdout);
}

static void measure_small(void)
{
    double seconds;
    outcome out;
    for (size_t k = 0; k < SETS; k++) {
        if (sets[k].large)
            continue;
        rows r = load(&sets[k]);
        if (r.x != NULL) {
            BENCH_BEST(seconds, out = run_mean(&r, false, 1e-10, 2); free(out.answer));
            time_line("mean", &r, seconds);
            BENCH_BEST(seconds, out = run_mean(&r, true, 1e-10, 2); free(out.answer));
            time_line("mean, one start", &r, seconds);
            BENCH_BEST(seconds, out = run_distances(&r, 2); free(out.answer));
            time_line("distance matrix", &r, seconds);
        }
        rows_free(&r);
    }
}

int main(int argc, char **argv)
{
    if (argc == 3 && strcmp(argv[1], "--write") == 0)
        write_all(argv[2]);
    else if (argc == 4 && strcmp(argv[1], "--serve") == 0)
        serve(argv[2], atoi(argv[3]));
    else
        measure_small();
    return 0;
}
