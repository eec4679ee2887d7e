/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Training samples on one core: path steps and samples per second, with the set-up of training (64 steps, 8
 * samples per path). MANISTAT_ISA chooses the instruction set. */
#include "base/isa.h"
#include "bench.h"
#include "manifold/internal.h"
#include "train/samples_parts.h"

#include <manistat.h>
#include <math.h>

enum { STEPS = 64, SLOTS = 8 };

/* Of this thread: what others do on the machine does not count. */
static double cpu_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static sample_plan *plan_of(const mst_manifold *m)
{
    sample_plan *plan;
    sample_options o = {.kind = SAMPLE_BEL,
                        .t_min = 0.005,
                        .t_max = 1,
                        .steps = STEPS,
                        .slots = SLOTS,
                        .seed = 1,
                        .spread = 1};
    BENCH_OK(sample_plan_new(&plan, m, &o));
    return plan;
}

/* The best time for so many paths. */
static double draw_seconds(const sample_plan *plan, size_t paths)
{
    size_t rows = paths * SLOTS, size = rows * plan->m->ambient * sizeof(double);
    sample_rows out = {.x = malloc(size),
                       .y = malloc(size),
                       .target = malloc(size),
                       .t = malloc(rows * sizeof(double)),
                       .time_target = malloc(rows * sizeof(double))};
    if (out.x == NULL || out.y == NULL || out.target == NULL || out.t == NULL ||
        out.time_target == NULL)
        exit(3);
    double seconds = INFINITY, begin = cpu_seconds();
    uint64_t first = 0;
    for (int call = 0; call < 5 || cpu_seconds() - begin < 0.5; call++) {
        double start = cpu_seconds();
        BENCH_OK(sample_draw(plan, first += paths, paths, &out));
        seconds = fmin(seconds, cpu_seconds() - start);
    }
    free(out.x), free(out.y), free(out.target), free(out.t), free(out.time_target);
    return seconds;
}

/* The same for the steps of the paths alone. */
static double roll_seconds(const sample_plan *plan, size_t paths)
{
    const mst_manifold *m = plan->m;
    size_t n = MST_LANES, d = m->dim, D = m->ambient;
    double *x = malloc((STEPS + 1) * (D + d * D + d * d + d) * n * sizeof *x), h[MST_LANES];
    unsigned char left[MST_LANES];
    if (x == NULL)
        exit(3);
    mst_rolling_paths p = {.n = n, .steps = STEPS, .h = h, .left = left, .x = x};
    p.frame = x + (STEPS + 1) * D * n;
    p.ricci = p.frame + (STEPS + 1) * d * D * n;
    p.increment = p.ricci + (STEPS + 1) * d * d * n;
    for (size_t i = 0; i < n; i++)
        h[i] = 0.8 / STEPS; /* as they are on the average */
    double seconds = INFINITY, begin = cpu_seconds(), start[16];
    mst_manifold_start(m, start);
    for (int call = 0; call < 20 || cpu_seconds() - begin < 0.3; call++) {
        for (size_t k = 0; k < D * n; k++)
            x[k] = start[k / n];
        p.noise.first_path += n;
        double now = cpu_seconds();
        BENCH_OK(m->ops.roll(m, &p));
        seconds = fmin(seconds, cpu_seconds() - now);
    }
    free(x);
    return seconds * (double)paths / (double)n;
}

static void measure(const char *name, const char *spec, bool sweep, size_t paths, double target,
                    double samples_target)
{
    mst_manifold *m;
    BENCH_OK(mst_manifold_parse(&m, spec));
    sample_plan *plan = plan_of(m);
    if (sweep) {
        plan->factor[0].run = sample_sweep;
        BENCH_OK(sample_sweep_tune(plan, &plan->factor[0]));
    }
    double seconds = draw_seconds(plan, paths), millions = 1e-6 * (double)paths / seconds;
    char title[100];
    snprintf(title, sizeof title, "%s%s, path steps", name, sweep ? ", generic sweep" : "");
    bench_line(title, millions * STEPS, target);
    snprintf(title, sizeof title, "%s%s, samples", name, sweep ? ", generic sweep" : "");
    bench_line(title, millions * SLOTS, samples_target);
    if (plan->factor[0].run == sample_rolling) {
        double share = roll_seconds(plan, paths) / seconds;
        bench_record("  share of the steps", share, "of the time", 0);
        printf("%-52s %9.2f of the time\n", "  share of the steps", share);
    }
    sample_plan_free(plan);
    mst_manifold_free(m);
}

/* A training should not wait for its samples: 50 000 a second and core. */
static void measure_formula(const char *name)
{
    char path[400], title[60];
    snprintf(path, sizeof path, MST_EXAMPLES "/manifolds/%s.manifold", name);
    snprintf(title, sizeof title, "formula %s", name);
    measure(title, path, false, 1024, 0, 0.05);
}

int main(void)
{
    static const char *const formulas[] = {"torus", "ellipsoid", "bumpy", "half-plane", "gaussian"};
    printf("instruction set %s, CPU time of one core\n", mst_isa_name(mst_isa()));
    measure("sphere:2", "sphere:2", false, 8192, 20, 0);
    measure("sphere:5", "sphere:5", false, 8192, 20, 0);
    measure("sphere:10", "sphere:10", false, 4096, 0, 0);
    measure("hyperbolic:2", "hyperbolic:2", false, 8192, 0, 0);
    measure("so3", "so3", false, 8192, 0, 0);
    measure("spd:2", "spd:2", false, 8192, 0, 0);
    measure("spd:3", "spd:3", false, 4096, 0, 0);
    measure("sphere:2", "sphere:2", true, 1024, 0, 0);
    for (size_t k = 0; k < sizeof formulas / sizeof *formulas; k++)
        measure_formula(formulas[k]);
    return 0;
}
