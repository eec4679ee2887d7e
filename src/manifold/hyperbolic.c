/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Hyperbolic space H^m of curvature −1 as the hyperboloid −x₀² + |x'|² = −1, x₀ > 0. Everything goes through
 * the frame at x, the boost B_x that takes the origin o = (1, 0 … 0) to x: coordinates there lose x₀·ε where
 * the Lorentz product of far vectors loses x₀²·ε. */
#include "manifold/internal.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double curvature = -1;

static double dot(size_t n, const double *x, const double *y)
{
    double sum = 0;
    for (size_t a = 0; a < n; a++)
        sum += x[a] * y[a];
    return sum;
}

/* Spatial part of B_x⁻¹ w for any ambient w: w' − x' (w₀ − x'·w'/(1 + x₀)); for tangent w these are its frame
 * coordinates. */
static void to_origin(size_t d, const double *x, const double *w, double *c)
{
    double factor = w[0] - dot(d, x + 1, w + 1) / (1 + x[0]);
    for (size_t k = 0; k < d; k++)
        c[k] = w[k + 1] - x[k + 1] * factor;
}

/* B_x (time, c): (x₀ time + x'·c, c + x' (time + x'·c/(1 + x₀))). */
static void from_origin(size_t d, const double *x, double time, const double *c, double *w)
{
    double product = dot(d, x + 1, c), factor = time + product / (1 + x[0]);
    for (size_t k = 0; k < d; k++)
        w[k + 1] = c[k] + x[k + 1] * factor;
    w[0] = x[0] * time + product;
}

/* Frame coordinates of a tangent vector; its time part follows from x·v = 0 in the Lorentz product, which
 * saves the digits that w₀ carries beyond those of w'. */
static void frame_coordinates(size_t d, const double *x, const double *v, double *c)
{
    double factor = v[0] / (1 + x[0]);
    for (size_t k = 0; k < d; k++)
        c[k] = v[k + 1] - x[k + 1] * factor;
}

/* x₀ from x': the sheet x₀ > 0. */
static void restore_time(size_t d, double *x)
{
    x[0] = sqrt(1 + dot(d, x + 1, x + 1));
}

static void start(const mst_manifold *m, double *x)
{
    memset(x, 0, m->ambient * sizeof *x);
    x[0] = 1;
}

/* The place of a point is known to x₀·ε, 0.2 here: 35 from the origin. */
static const double most_time = 1e15;

static mst_status too_far(double time)
{
    return mst_fail(
        MST_DOMAIN,
        "x_0 is %.7g; beyond %g doubles do not tell neighbours on the hyperboloid apart", time,
        most_time);
}

static mst_status validate(const mst_manifold *m, size_t n, const double *x, size_t *row)
{
    size_t D = m->ambient;
    for (size_t i = 0; i < n; i++) {
        const double *p = x + i * D;
        double form = dot(m->dim, p + 1, p + 1) - p[0] * p[0];
        *row = i;
        if (!isfinite(form) || !(fabs(form + 1) <= MST_POINT_TOLERANCE * p[0] * p[0]))
            return mst_fail(MST_DOMAIN, "-x_0^2 + x_1^2 + … is %.7g, not -1", form);
        if (!(p[0] > 0))
            return mst_fail(MST_DOMAIN, "x_0 is %.7g, not positive (it comes first)", p[0]);
        if (p[0] > most_time)
            return too_far(p[0]);
    }
    return MST_OK;
}

static mst_status project(const mst_manifold *m, size_t n, const double *x, double *y)
{
    memmove(y, x, n * m->ambient * sizeof *y);
    for (size_t i = 0; i < n; i++) {
        double *p = y + i * m->ambient, given = p[0];
        restore_time(m->dim, p);
        if (!isfinite(given) || !isfinite(p[0]))
            return mst_fail(MST_DOMAIN, "a coordinate is not finite or its square overflows");
        if (p[0] > most_time)
            return too_far(p[0]);
    }
    return MST_OK;
}

/* Orthogonal in the Lorentz product. */
static mst_status tangent(const mst_manifold *m, size_t n, const double *x, const double *w,
                          double *v)
{
    size_t d = m->dim, D = m->ambient;
    double *c;
    MST_TRY(mst_allocate(&c, d));
    for (size_t i = 0; i < n; i++) {
        to_origin(d, x + i * D, w + i * D, c);
        from_origin(d, x + i * D, 0, c, v + i * D);
    }
    mst_release(c);
    return MST_OK;
}

static mst_status inner(const mst_manifold *m, size_t n, const double *x, const double *u,
                        const double *v, double *out)
{
    size_t d = m->dim, D = m->ambient;
    for (size_t i = 0; i < n; i++) {
        const double *p = x + i * D, *a = u + i * D, *b = v + i * D;
        double fa = a[0] / (1 + p[0]), fb = b[0] / (1 + p[0]), sum = 0;
        for (size_t k = 1; k <= d; k++)
            sum += (a[k] - p[k] * fa) * (b[k] - p[k] * fb);
        out[i] = sum;
    }
    return MST_OK;
}

static mst_status from_frame(const mst_manifold *m, size_t n, const double *x, const double *c,
                             double *v)
{
    for (size_t i = 0; i < n; i++)
        from_origin(m->dim, x + i * m->ambient, 0, c + i * m->dim, v + i * m->ambient);
    return MST_OK;
}

static mst_status to_frame(const mst_manifold *m, size_t n, const double *x, const double *v,
                           double *c)
{
    for (size_t i = 0; i < n; i++)
        frame_coordinates(m->dim, x + i * m->ambient, v + i * m->ambient, c + i * m->dim);
    return MST_OK;
}

/* B_x (cosh r, sinh r e) with the frame coordinates r e of v if `straight`, else B_x (√(1 + r²), r e). */
static mst_status move(const mst_manifold *m, size_t n, const double *x, const double *v,
                       bool straight, double *y)
{
    size_t d = m->dim, D = m->ambient;
    double *c, *p;
    MST_TRY(mst_allocate(&c, d + D));
    p = c + d;
    mst_status status = MST_OK;
    for (size_t i = 0; i < n; i++) {
        memcpy(p, x + i * D, D * sizeof *p);
        frame_coordinates(d, p, v + i * D, c);
        double square = dot(d, c, c), r = sqrt(square);
        double scale = straight && r > 1e-9 ? sinh(r) / r : 1;
        for (size_t k = 0; k < d; k++)
            c[k] *= scale;
        from_origin(d, p, straight ? cosh(r) : sqrt(1 + square), c, y + i * D);
        restore_time(d, y + i * D);
        if (!isfinite(y[i * D])) {
            status =
                mst_fail(MST_DOMAIN, "a vector of length %g leads beyond the range of doubles", r);
            break;
        }
    }
    mst_release(c);
    return status;
}

static mst_status exponential(const mst_manifold *m, size_t n, const double *x, const double *v,
                              double *y)
{
    return move(m, n, x, v, true, y);
}

/* x + v with as much of x as brings it to the hyperboloid, √(1 + |v|²) x + v: along v by arsinh |v|, so Exp
 * to second order, and for every v. */
static mst_status retract(const mst_manifold *m, size_t n, const double *x, const double *v,
                          double *y)
{
    return move(m, n, x, v, false, y);
}

/* Up to here x₀²·ε is 2e-12, and products of whole differences are good to the last
 * digit of close points. */
static const double near_time = 100;

/* sinh r e, the image of y when x is boosted to the origin. Far out, with e the direction of x', X = |x'|,
 * the part Y of y' along e and the rest of it, A = |rest|²: the rest stays, and the part along e becomes x₀Y
 * − Xy₀, where neighbours lose all digits; its product with x₀Y + Xy₀ is Y² − X² − X²A. */
static double to_origin_from(size_t d, const double *x, const double *y, double *c,
                             double *difference)
{
    for (size_t a = 0; a <= d; a++)
        difference[a] = y[a] - x[a];
    if (x[0] <= near_time) {
        to_origin(d, x, difference, c);
        return sqrt(dot(d, c, c));
    }
    double X = sqrt(dot(d, x + 1, x + 1)), along = dot(d, difference + 1, x + 1) / X, rest = 0;
    for (size_t k = 0; k < d; k++) {
        c[k] = difference[k + 1] - along * (x[k + 1] / X);
        rest += c[k] * c[k];
    }
    double Y = X + along;
    double p =
        Y > 0 ? (along * (X + Y) - X * X * rest) / (x[0] * Y + X * y[0]) : x[0] * Y - X * y[0];
    for (size_t k = 0; k < d; k++)
        c[k] += p * (x[k + 1] / X);
    return sqrt(dot(d, c, c));
}

static mst_status logarithm(const mst_manifold *m, size_t n, const double *x, const double *y,
                            double *v, unsigned char *flag)
{
    size_t d = m->dim, D = m->ambient;
    double *c;
    MST_TRY(mst_allocate(&c, d + D));
    for (size_t i = 0; i < n; i++) {
        double sine = to_origin_from(d, x + i * D, y + i * D, c, c + d);
        double scale = sine > 1e-9 ? asinh(sine) / sine : 1;
        for (size_t k = 0; k < d; k++)
            c[k] *= scale;
        from_origin(d, x + i * D, 0, c, v + i * D);
    }
    if (flag != NULL)
        memset(flag, 0, n);
    mst_release(c);
    return MST_OK;
}

static mst_status distance(const mst_manifold *m, size_t n, const double *x, const double *y,
                           double *r)
{
    size_t d = m->dim, D = m->ambient;
    double *c;
    MST_TRY(mst_allocate(&c, d + D));
    for (size_t i = 0; i < n; i++)
        r[i] = asinh(to_origin_from(d, x + i * D, y + i * D, c, c + d));
    mst_release(c);
    return MST_OK;
}

/* At the origin along r e: the part of u along e becomes (sinh r, cosh r e), the rest stays. */
static mst_status transport(const mst_manifold *m, size_t n, const double *x, const double *v,
                            const double *u, double *out)
{
    size_t d = m->dim, D = m->ambient;
    double *c;
    MST_TRY(mst_allocate(&c, 2 * d));
    double *e = c + d;
    for (size_t i = 0; i < n; i++) {
        frame_coordinates(d, x + i * D, v + i * D, e);
        frame_coordinates(d, x + i * D, u + i * D, c);
        double r = sqrt(dot(d, e, e)), along = r > 0 ? dot(d, e, c) / r : 0, half = sinh(r / 2);
        for (size_t k = 0; r > 0 && k < d; k++)
            c[k] += along * 2 * half * half * e[k] / r;
        from_origin(d, x + i * D, along * sinh(r), c, out + i * D);
    }
    mst_release(c);
    return MST_OK;
}

static mst_status ricci(const mst_manifold *m, size_t n, const double *x, const double *v,
                        double *out)
{
    (void)x;
    for (size_t i = 0; i < n * m->ambient; i++)
        out[i] = -(double)(m->dim - 1) * v[i];
    return MST_OK;
}

static double injectivity(const mst_manifold *m)
{
    (void)m;
    return INFINITY;
}

/* The Poincaré ball of radius 2 around c: u = 2 q'/(1 + q₀), q = B_c⁻¹ x. */
static mst_status chart_coords(const mst_manifold *m, size_t n, const double *c, const double *x,
                               double *u)
{
    size_t d = m->dim, D = m->ambient;
    double *difference;
    MST_TRY(mst_allocate(&difference, D));
    for (size_t i = 0; i < n; i++) {
        double sine = to_origin_from(d, c + i * D, x + i * D, u + i * d, difference);
        for (size_t k = 0; k < d; k++)
            u[i * d + k] *= 2 / (1 + sqrt(1 + sine * sine));
    }
    mst_release(difference);
    return MST_OK;
}

static mst_status chart_point(const mst_manifold *m, size_t n, const double *c, const double *u,
                              double *x)
{
    size_t d = m->dim, D = m->ambient;
    double *q;
    MST_TRY(mst_allocate(&q, d));
    mst_status status = MST_OK;
    for (size_t i = 0; i < n; i++) {
        double s = dot(d, u + i * d, u + i * d) / 4;
        if (!(s < 1)) {
            status = mst_fail(MST_DOMAIN, "chart coordinates of length %g, must be below 2",
                              2 * sqrt(s));
            break;
        }
        for (size_t k = 0; k < d; k++)
            q[k] = u[i * d + k] / (1 - s);
        from_origin(d, c + i * D, (1 + s) / (1 - s), q, x + i * D);
        restore_time(d, x + i * D);
    }
    mst_release(q);
    return status;
}

static double chart_radius(const mst_manifold *m)
{
    (void)m;
    return 0.5;
}

static void place(size_t m, const double *y, const double *z, const double *w, double *x,
                  double *target)
{
    double point = 0, vector = 0, square = 0;
    for (size_t a = 0; a < m; a++) {
        point += y[a + 1] * z[a];
        vector += y[a + 1] * w[a];
    }
    target[0] = vector;
    point = z[m] + point / (1 + y[0]);
    vector /= 1 + y[0];
    for (size_t a = 0; a < m; a++) {
        x[a + 1] = z[a] + y[a + 1] * point;
        target[a + 1] = w[a] + y[a + 1] * vector;
        square += x[a + 1] * x[a + 1];
    }
    x[0] = sqrt(1 + square);
}

static mst_status weighted_walk(const mst_manifold *m, const mst_weighted_paths *paths)
{
    return mst_weighted_curved(m, curvature, place, paths);
}

static void traits(const mst_manifold *m, mst_manifold_traits *out)
{
    out->rows = MST_ROWS_HYPERBOLOID;
    out->compact = MST_NO;
    out->flat = m->dim == 1 ? MST_YES : MST_NO;
    out->hadamard = MST_YES;
    out->curvature = out->curvature_above = m->dim == 1 ? 0 : curvature;
}

static const mst_manifold_ops hyperbolic_ops = {
    .size = sizeof(mst_manifold_ops),
    .name = "hyperbolic",
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
    .chart_coords = chart_coords,
    .chart_point = chart_point,
    .chart_metric = mst_conformal_metric,
    .chart_christoffel = mst_conformal_christoffel,
    .chart_radius = chart_radius,
    .chart_diffusion = mst_conformal_diffusion,
    .retract = retract,
    .weighted_walk = weighted_walk,
};

mst_status mst_hyperbolic_new(mst_manifold **out, size_t m)
{
    MST_TRY(mst_check_order(out, "hyperbolic", m, MST_MAX_VECTOR));
    char spec[40];
    snprintf(spec, sizeof spec, "hyperbolic:%zu", m);
    return mst_manifold_new(out, &hyperbolic_ops, spec, m, m + 1, (void *)&curvature);
}
