/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* The heat equation on a torus of revolution: solutions of 500 sources for times from ¼ to ½, and the rows
 * that are read from them afterwards. Data are Brownian end points at t = 0.3. */
#include "bench.h"

#include <manistat.h>

enum { SOURCES = 500 };

int main(void)
{
    mst_manifold *m;
    mst_score *s;
    static double start[2 * SOURCES], x[2 * SOURCES], log_p[SOURCES], dt[SOURCES],
        score[2 * SOURCES];
    const double y[2] = {0.7, 1.0}, t = 0.3;
    BENCH_OK(mst_manifold_parse(&m, MST_EXAMPLES "/manifolds/torus.manifold"));
    mst_brownian_options o = mst_brownian_options_default();
    for (size_t i = 0; i < SOURCES; i++) {
        start[2 * i] = 0.7;
        start[2 * i + 1] = 1.1;
    }
    BENCH_OK(mst_brownian_endpoints(m, SOURCES, start, 0.3, &o, x));
    BENCH_OK(mst_score_open(&s, "pde", m));
    const mst_pairs pairs = {.n = SOURCES, .x = x, .y = y, .t = &t};
    const mst_heat_values out = {.log_p = log_p, .dt_log_p = dt, .score = score};
    bench_section("heat equation on a torus, 500 sources, all threads");
    double begin = bench_now();
    BENCH_OK(mst_score_evaluate(s, &pairs, &out));
    double once = bench_now() - begin, again;
    BENCH_BEST(again, BENCH_OK(mst_score_evaluate(s, &pairs, &out)));
    printf("  grids and solutions %.2f s, then %.2f us a row on one thread\n", once,
           1e6 * again / SOURCES);
    bench_record("grids and solutions", once, "s", 20);
    bench_record("a row afterwards", 1e6 * again / SOURCES, "us", 4);
    mst_score_free(s);
    mst_manifold_free(m);
    return 0;
}
