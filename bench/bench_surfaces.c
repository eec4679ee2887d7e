/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* How good is a network for a surface from formulas? Trains two minutes with the default options, and
 * compares with the reference tables of ../shared/reference: relative errors of score and time derivative,
 * weighted by t, near (r ≤ 3√(2t)) and of all rows with 0.05 ≤ t ≤ 1, and the diffusion
 * mean and variance of their data.
 *
 *     bench_surfaces [NAME …]              of torus, ellipsoid, bumpy
 *     bench_surfaces NAME=MODEL …          what a model that exists is worth
 *     bench_surfaces NAME=SOURCE …         what another source is, such as spectral
 *     bench_surfaces steps=N [NAME …]      so many steps, whatever time they take */
#include "bench.h"
#include "surfaces.h"

static const char *const names[] = {"torus", "ellipsoid", "bumpy"};
enum { NAMES = sizeof names / sizeof *names };
static const char folder[] = "../shared/reference";

static mst_network *train(const mst_manifold *m, uint64_t steps)
{
    mst_network *net;
    mst_train_options o = mst_train_options_default();
    o.minutes = 2;
    o.steps = steps;
    BENCH_OK(mst_train(&net, m, &o));
    return net;
}

static void print_share(const char *surface, const char *what, double value, double target)
{
    char name[100];
    snprintf(name, sizeof name, "%s, %s", surface, what);
    bench_record(name, 100 * value, "%", 0);
    printf("  %s %.2f %% (%g)", what, 100 * value, target);
}

static void judge(const char *name, const mst_score *s)
{
    surface_errors e;
    BENCH_OK(surface_score_errors(s, name, folder, &e));
    BENCH_OK(surface_mean_errors(s, name, folder, &e));
    printf("%zu rows, %zu near; bounds in brackets\n", e.rows, e.near_rows);
    print_share(name, "score near", e.near_score, 1);
    print_share(name, "all", e.score, 3);
    print_share(name, "dt near", e.near_dt, 3);
    print_share(name, "all", e.dt, 5);
    printf("  mean %.2g (0.003)  time %.2g (0.003)\n", e.mean, e.time);
    fflush(stdout);
}

static void run(const char *name, const char *model, uint64_t steps)
{
    char spec[100];
    mst_manifold *m = NULL;
    mst_network *net = NULL;
    mst_score *s;
    snprintf(spec, sizeof spec, "examples/manifolds/%s.manifold", name);
    BENCH_OK(mst_manifold_parse(&m, spec));
    if (model != NULL && mst_score_is_name(model)) {
        BENCH_OK(mst_score_open(&s, model, m));
        printf("%-10s %s; ", name, model);
    } else {
        if (model != NULL)
            BENCH_OK(mst_network_read(&net, model, NULL));
        else
            net = train(m, steps);
        mst_network_info i = mst_network_describe(net);
        BENCH_OK(mst_score_network_new(&s, net, false));
        printf("%-10s %llu steps, %.1f s, %.2f M samples; ", name, (unsigned long long)i.steps,
               i.seconds, (double)i.samples * 1e-6);
    }
    judge(name, s);
    mst_score_free(s);
    mst_network_free(net);
    mst_manifold_free(m);
}

int main(int argc, char **argv)
{
    uint64_t steps = 0;
    int given = 0;
    for (int k = 1; k < argc; k++) {
        char *value = strchr(argv[k], '=');
        if (value != NULL)
            *value++ = '\0';
        if (value != NULL && strcmp(argv[k], "steps") == 0)
            steps = strtoull(value, NULL, 10);
        else
            run(argv[k], value, steps), given++;
    }
    for (int k = 0; given == 0 && k < NAMES; k++)
        run(names[k], NULL, steps);
    return 0;
}
