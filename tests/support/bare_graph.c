/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* A manifold that is not a symmetric space, with the required slots only: the graph z = f(x) = Σ a_k x_k²/2
 * in R⁴. Geodesics of the level set F = z − f = 0 solve γ'' = −Hess F(γ', γ')/|∇F|² ∇F, and a parallel field
 * u along them u' = −Hess F(γ', u)/|∇F|² ∇F; both by the classical Runge–Kutta rule with steps of length
 * GRAPH_STEP, whose error is about 1e-12 per unit of length. */
#include "support/bare_graph.h"

#include <string.h>

enum { D = GRAPH_COLUMNS, LAST = D - 1 };
static const double second[LAST] = {0.6, -0.4, 0.9}; /* a_k */
#define GRAPH_STEP 0.005

static double height(const double *x)
{
    double sum = 0;
    for (int k = 0; k < LAST; k++)
        sum += second[k] * x[k] * x[k] / 2;
    return sum;
}

static void gradient(const double *x, double *g)
{
    for (int k = 0; k < LAST; k++)
        g[k] = -second[k] * x[k];
    g[LAST] = 1;
}

/* The shape operator: −Hess F/|∇F| = diag(a, 0)/|∇F|, projected. */
static void shape(const double *x, const double *u, double *out)
{
    double g[D], along = 0;
    gradient(x, g);
    double square = dot(D, g, g);
    for (int k = 0; k < LAST; k++)
        along += g[k] * second[k] * u[k] / square;
    for (int k = 0; k < D; k++)
        out[k] = ((k < LAST ? second[k] * u[k] : 0) - along * g[k]) / sqrt(square);
}

void graph_ricci(const double *x, const double *u, double *out)
{
    double g[D], once[D], twice[D], trace = 0;
    gradient(x, g);
    double square = dot(D, g, g);
    for (int k = 0; k < LAST; k++)
        trace += second[k] * (1 - g[k] * g[k] / square) / sqrt(square);
    shape(x, u, once);
    shape(x, once, twice);
    for (int k = 0; k < D; k++)
        out[k] = trace * once[k] - twice[k];
}

/* The state is the point, the velocity and the carried vector. */
enum { STATE = 3 * D };
static void derivative(const double *s, double *out)
{
    double g[D];
    gradient(s, g);
    double square = dot(D, g, g), bend[2] = {0, 0};
    for (int k = 0; k < LAST; k++) { /* −Hess F = diag(a, 0) */
        bend[0] += second[k] * s[D + k] * s[D + k] / square;
        bend[1] += second[k] * s[D + k] * s[2 * D + k] / square;
    }
    for (int k = 0; k < D; k++) {
        out[k] = s[D + k];
        out[D + k] = bend[0] * g[k];
        out[2 * D + k] = bend[1] * g[k];
    }
}

static void runge_kutta(double *s, size_t steps)
{
    static const double at[] = {0, 0.5, 0.5, 1}, weight[] = {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6};
    double h = 1 / (double)steps;
    for (size_t i = 0; i < steps; i++) {
        double slope[STATE] = {0}, stage[STATE], sum[STATE] = {0};
        for (int k = 0; k < 4; k++) {
            for (int a = 0; a < STATE; a++)
                stage[a] = s[a] + at[k] * h * slope[a];
            derivative(stage, slope);
            for (int a = 0; a < STATE; a++)
                sum[a] += weight[k] * h * slope[a];
        }
        for (int a = 0; a < STATE; a++)
            s[a] += sum[a];
    }
}

void graph_carry(const double *x, const double *v, const double *u, double *y, double *out)
{
    double s[STATE];
    memcpy(s, x, D * sizeof *s);
    memcpy(s + D, v, D * sizeof *s);
    memcpy(s + 2 * D, u, D * sizeof *s);
    runge_kutta(s, (size_t)(euclidean_norm(D, v) / GRAPH_STEP) + 1);
    memcpy(y, s, D * sizeof *s);
    y[LAST] = height(y);
    memcpy(out, s + 2 * D, D * sizeof *s);
}

static void start(const mst_manifold *m, double *x)
{
    (void)m;
    memset(x, 0, D * sizeof *x);
}

static mst_status project(const mst_manifold *m, size_t n, const double *x, double *y)
{
    (void)m;
    memmove(y, x, n * D * sizeof *y);
    for (size_t i = 0; i < n * D; i += D) {
        if (!all_finite(D, y + i))
            return mst_fail(MST_DOMAIN, "a coordinate is not finite");
        y[i + LAST] = height(y + i);
    }
    return MST_OK;
}

static mst_status tangent(const mst_manifold *m, size_t n, const double *x, const double *w,
                          double *v)
{
    (void)m;
    for (size_t i = 0; i < n * D; i += D) {
        double g[D];
        gradient(x + i, g);
        double along = dot(D, g, w + i) / dot(D, g, g);
        for (size_t a = 0; a < D; a++)
            v[i + a] = w[i + a] - along * g[a];
    }
    return MST_OK;
}

static mst_status exponential(const mst_manifold *m, size_t n, const double *x, const double *v,
                              double *y)
{
    (void)m;
    double unused[D];
    for (size_t i = 0; i < n * D; i += D)
        graph_carry(x + i, v + i, v + i, y + i, unused);
    return MST_OK;
}

static const mst_manifold_ops table = {
    .size = sizeof(mst_manifold_ops),
    .name = "graph",
    .start = start,
    .project = project,
    .tangent = tangent,
    .inner = ambient_inner,
    .exp = exponential,
};

mst_status bare_graph_new(mst_manifold **out)
{
    return mst_manifold_new(out, &table, "graph", D - 1, D, NULL);
}
