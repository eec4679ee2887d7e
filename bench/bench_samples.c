/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Training samples on one core: path steps and samples per second, with the set-up of training (64 steps, 8
 * samples per path). MANISTAT_ISA chooses the instruction set. */
#include "base/isa.h"
#include "bench.h"
#include "train/samples_parts.h"

#include <manistat.h>

enum { STEPS = 64, SLOTS = 8 };

static void measure(const char *spec, bool sweep, size_t paths, double target)
{
    mst_manifold *m;
    sample_plan *plan;
    BENCH_OK(mst_manifold_parse(&m, spec));
    sample_options o = {.kind = SAMPLE_BEL,
                        .t_min = 0.005,
                        .t_max = 1,
                        .steps = STEPS,
                        .slots = SLOTS,
                        .seed = 1,
                        .spread = 1};
    BENCH_OK(sample_plan_new(&plan, m, &o));
    if (sweep) {
        plan->factor[0].run = sample_sweep;
        BENCH_OK(sample_sweep_tune(plan, &plan->factor[0]));
    }
    size_t rows = paths * SLOTS, size = rows * mst_manifold_ambient(m) * sizeof(double);
    sample_rows out = {.x = malloc(size),
                       .y = malloc(size),
                       .target = malloc(size),
                       .t = malloc(rows * sizeof(double)),
                       .time_target = malloc(rows * sizeof(double))};
    if (out.x == NULL || out.y == NULL || out.target == NULL || out.t == NULL ||
        out.time_target == NULL)
        exit(3);
    double seconds;
    uint64_t first = 0;
    BENCH_BEST(seconds, BENCH_OK(sample_draw(plan, first += paths, paths, &out)));
    char title[100];
    double millions = 1e-6 * (double)paths / seconds;
    snprintf(title, sizeof title, "%s%s, path steps", spec, sweep ? ", generic sweep" : "");
    bench_line(title, millions * STEPS, target);
    snprintf(title, sizeof title, "%s%s, samples", spec, sweep ? ", generic sweep" : "");
    bench_line(title, millions * SLOTS, 0);
    free(out.x), free(out.y), free(out.target), free(out.t), free(out.time_target);
    sample_plan_free(plan);
    mst_manifold_free(m);
}

int main(void)
{
    printf("instruction set %s\n", mst_isa_name(mst_isa()));
    measure("sphere:2", false, 8192, 20);
    measure("sphere:5", false, 8192, 20);
    measure("sphere:10", false, 4096, 0);
    measure("hyperbolic:2", false, 8192, 0);
    measure("so3", false, 8192, 0);
    measure("spd:2", false, 8192, 0);
    measure("spd:3", false, 4096, 0);
    measure("sphere:2", true, 1024, 0);
    return 0;
}
