/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* The unit sphere S^m in R^(m+1). The frame at x is the Householder reflection that exchanges x and ∓e_D
 * (D = m + 1, the sign being that of x_D): v = (c, 0) − (x + ±e_D) (x'·c)/(1 + |x_D|). */
#include "base/lanes.h"
#include "manifold/internal.h"
#include "manifold/sphere_kernels.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double pi = 3.141592653589793, curvature = 1;

static double dot(size_t n, const double *x, const double *y)
{
    double sum = 0;
    for (size_t a = 0; a < n; a++)
        sum += x[a] * y[a];
    return sum;
}

/* |v| without overflow or underflow. */
static double safe_norm(size_t n, const double *v)
{
    double largest = 0, sum = 0;
    for (size_t a = 0; a < n; a++)
        largest = fmax(largest, fabs(v[a]));
    if (largest == 0 || !isfinite(largest))
        return largest;
    for (size_t a = 0; a < n; a++)
        sum += v[a] / largest * (v[a] / largest);
    return largest * sqrt(sum);
}

static void start(const mst_manifold *m, double *x)
{
    memset(x, 0, m->ambient * sizeof *x);
    x[m->ambient - 1] = 1;
}

static mst_status validate(const mst_manifold *m, size_t n, const double *x, size_t *row)
{
    size_t D = m->ambient;
    for (size_t i = 0; i < n; i++) {
        double norm = safe_norm(D, x + i * D);
        if (!(fabs(norm - 1) <= MST_POINT_TOLERANCE)) {
            *row = i;
            return mst_fail(MST_DOMAIN, "the norm is %.7g, not 1", norm);
        }
    }
    return MST_OK;
}

static mst_status project(const mst_manifold *m, size_t n, const double *x, double *y)
{
    size_t D = m->ambient;
    for (size_t i = 0; i < n; i++) {
        double norm = safe_norm(D, x + i * D);
        if (!(norm > 0) || !isfinite(norm))
            return mst_fail(MST_DOMAIN, "a vector of norm %g has no direction", norm);
        for (size_t a = i * D; a < (i + 1) * D; a++)
            y[a] = x[a] / norm;
    }
    return MST_OK;
}

static mst_status tangent(const mst_manifold *m, size_t n, const double *x, const double *w,
                          double *v)
{
    size_t D = m->ambient;
    for (size_t i = 0; i < n; i++) {
        const double *p = x + i * D;
        double along = dot(D, p, w + i * D);
        for (size_t a = 0; a < D; a++)
            v[i * D + a] = w[i * D + a] - along * p[a];
    }
    return MST_OK;
}

static mst_status inner(const mst_manifold *m, size_t n, const double *x, const double *u,
                        const double *v, double *out)
{
    (void)x;
    for (size_t i = 0; i < n; i++)
        out[i] = dot(m->ambient, u + i * m->ambient, v + i * m->ambient);
    return MST_OK;
}

static void frame_row(size_t D, const double *x, const double *c, double *v)
{
    double last = x[D - 1], product = dot(D - 1, x, c) / (1 + fabs(last));
    for (size_t a = 0; a + 1 < D; a++)
        v[a] = c[a] - x[a] * product;
    v[D - 1] = -(last + (last < 0 ? -1 : 1)) * product;
}

static mst_status from_frame(const mst_manifold *m, size_t n, const double *x, const double *c,
                             double *v)
{
    size_t D = m->ambient;
    for (size_t i = 0; i < n; i++)
        frame_row(D, x + i * D, c + i * (D - 1), v + i * D);
    return MST_OK;
}

static mst_status to_frame(const mst_manifold *m, size_t n, const double *x, const double *v,
                           double *c)
{
    size_t D = m->ambient;
    for (size_t i = 0; i < n; i++) {
        const double *p = x + i * D, *w = v + i * D;
        double sign = p[D - 1] < 0 ? -1 : 1;
        double product = (dot(D, p, w) + sign * w[D - 1]) / (1 + fabs(p[D - 1]));
        for (size_t a = 0; a + 1 < D; a++)
            c[i * (D - 1) + a] = w[a] - p[a] * product;
    }
    return MST_OK;
}

static mst_status exponential(const mst_manifold *m, size_t n, const double *x, const double *v,
                              double *y)
{
    double *work;
    MST_TRY(mst_allocate(&work, (2 * m->ambient + 1) * MST_LANES));
    MST_PICK(sphere_kernels)->exp(n, m->ambient, x, v, y, work);
    mst_release(work);
    return MST_OK;
}

/* x + v projected: along v by arctan |v|, so Exp to second order. */
static mst_status retract(const mst_manifold *m, size_t n, const double *x, const double *v,
                          double *y)
{
    for (size_t i = 0; i < n * m->ambient; i++)
        y[i] = x[i] + v[i];
    return project(m, n, y, y);
}

/* Antipodes: the geodesic along the first vector of the frame. */
static mst_status logarithm(const mst_manifold *m, size_t n, const double *x, const double *y,
                            double *v, unsigned char *flag)
{
    enum { BLOCK = 16 * MST_LANES };
    size_t D = m->ambient;
    double *work, sine[BLOCK], cosine[BLOCK];
    MST_TRY(mst_allocate(&work, (2 * D + 1) * MST_LANES + D));
    double *first = work + (2 * D + 1) * MST_LANES;
    memset(first, 0, D * sizeof *first);
    first[0] = pi;
    for (size_t i = 0; i < n; i += BLOCK) {
        size_t count = n - i < BLOCK ? n - i : BLOCK;
        MST_PICK(sphere_kernels)
            ->log(count, D, x + i * D, y + i * D, v + i * D, sine, cosine, work);
        for (size_t j = 0; j < count; j++) {
            bool beyond = cosine[j] < 0;
            if (beyond && !(sine[j] > SPHERE_LOST))
                frame_row(D, x + (i + j) * D, first, v + (i + j) * D);
            if (flag != NULL)
                flag[i + j] = beyond && sine[j] < MST_CUT_TOLERANCE ? MST_LOG_CUT : 0;
        }
    }
    mst_release(work);
    return MST_OK;
}

static mst_status distance(const mst_manifold *m, size_t n, const double *x, const double *y,
                           double *r)
{
    MST_PICK(sphere_kernels)->dist(n, m->ambient, x, y, r);
    return MST_OK;
}

static mst_status polar(const mst_manifold *m, size_t n, const double *x, const double *y,
                        double *v, double *r, double *rest)
{
    double *work;
    MST_TRY(mst_allocate(&work, (2 * m->ambient + 1) * MST_LANES));
    MST_PICK(sphere_kernels)->polar(n, m->ambient, x, y, v, r, rest, work);
    mst_release(work);
    return MST_OK;
}

/* In the plane of x and v the rotation by r = |v|, across it the identity:
 * u + ⟨e, u⟩ ((cos r − 1) e − sin r x), e = v/r. */
static mst_status transport(const mst_manifold *m, size_t n, const double *x, const double *v,
                            const double *u, double *out)
{
    size_t D = m->ambient;
    for (size_t i = 0; i < n * D; i += D) {
        double r = safe_norm(D, v + i);
        double along = 0;
        for (size_t a = i; r > 0 && a < i + D; a++)
            along += v[a] / r * u[a];
        double half = sin(r / 2), versine = 2 * half * half, sine = sin(r);
        for (size_t a = i; a < i + D; a++)
            out[a] = u[a] - (r > 0 ? along * (versine * (v[a] / r) + sine * x[a]) : 0);
    }
    return MST_OK;
}

static mst_status ricci(const mst_manifold *m, size_t n, const double *x, const double *v,
                        double *out)
{
    (void)x;
    for (size_t i = 0; i < n * m->ambient; i++)
        out[i] = (double)(m->dim - 1) * v[i];
    return MST_OK;
}

static double injectivity(const mst_manifold *m)
{
    (void)m;
    return pi;
}

static mst_status random_point(const mst_manifold *m, mst_random r, uint64_t first, size_t n,
                               double *x)
{
    mst_random_normals(r, first * m->ambient, n * m->ambient, x);
    return project(m, n, x, x);
}

/* Stereographic projection from −c, scaled to unit metric at c: u = 2 Eᵀx / (1 + ⟨c, x⟩). The frame's
 * reflection is linear, so Eᵀ may be applied to x itself less its part along c. */
static mst_status chart_coords(const mst_manifold *m, size_t n, const double *c, const double *x,
                               double *u)
{
    size_t D = m->ambient, d = m->dim;
    double *v;
    MST_TRY(mst_allocate(&v, D));
    mst_status status = MST_OK;
    for (size_t i = 0; status == MST_OK && i < n; i++) {
        const double *p = c + i * D, *q = x + i * D;
        double sum = 0, along = dot(D, p, q);
        for (size_t a = 0; a < D; a++) {
            sum += (p[a] + q[a]) * (p[a] + q[a]);
            v[a] = (q[a] - p[a]) - (along - 1) * p[a];
        }
        if (!(sum > 0)) {
            status = mst_fail(MST_DOMAIN, "the antipode of the centre is not in the chart");
            break;
        }
        to_frame(m, 1, p, v, u + i * d);
        for (size_t k = 0; k < d; k++)
            u[i * d + k] *= 4 / sum; /* 1 + ⟨c, x⟩ = |c + x|²/2 */
    }
    mst_release(v);
    return status;
}

static mst_status chart_point(const mst_manifold *m, size_t n, const double *c, const double *u,
                              double *x)
{
    size_t D = m->ambient, d = m->dim;
    double *v;
    MST_TRY(mst_allocate(&v, D));
    for (size_t i = 0; i < n; i++) {
        double s = dot(d, u + i * d, u + i * d) / 4;
        frame_row(D, c + i * D, u + i * d, v);
        for (size_t a = 0; a < D; a++)
            x[i * D + a] = ((1 - s) * c[i * D + a] + v[a]) / (1 + s);
    }
    mst_release(v);
    return MST_OK;
}

static double chart_radius(const mst_manifold *m)
{
    (void)m;
    return 1;
}

static mst_status walk(const mst_manifold *m, size_t n, double *x, double h, size_t steps,
                       mst_noise noise)
{
    size_t D = m->ambient;
    double a = h / 12 * (double)(m->dim - 1), factor = sqrt(h) * (1 - a + a * a / 2);
    /* The kernel reduces angles up to VM_SINCOS_LIMIT; no normal vector makes this step longer. */
    if (!(factor * sqrt((double)D) < 1e3))
        return mst_fail(MST_ARGUMENT, "a step of time %g is too long for %s", h, m->spec);
    double *work;
    MST_TRY(mst_allocate(&work, (2 * D + 1) * MST_LANES));
    MST_PICK(sphere_kernels)->walk(n, D, x, factor, steps, noise, work);
    mst_release(work);
    return MST_OK;
}

static void place(size_t m, const double *y, const double *z, const double *w, double *x,
                  double *target)
{
    /* The frame is a reflection H with H e = −sign·y. */
    double sign = y[m] < 0 ? -1 : 1, divisor = 1 + fabs(y[m]), point = 0, vector = 0, square = 0;
    for (size_t a = 0; a < m; a++) {
        point += y[a] * z[a];
        vector += y[a] * w[a];
    }
    point = (point + (y[m] + sign) * z[m]) / divisor;
    vector /= divisor;
    for (size_t a = 0; a <= m; a++) {
        double u = a < m ? y[a] : y[m] + sign;
        x[a] = -sign * (z[a] - u * point);
        target[a] = -sign * ((a < m ? w[a] : 0) - u * vector);
        square += x[a] * x[a];
    }
    double scale = 1 / sqrt(square);
    for (size_t a = 0; a <= m; a++)
        x[a] *= scale;
}

static mst_status weighted_walk(const mst_manifold *m, const mst_weighted_paths *paths)
{
    return mst_weighted_curved(m, curvature, place, paths);
}

static void traits(const mst_manifold *m, mst_manifold_traits *out)
{
    /* S¹ is flat, and so its Fréchet means are those of a circle. */
    out->compact = MST_YES;
    out->flat = m->dim == 1 ? MST_YES : MST_NO;
    out->hadamard = MST_NO;
    out->curvature = out->curvature_above = m->dim == 1 ? 0 : curvature;
    out->rows = MST_ROWS_UNIT_VECTORS;
    out->unit_rows = true;
    out->embedding = 1;
    out->cut_is_wall = m->dim == 1;
}

static const mst_manifold_ops sphere_ops = {
    .size = sizeof(mst_manifold_ops),
    .name = "sphere",
    .traits = traits,
    .start = start,
    .project = project,
    .tangent = tangent,
    .inner = inner,
    .exp = exponential,
    .validate = validate,
    .from_frame = from_frame,
    .to_frame = to_frame,
    .log = logarithm,
    .dist = distance,
    .transport = transport,
    .ricci = ricci,
    .injectivity = injectivity,
    .random_point = random_point,
    .chart_coords = chart_coords,
    .chart_point = chart_point,
    .chart_metric = mst_conformal_metric,
    .chart_christoffel = mst_conformal_christoffel,
    .chart_radius = chart_radius,
    .chart_diffusion = mst_conformal_diffusion,
    .walk = walk,
    .retract = retract,
    .polar = polar,
    .weighted_walk = weighted_walk,
};

mst_status mst_sphere_new(mst_manifold **out, size_t m)
{
    MST_TRY(mst_check_order(out, "sphere", m, MST_MAX_VECTOR));
    char spec[40];
    snprintf(spec, sizeof spec, "sphere:%zu", m);
    return mst_manifold_new(out, &sphere_ops, spec, m, m + 1, (void *)&curvature);
}
