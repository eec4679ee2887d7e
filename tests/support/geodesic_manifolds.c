/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

#include "support/geodesic_manifolds.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void start(const mst_manifold *m, double *x)
{
    memset(x, 0, mst_manifold_ambient(m) * sizeof *x);
}

/* ---- The sphere ---- */

static double dot(size_t n, const double *a, const double *b)
{
    double sum = 0;
    for (size_t k = 0; k < n; k++)
        sum += a[k] * b[k];
    return sum;
}

static mst_status sphere_lagrangian(const mst_manifold *m, size_t n, const double *x,
                                    const double *v, double *l, double *l_x, double *l_v)
{
    size_t d = mst_manifold_dim(m);
    for (size_t i = 0; i < n; i++, x += d, v += d, l_x += d, l_v += d) {
        double s = 1 / (1 + dot(d, x, x)), square = dot(d, v, v), g = 4 * s * s;
        l[i] = 0.5 * g * square;
        for (size_t k = 0; k < d; k++) {
            l_x[k] = -2 * s * g * x[k] * square;
            l_v[k] = g * v[k];
        }
    }
    return MST_OK;
}

static mst_status sphere_blocks(const mst_manifold *m, size_t n, const double *x, const double *v,
                                double *l_vv, double *l_xv, double *l_xx)
{
    size_t d = mst_manifold_dim(m);
    for (size_t i = 0; i < n; i++, x += d, v += d, l_vv += d * d, l_xv += d * d, l_xx += d * d) {
        double s = 1 / (1 + dot(d, x, x)), square = dot(d, v, v), g = 4 * s * s;
        for (size_t a = 0; a < d; a++)
            for (size_t b = 0; b < d; b++) {
                size_t at = a * d + b;
                l_vv[at] = a == b ? g : 0;
                l_xv[at] = -4 * s * g * x[a] * v[b];
                l_xx[at] = (12 * s * s * g * x[a] * x[b] - (a == b ? 2 * s * g : 0)) * square;
            }
    }
    return MST_OK;
}

static mst_status sphere_hvp(const mst_manifold *m, size_t n, const double *x, const double *v,
                             const double *dx, const double *dv, double *dl_x, double *dl_v)
{
    size_t d = mst_manifold_dim(m);
    for (size_t i = 0; i < n; i++, x += d, v += d, dx += d, dv += d, dl_x += d, dl_v += d) {
        double s = 1 / (1 + dot(d, x, x)), square = dot(d, v, v), g = 4 * s * s;
        double along = dot(d, x, dx), mixed = dot(d, v, dv);
        for (size_t k = 0; k < d; k++) {
            dl_x[k] = 12 * s * s * g * x[k] * along * square - 2 * s * g * dx[k] * square -
                      4 * s * g * x[k] * mixed;
            dl_v[k] = g * dv[k] - 4 * s * g * along * v[k];
        }
    }
    return MST_OK;
}

static const mst_metric_ops sphere_table = {
    .size = sizeof(mst_metric_ops),
    .name = "stereographic",
    .start = start,
    .lagrangian = sphere_lagrangian,
    .lagrangian_hvp = sphere_hvp,
    .lagrangian_blocks = sphere_blocks,
};

mst_status stereographic_new(mst_manifold **out, size_t d)
{
    return mst_metric_new(out, &sphere_table, "stereographic", d, NULL);
}

void stereographic_to_sphere(size_t d, const double *x, double *y)
{
    double square = dot(d, x, x);
    for (size_t k = 0; k < d; k++)
        y[k] = 2 * x[k] / (1 + square);
    y[d] = (square - 1) / (1 + square);
}

void stereographic_from_sphere(size_t d, const double *x, double *y)
{
    for (size_t k = 0; k < d; k++)
        y[k] = x[k] / (1 - x[d]);
}

/* ---- The torus ---- */

typedef struct radii {
    double R, r;
} radii;

static const radii *radii_of(const mst_manifold *m)
{
    return mst_manifold_data(m);
}

static mst_status torus_lagrangian(const mst_manifold *m, size_t n, const double *x,
                                   const double *v, double *l, double *l_x, double *l_v)
{
    const radii *q = radii_of(m);
    for (size_t i = 0; i < n; i++, x += 2, v += 2, l_x += 2, l_v += 2) {
        double w = q->R + q->r * cos(x[1]), slope = -q->r * sin(x[1]), square = q->r * q->r;
        l[i] = 0.5 * (w * w * v[0] * v[0] + square * v[1] * v[1]);
        l_x[0] = 0;
        l_x[1] = w * slope * v[0] * v[0];
        l_v[0] = w * w * v[0];
        l_v[1] = square * v[1];
    }
    return MST_OK;
}

static mst_status torus_blocks(const mst_manifold *m, size_t n, const double *x, const double *v,
                               double *l_vv, double *l_xv, double *l_xx)
{
    const radii *q = radii_of(m);
    for (size_t i = 0; i < n; i++, x += 2, v += 2, l_vv += 4, l_xv += 4, l_xx += 4) {
        double c = q->r * cos(x[1]), w = q->R + c, slope = -q->r * sin(x[1]);
        memset(l_vv, 0, 4 * sizeof *l_vv);
        memset(l_xv, 0, 4 * sizeof *l_xv);
        memset(l_xx, 0, 4 * sizeof *l_xx);
        l_vv[0] = w * w;
        l_vv[3] = q->r * q->r;
        l_xv[2] = 2 * w * slope * v[0];
        l_xx[3] = (slope * slope - w * c) * v[0] * v[0];
    }
    return MST_OK;
}

static mst_status torus_hvp(const mst_manifold *m, size_t n, const double *x, const double *v,
                            const double *dx, const double *dv, double *dl_x, double *dl_v)
{
    for (size_t i = 0; i < n; i++, x += 2, v += 2, dx += 2, dv += 2, dl_x += 2, dl_v += 2) {
        double g[4], xv[4], xx[4];
        mst_status status = torus_blocks(m, 1, x, v, g, xv, xx);
        if (status != MST_OK)
            return status;
        for (size_t a = 0; a < 2; a++) {
            dl_x[a] = dot(2, xx + 2 * a, dx) + dot(2, xv + 2 * a, dv);
            dl_v[a] = dot(2, g + 2 * a, dv) + xv[a] * dx[0] + xv[2 + a] * dx[1];
        }
    }
    return MST_OK;
}

static void torus_period(const mst_manifold *m, double *period)
{
    (void)m;
    period[0] = period[1] = 2 * M_PI;
}

static mst_status torus_embedding(const mst_manifold *m, size_t n, const double *x, double *f,
                                  double *jacobian)
{
    const radii *q = radii_of(m);
    for (size_t i = 0; i < n; i++) {
        double u = x[2 * i], v = x[2 * i + 1], w = q->R + q->r * cos(v);
        if (f != NULL)
            memcpy(f + 3 * i, (double[]){w * cos(u), w * sin(u), q->r * sin(v)}, 3 * sizeof *f);
        if (jacobian != NULL)
            memcpy(jacobian + 6 * i,
                   (double[]){-w * sin(u), -q->r * sin(v) * cos(u), w * cos(u),
                              -q->r * sin(v) * sin(u), 0, q->r * cos(v)},
                   6 * sizeof *jacobian);
    }
    return MST_OK;
}

static mst_status torus_bend(const mst_manifold *m, size_t n, const double *x, const double *c,
                             double *bend)
{
    const radii *q = radii_of(m);
    for (size_t i = 0; i < n; i++, c += 3, bend += 4) {
        double u = x[2 * i], v = x[2 * i + 1], w = q->R + q->r * cos(v);
        double out = c[0] * cos(u) + c[1] * sin(u), side = c[1] * cos(u) - c[0] * sin(u);
        bend[0] = -w * out;
        bend[1] = bend[2] = -q->r * sin(v) * side;
        bend[3] = -q->r * (cos(v) * out + sin(v) * c[2]);
    }
    return MST_OK;
}

mst_status torus_chart_new(mst_manifold **out, double R, double r, bool embedded)
{
    mst_metric_ops table = {
        .size = sizeof table,
        .name = "torus chart",
        .start = start,
        .lagrangian = torus_lagrangian,
        .lagrangian_hvp = torus_hvp,
        .lagrangian_blocks = torus_blocks,
        .period = torus_period,
        .free_data = free,
    };
    if (embedded) {
        table.embedded = 3;
        table.embedding = torus_embedding;
        table.embedding_bend = torus_bend;
    }
    radii *q = malloc(sizeof *q);
    if (q == NULL)
        return MST_MEMORY;
    *q = (radii){R, r};
    return mst_metric_new(out, &table, "torus chart", 2, q);
}

/* ---- Equations ---- */

static const double *numbers_of(const mst_manifold *m)
{
    return mst_manifold_data(m);
}

static mst_status quadric(const mst_manifold *m, size_t n, const double *x, double *h,
                          double *gradient)
{
    const double *weight = numbers_of(m);
    size_t D = mst_manifold_ambient(m);
    for (size_t i = 0; i < n; i++, x += D) {
        double sum = -1;
        for (size_t k = 0; k < D; k++) {
            sum += weight[k] * x[k] * x[k];
            if (gradient != NULL)
                gradient[i * D + k] = 2 * weight[k] * x[k];
        }
        if (h != NULL)
            h[i] = sum;
    }
    return MST_OK;
}

static mst_status quadric_hessian(const mst_manifold *m, size_t n, const double *x,
                                  const double *lambda, double *hessian)
{
    const double *weight = numbers_of(m);
    size_t D = mst_manifold_ambient(m);
    (void)x;
    memset(hessian, 0, n * D * D * sizeof *hessian);
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < D; k++)
            hessian[i * D * D + k * (D + 1)] = 2 * lambda[i] * weight[k];
    return MST_OK;
}

/* s − 1 − 0.15 (4 c³ − 3 c) with s = |x|, c = z/s. */
static mst_status bumpy(const mst_manifold *m, size_t n, const double *x, double *h,
                        double *gradient)
{
    (void)m;
    for (size_t i = 0; i < n; i++, x += 3) {
        double s = sqrt(dot(3, x, x)), c = x[2] / s, f = 0.15 * (12 * c * c - 3);
        if (h != NULL)
            h[i] = s - 1 - 0.15 * (4 * c * c * c - 3 * c);
        for (size_t k = 0; gradient != NULL && k < 3; k++)
            gradient[3 * i + k] = x[k] / s - f * ((k == 2 ? 1 : 0) - c * x[k] / s) / s;
    }
    return MST_OK;
}

static mst_status bumpy_hessian(const mst_manifold *m, size_t n, const double *x,
                                const double *lambda, double *hessian)
{
    (void)m;
    for (size_t i = 0; i < n; i++, x += 3) {
        double s = sqrt(dot(3, x, x)), c = x[2] / s;
        double f = 0.15 * (12 * c * c - 3), second = 0.15 * 24 * c, u[3], e[3];
        for (size_t k = 0; k < 3; k++) {
            u[k] = x[k] / s;
            e[k] = (k == 2 ? 1 : 0) - c * u[k]; /* s ∇c */
        }
        for (size_t a = 0; a < 3; a++)
            for (size_t b = 0; b < 3; b++) {
                double flat = (a == b ? 1 : 0) - u[a] * u[b];
                /* s² ∇²c = −(u e + e u) − c flat */
                double bent = -(u[a] * e[b] + e[a] * u[b]) - c * flat;
                hessian[9 * i + 3 * a + b] =
                    lambda[i] * (flat / s - (f * bent + second * e[a] * e[b]) / (s * s));
            }
    }
    return MST_OK;
}

/* (ρ − R)² + z² − r², divided by 2r. */
static mst_status ring(const mst_manifold *m, size_t n, const double *x, double *h,
                       double *gradient)
{
    const double *q = numbers_of(m);
    for (size_t i = 0; i < n; i++, x += 3) {
        double rho = hypot(x[0], x[1]), off = rho - q[0];
        if (h != NULL)
            h[i] = (off * off + x[2] * x[2] - q[1] * q[1]) / (2 * q[1]);
        for (size_t k = 0; gradient != NULL && k < 3; k++)
            gradient[3 * i + k] = (k == 2 ? x[2] : off * x[k] / rho) / q[1];
    }
    return MST_OK;
}

static mst_status ring_hessian(const mst_manifold *m, size_t n, const double *x,
                               const double *lambda, double *hessian)
{
    const double *q = numbers_of(m);
    memset(hessian, 0, 9 * n * sizeof *hessian);
    for (size_t i = 0; i < n; i++, x += 3, hessian += 9) {
        double rho = hypot(x[0], x[1]), part = q[0] / rho, scale = lambda[i] / q[1];
        for (size_t a = 0; a < 2; a++)
            for (size_t b = 0; b < 2; b++)
                hessian[3 * a + b] =
                    scale * ((a == b ? 1 - part : 0) + part * x[a] * x[b] / (rho * rho));
        hessian[8] = scale;
    }
    return MST_OK;
}

/* Some point, off the manifold as it may be. */
static void start_off(const mst_manifold *m, double *x)
{
    start(m, x);
    x[0] = 1;
}

static mst_status make(mst_manifold **out, mst_constraint_ops ops, size_t D, const double *numbers)
{
    double *copy = calloc(D, sizeof *copy);
    if (copy == NULL)
        return MST_MEMORY;
    memcpy(copy, numbers, D * sizeof *copy);
    ops.size = sizeof ops;
    ops.name = "equation";
    ops.start = start_off;
    ops.free_data = free;
    return mst_constraint_new(out, &ops, "equation", D, 1, copy);
}

mst_status ellipsoid_equation_new(mst_manifold **out, size_t D, const double *axes)
{
    double weight[16];
    for (size_t k = 0; k < D; k++)
        weight[k] = 1 / (axes[k] * axes[k]);
    mst_constraint_ops ops = {.constraint = quadric, .constraint_hessian = quadric_hessian};
    return make(out, ops, D, weight);
}

mst_status bumpy_equation_new(mst_manifold **out)
{
    mst_constraint_ops ops = {.constraint = bumpy, .constraint_hessian = bumpy_hessian};
    return make(out, ops, 3, (double[3]){0});
}

mst_status torus_equation_new(mst_manifold **out, double R, double r)
{
    mst_constraint_ops ops = {.constraint = ring, .constraint_hessian = ring_hessian};
    return make(out, ops, 3, (double[3]){R, r});
}
