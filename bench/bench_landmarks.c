/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* How good is a network for two crowded landmarks? Trains two minutes around the starts of
 * tests/data/reference/landmarks2.csv, whose scores come from another method, and prints relative errors of
 * the score, √(Σ t|ŝ − s|²/Σ t|s|²), by times and of all rows: of the network alone, of the model as commands
 * use it, and of what both stand on.
 *
 *     bench_landmarks [minutes=M] [steps=N] [tmax=T] [width=W] [samples=S] [model=FILE]
 *     bench_landmarks step                 path steps a second of processor time, of a few landmarks */
#include "bench.h"
#include "manifold/internal.h"

#include <manistat.h>
#include <math.h>

enum { DIM = 4, MOST = 1000, COLUMNS = 16 };

typedef struct table {
    size_t n;
    double x[MOST * DIM], y[MOST * DIM], t[MOST], score[MOST * DIM];
} table;

static void read_table(table *r)
{
    char line[1000], *at;
    FILE *f = fopen(MST_BENCH_FILES "/../tests/data/reference/landmarks2.csv", "r");
    if (f == NULL || fgets(line, sizeof line, f) == NULL)
        exit(3);
    for (r->n = 0; r->n < MOST && fgets(line, sizeof line, f) != NULL; r->n++) {
        double v[COLUMNS];
        at = line;
        for (int k = 0; k < COLUMNS; k++, at++)
            v[k] = strtod(at, &at);
        memcpy(r->x + r->n * DIM, v + 2, DIM * sizeof *v);
        memcpy(r->y + r->n * DIM, v + 6, DIM * sizeof *v);
        r->t[r->n] = v[10];
        memcpy(r->score + r->n * DIM, v + 12, DIM * sizeof *v);
    }
    fclose(f);
}

static void judge(const char *name, const mst_manifold *m, const table *r, const double *score)
{
    printf("%-28s", name);
    for (double from = 0, to = 0; from < INFINITY; from = to) {
        double error = 0, size = 0;
        size_t rows = 0;
        to = INFINITY;
        for (size_t i = 0; i < r->n; i++)
            if (r->t[i] > from)
                to = fmin(to, r->t[i]);
        bool all = isinf(to);
        for (size_t i = 0; i < r->n; i++) {
            double d[DIM], e, s;
            if (!all && r->t[i] != to)
                continue;
            for (size_t k = 0; k < DIM; k++)
                d[k] = score[i * DIM + k] - r->score[i * DIM + k];
            BENCH_OK(mst_manifold_inner(m, 1, r->y + i * DIM, d, d, &e));
            BENCH_OK(mst_manifold_inner(m, 1, r->y + i * DIM, r->score + i * DIM,
                                        r->score + i * DIM, &s));
            error += isnan(e) ? 0 : r->t[i] * e;
            size += isnan(e) ? 0 : r->t[i] * s;
            rows += isnan(e) ? 0 : 1;
        }
        double percent = 100 * sqrt(error / size);
        if (all)
            printf("  all %.2f %%\n", percent), bench_record(name, percent, "%", 0);
        else
            printf("  t %g: %.2f %%%s", to, percent, rows < r->n / 3 ? "*" : "");
    }
    fflush(stdout);
}

static void judge_source(const char *name, const mst_score *s, const table *r)
{
    double score[MOST * DIM];
    const mst_manifold *m = mst_score_manifold(s);
    mst_pairs pairs = mst_pairs_rows(m, r->n, r->x, r->y, r->t);
    BENCH_OK(mst_score_evaluate(s, &pairs, &(mst_heat_values){.score = score}));
    judge(name, m, r, score);
}

static double processor(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* A smooth stand-in for Log, over t. */
static void judge_stand_in(const mst_manifold *m, const table *r)
{
    double score[MOST * DIM];
    BENCH_OK(mst_manifold_toward(m, r->n, r->y, r->x, NULL, score, NULL));
    for (size_t k = 0; k < r->n * DIM; k++)
        score[k] /= r->t[k / DIM];
    judge("what leads there, over t", m, r, score);
    BENCH_OK(m->ops.near_log(m, r->n, r->y, r->x, score));
    for (size_t k = 0; k < r->n * DIM; k++)
        score[k] /= r->t[k / DIM];
    judge("almost Log, over t", m, r, score);
    double begin = processor();
    for (int call = 0; call < 100; call++)
        BENCH_OK(m->ops.near_log(m, r->n, r->y, r->x, score));
    double each = 1e6 * (processor() - begin) / (100 * (double)r->n);
    bench_record("almost Log", each, "us", 0);
    printf("%-28s  %.2f us each\n", "", each);
    for (size_t i = 0; i < r->n; i++)
        BENCH_OK(mst_manifold_log(m, 1, r->y + i * DIM, r->x + i * DIM, score + i * DIM, NULL));
    for (size_t k = 0; k < r->n * DIM; k++)
        score[k] /= r->t[k / DIM];
    judge("Log, over t", m, r, score);
}

static void measure_steps(const char *spec)
{
    enum { PATHS = 64, STEPS = 24, LARGEST = 12 };
    mst_manifold *m;
    BENCH_OK(mst_manifold_parse(&m, spec));
    size_t d = mst_manifold_dim(m), sizes[] = {d, d * d, d * (d + 1) / 2, d};
    double *rows[4], h[PATHS], start[LARGEST], best = INFINITY;
    unsigned char left[PATHS];
    for (int k = 0; k < 4; k++)
        if ((rows[k] = calloc((STEPS + 1) * sizes[k] * PATHS, sizeof **rows)) == NULL)
            exit(3);
    mst_manifold_start(m, start);
    for (size_t i = 0; i < PATHS; i++)
        h[i] = 0.5 / STEPS;
    mst_rolling_paths p = {.n = PATHS,
                           .steps = STEPS,
                           .h = h,
                           .x = rows[0],
                           .frame = rows[1],
                           .ricci = rows[2],
                           .increment = rows[3],
                           .left = left};
    for (int call = 0; call < 40; call++) {
        for (size_t k = 0; k < d * PATHS; k++)
            rows[0][k] = start[k / PATHS];
        p.noise.first_path += PATHS;
        double begin = processor();
        BENCH_OK(m->ops.roll(m, &p));
        best = fmin(best, processor() - begin);
    }
    bench_line(spec, 1e-6 * PATHS * STEPS / best, 0);
    for (int k = 0; k < 4; k++)
        free(rows[k]);
    mst_manifold_free(m);
}

int main(int argc, char **argv)
{
    static table r;
    mst_train_options o = mst_train_options_default();
    mst_manifold *m;
    mst_network *net = NULL;
    mst_score *s;
    const char *model = NULL;
    o.minutes = 2;
    o.t_max = 0.3;
    for (int k = 1; k < argc; k++) {
        char *value = strchr(argv[k], '=');
        if (value == NULL) {
            measure_steps("landmarks:2x2");
            measure_steps("landmarks:3x2");
            measure_steps("landmarks:5x2");
            return 0;
        }
        *value++ = '\0';
        if (strcmp(argv[k], "minutes") == 0)
            o.minutes = strtod(value, NULL);
        else if (strcmp(argv[k], "steps") == 0)
            o.steps = strtoull(value, NULL, 10);
        else if (strcmp(argv[k], "tmax") == 0)
            o.t_max = strtod(value, NULL);
        else if (strcmp(argv[k], "width") == 0)
            o.width = strtoull(value, NULL, 10);
        else if (strcmp(argv[k], "samples") == 0)
            o.path_samples = strtoull(value, NULL, 10);
        else if (strcmp(argv[k], "model") == 0)
            model = value;
    }
    read_table(&r);
    BENCH_OK(mst_manifold_parse(&m, "landmarks:2x2?sigma=0.5"));
    judge_stand_in(m, &r);
    BENCH_OK(mst_score_expansion_new(&s, m));
    judge_source("expansion", s, &r);
    mst_score_free(s);
    o.starts = r.n;
    o.start = r.x;
    if (model != NULL)
        BENCH_OK(mst_network_read(&net, model, m));
    else
        BENCH_OK(mst_train(&net, m, &o));
    mst_network_info i = mst_network_describe(net);
    printf("%llu steps, %.2f M samples, %.1f s, %.1f s of processor time, kappa %g, excess %g\n",
           (unsigned long long)i.steps, (double)i.samples * 1e-6, i.seconds, processor(), i.kappa,
           i.excess);
    BENCH_OK(mst_score_network_alone_new(&s, net, false));
    judge_source("network alone", s, &r);
    mst_score_free(s);
    BENCH_OK(mst_score_network_new(&s, net, false));
    judge_source("the model", s, &r);
    mst_score_free(s);
    mst_network_free(net);
    mst_manifold_free(m);
    return 0;
}
