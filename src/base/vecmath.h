/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Elementary functions without branches or calls, so that loops over lanes vectorise on every instruction
 * set without fast-math, and a lane's bits do not depend on its neighbours. The polynomials are those of
 * fdlibm (log, exp, sin, cos) and Cephes (atan); errors are below 2 ulp in the stated ranges
 * (tests/base/test_vecmath.c). */
#ifndef MST_BASE_VECMATH_H
#define MST_BASE_VECMATH_H

#include <math.h>
#include <stdint.h>
#include <string.h>

#define VM_PI 3.14159265358979323846
#define VM_PI_2 1.57079632679489661923
#define VM_PI_4 0.78539816339744830962
/* Adding and subtracting 1.5·2^52 rounds to an integer, whose low bits then stand in the mantissa. */
#define VM_ROUND 6755399441055744.0

static inline double vm_double(uint64_t bits)
{
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static inline uint64_t vm_bits(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static inline double vm_abs(double x)
{
    return vm_double(vm_bits(x) & UINT64_C(0x7fffffffffffffff));
}

static inline double vm_min(double a, double b)
{
    return a < b ? a : b;
}

static inline double vm_max(double a, double b)
{
    return a > b ? a : b;
}

/* log x for normal x > 0. */
static inline double vm_log(double x)
{
    /* x = 2^k m with m in [√½, √2): subtracting the bits of √½ moves the exponent's carry there. */
    uint64_t u = vm_bits(x) - UINT64_C(0x3fe6a09e667f3bcd);
    uint64_t biased =
        (u >> 52) ^ UINT64_C(0x800); /* k + 2048 for the two's complement k in 12 bits */
    double k = vm_double((biased & UINT64_C(0xfff)) | UINT64_C(0x4330000000000000)) -
               4503599627372544.0; /* 2^52 + 2048 */
    double m = vm_double((u & UINT64_C(0xfffffffffffff)) + UINT64_C(0x3fe6a09e667f3bcd));
    double f = m - 1, s = f / (2 + f), z = s * s, w = z * z;
    double even = w * (3.999999999940941908e-01 +
                       w * (2.222219843214978396e-01 + w * 1.531383769920937332e-01));
    double odd = z * (6.666666666666735130e-01 +
                      w * (2.857142874366239149e-01 +
                           w * (1.818357216161805012e-01 + w * 1.479819860511658591e-01)));
    double half = 0.5 * f * f;
    return k * 6.93147180369123816490e-01 -
           ((half - (s * (half + even + odd) + k * 1.90821492927058770002e-10)) - f);
}

/* e^x; 0 and infinity beyond the range of doubles. */
static inline double vm_exp(double x)
{
    x = vm_min(vm_max(x, -746), 710);
    double shifted = x * 1.44269504088896338700 + VM_ROUND;
    double k = shifted - VM_ROUND;
    double hi = x - k * 6.93147180369123816490e-01, lo = k * 1.90821492927058770002e-10;
    double r = hi - lo, z = r * r;
    double c =
        r - z * (1.66666666666666019037e-01 +
                 z * (-2.77777777770155933842e-03 +
                      z * (6.61375632143793436117e-05 +
                           z * (-1.65339022054652515390e-06 + z * 4.13813679705723846039e-08))));
    double y = 1 - ((lo - r * c / (2 - c)) - hi);
    /* 2^k in two factors, because k reaches 1025 and −1076. */
    int64_t n = (int64_t)(vm_bits(shifted) << 12) >> 12;
    int64_t n1 = n >> 1, n2 = n - n1;
    return y * vm_double((uint64_t)(n1 + 1023) << 52) * vm_double((uint64_t)(n2 + 1023) << 52);
}

/* sin and cos of |r| ≤ π/4. */
static inline double vm_sin_kernel(double r)
{
    double z = r * r;
    return r + r * z *
                   (-1.66666666666666324348e-01 +
                    z * (8.33333333332248946124e-03 +
                         z * (-1.98412698298579493134e-04 +
                              z * (2.75573137070700676789e-06 +
                                   z * (-2.50507602534068634195e-08 +
                                        z * 1.58969099521155010221e-10)))));
}

static inline double vm_cos_kernel(double r)
{
    double z = r * r;
    double tail =
        z * z *
        (4.16666666666666019037e-02 +
         z * (-1.38888888888741095749e-03 +
              z * (2.48015872894767294178e-05 +
                   z * (-2.75573143513906633035e-07 +
                        z * (2.08757232129817482790e-09 + z * -1.13596475577881948265e-11)))));
    double half = 0.5 * z, w = 1 - half;
    return w + (((1 - w) - half) + tail);
}

/* Put sin and cos of the reduced angle into the quadrant q (mod 4). */
static inline void vm_quadrant(uint64_t q, double s, double c, double *sine, double *cosine)
{
    double a = (q & 1) != 0 ? c : s, b = (q & 1) != 0 ? s : c;
    *sine = vm_double(vm_bits(a) ^ ((q & 2) << 62));
    *cosine = vm_double(vm_bits(b) ^ (((q + 1) & 2) << 62));
}

/* Beyond this the reduction below loses digits; use vm_is_large to send such lanes to libm. */
#define VM_SINCOS_LIMIT 1e5

static inline void vm_sincos(double x, double *sine, double *cosine)
{
    double shifted = x * 6.36619772367581382433e-01 + VM_ROUND, k = shifted - VM_ROUND;
    /* π/2 in three parts of 33 bits; k has at most 17, so the products are exact. The rounding of the second
     * difference is kept and goes in with the third. */
    double high = x - k * 1.57079632673412561417e+00, second = k * 6.07710050630396597660e-11;
    double r = high - second;
    r += ((high - r) - second) - k * 2.02226624879595063154e-21;
    vm_quadrant(vm_bits(shifted), vm_sin_kernel(r), vm_cos_kernel(r), sine, cosine);
}

/* sin and cos of 2πu, 0 ≤ u ≤ 1. */
static inline void vm_sincos_turn(double u, double *sine, double *cosine)
{
    double shifted = u * 4 + VM_ROUND, k = shifted - VM_ROUND;
    double r = (u * 4 - k) * VM_PI_2; /* u·4 − k is exact */
    vm_quadrant(vm_bits(shifted), vm_sin_kernel(r), vm_cos_kernel(r), sine, cosine);
}

/* The angle in [0, π] of the vector (x, y), y ≥ 0, not both zero; no overflow for |x|, y < 1e300. */
static inline double vm_angle(double y, double x)
{
    double ax = vm_abs(x);
    double a = vm_min(y, ax), b = vm_max(y, ax);
    /* atan(a/b), a ≤ b; above 0.66 through atan(a/b) = π/4 + atan((a − b)/(a + b)). */
    int upper = a > 0.66 * b;
    double q = (upper ? a - b : a) / (upper ? a + b : b), z = q * q;
    double p = (((-8.750608600031904122785e-1 * z - 1.615753718733365076637e1) * z -
                 7.500855792314704667340e1) *
                    z -
                1.228866684490136173410e2) *
                   z -
               6.485021904942025371773e1;
    double d = ((((z + 2.485846490142306297962e1) * z + 1.650270098316988542046e2) * z +
                 4.328810604912902668951e2) *
                    z +
                4.853903996359136964868e2) *
                   z +
               1.945506571482613964425e2;
    double t = q + q * z * p / d;
    /* The low words of π/4, π/2 and π keep the last bit right. */
    t = upper ? VM_PI_4 + (t + 3.061616997868383e-17) : t;
    t = y > ax ? VM_PI_2 - (t - 6.123233995736766e-17) : t;
    return x < 0 ? VM_PI - (t - 1.2246467991473532e-16) : t;
}

/* e^x − 1 with full relative accuracy, |x| ≤ 700; the reduction and the rational form are vm_exp's. */
static inline double vm_expm1(double x)
{
    x = vm_min(vm_max(x, -700), 700);
    double shifted = x * 1.44269504088896338700 + VM_ROUND;
    double k = shifted - VM_ROUND;
    double r = (x - k * 6.93147180369123816490e-01) - k * 1.90821492927058770002e-10, z = r * r;
    double c =
        r - z * (1.66666666666666019037e-01 +
                 z * (-2.77777777770155933842e-03 +
                      z * (6.61375632143793436117e-05 +
                           z * (-1.65339022054652515390e-06 + z * 4.13813679705723846039e-08))));
    double e = r + r * c / (2 - c);
    double power = vm_double((vm_bits(shifted) + 1023) << 52);
    return power * e + (power - 1);
}

#endif
