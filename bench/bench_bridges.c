/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Steps of led paths a second of CPU time of one core: with score and time derivative, and of log p alone. */
#include "bench.h"

#include <manistat/bridge.h>
#include <manistat/brownian.h>

enum { PAIRS = 40, PATHS = 256 };

static double cpu_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

typedef struct pairs_of {
    mst_manifold *m;
    double *x, *y, *values;
    double t[PAIRS];
} pairs_of;

static pairs_of make_pairs(const char *spec)
{
    pairs_of p;
    BENCH_OK(mst_manifold_parse(&p.m, spec));
    size_t D = mst_manifold_ambient(p.m);
    p.x = malloc(3 * PAIRS * D * sizeof *p.x);
    if (p.x == NULL)
        exit(3);
    p.y = p.x + PAIRS * D;
    p.values = p.y + PAIRS * D;
    mst_brownian_options o = mst_brownian_options_default();
    for (size_t i = 0; i < PAIRS; i++) {
        mst_manifold_start(p.m, p.y + i * D);
        p.t[i] = 0.3;
    }
    BENCH_OK(mst_brownian_endpoints(p.m, PAIRS, p.y, 0.3, &o, p.y));
    o.seed++;
    BENCH_OK(mst_brownian_endpoints(p.m, PAIRS, p.y, 0.3, &o, p.x));
    return p;
}

/* Million steps a second, the best of several. */
static double measure(const pairs_of *p, bool scores)
{
    double best = 1e300, log_p[PAIRS], dt[PAIRS];
    mst_bridge_options o = mst_bridge_options_default();
    mst_bridge_values out = {.log_p = log_p};
    if (scores) {
        out.dt_log_p = dt;
        out.score = p->values;
    }
    o.paths = PATHS;
    o.threads = 1;
    mst_pairs pairs = mst_pairs_rows(p->m, PAIRS, p->x, p->y, p->t);
    for (int k = 0; k < 5; k++) {
        double begin = cpu_now();
        BENCH_OK(mst_bridge_pairs(p->m, &pairs, &o, &out));
        double seconds = cpu_now() - begin;
        best = seconds < best ? seconds : best;
    }
    return 1e-6 * PAIRS * PATHS * (double)o.steps / best;
}

int main(void)
{
    static const struct {
        const char *name, *spec;
        double target;
    } cases[] = {
        {"sphere:2", "sphere:2", 5},
        {"sphere:5", "sphere:5", 0},
        {"hyperbolic:2", "hyperbolic:2", 0},
        {"so3", "so3", 0},
        {"spd:2", "spd:2", 0},
        {"spd:3", "spd:3", 0.5},
        {"formula torus", MST_EXAMPLES "/manifolds/torus.manifold", 0},
        {"formula ellipsoid", MST_EXAMPLES "/manifolds/ellipsoid.manifold", 0},
    };
    double sphere = 0;
    bench_section("bridge steps, CPU time of one core");
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        char name[100];
        pairs_of p = make_pairs(cases[k].spec);
        double speed = measure(&p, true), plain = measure(&p, false);
        sphere = k == 0 ? speed : sphere;
        snprintf(name, sizeof name, "%s, with score and time", cases[k].name);
        bench_line(name, speed,
                   strstr(cases[k].name, "torus") != NULL ? sphere / 3 : cases[k].target);
        snprintf(name, sizeof name, "%s, log p alone", cases[k].name);
        bench_line(name, plain, 0);
        mst_manifold_free(p.m);
        free(p.x);
    }
    return 0;
}
