/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* How good is a network after a minute? Trains with the default options and the given budget, and compares
 * with the exact kernel: the relative error of the score, and the diffusion mean of data that both estimate.
 *
 *     bench_training                          sphere:2 only, one seed
 *     bench_training table [SPEC …]           the whole table (50 minutes), or these rows; three seeds
 *     bench_training losses [SPEC …]          the five losses, half a minute each, one seed
 *     bench_training held-out SPEC MINUTES    held-out loss of one training
 *
 * Data are the published ones of ../shared/data/synthetic where they exist, else simulated. */
#include "bench.h"

#include <manistat.h>
#include <math.h>
#include <string.h>

enum { TIMES = 500, PER_TIME = 200, ROWS = TIMES * PER_TIME, SEEDS = 3 };

typedef struct row {
    const char *spec, *data;
    double minutes;
    double score, weighted; /* targets, in percent */
    double mean, time;
} row;

static const row table[] = {
    {"sphere:2", "S2", 1, 0.4, 0.7, 0.0005, 0.001},
    {"sphere:3", "S3", 1, 0.4, 0.7, 0.0008, 0.001},
    {"sphere:5", "S5", 1, 0.4, 0.7, 0.003, 0.001},
    {"sphere:10", "S10", 3, 0.5, 0.9, 0.02, 0.003},
    {"spd:2", NULL, 1, NAN, 0.15, NAN, NAN},
    {"hyperbolic:2", NULL, 1, 0.6, 1, NAN, NAN},
    {"so3", NULL, 1, 0.6, 1, NAN, NAN},
};

/* Relative errors of the score, the same weighted by t, and of ∂_t log p; distances of mean and time from the
 * exact estimates, for all rows of the data and for the first hundred. */
typedef struct errors {
    double score, weighted, dt, mean, time, mean_100, time_100;
} errors;

static double *numbers(size_t n)
{
    double *x = malloc(n * sizeof *x);
    if (x == NULL)
        exit(3);
    return x;
}

/* t uniform in (0.02, 1), y the default start, x Brownian from y. */
static void draw_pairs(const mst_manifold *m, double *x, double *y, double *t)
{
    size_t D = mst_manifold_ambient(m);
    mst_brownian_options o = mst_brownian_options_default();
    o.method = mst_brownian_has_exact(m) ? MST_BROWNIAN_EXACT : MST_BROWNIAN_TANGENT;
    o.steps = 256;
    for (size_t k = 0; k < TIMES; k++) {
        double time = 0.02 + 0.98 * ((double)k + 0.5) / TIMES;
        for (size_t i = k * PER_TIME; i < (k + 1) * PER_TIME; i++) {
            t[i] = time;
            mst_manifold_start(m, y + i * D);
        }
        o.seed = 90000 + k;
        BENCH_OK(mst_brownian_endpoints(m, PER_TIME, y + k * PER_TIME * D, time, &o,
                                        x + k * PER_TIME * D));
    }
}

static void score_errors(const mst_manifold *m, const mst_score *net, errors *e)
{
    size_t D = mst_manifold_ambient(m), n = ROWS;
    double *x = numbers(n * D), *y = numbers(n * D), *t = numbers(n), *got = numbers(n * D);
    double *want = numbers(n * D), *dt = numbers(2 * n), *square = numbers(2 * n);
    draw_pairs(m, x, y, t);
    BENCH_OK(
        mst_score_evaluate_rows(net, n, x, y, t, &(mst_heat_values){.score = got, .dt_log_p = dt}));
    BENCH_OK(mst_heat_kernel_times(m, n, x, y, t, 0,
                                   &(mst_heat_values){.score = want, .dt_log_p = dt + n}));
    for (size_t k = 0; k < n * D; k++)
        got[k] -= want[k];
    BENCH_OK(mst_manifold_inner(m, n, y, got, got, square));
    BENCH_OK(mst_manifold_inner(m, n, y, want, want, square + n));
    double sum[6] = {0};
    for (size_t i = 0; i < n; i++) {
        sum[0] += square[i];
        sum[1] += square[n + i];
        sum[2] += t[i] * square[i];
        sum[3] += t[i] * square[n + i];
        sum[4] += (dt[i] - dt[n + i]) * (dt[i] - dt[n + i]);
        sum[5] += dt[n + i] * dt[n + i];
    }
    e->score = sqrt(sum[0] / sum[1]);
    e->weighted = sqrt(sum[2] / sum[3]);
    e->dt = sqrt(sum[4] / sum[5]);
    free(x);
    free(y);
    free(t);
    free(got);
    free(want);
    free(dt);
    free(square);
}

/* Distance of the network's mean from the exact one, and of the times. */
static void compare_means(const mst_manifold *m, const mst_score *net, size_t n, const double *x,
                          double *mean, double *time)
{
    mst_score *exact;
    mst_mean_result *a, *b;
    mst_mean_options o = mst_mean_options_default();
    BENCH_OK(mst_score_exact_new(&exact, m));
    BENCH_OK(mst_mean_fit(&a, net, n, x, &o));
    BENCH_OK(mst_mean_fit(&b, exact, n, x, &o));
    BENCH_OK(mst_manifold_dist(m, 1, a->mean, b->mean, mean));
    *time = fabs(a->time - b->time);
    mst_mean_result_free(a);
    mst_mean_result_free(b);
    mst_score_free(exact);
}

/* The published data set, or 1000 simulated points at time ½. */
static void read_data(const mst_manifold *m, const char *name, double **x, size_t *n,
                      bool *published)
{
    char path[256];
    snprintf(path, sizeof path, "../shared/data/synthetic/%s.csv", name);
    mst_points_options points = mst_points_options_default();
    *published = mst_points_read(x, n, m, path, &points) == MST_OK;
    if (*published)
        return;
    size_t D = mst_manifold_ambient(m);
    *n = 1000;
    *x = numbers(*n * D);
    double *start = numbers(*n * D);
    for (size_t i = 0; i < *n; i++)
        mst_manifold_start(m, start + i * D);
    mst_brownian_options o = mst_brownian_options_default();
    o.steps = 1000;
    BENCH_OK(mst_brownian_endpoints(m, *n, start, 0.5, &o, *x));
    free(start);
}

static errors measure(const mst_manifold *m, const mst_network *net, const char *data)
{
    errors e = {.mean = NAN, .time = NAN, .mean_100 = NAN, .time_100 = NAN};
    mst_score *score;
    BENCH_OK(mst_score_network_new(&score, net, false));
    score_errors(m, score, &e);
    if (data != NULL) {
        double *x;
        size_t n;
        bool published;
        read_data(m, data, &x, &n, &published);
        compare_means(m, score, n, x, &e.mean, &e.time);
        compare_means(m, score, 100, x, &e.mean_100, &e.time_100);
        if (published)
            mst_points_free(x);
        else
            free(x);
    }
    mst_score_free(score);
    return e;
}

static mst_network *train(const mst_manifold *m, mst_loss loss, double minutes, uint64_t seed)
{
    mst_network *net;
    mst_train_options o = mst_train_options_default();
    o.loss = loss;
    o.minutes = minutes;
    o.seed = seed;
    BENCH_OK(mst_train(&net, m, &o));
    return net;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

/* Of one member of the errors. */
static double median(const errors *e, size_t offset)
{
    double v[SEEDS];
    for (size_t k = 0; k < SEEDS; k++)
        memcpy(&v[k], (const char *)&e[k] + offset, sizeof v[k]);
    qsort(v, SEEDS, sizeof *v, compare);
    return v[SEEDS / 2];
}

/* Distances of mean and time, where there are data. */
static void print_distances(const char *what, double mean, double time)
{
    if (!isnan(mean))
        printf("   %s %.5f, %.5f", what, mean, time);
}

static void print_errors(const char *what, const mst_network_info *i, const errors *e)
{
    char name[100];
    snprintf(name, sizeof name, "%s, score", what);
    bench_record(name, 100 * e->score, "%", 0);
    snprintf(name, sizeof name, "%s, dt", what);
    bench_record(name, 100 * e->dt, "%", 0);
    printf("%-22s %7.1f s %8.2f M samples   score %6.3f %% (%6.3f %%)   dt %6.3f %%", what,
           i->seconds, (double)i->samples * 1e-6, 100 * e->score, 100 * e->weighted, 100 * e->dt);
    print_distances("mean, t", e->mean, e->time);
    print_distances("first 100 rows", e->mean_100, e->time_100);
    printf("\n");
    fflush(stdout);
}

static void print_medians(const row *r, const errors *e)
{
    printf("%-22s median: score %.3f %% (%.3f %%)", r->spec,
           100 * median(e, offsetof(errors, score)), 100 * median(e, offsetof(errors, weighted)));
    if (!isnan(r->score))
        printf(", target %.2f %% (%.2f %%)", r->score, r->weighted);
    else
        printf(", target (%.2f %%)", r->weighted);
    print_distances("mean, t", median(e, offsetof(errors, mean)),
                    median(e, offsetof(errors, time)));
    print_distances("target", r->mean, r->time);
    print_distances("first 100 rows", median(e, offsetof(errors, mean_100)),
                    median(e, offsetof(errors, time_100)));
    printf("\n");
}

static void run_row(const row *r, size_t seeds)
{
    mst_manifold *m;
    errors e[SEEDS];
    BENCH_OK(mst_manifold_parse(&m, r->spec));
    for (size_t k = 0; k < seeds; k++) {
        char what[64];
        mst_network *net = train(m, MST_LOSS_BEL, r->minutes, 2712 + k);
        mst_network_info info = mst_network_describe(net);
        e[k] = measure(m, net, r->data);
        snprintf(what, sizeof what, "%s, seed %zu", r->spec, 2712 + k);
        print_errors(what, &info, &e[k]);
        mst_network_free(net);
    }
    if (seeds == SEEDS)
        print_medians(r, e);
    mst_manifold_free(m);
}

/* How far the held-out loss lies below that of the baseline alone, as a share of the latter. */
static double held_out_gain(const char *spec, double minutes, uint64_t seed)
{
    mst_manifold *m;
    BENCH_OK(mst_manifold_parse(&m, spec));
    mst_network *net = train(m, MST_LOSS_BEL, minutes, seed);
    mst_network_info i = mst_network_describe(net);
    char name[100];
    snprintf(name, sizeof name, "%s, %g minutes, seed %llu, held-out excess", spec, minutes,
             (unsigned long long)seed);
    bench_record(name, i.excess, "", 0);
    printf(
        "%s, seed %llu: %.0f s, %.2f M samples: held-out loss is %.5f of the baseline's below it\n",
        spec, (unsigned long long)seed, i.seconds, (double)i.samples * 1e-6, -i.excess);
    fflush(stdout);
    mst_network_free(net);
    mst_manifold_free(m);
    return -i.excess;
}

/* Without an exact kernel a long training is what a short one is held against. */
static void run_held_out(const char *spec)
{
    double gain[SEEDS], longest = held_out_gain(spec, 20, 2712);
    for (size_t k = 0; k < SEEDS; k++)
        gain[k] = held_out_gain(spec, 1, 2712 + k);
    qsort(gain, SEEDS, sizeof *gain, compare);
    printf("%-22s median: %.3f of what 20 minutes gain, target 0.8\n", spec,
           gain[SEEDS / 2] / longest);
}

static bool is_wanted(const char *spec, int count, char **specs)
{
    for (int k = 0; k < count; k++)
        if (strcmp(spec, specs[k]) == 0)
            return true;
    return count == 0;
}

static void run_losses(const char *spec, double minutes)
{
    mst_manifold *m;
    BENCH_OK(mst_manifold_parse(&m, spec));
    for (int loss = MST_LOSS_BEL; loss <= MST_LOSS_SSM; loss++) {
        char what[64];
        mst_network *net = train(m, (mst_loss)loss, minutes, 2712);
        mst_network_info info = mst_network_describe(net);
        errors e = measure(m, net, strcmp(spec, "sphere:2") == 0 ? "S2" : "S5");
        snprintf(what, sizeof what, "%s %s", spec, mst_loss_name((mst_loss)loss));
        print_errors(what, &info, &e);
        mst_network_free(net);
    }
    mst_manifold_free(m);
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        run_row(&table[0], 1);
    } else if (strcmp(argv[1], "table") == 0) {
        for (size_t k = 0; k < sizeof table / sizeof *table; k++)
            if (is_wanted(table[k].spec, argc - 2, argv + 2))
                run_row(&table[k], SEEDS);
        if (is_wanted("spd:3", argc - 2, argv + 2))
            run_held_out("spd:3");
    } else if (strcmp(argv[1], "losses") == 0) {
        for (int k = 2; k < argc; k++)
            run_losses(argv[k], 0.5);
    } else if (strcmp(argv[1], "held-out") == 0 && argc == 4) {
        held_out_gain(argv[2], atof(argv[3]), 2712);
    } else {
        fprintf(stderr, "usage: bench_training [table [SPEC …] | losses SPEC … | held-out SPEC "
                        "MINUTES]\n");
        return 2;
    }
    return 0;
}
