/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* ∫ p_t(x, z) dz = 1 and ∫ p_s(x, z) p_t(z, y) dz = p_{s+t}(x, y), by quadrature.
 *
 * Rules and their errors: Gauss–Legendre with 20 nodes on panels not wider than the kernel is smooth over
 * (√t, or t near a cut locus) is exact to rounding; so is the trapezoid rule in a periodic direction once it
 * resolves the frequencies L with e^(−L²t/2) > 1e-17; integrals over infinite lines are cut where the
 * integrand is below e^(−40). What is left is the error of p, 1e-12, and the rounding of the points. */
#include "support/support.h"

#include <manistat/heat.h>
#include <stdlib.h>
#include <string.h>

enum { NODES = 20 };

/* Nodes and weights on [−1, 1]: Newton's method on the Legendre polynomial. */
static void gauss_legendre(size_t n, double *x, double *w)
{
    for (size_t i = 0; i < n; i++) {
        double z = cos(M_PI * ((double)i + 0.75) / ((double)n + 0.5)), slope = 1;
        for (int step = 0; step < 100; step++) {
            double p = 1, before = 0;
            for (size_t k = 0; k < n; k++) {
                double next = ((2 * (double)k + 1) * z * p - (double)k * before) / ((double)k + 1);
                before = p;
                p = next;
            }
            slope = (double)n * (z * p - before) / (z * z - 1);
            z -= p / slope;
            if (fabs(p / slope) < 1e-15)
                break;
        }
        x[i] = z;
        w[i] = 2 / ((1 - z * z) * slope * slope);
    }
}

/* Panels of NODES nodes on [low, high]: r and weights (panels·NODES). */
static size_t panels(double low, double high, double width, double **r, double **w)
{
    size_t count = (size_t)ceil((high - low) / width);
    double x[NODES], weights[NODES], half = (high - low) / (2 * (double)count);
    gauss_legendre(NODES, x, weights);
    *r = doubles(count * NODES);
    *w = doubles(count * NODES);
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < NODES; k++) {
            (*r)[i * NODES + k] = low + half * ((double)(2 * i + 1) + x[k]);
            (*w)[i * NODES + k] = half * weights[k];
        }
    return count * NODES;
}

/* Points z (n, D) with their weights, the volume included. */
typedef struct rule {
    const char *spec;
    mst_manifold *m;
    size_t n, D;
    double *z, *w;
} rule;

static rule new_rule(const char *spec, size_t n)
{
    rule q = {.spec = spec, .n = n};
    ASSERT_OK(mst_manifold_parse(&q.m, spec));
    q.D = mst_manifold_ambient(q.m);
    q.z = doubles(n * q.D);
    q.w = doubles(n);
    return q;
}

static void free_rule(rule *q)
{
    mst_manifold_free(q->m);
    free(q->z);
    free(q->w);
}

/* log p_t(x, z) for all nodes. */
static double *log_kernel(const rule *q, const double *x, double t)
{
    double *xs = doubles(q->n * q->D), *log_p = doubles(q->n);
    for (size_t i = 0; i < q->n; i++)
        memcpy(xs + i * q->D, x, q->D * sizeof *x);
    ASSERT_OK(mst_heat_kernel(q->m, q->n, q->z, xs, t, 2, &(mst_heat_values){.log_p = log_p}));
    free(xs);
    return log_p;
}

/* In the tolerances: the error of log p is 1e-12 of its size, which is at most a hundred where p counts. */
static void assert_one(const rule *q, const double *x, double t)
{
    double *log_p = log_kernel(q, x, t), sum = 0;
    for (size_t i = 0; i < q->n; i++)
        sum += q->w[i] * exp(log_p[i]);
    assert_near(sum, 1, 1e-11, "%s: integral, t = %g", q->spec, t);
    free(log_p);
}

static void assert_semigroup(const rule *q, const double *x, const double *y, double s, double t)
{
    double *first = log_kernel(q, x, s), *second = log_kernel(q, y, t), sum = 0, whole;
    ASSERT_OK(mst_heat_kernel(q->m, 1, x, y, s + t, 1, &(mst_heat_values){.log_p = &whole}));
    for (size_t i = 0; i < q->n; i++)
        sum += q->w[i] * exp(first[i] + second[i] - whole);
    assert_near(sum, 1, 1e-11, "%s: semigroup, s = %g, t = %g", q->spec, s, t);
    free(first);
    free(second);
}

/* ---- Radial: volume ω sin_k(r)^(m−1) dr with ω the area of the unit sphere S^(m−1) ---- */
static double log_area(double m)
{
    return log(2) + m / 2 * log(M_PI) - lgamma(m / 2);
}

typedef struct radial_case {
    const char *spec;
    double m;
    double curvature; /* of the space, and its square root's sign: 1, −1, ¼ */
} radial_case;

static const radial_case radial_cases[] = {
    {"sphere:1", 1, 1},      {"sphere:2", 2, 1},      {"sphere:3", 3, 1},
    {"sphere:4", 4, 1},      {"sphere:10", 10, 1},    {"sphere:37", 37, 1},
    {"hyperbolic:1", 1, -1}, {"hyperbolic:2", 2, -1}, {"hyperbolic:3", 3, -1},
    {"hyperbolic:4", 4, -1}, {"hyperbolic:9", 9, -1}, {"so3", 3, 0.25},
};

START_TEST(integrates_to_one)
{
    const radial_case *c = &radial_cases[_i];
    const double times[] = {1e-4, 0.01, 0.2, 0.9, 1.1, 6};
    for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
        double t = times[i], m = c->m, *r, *w, root = sqrt(fabs(c->curvature));
        /* r² e^(…) is largest at √(mt), on hyperbolic spaces mass moves on by (m−1)t/2. */
        double reach = sqrt(t) * (sqrt(m) + 10) + (c->curvature < 0 ? (m - 1) * t / 2 : 0);
        if (c->curvature > 0)
            reach = fmin(reach, M_PI);
        size_t n = panels(0, reach, sqrt(t) / 2, &r, &w);
        rule q = new_rule(c->spec, n);
        double start[64], coordinates[64] = {0}, v[64];
        mst_manifold_start(q.m, start);
        for (size_t k = 0; k < n; k++) {
            coordinates[0] = r[k];
            ASSERT_OK(mst_manifold_from_frame(q.m, 1, start, coordinates, v));
            ASSERT_OK(mst_manifold_exp(q.m, 1, start, v, q.z + k * q.D));
            double radius = c->curvature < 0 ? sinh(r[k]) : sin(root * r[k]) / root;
            q.w[k] = w[k] * exp(log_area(m) + (m - 1) * log(radius));
        }
        assert_one(&q, start, t);
        free_rule(&q);
        free(r);
        free(w);
    }
}
END_TEST

/* ---- Grids over the whole space ---- */
static rule torus_rule(size_t m, size_t side)
{
    const char *const specs[] = {"circle", "torus:2"};
    size_t n = m == 1 ? side : side * side;
    rule q = new_rule(specs[m - 1], n);
    for (size_t i = 0; i < n; i++) {
        for (size_t a = 0; a < m; a++)
            q.z[i * m + a] = 2 * M_PI * (double)(a == 0 ? i % side : i / side) / (double)side - 1;
        q.w[i] = pow(2 * M_PI / (double)side, (double)m);
    }
    return q;
}

START_TEST(circle_and_torus)
{
    for (size_t m = 1; m <= 2; m++) {
        rule q = torus_rule(m, m == 1 ? 600 : 120);
        const double x[] = {0.3, -2}, y[] = {3.1, 1.4},
                     pairs[][2] = {{0.02, 0.7}, {0.1, 0.2}, {1, 3}};
        for (size_t i = 0; i < 3; i++) {
            assert_one(&q, x, fmax(0.05, pairs[i][0]));
            assert_semigroup(&q, x, y, fmax(0.05, pairs[i][0]), pairs[i][1]);
        }
        free_rule(&q);
    }
}
END_TEST

/* Gauss–Legendre in the height, trapezoids in the longitude: exact to the degree 2·rings − 1. */
START_TEST(sphere)
{
    enum { RINGS = 80, SECTORS = 160 };
    rule q = new_rule("sphere:2", RINGS * SECTORS);
    double height[RINGS], w[RINGS];
    gauss_legendre(RINGS, height, w);
    for (size_t i = 0; i < q.n; i++) {
        double z = height[i / SECTORS], rho = sqrt(1 - z * z);
        double angle = 2 * M_PI * (double)(i % SECTORS) / SECTORS;
        memcpy(q.z + 3 * i, (double[]){rho * cos(angle), rho * sin(angle), z}, 3 * sizeof(double));
        q.w[i] = w[i / SECTORS] * 2 * M_PI / SECTORS;
    }
    const double x[] = {0.48, 0.6, 0.64},
                 ys[][3] = {{0, 0.6, -0.8}, {0.48, 0.6, 0.64}, {-0.48, -0.6, -0.64}};
    const double pairs[][2] = {{0.05, 0.06}, {0.1, 0.8}, {0.3, 0.3}, {1, 2}};
    for (size_t i = 0; i < 4; i++) {
        assert_one(&q, x, pairs[i][0]);
        for (size_t k = 0; k < 3; k++)
            assert_semigroup(&q, x, ys[k], pairs[i][0], pairs[i][1]);
    }
    free_rule(&q);
}
END_TEST

/* Polar coordinates round the origin. */
static rule plane_rule(double reach, double width, size_t sectors)
{
    double *r, *w;
    size_t n = panels(0, reach, width, &r, &w);
    rule q = new_rule("hyperbolic:2", n * sectors);
    for (size_t i = 0; i < q.n; i++) {
        double rho = r[i / sectors], angle = 2 * M_PI * (double)(i % sectors) / (double)sectors;
        memcpy(q.z + 3 * i, (double[]){cosh(rho), sinh(rho) * cos(angle), sinh(rho) * sin(angle)},
               3 * sizeof(double));
        q.w[i] = w[i / sectors] * sinh(rho) * 2 * M_PI / (double)sectors;
    }
    free(r);
    free(w);
    return q;
}

START_TEST(hyperbolic_plane)
{
    rule q = plane_rule(8, 0.5, 256);
    const double x[] = {cosh(0.5), sinh(0.5), 0},
                 y[] = {cosh(0.7), 0.6 * sinh(0.7), -0.8 * sinh(0.7)};
    const double pairs[][2] = {{0.2, 0.3}, {0.1, 0.1}, {0.25, 0.4}};
    for (size_t i = 0; i < 3; i++) {
        assert_one(&q, x, pairs[i][0]);
        assert_semigroup(&q, x, y, pairs[i][0], pairs[i][1]);
    }
    free_rule(&q);
}
END_TEST

/* Q = e^(σ/√2) [[x₀ + x₁, x₂], [x₂, x₀ − x₁]]; the plane's lengths are multiplied by √2, its areas by 2. */
START_TEST(spd2)
{
    enum { LINE = 60 };
    rule plane = plane_rule(5, 0.5, 96), q = new_rule("spd:2", LINE * plane.n);
    const double step =
        0.13; /* the trapezoid rule for a Gaussian of variance t is right to e^(−2π²t/step²) */
    for (size_t i = 0; i < q.n; i++) {
        const double *z = plane.z + i % plane.n * 3;
        double sigma = step * ((double)(i / plane.n) - LINE / 2), scale = exp(M_SQRT1_2 * sigma);
        memcpy(q.z + 4 * i,
               (double[]){scale * (z[0] + z[1]), scale * z[2], scale * z[2], scale * (z[0] - z[1])},
               4 * sizeof(double));
        q.w[i] = 2 * plane.w[i % plane.n] * step;
    }
    const double x[] = {1.3, 0.2, 0.2, 0.9}, y[] = {0.8, -0.3, -0.3, 1.1};
    assert_one(&q, x, 0.2);
    assert_semigroup(&q, x, y, 0.15, 0.2);
    free_rule(&plane);
    free_rule(&q);
}
END_TEST

static void rotate(double a, double b, double c, double *out)
{
    double ca = cos(a), sa = sin(a), cb = cos(b), sb = sin(b), cc = cos(c), sc = sin(c);
    double matrix[] = {ca * cb * cc - sa * sc,
                       -ca * cb * sc - sa * cc,
                       ca * sb,
                       sa * cb * cc + ca * sc,
                       -sa * cb * sc + ca * cc,
                       sa * sb,
                       -sb * cc,
                       sb * sc,
                       cb};
    memcpy(out, matrix, sizeof matrix);
}

/* Euler angles z, y, z: volume sin b da db dc, 8π² in all; degree L of p has the weight e^(−L(L+1)t/2). */
START_TEST(rotations)
{
    enum { TURN = 40, TILT = 20 };
    rule q = new_rule("so3", TURN * TURN * TILT);
    double height[TILT], w[TILT];
    gauss_legendre(TILT, height, w);
    for (size_t i = 0; i < q.n; i++) {
        size_t tilt = i / (TURN * TURN);
        rotate(2 * M_PI * (double)(i % TURN) / TURN, acos(height[tilt]),
               2 * M_PI * (double)(i / TURN % TURN) / TURN, q.z + 9 * i);
        q.w[i] = w[tilt] * 4 * M_PI * M_PI / (TURN * TURN);
    }
    double x[9], y[9];
    rotate(0.3, 1, -2, x);
    const double pairs[][2] = {{0.3, 0.4}, {0.3, 1.5}, {2, 1}}, turns[] = {0.3, -2, 3.2};
    for (size_t i = 0; i < 3; i++) {
        assert_one(&q, x, pairs[i][0]);
        rotate(turns[i], 1, 0.4, y);
        assert_semigroup(&q, x, y, pairs[i][0], pairs[i][1]);
    }
    free_rule(&q);
}
END_TEST

int main(void)
{
    return RUN_SUITE(
        "kernel integrals", 60, {integrates_to_one, sizeof radial_cases / sizeof *radial_cases},
        {circle_and_torus, 0}, {sphere, 0}, {hyperbolic_plane, 0}, {spd2, 0}, {rotations, 0});
}
