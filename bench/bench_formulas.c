/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* What formulas cost against the same written in C: L = ½ g(v, v) with its first derivatives, and the
 * Hessian, of the sphere in its stereographic chart and of the torus. Nanoseconds a row, one thread; formulas
 * are to take no more than 3 times as long. */
#include "bench.h"
#include "manifold/metric.h"

#include <manistat.h>
#include <math.h>

enum { ROWS = 4096 };

/* Processor time: others may want the machine. */
static double cpu_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

typedef struct slots {
    double *x, *v, *l, *l_x, *l_v, *vv, *xv, *xx;
} slots;

typedef void by_hand(size_t n, const slots *s);

/* L = 2|v|²/(1 + |x|²)². */
static void sphere_first(size_t n, const slots *s)
{
    for (size_t i = 0; i < n; i++) {
        double a = s->x[2 * i], b = s->x[2 * i + 1], u = s->v[2 * i], w = s->v[2 * i + 1];
        double e = 1 / (1 + a * a + b * b), g = 4 * e * e, l = 0.5 * g * (u * u + w * w);
        s->l[i] = l;
        s->l_x[2 * i] = -4 * e * a * l;
        s->l_x[2 * i + 1] = -4 * e * b * l;
        s->l_v[2 * i] = g * u;
        s->l_v[2 * i + 1] = g * w;
    }
}

static void sphere_second(size_t n, const slots *s)
{
    for (size_t i = 0; i < n; i++) {
        double x[2] = {s->x[2 * i], s->x[2 * i + 1]}, v[2] = {s->v[2 * i], s->v[2 * i + 1]};
        double e = 1 / (1 + x[0] * x[0] + x[1] * x[1]), g = 4 * e * e;
        double l = 0.5 * g * (v[0] * v[0] + v[1] * v[1]);
        for (size_t p = 0; p < 2; p++)
            for (size_t q = 0; q < 2; q++) {
                s->vv[4 * i + 2 * p + q] = p == q ? g : 0;
                s->xv[4 * i + 2 * p + q] = -4 * e * x[p] * g * v[q];
                s->xx[4 * i + 2 * p + q] = l * e * (24 * e * x[p] * x[q] - (p == q ? 4 : 0));
            }
    }
}

/* L = ½(R + r cos v)² u̇² + ½ r² v̇². */
static const double big = 3, small = 1;

static void torus_first(size_t n, const slots *s)
{
    for (size_t i = 0; i < n; i++) {
        double b = s->x[2 * i + 1], u = s->v[2 * i], w = s->v[2 * i + 1];
        double rho = big + small * cos(b), slope = -small * sin(b);
        s->l[i] = 0.5 * (rho * rho * u * u + small * small * w * w);
        s->l_x[2 * i] = 0;
        s->l_x[2 * i + 1] = rho * slope * u * u;
        s->l_v[2 * i] = rho * rho * u;
        s->l_v[2 * i + 1] = small * small * w;
    }
}

static void torus_second(size_t n, const slots *s)
{
    for (size_t i = 0; i < n; i++) {
        double b = s->x[2 * i + 1], u = s->v[2 * i], c = small * cos(b);
        double rho = big + c, slope = -small * sin(b);
        double *vv = s->vv + 4 * i, *xv = s->xv + 4 * i, *xx = s->xx + 4 * i;
        vv[0] = rho * rho, vv[1] = vv[2] = 0, vv[3] = small * small;
        xv[0] = xv[1] = xv[3] = 0, xv[2] = 2 * rho * slope * u;
        xx[0] = xx[1] = xx[2] = 0, xx[3] = (slope * slope - rho * c) * u * u;
    }
}

static const struct {
    const char *name, *file;
    by_hand *first, *second;
} cases[] = {
    {"sphere:2", "sphere-chart.manifold?n=2", sphere_first, sphere_second},
    {"torus", "torus-chart.manifold", torus_first, torus_second},
};

#define BEST(seconds, expression)                                         \
    do {                                                                  \
        (seconds) = 1e300;                                                \
        double begin = cpu_now();                                         \
        for (int call = 0; call < 5 || cpu_now() - begin < 0.1; call++) { \
            double start = cpu_now();                                     \
            expression;                                                   \
            (seconds) = fmin((seconds), cpu_now() - start);               \
        }                                                                 \
    } while (0)

static void compare(const char *name, const char *what, double formula, double hand)
{
    char title[100];
    snprintf(title, sizeof title, "%s, %s", name, what);
    bench_record(title, formula / hand, "times the time in C", 3);
    printf("%-32s %6.1f ns a row, %6.1f in C, ratio %4.2f, at most 3\n", title,
           1e9 * formula / ROWS, 1e9 * hand / ROWS, formula / hand);
}

int main(void)
{
    slots s, other;
    double *block[2];
    for (int k = 0; k < 2; k++) {
        slots *to = k == 0 ? &s : &other;
        block[k] = calloc(ROWS, 21 * sizeof(double));
        if (block[k] == NULL)
            return 3;
        double **const parts[] = {&to->x,   &to->v,  &to->l,  &to->l_x,
                                  &to->l_v, &to->vv, &to->xv, &to->xx};
        const size_t wide[] = {2, 2, 1, 2, 2, 4, 4, 4};
        double *at = block[k];
        for (size_t p = 0; p < 8; at += ROWS * wide[p++])
            *parts[p] = at;
        for (size_t i = 0; i < 4 * ROWS; i++) /* x and v */
            block[k][i] = sin(1.7 * (double)i);
    }
    bench_section("Formulas against C");
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        char path[400];
        mst_manifold *m;
        double formula, hand, worst = 0;
        snprintf(path, sizeof path, "%s/manifolds/%s", MST_BENCH_FILES, cases[k].file);
        BENCH_OK(mst_manifold_parse(&m, path));
        const mst_metric_ops *ops = &m->metric->ops;
        BEST(formula, BENCH_OK(ops->lagrangian(m, ROWS, s.x, s.v, s.l, s.l_x, s.l_v)));
        BEST(hand, cases[k].first(ROWS, &other));
        compare(cases[k].name, "first derivatives", formula, hand);
        BEST(formula, BENCH_OK(ops->lagrangian_blocks(m, ROWS, s.x, s.v, s.vv, s.xv, s.xx)));
        BEST(hand, cases[k].second(ROWS, &other));
        compare(cases[k].name, "second derivatives", formula, hand);
        for (size_t i = 4 * ROWS; i < 21 * ROWS; i++)
            worst = fmax(worst, fabs(block[0][i] - block[1][i]));
        printf("  largest difference %.1e\n", worst);
        mst_manifold_free(m);
    }
    free(block[0]);
    free(block[1]);
    return 0;
}
