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
    const char *name, *text;
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

/* ---- The texts ---- */

#define SPHERE "metric = 4/(1 + sum(i, 1, n, u[i]^2))^2\nstart = 0\n"
#define CHART(n) "name = sphere\nparameter n = " #n "\ncoordinates u[n]\n" SPHERE
/* The stereographic map to an ellipsoid whose axes go from ½ to 1. */
static char ellipsoid_map[4][4000];
static void write_ellipsoid(size_t d, char *text)
{
    text += sprintf(text,
                    "name = ellipsoid\nparameter n = %zu\ncoordinates u[n]\n"
                    "let s = sum(i, 1, n, u[i]^2)\nembedding = ",
                    d);
    for (size_t k = 1; k <= d; k++)
        text += sprintf(text, "%.17g*u[%zu]/(1 + s), ",
                        2 * (0.5 + 0.5 * (double)(k - 1) / (double)d), k);
    sprintf(text, "(s - 1)/(1 + s)\nstart = 0\n");
}

static const char torus_text[] =
    "name = torus\ncoordinates u v\nperiod u 2*pi\nperiod v 2*pi\nparameter R = 3\n"
    "parameter r = 1\n"
    "metric = (R + r*cos(v))^2, 0; 0, r^2\nstart = 0, 0\n";
static const char torus_map_text[] =
    "name = torus\ncoordinates u v\nperiod u 2*pi\nperiod v 2*pi\nparameter R = 1\n"
    "parameter r = 0.5\n"
    "embedding = (R + r*cos(v))*cos(u), (R + r*cos(v))*sin(u), r*sin(v)\nstart = 0, 0\n";
static const char torus_metric_text[] =
    "name = torus\ncoordinates u v\nperiod u 2*pi\nperiod v 2*pi\nparameter R = 1\n"
    "parameter r = 0.5\n"
    "metric = (R + r*cos(v))^2, 0; 0, r^2\nstart = 0, 0\n";
static const char half_plane_text[] =
    "name = half-plane\ncoordinates x y\nmetric = 1/y^2\ndomain y > 0\nstart = 0, 1\n";
static const char gaussian_text[] =
    "name = gaussian\ncoordinates m s\nmetric = 1/s^2, 0; 0, 2/s^2\ndomain s > 0\nstart = 0, 1\n";
static const char pareto_text[] =
    "name = pareto\ncoordinates t a\nmetric = a^2/t^2, 0; 0, 1/a^2\ndomain t > 0\ndomain a > 0\n"
    "start = 1, 1\n";
/* tr((P⁻¹dP)²) for P = (a b; b c). */
static const char spd_text[] =
    "name = spd\ncoordinates a b c\nlet q = (a*c - b^2)^2\n"
    "metric = c^2/q, -2*b*c/q, b^2/q; -2*b*c/q, 2*(a*c + b^2)/q, -2*a*b/q; b^2/q, -2*a*b/q, a^2/q\n"
    "domain a > 0\ndomain a*c - b^2 > 0\nstart = 1, 0, 1\n";
static const char ellipsoid_text[] = "name = ellipsoid\ncoordinates x y z\nparameter c = 0.6\n"
                                     "constraint = x^2 + y^2 + (z/c)^2 - 1\nstart = 1, 0, 0\n";
static const char bumpy_text[] =
    "name = bumpy\ncoordinates x y z\nlet r = sqrt(x^2 + y^2 + z^2)\nlet c = z/r\n"
    "constraint = r - 1 - 0.15*(4*c^3 - 3*c)\nstart = 1, 0, 0\n";
static const char sphere_text[] = "name = sphere\nparameter n = 11\ncoordinates x[n]\n"
                                  "constraint = sum(i, 1, n, x[i]^2) - 1\nstart = 1, 0, 0, 0, 0, "
                                  "0, 0, 0, 0, 0, 0\n";

static const problem_set georce[] = {
    {"sphere:2 chart", CHART(2), 3, 256, 2, 1, sphere_length, georce_sphere},
    {"sphere:3 chart", CHART(3), 14, 256, 3, 1, sphere_length, georce_sphere},
    {"sphere:5 chart", CHART(5), 80, 256, 5, 1, sphere_length, georce_sphere},
    {"sphere:10 chart", CHART(10), 500, 64, 10, 1, sphere_length, georce_sphere},
    {"ellipsoid:2 map", ellipsoid_map[0], 19, 256, 2, 1, NULL, georce_sphere},
    {"ellipsoid:3 map", ellipsoid_map[1], 23, 256, 3, 1, NULL, georce_sphere},
    {"ellipsoid:5 map", ellipsoid_map[2], 65, 256, 5, 1, NULL, georce_sphere},
    {"ellipsoid:10 map", ellipsoid_map[3], 200, 64, 10, 1, NULL, georce_sphere},
    {"torus 3, 1", torus_text, 22, 256, 2, 1, NULL, georce_torus},
    {"half-plane", half_plane_text, 8, 256, 2, 1, half_plane_length, georce_half_plane},
    {"gaussian", gaussian_text, 8, 256, 2, 1, gaussian_length, georce_gaussian},
    {"pareto", pareto_text, 0, 256, 2, 1, NULL, georce_pareto},
    {"spd:2 chart", spd_text, 5, 256, 3, 1, spd_length, spd_two},
};

static const problem_set sets[] = {
    {"sphere:2 chart, uniform", CHART(2), 10, 1000, 2, 1, sphere_length, uniform_chart},
    {"half-plane, near", half_plane_text, 8, 1000, 2, 1, half_plane_length, random_half_plane},
    {"half-plane, far", half_plane_text, 60, 1000, 2, 1, half_plane_length, far_half_plane},
    {"torus chart, 4 wraps", torus_metric_text, 30, 1000, 2, 0, NULL, uniform_torus},
    {"torus map, 4 wraps", torus_map_text, 30, 1000, 2, 0, NULL, uniform_torus},
    {"ellipsoid constraint", ellipsoid_text, 25, 1000, 3, 0, NULL, uniform_ellipsoid},
    {"bumpy constraint", bumpy_text, 25, 1000, 3, 0, NULL, uniform_bumpy},
    {"sphere:10 constraint", sphere_text, 25, 1000, 11, 1, ambient_sphere_length, uniform_sphere},
    {"sphere:10 chart, near", CHART(10), 72, 512, 10, 1, sphere_length, near_chart},
    {"sphere:20 chart, near", CHART(20), 56, 64, 20, 1, sphere_length, near_chart},
    {"sphere:60 chart, near", CHART(60), 97, 64, 60, 1, sphere_length, near_chart},
    {"sphere:100 chart, near", CHART(100), 100, 64, 100, 1, sphere_length, near_chart},
};

/* ---- Measuring ---- */

static double x[MOST * WIDE], y[MOST * WIDE], length[MOST], best_length[MOST], error[MOST];
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

static void judge(const geodesic_problem *p, const problem_set *s, double *worst, size_t *solved)
{
    for (size_t i = 0; i < s->n; i++)
        best_length[i] = length[i];
    if (s->truth == NULL)
        solve(p, s, NULL, 1e-11);
    *worst = 0;
    *solved = 0;
    for (size_t i = 0; i < s->n; i++) {
        double truth = s->truth != NULL ? s->truth(s->d, x + i * s->d, y + i * s->d) : length[i];
        if (isnan(best_length[i]))
            continue;
        (*solved)++;
        *worst = fmax(*worst, fabs(best_length[i] / truth - 1));
    }
}

static void measure(const problem_set *s)
{
    mst_manifold *m;
    geodesic_problem p;
    double seconds, begin = cpu_now();
    BENCH_OK(mst_formula_manifold_new(&m, s->name, s->name, s->text, strlen(s->text), 0, NULL));
    double made = cpu_now() - begin;
    BENCH_OK(problem_new(&p, m));
    state = 1;
    for (size_t i = 0; i < s->n; i++)
        s->draw(s->d, i, x + i * s->d, y + i * s->d);
    CPU_BEST(seconds, solve(&p, s, NULL, 1e-8));
    double worst, pair = 1e6 * seconds / (double)s->n;
    size_t solved, work = sweeps;
    judge(&p, s, &worst, &solved);
    bench_record(s->name, pair, "us", s->target);
    printf("%-28s %8.2f us/pair  target %6.1f   %5.1f sweeps, %6.3f us each   solved %5.1f %%   "
           "error %.1e   made in %.2f ms\n",
           s->name, pair, s->target, (double)work / (double)s->n, 1e6 * seconds / (double)work,
           100 * (double)solved / (double)s->n, worst, 1e3 * made);
    fflush(stdout);
    problem_free(&p);
    mst_manifold_free(m);
}

/* Ends that move by a hundredth of the way, and one pair alone. */
static void measure_again(const problem_set *s, double target)
{
    mst_manifold *m;
    geodesic_problem p;
    mst_geodesics *warm;
    BENCH_OK(mst_formula_manifold_new(&m, s->name, s->name, s->text, strlen(s->text), 0, NULL));
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
    printf("%-28s %8.2f us/pair  target %6.1f\n", name, 1e6 * best / (double)s->n, target);
    quick.n = 1;
    double seconds;
    CPU_BEST(seconds, solve(&p, &quick, NULL, 1e-8));
    snprintf(name, sizeof name, "%s, alone", s->name);
    bench_record(name, 1e6 * seconds, "us", 0);
    printf("%-28s %8.2f us\n", name, 1e6 * seconds);
    mst_geodesics_free(warm);
    problem_free(&p);
    mst_manifold_free(m);
}

int main(int count, char **arguments)
{
    const char *only = count > 1 ? arguments[1] : "";
    for (size_t k = 0; k < 4; k++)
        write_ellipsoid((size_t[]){2, 3, 5, 10}[k], ellipsoid_map[k]);
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
        measure_again(&georce[0], 1);
        measure_again(&sets[1], 1.4);
        measure_again(&sets[8], 15);
    }
    return 0;
}
