/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Heat kernels against closed forms and against each other, at the ends of their range and across the places
 * where the method of evaluation changes; and what is refused. */
#include "support/support.h"

#include <manistat/heat.h>
#include <stdlib.h>
#include <string.h>

static const double log_two_pi = 1.8378770664093454836;

static mst_manifold *parse(const char *spec)
{
    mst_manifold *m;
    ASSERT_OK(mst_manifold_parse(&m, spec));
    return m;
}

enum { MOST = 128 };

/* Ambient score, no Hessian. */
typedef struct kernel {
    double log_p, dt, score[MOST];
} kernel;

static kernel evaluate(const mst_manifold *m, const double *x, const double *y, double t)
{
    kernel k;
    mst_heat_values values = {.log_p = &k.log_p, .dt_log_p = &k.dt, .score = k.score};
    ASSERT_OK(mst_heat_kernel(m, 1, x, y, t, 1, &values));
    return k;
}

static kernel evaluate_spec(const char *spec, const double *x, const double *y, double t)
{
    mst_manifold *m = parse(spec);
    kernel k = evaluate(m, x, y, t);
    mst_manifold_free(m);
    return k;
}

/* The bars of heat.h. */
static void assert_values(const kernel *got, double log_p, double dt, double t, const char *what)
{
    assert_near(got->log_p, log_p, 1e-12 * fmax(1, fabs(log_p)), "%s: log p, t = %g", what, t);
    assert_near(got->dt, dt, 1e-10 * fmax(fabs(dt), 1 / t), "%s: dt, t = %g", what, t);
}

static const double times[] = {1e-6, 1e-3, 0.04, 0.3, 0.999, 1.001, 4, 60};
enum { TIMES = sizeof times / sizeof *times };

START_TEST(gaussians)
{
    double e = exp(1);
    const struct {
        const char *spec;
        double d, x[9], y[9], score[9]; /* score times t */
        double square;                  /* of the distance */
    } cases[] = {
        {"euclidean:3", 3, {1, 2, 3}, {2, 0, 3.5}, {-1, 2, -0.5}, 5.25},
        {"sym:2", 3, {1, 2, 2, 3}, {2, 0, 0, 3}, {-1, 2, 2, 0}, 9},
        {"spd:1", 1, {1}, {e * e}, {-2 * e * e}, 4},
        {"spd:2?metric=log-euclidean", 3, {e, 0, 0, 1}, {1, 0, 0, e}, {1, 0, 0, -e}, 2},
        {"hyperbolic:1", 1, {1, 0}, {cosh(2), sinh(2)}, {-2 * sinh(2), -2 * cosh(2)}, 4},
        {"euclidean:1", 1, {0}, {0}, {0}, 0},
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++)
        for (size_t i = 0; i < TIMES; i++) {
            double t = times[i], square = cases[c].square, d = cases[c].d;
            kernel k = evaluate_spec(cases[c].spec, cases[c].x, cases[c].y, t);
            assert_values(&k, -square / (2 * t) - d / 2 * (log_two_pi + log(t)),
                          (square / t - d) / (2 * t), t, cases[c].spec);
            for (size_t a = 0; a < 9 && cases[c].y[a] != 0; a++)
                assert_near(k.score[a], cases[c].score[a] / t, 1e-14 * e * e / t, "%s: score %zu",
                            cases[c].spec, a);
        }
}
END_TEST

START_TEST(circle_is_the_sphere_of_dimension_one)
{
    const double angles[] = {0, 1e-9, 0.3, -1, 2, 3, 3.14159, -3.1415, M_PI};
    for (size_t a = 0; a < sizeof angles / sizeof *angles; a++)
        for (size_t i = 1; i < TIMES; i++) {
            double t = times[i], from = 0.4, to = from + angles[a];
            bool cut = angles[a] == M_PI;
            double x[] = {cos(from), sin(from)},
                   y[] = {cut ? -x[0] : cos(to), cut ? -x[1] : sin(to)};
            kernel angle = evaluate_spec("circle", &from, &to, t),
                   point = evaluate_spec("sphere:1", x, y, t);
            /* Each of the two rounds its points; the score changes by up to (π/t)² times that. */
            assert_near(angle.log_p, point.log_p, 1e-12 * fmax(1, fabs(angle.log_p)), "log p");
            assert_near(angle.dt, point.dt, 1e-10 * fmax(fabs(angle.dt), 1 / t), "dt");
            double along = -y[1] * point.score[0] + y[0] * point.score[1];
            assert_near(angle.score[0], along,
                        1e-10 * fmax(fabs(along), 1 / sqrt(t)) + 4 * DBL_EPSILON * 10 / (t * t),
                        "score at %g, t = %g", angles[a], t);
        }
}
END_TEST

/* Rotations are S³ of radius 2 modulo ±1: p_t = ⅛ (p_{t/4}(q, k) + p_{t/4}(q, −k)) with unit quaternions. */
static void rotation(const double *q, double *r)
{
    double w = q[0], x = q[1], y = q[2], z = q[3];
    double matrix[] = {w * w + x * x - y * y - z * z, 2 * (x * y - w * z),
                       2 * (x * z + w * y),           2 * (x * y + w * z),
                       w * w - x * x + y * y - z * z, 2 * (y * z - w * x),
                       2 * (x * z - w * y),           2 * (y * z + w * x),
                       w * w - x * x - y * y + z * z};
    memcpy(r, matrix, sizeof matrix);
}

START_TEST(rotations_are_half_a_sphere)
{
    mst_manifold *so3 = parse("so3"), *sphere = parse("sphere:3");
    dice die = {3};
    for (size_t round = 0; round < 400; round++) {
        double q[8], x[9], y[9], t = times[1 + round % (TIMES - 1)];
        ASSERT_OK(mst_manifold_random_point(sphere, (mst_random){9, 9}, 2 * round, 2, q));
        if (round % 3 == 0)
            for (size_t k = 0; k < 4; k++)
                q[4 + k] = q[k] + 1e-3 * dice_normal(&die);
        ASSERT_OK(mst_manifold_project(sphere, 2, q, q));
        double opposite[4] = {-q[4], -q[5], -q[6], -q[7]};
        rotation(q, x);
        rotation(q + 4, y);
        kernel whole = evaluate(so3, x, y, t), first = evaluate(sphere, q, q + 4, t / 4),
               second = evaluate(sphere, q, opposite, t / 4);
        double top = fmax(first.log_p, second.log_p);
        double weights[] = {exp(first.log_p - top), exp(second.log_p - top)};
        double sum = weights[0] + weights[1];
        assert_values(&whole, top + log(sum) - log(8),
                      (weights[0] * first.dt + weights[1] * second.dt) / sum / 4, t, "so3");
        /* |score|: the gradient on the sphere of radius 2 is half of that on the unit sphere. */
        double gradient[4], norm;
        for (size_t k = 0; k < 4; k++)
            gradient[k] = (weights[0] * first.score[k] - weights[1] * second.score[k]) / sum / 2;
        ASSERT_OK(mst_manifold_norm(so3, 1, y, whole.score, &norm));
        double want = euclidean_norm(4, gradient);
        assert_near(norm, want, 1e-10 * fmax(want, 1 / sqrt(t)), "so3: |score|, t = %g", t);
    }
    mst_manifold_free(so3);
    mst_manifold_free(sphere);
}
END_TEST

/* P = e^(σ/√2) [[x₀ + x₁, x₂], [x₂, x₀ − x₁]] with x on the hyperboloid: the line of σ times the plane H²
 * with lengths multiplied by √2, so that p_t = N(σ − σ'; t) · ½ p^H²_{t/2}. */
typedef struct split {
    double sigma, point[3];
} split;

static split split_matrix(const double *p)
{
    double root = sqrt(p[0] * p[3] - p[1] * p[2]);
    return (split){M_SQRT2 * log(root),
                   {(p[0] + p[3]) / (2 * root), (p[0] - p[3]) / (2 * root), p[1] / root}};
}

START_TEST(spd2_is_a_line_times_a_plane)
{
    mst_manifold *spd = parse("spd:2"), *plane = parse("hyperbolic:2");
    dice die = {5};
    for (size_t round = 0; round < 400; round++) {
        double pq[8], t = times[1 + round % (TIMES - 1)], v[4], inner, turned;
        ASSERT_OK(mst_manifold_random_point(spd, (mst_random){6, 6}, 2 * round, 2, pq));
        double *p = pq, *q = pq + 4;
        if (round % 4 == 0)
            memcpy(q, p, 4 * sizeof *q);
        if (round % 4 == 1) /* same shape, other size: ρ = 0 */
            for (size_t a = 0; a < 4; a++)
                q[a] = 3 * p[a];
        split a = split_matrix(p), b = split_matrix(q);
        kernel whole = evaluate(spd, p, q, t), flat = evaluate(plane, a.point, b.point, t / 2);
        double gap = b.sigma - a.sigma;
        assert_values(&whole,
                      flat.log_p - log(2) - gap * gap / (2 * t) - 0.5 * (log_two_pi + log(t)),
                      flat.dt / 2 + (gap * gap / t - 1) / (2 * t), t, "spd:2");
        /* ⟨score, v⟩ = −(σ − σ')/t dσ(v) + ⟨score of the plane, dx(v)⟩ */
        v[0] = dice_normal(&die) * q[0];
        v[3] = dice_normal(&die) * q[3];
        v[1] = v[2] = dice_normal(&die) * sqrt(q[0] * q[3]);
        double det = q[0] * q[3] - q[1] * q[2];
        double trace = (q[3] * v[0] - 2 * q[1] * v[1] + q[0] * v[3]) / det; /* tr(Q⁻¹V) */
        double w[4], root = sqrt(det), length;
        for (size_t k = 0; k < 4; k++)
            w[k] = (v[k] - trace / 2 * q[k]) / root;
        double move[] = {(w[0] + w[3]) / 2, (w[0] - w[3]) / 2, w[1]};
        ASSERT_OK(mst_manifold_inner(spd, 1, q, whole.score, v, &inner));
        ASSERT_OK(mst_manifold_inner(plane, 1, b.point, flat.score, move, &turned));
        ASSERT_OK(mst_manifold_norm(spd, 1, q, v, &length));
        double want = -gap / t * trace * M_SQRT1_2 + turned, size;
        ASSERT_OK(mst_manifold_norm(spd, 1, q, whole.score, &size));
        assert_near(inner, want, 1e-10 * length * fmax(size, 1 / sqrt(t)), "spd:2: score, t = %g",
                    t);
    }
    mst_manifold_free(spd);
    mst_manifold_free(plane);
}
END_TEST

START_TEST(hyperbolic_space_in_closed_form)
{
    const double distances[] = {0, 1e-12, 1e-5, 0.49, 0.51, 2, 7, 30, 200};
    mst_manifold *m = parse("hyperbolic:3");
    for (size_t k = 0; k < sizeof distances / sizeof *distances; k++)
        for (size_t i = 0; i < TIMES; i++) {
            double r = distances[k], t = times[i], y[4] = {1, 0, 0, 0};
            double x[4] = {cosh(r), 0.6 * sinh(r), 0, 0.8 * sinh(r)}, hessian[9];
            double jacobian = r > 0 ? log(2 * r / -expm1(-2 * r)) - r : 0;
            kernel got = evaluate(m, x, y, t);
            assert_values(&got, -1.5 * (log_two_pi + log(t)) - t / 2 - r * r / (2 * t) + jacobian,
                          -1.5 / t - 0.5 + r * r / (2 * t * t), t, "hyperbolic:3");
            double slope = r < 1e-4 ? -r / 3 : 1 / r - 1 / tanh(r); /* to r³/45 */
            slope -= r / t;
            double score[] = {0, -0.6 * slope, 0, -0.8 * slope};
            for (size_t a = 0; a < 4; a++)
                assert_near(got.score[a], score[a], 1e-10 * fmax(fabs(slope), 1 / sqrt(t)),
                            "score at %g, t = %g", r, t);
            /* sinh²(400) is beyond the range of doubles, but not the Hessian. */
            ASSERT_OK(mst_heat_kernel(m, 1, x, y, t, 1, &(mst_heat_values){.hessian = hessian}));
            double across = r > 0 ? slope / tanh(r) : -1 / t - 1.0 / 3, trace = 0;
            double along = r < 1e-4 ? -1 / t - 1.0 / 3 : -1 / t - 1 / (r * r) + pow(sinh(r), -2.0);
            for (size_t a = 0; a < 3; a++)
                trace += hessian[4 * a];
            assert_near(trace, along + 2 * across, 1e-8 * fabs(along + 2 * across),
                        "trace of the hessian at %g, t = %g", r, t);
            assert_near(hessian[2], 0.48 * (along - across), 1e-8 * fabs(across),
                        "hessian (1, 3) at %g, t = %g", r, t);
        }
    mst_manifold_free(m);
}
END_TEST

START_TEST(products_add_up)
{
    const char *const factors[] = {"sphere:2", "euclidean:2", "so3", "spd:2", "circle"};
    enum { FACTORS = 5, D = 3 + 2 + 9 + 4 + 1, N = 300 };
    mst_manifold *whole = parse("product(sphere:2,product(euclidean:2,so3),spd:2,circle)");
    double x[N * D], y[N * D], t[N], log_p[N], dt[N], score[N * D];
    ASSERT_OK(mst_manifold_random_point(whole, (mst_random){1, 2}, 0, N, x));
    ASSERT_OK(mst_manifold_random_point(whole, (mst_random){1, 3}, 0, N, y));
    for (size_t i = 0; i < N; i++)
        t[i] = times[1 + i % (TIMES - 1)];
    mst_heat_values values = {.log_p = log_p, .dt_log_p = dt, .score = score};
    ASSERT_OK(mst_heat_kernel_times(whole, N, x, y, t, 1, &values));
    size_t at = 0;
    double sums[N][2] = {0};
    for (size_t f = 0; f < FACTORS; f++) {
        mst_manifold *m = parse(factors[f]);
        size_t width = mst_manifold_ambient(m);
        for (size_t i = 0; i < N; i++) {
            kernel k = evaluate(m, x + i * D + at, y + i * D + at, t[i]);
            sums[i][0] += k.log_p;
            sums[i][1] += k.dt;
            for (size_t a = 0; a < width; a++)
                assert_near(score[i * D + at + a], k.score[a], 0, "score of %s", factors[f]);
        }
        at += width;
        mst_manifold_free(m);
    }
    for (size_t i = 0; i < N; i++) {
        assert_near(log_p[i], sums[i][0], 1e-13 * fmax(100, fabs(log_p[i])), "log p");
        assert_near(dt[i], sums[i][1], 1e-13 * fmax(100 / t[i], fabs(dt[i])), "dt");
    }
    mst_manifold_free(whole);
}
END_TEST

/* ---- The ends ---- */
START_TEST(antipodes_have_no_score)
{
    for (size_t m = 1; m <= 100; m++) {
        mst_manifold *sphere;
        ASSERT_OK(mst_sphere_new(&sphere, m));
        double x[MOST], y[MOST];
        for (size_t i = 0; i < TIMES; i++)
            for (int sign = -1; sign <= 1; sign += 2) {
                ASSERT_OK(mst_manifold_random_point(sphere, (mst_random){4, m}, i, 1, x));
                for (size_t a = 0; a <= m; a++)
                    y[a] = sign * x[a];
                kernel k = evaluate(sphere, x, y, times[i]);
                ck_assert(isfinite(k.log_p) && isfinite(k.dt));
                assert_near(max_abs(m + 1, k.score), 0, 0, "sphere:%zu, t = %g", m, times[i]);
            }
        mst_manifold_free(sphere);
    }
}
END_TEST

/* Points so close that squares of their distance underflow. */
START_TEST(tiny_distances)
{
    const double distances[] = {1e-300, 1e-200, 3e-162, 1e-160, 1e-100, 1e-20};
    for (size_t k = 0; k < sizeof distances / sizeof *distances; k++) {
        double r = distances[k], t = 0.2, x[] = {r, 0, 1}, y[] = {0, 0, 1}, hessian[4], log_p,
               at_zero[4];
        mst_manifold *m = parse("sphere:2");
        double score[3];
        mst_heat_values values = {.log_p = &log_p, .score = score, .hessian = hessian};
        ASSERT_OK(mst_heat_kernel(m, 1, y, y, t, 1, &(mst_heat_values){.hessian = at_zero}));
        ASSERT_OK(mst_heat_kernel(m, 1, x, y, t, 1, &values));
        ck_assert_msg(isfinite(log_p) && all_finite(3, score) && all_finite(4, hessian),
                      "not finite at %g", r);
        for (size_t a = 0; a < 4; a++)
            assert_near(hessian[a], at_zero[a], 1e-9 * fabs(at_zero[0]), "hessian at %g", r);
        if (r >= 1e-160) /* below, the squares of coordinates vanish and the points are one */
            assert_near(score[0], -at_zero[0] * r, 1e-9 * r * fabs(at_zero[0]), "score at %g", r);
        mst_manifold_free(m);
    }
}
END_TEST

/* ---- Switches ---- */
/* The sixth difference of f on a grid of n points with the spacing 2e-3 (of log t, or less of r) is below
 * 1e-13 of f for the functions here, and a jump J between two points shows as 10 J: none is larger than
 * `jump` times the natural size. */
static void assert_no_jump(size_t n, const double *f, const double *size, double jump,
                           const char *what, size_t m)
{
    static const double weights[] = {1, -6, 15, -20, 15, -6, 1};
    for (size_t i = 0; i + 7 <= n; i++)
        assert_near(dot(7, weights, f + i), 0, 10 * jump * size[i], "%s, m = %zu, place %zu of %zu",
                    what, m, i, n);
}

enum { GRID = 2500 };

/* The point at distance r from the start along the first direction, except exactly at the cut locus. */
static void point_at(const mst_manifold *m, double r, double *x, double *y)
{
    double c[MOST] = {0}, v[MOST];
    mst_manifold_start(m, x);
    c[0] = r;
    ASSERT_OK(mst_manifold_from_frame(m, 1, x, c, v));
    ASSERT_OK(mst_manifold_exp(m, 1, x, v, y));
}

/* Evaluates along a curve of pairs and times, and looks for jumps of log p, |score| and dt. */
static void scan(const mst_manifold *m, const double *x, const double *y, const double *t,
                 const char *what, size_t order)
{
    size_t D = mst_manifold_ambient(m);
    double *score = doubles(GRID * D), log_p[GRID], dt[GRID], norm[GRID], size[GRID];
    mst_heat_values values = {.log_p = log_p, .dt_log_p = dt, .score = score};
    ASSERT_OK(mst_heat_kernel_times(m, GRID, x, y, t, 1, &values));
    ASSERT_OK(mst_manifold_norm(m, GRID, y, score, norm));
    for (size_t i = 0; i < GRID; i++)
        size[i] = fmax(1, fabs(log_p[i]));
    assert_no_jump(GRID, log_p, size, 1e-12, what, order);
    for (size_t i = 0; i < GRID; i++)
        size[i] = fmax(norm[i], 1 / sqrt(t[i]));
    assert_no_jump(GRID, norm, size, 1e-12, what, order);
    for (size_t i = 0; i < GRID; i++)
        size[i] = fmax(fabs(dt[i]), 1 / t[i]);
    assert_no_jump(GRID, dt, size, 1e-11, what, order);
    free(score);
}

static void scan_times(const mst_manifold *m, double r, const char *what, size_t order)
{
    size_t D = mst_manifold_ambient(m);
    double *x = doubles(2 * GRID * D), *y = x + GRID * D, t[GRID];
    point_at(m, r, x, y);
    for (size_t i = 0; i < GRID; i++) {
        memmove(x + i * D, x, D * sizeof *x);
        memmove(y + i * D, y, D * sizeof *y);
        t[i] = 0.02 * exp(2e-3 * (double)i); /* to 3 */
    }
    scan(m, x, y, t, what, order);
    free(x);
}

START_TEST(no_jump_in_time)
{
    const double distances[] = {0, 0.7, 1.6, 2.9, M_PI - 1e-3, M_PI};
    size_t order = (size_t)_i + 1;
    mst_manifold *m;
    ASSERT_OK(mst_sphere_new(&m, order));
    for (size_t k = 0; k < sizeof distances / sizeof *distances; k++)
        scan_times(m, distances[k], "sphere", order);
    mst_manifold_free(m);
}
END_TEST

/* r = first + i·step at one time, seen from either end. */
static void scan_distances(const mst_manifold *m, double first, double step, double time,
                           const char *what)
{
    size_t D = mst_manifold_ambient(m);
    double *x = doubles(2 * GRID * D), *y = x + GRID * D, t[GRID];
    for (size_t i = 0; i < GRID; i++) {
        point_at(m, first + step * (double)i, x + i * D, y + i * D);
        t[i] = time;
    }
    scan(m, x, y, t, what, 0);
    scan(m, y, x, t, what, 0);
    free(x);
}

START_TEST(no_jump_elsewhere)
{
    const char *const specs[] = {"circle",       "so3",           "hyperbolic:2",  "hyperbolic:3",
                                 "hyperbolic:6", "hyperbolic:11", "hyperbolic:20", "spd:2",
                                 "sphere:2",     "sphere:3",      "sphere:10"};
    const double fixed[] = {0.3, 0.8, 2};
    for (size_t k = 0; k < sizeof specs / sizeof *specs; k++) {
        mst_manifold *m = parse(specs[k]);
        for (double r = 0; r < 3.2; r += 0.4)
            scan_times(m, r, specs[k], 0);
        for (size_t j = 0; j < 3; j++) {
            scan_distances(m, 1e-3, 1e-3, fixed[j], specs[k]);
            /* To the cut locus, where |score| has a corner and features are as narrow as t/π. */
            scan_distances(m, 2.5, 2.56e-4, fixed[j], specs[k]);
        }
        mst_manifold_free(m);
    }
}
END_TEST

/* ---- What is refused ---- */
START_TEST(bad_times)
{
    mst_manifold *m = parse("circle");
    double x[3] = {0}, y[3] = {1, 1, 1}, log_p[3] = {7, 7, 7};
    mst_heat_values values = {.log_p = log_p};
    const double bad[] = {0, -1, NAN, INFINITY, -INFINITY, -0.0};
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        ASSERT_FAILS(MST_ARGUMENT, mst_heat_kernel(m, 3, x, y, bad[k], 1, &values));
        double t[] = {1, 2, bad[k]};
        ASSERT_FAILS(MST_ARGUMENT, mst_heat_kernel_times(m, 3, x, y, t, 1, &values));
        ck_assert_msg(strstr(mst_error_detail(), "row 3") != NULL, "%s", mst_error_detail());
        for (size_t i = 0; i < 3; i++)
            assert_near(log_p[i], 7, 0, "outputs are untouched");
    }
    mst_manifold_free(m);
}
END_TEST

START_TEST(bad_points)
{
    const char *const specs[] = {"circle",       "torus:2", "sphere:2", "hyperbolic:2",
                                 "hyperbolic:3", "so3",     "spd:2",    "product(circle,sphere:2)"};
    enum { N = 3000, BAD = 1234 };
    for (size_t k = 0; k < sizeof specs / sizeof *specs; k++) {
        mst_manifold *m = parse(specs[k]);
        size_t D = mst_manifold_ambient(m);
        double *x = doubles(N * D), *y = doubles(N * D), *log_p = doubles(N);
        ASSERT_OK(mst_manifold_random_point(m, (mst_random){1, 1}, 0, N, x));
        ASSERT_OK(mst_manifold_random_point(m, (mst_random){1, 2}, 0, N, y));
        for (int which = 0; which < 4; which++) {
            double *place = (which % 2 == 0 ? x : y) + BAD * D + D - 1, kept = *place;
            *place = which < 2 ? NAN : -INFINITY;
            ASSERT_FAILS(MST_DOMAIN,
                         mst_heat_kernel(m, N, x, y, 0.3, 2, &(mst_heat_values){.log_p = log_p}));
            ck_assert_msg(strstr(mst_error_detail(), "row 1235") != NULL &&
                              strstr(mst_error_detail(), which % 2 == 0 ? " x " : " y ") != NULL,
                          "%s: %s", specs[k], mst_error_detail());
            *place = kept;
        }
        free(x);
        free(y);
        free(log_p);
        mst_manifold_free(m);
    }
}
END_TEST

/* Derivatives of the size 1/t² leave the range of doubles there. */
START_TEST(times_out_of_range)
{
    mst_manifold *m = parse("sphere:2");
    const double x[3] = {0, 0, 1}, y[3] = {0.6, 0, 0.8}, edge[] = {1e-50, 1e50, 9e-51, 2e50};
    double log_p, dt, score[3];
    mst_heat_values out = {.log_p = &log_p, .dt_log_p = &dt, .score = score};
    for (size_t k = 0; k < 2; k++) {
        ASSERT_OK(mst_heat_kernel(m, 1, x, y, edge[k], 1, &out));
        ck_assert(isfinite(log_p) && isfinite(dt) && all_finite(3, score));
        ASSERT_FAILS(MST_ARGUMENT, mst_heat_kernel(m, 1, x, y, edge[k + 2], 1, &out));
    }
    mst_manifold_free(m);
}
END_TEST

START_TEST(no_closed_form)
{
    const char *const without[] = {"spd:3", "product(sphere:2,spd:3)",
                                   "product(circle,product(spd:4,so3))"};
    double x[64] = {0}, log_p;
    for (size_t k = 0; k < 3; k++) {
        mst_manifold *m = parse(without[k]);
        ck_assert_msg(!mst_heat_has_exact(m), "%s", without[k]);
        ASSERT_FAILS(MST_UNABLE, mst_heat_require_exact(m));
        ASSERT_FAILS(MST_UNABLE,
                     mst_heat_kernel(m, 1, x, x, 1, 1, &(mst_heat_values){.log_p = &log_p}));
        const char *const named[] = {mst_manifold_spec(m), "sphere", "spd:2", "log-euclidean",
                                     "products"};
        for (size_t i = 0; i < 5; i++)
            ck_assert_msg(strstr(mst_error_detail(), named[i]) != NULL, "%s is not in: %s",
                          named[i], mst_error_detail());
        mst_manifold_free(m);
    }
}
END_TEST

int main(void)
{
    return RUN_SUITE("kernel cases", 60, {gaussians, 0}, {circle_is_the_sphere_of_dimension_one, 0},
                     {rotations_are_half_a_sphere, 0}, {spd2_is_a_line_times_a_plane, 0},
                     {hyperbolic_space_in_closed_form, 0}, {products_add_up, 0},
                     {antipodes_have_no_score, 0}, {tiny_distances, 0}, {no_jump_in_time, 100},
                     {no_jump_elsewhere, 0}, {bad_times, 0}, {bad_points, 0},
                     {times_out_of_range, 0}, {no_closed_form, 0});
}
