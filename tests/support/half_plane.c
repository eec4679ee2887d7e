/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

#include "support/metric_manifolds.h"

static void start(const mst_manifold *m, double *x)
{
    (void)m;
    x[0] = 0;
    x[1] = 1;
}

static mst_status lagrangian(const mst_manifold *m, size_t n, const double *x, const double *v,
                             double *l, double *l_x, double *l_v)
{
    (void)m;
    for (size_t i = 0; i < n; i++, x += 2, v += 2, l_x += 2, l_v += 2) {
        double g = 1 / (x[1] * x[1]);
        l[i] = 0.5 * g * (v[0] * v[0] + v[1] * v[1]);
        l_x[0] = 0;
        l_x[1] = -2 * l[i] / x[1];
        l_v[0] = g * v[0];
        l_v[1] = g * v[1];
    }
    return MST_OK;
}

static mst_status lagrangian_hvp(const mst_manifold *m, size_t n, const double *x, const double *v,
                                 const double *dx, const double *dv, double *dl_x, double *dl_v)
{
    (void)m;
    for (size_t i = 0; i < 2 * n; i += 2) {
        double b = x[i + 1], g = 1 / (b * b), along = dx[i + 1] / b;
        double square = v[i] * v[i] + v[i + 1] * v[i + 1],
               mixed = v[i] * dv[i] + v[i + 1] * dv[i + 1];
        dl_x[i] = 0;
        dl_x[i + 1] = g / b * (3 * square * along - 2 * mixed);
        dl_v[i] = g * (dv[i] - 2 * v[i] * along);
        dl_v[i + 1] = g * (dv[i + 1] - 2 * v[i + 1] * along);
    }
    return MST_OK;
}

static mst_status lagrangian_blocks(const mst_manifold *m, size_t n, const double *x,
                                    const double *v, double *l_vv, double *l_xv, double *l_xx)
{
    (void)m;
    for (size_t i = 0; i < n; i++, x += 2, v += 2, l_vv += 4, l_xv += 4, l_xx += 4) {
        double b = x[1], g = 1 / (b * b);
        l_vv[0] = l_vv[3] = g;
        l_vv[1] = l_vv[2] = l_xv[0] = l_xv[1] = l_xx[0] = l_xx[1] = l_xx[2] = 0;
        l_xv[2] = -2 * g / b * v[0];
        l_xv[3] = -2 * g / b * v[1];
        l_xx[3] = 3 * g * g * (v[0] * v[0] + v[1] * v[1]);
    }
    return MST_OK;
}

static void domain(const mst_manifold *m, size_t n, const double *x, unsigned char *inside)
{
    (void)m;
    for (size_t i = 0; i < n; i++)
        inside[i] = x[2 * i + 1] > 0;
}

static void traits(const mst_manifold *m, mst_manifold_traits *t)
{
    (void)m;
    t->compact = t->flat = MST_NO;
    t->hadamard = MST_YES;
    t->curvature = t->curvature_above = -1;
}

static double injectivity(const mst_manifold *m)
{
    (void)m;
    return INFINITY;
}

static mst_status root(const mst_manifold *m, size_t n, const double *x, const double *xi,
                       double *v)
{
    (void)m;
    for (size_t i = 0; i < 2 * n; i++)
        v[i] = x[i | 1] * xi[i];
    return MST_OK;
}

static mst_status root_inverse(const mst_manifold *m, size_t n, const double *x, const double *v,
                               double *xi)
{
    (void)m;
    for (size_t i = 0; i < 2 * n; i++)
        xi[i] = v[i] / x[i | 1];
    return MST_OK;
}

/* ½Δ = ½b²(∂_a² + ∂_b²) has no first derivatives. */
static mst_status drift(const mst_manifold *m, size_t n, const double *x, double *b)
{
    (void)m;
    (void)x;
    for (size_t i = 0; i < 2 * n; i++)
        b[i] = 0;
    return MST_OK;
}

static mst_status ricci(const mst_manifold *m, size_t n, const double *x, const double *v,
                        double *out)
{
    (void)m;
    (void)x;
    for (size_t i = 0; i < 2 * n; i++)
        out[i] = -v[i];
    return MST_OK;
}

/* Exp at (0, 1) of (v₁, v₂) with r = |v|, D = cosh r − sinh r v₂/r, is (v₁ sinh r/r, 1)/D, and the velocity
 * there is (v₁, v₂ cosh r − r sinh r)/D². The similarities x ↦ a + b x take (0, 1) and its frame to every
 * point and its frame: the step from (a, b) is (a + b y₁, b y₂), and its derivative is plain. */
static void step_from_start(const double *xi, double h, double *y, double *velocity)
{
    double factor = sqrt(h) * (1 + h / 12 * (1 + h / 24)); /* e^(h/12), as Ric = −1 */
    double r = factor * sqrt(xi[0] * xi[0] + xi[1] * xi[1]),
           v[2] = {factor * xi[0], factor * xi[1]};
    double sine = r > 1e-8 ? sinh(r) / r : 1, cosine = cosh(r), D = cosine - sine * v[1];
    y[0] = v[0] * sine / D;
    y[1] = 1 / D;
    velocity[0] = v[0] / (D * D) * sqrt(h) / factor;
    velocity[1] = (v[1] * cosine - r * r * sine) / (D * D) * sqrt(h) / factor;
}

static mst_status step(const mst_manifold *m, size_t n, const double *x, const double *xi,
                       const double *h, double *y, double *arrived)
{
    (void)m;
    for (size_t i = 0; i < n; i++, x += 2, xi += 2, y += 2, arrived += 2) {
        double z[2], velocity[2];
        step_from_start(xi, h[i], z, velocity);
        for (size_t k = 0; k < 2; k++) {
            y[k] = x[1] * z[k];
            arrived[k] = x[1] * velocity[k];
        }
        y[0] += x[0];
    }
    return MST_OK;
}

static mst_status step_adjoint(const mst_manifold *m, size_t n, const double *x, const double *xi,
                               const double *h, const double *lambda, double *out)
{
    (void)m;
    (void)x;
    for (size_t i = 0; i < n; i++, xi += 2, lambda += 2, out += 2) {
        double z[2], velocity[2];
        step_from_start(xi, h[i], z, velocity);
        out[0] = lambda[0];
        out[1] = z[0] * lambda[0] + z[1] * lambda[1];
    }
    return MST_OK;
}

static const mst_metric_ops table = {
    .size = sizeof(mst_metric_ops),
    .name = "half-plane",
    .start = start,
    .lagrangian = lagrangian,
    .lagrangian_hvp = lagrangian_hvp,
    .lagrangian_blocks = lagrangian_blocks,
    .domain = domain,
    .traits = traits,
    .injectivity = injectivity,
    .root = root,
    .root_inverse = root_inverse,
    .drift = drift,
    .ricci = ricci,
    .step = step,
    .step_adjoint = step_adjoint,
};

mst_status half_plane_new(mst_manifold **out)
{
    return mst_metric_new(out, &table, "half-plane", 2, NULL);
}

void half_plane_to_hyperboloid(size_t n, const double *x, double *y)
{
    for (size_t i = 0; i < n; i++, x += 2, y += 3) {
        double a = x[0], b = x[1], q = a * a + b * b;
        y[0] = (1 + q) / (2 * b);
        y[1] = a / b;
        y[2] = (q - 1) / (2 * b);
    }
}

/* y₀ − y₂ = 1/b. */
void half_plane_from_hyperboloid(size_t n, const double *x, double *y)
{
    for (size_t i = 0; i < n; i++, x += 3, y += 2) {
        y[1] = 1 / (x[0] - x[2]);
        y[0] = x[1] * y[1];
    }
}

void half_plane_push(size_t n, const double *x, const double *v, double *w)
{
    for (size_t i = 0; i < n; i++, x += 2, v += 2, w += 3) {
        double a = x[0], b = x[1], q = a * a + b * b, dq = 2 * (a * v[0] + b * v[1]);
        w[0] = (dq - (1 + q) * v[1] / b) / (2 * b);
        w[1] = (v[0] - a * v[1] / b) / b;
        w[2] = (dq - (q - 1) * v[1] / b) / (2 * b);
    }
}
