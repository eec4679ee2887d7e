/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Heat kernels of the compact spaces for large t: p = Σ_l w_l P_l(r)/volume with w_l = d_l e^(−λ_l t/2), d_l
 * the multiplicity of the eigenvalue λ_l and P_l the zonal function with P_l(0) = 1. Derivatives of P_l come
 * from recursions with the factor sin r split off, so that r = 0 and r = π are not special. */
#include "heat/radial_lanes.h"

/* A weight below this, relative to the first, is 0. The weights grow at most once, then fall faster than
 * geometrically, and the sums cancel by less than 1e3, so that what is left out is below 1e-18 of them, even
 * with λ_l as a factor. Being relative to w_1 it leaves the derivatives their digits at large t, too. */
#define NEGLIGIBLE 1e-24

typedef struct series {
    lane sine, cosine; /* of r */
    lane now, before;  /* P_l, P_(l−1) */
    lane slope, slope_before;
    lane weight, ratio;            /* w_l, and e^(−(λ_(l+1) − λ_l) t/2) */
    lane floor;                    /* a smaller weight is 0 */
    lane sum, sum_slope, sum_time; /* of w P, w times slope, w λ P */
} series;

static void start(double first, double gap, double next_gap, const radial_lanes *x, series *k)
{
    LANE_LOOP
    {
        bool far = x->r[i] > 1.6;
        double s, c;
        vm_sincos(far ? x->eps[i] : x->r[i], &s, &c);
        k->sine[i] = s;
        k->cosine[i] = far ? -c : c;
        k->weight[i] = first * vm_exp(-0.5 * gap * x->t[i]);
        k->ratio[i] = vm_exp(-0.5 * next_gap * x->t[i]);
        k->floor[i] = NEGLIGIBLE * k->weight[i];
        k->sum[i] = k->sum_slope[i] = k->sum_time[i] = 0;
    }
}

/* Add the term l to the sums and go on to the next weight, which has `growth` = d_(l+1)/d_l; `decay` =
 * e^(−t), the ratio of successive ratios. Returns whether a weight is left. */
static bool add_term(double lambda, double growth, const lane decay, series *k)
{
    uint64_t left = 0;
    LANE_LOOP
    {
        double w = k->weight[i], p = w * k->now[i];
        k->sum[i] += p;
        k->sum_time[i] += lambda * p;
        k->sum_slope[i] += w * k->slope[i];
        w *= growth * k->ratio[i];
        k->ratio[i] *= decay[i];
        w = w < k->floor[i] ? 0 : w;
        k->weight[i] = w;
        left |= vm_bits(w);
    }
    return left != 0;
}

/* P_(l+1) = (2l+m−1)/(l+m−1) cos r P_l − l/(l+m−1) P_(l−1), and P_l′ = −sin r (λ_l/m) Q_l, where Q_l is
 * P_(l−1) of S^(m+2). `slope` is λ_l Q_l/m. */
static void sphere_rows(const radial_space *space, bool second, radial_lanes *x)
{
    (void)second; /* costs nothing here */
    double m = (double)space->m;
    series k;
    lane decay, q, q_before;
    start(m + 1, m, m + 2, x, &k);
    LANE_LOOP
    {
        decay[i] = vm_exp(-x->t[i]);
        k.now[i] = k.cosine[i];
        k.before[i] = 1;
        k.slope[i] = q[i] = 1;
        q_before[i] = 0;
    }
    double l = 1;
    while (add_term(l * (l + m - 1), (2 * l + m + 1) * (l + m - 1) / ((2 * l + m - 1) * (l + 1)),
                    decay, &k)) {
        double up = (2 * l + m - 1) / (l + m - 1), down = l / (l + m - 1);
        double q_up = (2 * l + m - 1) / (l + m), q_down = (l - 1) / (l + m);
        double scale = (l + 1) * (l + m) / m;
        LANE_LOOP
        {
            double p = up * k.cosine[i] * k.now[i] - down * k.before[i];
            double next = q_up * k.cosine[i] * q[i] - q_down * q_before[i];
            k.before[i] = k.now[i];
            k.now[i] = p;
            q_before[i] = q[i];
            q[i] = next;
            k.slope[i] = scale * next;
        }
        l += 1;
    }
    LANE_LOOP
    {
        double p = 1 + k.sum[i];
        x->logp[i] = vm_log(p) - space->log_volume;
        x->dr_over_sin[i] = -k.sum_slope[i] / p;
        x->dr[i] = k.sine[i] * x->dr_over_sin[i];
        x->dt[i] = -0.5 * k.sum_time[i] / p;
        /* heat equation: ∂²_r p = 2∂_t p − (m−1) cot r ∂_r p */
        x->drr[i] = 2 * x->dt[i] - (m - 1) * k.cosine[i] * x->dr_over_sin[i] - x->dr[i] * x->dr[i];
    }
}

/* λ_l = l(l+1), d_l P_l = (2l+1) χ_l, χ_l = sin((l+½)r)/sin(r/2) = 1 + 2 Σ_(k≤l) cos kr, hence the recursion
 * of the cosines, and χ_l′ = −sin r Σ_(k≤l) 2k U_(k−1)(cos r), U_k = 2 cos r U_(k−1) − U_(k−2). */
static void so3_rows(const radial_space *space, bool second, radial_lanes *x)
{
    (void)second;
    series k;
    lane decay, u, u_before;
    start(3, 2, 4, x, &k);
    LANE_LOOP
    {
        decay[i] = vm_exp(-x->t[i]);
        k.now[i] = 1 + 2 * k.cosine[i];
        k.before[i] = 1;
        k.slope[i] = 2;
        u[i] = 1;
        u_before[i] = 0;
    }
    double l = 1;
    while (add_term(l * (l + 1), (2 * l + 3) / (2 * l + 1), decay, &k)) {
        LANE_LOOP
        {
            double twice = 2 * k.cosine[i];
            double chi = twice * k.now[i] - k.before[i], next = twice * u[i] - u_before[i];
            k.before[i] = k.now[i];
            k.now[i] = chi;
            u_before[i] = u[i];
            u[i] = next;
            k.slope[i] += 2 * (l + 1) * next;
        }
        l += 1;
    }
    LANE_LOOP
    {
        double p = 1 + k.sum[i], slope = k.sum_slope[i] / p;
        x->logp[i] = vm_log(p) - space->log_volume;
        x->dr[i] = -k.sine[i] * slope;
        /* sin r = 2 sin(r/2) cos(r/2): divide where sin(r/2) is not small */
        double c = k.cosine[i];
        x->dr_over_sin[i] = c > 0 ? -slope * sqrt(0.5 * (1 + c)) : x->dr[i] / sqrt(2 * (1 - c));
        x->dt[i] = -0.5 * k.sum_time[i] / p;
        /* heat equation: ∂²_r p = 2∂_t p − cot(r/2) ∂_r p, and cot(r/2) sin r = 1 + cos r */
        x->drr[i] = 2 * x->dt[i] + (1 + k.cosine[i]) * slope - x->dr[i] * x->dr[i];
    }
}

const struct radial_series_kernels HOT(radial_series_kernels) = {
    .sphere = sphere_rows,
    .so3 = so3_rows,
};
