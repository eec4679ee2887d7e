/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Brownian motion with samples large enough for small effects: weak orders at finer steps, and laws rather
 * than moments. False-alarm rates as in test_brownian.c. */
#include "heat/brownian_moments.h"

static const order_case orders[] = {
    {"sphere:2", MST_BROWNIAN_TANGENT, 2, 2, 1.4, 2.9},
    {"sphere:3", MST_BROWNIAN_TANGENT, 1, 2, 1.4, 2.8},
    {"sphere:6", MST_BROWNIAN_TANGENT, 0.5, 2, 1.6, 2.5},
    {"sphere:10", MST_BROWNIAN_TANGENT, 0.5, 2, 1.7, 2.4},
    {"hyperbolic:2", MST_BROWNIAN_TANGENT, 2, 2, 1.6, 2.3},
    {"hyperbolic:6", MST_BROWNIAN_TANGENT, 0.5, 2, 1.6, 2.3},
    {"sphere:3", MST_BROWNIAN_CHART, 1, 4, 0.7, 1.3},
    {"hyperbolic:2", MST_BROWNIAN_CHART, 0.5, 16, 0.7, 1.3},
    {"hyperbolic:5", MST_BROWNIAN_CHART, 0.5, 16, 0.7, 1.3},
};
enum { ORDERS = sizeof orders / sizeof *orders };

START_TEST(weak_orders_at_finer_steps)
{
    assert_order(&orders[_i], 1000000, orders[_i].method == MST_BROWNIAN_CHART ? 4 : 20);
}
END_TEST

/* P(2) is a line times a hyperbolic plane of curvature −1/2: in coordinates X = e^{s/√2}·Y with det Y = 1, s
 * is N(0, t), and tr Y = 2 cosh(ρ/√2) for the distance ρ in the plane, so E tr Y = 2 e^{t/2}. */
START_TEST(factors_of_positive_definite_matrices)
{
    enum { N = 1000000 };
    mst_manifold *m = NULL;
    ASSERT_OK(mst_manifold_parse(&m, "spd:2"));
    const double x0[] = {1, 0, 0, 1}, time = 0.6;
    mst_brownian_options o = mst_brownian_options_default();
    o.steps = 60;
    double *x = end_points(m, N, x0, time, &o), *s = doubles(N), bias = pow(time / 60, 2);
    moments trace = {0}, mixed = {0};
    for (size_t i = 0; i < N; i++) {
        double determinant = x[4 * i] * x[4 * i + 3] - x[4 * i + 1] * x[4 * i + 2];
        s[i] = log(determinant) / sqrt(2 * time);
        double y = (x[4 * i] + x[4 * i + 3]) / sqrt(determinant);
        moments_add(&trace, y);
        moments_add(&mixed, s[i] * s[i] * y - 2 * exp(time / 2));
    }
    assert_mean(&trace, 2 * exp(time / 2), bias, "P(2): trace of the part of determinant one");
    assert_mean(&mixed, 0, bias, "P(2): the factors are independent");
    assert_distribution(N, s, normal_cdf, "P(2): log det");
    free(x);
    free(s);
    mst_manifold_free(m);
}
END_TEST

/* On S³ the rotation angle's law is elementary: Brownian motion on S³ at time t and on SO(3) at time 4t agree
 * up to sign, so E c² = ¼(1 + 3e^{−4t}) on S³ is E (1 + tr R)/4 with tr R = 4c² − 1. */
START_TEST(rotations_are_the_three_sphere_up_to_sign)
{
    enum { N = 1000000 };
    mst_manifold *m[2] = {NULL, NULL};
    ASSERT_OK(mst_manifold_parse(&m[0], "sphere:3"));
    ASSERT_OK(mst_manifold_parse(&m[1], "so3"));
    moments trace[2][2] = {{{0}}};
    for (int k = 0; k < 2; k++) {
        size_t D = mst_manifold_ambient(m[k]);
        double *x0 = general_point(m[k]), time = k == 0 ? 0.2 : 0.8;
        mst_brownian_options o = mst_brownian_options_default();
        o.seed = 5 + (uint64_t)k;
        double *x = end_points(m[k], N, x0, time, &o);
        for (size_t i = 0; i < N; i++) {
            double c = dot(D, x0, x + i * D), t = k == 0 ? 4 * c * c - 1 : c;
            moments_add(&trace[k][0], t);
            moments_add(&trace[k][1], t * t);
        }
        assert_mean(&trace[k][0], 3 * exp(-0.8), 1e-4, "trace");
        free(x);
        free(x0);
        mst_manifold_free(m[k]);
    }
    double error = hypot(moments_error(&trace[0][1]), moments_error(&trace[1][1]));
    assert_near(trace[0][1].mean, trace[1][1].mean, Z_LIMIT * error + 3e-4, "square of the trace");
}
END_TEST

int main(void)
{
    return RUN_SUITE("brownian, slow", 600, {weak_orders_at_finer_steps, ORDERS},
                     {factors_of_positive_definite_matrices, 0},
                     {rotations_are_the_three_sphere_up_to_sign, 0});
}
