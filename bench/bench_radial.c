/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Radial heat kernels on one core: million evaluations of (log p, ∂_r, ∂_t) per second with a t per row, and
 * beside it the plain eigenfunction series cut at 100 terms, which is what one would write first (and which
 * has no correct digit at small t far from r = 0). MANISTAT_ISA chooses the instruction set. */
#include "base/isa.h"
#include "bench.h"
#include "heat/radial.h"

#include <math.h>

enum { ROWS = 512, TERMS = 100 };

static double r[ROWS], eps[ROWS], t[ROWS], logp[ROWS], dr[ROWS], dt[ROWS], drr[ROWS];

static void fill(double distance, double time)
{
    for (size_t i = 0; i < ROWS; i++) {
        r[i] = distance;
        eps[i] = mst_radial_eps(distance);
        t[i] = time * (1 + 1e-6 * (double)i);
    }
}

/* Σ_(l ≤ TERMS) d_l e^(−λ_l t/2) P_l(cos r), row by row. */
static void plain_series(size_t dim)
{
    double m = (double)dim, a = (m + 1) / 2;
    double log_volume = log(2) + a * log(acos(-1)) - lgamma(a);
    for (size_t i = 0; i < ROWS; i++) {
        double x = cos(r[i]), before = 1, now = x, slope_before = 0, slope = 1, degree = m + 1;
        double sum = 1, sum_r = 0, sum_t = 0;
        for (double l = 1; l <= TERMS; l++) {
            double lambda = l * (l + m - 1), w = degree * exp(-0.5 * lambda * t[i]);
            sum += w * now;
            sum_t -= 0.5 * lambda * w * now;
            sum_r -= lambda / m * w * slope;
            double next = ((2 * l + m - 1) * x * now - l * before) / (l + m - 1);
            double slope_next = ((2 * l + m - 1) * x * slope - (l - 1) * slope_before) / (l + m);
            before = now;
            now = next;
            slope_before = slope;
            slope = slope_next;
            degree *= (2 * l + m + 1) * (l + m - 1) / ((2 * l + m - 1) * (l + 1));
        }
        logp[i] = log(sum) - log_volume;
        dr[i] = sin(r[i]) * sum_r / sum;
        dt[i] = sum_t / sum;
    }
}

typedef struct spot {
    size_t m;
    double r, t, target;
} spot;

int main(void)
{
    static const spot spheres[] = {
        {2, 3.0, 0.02, 2.5}, {10, 3.1, 0.05, 2.5}, {2, 0.5, 0.5, 2.5}, {10, 1.0, 1e-4, 2.5},
        {3, 1.0, 0.1, 0},    {50, 1.5, 0.05, 0},   {2, 0.5, 0.7, 8},   {10, 1.0, 0.5, 8},
        {2, 3.0, 5.0, 8},    {1, 3.0, 0.1, 0},     {1, 3.0, 2.0, 8},
    };
    static const spot hyperbolics[] = {
        {2, 1, 0.01, 0}, {10, 1, 0.05, 0}, {2, 1, 1, 0}, {10, 3, 1, 0}, {2, 1, 50, 0}, {3, 1, 1, 0},
    };
    const mst_radial_out first = {.logp = logp, .dr = dr, .dt = dt};
    const mst_radial_out second = {.logp = logp, .dr = dr, .dt = dt, .drr = drr};
    char name[80];
    double best, plain;
    printf("instruction set %s\n", mst_isa_name(mst_isa()));
    for (size_t i = 0; i < sizeof spheres / sizeof *spheres; i++) {
        const spot *s = &spheres[i];
        fill(s->r, s->t);
        BENCH_BEST(best, mst_radial_sphere(s->m, ROWS, r, eps, t, &first));
        snprintf(name, sizeof name, "sphere:%zu r = %g, t = %g", s->m, s->r, s->t);
        bench_line(name, 1e-6 * ROWS / best, s->target);
        BENCH_BEST(plain, plain_series(s->m));
        snprintf(name, sizeof name, "    series of %d terms", TERMS);
        bench_line(name, 1e-6 * ROWS / plain, 0);
        BENCH_BEST(best, mst_radial_sphere(s->m, ROWS, r, eps, t, &second));
        bench_line("    with the second derivative", 1e-6 * ROWS / best, 0);
    }
    for (size_t i = 0; i < sizeof hyperbolics / sizeof *hyperbolics; i++) {
        const spot *s = &hyperbolics[i];
        fill(s->r, s->t);
        BENCH_BEST(best, mst_radial_hyperbolic(s->m, ROWS, r, t, &first));
        snprintf(name, sizeof name, "hyperbolic:%zu r = %g, t = %g", s->m, s->r, s->t);
        bench_line(name, 1e-6 * ROWS / best, 0);
    }
    fill(3, 0.1);
    BENCH_BEST(best, mst_radial_so3(ROWS, r, eps, t, &first));
    bench_line("so3 r = 3, t = 0.1", 1e-6 * ROWS / best, 0);
    fill(3, 2);
    BENCH_BEST(best, mst_radial_so3(ROWS, r, eps, t, &first));
    bench_line("so3 r = 3, t = 2", 1e-6 * ROWS / best, 0);
    return 0;
}
