/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Brownian motion against moments that are known in closed form. Each check of a mean fails for a freshly
 * chosen seed with probability 6e-7 (five standard errors); there are about 100. Schemes with a step h get an
 * allowance for their bias: order 2 for the walk, order 1 in charts. */
#include "heat/brownian_moments.h"

#include <string.h>

static mst_manifold *parse(const char *spec)
{
    mst_manifold *m = NULL;
    ASSERT_OK(mst_manifold_parse(&m, spec));
    return m;
}

static const struct {
    const char *spec;
    double sign;
} round_spaces[] = {{"sphere:1", -1},    {"sphere:2", -1},    {"sphere:3", -1},
                    {"sphere:6", -1},    {"hyperbolic:1", 1}, {"hyperbolic:2", 1},
                    {"hyperbolic:3", 1}, {"hyperbolic:6", 1}};
enum { ROUND_SPACES = sizeof round_spaces / sizeof *round_spaces };

START_TEST(walks_on_round_spaces)
{
    enum { N = 200000 };
    mst_manifold *m = parse(round_spaces[_i].spec);
    double sign = round_spaces[_i].sign, *x0 = general_point(m), want[2], time = 0.4;
    mst_brownian_options o = mst_brownian_options_default();
    static const size_t steps[] = {1, 2, 8, 32};
    for (size_t k = 0; k < 4; k++) {
        o.steps = steps[k];
        o.seed = 100 + k;
        double *x = end_points(m, N, x0, time, &o);
        moments got[2];
        sample_radial(sign, m, N, x0, x, got);
        radial_moments(sign, mst_manifold_dim(m), time, steps[k], want);
        for (int p = 0; p < 2; p++)
            assert_mean(&got[p], want[p], 0, "%s, %zu steps, moment %d", round_spaces[_i].spec,
                        steps[k], p + 1);
        free(x);
    }
    /* 32 steps are close to the heat kernel itself: the walk's means are off by O(h²). */
    double exact[2], h = time / 32;
    radial_moments(sign, mst_manifold_dim(m), time, 0, exact);
    assert_near(want[0], exact[0], h * h * exact[0], "%s: bias of the walk", round_spaces[_i].spec);
    free(x0);
    mst_manifold_free(m);
}
END_TEST

START_TEST(charts_on_round_spaces)
{
    enum { N = 40000, STEPS = 50 };
    mst_manifold *m = parse(round_spaces[_i].spec);
    double sign = round_spaces[_i].sign, *x0 = general_point(m), want[2], time = 0.4;
    double d = (double)mst_manifold_dim(m);
    mst_brownian_options o = mst_brownian_options_default();
    o.method = MST_BROWNIAN_CHART;
    o.steps = STEPS;
    double *x = end_points(m, N, x0, time, &o);
    moments got[2];
    sample_radial(sign, m, N, x0, x, got);
    radial_moments(sign, mst_manifold_dim(m), time, 0, want);
    /* A step's relative error in an eigenfunction of eigenvalue λ is of the size (λh)²/8 + (λh) h. */
    const double lambda[] = {d, 2 * (d + 1)};
    for (int p = 0; p < 2; p++) {
        double h = time / STEPS, bias = time * h * lambda[p] * (1 + lambda[p] / 8) * want[p];
        assert_mean(&got[p], want[p], bias, "%s in charts, moment %d", round_spaces[_i].spec,
                    p + 1);
    }
    free(x);
    free(x0);
    mst_manifold_free(m);
}
END_TEST

/* No bias to allow for, at once or in steps. */
START_TEST(exact_draws_on_round_spaces)
{
    enum { N = 100000, STEPS = 3 };
    mst_manifold *m = parse(round_spaces[_i].spec);
    size_t D = mst_manifold_ambient(m);
    double sign = round_spaces[_i].sign, *x0 = general_point(m), want[2], time = 1.3;
    mst_brownian_options o = mst_brownian_options_default();
    o.method = MST_BROWNIAN_EXACT;
    o.steps = STEPS;
    double *x = end_points(m, N, x0, time, &o), *starts = doubles(N * D),
           *paths = doubles(N * (STEPS + 1) * D);
    moments got[2];
    radial_moments(sign, mst_manifold_dim(m), time, 0, want);
    sample_radial(sign, m, N, x0, x, got);
    for (int p = 0; p < 2; p++)
        assert_mean(&got[p], want[p], 0, "%s, exact, moment %d", round_spaces[_i].spec, p + 1);
    for (size_t i = 0; i < N; i++)
        memcpy(starts + i * D, x0, D * sizeof *x0);
    o.seed = 5;
    ASSERT_OK(mst_brownian_paths(m, N, starts, time, &o, paths));
    for (size_t i = 0; i < N; i++)
        memcpy(x + i * D, paths + ((i + 1) * (STEPS + 1) - 1) * D, D * sizeof *x);
    sample_radial(sign, m, N, x0, x, got);
    for (int p = 0; p < 2; p++)
        assert_mean(&got[p], want[p], 0, "%s, exact paths, moment %d", round_spaces[_i].spec,
                    p + 1);
    free(paths);
    free(starts);
    free(x);
    free(x0);
    mst_manifold_free(m);
}
END_TEST

START_TEST(flat_spaces)
{
    static const char *const specs[] = {"euclidean:1", "euclidean:3", "sym:2"};
    enum { N = 100000 };
    for (size_t k = 0; k < 9; k++) {
        mst_manifold *m = parse(specs[k % 3]);
        size_t d = mst_manifold_dim(m), D = mst_manifold_ambient(m);
        double *x0 = general_point(m), *c = doubles(d), *v = doubles(D), time = 0.7;
        mst_brownian_options o = mst_brownian_options_default();
        o.method = (mst_brownian_method)(k / 3);
        o.steps = 3;
        o.seed = 40 + k;
        ck_assert(mst_brownian_has_exact(m));
        double *x = end_points(m, N, x0, time, &o);
        covariance sample = {.width = d};
        moments fourth = {0};
        for (size_t i = 0; i < N; i++) {
            for (size_t a = 0; a < D; a++)
                v[a] = x[i * D + a] - x0[a];
            ASSERT_OK(mst_manifold_to_frame(m, 1, x0, v, c));
            covariance_add(&sample, c);
            moments_add(&fourth, pow(c[d - 1], 4));
        }
        assert_isotropic(&sample, time, specs[k % 3]);
        assert_mean(&fourth, 3 * time * time, 0, "%s: fourth moment", specs[k % 3]);
        free(x);
        free(x0);
        free(c);
        free(v);
        mst_manifold_free(m);
    }
}
END_TEST

START_TEST(torus_characteristic_function)
{
    enum { N = 100000 };
    mst_manifold *m = parse("torus:2");
    const double x0[] = {3, -50}, time = 0.8;
    for (int method = 0; method < 3; method++) {
        mst_brownian_options o = mst_brownian_options_default();
        o.method = (mst_brownian_method)method;
        o.steps = 4;
        o.seed = 70 + (uint64_t)method;
        double *x = end_points(m, N, x0, time, &o);
        for (int k = 1; k <= 3; k++) {
            moments wave[2] = {{0}}, both = {0};
            for (size_t i = 0; i < N; i++) {
                double a = x[2 * i] - x0[0], b = x[2 * i + 1] - x0[1];
                moments_add(&wave[0], cos(k * a));
                moments_add(&wave[1], sin(k * b));
                moments_add(&both, cos(k * a) * cos(b));
            }
            assert_mean(&wave[0], exp(-k * k * time / 2), 0, "torus: cosine %d", k);
            assert_mean(&wave[1], 0, 0, "torus: sine %d", k);
            assert_mean(&both, exp(-(k * k + 1) * time / 2), 0, "torus: product %d", k);
        }
        free(x);
    }
    mst_manifold_free(m);
}
END_TEST

/* log det of a positive definite 2×2 or 3×3 matrix. */
static double log_determinant(size_t n, const double *a)
{
    if (n == 2)
        return log(a[0] * a[3] - a[1] * a[2]);
    return log(a[0] * (a[4] * a[8] - a[5] * a[7]) - a[1] * (a[3] * a[8] - a[5] * a[6]) +
               a[2] * (a[3] * a[7] - a[4] * a[6]));
}

/* On P(n): log det ~ N(log det of the start, n t), and E X = e^{(n+1)t/4} times the start, because
 * E S² = (n+1)/2 I for the Gaussian symmetric matrix S of the metric. */
START_TEST(positive_definite_matrices)
{
    enum { N = 60000 };
    size_t n = 2 + (size_t)_i % 2, D = n * n;
    mst_manifold *m = parse(n == 2 ? "spd:2" : "spd:3");
    double *x0 = general_point(m), time = 0.3;
    mst_brownian_options o = mst_brownian_options_default();
    o.method = _i < 2 ? MST_BROWNIAN_TANGENT : MST_BROWNIAN_CHART;
    o.steps = _i < 2 ? 12 : 60;
    double h = time / (double)o.steps;
    double bias = o.method == MST_BROWNIAN_TANGENT ? h * h : 2 * time * h;
    double *x = end_points(m, N, x0, time, &o);
    moments mean = {0}, square = {0}, entry[9] = {{0}};
    for (size_t i = 0; i < N; i++) {
        double off = log_determinant(n, x + i * D) - log_determinant(n, x0);
        moments_add(&mean, off);
        moments_add(&square, off * off);
        for (size_t a = 0; a < D; a++)
            moments_add(&entry[a], x[i * D + a]);
    }
    double growth = exp(((double)n + 1) * time / 4), size = max_abs(D, x0) * growth;
    assert_mean(&mean, 0, (double)n * bias, "P(%zu): mean of log det", n);
    assert_mean(&square, (double)n * time, (double)n * bias, "P(%zu): variance of log det", n);
    for (size_t a = 0; a < D; a++)
        assert_mean(&entry[a], growth * x0[a], size * bias * (double)n, "P(%zu): entry %zu", n, a);
    free(x);
    free(x0);
    mst_manifold_free(m);
}
END_TEST

START_TEST(log_euclidean_matrices)
{
    enum { N = 60000 };
    mst_manifold *m = parse("spd:2?metric=log-euclidean");
    double *x0 = general_point(m), *v = doubles(4), *c = doubles(3), time = 0.5;
    for (int method = 0; method < 3; method++) {
        mst_brownian_options o = mst_brownian_options_default();
        o.method = (mst_brownian_method)method;
        o.steps = method == MST_BROWNIAN_CHART ? 20 : 2;
        double *x = end_points(m, N, x0, time, &o);
        covariance sample = {.width = 3};
        for (size_t i = 0; i < N; i++) { /* flat: Log is an isometry, the law is Gaussian */
            ASSERT_OK(mst_manifold_log(m, 1, x0, x + 4 * i, v, NULL));
            ASSERT_OK(mst_manifold_to_frame(m, 1, x0, v, c));
            covariance_add(&sample, c);
        }
        assert_isotropic(&sample, time, "log-Euclidean");
        free(x);
    }
    free(x0);
    free(v);
    free(c);
    mst_manifold_free(m);
}
END_TEST

/* Matrix entries are eigenfunctions: E R_t = e^{−t} R_0. The trace of the square is another: for the rotation
 * angle θ, E (1 + 2cos θ + 2cos 2θ) = 5 e^{−3t}, the character of the next representation. */
START_TEST(rotations)
{
    enum { N = 100000 };
    mst_manifold *m = parse("so3");
    double *x0 = general_point(m), time = 0.5;
    for (int method = 0; method < 2; method++) {
        mst_brownian_options o = mst_brownian_options_default();
        o.method = (mst_brownian_method)method;
        o.steps = method == MST_BROWNIAN_TANGENT ? 20 : 100;
        double h = time / (double)o.steps;
        double bias = method == MST_BROWNIAN_TANGENT ? h * h : time * h;
        double *x = end_points(m, N, x0, time, &o);
        moments trace = {0}, character = {0}, entry[9] = {{0}};
        for (size_t i = 0; i < N; i++) {
            double t = dot(9, x0, x + 9 * i), c = (t - 1) / 2;
            moments_add(&trace, t);
            moments_add(&character, 1 + 2 * c + 2 * (2 * c * c - 1));
            for (size_t a = 0; a < 9; a++)
                moments_add(&entry[a], x[9 * i + a]);
        }
        assert_mean(&trace, 3 * exp(-time), 3 * bias, "SO(3), method %d: trace", method);
        assert_mean(&character, 5 * exp(-3 * time), 15 * bias, "SO(3), method %d: character",
                    method);
        for (size_t a = 0; a < 9; a++)
            assert_mean(&entry[a], exp(-time) * x0[a], bias, "SO(3), method %d: entry %zu", method,
                        a);
        free(x);
    }
    free(x0);
    mst_manifold_free(m);
}
END_TEST

START_TEST(factors_of_products_are_independent)
{
    enum { N = 100000 };
    mst_manifold *m = parse("product(sphere:2,euclidean:1,so3)");
    double *x0 = general_point(m), time = 0.5;
    mst_brownian_options o = mst_brownian_options_default();
    o.steps = 20;
    double *x = end_points(m, N, x0, time, &o), bias = pow(time / 20, 2);
    moments sphere = {0}, line = {0}, trace = {0}, mixed[3] = {{0}};
    for (size_t i = 0; i < N; i++) {
        const double *row = x + 13 * i;
        double c = dot(3, x0, row) - exp(-time), b = row[3] - x0[3];
        double t = dot(9, x0 + 4, row + 4) - 3 * exp(-time);
        moments_add(&sphere, c);
        moments_add(&line, b * b);
        moments_add(&trace, t);
        moments_add(&mixed[0], c * b);
        moments_add(&mixed[1], b * b * t);
        moments_add(&mixed[2], c * t);
    }
    assert_mean(&sphere, 0, bias, "product: sphere");
    assert_mean(&line, time, 0, "product: line");
    assert_mean(&trace, 0, 3 * bias, "product: rotation");
    for (int k = 0; k < 3; k++)
        assert_mean(&mixed[k], 0, 3 * bias, "product: covariance %d", k);
    free(x);
    free(x0);
    mst_manifold_free(m);
}
END_TEST

/* Halving the step divides the bias by 4 for the walk and by 2 in charts. The walk's own means are known
 * (radial_moments): with so few steps their orders are 1.95 on H⁶ and 2.28 on S¹⁰. */
static const order_case orders[] = {
    {"hyperbolic:6", MST_BROWNIAN_TANGENT, 0.5, 1, 1.6, 2.35},
    {"sphere:10", MST_BROWNIAN_TANGENT, 0.5, 1, 1.9, 2.7},
    {"sphere:2", MST_BROWNIAN_CHART, 1, 4, 0.6, 1.4},
    {"hyperbolic:3", MST_BROWNIAN_CHART, 0.5, 8, 0.6, 1.4},
};
enum { ORDERS = sizeof orders / sizeof *orders };

START_TEST(weak_orders)
{
    assert_order(&orders[_i], 500000, 2);
}
END_TEST

static int stop_at_once(void *user, double done, double total)
{
    *(int *)user += done <= total;
    return 1;
}

START_TEST(a_path_that_breaks_down_is_named)
{
    mst_manifold *spd = parse("spd:2");
    double x[3 * 4] = {1, 0, 0, 1, 1, 0, 0, 1, 1e307, 0, 0, 1e307};
    ASSERT_FAILS(MST_BREAKDOWN,
                 mst_manifold_walk(spd, 3, x, 1, 100, (mst_noise){.seed = 1, .first_path = 40}));
    ck_assert_ptr_nonnull(strstr(mst_error_detail(), "path 43 (counted from 1) went where"));
    mst_manifold_free(spd);
}
END_TEST

START_TEST(bad_arguments)
{
    mst_manifold *sphere = parse("sphere:2");
    double start[3] = {0, 0, 1}, end[3] = {7, 7, 7};
    static const double times[] = {0, -0.0, -1, NAN, INFINITY, -INFINITY};
    mst_brownian_options o = mst_brownian_options_default();
    ck_assert(o.method == MST_BROWNIAN_TANGENT && o.steps == 100 && o.seed == 2712 &&
              o.first_path == 0 && o.threads == 0 && o.progress.report == NULL);
    for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
        ASSERT_FAILS(MST_ARGUMENT, mst_brownian_endpoints(sphere, 1, start, times[i], &o, end));
        ASSERT_FAILS(MST_ARGUMENT, mst_brownian_paths(sphere, 1, start, times[i], &o, end));
    }
    static const size_t steps[] = {0, 1000000001, SIZE_MAX};
    for (size_t i = 0; i < 3; i++) {
        o.steps = steps[i];
        ASSERT_FAILS(MST_ARGUMENT, mst_brownian_endpoints(sphere, 1, start, 1, &o, end));
        ASSERT_FAILS(MST_ARGUMENT, mst_brownian_paths(sphere, 1, start, 1, &o, end));
    }
    o = mst_brownian_options_default();
    o.method = MST_BROWNIAN_EXACT;
    mst_manifold *spd;
    ASSERT_OK(mst_spd_new(&spd, 3));
    ck_assert(!mst_brownian_has_exact(spd));
    double identity[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    ASSERT_FAILS(MST_UNABLE, mst_brownian_endpoints(spd, 1, identity, 1, &o, end));
    ASSERT_FAILS(MST_UNABLE, mst_brownian_paths(spd, 1, identity, 1, &o, end));
    mst_manifold_free(spd);
    o.method = (mst_brownian_method)17;
    ASSERT_FAILS(MST_ARGUMENT, mst_brownian_endpoints(sphere, 1, start, 1, &o, end));
    ck_assert(end[0] == 7 && end[1] == 7 && end[2] == 7);
    o = mst_brownian_options_default();
    int calls = 0;
    o.progress = (mst_progress){stop_at_once, &calls};
    mst_brownian_options one_step = mst_brownian_options_default();
    one_step.steps = 1;
    double *many = end_points(sphere, 5000, start, 1, &one_step);
    double *ends = doubles(5000 * 3);
    o.threads = 1;
    ASSERT_FAILS(MST_INTERRUPTED, mst_brownian_endpoints(sphere, 5000, many, 1, &o, ends));
    ck_assert_int_eq(calls, 1);
    free(many);
    free(ends);
    mst_manifold_free(sphere);
}
END_TEST

int main(void)
{
    return RUN_SUITE(
        "brownian", 60, {walks_on_round_spaces, ROUND_SPACES},
        {charts_on_round_spaces, ROUND_SPACES}, {exact_draws_on_round_spaces, ROUND_SPACES},
        {flat_spaces, 0}, {torus_characteristic_function, 0}, {positive_definite_matrices, 4},
        {log_euclidean_matrices, 0}, {rotations, 0}, {factors_of_products_are_independent, 0},
        {weak_orders, ORDERS}, {a_path_that_breaks_down_is_named, 0}, {bad_arguments, 0});
}
