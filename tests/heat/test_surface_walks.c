/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* The law of Brownian motion on surfaces of revolution that are given by formulas, where the curvature is not
 * constant, against the heat equation for functions f(θ) cos(m φ) of latitude and longitude. */
#include "support/statistics.h"
#include "support/support.h"

#include <manistat.h>
#include <stdlib.h>
#include <string.h>

#define PI 3.14159265358979323846
#define SHIPPED MST_TEST_DATA "/../../examples/manifolds/"

/* The profile at the latitude θ in [0, π]: distance from the axis and height. */
static void torus_profile(double theta, double *rho, double *z)
{
    *rho = 1 + 0.5 * cos(theta);
    *z = 0.5 * sin(theta);
}

static void ellipsoid_profile(double theta, double *rho, double *z)
{
    *rho = sin(theta);
    *z = 0.6 * cos(theta);
}

static void bumpy_profile(double theta, double *rho, double *z)
{
    double r = 1 + 0.15 * cos(3 * theta);
    *rho = r * sin(theta);
    *z = r * cos(theta);
}

/* Of rows: latitude enters as a point of the profile, whatever the chart. */
static void torus_point(const double *row, double *p)
{
    p[0] = (1 + 0.5 * cos(row[1])) * cos(row[0]);
    p[1] = (1 + 0.5 * cos(row[1])) * sin(row[0]);
    p[2] = 0.5 * sin(row[1]);
}

static void same_point(const double *row, double *p)
{
    memcpy(p, row, 3 * sizeof *p);
}

static const struct surface {
    const char *file;
    void (*profile)(double theta, double *rho, double *z);
    void (*point)(const double *row, double *p);
    double start[3]; /* at latitude 1, longitude 0 */
} surfaces[] = {
    {SHIPPED "torus.manifold", torus_profile, torus_point, {0, 1}},
    {SHIPPED "ellipsoid.manifold", ellipsoid_profile, same_point, {0}},
    {SHIPPED "bumpy.manifold", bumpy_profile, same_point, {0}},
};
enum { SURFACES = sizeof surfaces / sizeof *surfaces };

/* What is followed: z² (even on the torus too), and x, which is ρ cos φ. */
enum { HEIGHT, ACROSS, FUNCTIONS };
static double function_of(size_t which, double rho, double z)
{
    return which == HEIGHT ? z * z : rho;
}

enum { CELLS = 1000, TIMES = 400 };

typedef struct grid {
    double weight[CELLS], flow[CELLS + 1], loss[CELLS];
} grid;

/* Finite volumes: areas of the rings, and what flows between them. */
static void make_grid(const struct surface *s, size_t m, grid *g)
{
    const double step = PI / CELLS, e = 1e-5;
    double rho, z, low[2], high[2];
    for (size_t k = 0; k <= 2 * CELLS; k++) {
        double theta = 0.5 * (double)k * step;
        s->profile(theta, &rho, &z);
        s->profile(theta - e, &low[0], &low[1]);
        s->profile(theta + e, &high[0], &high[1]);
        double speed = hypot(high[0] - low[0], high[1] - low[1]) / (2 * e);
        if (k % 2 == 0) {
            g->flow[k / 2] = k == 0 || k == 2 * CELLS ? 0 : rho / speed / (step * step);
        } else {
            g->weight[k / 2] = rho * speed;
            g->loss[k / 2] = (double)(m * m) * speed / rho;
        }
    }
}

/* One step of Crank and Nicolson for u_t = ½Δu. */
static void heat_step(const grid *g, double time, double *u)
{
    double right[CELLS], up[CELLS], half = 0.25 * time;
    for (size_t k = 0; k < CELLS; k++) {
        double left = k > 0 ? u[k - 1] - u[k] : 0, next = k + 1 < CELLS ? u[k + 1] - u[k] : 0;
        right[k] = g->weight[k] * u[k] +
                   half * (g->flow[k] * left + g->flow[k + 1] * next - g->loss[k] * u[k]);
    }
    for (size_t k = 0; k < CELLS; k++) {
        double below = k > 0 ? -half * g->flow[k] : 0;
        double pivot = g->weight[k] + half * (g->flow[k] + g->flow[k + 1] + g->loss[k]);
        if (k > 0) {
            pivot -= below * up[k - 1];
            right[k] -= below * right[k - 1];
        }
        up[k] = -half * g->flow[k + 1] / pivot;
        right[k] /= pivot;
    }
    for (size_t k = CELLS; k-- > 0;)
        u[k] = right[k] - (k + 1 < CELLS ? up[k] * u[k + 1] : 0);
}

/* E f(X_t) for the start at latitude 1. */
static double expected(const struct surface *s, size_t which, double time)
{
    static grid g;
    static double u[CELLS];
    double rho, z, place = 1 / (PI / CELLS) - 0.5;
    make_grid(s, which == ACROSS, &g);
    for (size_t k = 0; k < CELLS; k++) {
        s->profile(PI / CELLS * ((double)k + 0.5), &rho, &z);
        u[k] = function_of(which, rho, z);
    }
    for (size_t k = 0; k < TIMES; k++)
        heat_step(&g, time / TIMES, u);
    size_t at = (size_t)place;
    return u[at] + (place - (double)at) * (u[at + 1] - u[at]);
}

/* The mean of f(X_t) over paths of so many steps. */
static void walk(const struct surface *s, double time, size_t steps, size_t paths,
                 moments out[FUNCTIONS])
{
    mst_manifold *m;
    ASSERT_OK(mst_manifold_parse(&m, s->file));
    size_t D = mst_manifold_ambient(m);
    double *x = doubles(paths * D), start[3] = {s->start[0], s->start[1], s->start[2]}, p[3];
    if (s->point == same_point) {
        s->profile(1, &start[0], &start[2]);
        start[1] = 0;
    }
    for (size_t i = 0; i < paths; i++)
        memcpy(x + i * D, start, D * sizeof *x);
    ASSERT_OK(mst_manifold_walk(m, paths, x, time / (double)steps, steps, (mst_noise){.seed = 8}));
    for (size_t i = 0; i < paths; i++) {
        s->point(x + i * D, p);
        moments_add(&out[HEIGHT], p[2] * p[2]);
        moments_add(&out[ACROSS], p[0]);
    }
    free(x);
    mst_manifold_free(m);
}

/* Steps of 1/8 leave 0.6 % of the means, by the curvature of the heat equation itself, and steps of 1/16 a
 * third of that. Five standard errors beside it: a false alarm in 2e6. */
START_TEST(law_at_a_time)
{
    static const struct {
        size_t steps, paths;
        double bias;
    } cases[] = {{4, 60000, 0.006}, {8, 60000, 0.002}};
    const struct surface *s = &surfaces[_i];
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        moments seen[FUNCTIONS] = {0};
        walk(s, 0.5, cases[k].steps, cases[k].paths, seen);
        for (size_t which = 0; which < FUNCTIONS; which++) {
            double want = expected(s, which, 0.5);
            assert_mean(&seen[which], want, cases[k].bias * want, "%s, %zu steps: function %zu",
                        s->file, cases[k].steps, which);
        }
    }
}
END_TEST

/* The path does not depend on how its steps are divided among calls, nor on the rows
 * beside it. */
START_TEST(walks_in_pieces)
{
    enum { PATHS = 70, APART = 67 };
    mst_manifold *m;
    ASSERT_OK(mst_manifold_parse(&m, surfaces[_i].file));
    size_t D = mst_manifold_ambient(m);
    double *whole = doubles(PATHS * D), *parts = doubles(PATHS * D), alone[3];
    for (size_t i = 0; i < PATHS; i++) {
        mst_manifold_start(m, whole + i * D);
        mst_manifold_start(m, parts + i * D);
    }
    mst_manifold_start(m, alone);
    ASSERT_OK(mst_manifold_walk(m, PATHS, whole, 0.03, 6, (mst_noise){.seed = 3}));
    ASSERT_OK(mst_manifold_walk(m, PATHS, parts, 0.03, 2, (mst_noise){.seed = 3}));
    ASSERT_OK(mst_manifold_walk(m, PATHS, parts, 0.03, 4, (mst_noise){.seed = 3, .first_step = 2}));
    ASSERT_OK(mst_manifold_walk(m, 1, alone, 0.03, 6, (mst_noise){.seed = 3, .first_path = APART}));
    ck_assert_mem_eq(whole, parts, PATHS * D * sizeof *whole);
    ck_assert_mem_eq(whole + APART * D, alone, D * sizeof *alone);
    free(whole), free(parts);
    mst_manifold_free(m);
}
END_TEST

int main(void)
{
    return RUN_SUITE("walks on surfaces", 60, {law_at_a_time, SURFACES},
                     {walks_in_pieces, SURFACES});
}
