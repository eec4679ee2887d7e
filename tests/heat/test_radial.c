/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Radial heat kernels against Arb and against themselves; test_radial_slow.c has more rows and larger m. */
#include "heat/radial_lanes.h"
#include "heat/radial_rows.h"

START_TEST(oracle_agrees_with_itself)
{
    /* Images and Abel integrals against the eigenfunction series. Both are rounded to double once. */
    static const size_t dims[] = {1, 2, 3, 4, 7, 10, 21};
    static const double times[] = {0.03, 0.3, 3};
    for (size_t k = 0; k < sizeof dims / sizeof *dims; k++)
        for (size_t j = 0; j < 3; j++)
            for (size_t i = 0; i < GRID; i++) {
                row x = grid_row(SPHERE, dims[k], i, times[j]);
                oracle_row a = oracle_sphere(x.m, x.r, x.eps, x.t);
                oracle_row b = oracle_sphere_series(x.m, x.r, x.eps, x.t);
                bars bits = {DBL_EPSILON, DBL_EPSILON, DBL_EPSILON, DBL_EPSILON, DBL_EPSILON};
                assert_row(&x, &a, &b, &bits);
            }
}
END_TEST

static const double times[] = {1e-6, 1e-4, 2e-3, 0.0199, 0.05, 0.2, 0.55, 0.99, 1, 3, 10, 100};
enum { TIMES = sizeof times / sizeof *times };

static const size_t sphere_dims[] = {1, 2, 3, 4, 5, 6, 10, 15, 21, 51, 99};
START_TEST(sphere_grid)
{
    for (size_t j = 0; j < TIMES; j++)
        for (size_t i = 0; i < GRID; i++)
            check_row(grid_row(SPHERE, sphere_dims[_i], i, times[j]));
}
END_TEST

/* Even m are dear for the oracle where t is small and m large: a few. */
START_TEST(sphere_large_even)
{
    static const size_t dims[] = {50, 100};
    for (size_t k = 0; k < 2; k++)
        for (size_t j = 0; j < TIMES; j++) {
            check_row(row_before_cut(SPHERE, dims[k], 0, times[j]));
            for (size_t i = 0; i < GRID && times[j] > SERIES_ORACLE_FROM; i++)
                check_row(grid_row(SPHERE, dims[k], i, times[j]));
        }
    check_row(row_at(SPHERE, 50, 1, 1e-3));
    check_row(row_at(SPHERE, 100, 1, 1e-3));
}
END_TEST

START_TEST(sphere_random)
{
    dice d = {(uint64_t)_i};
    for (int n = 0; n < 400; n++) {
        size_t m = 1 + dice_below(&d, n % 4 == 0 ? 40 : 5);
        check_row(random_row(&d, SPHERE, m, exp(dice_uniform(&d, log(1e-6), log(3)))));
    }
}
END_TEST

START_TEST(so3)
{
    dice d = {7};
    for (size_t j = 0; j < TIMES; j++)
        for (size_t i = 0; i < GRID; i++)
            check_row(grid_row(SO3, 3, i, times[j]));
    for (int n = 0; n < 2000; n++)
        check_row(random_row(&d, SO3, 3, exp(dice_uniform(&d, log(1e-6), log(30)))));
}
END_TEST

static const size_t hyperbolic_dims[] = {1, 2, 3, 4, 5, 10, 21, 49, 50};
START_TEST(hyperbolic_grid)
{
    static const double distances[] = {0, 1e-12, 1e-9, 1e-4, 0.1, 0.5, 1.3, 4, 20};
    size_t m = hyperbolic_dims[_i];
    for (size_t j = 0; j < TIMES; j++)
        for (size_t i = 0; i < 9; i++)
            if (m < 50 || i % 4 == 0)
                check_row(row_at(HYPERBOLIC, m, distances[i], times[j]));
}
END_TEST

START_TEST(hyperbolic_random)
{
    dice d = {9};
    for (int n = 0; n < 300; n++) {
        size_t m = 1 + dice_below(&d, n % 4 == 0 ? 40 : 5);
        check_row(random_row(&d, HYPERBOLIC, m, exp(dice_uniform(&d, log(1e-6), log(10)))));
    }
}
END_TEST

START_TEST(euclidean)
{
    dice d = {3};
    for (int n = 0; n < 1000; n++) {
        size_t m = 1 + dice_below(&d, 100);
        double r = dice_uniform(&d, 0, 10), t = exp(dice_uniform(&d, log(1e-6), log(100)));
        row x = row_at(EUCLIDEAN, m, n == 0 ? 0 : r, t);
        oracle_row got = evaluate(&x);
        oracle_row want = {
            .logp = (double)(-(long double)x.r * x.r / 2 / t - m / 2.0L * logl(2 * acosl(-1) * t)),
            .dr = -x.r / t,
            .dr_over_sin = -1 / t,
            .dt = (double)((long double)x.r * x.r / 2 / t / t - m / 2.0L / t),
            .drr = -1 / t,
        };
        /* differences of terms with r² and with m */
        double few = 4e-15;
        bars bits = {few * (double)m, few, few, few * (double)m, few};
        assert_row(&x, &got, &want, &bits);
    }
}
END_TEST

/* ∂_t p = ½Δp, that is 2∂_t = ∂²_r + (∂_r)² + (m − 1) cot_k ∂_r for log p: five outputs, all dimensions, no
 * oracle. Each term may be off by its bar. */
static void assert_heat_equation(const row *x)
{
    oracle_row v = evaluate(x);
    double k = x->space == SO3 ? 0.5 : 1, m = (double)x->m, t = x->t;
    double cosine = x->space == HYPERBOLIC ? cosh(x->r)
                    : x->r < 1.6           ? cos(k * x->r)
                    : x->space == SO3      ? sin(k * x->eps)
                                           : -cos(x->eps);
    double across = (m - 1) * cosine * v.dr_over_sin;
    double tolerance = 3e-12 * (fmax(fabs(2 * v.dt), m / t) + fabs(v.drr) + 2 * v.dr * v.dr +
                                fabs(across) + 1 / t);
    assert_near(v.drr + v.dr * v.dr + across, 2 * v.dt, tolerance,
                "heat equation on %s:%zu at r = %.17g, pi - r = %.17g, t = %.17g",
                kind_names[x->space], x->m, x->r, x->eps, t);
}

START_TEST(heat_equation)
{
    dice d = {21};
    for (int n = 0; n < 60000; n++) {
        double t = exp(dice_uniform(&d, log(1e-6), log(10)));
        row x = random_row(&d, SPHERE, 1 + dice_below(&d, 200), t);
        assert_heat_equation(&x);
        if (n % 4 == 0) {
            x = random_row(&d, SO3, 3, t);
            assert_heat_equation(&x);
            x = random_row(&d, HYPERBOLIC, 1 + dice_below(&d, 100), fmin(t, 1));
            assert_heat_equation(&x);
        }
    }
}
END_TEST

/* Nothing jumps where the method changes. The arguments on the two sides differ by one unit in the last
 * place, which itself moves log p by 1e-16 of its size. */
static void assert_no_jump(const row *a, const row *b)
{
    oracle_row x = evaluate(a), y = evaluate(b);
    bars jump = {1e-12, 1e-12, 1e-12, 1e-12, 1e-12};
    /* ∂_t is a difference of terms of size m/t and r²/t² */
    jump.dt *= fmax(1, (double)a->m / 10);
    jump.drr *= fmax(1, (double)a->m / 10);
    assert_row(a, &x, &y, &jump);
}

START_TEST(continuous)
{
    for (size_t m = 1; m <= 200; m++) {
        double t = m == 1 ? 1 : 0.65 / (1 + (double)m / 14);
        for (size_t i = 0; i < GRID; i++) {
            row after = grid_row(SPHERE, m, i, t), before = after;
            before.t = nextafter(t, 0);
            assert_no_jump(&before, &after);
        }
    }
    static const double so3_times[] = {0.02, 1};
    for (size_t i = 0; i < GRID; i++)
        for (size_t k = 0; k < 2; k++) {
            row after = grid_row(SO3, 3, i, so3_times[k]), before = after;
            before.t = nextafter(so3_times[k], 0);
            assert_no_jump(&before, &after);
        }
    static const double switches[] = {M_PI_2, 1.6};
    for (size_t j = 0; j < TIMES; j++)
        for (size_t k = 0; k < 2; k++)
            for (size_t m = 1; m <= 100; m += m < 10 ? 1 : 10) {
                row here = row_at(SPHERE, m, switches[k], times[j]), next = here;
                next.r = nextafter(here.r, 4);
                next.eps = mst_radial_eps(next.r);
                assert_no_jump(&here, &next);
                here.space = next.space = SO3;
                here.m = next.m = 3;
                assert_no_jump(&here, &next);
            }
}
END_TEST

/* The derivative vanishes exactly at r = 0 and at the cut locus, and linearly close to them. */
START_TEST(linear_at_the_ends)
{
    for (size_t j = 0; j < TIMES; j++)
        for (size_t m = 1; m <= 100; m += m < 6 ? 1 : 19)
            for (int s = SPHERE; s <= SO3; s++) {
                size_t dim = s == SO3 ? 3 : m;
                row x = row_at((kind)s, dim, 0, times[j]);
                oracle_row end = evaluate(&x);
                ck_assert(end.dr == 0);
                for (double r = 1e-300; r < 1e-8; r *= 1e7) {
                    x = row_at((kind)s, dim, r, times[j]);
                    oracle_row v = evaluate(&x);
                    assert_near(v.dr / r, end.dr_over_sin,
                                1e-11 * fabs(end.dr_over_sin) + DBL_MIN / r, /* underflow */
                                "slope at r = %g on %s:%zu, t = %g", r, kind_names[s], dim, x.t);
                    assert_near(v.dr_over_sin, end.dr_over_sin, 1e-11 * fabs(end.dr_over_sin),
                                "slope over sine at r = %g on %s:%zu, t = %g", r, kind_names[s],
                                dim, x.t);
                }
                if (s == HYPERBOLIC)
                    continue;
                x = row_before_cut((kind)s, dim, 0, times[j]);
                end = evaluate(&x);
                ck_assert(end.dr == 0);
                for (double eps = 1e-300; eps < 1e-11 * x.t; eps *= 1e5) {
                    x = row_before_cut((kind)s, dim, eps, times[j]);
                    oracle_row v = evaluate(&x);
                    assert_near(v.dr / eps, -end.drr, 1e-9 * fabs(end.drr) + DBL_MIN / eps,
                                "slope at eps = %g on %s:%zu, t = %g", eps, kind_names[s], dim,
                                x.t);
                }
            }
}
END_TEST

/* A row's bits do not depend on the batch, nor on which outputs are asked for. */
START_TEST(rows_are_independent)
{
    enum { N = 531 };
    static double r[N], eps[N], t[N], v[5][N];
    dice d = {5};
    static const size_t dims[] = {1, 2, 3, 10, 37};
    mst_isa_choose(mst_isa_name((enum mst_isa)_i));
    for (int s = SPHERE; s <= SO3; s++)
        for (size_t k = 0; k < 5; k++) {
            size_t m = s == SO3 ? 3 : dims[k];
            for (size_t i = 0; i < N; i++) {
                row x = random_row(&d, (kind)s, m, exp(dice_uniform(&d, log(1e-6), log(10))));
                r[i] = x.r;
                eps[i] = x.eps;
                t[i] = x.t;
            }
            mst_radial_out out = {v[0], v[1], v[2], v[3], v[4]};
            evaluate_rows((kind)s, m, N, r, eps, t, &out);
            for (size_t i = 0; i < N; i++) {
                row x = {(kind)s, m, r[i], eps[i], t[i]};
                oracle_row one = evaluate(&x),
                           batch = {v[0][i], v[1][i], v[2][i], v[3][i], v[4][i]};
                ck_assert_mem_eq(&one, &batch, sizeof one);
            }
            static double dr[N];
            evaluate_rows((kind)s, m, N, r, eps, t, &(mst_radial_out){.dr = dr});
            for (size_t i = 0; i < N; i++)
                assert_near(dr[i], v[1][i], 1e-13 * fmax(fabs(dr[i]), 1 / sqrt(t[i])),
                            "dr alone on %s:%zu", kind_names[s], m);
            evaluate_rows((kind)s, m, 0, NULL, NULL, NULL, &out);
        }
}
END_TEST

/* Outside of the promised range nothing breaks. */
START_TEST(extreme_times)
{
    static const double extremes[] = {1e-12, 1e-9, 1e-7, 1e3, 1e6};
    for (size_t m = 1; m <= 200; m += m < 6 ? 1 : 13)
        for (size_t j = 0; j < 5; j++)
            for (size_t i = 0; i < GRID; i++)
                for (int s = SPHERE; s <= SO3; s++) {
                    if (s == HYPERBOLIC && (m > 20 || extremes[j] > 1e3))
                        continue;
                    row x = grid_row((kind)s, s == SO3 ? 3 : m, i, extremes[j]);
                    oracle_row v = evaluate(&x);
                    ck_assert_msg(isfinite(v.logp + v.dr + v.dr_over_sin + v.dt + v.drr),
                                  "%s:%zu at r = %g, t = %g", kind_names[s], x.m, x.r, x.t);
                }
}
END_TEST

START_TEST(exponential_minus_one)
{
    dice d = {11};
    for (int n = 0; n < 300000; n++) {
        double x = dice_uniform(&d, -2, 2) * exp2(dice_uniform(&d, -80, 8));
        long double want = expm1l(x);
        long double error = fabsl(vm_expm1(x) - want) / fabsl(want);
        if (!(error < 2 * DBL_EPSILON))
            ck_abort_msg("expm1(%.17g) is off by %.2Lg", x, error);
    }
    ck_assert(vm_expm1(0) == 0 && vm_expm1(-1e9) == -1);
}
END_TEST

START_TEST(distance_to_the_cut)
{
    ck_assert(mst_radial_eps(M_PI) == 0 && mst_radial_eps(4) == 0);
    ck_assert(mst_radial_eps(0) == M_PI);
    double below = nextafter(M_PI, 0); /* π − below = 2^−51 + 1.2246e-16 */
    assert_near(mst_radial_eps(below), 0x1p-51 + 1.2246467991473532e-16, 1e-31, "eps of %a", below);
}
END_TEST

int main(void)
{
    return RUN_SUITE("radial", 120, {oracle_agrees_with_itself, 0},
                     {sphere_grid, sizeof sphere_dims / sizeof *sphere_dims},
                     {sphere_large_even, 0}, {sphere_random, 2}, {so3, 0},
                     {hyperbolic_grid, sizeof hyperbolic_dims / sizeof *hyperbolic_dims},
                     {hyperbolic_random, 0}, {euclidean, 0}, {heat_equation, 0}, {continuous, 0},
                     {linear_at_the_ends, 0}, {rows_are_independent, MST_ISA_V4 + 1},
                     {extreme_times, 0}, {exponential_minus_one, 0}, {distance_to_the_cut, 0});
}
