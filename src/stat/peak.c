/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

#include "stat/peak.h"

#include "base/linalg.h"

#include <float.h>
#include <math.h>

/* 0F1(; ν + 1; k²/4) by its series, all of whose terms are positive. */
static double bessel_series(double nu, double k)
{
    double term = 1, sum = 1, square = k * k / 4;
    for (double j = 1; term > 0.1 * DBL_EPSILON * sum; j++) {
        term *= square / (j * (nu + j));
        sum += term;
    }
    return sum;
}

/* Debye's expansion of I_ν(k), uniform in ν ≥ 0, in powers of 1/s, s = √(ν² + k²): the first term left out is
 * below 1e-8 for s ≥ 60 (DLMF 10.41.3). */
static double log_bessel_debye(double nu, double k)
{
    double s = hypot(nu, k), q = 1 / (s * s), v = nu * nu * q;
    double sum = 1 + (3 - 5 * v) / (24 * s) + (81 - v * (462 - 385 * v)) * q / 1152 +
                 (30375 - v * (369603 - v * (765765 - 425425 * v))) * q / (414720 * s);
    /* (ν/2e)^ν of Γ(ν + 1) goes with that of the expansion. */
    return lgamma(nu + 1) - nu * log((nu + s) / 2) + nu * nu / (s + k) - 0.5 * log(2 * M_PI * s) +
           log(sum);
}

double peak_log_bessel(double nu, double k)
{
    if (!(k > 0))
        return 0;
    return hypot(nu, k) < 60 ? log(bessel_series(nu, k)) - k : log_bessel_debye(nu, k);
}

/* ½ ∫₋₁¹ I₀(½(s1 − s2)(1 − u)) I₀(½(s1 + s2)(1 + u)) e^(s3 u) du (Lee, Bayesian attitude estimation with the
 * matrix Fisher distribution on SO(3), 2018), with the growth of all three taken out. In y = log w/(2 − w), w
 * = 1 − u, the integrand falls off exponentially on both sides, and the trapezoidal rule
 * has an error of e^(−π²/step). */
double peak_log_fisher(double s1, double s2, double s3)
{
    const double step = 0.25, reach = 45;
    double sum = 0;
    for (double y = -reach; y <= reach; y += step) {
        double w = 2 / (1 + exp(-y)), rest = 2 / (1 + exp(y));
        double exponent = peak_log_bessel(0, 0.5 * (s1 - s2) * w) +
                          peak_log_bessel(0, 0.5 * (s1 + s2) * rest) - (s2 + s3) * w;
        sum += exp(exponent) * w * rest / 2;
    }
    return log(0.5 * step * sum);
}

static double round_share(const stat_piece *p, const double *information)
{
    double trace = 0, m = (double)p->dim;
    for (size_t k = 0; k < p->dim; k++)
        trace += information[k * p->dim + k];
    return peak_log_bessel((m - 1) / 2, trace / (m * p->scale * p->scale));
}

mst_status peak_log_share(const stat_piece *piece, const double *information, double *share)
{
    size_t d = piece->dim;
    *share = NAN;
    if (piece->kind == PIECE_ROUND)
        *share = round_share(piece, information);
    if (piece->kind != PIECE_ROTATIONS && piece->kind != PIECE_OPEN)
        return MST_OK;
    double *values;
    MST_TRY(mst_allocate(&values, d + d * d));
    mst_status status = mst_eigen_symmetric(1, d, information, values, values + d, NULL);
    if (status == MST_OK && piece->kind == PIECE_ROTATIONS) {
        /* Rotations about the axis i are held by s_j + s_k. */
        double l[3];
        for (size_t k = 0; k < 3; k++)
            l[k] = fmax(values[k], 0) / (piece->scale * piece->scale);
        *share = peak_log_fisher((l[1] + l[2] - l[0]) / 2, (l[0] + l[2] - l[1]) / 2,
                                 (l[0] + l[1] - l[2]) / 2);
    } else if (status == MST_OK) {
        *share = 0;
        for (size_t k = 0; k < d; k++)
            *share -= 0.5 * log(fmax(values[k], 0) / (2 * M_PI));
    }
    mst_release(values);
    return status;
}
