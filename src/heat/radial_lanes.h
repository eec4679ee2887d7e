/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* What the radial kernels share inside their lane loops, for *.hot.c files. */
#ifndef MST_HEAT_RADIAL_LANES_H
#define MST_HEAT_RADIAL_LANES_H

#include "base/hot.h"
#include "base/vecmath.h"
#include "heat/radial_kernels.h"

#define LANE_LOOP MST_SIMD for (int i = 0; i < RADIAL_LANES; i++)

typedef double lane[RADIAL_LANES];

/* One complex number per lane. */
typedef struct complex_lane {
    lane re, im;
} complex_lane;

typedef struct cplx {
    double re, im;
} cplx;

static inline cplx c_mul(cplx x, cplx y)
{
    return (cplx){x.re * y.re - x.im * y.im, x.re * y.im + x.im * y.re};
}

static inline cplx c_scale(double s, cplx x)
{
    return (cplx){s * x.re, s * x.im};
}

static inline cplx c_add(cplx x, cplx y)
{
    return (cplx){x.re + y.re, x.im + y.im};
}

static inline double c_norm(cplx x)
{
    return x.re * x.re + x.im * x.im;
}

static inline cplx c_inverse(cplx x)
{
    double s = 1 / c_norm(x);
    return (cplx){s * x.re, -s * x.im};
}

/* The root with real part ≥ 0; x ≠ 0. The larger of its two parts has no cancellation. */
static inline cplx c_sqrt(cplx x)
{
    double large = sqrt(0.5 * (sqrt(c_norm(x)) + vm_abs(x.re)));
    double small = 0.5 * vm_abs(x.im) / large;
    double re = x.re >= 0 ? large : small, im = x.re >= 0 ? small : large;
    return (cplx){re, x.im < 0 ? -im : im};
}

static inline cplx c_load(const complex_lane *x, int i)
{
    return (cplx){x->re[i], x->im[i]};
}

static inline void c_store(complex_lane *x, int i, cplx value)
{
    x->re[i] = value.re;
    x->im[i] = value.im;
}

#endif
