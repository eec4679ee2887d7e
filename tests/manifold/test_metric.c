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

int main(void)
{
    return RUN_SUITE("metric", 60, {exp_and_transport_are_the_closed_ones, METRIC_TWINS},
                     {log_is_the_closed_one, METRIC_TWINS});
}
