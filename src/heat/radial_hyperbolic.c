/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

#include "heat/radial.h"
#include "heat/radial_kernels.h"

#include <math.h>

#define LOG_2PI 1.83787706640934548356

static void store(double *out, size_t i, double value)
{
    if (out != NULL)
        out[i] = value;
}

/* r/sinh r */
static double inverse_sinhc(double r)
{
    return r > 0 ? r / sinh(r) : 1;
}

/* (1/r − coth r)/r */
static double coth_rest(double r)
{
    if (r > 0.5)
        return (1 / r - 1 / tanh(r)) / r;
    /* (cosh r − sinh r/r)/(r sinh r) with the numerator Σ_(k≥1) 2k r^(2k)/(2k+1)! */
    double z = r * r, sum = 1;
    for (int k = 8; k > 1; k--)
        sum = 1 + sum * z / (2 * (k - 1) * (2 * k + 1));
    return -sum / 3 * inverse_sinhc(r);
}

/* H¹ is the line, and on H³ p = (2πt)^(−3/2) (r/sinh r) e^(−t/2 − r²/2t). */
static void closed_form(size_t m, size_t n, const double *r, const double *t,
                        const mst_radial_out *out)
{
    double three = m == 3 ? 1 : 0, half_m = (double)m / 2;
    for (size_t i = 0; i < n; i++) {
        double x = r[i], slope = x / t[i], sinhc = inverse_sinhc(x);
        double rest = three * coth_rest(x);
        /* sinh overflows for large r */
        double jacobian = x < 1 ? log(sinhc) : log(2 * x / -expm1(-2 * x)) - x;
        store(out->logp, i,
              three * (jacobian - 0.5 * t[i]) - 0.5 * x * slope - half_m * (LOG_2PI + log(t[i])));
        store(out->dr, i, x * rest - slope);
        store(out->dr_over_sin, i, sinhc * (rest - 1 / t[i]));
        store(out->dt, i, 0.5 * slope * slope - half_m / t[i] - 0.5 * three);
        /* q = 1/r − coth r has q′ = q² − 2q/r − 1 */
        store(out->drr, i, x * rest * x * rest - 2 * rest - three - 1 / t[i]);
    }
}

/* Rows with many nodes wait for each other: keep t of the same size together. */
#define SHORT_TIME 1.0

void mst_radial_hyperbolic(size_t m, size_t n, const double *r, const double *t,
                           const mst_radial_out *out)
{
    if (m == 1 || m == 3) {
        closed_form(m, n, r, t, out);
        return;
    }
    int sign;
    radial_space space = {.m = m, .log_gamma = lgamma_r(((double)m - 1) / 2, &sign)};
    radial_kernel *contour = MST_PICK(radial_hyperbolic_kernels)->contour;
    radial_regions regions = {.t_switch = SHORT_TIME, .early = contour, .late = contour};
    radial_run(&space, regions, n, r, NULL, t, out);
}
