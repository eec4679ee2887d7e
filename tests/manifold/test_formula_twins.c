/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Manifolds of the library written as formulas: the same maps, through the isometry between them. */
#include "support/metric_manifolds.h"

#include <manistat/brownian.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SHIPPED MST_TEST_DATA "/../../examples/manifolds/"
enum { MOST = 4 };

static void same(size_t n, const double *x, double *y)
{
    memcpy(y, x, 3 * n * sizeof *y);
}

static void same_vector(size_t n, const double *x, const double *v, double *w)
{
    (void)x;
    memcpy(w, v, 3 * n * sizeof *w);
}

static void matrix(size_t n, const double *x, double *y)
{
    for (size_t i = 0; i < n; i++, x += 3, y += 4) {
        y[0] = x[0];
        y[1] = y[2] = x[1];
        y[3] = x[2];
    }
}

static void matrix_vector(size_t n, const double *x, const double *v, double *w)
{
    (void)x;
    matrix(n, v, w);
}

static const struct {
    const char *formula, *spec;
    void (*there)(size_t n, const double *x, double *y);
    void (*push)(size_t n, const double *x, const double *v, double *w);
    double reach;
} twins[] = {
    {SHIPPED "ellipsoid.manifold?c=1", "sphere:2", same, same_vector, 3},
    {SHIPPED "half-plane.manifold", "hyperbolic:2", half_plane_to_hyperboloid, half_plane_push, 4},
    {SHIPPED "spd2.manifold", "spd:2", matrix, matrix_vector, 3},
};
enum { TWINS = sizeof twins / sizeof *twins };

typedef struct pair {
    mst_manifold *a, *b; /* of formulas, and of the library */
    size_t D, E, d;
} pair;

static pair open_pair(int i)
{
    pair p;
    mst_status status = mst_manifold_parse(&p.a, twins[i].formula);
    ck_assert_msg(status == MST_OK, "%s", mst_error_detail());
    ASSERT_OK(mst_manifold_parse(&p.b, twins[i].spec));
    p.D = mst_manifold_ambient(p.a);
    p.E = mst_manifold_ambient(p.b);
    p.d = mst_manifold_dim(p.a);
    return p;
}

static void close_pair(pair *p)
{
    mst_manifold_free(p->a);
    mst_manifold_free(p->b);
}

/* A tangent vector at x of the formulas of this length. */
static void draw_vector(const pair *p, dice *die, const double *x, double length, double *v)
{
    double c[MOST], size;
    for (size_t k = 0; k < p->d; k++)
        c[k] = dice_normal(die);
    size = euclidean_norm(p->d, c);
    for (size_t k = 0; k < p->d; k++)
        c[k] *= length / size;
    ASSERT_OK(mst_manifold_from_frame(p->a, 1, x, c, v));
}

/* Rows of the library's manifold, against their size. */
static void assert_rows(const pair *p, const double *got, const double *want, double tolerance,
                        const char *what, int which)
{
    double scale = fmax(1, euclidean_norm(p->E, want));
    for (size_t k = 0; k < p->E; k++)
        assert_near(got[k], want[k], tolerance * scale, "%s of %s, column %zu", what,
                    twins[which].spec, k);
}

START_TEST(maps_agree)
{
    pair p = open_pair(_i);
    dice die = {31};
    for (int trial = 0; trial < 40; trial++) {
        double x[MOST], y[MOST], v[MOST], u[MOST], back[MOST], r, s;
        double X[MOST], Y[MOST], V[MOST], U[MOST], out[MOST], want[MOST];
        mst_manifold_start(p.a, y);
        draw_vector(&p, &die, y, 1, v);
        ASSERT_OK(mst_manifold_exp(p.a, 1, y, v, x));
        double length = twins[_i].reach * (double)(1 + trial) / 40;
        draw_vector(&p, &die, x, length, v);
        draw_vector(&p, &die, x, 1, u);
        twins[_i].there(1, x, X);
        twins[_i].push(1, x, v, V);
        twins[_i].push(1, x, u, U);
        ASSERT_OK(mst_manifold_norm(p.b, 1, X, V, &r));
        assert_near(r, length, 1e-12 * length, "lengths");
        ASSERT_OK(mst_manifold_exp(p.a, 1, x, v, y));
        ASSERT_OK(mst_manifold_exp(p.b, 1, X, V, want));
        twins[_i].there(1, y, Y);
        assert_rows(&p, Y, want, 1e-9, "exp", _i);
        ASSERT_OK(mst_manifold_log(p.a, 1, x, y, back, NULL));
        twins[_i].push(1, x, back, out);
        ASSERT_OK(mst_manifold_log(p.b, 1, X, Y, want, NULL));
        assert_rows(&p, out, want, 1e-9, "log", _i);
        ASSERT_OK(mst_manifold_dist(p.a, 1, x, y, &r));
        ASSERT_OK(mst_manifold_dist(p.b, 1, X, Y, &s));
        assert_near(r, s, 1e-9 * s, "dist");
        ASSERT_OK(mst_manifold_transport(p.a, 1, x, v, u, back));
        ASSERT_OK(mst_manifold_transport(p.b, 1, X, V, U, want));
        twins[_i].push(1, y, back, out);
        assert_rows(&p, out, want, 1e-9, "transport", _i);
        ASSERT_OK(mst_manifold_exp_derivative(p.a, 1, x, v, u, u, back));
        ASSERT_OK(mst_manifold_exp_derivative(p.b, 1, X, V, U, U, want));
        twins[_i].push(1, y, back, out);
        assert_rows(&p, out, want, 1e-9, "derivative", _i);
        double w[MOST], W[MOST], dx[MOST], dv[MOST], DX[MOST], DV[MOST];
        draw_vector(&p, &die, y, 1, w);
        twins[_i].push(1, y, w, W);
        ASSERT_OK(mst_manifold_exp_adjoint(p.a, 1, x, v, w, dx, dv));
        ASSERT_OK(mst_manifold_exp_adjoint(p.b, 1, X, V, W, DX, DV));
        twins[_i].push(1, x, dx, out);
        assert_rows(&p, out, DX, 1e-8, "adjoint to x", _i);
        twins[_i].push(1, x, dv, out);
        assert_rows(&p, out, DV, 1e-8, "adjoint to v", _i);
        ASSERT_OK(mst_manifold_ricci(p.a, 1, x, u, back));
        ASSERT_OK(mst_manifold_ricci(p.b, 1, X, U, want));
        twins[_i].push(1, x, back, out);
        assert_rows(&p, out, want, 1e-8, "Ricci", _i);
    }
    close_pair(&p);
}
END_TEST

/* Mean squared distance from the start and its standard error. */
static void spread(const mst_manifold *m, uint64_t seed, double *mean, double *error)
{
    enum { PATHS = 1500 };
    size_t D = mst_manifold_ambient(m);
    double *x = malloc(2 * PATHS * D * sizeof *x), *r = malloc(PATHS * sizeof *r), sum = 0,
           square = 0;
    ck_assert(x != NULL && r != NULL);
    mst_brownian_options o = mst_brownian_options_default();
    o.steps = 20;
    o.seed = seed;
    for (size_t i = 0; i < PATHS; i++)
        mst_manifold_start(m, x + i * D);
    ASSERT_OK(mst_brownian_endpoints(m, PATHS, x, 0.4, &o, x + PATHS * D));
    ASSERT_OK(mst_manifold_dist(m, PATHS, x, x + PATHS * D, r));
    for (size_t i = 0; i < PATHS; i++) {
        sum += r[i] * r[i] / PATHS;
        square += r[i] * r[i] * r[i] * r[i] / PATHS;
    }
    *mean = sum;
    *error = sqrt((square - sum * sum) / PATHS);
    free(x);
    free(r);
}

/* False alarms at 4.5 standard errors: one in 10⁵. */
START_TEST(brownian_motion_spreads_alike)
{
    pair p = open_pair(_i);
    double one, other, error[2];
    spread(p.a, 5, &one, &error[0]);
    spread(p.b, 6, &other, &error[1]);
    assert_near(one, other, 4.5 * hypot(error[0], error[1]), "%s", twins[_i].spec);
    close_pair(&p);
}
END_TEST

/* Along the outer equator of a torus coordinates run straight, and the integrator sees nothing of the
 * curvature; what goes along still has to be right. J(1) of J(0) = 0, J'(0) = e is sin(√K r)/(√K r) e. */
START_TEST(fields_along_an_equator)
{
    mst_manifold *m;
    double x[2] = {0, 0}, v[2] = {1, 0}, across[2] = {0, 2}, out[2], r;
    ASSERT_OK(mst_manifold_parse(&m, SHIPPED "torus.manifold"));
    double k = 1 / (0.5 * 1.5), length = 1.5; /* cos v/(r (R + r cos v)), and R + r */
    ASSERT_OK(mst_manifold_transport(m, 1, x, v, across, out));
    ASSERT_OK(mst_manifold_norm(m, 1, (double[2]){1, 0}, out, &r));
    assert_near(r, 1, 1e-11, "transport");
    ASSERT_OK(mst_manifold_exp_derivative(m, 1, x, v, NULL, across, out));
    assert_near(out[1] / 2, sin(sqrt(k) * length) / (sqrt(k) * length), 1e-11, "Jacobi field");
    mst_manifold_free(m);
}
END_TEST

int main(void)
{
    return RUN_SUITE("formula twins", 120, {maps_agree, TWINS},
                     {brownian_motion_spreads_alike, TWINS}, {fields_along_an_equator, 0});
}
