/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Rates of the positive definite matrices on one core, in matrices (walk: steps of one path) per second; and
 * of orders above 4 the microseconds that a matrix takes by the plain way through LAPACK and by the one that
 * mst_spd_new takes. bench_spd orders: those alone. MANISTAT_ISA chooses the instruction set. */
#include "base/isa.h"
#include "base/linalg.h"
#include "bench.h"
#include "manifold/spd_kernels.h"
#include "wishart.h"

#include <manistat.h>
#include <string.h>

enum { STEPS = 10 };

/* The targets are in millions per second, 0 if there is none. */
static void measure(mst_manifold *m, const char *kind, size_t n, double pair_target,
                    double walk_target)
{
    size_t size = n * mst_manifold_ambient(m) * sizeof(double);
    double *x = malloc(size), *y = malloc(size), *v = malloc(size), *r = malloc(size);
    if (x == NULL || y == NULL || v == NULL || r == NULL)
        exit(3);
    BENCH_OK(mst_manifold_random_point(m, (mst_random){.seed = 1, .stream = 1}, 0, n, x));
    BENCH_OK(mst_manifold_random_point(m, (mst_random){.seed = 1, .stream = 2}, 0, n, y));
    double log_time, exp_time, dist_time, transport_time, walk_time;
    BENCH_BEST(log_time, BENCH_OK(mst_manifold_log(m, n, x, y, v, NULL)));
    BENCH_BEST(exp_time, BENCH_OK(mst_manifold_exp(m, n, x, v, r)));
    BENCH_BEST(dist_time, BENCH_OK(mst_manifold_dist(m, n, x, y, r)));
    BENCH_BEST(transport_time, BENCH_OK(mst_manifold_transport(m, n, x, v, v, r)));
    BENCH_BEST(walk_time, {
        for (size_t i = 0; i < n; i++)
            mst_manifold_start(m, y + i * mst_manifold_ambient(m));
        BENCH_OK(mst_manifold_walk(m, n, y, 0.01, STEPS, (mst_noise){.seed = 1}));
    });
    const struct {
        const char *what;
        double seconds, items, target;
    } lines[] = {{"log", log_time, 1, 0},
                 {"exp", exp_time, 1, 0},
                 {"log + exp", log_time + exp_time, 1, pair_target},
                 {"dist", dist_time, 1, 0},
                 {"transport", transport_time, 1, 0},
                 {"walk", walk_time, STEPS, walk_target}};
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        char title[100];
        snprintf(title, sizeof title, "%s%s, %s", mst_manifold_spec(m), kind, lines[i].what);
        double items = (double)n * lines[i].items, millions = 1e-6 * items / lines[i].seconds;
        if (millions < 0.1) {
            bench_record(title, 1 / millions, "us", 0);
            printf("%-52s %9.1f us each\n", title, 1 / millions);
        } else {
            bench_line(title, millions, lines[i].target);
        }
    }
    free(x), free(y), free(v), free(r);
    mst_manifold_free(m);
}

/* Two ways to do the same. */
static const struct way {
    const char *name;
    mst_status (*make)(mst_manifold **out, size_t n);
    mst_status (*eigen)(size_t count, size_t n, const double *a, double *values, double *vectors,
                        size_t *bad); /* null: the way has none of its own */
} ways[] = {{"plain", mst_spd_plain_new, mst_eigen_symmetric}, {"spd", mst_spd_new, NULL}};
enum { WAYS = sizeof ways / sizeof *ways };

enum { EIGEN, LOG, EXP, DIST, TASKS };

/* Seconds of one call of each task on `count` pairs of simulated covariances; 0: there is none. */
static void time_tasks(const struct way *way, size_t order, size_t count, double seconds[TASKS])
{
    mst_manifold *m;
    size_t size = count * order * order * sizeof(double);
    double *x = wishart_new(count, order, 0), *y = wishart_new(count, order, count);
    double *v = malloc(size), *out = malloc(size), *r = malloc(count * order * sizeof *r);
    if (v == NULL || out == NULL || r == NULL)
        exit(3);
    BENCH_OK(way->make(&m, order));
    seconds[EIGEN] = 0;
    if (way->eigen != NULL)
        BENCH_BEST(seconds[EIGEN], BENCH_OK(way->eigen(count, order, x, r, out, NULL)));
    BENCH_BEST(seconds[LOG], BENCH_OK(mst_manifold_log(m, count, x, y, v, NULL)));
    BENCH_BEST(seconds[EXP], BENCH_OK(mst_manifold_exp(m, count, x, v, out)));
    BENCH_BEST(seconds[DIST], BENCH_OK(mst_manifold_dist(m, count, x, y, r)));
    mst_manifold_free(m);
    free(x), free(y), free(v), free(out), free(r);
}

static void measure_orders(void)
{
    static const char *const tasks[] = {"eigen", "log", "exp", "dist"};
    static const size_t orders[] = {5, 8, 16, 32, 64, 128};
    bench_section("microseconds a matrix, Wishart matrices of 3n degrees of freedom");
    printf("%-52s", "");
    for (size_t w = 0; w < WAYS; w++)
        printf(" %9s", ways[w].name);
    puts("     ratio");
    for (size_t i = 0; i < sizeof orders / sizeof *orders; i++) {
        size_t count = orders[i] <= 32 ? 64 : 16;
        double seconds[WAYS][TASKS];
        for (size_t w = 0; w < WAYS; w++)
            time_tasks(&ways[w], orders[i], count, seconds[w]);
        for (size_t t = 0; t < TASKS; t++) {
            printf("order %3zu, %-41s", orders[i], tasks[t]);
            for (size_t w = 0; w < WAYS; w++) {
                char title[100];
                double each = 1e6 * seconds[w][t] / (double)count;
                snprintf(title, sizeof title, "order %zu, %s, %s", orders[i], tasks[t],
                         ways[w].name);
                if (each > 0)
                    bench_record(title, each, "us", 0);
                if (each > 0)
                    printf(" %9.2f", each);
                else
                    printf(" %9s", "-");
            }
            if (seconds[1][t] > 0)
                printf(" %9.2f", seconds[0][t] / seconds[1][t]);
            puts("");
        }
        fflush(stdout);
    }
}

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "orders") == 0) {
        measure_orders();
        return 0;
    }
    printf("instruction set %s\n", mst_isa_name(mst_isa()));
    static const size_t orders[] = {1, 2, 3, 4, 8, 32};
    mst_manifold *m;
    for (size_t i = 0; i < sizeof orders / sizeof *orders; i++) {
        BENCH_OK(mst_spd_new(&m, orders[i]));
        measure(m, "", orders[i] <= 4 ? 4096 : 8, orders[i] == 3 ? 1 : 0, orders[i] == 3 ? 2 : 0);
    }
    BENCH_OK(mst_spd_plain_new(&m, 3));
    measure(m, " through LAPACK", 1024, 0, 0);
    BENCH_OK(mst_spd_log_euclidean_new(&m, 3));
    measure(m, "", 4096, 0, 0);
    BENCH_OK(mst_spd_log_euclidean_new(&m, 32));
    measure(m, "", 8, 0, 0);
    measure_orders();
    return 0;
}
