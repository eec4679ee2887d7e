/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* The contour integral behind the heat kernels of Sᵐ and Hᵐ, m ≥ 2, for *.hot.c files. With κ = ±1 the
 * curvature and α = (m−1)/2,
 *
 *     p = (2πt)^(−m/2) exp(κα²t/2 − r²/2t) Γ(α)/(2πi) ∫ e^σ (D/2t)^(−α) dσ,
 *     D = κ(2 cos_k u − 2 cos_k r),   u² = r² − 2tσ.
 *
 * This is the known integral of exp(−u²/2t) D^(−α) u du along a line Im u = c, which the substitution turns
 * into a Hankel contour, from −∞ round σ = 0 and back. D is an entire function of σ, so that neither r = 0
 * nor the cut locus is special, and e^(−r²/2t) stands in front: nothing cancels. As t → 0, D → 2tσ sin_k r/r
 * and Hankel's integral for 1/Γ(α) gives the leading term (r/sin_k r)^α.
 *
 * The contour is a parabola √σ = ρ + iy with the trapezoid rule at y = (j + ½)h, of which the conjugate half
 * gives the real part. A node has the weight w = e^(−y²) e^(2iρy) (ρ + iy) z^α with z = d0/D, and with
 * ⟨X⟩ = Re Σ wX/Re Σ w
 *
 *     ∂_r log p = −2α sin_k r ⟨1/D⟩                      (derivative for fixed u)
 *     ∂_t log p = κα²/2 − 3/(2t) + r²/(2t²) − ⟨σ⟩/t      (the same)
 *     ∂²_r log p = −1/t + ⟨E′ + E²⟩ − ⟨E⟩²,  E = −α D_r/D   (derivatives for fixed σ, where nothing of size
 *                                                        (r/t)² has to cancel). */
#ifndef MST_HEAT_RADIAL_CONTOUR_H
#define MST_HEAT_RADIAL_CONTOUR_H

#include "heat/radial_lanes.h"

#define LOG_2_PI (-0.45158270528945486) /* log(2/π) */

typedef struct contour {
    lane rho, step;              /* vertex, and h */
    complex_lane turn, turned;   /* e^(2iρh) and e^(2iρy) */
    lane gauss, ratio, decay;    /* e^(−y²), its quotient at the next node, and that of these */
    complex_lane d, d_r, d_rr;   /* D and half of its r-derivatives for fixed σ */
    lane d0;                     /* |D| at the first node, to normalise by */
    complex_lane z, w;           /* d0/D, and the weight of the node */
    complex_lane root;           /* √z at the node before */
    lane weight, inverse, sigma; /* sums of Re w, Re wz, Re w(σ − ρ²) */
    lane slope, curvature;       /* sums of Re wE and Re w(E′ + E²) */
} contour;

/* rho and step are set. */
static inline void contour_start(contour *k)
{
    LANE_LOOP
    {
        double h = k->step[i], s, c;
        vm_sincos(k->rho[i] * h, &s, &c);
        c_store(&k->turned, i, (cplx){c, s});
        c_store(&k->turn, i, (cplx){1 - 2 * s * s, 2 * s * c});
        k->gauss[i] = vm_exp(-0.25 * h * h);
        k->ratio[i] = k->decay[i] = vm_exp(-2 * h * h);
        c_store(&k->root, i, (cplx){1, 0});
        k->weight[i] = k->inverse[i] = k->sigma[i] = k->slope[i] = k->curvature[i] = 0;
    }
}

/* z and w from d, at node number j. The argument of D leaves (−π, π), so for even m the branch of the root is
 * continued from node to node, between which it moves by much less than π. */
static inline void contour_weigh(size_t m, int j, contour *k)
{
    if (j == 0)
        LANE_LOOP k->d0[i] = sqrt(c_norm(c_load(&k->d, i)));
    LANE_LOOP
    {
        double y = (j + 0.5) * k->step[i], e = k->gauss[i];
        cplx turned = c_load(&k->turned, i);
        c_store(&k->turned, i, c_mul(turned, c_load(&k->turn, i)));
        c_store(&k->w, i, c_mul(turned, (cplx){e * k->rho[i], e * y}));
        c_store(&k->z, i, c_scale(k->d0[i], c_inverse(c_load(&k->d, i))));
        k->gauss[i] *= k->ratio[i];
        k->ratio[i] *= k->decay[i];
    }
    if (m % 2 == 0)
        LANE_LOOP
        {
            cplx root = c_sqrt(c_load(&k->z, i));
            double turn = root.re * k->root.re[i] + root.im * k->root.im[i];
            root = c_scale(turn < 0 ? -1 : 1, root);
            c_store(&k->root, i, root);
            c_store(&k->w, i, c_mul(c_load(&k->w, i), root));
        }
    complex_lane power = k->z;
    for (size_t n = (m - 1) / 2; n > 0; n >>= 1) {
        if ((n & 1) != 0)
            LANE_LOOP c_store(&k->w, i, c_mul(c_load(&k->w, i), c_load(&power, i)));
        if (n > 1)
            LANE_LOOP c_store(&power, i, c_mul(c_load(&power, i), c_load(&power, i)));
    }
}

static inline void contour_add(int j, contour *k)
{
    LANE_LOOP
    {
        double y = (j + 0.5) * k->step[i];
        cplx w = c_load(&k->w, i), z = c_load(&k->z, i);
        k->weight[i] += w.re;
        k->inverse[i] += w.re * z.re - w.im * z.im;
        k->sigma[i] -= w.re * (y * y) + w.im * (2 * k->rho[i] * y);
    }
}

/* E′ + E² = −α D_rr/D + (α + α²)(D_r/D)² */
static inline void contour_add_second(double alpha, contour *k)
{
    LANE_LOOP
    {
        cplx w = c_load(&k->w, i), over = c_scale(2 / k->d0[i], c_load(&k->z, i));
        cplx d_r = c_mul(c_load(&k->d_r, i), over), d_rr = c_mul(c_load(&k->d_rr, i), over);
        cplx bend = c_add(c_scale(-alpha, d_rr), c_scale(alpha + alpha * alpha, c_mul(d_r, d_r)));
        k->slope[i] -= alpha * (w.re * d_r.re - w.im * d_r.im);
        k->curvature[i] += w.re * bend.re - w.im * bend.im;
    }
}

/* log p and ∂_t log p without the terms κα²t/2 − r²/2t and their derivatives, −2α⟨1/D⟩ (in dr_over_sin), and
 * ∂²_r log p. −(m/2) log 2πt − α log(d0/2t) is written with one full logarithm. */
static inline void contour_finish(const radial_space *space, const contour *k, radial_lanes *x)
{
    double constant = space->log_gamma + LOG_2_PI, m = (double)space->m;
    LANE_LOOP
    {
        double t = x->t[i], d0 = k->d0[i], sum = k->weight[i], mu = k->rho[i] * k->rho[i];
        x->logp[i] = (constant + mu - 0.5 * m * vm_log(VM_PI * d0)) +
                     vm_log(sum * k->step[i] * sqrt(d0 / (2 * t)));
        x->dt[i] = -(1.5 + mu + k->sigma[i] / sum) / t;
        x->dr_over_sin[i] = -(m - 1) * k->inverse[i] / (sum * d0);
        double mean = k->slope[i] / sum;
        x->drr[i] = -1 / t + (k->curvature[i] / sum - mean * mean);
    }
}

#endif
