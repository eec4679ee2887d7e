/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* The elementary functions against the long double ones of libm, whose own error is 2^-11 ulp of a double.
 * test_vecmath_fma.c compiles the same text for processors that fuse multiplication and addition. */
#include "base/vecmath.h"
#include "support/support.h"

#include <stdlib.h>

#define MAX_ULP 2.0L
enum { ROUNDS = 300000 };

/* The error in units of the last place of the true value, never below the spacing of subnormals. */
static void assert_ulps(double got, long double want, const char *name, double at)
{
    int exponent;
    frexpl(want, &exponent);
    long double unit = ldexpl(1, exponent - 53 < -1074 ? -1074 : exponent - 53);
    long double off = fabsl(got - want) / unit;
    if (!(off <=
          MAX_ULP)) /* a macro that succeeds in silence would take longer than the function */
        ck_abort_msg("%s at %.17g (%a): %.17g is off by %.2Lf ulp", name, at, at, got, off);
}

static double log_uniform(dice *d, double low, double high)
{
    return exp2(dice_uniform(d, low, high));
}

START_TEST(logarithm)
{
    dice d = {1};
    static const double edges[] = {DBL_MIN, DBL_MAX,   1,           0x1.fffffffffffffp-1,
                                   2,       0.5,       0x1p-1022,   0x1.0000000000001p0,
                                   M_SQRT2, M_SQRT1_2, 0x1.8p0,     0x1.6a09e667f3bcdp-1,
                                   M_E,     0x1p-53,   1 - 0x1p-53, 0x1.6a09e667f3bccp-1};
    for (size_t i = 0; i < sizeof edges / sizeof *edges; i++)
        assert_ulps(vm_log(edges[i]), logl(edges[i]), "log", edges[i]);
    for (int i = 0; i < ROUNDS; i++) {
        double x = log_uniform(&d, -1021, 1023), near = 1 + 0.5 * dice_uniform(&d, -1, 1);
        double nearer = 1 + log_uniform(&d, -52, -1) * (i % 2 == 0 ? 1 : -1);
        assert_ulps(vm_log(x), logl(x), "log", x);
        assert_ulps(vm_log(near), logl(near), "log", near);
        assert_ulps(vm_log(nearer), logl(nearer), "log", nearer);
    }
}
END_TEST

START_TEST(exponential)
{
    dice d = {2};
    static const double edges[] = {0,
                                   -0.0,
                                   1,
                                   -1,
                                   709.78,
                                   -708.4,
                                   -744.4,
                                   -745.1,
                                   1e-300,
                                   -1e-17,
                                   1e-17,
                                   0.34657359,
                                   -0.3466,
                                   709.782712893384,
                                   -745.13321910194110842};
    for (size_t i = 0; i < sizeof edges / sizeof *edges; i++)
        assert_ulps(vm_exp(edges[i]), expl(edges[i]), "exp", edges[i]);
    for (int i = 0; i < ROUNDS; i++) {
        double x = dice_uniform(&d, -745, 709.7), near = dice_uniform(&d, -1, 1);
        assert_ulps(vm_exp(x), expl(x), "exp", x);
        assert_ulps(vm_exp(near), expl(near), "exp", near);
    }
    ck_assert(isinf(vm_exp(709.79)) && isinf(vm_exp(1e308)) && isinf(vm_exp(INFINITY)));
    ck_assert(vm_exp(-746) == 0 && vm_exp(-1e308) == 0 && vm_exp(-INFINITY) == 0);
}
END_TEST

static void check_sincos(double x)
{
    double s, c;
    vm_sincos(x, &s, &c);
    assert_ulps(s, sinl(x), "sin", x);
    assert_ulps(c, cosl(x), "cos", x);
}

START_TEST(sine_and_cosine)
{
    dice d = {3};
    static const double edges[] = {0, 1e-300,          -1e-300,         0x1p-27,
                                   1, VM_SINCOS_LIMIT, -VM_SINCOS_LIMIT};
    for (size_t i = 0; i < sizeof edges / sizeof *edges; i++)
        check_sincos(edges[i]);
    /* The doubles next to the zeros, where the reduction cancels most. */
    for (int k = -63661; k <= 63661; k++) {
        double zero = (double)(k * 1.57079632679489661923132169163975144L);
        check_sincos(zero);
        check_sincos(nextafter(zero, INFINITY));
        check_sincos(nextafter(zero, -INFINITY));
    }
    for (int i = 0; i < ROUNDS; i++) {
        check_sincos(dice_uniform(&d, -4, 4));
        check_sincos(dice_uniform(&d, -VM_SINCOS_LIMIT, VM_SINCOS_LIMIT));
        check_sincos(log_uniform(&d, -60, 0));
    }
}
END_TEST

/* sin and cos of 2πu by exact reduction: u·8 mod 1 is exact in double. */
static void check_turn(double u)
{
    long double pi = 3.14159265358979323846264338328L;
    double s, c, quarters = nearbyint(u * 4);
    long double r = ((long double)u * 4 - quarters) * (pi / 2);
    long double sine = sinl(r), cosine = cosl(r), swap;
    for (int k = 0; k < (int)quarters; k++) {
        swap = sine;
        sine = cosine;
        cosine = -swap;
    }
    vm_sincos_turn(u, &s, &c);
    assert_ulps(s, sine, "sin of a turn", u);
    assert_ulps(c, cosine, "cos of a turn", u);
}

START_TEST(turns)
{
    dice d = {4};
    for (int i = 0; i <= 32; i++)
        check_turn(i / 32.0);
    check_turn(0x1p-53);
    check_turn(1 - 0x1p-53);
    for (int i = 0; i < ROUNDS; i++) {
        check_turn(dice_uniform(&d, 0, 1));
        check_turn(log_uniform(&d, -53, -1));
        check_turn(0.25 * (double)(1 + dice_below(&d, 3)) + log_uniform(&d, -53, -3));
    }
}
END_TEST

START_TEST(angles)
{
    dice d = {5};
    static const double edges[][2] = {{0, 1},         {0, -1},           {1, 0},       {1, 1},
                                      {1, -1},        {1e-300, 1},       {1e-300, -1}, {1, 1e-300},
                                      {1e299, 1e299}, {1e-299, -1e-299}, {0.66, 1},    {1, 0.66},
                                      {0.66, -1},     {1, -0.66},        {1e-8, -1},   {1e-17, -1}};
    for (size_t i = 0; i < sizeof edges / sizeof *edges; i++)
        assert_ulps(vm_angle(edges[i][0], edges[i][1]), atan2l(edges[i][0], edges[i][1]), "angle",
                    edges[i][0]);
    for (int i = 0; i < ROUNDS; i++) {
        double sign = i % 2 == 0 ? 1 : -1;
        double y = dice_uniform(&d, 0, 1), x = dice_uniform(&d, -1, 1);
        assert_ulps(vm_angle(y, x), atan2l(y, x), "angle", y / x);
        y = log_uniform(&d, -300, 300);
        x = sign * log_uniform(&d, -300, 300);
        assert_ulps(vm_angle(y, x), atan2l(y, x), "angle", y / x);
        y = log_uniform(&d, -60, 2);
        assert_ulps(vm_angle(y, sign), atan2l(y, sign), "angle", y);
    }
}
END_TEST

START_TEST(small_helpers)
{
    ck_assert(vm_abs(-3) == 3 && vm_abs(3) == 3 && !signbit(vm_abs(-0.0)));
    ck_assert(vm_min(1, 2) == 1 && vm_min(2, 1) == 1 && vm_max(1, 2) == 2 && vm_max(2, 1) == 2);
    ck_assert(vm_double(vm_bits(0x1.23456789abcdep-300)) == 0x1.23456789abcdep-300);
}
END_TEST

int main(void)
{
#if defined VECMATH_NEEDS_FMA
    if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma"))
        return 77;
#endif
    return RUN_SUITE("vecmath", 60, {logarithm, 0}, {exponential, 0}, {sine_and_cosine, 0},
                     {turns, 0}, {angles, 0}, {small_helpers, 0});
}
