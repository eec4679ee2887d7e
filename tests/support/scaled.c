/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* A user-defined manifold with every slot filled: another manifold with all its lengths multiplied by a
 * factor λ. The points are the same rows; the metric is λ² g. */
#include "support/manifolds.h"

#include <stdlib.h>
#include <string.h>

typedef struct scaled {
    mst_manifold *base;
    double factor;
} scaled;

static const mst_manifold *base_of(const mst_manifold *m)
{
    return ((const scaled *)mst_manifold_data(m))->base;
}

static double factor_of(const mst_manifold *m)
{
    return ((const scaled *)mst_manifold_data(m))->factor;
}

static void multiply(size_t n, double *x, double by)
{
    for (size_t i = 0; i < n; i++)
        x[i] *= by;
}

static double *multiplied(size_t n, const double *x, double by)
{
    double *y = doubles(n);
    memcpy(y, x, n * sizeof *x);
    multiply(n, y, by);
    return y;
}

/* The result of a call on the base with an array that was scaled for it. */
static mst_status release(mst_status status, double *scaled_input)
{
    free(scaled_input);
    return status;
}

static void start(const mst_manifold *m, double *x)
{
    mst_manifold_start(base_of(m), x);
}

static mst_status project(const mst_manifold *m, size_t n, const double *x, double *y)
{
    return mst_manifold_project(base_of(m), n, x, y);
}

static mst_status tangent(const mst_manifold *m, size_t n, const double *x, const double *w,
                          double *v)
{
    return mst_manifold_tangent(base_of(m), n, x, w, v);
}

static mst_status inner(const mst_manifold *m, size_t n, const double *x, const double *u,
                        const double *v, double *out)
{
    mst_status status = mst_manifold_inner(base_of(m), n, x, u, v, out);
    multiply(n, out, factor_of(m) * factor_of(m));
    return status;
}

static mst_status exponential(const mst_manifold *m, size_t n, const double *x, const double *v,
                              double *y)
{
    return mst_manifold_exp(base_of(m), n, x, v, y);
}

static mst_status validate(const mst_manifold *m, size_t n, const double *x, size_t *row)
{
    return mst_manifold_validate(base_of(m), n, x, row);
}

static mst_status from_frame(const mst_manifold *m, size_t n, const double *x, const double *c,
                             double *v)
{
    double *b = multiplied(n * mst_manifold_dim(m), c, 1 / factor_of(m));
    return release(mst_manifold_from_frame(base_of(m), n, x, b, v), b);
}

static mst_status to_frame(const mst_manifold *m, size_t n, const double *x, const double *v,
                           double *c)
{
    mst_status status = mst_manifold_to_frame(base_of(m), n, x, v, c);
    multiply(n * mst_manifold_dim(m), c, factor_of(m));
    return status;
}

static mst_status logarithm(const mst_manifold *m, size_t n, const double *x, const double *y,
                            double *v, unsigned char *flag)
{
    return mst_manifold_log(base_of(m), n, x, y, v, flag);
}

static mst_status distance(const mst_manifold *m, size_t n, const double *x, const double *y,
                           double *r)
{
    mst_status status = mst_manifold_dist(base_of(m), n, x, y, r);
    multiply(n, r, factor_of(m));
    return status;
}

static mst_status transport(const mst_manifold *m, size_t n, const double *x, const double *v,
                            const double *u, double *out)
{
    return mst_manifold_transport(base_of(m), n, x, v, u, out);
}

/* Geodesics are the same, so are their derivatives, and both sides of the adjoint grow alike. */
static mst_status exp_derivative(const mst_manifold *m, size_t n, const double *x, const double *v,
                                 const double *dx, const double *dv, double *dy)
{
    return mst_manifold_exp_derivative(base_of(m), n, x, v, dx, dv, dy);
}

static mst_status exp_adjoint(const mst_manifold *m, size_t n, const double *x, const double *v,
                              const double *w, double *dx, double *dv)
{
    return mst_manifold_exp_adjoint(base_of(m), n, x, v, w, dx, dv);
}

static mst_status retract(const mst_manifold *m, size_t n, const double *x, const double *v,
                          double *y)
{
    return mst_manifold_retract(base_of(m), n, x, v, y);
}

/* λ² f has the old gradient and Laplacian in the new metric. */
static mst_status toward(const mst_manifold *m, size_t n, const double *x, const double *y,
                         double *f, double *v, double *laplacian)
{
    mst_status status = mst_manifold_toward(base_of(m), n, x, y, f, v, laplacian);
    if (f != NULL)
        multiply(n, f, factor_of(m) * factor_of(m));
    return status;
}

static mst_status ricci(const mst_manifold *m, size_t n, const double *x, const double *v,
                        double *out)
{
    mst_status status = mst_manifold_ricci(base_of(m), n, x, v, out);
    multiply(n * mst_manifold_ambient(m), out, 1 / (factor_of(m) * factor_of(m)));
    return status;
}

static double injectivity(const mst_manifold *m)
{
    return factor_of(m) * mst_manifold_injectivity(base_of(m));
}

static mst_status random_point(const mst_manifold *m, mst_random r, uint64_t first, size_t n,
                               double *x)
{
    return mst_manifold_random_point(base_of(m), r, first, n, x);
}

static mst_status chart_coords(const mst_manifold *m, size_t n, const double *c, const double *x,
                               double *u)
{
    mst_status status = mst_manifold_chart_coords(base_of(m), n, c, x, u);
    multiply(n * mst_manifold_dim(m), u, factor_of(m));
    return status;
}

static mst_status chart_point(const mst_manifold *m, size_t n, const double *c, const double *u,
                              double *x)
{
    double *b = multiplied(n * mst_manifold_dim(m), u, 1 / factor_of(m));
    return release(mst_manifold_chart_point(base_of(m), n, c, b, x), b);
}

static mst_status chart_metric(const mst_manifold *m, size_t n, const double *c, const double *u,
                               double *g)
{
    double *b = multiplied(n * mst_manifold_dim(m), u, 1 / factor_of(m));
    return release(mst_manifold_chart_metric(base_of(m), n, c, b, g), b);
}

static mst_status chart_christoffel(const mst_manifold *m, size_t n, const double *c,
                                    const double *u, double *gamma)
{
    size_t d = mst_manifold_dim(m);
    double *b = multiplied(n * d, u, 1 / factor_of(m));
    mst_status status = release(mst_manifold_chart_christoffel(base_of(m), n, c, b, gamma), b);
    multiply(n * d * d * d, gamma, 1 / factor_of(m));
    return status;
}

static double chart_radius(const mst_manifold *m)
{
    return factor_of(m) * mst_manifold_chart_radius(base_of(m));
}

static mst_status chart_diffusion(const mst_manifold *m, size_t n, const double *c, const double *u,
                                  double *b, double *sigma)
{
    size_t d = mst_manifold_dim(m);
    double *v = multiplied(n * d, u, 1 / factor_of(m));
    mst_status status = release(mst_manifold_chart_diffusion(base_of(m), n, c, v, b, sigma), v);
    multiply(n * d, b, 1 / factor_of(m));
    return status;
}

static mst_status walk(const mst_manifold *m, size_t n, double *x, double h, size_t steps,
                       mst_noise noise)
{
    return mst_manifold_walk(base_of(m), n, x, h / (factor_of(m) * factor_of(m)), steps, noise);
}

/* The radius of the circles r away is multiplied like all lengths: toward y leads the same row. */
static mst_status polar(const mst_manifold *m, size_t n, const double *x, const double *y,
                        double *v, double *r, double *rest)
{
    mst_status status = mst_manifold_polar(base_of(m), n, x, y, v, r, rest);
    multiply(n, r, factor_of(m));
    multiply(n, rest, factor_of(m));
    return status;
}

/* A path of the scaled manifold is one of the base in time t/λ²; gradients and time
 * derivatives are divided by λ². */
static mst_status weighted_walk(const mst_manifold *m, const mst_weighted_paths *paths)
{
    double square = factor_of(m) * factor_of(m);
    size_t rows = paths->slots * paths->n;
    mst_weighted_paths p = *paths;
    double *h = multiplied(p.n, p.h, 1 / square);
    p.h = h;
    p.longest /= square;
    mst_status status = mst_manifold_table(base_of(m))->weighted_walk(base_of(m), &p);
    multiply(rows * mst_manifold_ambient(m), p.target, 1 / square);
    multiply(rows, p.time_target, 1 / square);
    return release(status, h);
}

static void traits(const mst_manifold *m, mst_manifold_traits *out)
{
    double square = factor_of(m) * factor_of(m);
    *out = *mst_manifold_traits_of(base_of(m));
    out->curvature /= square;
    out->curvature_above /= square;
    out->beside_line /= square;
    out->embedding *= square;
    out->angles = out->unit_rows = false; /* both promise the unit metric */
}

static void free_data(void *data)
{
    mst_manifold_free(((scaled *)data)->base);
    free(data);
}

static const mst_manifold_ops table = {
    .size = sizeof(mst_manifold_ops),
    .name = "scaled",
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
    .exp_derivative = exp_derivative,
    .exp_adjoint = exp_adjoint,
    .retract = retract,
    .toward = toward,
    .injectivity = injectivity,
    .random_point = random_point,
    .chart_coords = chart_coords,
    .chart_point = chart_point,
    .chart_metric = chart_metric,
    .chart_christoffel = chart_christoffel,
    .chart_radius = chart_radius,
    .chart_diffusion = chart_diffusion,
    .walk = walk,
    .polar = polar,
    .weighted_walk = weighted_walk,
    .traits = traits,
    .free_data = free_data,
};

mst_status scaled_new(mst_manifold **out, const char *spec, double factor)
{
    scaled *data = malloc(sizeof *data);
    ck_assert_ptr_nonnull(data);
    *data = (scaled){.factor = factor};
    ASSERT_OK(mst_manifold_parse(&data->base, spec));
    size_t d = mst_manifold_dim(data->base), D = mst_manifold_ambient(data->base);
    mst_manifold_ops ops = table;
    if (mst_manifold_table(data->base)->weighted_walk == NULL)
        ops.weighted_walk = NULL;
    return mst_manifold_new(out, &ops, "scaled", d, D, data);
}
