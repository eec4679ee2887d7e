/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* What geodesics can be besides found: pushed off saddles, kept, differentiated, of many
 * dimensions, or none. */
#include "geodesic/sweeper.h"
#include "manifold/formula_metric.h"
#include "manifold/metric.h"
#include "support/geodesic_batch.h"
#include "support/metric_manifolds.h"

#include <string.h>

/* A path the long way round is a saddle: it is pushed off and comes down. */
typedef struct long_way {
    path path;
    bool given;
    landing landed;
} long_way;

static bool give(void *user, flight_plan *plan, path **out)
{
    long_way *w = user;
    if (w->given)
        return false;
    w->given = true;
    *plan = (flight_plan){.job = w, .tolerance = 1e-12, .most = 100, .whole = true, .enough = 1};
    *out = &w->path;
    return true;
}

static mst_status take(void *user, const flight_plan *plan, const landing *landed)
{
    (void)plan;
    ((long_way *)user)->landed = *landed;
    return MST_OK;
}

START_TEST(the_long_way_round_is_no_answer)
{
    mst_manifold *m;
    geodesic_problem p;
    rule r;
    sweeper s;
    dice die = {8};
    ASSERT_OK(ellipsoid_equation_new(&m, 3, ones));
    ASSERT_OK(problem_new(&p, m));
    ASSERT_OK(rule_new(&r, 12));
    ASSERT_OK(sweeper_new(&s, &p, &r, 1, false));
    for (int round = 0; round < 50; round++) {
        double a[3], c[3], along;
        draw_unit(&die, a);
        draw_unit(&die, c);
        along = dot(3, a, c);
        for (size_t k = 0; k < 3; k++)
            c[k] = (c[k] - along * a[k]) / sqrt(1 - along * along);
        double angle = dice_uniform(&die, 1, 2.5), way = angle - 2 * M_PI;
        long_way w = {.given = false};
        ASSERT_OK(path_reserve(&w.path, 1, 12, 3));
        w.path.breaks[0] = 0;
        w.path.breaks[1] = 1;
        for (size_t i = 0; i <= 12; i++)
            for (size_t k = 0; k < 3; k++)
                w.path.x[3 * i + k] = cos(way * r.t[i]) * a[k] + sin(way * r.t[i]) * c[k];
        sweep_source source = {&w, give, take};
        ASSERT_OK(sweeper_run(&s, &source));
        ck_assert_int_eq(w.landed.end, LANE_CONVERGED);
        assert_near(w.landed.length, angle, 1e-8, "round %d", round);
        path_free(&w.path);
    }
    sweeper_free(&s);
    rule_free(&r);
    problem_free(&p);
    mst_manifold_free(m);
}
END_TEST

/* The line through a hole of the domain. */
START_TEST(lines_that_leave_the_domain)
{
    static const char text[] = "name = plane with a hole\ncoordinates x y\nmetric = 1\n"
                               "domain x^2 + y^2 > 1\nstart = 2, 0\n";
    mst_manifold *m;
    ASSERT_OK(mst_formula_manifold_new(&m, "hole", "hole", text, strlen(text), 0, NULL));
    double x[4] = {-2, 0, -2, 0}, y[4] = {2, 0, -2, 1}, length[2], v[4];
    mst_geodesic_status status[2];
    mst_geodesic_output out = {.length = length, .status = status};
    ASSERT_OK(mst_geodesic_solve(m, 2, x, y, NULL, &out));
    ck_assert_int_eq(status[0], MST_GEODESIC_LEFT_DOMAIN);
    ck_assert(isnan(length[0]));
    assert_near(length[1], 1, 1e-12, "beside the hole");
    ASSERT_FAILS(MST_CONVERGENCE, mst_manifold_log(m, 2, x, y, v, NULL));
    ck_assert_ptr_nonnull(strstr(mst_error_detail(), "pair 1"));
    mst_manifold_free(m);
}
END_TEST

/* ---- Again, and second derivatives ---- */

START_TEST(kept_paths_give_the_same)
{
    batch *b = batch_open();
    mst_geodesics *kept;
    ASSERT_OK(_i == 0 ? half_plane_new(&b->m)
                      : ellipsoid_equation_new(&b->m, 3, (double[]){1, 1, 0.6}));
    if (_i == 0) {
        draw_half_plane(b, 1);
    } else {
        draw_sphere(b, false, 0);
        for (size_t i = 0; i < b->n; i++) {
            b->x[3 * i + 2] *= 0.6;
            b->y[3 * i + 2] *= 0.6;
        }
    }
    size_t D = mst_manifold_ambient(b->m);
    ASSERT_OK(mst_geodesics_new(&kept, b->m, b->n));
    mst_geodesic_options options = mst_geodesic_options_default();
    double length[PAIRS];
    mst_geodesic_output out = {.length = length, .status = b->status};
    options.warm = kept;
    for (int round = 0; round < 4; round++) {
        solve(b, 0, 0);
        ASSERT_OK(mst_geodesic_solve(b->m, b->n, b->x, b->y, &options, &out));
        for (size_t i = 0; i < b->n; i++) {
            ck_assert(is_answer(b->status[i]));
            assert_near(length[i], b->length[i], 2e-9 * length[i], "round %d, pair %zu", round, i);
        }
        for (size_t i = 0; i < b->n; i++) { /* a little along the geodesic, and onto the surface */
            for (size_t k = 0; k < D; k++)
                b->y[i * D + k] += 0.02 * b->log_y[i * D + k];
            ASSERT_OK(mst_manifold_project(b->m, 1, b->y + i * D, b->y + i * D));
        }
    }
    options.warm = kept;
    ASSERT_FAILS(MST_ARGUMENT, mst_geodesic_solve(b->m, 1, b->x, b->y, &options, &out));
    mst_geodesics_free(kept);
    batch_close(b);
}
END_TEST

/* One end goes all the way round, across cut loci, in small steps: a kept path must not be followed beyond
 * the place where another is shorter. */
START_TEST(kept_paths_change_sides)
{
    enum { STEPS = 300 };
    mst_manifold *m;
    mst_geodesics *kept;
    ASSERT_OK(_i == 0 ? torus_chart_new(&m, 1, 0.5, false)
                      : ellipsoid_equation_new(&m, 3, (double[]){1, 1, 0.6}));
    ASSERT_OK(mst_geodesics_new(&kept, m, 1));
    double x[3] = {0.3, 0.2, 0};
    ASSERT_OK(mst_manifold_project(m, 1, x, x));
    size_t sides = 0;
    double last = 0;
    for (int k = 0; k < STEPS; k++) {
        double angle = 0.5 + 2 * M_PI * k / STEPS, y[3] = {angle, 1.3 * angle, 0}, truth, length;
        if (_i == 1)
            memcpy(y, (double[]){cos(angle), sin(angle), 0.3 * sin(3 * angle)}, sizeof y);
        ASSERT_OK(mst_manifold_project(m, 1, y, y));
        mst_geodesic_options options = mst_geodesic_options_default();
        double v[3];
        mst_geodesic_output cold = {.length = &truth}, warm = {.length = &length, .log_x = v};
        ASSERT_OK(mst_geodesic_solve(m, 1, x, y, NULL, &cold));
        options.warm = kept;
        ASSERT_OK(mst_geodesic_solve(m, 1, x, y, &options, &warm));
        assert_near(length, truth, 2e-8 * truth, "step %d", k);
        double turn = atan2(v[1], v[0]);
        sides += k > 0 && fabs(remainder(turn - last, 2 * M_PI)) > 0.3;
        last = turn;
    }
    ck_assert_uint_ge(sides, 1); /* or the test would tell nothing */
    mst_geodesics_free(kept);
    mst_manifold_free(m);
}
END_TEST

static double form(size_t D, const double *h, const double *u, const double *v)
{
    double sum = 0;
    for (size_t i = 0; i < D; i++)
        for (size_t k = 0; k < D; k++)
            sum += u[i] * h[i * D + k] * v[k];
    return sum;
}

/* Of constant curvature κ, s = √|κ| r: along the geodesic 1, across it s cot s or s coth s; det of the mixed
 * derivative s/sin s or s/sinh s. */
START_TEST(second_derivatives_of_constant_curvature)
{
    batch *b = batch_open();
    mst_status made = _i == 0   ? half_plane_new(&b->m)
                      : _i == 1 ? stereographic_new(&b->m, 2)
                                : ellipsoid_equation_new(&b->m, 3, ones);
    ASSERT_OK(made);
    if (_i == 0)
        draw_half_plane(b, 0.7);
    else
        draw_sphere(b, _i == 1, 2);
    size_t D = mst_manifold_ambient(b->m);
    mst_geodesic_output out = output_of(b);
    mst_geodesic_options options = mst_geodesic_options_default();
    options.log_tolerance = 1e-10;
    out.hessian = b->hessian;
    out.mixed = b->mixed;
    out.van_vleck = b->van_vleck;
    ASSERT_OK(mst_geodesic_solve(b->m, b->n, b->x, b->y, &options, &out));
    for (size_t i = 0; i < b->n; i++) {
        if (!is_answer(b->status[i]))
            continue;
        double r = b->truth[i], c[2], side[3], square;
        const double *x = b->x + i * D, *v = b->log_x + i * D, *h = b->hessian + i * D * D;
        ASSERT_OK(mst_manifold_to_frame(b->m, 1, x, v, c));
        ASSERT_OK(mst_manifold_from_frame(b->m, 1, x, (double[]){-c[1] / r, c[0] / r}, side));
        ASSERT_OK(mst_manifold_inner(b->m, 1, x, side, side, &square));
        double across = _i == 0 ? r / tanh(r) : r / tan(r), whole = _i == 0 ? sinh(r) : sin(r);
        assert_near(form(D, h, v, v) / (r * r), 1, 1e-6, "along %g", r);
        assert_near(form(D, h, v, side) / r, 0, 1e-6, "mixed %g", r);
        assert_near(form(D, h, side, side), across, 1e-6 * (1 + fabs(across)), "across %g", r);
        assert_near(b->van_vleck[i], r / whole, 1e-6 * (1 + r / whole), "van Vleck at %g", r);
    }
    batch_close(b);
}
END_TEST

START_TEST(bad_options)
{
    mst_manifold *m, *closed;
    double x[2] = {0, 1}, y[2] = {1, 1}, length;
    mst_geodesic_output out = {.length = &length};
    mst_geodesic_options options = mst_geodesic_options_default();
    ASSERT_OK(half_plane_new(&m));
    ASSERT_OK(mst_manifold_parse(&closed, "euclidean:2"));
    ASSERT_FAILS(MST_UNABLE, mst_geodesic_solve(closed, 1, x, y, NULL, &out));
    options.tolerance = 0;
    ASSERT_FAILS(MST_ARGUMENT, mst_geodesic_solve(m, 1, x, y, &options, &out));
    options = mst_geodesic_options_default();
    options.starts = -1;
    ASSERT_FAILS(MST_ARGUMENT, mst_geodesic_solve(m, 1, x, y, &options, &out));
    ck_assert_str_eq(mst_geodesic_status_words(MST_GEODESIC_SADDLE), "saddle");
    mst_manifold_free(m);
    mst_manifold_free(closed);
}
END_TEST

/* ---- Many dimensions ---- */

START_TEST(spheres_of_many_dimensions)
{
    enum { D = 20, N = 16 };
    static const char text[] = "name = sphere\nparameter n = 20\ncoordinates u[n]\n"
                               "metric = 4/(1 + sum(i, 1, n, u[i]^2))^2\nstart = 0\n";
    mst_manifold *m;
    dice die = {9};
    double x[N * D], y[N * D], log_x[N * D], length[N], error[N];
    ASSERT_OK(_i == 0
                  ? stereographic_new(&m, D)
                  : mst_formula_manifold_new(&m, "sphere", "sphere", text, strlen(text), 0, NULL));
    for (size_t j = 0; j < N * D; j++) {
        x[j] = 0.2 * dice_normal(&die);
        y[j] = 0.2 * dice_normal(&die);
    }
    mst_geodesic_output out = {.length = length, .error = error, .log_x = log_x};
    ASSERT_OK(mst_geodesic_solve(m, N, x, y, NULL, &out));
    for (size_t i = 0; i < N; i++) {
        double a[D + 1], b[D + 1], norm, chord = 0;
        stereographic_to_sphere(D, x + i * D, a);
        stereographic_to_sphere(D, y + i * D, b);
        for (size_t k = 0; k <= D; k++)
            chord += (a[k] - b[k]) * (a[k] - b[k]);
        double truth = 2 * asin(0.5 * sqrt(chord));
        assert_near(length[i], truth, 1e-9 * truth, "pair %zu", i);
        ck_assert_double_le(fabs(length[i] - truth), 2 * error[i] + 1e-12);
        ASSERT_OK(mst_manifold_norm(m, 1, x + i * D, log_x + i * D, &norm));
        assert_near(norm, truth, 1e-7 * truth, "its vector");
    }
    out.van_vleck = error;
    ASSERT_FAILS(MST_UNABLE, mst_geodesic_solve(m, N, x, y, NULL, &out));
    mst_manifold_free(m);
}
END_TEST

/* Two landmarks of the plane by their cometric, against the search along Exp. */
START_TEST(cometrics)
{
    static const char text[] =
        "name = landmarks\ncoordinates a b c d\nlet k = exp(-((a - c)^2 + (b - d)^2)/2)\n"
        "cometric = 1, 0, k, 0; 0, 1, 0, k; k, 0, 1, 0; 0, k, 0, 1\nstart = 0, 0, 1, 0\n";
    mst_manifold *m;
    dice die = {10};
    ASSERT_OK(mst_formula_manifold_new(&m, "landmarks", "landmarks", text, strlen(text), 0, NULL));
    for (int round = 0; round < 10; round++) {
        double x[4] = {0, 0, 1, 0}, y[4], v[4], slow[4], error;
        mst_geodesic_options options = mst_geodesic_options_default();
        mst_geodesic_output out = {.log_x = v, .error = &error};
        options.log_tolerance = 1e-9;
        for (size_t k = 0; k < 4; k++)
            y[k] = x[k] + 0.3 * dice_normal(&die);
        ASSERT_OK(mst_geodesic_solve(m, 1, x, y, &options, &out));
        ASSERT_OK(metric_log(m, 1, x, y, slow, NULL));
        for (size_t k = 0; k < 4; k++)
            assert_near(v[k], slow[k], 1e-7, "round %d", round);
    }
    mst_manifold_free(m);
}
END_TEST

/* Two spheres: there is no way from one to the other, and none is claimed. */
START_TEST(different_components)
{
    static const char text[] = "name = spheres\ncoordinates x y z\n"
                               "constraint = (x^2 + y^2 + z^2 - 1)*((x - 3)^2 + y^2 + z^2 - 1)\n"
                               "start = -1, 0, 0\n";
    mst_manifold *m;
    ASSERT_OK(mst_formula_manifold_new(&m, "spheres", "spheres", text, strlen(text), 0, NULL));
    double x[6] = {-1, 0, 0, -1, 0, 0}, y[6] = {4, 0, 0, 0, 1, 0}, length[2];
    mst_geodesic_status status[2];
    mst_geodesic_output out = {.length = length, .status = status};
    ASSERT_OK(mst_geodesic_solve(m, 2, x, y, NULL, &out));
    ck_assert_msg(!is_answer(status[0]), "a path of length %g", length[0]);
    ck_assert_int_eq(status[0], MST_GEODESIC_NO_PATH);
    ck_assert(is_answer(status[1]));
    assert_near(length[1], M_PI / 2, 1e-8, "on one of them");
    mst_manifold_free(m);
}
END_TEST

/* A domain in two parts; and one that the line leaves, while the geodesic does not. */
START_TEST(parts_of_a_domain)
{
    static const char *const texts[] = {
        "coordinates x y\nmetric = 1\ndomain x^2 > 1\nstart = 2, 0\n",
        "coordinates x y\nmetric = 1/y^2\ndomain y > 0\ndomain y > 1 - 10*abs(x)\nstart = 2, 1\n",
    };
    mst_manifold *m;
    double x[2] = {-2, 0.9}, y[2] = {2, 0.9}, length;
    mst_geodesic_status status;
    mst_geodesic_output out = {.length = &length, .status = &status};
    ASSERT_OK(mst_formula_manifold_new(&m, "part", "part", texts[_i], strlen(texts[_i]), 0, NULL));
    ASSERT_OK(mst_geodesic_solve(m, 1, x, y, NULL, &out));
    if (_i == 0) {
        ck_assert_int_eq(status, MST_GEODESIC_NO_PATH);
        ck_assert(isnan(length));
    } else {
        ck_assert(is_answer(status));
        assert_near(length, 2 * asinh(4 / (2 * 0.9)), 1e-8, "over the tooth");
    }
    mst_manifold_free(m);
}
END_TEST

/* Exactly opposite points: one of many, and it is said that there are others. */
START_TEST(opposite_points)
{
    mst_manifold *m;
    double axes[2][3] = {{1, 1, 1}, {1, 1, 0.6}};
    ASSERT_OK(ellipsoid_equation_new(&m, 3, axes[_i]));
    for (size_t k = 0; k < 3; k++) {
        double x[3] = {0}, y[3] = {0}, v[3], length;
        unsigned char flag = 0;
        x[k] = axes[_i][k];
        y[k] = -x[k];
        ASSERT_OK(mst_manifold_dist(m, 1, x, y, &length));
        ASSERT_OK(mst_manifold_log(m, 1, x, y, v, &flag));
        /* Half the ellipse through the poles; that of the equator is longer. */
        double truth = _i == 0 ? M_PI : 2.5526998863398124;
        assert_near(length, truth, 1e-8, "axis %zu", k);
        assert_near(euclidean_norm(3, v), truth, 1e-7, "axis %zu", k);
        ck_assert_msg(flag != 0, "axis %zu: there is another", k);
    }
    mst_manifold_free(m);
}
END_TEST

/* Points of the path lie on the surface, at equal distances. */
START_TEST(points_of_paths)
{
    enum { POINTS = 9 };
    mst_manifold *m;
    double x[3] = {1, 0, 0}, y[3] = {0, 0.6, 0.8}, way[POINTS * 3], length;
    mst_geodesic_output out = {.length = &length, .points = POINTS, .path = way};
    ASSERT_OK(ellipsoid_equation_new(&m, 3, ones));
    ASSERT_OK(mst_geodesic_solve(m, 1, x, y, NULL, &out));
    ck_assert_mem_eq(way, x, sizeof x);
    ck_assert_mem_eq(way + 3 * (POINTS - 1), y, sizeof y);
    for (size_t k = 1; k < POINTS; k++) {
        double gap[3];
        for (size_t a = 0; a < 3; a++)
            gap[a] = way[3 * k + a] - way[3 * k - 3 + a];
        assert_near(euclidean_norm(3, way + 3 * k), 1, 1e-6, "point %zu", k);
        assert_near(euclidean_norm(3, gap), 2 * sin(length / (POINTS - 1) / 2), 1e-6, "gap %zu", k);
    }
    mst_manifold_free(m);
}
END_TEST

int main(void)
{
    return RUN_SUITE("paths", 60, {the_long_way_round_is_no_answer, 0},
                     {lines_that_leave_the_domain, 0}, {kept_paths_give_the_same, 2},
                     {second_derivatives_of_constant_curvature, 3}, {bad_options, 0},
                     {spheres_of_many_dimensions, 2}, {cometrics, 0}, {different_components, 0},
                     {parts_of_a_domain, 2}, {points_of_paths, 0}, {opposite_points, 2},
                     {kept_paths_change_sides, 2});
}
