/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Geodesics of landmarks with log Θ, from the arithmetic mean of aligned specimens to the first 40 of them,
 * over widths of the kernel. bench_landmark_geodesics FILE SPACE: a table without header as `align -o` writes
 * it, of landmarks in SPACE dimensions. Without a file, thirty places of a wavy ring that
 * are shaken smoothly. */
#include "bench.h"

#include <manistat.h>
#include <math.h>

enum { MOST = 40 };

typedef struct shapes {
    size_t n, D, space;
    double *x, *mean;
    double gap; /* the mean distance of nearest neighbours in the mean shape */
} shapes;

static double seconds_of_processor(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void read_shapes(const char *path, shapes *s)
{
    mst_table *t;
    BENCH_OK(mst_table_read(&t, path));
    s->n = t->n;
    s->D = t->cols;
    s->x = malloc(s->n * s->D * sizeof *s->x);
    for (size_t i = 0; i < s->n * s->D; i++)
        s->x[i] = t->columns[i % s->D].numbers[i / s->D];
    mst_table_free(t);
}

static void make_shapes(shapes *s)
{
    mst_random random = {.seed = 5};
    s->n = MOST;
    s->D = 60;
    s->space = 2;
    s->x = malloc(s->n * s->D * sizeof *s->x);
    for (size_t i = 0; i < s->n; i++) {
        double w[6];
        mst_random_normals(random, 6 * i, 6, w);
        for (size_t a = 0; a < 30; a++) {
            double u = 6.283185307179586 * (double)a / 30;
            double r = 0.18 * (1 + 0.3 * cos(2 * u + 0.3) + 0.15 * sin(5 * u));
            r *= 1 + 0.05 * (w[0] * cos(u) + w[1] * cos(2 * u) + w[2] * sin(3 * u));
            u += 0.05 * (w[3] * sin(u) + w[4] * cos(2 * u) + w[5] * cos(4 * u));
            s->x[i * s->D + 2 * a] = r * cos(u);
            s->x[i * s->D + 2 * a + 1] = r * sin(u);
        }
    }
}

static void describe(shapes *s)
{
    size_t count = s->D / s->space;
    s->mean = calloc(s->D, sizeof *s->mean);
    for (size_t i = 0; i < s->n * s->D; i++)
        s->mean[i % s->D] += s->x[i] / (double)s->n;
    for (size_t a = 0; a < count; a++) {
        double least = INFINITY;
        for (size_t b = 0; b < count; b++) {
            double square = 0;
            for (size_t c = 0; c < s->space; c++) {
                double off = s->mean[a * s->space + c] - s->mean[b * s->space + c];
                square += off * off;
            }
            least = b != a && square < least ? square : least;
        }
        s->gap += sqrt(least) / (double)count;
    }
}

static void measure(const shapes *s, double gaps, double nugget, double tolerance)
{
    mst_manifold *m;
    mst_geodesic_status status[MOST];
    double van_vleck[MOST], *from = malloc(MOST * s->D * sizeof *from);
    char spec[128], name[64];
    size_t n = s->n < MOST ? s->n : MOST, found = 0;
    snprintf(spec, sizeof spec, "landmarks:%zux%zu?sigma=%.6g&nugget=%g", s->D / s->space, s->space,
             gaps * s->gap, nugget);
    BENCH_OK(mst_manifold_parse(&m, spec));
    for (size_t i = 0; i < n; i++)
        memcpy(from + i * s->D, s->mean, s->D * sizeof *from);
    mst_geodesic_options o = mst_geodesic_options_default();
    o.threads = 1;
    o.tolerance = tolerance;
    double begin = seconds_of_processor();
    BENCH_OK(mst_geodesic_solve(m, n, from, s->x, &o,
                                &(mst_geodesic_output){.status = status, .van_vleck = van_vleck}));
    double rate = (double)n / (seconds_of_processor() - begin);
    for (size_t i = 0; i < n; i++) {
        bool there = status[i] <= MST_GEODESIC_LOCAL;
        found += there;
        if (!there)
            printf("  row %zu has no geodesic\n", i + 1);
    }
    printf("  %4g gaps, nugget %-5g to %g: %3zu of %zu found, %7.1f pairs a second of one core\n",
           gaps, nugget, tolerance, found, n, rate);
    snprintf(name, sizeof name, "%g gaps, nugget %g, to %g", gaps, nugget, tolerance);
    bench_record(name, rate, "pairs/s", gaps > 0.9 && gaps < 1.1 ? 250 : 0);
    mst_manifold_free(m);
    free(from);
}

int main(int argc, char **argv)
{
    /* Gaps, nugget, tolerance: that of means, and the default. */
    static const double cases[][3] = {{0.5, 0, 1e-6},  {1, 0, 1e-8},   {1, 0, 1e-5},
                                      {1, 0, 1e-6},    {1.5, 0, 1e-6}, {2, 0.01, 1e-6},
                                      {4, 0.01, 1e-6}, {2, 0, 1e-6}};
    shapes s = {0};
    if (argc > 1) {
        read_shapes(argv[1], &s);
        s.space = argc > 2 ? (size_t)atoi(argv[2]) : 2;
    } else
        make_shapes(&s);
    describe(&s);
    bench_section("geodesics of landmarks with log Theta");
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
        measure(&s, cases[k][0], cases[k][1], cases[k][2]);
    free(s.x);
    free(s.mean);
    return 0;
}
