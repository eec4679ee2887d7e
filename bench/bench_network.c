/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Whole trainings, samples included, against the rate of the matrix product on the same cores in the same
 * run; the share of the simulation; and a diffusion mean with a network. */
#include "products.h"
#include "train/trainer.h"

#include <manistat.h>
#include <string.h>

static mst_network *train(const mst_manifold *m, mst_train_options o)
{
    mst_network *net;
    BENCH_OK(mst_train(&net, m, &o));
    return net;
}

/* Seconds of one core for a sample: simulation, and what the network reads of it. */
static double sample_seconds(const mst_manifold *m, const mst_train_options *o)
{
    trainer r = {.o = o, .m = m, .threads = 1};
    BENCH_OK(trainer_prepare(&r));
    BENCH_OK(trainer_work_new(&r));
    double best;
    BENCH_BEST(best, BENCH_OK(trainer_fill(&r)));
    double samples = (double)(r.feeder.paths * r.feeder.slots);
    trainer_work_free(&r);
    trainer_release(&r);
    mst_network_free(r.net);
    return best / samples;
}

static void bench_training_rate(const char *spec, mst_train_options o, double target)
{
    mst_manifold *m;
    BENCH_OK(mst_manifold_parse(&m, spec));
    double product = product_rate(THREADS, 1024, 1024, 1024);
    o.minutes = 0.1;
    o.threads = THREADS;
    mst_network *net = train(m, o);
    mst_network_info i = mst_network_describe(net);
    mlp_shape shape = {i.inputs, i.width, i.depth, i.outputs, MLP_SILU};
    double rate = (double)i.samples / i.seconds, flops = rate * step_operations(&shape);
    double share = sample_seconds(m, &o) * rate / THREADS;
    char title[100];
    snprintf(title, sizeof title, "train %s %zux%zu", spec, i.depth, i.width);
    bench_record(title, 1e-3 * rate, "k samples/s", 0);
    printf("%-24s %7.0f k samples/s %7.1f GFLOP/s, %.2f of the product's %.1f", title, 1e-3 * rate,
           1e-9 * flops, flops / product, 1e-9 * product);
    if (target > 0)
        printf(" (target %.2f)", target);
    printf("; samples take %.0f %% of the time\n", 100 * share);
    fflush(stdout);
    mst_network_free(net);
    mst_manifold_free(m);
}

static void fit(const mst_score *source, size_t n, const double *x, size_t *iterations)
{
    mst_mean_result *r;
    mst_mean_options o = mst_mean_options_default();
    BENCH_OK(mst_mean_fit(&r, source, n, x, &o));
    *iterations = r->iterations;
    mst_mean_result_free(r);
}

static void bench_mean(bool time_head)
{
    enum { N = 1000 };
    mst_manifold *m;
    mst_score *source;
    double start[3 * N], x[3 * N], seconds;
    size_t iterations;
    BENCH_OK(mst_sphere_new(&m, 2));
    mst_train_options o = mst_train_options_default();
    o.steps = 500;
    o.time_head = time_head;
    mst_network *net = train(m, o);
    for (size_t i = 0; i < N; i++)
        mst_manifold_start(m, start + 3 * i);
    mst_brownian_options b = mst_brownian_options_default();
    BENCH_OK(mst_brownian_endpoints(m, N, start, 0.5, &b, x));
    BENCH_OK(mst_score_network_new(&source, net, false));
    BENCH_BEST(seconds, fit(source, N, x, &iterations));
    char title[100];
    snprintf(title, sizeof title, "mean of %d points on sphere:2, 3x128 network, %s", N,
             time_head ? "time head" : "divergence");
    bench_record(title, 1e3 * seconds, "ms", 20);
    printf("%-62s %6.1f ms, %zu iterations (target 20 ms)\n", title, 1e3 * seconds, iterations);
    mst_score_free(source);
    mst_network_free(net);
    mst_manifold_free(m);
}

int main(void)
{
    mst_train_options o = mst_train_options_default();
    bench_training_rate("sphere:2", o, 0.45);
    bench_training_rate("sphere:5", o, 0.45);
    bench_training_rate("sphere:10", o, 0.45);
    bench_training_rate("hyperbolic:2", o, 0);
    bench_training_rate("so3", o, 0);
    bench_training_rate("spd:2", o, 0);
    bench_training_rate("spd:3", o, 0);
    o.width = 512;
    o.depth = 5;
    bench_training_rate("sphere:2", o, 0.7);
    bench_mean(false);
    bench_mean(true);
    return 0;
}
