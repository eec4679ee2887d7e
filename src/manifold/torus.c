/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* The flat torus (R/2πZ)^m, angles in radians; the circle is m = 1. Any real number is a point; results come
 * out in (−π, π]. */
#include "manifold/flat.h"
#include "manifold/internal.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double two_pi = 6.283185307179586, two_pi_low = 2.4492935982947064e-16,
                    pi = 3.141592653589793;

/* The representative in (−π, π]. 2π in two parts keeps the digits of angles up to 2^52 turns. */
static double wrap(double angle)
{
    if (angle > -pi && angle <= pi)
        return angle;
    double turns = rint(angle / two_pi);
    double rest = fma(-turns, two_pi_low, fma(-turns, two_pi, angle));
    /* Rounding of the quotient can leave it just outside. */
    if (rest > pi)
        rest -= two_pi;
    return rest <= -pi ? pi : rest;
}

static mst_status project(const mst_manifold *m, size_t n, const double *x, double *y)
{
    size_t row;
    MST_TRY(mst_flat_validate(m, n, x, &row));
    for (size_t i = 0; i < n * m->ambient; i++)
        y[i] = wrap(x[i]);
    return MST_OK;
}

static mst_status exponential(const mst_manifold *m, size_t n, const double *x, const double *v,
                              double *y)
{
    for (size_t i = 0; i < n * m->ambient; i++)
        y[i] = wrap(wrap(x[i]) + v[i]);
    return MST_OK;
}

/* Exactly opposite angles: the positive way round. */
static mst_status logarithm(const mst_manifold *m, size_t n, const double *x, const double *y,
                            double *v, unsigned char *flag)
{
    size_t D = m->ambient;
    for (size_t i = 0; i < n; i++) {
        double farthest = 0;
        for (size_t a = i * D; a < (i + 1) * D; a++) {
            v[a] = wrap(wrap(y[a]) - wrap(x[a]));
            farthest = fmax(farthest, fabs(v[a]));
        }
        if (flag != NULL)
            flag[i] = pi - farthest < MST_CUT_TOLERANCE ? MST_LOG_CUT : 0;
    }
    return MST_OK;
}

static mst_status chart_coords(const mst_manifold *m, size_t n, const double *c, const double *x,
                               double *u)
{
    return logarithm(m, n, c, x, u, NULL);
}

static double injectivity(const mst_manifold *m)
{
    (void)m;
    return pi;
}

static mst_status random_point(const mst_manifold *m, mst_random r, uint64_t first, size_t n,
                               double *x)
{
    size_t D = m->ambient;
    mst_random_uniforms(r, first * D, n * D, x);
    for (size_t i = 0; i < n * D; i++)
        x[i] = two_pi * (x[i] - 0.5);
    return MST_OK;
}

static void traits(const mst_manifold *m, mst_manifold_traits *out)
{
    out->compact = out->flat = MST_YES;
    out->hadamard = MST_NO;
    out->curvature = out->curvature_above = 0;
    out->rows = MST_ROWS_ANGLES;
    out->angles = out->frame_is_divergence_free = true;
    out->cut_is_wall = m->dim == 1;
}

#define TORUS_OPS(family)                                                                       \
    {                                                                                           \
        .size = sizeof(mst_manifold_ops), .name = family, .traits = traits,                     \
        .start = mst_flat_start, .project = project, .tangent = mst_flat_tangent,               \
        .inner = mst_flat_inner, .exp = exponential, .validate = mst_flat_validate,             \
        .from_frame = mst_flat_frame, .to_frame = mst_flat_frame, .log = logarithm,             \
        .transport = mst_flat_transport, .ricci = mst_flat_ricci, .injectivity = injectivity,   \
        .random_point = random_point, .chart_coords = chart_coords, .chart_point = exponential, \
        .chart_metric = mst_flat_metric, .chart_christoffel = mst_flat_christoffel,             \
        .chart_radius = mst_flat_radius, .chart_diffusion = mst_flat_diffusion,                 \
    }

static const mst_manifold_ops circle_ops = TORUS_OPS("circle");
static const mst_manifold_ops torus_ops = TORUS_OPS("torus");

mst_status mst_circle_new(mst_manifold **out)
{
    return mst_manifold_new(out, &circle_ops, "circle", 1, 1, NULL);
}

mst_status mst_torus_new(mst_manifold **out, size_t m)
{
    MST_TRY(mst_check_order(out, "torus", m, MST_MAX_VECTOR));
    char spec[40];
    snprintf(spec, sizeof spec, "torus:%zu", m);
    return mst_manifold_new(out, &torus_ops, spec, m, m, NULL);
}
