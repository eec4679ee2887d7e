/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Brownian steps and log + exp pairs per second; threads against one; instruction sets against each other. */
#include "base/isa.h"
#include "bench.h"

#include <manistat.h>

/* Millions of path-steps per second. */
static double walk_rate(const char *spec, mst_brownian_method method, int threads, size_t n)
{
    mst_manifold *m;
    BENCH_OK(mst_manifold_parse(&m, spec));
    size_t D = mst_manifold_ambient(m);
    double *start = malloc(n * D * sizeof *start), *end = malloc(n * D * sizeof *end), best;
    for (size_t i = 0; i < n; i++)
        mst_manifold_start(m, start + i * D);
    mst_brownian_options options = mst_brownian_options_default();
    options.method = method;
    options.threads = threads;
    BENCH_BEST(best, BENCH_OK(mst_brownian_endpoints(m, n, start, 0.5, &options, end)));
    free(start);
    free(end);
    mst_manifold_free(m);
    return 1e-6 * (double)(n * options.steps) / best;
}

/* Millions of pairs per second, log and exp both. */
static double pair_rate(const char *spec, size_t n)
{
    mst_manifold *m;
    BENCH_OK(mst_manifold_parse(&m, spec));
    size_t D = mst_manifold_ambient(m);
    double *x = malloc(3 * n * D * sizeof *x), *y = x + n * D, *v = y + n * D, best;
    BENCH_OK(mst_manifold_random_point(m, (mst_random){1, 0}, 0, n, x));
    BENCH_OK(mst_manifold_random_point(m, (mst_random){1, 1}, 0, n, y));
    BENCH_BEST(best, {
        BENCH_OK(mst_manifold_log(m, n, x, y, v, NULL));
        BENCH_OK(mst_manifold_exp(m, n, x, v, v));
    });
    free(x);
    mst_manifold_free(m);
    return 1e-6 * (double)n / best;
}

int main(void)
{
    bench_section("Brownian motion, million path-steps per second, one core unless said");
    double one = walk_rate("sphere:2", MST_BROWNIAN_TANGENT, 1, 65536);
    bench_line("tangent walk, sphere:2", one, 30);
    double two = walk_rate("sphere:2", MST_BROWNIAN_TANGENT, 2, 65536);
    bench_line("tangent walk, sphere:2, two threads", two, 1.8 * one);
    bench_line("tangent walk, sphere:10", walk_rate("sphere:10", MST_BROWNIAN_TANGENT, 1, 16384),
               0);
    double spd = walk_rate("spd:3", MST_BROWNIAN_TANGENT, 1, 8192);
    bench_line("tangent walk, spd:3", spd, 2);
    bench_line("tangent walk, spd:3, two threads",
               walk_rate("spd:3", MST_BROWNIAN_TANGENT, 2, 8192), 1.8 * spd);
    bench_line("tangent walk, hyperbolic:2",
               walk_rate("hyperbolic:2", MST_BROWNIAN_TANGENT, 1, 8192), 0);
    bench_line("tangent walk, so3", walk_rate("so3", MST_BROWNIAN_TANGENT, 1, 8192), 0);
    double chart = walk_rate("sphere:2", MST_BROWNIAN_CHART, 1, 16384);
    bench_line("chart walk, sphere:2", chart, 5);
    bench_line("chart walk, sphere:2, two threads",
               walk_rate("sphere:2", MST_BROWNIAN_CHART, 2, 16384), 1.8 * chart);

    bench_section("log and exp, million pairs per second, one core");
    bench_line("sphere:2", pair_rate("sphere:2", 65536), 20);
    bench_line("sphere:10", pair_rate("sphere:10", 16384), 0);
    bench_line("spd:3", pair_rate("spd:3", 8192), 1);
    bench_line("hyperbolic:2", pair_rate("hyperbolic:2", 16384), 0);
    bench_line("so3", pair_rate("so3", 16384), 0);

    bench_section("instruction sets, tangent walk on sphere:2 and log + exp on sphere:2");
    for (int i = 0; i < 3; i++) {
        const char *isa[] = {"generic", "v3", "v4"};
        mst_isa_choose(isa[i]);
        char what[64];
        snprintf(what, sizeof what, "%s: walk", isa[i]);
        bench_line(what, walk_rate("sphere:2", MST_BROWNIAN_TANGENT, 1, 16384), 0);
        snprintf(what, sizeof what, "%s: log + exp", isa[i]);
        bench_line(what, pair_rate("sphere:2", 16384), 0);
    }
    return 0;
}
