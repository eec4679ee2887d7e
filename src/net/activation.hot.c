/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Activations with their first and second derivatives, a few ulp from exact, and the passes that use them. */
#include "base/hot.h"
#include "net/activation_kernels.h"

#include <stdint.h>
#include <string.h>

/* Adding and subtracting 1.5·2^23 rounds to an integer, whose low bits then stand in the mantissa. */
#define ROUND 12582912.0f

/* e^x = 2^k (1 + p): the caller puts the parts together. |x| ≤ 87. */
static inline float reduced_exp(float x, float *power)
{
    float shifted = x * 1.44269504f + ROUND, k = shifted - ROUND;
    /* ln 2 in two parts; the first has 10 bits, so that its products with k are exact. */
    float r = (x - k * 0.693359375f) + k * 2.12194440e-4f;
    /* (e^r − 1 − r)/r² on |r| ≤ ln 2 / 2, the Chebyshev expansion to degree 5: error 1.4e-9. */
    float tail = 1.9899392e-4f;
    tail = tail * r + 1.3933733e-3f;
    tail = tail * r + 8.3332983e-3f;
    tail = tail * r + 4.1666464e-2f;
    tail = tail * r + 1.6666667e-1f;
    tail = tail * r + 5.0000000e-1f;
    uint32_t bits;
    memcpy(&bits, &shifted, sizeof bits);
    bits = (bits << 23) + UINT32_C(0x3f800000);
    memcpy(power, &bits, sizeof bits);
    return tail * (r * r) + r;
}

/* z σ(z), σ = 1/(1 + e^-z). Comparisons are such that a NaN stays one. */
static inline void silu(float z, float *value, float *slope, float *curve)
{
    float power, low = z < -80 ? -80 : z, x = low > 80 ? -80 : -low;
    float p = reduced_exp(x, &power), e = power * p + power;
    float sigma = 1 / (1 + e), rest = e * sigma; /* rest = 1 − σ with all its digits */
    *value = low * sigma;
    *slope = sigma + *value * rest;
    *curve = sigma * rest * (2 + low * (rest - sigma));
}

/* With m = e^{2|z|} − 1: tanh |z| = m/(m + 2), and 1 − tanh |z| = 2/(m + 2) with all its digits. */
static inline void hyperbolic_tangent(float z, float *value, float *slope, float *curve)
{
    uint32_t bits, sign;
    memcpy(&bits, &z, sizeof bits);
    sign = bits & UINT32_C(0x80000000);
    bits ^= sign;
    float x, power;
    memcpy(&x, &bits, sizeof x);
    x = x > 40 ? 80 : 2 * x;
    float p = reduced_exp(x, &power), m = power * p + (power - 1);
    float inverse = 1 / (m + 2), t = m * inverse;
    *slope = 2 * inverse * (1 + t);
    memcpy(&bits, &t, sizeof bits);
    bits |= sign;
    memcpy(value, &bits, sizeof bits);
    *curve = -2 * *value * *slope;
}

#define DEFINE_FORWARD(name, activation)                                                          \
    static void name(size_t n, size_t ld, const float *restrict bias, float *restrict z,          \
                     float *restrict slope)                                                       \
    {                                                                                             \
        for (size_t i = 0; i < n; i++, z += ld, slope += ld) {                                    \
            MST_SIMD                                                                              \
            for (size_t l = 0; l < ld; l++) {                                                     \
                float curve;                                                                      \
                activation(z[l] + bias[l], &z[l], &slope[l], &curve);                             \
            }                                                                                     \
        }                                                                                         \
    }                                                                                             \
    static void name##_curved(size_t n, size_t ld, const float *restrict bias, float *restrict z, \
                              float *restrict slope, float *restrict curve)                       \
    {                                                                                             \
        for (size_t i = 0; i < n; i++, z += ld, slope += ld, curve += ld) {                       \
            MST_SIMD                                                                              \
            for (size_t l = 0; l < ld; l++)                                                       \
                activation(z[l] + bias[l], &z[l], &slope[l], &curve[l]);                          \
        }                                                                                         \
    }
DEFINE_FORWARD(silu_forward, silu)
DEFINE_FORWARD(tanh_forward, hyperbolic_tangent)

static void backward(size_t n, size_t ld, const float *restrict slope, float *restrict d,
                     float *restrict sums)
{
    size_t i = 0;
    /* Four rows at a time: fewer passes over the sums, and shorter chains of roundings. */
    for (; i + 4 <= n; i += 4, slope += 4 * ld, d += 4 * ld) {
        MST_SIMD
        for (size_t l = 0; l < ld; l++) {
            float a = d[l] * slope[l], b = d[ld + l] * slope[ld + l];
            float e = d[2 * ld + l] * slope[2 * ld + l], f = d[3 * ld + l] * slope[3 * ld + l];
            d[l] = a, d[ld + l] = b, d[2 * ld + l] = e, d[3 * ld + l] = f;
            sums[l] += (a + b) + (e + f);
        }
    }
    for (; i < n; i++, slope += ld, d += ld) {
        MST_SIMD
        for (size_t l = 0; l < ld; l++) {
            d[l] *= slope[l];
            sums[l] += d[l];
        }
    }
}

static void tangent(size_t n, size_t T, size_t ld, const float *restrict slope,
                    const float *restrict pre, float *restrict u)
{
    for (size_t i = 0; i < n; i++, slope += ld)
        for (size_t k = 0; k < T; k++, pre += ld, u += ld) {
            MST_SIMD
            for (size_t l = 0; l < ld; l++)
                u[l] = slope[l] * pre[l];
        }
}

static void backward_tangent(size_t n, size_t T, size_t ld, const float *restrict slope,
                             const float *restrict curve, const float *restrict pre,
                             float *restrict d, float *restrict e, float *restrict sums)
{
    for (size_t i = 0; i < n; i++, slope += ld, curve += ld, d += ld, pre += T * ld, e += T * ld) {
        MST_SIMD
        for (size_t l = 0; l < ld; l++)
            d[l] *= slope[l];
        for (size_t k = 0; k < T; k++) {
            MST_SIMD
            for (size_t l = 0; l < ld; l++) {
                d[l] += curve[l] * pre[k * ld + l] * e[k * ld + l];
                e[k * ld + l] *= slope[l];
            }
        }
        MST_SIMD
        for (size_t l = 0; l < ld; l++)
            sums[l] += d[l];
    }
}

const struct activation_kernels HOT(activation_kernels) = {
    .forward = {silu_forward, tanh_forward},
    .forward_curved = {silu_forward_curved, tanh_forward_curved},
    .backward = backward,
    .tangent = tangent,
    .backward_tangent = backward_tangent,
};
