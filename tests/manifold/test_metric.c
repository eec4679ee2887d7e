/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Manifolds made of metrics agree with the ones that the library has in closed form. */
#include "support/metric_manifolds.h"

#include <string.h>

enum { D = 3 };

typedef struct pair {
    mst_manifold *m, *closed;
    size_t width;
    dice die;
} pair;

static pair pair_open(int i)
{
    pair p = {.die = {71}};
    ASSERT_OK(metric_twins[i].make(&p.m));
    ASSERT_OK(mst_manifold_parse(&p.closed, metric_twins[i].spec));
    p.width = mst_manifold_ambient(p.m);
    return p;
}

static void pair_close(pair *p)
{
    mst_manifold_free(p->m);
    mst_manifold_free(p->closed);
}

/* A point up to three away from the start, and a vector of this length. */
static void draw_point(pair *p, double *x)
{
    double start[D], c[2], v[D];
    mst_manifold_start(p->m, start);
    for (size_t k = 0; k < 2; k++)
        c[k] = dice_uniform(&p->die, -2, 2);
    ASSERT_OK(mst_manifold_from_frame(p->m, 1, start, c, v));
    ASSERT_OK(mst_manifold_exp(p->m, 1, start, v, x));
}

static void draw_vector(pair *p, const double *x, double length, double *v)
{
    double angle = dice_uniform(&p->die, -M_PI, M_PI);
    double c[2] = {length * cos(angle), length * sin(angle)};
    ASSERT_OK(mst_manifold_from_frame(p->m, 1, x, c, v));
}

/* Riemannian length of the difference of two tangent vectors of the closed manifold at x. */
static double gap(const pair *p, const double *x, const double *v, const double *w)
{
    double difference[D], length;
    for (size_t k = 0; k < D; k++)
        difference[k] = v[k] - w[k];
    ASSERT_OK(mst_manifold_tangent(p->closed, 1, x, difference, difference));
    ASSERT_OK(mst_manifold_norm(p->closed, 1, x, difference, &length));
    return length;
}

START_TEST(exp_and_transport_are_the_closed_ones)
{
    pair p = pair_open(_i);
    for (size_t round = 0; round < 200; round++) {
        double x[D], v[D], u[D], y[D], w[D], X[D], V[D], U[D], Y[D], W[D], got[D], r;
        double length = round % 4 == 0 ? pow(10, dice_uniform(&p.die, -8, 0))
                                       : dice_uniform(&p.die, 0, round % 4 == 1 ? 12 : 3);
        draw_point(&p, x);
        draw_vector(&p, x, length, v);
        draw_vector(&p, x, 1, u);
        ASSERT_OK(mst_manifold_exp(p.m, 1, x, v, y));
        ASSERT_OK(mst_manifold_transport(p.m, 1, x, v, u, w));
        metric_twins[_i].there(1, x, X);
        metric_twins[_i].push(1, x, v, V);
        metric_twins[_i].push(1, x, u, U);
        ASSERT_OK(mst_manifold_exp(p.closed, 1, X, V, Y));
        ASSERT_OK(mst_manifold_transport(p.closed, 1, X, V, U, W));
        metric_twins[_i].there(1, y, got);
        ASSERT_OK(mst_manifold_dist(p.closed, 1, Y, got, &r));
        /* The hyperboloid itself resolves distances by ε x₀. */
        double tolerance = 1e-12 * (1 + length) + 64 * DBL_EPSILON * fabs(Y[0]) * exp(length);
        assert_near(r, 0, tolerance, "%s: exp of %g", metric_twins[_i].spec, length);
        metric_twins[_i].push(1, y, w, V);
        assert_near(gap(&p, got, V, W), 0, 10 * tolerance + r, "%s: transport along %g",
                    metric_twins[_i].spec, length);
    }
    pair_close(&p);
}
END_TEST

START_TEST(log_is_the_closed_one)
{
    pair p = pair_open(_i);
    for (size_t round = 0; round < 300; round++) {
        double x[D], y[D], v[D], X[D], Y[D], V[D], got[D], r;
        draw_point(&p, x);
        draw_point(&p, y);
        if (round % 3 == 0) {
            draw_vector(&p, x, dice_uniform(&p.die, 0, metric_twins[_i].farthest), v);
            ASSERT_OK(mst_manifold_exp(p.m, 1, x, v, y));
        }
        metric_twins[_i].there(1, x, X);
        metric_twins[_i].there(1, y, Y);
        ASSERT_OK(mst_manifold_dist(p.closed, 1, X, Y, &r));
        if (r > metric_twins[_i].farthest)
            continue;
        ASSERT_OK(mst_manifold_log(p.m, 1, x, y, v, NULL));
        ASSERT_OK(mst_manifold_log(p.closed, 1, X, Y, V, NULL));
        metric_twins[_i].push(1, x, v, got);
        assert_near(gap(&p, X, got, V), 0, 1e-9, "%s: log over %g", metric_twins[_i].spec, r);
        double length;
        ASSERT_OK(mst_manifold_dist(p.m, 1, x, y, &length));
        assert_near(length, r, 1e-10 * (1 + r), "%s: dist", metric_twins[_i].spec);
    }
    pair_close(&p);
}
END_TEST

/* Hyperbolic space of any dimension as the half-space where the last coordinate is positive, with the
 * required slots only: nobody says what it is, and dimension 14 is beyond where matrices of second
 * derivatives are formed. */
static void space_start(const mst_manifold *m, double *x)
{
    size_t d = mst_manifold_dim(m);
    memset(x, 0, d * sizeof *x);
    x[d - 1] = 1;
}

static mst_status space_lagrangian(const mst_manifold *m, size_t n, const double *x,
                                   const double *v, double *l, double *l_x, double *l_v)
{
    size_t d = mst_manifold_dim(m);
    for (size_t i = 0; i < n; i++, x += d, v += d, l_x += d, l_v += d) {
        double b = x[d - 1];
        l[i] = 0.5 * dot(d, v, v) / (b * b);
        memset(l_x, 0, d * sizeof *l_x);
        l_x[d - 1] = -2 * l[i] / b;
        for (size_t k = 0; k < d; k++)
            l_v[k] = v[k] / (b * b);
    }
    return MST_OK;
}

static mst_status space_hvp(const mst_manifold *m, size_t n, const double *x, const double *v,
                            const double *dx, const double *dv, double *dl_x, double *dl_v)
{
    size_t d = mst_manifold_dim(m);
    for (size_t i = 0; i < n; i++, x += d, v += d, dx += d, dv += d, dl_x += d, dl_v += d) {
        double b = x[d - 1], along = dx[d - 1] / b;
        memset(dl_x, 0, d * sizeof *dl_x);
        dl_x[d - 1] = (3 * dot(d, v, v) * along - 2 * dot(d, v, dv)) / (b * b * b);
        for (size_t k = 0; k < d; k++)
            dl_v[k] = (dv[k] - 2 * v[k] * along) / (b * b);
    }
    return MST_OK;
}

static const mst_metric_ops half_space = {
    .size = sizeof(mst_metric_ops),
    .name = "half-space",
    .start = space_start,
    .lagrangian = space_lagrangian,
    .lagrangian_hvp = space_hvp,
};

/* cosh r = 1 + |x − y|²/(2 b b'); Ric = −(d − 1). */
START_TEST(other_dimensions)
{
    static const size_t dimensions[] = {1, 3, 14};
    enum { MOST = 14 };
    size_t d = dimensions[_i];
    mst_manifold *m;
    dice die = {72};
    ASSERT_OK(mst_metric_new(&m, &half_space, "half-space", d, NULL));
    for (size_t round = 0; round < 10; round++) {
        double x[MOST], y[MOST], v[MOST], w[MOST], c[MOST], r, length, square = 0;
        for (size_t k = 0; k < d; k++) {
            x[k] = dice_normal(&die);
            c[k] = dice_normal(&die) / sqrt((double)d);
        }
        x[d - 1] = exp(x[d - 1]);
        ASSERT_OK(mst_manifold_from_frame(m, 1, x, c, v));
        ASSERT_OK(mst_manifold_exp(m, 1, x, v, y));
        for (size_t k = 0; k < d; k++)
            square += (x[k] - y[k]) * (x[k] - y[k]);
        length = acosh(1 + square / (2 * x[d - 1] * y[d - 1]));
        assert_near(length, euclidean_norm(d, c), 1e-10, "exp in dimension %zu", d);
        ASSERT_OK(mst_manifold_dist(m, 1, x, y, &r));
        assert_near(r, length, 1e-10, "dist in dimension %zu", d);
        ASSERT_OK(mst_manifold_log(m, 1, x, y, w, NULL));
        for (size_t k = 0; k < d; k++)
            assert_near(w[k], v[k], 1e-9 * (1 + x[d - 1]), "log in dimension %zu", d);
        ASSERT_OK(mst_manifold_ricci(m, 1, x, v, w));
        for (size_t k = 0; k < d; k++)
            assert_near(w[k], -(double)(d - 1) * v[k], 1e-10 * (1 + x[d - 1]),
                        "Ricci in dimension %zu", d);
    }
    mst_manifold_free(m);
}
END_TEST

START_TEST(tables_with_gaps_are_refused)
{
    mst_manifold *m = NULL;
    mst_metric_ops table = half_space;
    ASSERT_FAILS(MST_ARGUMENT, mst_metric_new(&m, &table, "none", 0, NULL));
    table.charts = 2;
    ASSERT_FAILS(MST_ARGUMENT, mst_metric_new(&m, &table, "no transitions", 2, NULL));
    table = half_space;
    table.lagrangian_hvp = NULL;
    ASSERT_FAILS(MST_ARGUMENT, mst_metric_new(&m, &table, "no second derivatives", 2, NULL));
    table = half_space;
    table.size = 0;
    ASSERT_FAILS(MST_ARGUMENT, mst_metric_new(&m, &table, "no size", 2, NULL));
    ck_assert_ptr_null(m);
}
END_TEST

/* Fields along one geodesic, in runs of rows with the same point and vector, are the fields one by one, up to
 * the tolerance of the integration. */
START_TEST(fields_together_are_fields_alone)
{
    enum { ROWS = 3, FIELDS = 4, ALL = ROWS * FIELDS };
    pair p = pair_open(_i);
    size_t w = p.width;
    double x[ALL * D], v[ALL * D], dx[ALL * D], dv[ALL * D], together[ALL * D], alone[D];
    for (size_t k = 0; k < ALL; k++) {
        if (k % FIELDS == 0) {
            draw_point(&p, x + k * w);
            draw_vector(&p, x + k * w, 1, v + k * w);
        } else {
            memcpy(x + k * w, x + (k - 1) * w, w * sizeof *x);
            memcpy(v + k * w, v + (k - 1) * w, w * sizeof *v);
        }
        draw_vector(&p, x + k * w, 1, dx + k * w);
        draw_vector(&p, x + k * w, 1, dv + k * w);
    }
    ASSERT_OK(mst_manifold_exp_derivative(p.m, ALL, x, v, dx, dv, together));
    for (size_t k = 0; k < ALL; k++) {
        ASSERT_OK(mst_manifold_exp_derivative(p.m, 1, x + k * w, v + k * w, dx + k * w, dv + k * w,
                                              alone));
        for (size_t a = 0; a < w; a++)
            assert_near(together[k * w + a], alone[a], 1e-8 * (1 + fabs(alone[a])), "row %zu", k);
    }
    pair_close(&p);
}
END_TEST

int main(void)
{
    return RUN_SUITE("metric", 60, {exp_and_transport_are_the_closed_ones, METRIC_TWINS},
                     {log_is_the_closed_one, METRIC_TWINS}, {other_dimensions, 3},
                     {tables_with_gaps_are_refused, 0},
                     {fields_together_are_fields_alone, METRIC_TWINS});
}
