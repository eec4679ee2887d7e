/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Formulas of manifolds whose kernel is known: trains a network on them and compares it with the exact score,
 * √(Σt|ŝ − s|²/Σt|s|²) over pairs that Brownian motion makes, t uniform in 0.02 … 1.
 *
 *     bench_twins [steps=N] [batch=N] [NAME …]      of sphere, half-plane, spd2
 *     bench_twins NAME=MODEL …                      what a model that exists is worth */
#include "bench.h"
#include "train/samples.h"

#include <manistat.h>
#include <math.h>

enum { PAIRS = 4000, WIDE = 4 };

typedef struct twin {
    const char *name, *file, *spec;
    /* A point of the formulas, and a vector v at it, to those of the closed form. */
    void (*there)(const double *x, double *X);
    void (*push)(const double *x, const double *v, double *V);
} twin;

static void same(const double *x, double *X)
{
    memcpy(X, x, 3 * sizeof *x);
}

static void same_vector(const double *x, const double *v, double *V)
{
    (void)x;
    memcpy(V, v, 3 * sizeof *v);
}

/* The half-plane to the hyperboloid: ((|z|² + 1)/2y, x/y, (|z|² − 1)/2y). */
static void lift(const double *z, double *X)
{
    double square = z[0] * z[0] + z[1] * z[1];
    X[0] = (square + 1) / (2 * z[1]);
    X[1] = z[0] / z[1];
    X[2] = (square - 1) / (2 * z[1]);
}

static void lift_vector(const double *z, const double *v, double *V)
{
    double X[3], along = (z[0] * v[0] + z[1] * v[1]) / z[1];
    lift(z, X);
    V[0] = along - X[0] * v[1] / z[1];
    V[1] = (v[0] - X[1] * v[1]) / z[1];
    V[2] = along - X[2] * v[1] / z[1];
}

/* (a, b, c) to the rows of (a b; b c), vectors alike. */
static void fill(const double *x, double *X)
{
    X[0] = x[0];
    X[1] = X[2] = x[1];
    X[3] = x[2];
}

static void fill_vector(const double *x, const double *v, double *V)
{
    (void)x;
    fill(v, V);
}

static const twin twins[] = {
    {"sphere", "bench/manifolds/sphere-2.manifold", "sphere:2", same, same_vector},
    {"half-plane", "examples/manifolds/half-plane.manifold", "hyperbolic:2", lift, lift_vector},
    {"spd2", "examples/manifolds/spd2.manifold", "spd:2", fill, fill_vector},
};
enum { TWINS = sizeof twins / sizeof *twins };

/* Relative errors of score and time derivative. */
static void compare(const twin *w, const mst_network *net, double *score, double *time)
{
    static double x[PAIRS * WIDE], y[PAIRS * WIDE], t[PAIRS], s[PAIRS * WIDE], dt[PAIRS],
        X[PAIRS * WIDE], Y[PAIRS * WIDE], S[PAIRS * WIDE], want[PAIRS * WIDE], want_dt[PAIRS],
        off[PAIRS], size[PAIRS];
    mst_score *source, *exact;
    mst_manifold *closed;
    sample_plan *plan;
    BENCH_OK(mst_score_network_new(&source, net, false));
    const mst_manifold *m = mst_score_manifold(source);
    BENCH_OK(mst_manifold_parse(&closed, w->spec));
    BENCH_OK(mst_score_open(&exact, "exact", closed));
    size_t D = mst_manifold_ambient(m), E = mst_manifold_ambient(closed);
    double sum[4] = {0};
    sample_options o = {.kind = SAMPLE_BEL,
                        .t_min = 0.02,
                        .t_max = 1,
                        .steps = 50,
                        .slots = 1,
                        .seed = 77,
                        .spread = 0.3};
    BENCH_OK(sample_plan_new(&plan, m, &o));
    BENCH_OK(sample_draw(plan, 0, PAIRS, &(sample_rows){.x = x, .y = y, .t = t}));
    BENCH_OK(mst_score_evaluate_rows(source, PAIRS, x, y, t,
                                     &(mst_heat_values){.score = s, .dt_log_p = dt}));
    for (size_t i = 0; i < PAIRS; i++) {
        w->there(x + i * D, X + i * E);
        w->there(y + i * D, Y + i * E);
        w->push(y + i * D, s + i * D, S + i * E);
    }
    BENCH_OK(mst_score_evaluate_rows(exact, PAIRS, X, Y, t,
                                     &(mst_heat_values){.score = want, .dt_log_p = want_dt}));
    for (size_t k = 0; k < PAIRS * E; k++)
        S[k] -= want[k];
    BENCH_OK(mst_manifold_inner(closed, PAIRS, Y, S, S, off));
    BENCH_OK(mst_manifold_inner(closed, PAIRS, Y, want, want, size));
    for (size_t i = 0; i < PAIRS; i++) {
        double gap = dt[i] - want_dt[i];
        sum[0] += t[i] * off[i], sum[1] += t[i] * size[i];
        sum[2] += t[i] * gap * gap, sum[3] += t[i] * want_dt[i] * want_dt[i];
    }
    *score = sqrt(sum[0] / sum[1]);
    *time = sqrt(sum[2] / sum[3]);
    sample_plan_free(plan);
    mst_score_free(source);
    mst_score_free(exact);
    mst_manifold_free(closed);
}

static void run(const twin *w, const char *model, uint64_t steps, size_t batch)
{
    char spec[400];
    mst_manifold *m = NULL;
    mst_network *net;
    double score, time;
    snprintf(spec, sizeof spec, "%s/../%s", MST_BENCH_FILES, w->file);
    if (model != NULL) {
        BENCH_OK(mst_network_read(&net, model, NULL));
    } else {
        mst_train_options o = mst_train_options_default();
        o.steps = steps;
        o.batch = batch;
        o.minutes = 2;
        BENCH_OK(mst_manifold_parse(&m, spec));
        BENCH_OK(mst_train(&net, m, &o));
    }
    mst_network_info i = mst_network_describe(net);
    compare(w, net, &score, &time);
    bench_record(w->name, 100 * score, "%", 0);
    printf("%-12s %llu steps, %.1f s, %.2f M samples: score %.2f %%, time derivative %.2f %%\n",
           w->name, (unsigned long long)i.steps, i.seconds, (double)i.samples * 1e-6, 100 * score,
           100 * time);
    fflush(stdout);
    mst_network_free(net);
    mst_manifold_free(m);
}

int main(int argc, char **argv)
{
    uint64_t steps = 0;
    size_t batch = 0, given = 0;
    for (int k = 1; k < argc; k++) {
        char *value = strchr(argv[k], '=');
        if (value != NULL)
            *value++ = '\0';
        if (value != NULL && strcmp(argv[k], "steps") == 0)
            steps = strtoull(value, NULL, 10);
        else if (value != NULL && strcmp(argv[k], "batch") == 0)
            batch = strtoull(value, NULL, 10);
        for (size_t i = 0; i < TWINS; i++)
            if (strcmp(argv[k], twins[i].name) == 0)
                run(&twins[i], value, steps, batch), given++;
    }
    for (size_t i = 0; given == 0 && i < TWINS; i++)
        run(&twins[i], NULL, steps, batch);
    return 0;
}
