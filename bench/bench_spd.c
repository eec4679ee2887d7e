/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Rates of the positive definite matrices on one core, in matrices (walk: steps of one path) per second.
 * MANISTAT_ISA chooses the instruction set. */
#include "base/isa.h"
#include "bench.h"
#include "manifold/spd_kernels.h"

#include <manistat.h>

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

int main(void)
{
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
    return 0;
}
