/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Geodesics between given points, of manifolds written as formulas: microseconds a pair on one thread, many
 * pairs at once. The first set has the end points of a published solver (GEORCE), 256 copies of a pair; then
 * random pairs, restarts and one pair alone. Errors are against closed forms, or against a tighter run. */
#include "bench.h"
#include "geodesic/ladder.h"
#include "geodesic/solve.h"
#include "manifold/formula_metric.h"

#include <math.h>

enum { MOST = 1024, WIDE = 128 };

/* Processor time: one thread is measured, and others may want the machine. */
static double cpu_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

#define CPU_BEST(seconds, expression)                                     \
    do {                                                                  \
        (seconds) = 1e300;                                                \
        double first = cpu_now();                                         \
        for (int call = 0; call < 3 || cpu_now() - first < 0.2; call++) { \
            double start = cpu_now();                                     \
            expression;                                                   \
            (seconds) = fmin((seconds), cpu_now() - start);               \
        }                                                                 \
    } while (0)

typedef struct problem_set {
    const char *name, *file;
    double target; /* microseconds */
    size_t n, d;
    int starts;
    double (*truth)(size_t d, const double *x, const double *y); /* null: a tighter run */
    void (*draw)(size_t d, size_t i, double *x, double *y);
} problem_set;

/* ---- Random numbers, the same everywhere ---- */
static uint64_t state;

static double uniform(void)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return ((double)(state >> 11) + 0.5) * 0x1p-53;
}

static double normal(void)
{
    return sqrt(-2 * log(uniform())) * cos(2 * M_PI * uniform());
}

/* ---- End points ---- */

static void georce_sphere(size_t d, size_t i, double *x, double *y)
{
    (void)i;
    for (size_t k = 0; k < d; k++) {
        x[k] = d > 1 ? -(double)k / (double)(d - 1) : 0;
        y[k] = 0.5;
    }
}

static void fixed(size_t d, const double *from, const double *to, double *x, double *y)
{
    memcpy(x, from, d * sizeof *x);
    memcpy(y, to, d * sizeof *y);
}

static void georce_torus(size_t d, size_t i, double *x, double *y)
{
    (void)i;
    fixed(d, (double[]){0, 0}, (double[]){1.25 * M_PI, 1.25 * M_PI}, x, y);
}

static void georce_half_plane(size_t d, size_t i, double *x, double *y)
{
    (void)i;
    fixed(d, (double[]){1, 1}, (double[]){0.1, 0.1}, x, y);
}

static void georce_gaussian(size_t d, size_t i, double *x, double *y)
{
    (void)i;
    fixed(d, (double[]){-1, 0.5}, (double[]){1, 1}, x, y);
}

static void georce_pareto(size_t d, size_t i, double *x, double *y)
{
    (void)i;
    fixed(d, (double[]){0.5, 0.5}, (double[]){1, 1}, x, y);
}

static void unit(size_t n, double *a)
{
    double sum = 0;
    for (size_t k = 0; k < n; k++) {
        a[k] = normal();
        sum += a[k] * a[k];
    }
    for (size_t k = 0; k < n; k++)
        a[k] /= sqrt(sum);
}

static void uniform_chart(size_t d, size_t i, double *x, double *y)
{
    (void)i;
    double a[WIDE];
    for (int end = 0; end < 2; end++) {
        unit(d + 1, a);
        for (size_t k = 0; k < d; k++)
            (end == 0 ? x : y)[k] = a[k] / (1 + a[d]);
    }
}

static void near_chart(size_t d, size_t i, double *x, double *y)
{
    (void)i;
    for (size_t k = 0; k < d; k++) {
        x[k] = 0.5 * normal() / sqrt((double)d);
        y[k] = 0.5 * normal() / sqrt((double)d);
    }
}

/* d is that of the ambient space here. */
static void uniform_sphere(size_t d, size_t i, double *x, double *y)
{
    (void)i;
    unit(d, x);
    unit(d, y);
}

static const double third = 0.6;
static void uniform_ellipsoid(size_t d, size_t i, double *x, double *y)
{
    uniform_sphere(d, i, x, y);
    x[2] *= third;
    y[2] *= third;
}

static void uniform_bumpy(size_t d, size_t i, double *x, double *y)
{
    uniform_sphere(d, i, x, y);
    for (int end = 0; end < 2; end++) {
        double *a = end == 0 ? x : y, c = a[2], r = 1 + 0.15 * (4 * c * c * c - 3 * c);
        for (size_t k = 0; k < 3; k++)
            a[k] *= r;
    }
}

static void uniform_torus(size_t d, size_t i, double *x, double *y)
{
    (void)i;
    for (size_t k = 0; k < d; k++) {
        x[k] = 2 * M_PI * uniform();
        y[k] = 2 * M_PI * uniform();
    }
}

static double half_plane_spread = 1.2;
static void random_half_plane(size_t d, size_t i, double *x, double *y)
{
    (void)d;
    (void)i;
    x[0] = normal();
    x[1] = exp(half_plane_spread * normal());
    y[0] = normal();
    y[1] = exp(half_plane_spread * normal());
}

static void far_half_plane(size_t d, size_t i, double *x, double *y)
{
    half_plane_spread = 4;
    random_half_plane(d, i, x, y);
    half_plane_spread = 1.2;
}

/* From the identity; the chart is (a, b, c) of the matrix (a b; b c), and so on. */
static void spd_two(size_t d, size_t i, double *x, double *y)
{
    (void)d;
    (void)i;
    fixed(3, (double[]){1, 0, 1}, (double[]){2, 0.5, 1.5}, x, y);
}

/* (a b c; b d e; c e f). */
static void spd_three(size_t d, size_t i, double *x, double *y)
{
    (void)i;
    fixed(d, (double[]){1, 0, 0, 1, 0, 1}, (double[]){2, 0.5, 0.2, 1.5, -0.3, 0.8}, x, y);
}

/* From one side of the wall to the other. */
static void across_wall(size_t d, size_t i, double *x, double *y)
{
    (void)d;
    (void)i;
    x[0] = -0.6 - uniform();
    y[0] = 0.6 + uniform();
    x[1] = 3 * uniform() - 1.5;
    y[1] = 3 * uniform() - 1.5;
}

/* ---- Closed forms ---- */

static double sphere_length(size_t d, const double *x, const double *y)
{
    double xx = 0, yy = 0, gap = 0;
    for (size_t k = 0; k < d; k++) {
        xx += x[k] * x[k];
        yy += y[k] * y[k];
        gap += (x[k] - y[k]) * (x[k] - y[k]);
    }
    double chord = gap / ((1 + xx) * (1 + yy)); /* a quarter of the squared chord */
    return 2 * atan2(sqrt(chord), sqrt(1 - chord));
}

static double ambient_sphere_length(size_t d, const double *x, const double *y)
{
    double dot = 0, cross = 0;
    for (size_t k = 0; k < d; k++)
        dot += x[k] * y[k];
    for (size_t k = 0; k < d; k++)
        cross += (y[k] - dot * x[k]) * (y[k] - dot * x[k]);
    return atan2(sqrt(cross), dot);
}

static double half_plane_length(size_t d, const double *x, const double *y)
{
    (void)d;
    double a = x[0] - y[0], b = x[1] - y[1];
    return 2 * asinh(sqrt((a * a + b * b) / (4 * x[1] * y[1])));
}

/* √2 times the half-plane of (μ/√2, σ). */
static double gaussian_length(size_t d, const double *x, const double *y)
{
    double a[2] = {x[0] / sqrt(2), x[1]}, b[2] = {y[0] / sqrt(2), y[1]};
    return sqrt(2) * half_plane_length(d, a, b);
}

/* The eigenvalues of y, as x is the identity. */
static double spd_length(size_t d, const double *x, const double *y)
{
    (void)d;
    (void)x;
    double mean = 0.5 * (y[0] + y[2]), off = hypot(0.5 * (y[0] - y[2]), y[1]);
    return hypot(log(mean + off), log(mean - off));
}

static double spd_three_length(size_t d, const double *x, const double *y)
{
    (void)d;
    (void)x;
    mst_manifold *closed;
    double eye[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1},
           full[9] = {y[0], y[1], y[2], y[1], y[3], y[4], y[2], y[4], y[5]};
    double length;
    BENCH_OK(mst_manifold_parse(&closed, "spd:3"));
    BENCH_OK(mst_manifold_dist(closed, 1, eye, full, &length));
    mst_manifold_free(closed);
    return length;
}

/* ---- The sets: formula files, here or among the examples ---- */

static const problem_set georce[] = {
    {"sphere:2 chart", "sphere-chart.manifold?n=2", 3, 256, 2, 1, sphere_length, georce_sphere},
    {"sphere:3 chart", "sphere-chart.manifold?n=3", 14, 256, 3, 1, sphere_length, georce_sphere},
    {"sphere:5 chart", "sphere-chart.manifold?n=5", 80, 256, 5, 1, sphere_length, georce_sphere},
    {"sphere:10 chart", "sphere-chart.manifold?n=10", 500, 64, 10, 1, sphere_length, georce_sphere},
    {"ellipsoid:2 map", "ellipsoid-chart-2.manifold", 19, 256, 2, 1, NULL, georce_sphere},
    {"ellipsoid:3 map", "ellipsoid-chart-3.manifold", 23, 256, 3, 1, NULL, georce_sphere},
    {"ellipsoid:5 map", "ellipsoid-chart-5.manifold", 65, 256, 5, 1, NULL, georce_sphere},
    {"ellipsoid:10 map", "ellipsoid-chart-10.manifold", 200, 64, 10, 1, NULL, georce_sphere},
    {"torus 3, 1", "torus-chart.manifold", 22, 256, 2, 1, NULL, georce_torus},
    {"half-plane", "half-plane.manifold", 8, 256, 2, 1, half_plane_length, georce_half_plane},
    {"gaussian", "gaussian.manifold", 8, 256, 2, 1, gaussian_length, georce_gaussian},
    {"pareto", "pareto.manifold", 8, 256, 2, 1, NULL, georce_pareto},
    {"spd:2 chart", "spd-chart-2.manifold", 5, 256, 3, 1, spd_length, spd_two},
    {"spd:3 chart", "spd-chart-3.manifold", 15, 256, 6, 1, spd_three_length, spd_three},
};

static const problem_set sets[] = {
    {"sphere:2 chart, uniform", "sphere-chart.manifold?n=2", 10, 1000, 2, 1, sphere_length,
     uniform_chart},
    {"half-plane, near", "half-plane.manifold", 8, 1000, 2, 1, half_plane_length,
     random_half_plane},
    {"half-plane, far", "half-plane.manifold", 60, 1000, 2, 1, half_plane_length, far_half_plane},
    {"torus chart, 4 wraps", "torus-chart.manifold?R=1&r=0.5", 30, 1000, 2, 0, NULL, uniform_torus},
    {"torus map, 4 wraps", "../../examples/manifolds/torus.manifold", 30, 1000, 2, 0, NULL,
     uniform_torus},
    {"ellipsoid constraint", "../../examples/manifolds/ellipsoid.manifold", 25, 1000, 3, 0, NULL,
     uniform_ellipsoid},
    {"bumpy constraint", "../../examples/manifolds/bumpy.manifold", 25, 1000, 3, 0, NULL,
     uniform_bumpy},
    {"sphere:10 constraint", "sphere-equation.manifold", 25, 1000, 11, 1, ambient_sphere_length,
     uniform_sphere},
    {"sphere:10 chart, near", "sphere-chart.manifold?n=10", 72, 512, 10, 1, sphere_length,
     near_chart},
    {"sphere:20 chart, near", "sphere-chart.manifold?n=20", 56, 64, 20, 1, sphere_length,
     near_chart},
    {"sphere:60 chart, near", "sphere-chart.manifold?n=60", 97, 64, 60, 1, sphere_length,
     near_chart},
    {"wall 100:1", "wall.manifold?A=99", 120, 1000, 2, 0, NULL, across_wall},
    {"wall 10^4:1", "wall.manifold?A=9999", 2000, 200, 2, 0, NULL, across_wall},
    {"sphere:100 chart, near", "sphere-chart.manifold?n=100", 100, 64, 100, 1, sphere_length,
     near_chart},
};

/* ---- Measuring ---- */

static double x[MOST * WIDE], y[MOST * WIDE], length[MOST], best_length[MOST], tight_length[MOST],
    error[MOST];
static mst_geodesic_status status[MOST];

static mst_geodesic_output wanted(void)
{
    return (mst_geodesic_output){.length = length, .error = error, .status = status};
}

static size_t sweeps;
static void solve(const geodesic_problem *p, const problem_set *s, mst_geodesics *warm,
                  double tolerance)
{
    mst_geodesic_options options = mst_geodesic_options_default();
    mst_geodesic_output out = wanted();
    options.starts = s->starts;
    options.threads = 1;
    options.tolerance = tolerance;
    options.warm = warm;
    if (warm != NULL) {
        BENCH_OK(geodesic_solve(p, s->n, x, y, &options, &out));
        return;
    }
    ladder_task task = {.problem = p, .options = &options, .out = &out, .n = s->n, .x = x, .y = y};
    BENCH_OK(ladder_run(&task));
    sweeps = task.sweeps;
}

static void open_set(const problem_set *s, mst_manifold **m)
{
    char where[400];
    snprintf(where, sizeof where, "%s/manifolds/%s", MST_BENCH_FILES, s->file);
    BENCH_OK(mst_manifold_parse(m, where));
}

typedef struct verdict {
    /* relative error of lengths that are those of the truth, or of their geodesics */
    double worst;
    size_t converged, longer; /* longer: another geodesic is shorter */
} verdict;

/* Against the closed form, or the shortest of a tighter run and one with more first paths. */
static verdict judge(const geodesic_problem *p, const problem_set *s)
{
    verdict v = {0};
    problem_set more = *s;
    memcpy(best_length, length, s->n * sizeof *length);
    if (s->truth == NULL)
        solve(p, s, NULL, 1e-11);
    memcpy(tight_length, length, s->n * sizeof *length);
    more.starts = 9;
    if (s->truth == NULL && s->starts != 1)
        solve(p, &more, NULL, 1e-8);
    for (size_t i = 0; i < s->n; i++) {
        double truth = s->truth != NULL ? s->truth(s->d, x + i * s->d, y + i * s->d) : length[i],
               tight = s->truth != NULL ? truth : tight_length[i];
        if (isnan(best_length[i]))
            continue;
        v.converged++;
        v.longer += best_length[i] > (1 + 1e-6) * truth;
        if (fabs(best_length[i] / tight - 1) <= 1e-6) /* the same geodesic */
            v.worst = fmax(v.worst, fabs(best_length[i] / tight - 1));
    }
    return v;
}

static void measure(const problem_set *s)
{
    mst_manifold *m;
    geodesic_problem p;
    double seconds, begin = cpu_now();
    open_set(s, &m);
    double made = cpu_now() - begin;
    BENCH_OK(problem_new(&p, m));
    state = 1;
    for (size_t i = 0; i < s->n; i++)
        s->draw(s->d, i, x + i * s->d, y + i * s->d);
    CPU_BEST(seconds, solve(&p, s, NULL, 1e-8));
    double pair = 1e6 * seconds / (double)s->n, all = (double)s->n;
    size_t work = sweeps;
    verdict v = judge(&p, s);
    bench_record(s->name, pair, "us", s->target);
    printf("%-26s %8.2f us, target %6.1f, ratio %4.2f   %5.1f sweeps of %6.3f us   converged %5.1f "
           "%%, "
           "minimal %5.1f %%   error %.1e   read in %.2f ms\n",
           s->name, pair, s->target, pair / s->target, (double)work / all,
           1e6 * seconds / (double)work, 100 * (double)v.converged / all,
           100 * (1 - (double)v.longer / fmax(1, (double)v.converged)), v.worst, 1e3 * made);
    fflush(stdout);
    problem_free(&p);
    mst_manifold_free(m);
}

/* Ends that move by a hundredth of the way, and one pair alone. */
static void measure_again(const problem_set *s, double target, double alone)
{
    mst_manifold *m;
    geodesic_problem p;
    mst_geodesics *warm;
    open_set(s, &m);
    BENCH_OK(problem_new(&p, m));
    BENCH_OK(mst_geodesics_new(&warm, m, s->n));
    state = 1;
    for (size_t i = 0; i < s->n; i++)
        s->draw(s->d, i, x + i * s->d, y + i * s->d);
    problem_set quick = *s;
    quick.starts = 1;
    solve(&p, &quick, warm, 1e-8);
    double best = INFINITY;
    for (int round = 0; round < 40; round++) {
        for (size_t j = 0; j < s->n * s->d; j++) {
            double step = (round % 2 == 0 ? 0.01 : -0.01) * (x[j] - y[j]);
            y[j] += step;
        }
        double begin = cpu_now();
        solve(&p, &quick, warm, 1e-8);
        best = fmin(best, cpu_now() - begin);
    }
    char name[100];
    snprintf(name, sizeof name, "%s, again", s->name);
    bench_record(name, 1e6 * best / (double)s->n, "us", target);
    printf("%-26s %8.2f us, target %6.1f, ratio %4.2f\n", name, 1e6 * best / (double)s->n, target,
           1e6 * best / (double)s->n / target);
    quick.n = 1;
    double seconds;
    CPU_BEST(seconds, solve(&p, &quick, NULL, 1e-8));
    snprintf(name, sizeof name, "%s, alone", s->name);
    bench_record(name, 1e6 * seconds, "us", alone);
    printf("%-26s %8.2f us, target %6.1f, ratio %4.2f\n", name, 1e6 * seconds, alone,
           1e6 * seconds / alone);
    mst_geodesics_free(warm);
    problem_free(&p);
    mst_manifold_free(m);
}

int main(int count, char **arguments)
{
    const char *only = count > 1 ? arguments[1] : "";
    bench_section("Geodesics between GEORCE's end points");
    for (size_t i = 0; i < sizeof georce / sizeof *georce; i++)
        if (strstr(georce[i].name, only) != NULL)
            measure(&georce[i]);
    bench_section("Random pairs");
    for (size_t i = 0; i < sizeof sets / sizeof *sets; i++)
        if (strstr(sets[i].name, only) != NULL)
            measure(&sets[i]);
    bench_section("Again after a small move, and alone");
    if (*only == '\0') {
        measure_again(&georce[0], 1, 10);
        measure_again(&sets[1], 1.4, 10);
        measure_again(&sets[8], 15, 300);
    }
    return 0;
}
