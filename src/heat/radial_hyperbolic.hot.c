/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Heat kernel of Hᵐ, m ≥ 2: see radial_contour.h for the integral. The zeros of D = 2 cosh r − 2 cosh u other
 * than σ = 0 lie in the right half plane, at (2π²k² ± 2πikr)/t: the parabola √σ = ρ + iy has to pass between
 * them and 0, and as t grows it gets narrower and its nodes denser.
 *
 * D e^(−r) = (1 − e^(−(r−u)))(1 − e^(−(r+u))) with r − u = 2tσ/(r+u) is accurate relative to itself. The
 * factor e^(−r) drops out of all averages. */
#include "heat/radial_contour.h"

#define MAX_STEP (21.0 / 64) /* enough for every t on the sphere */
#define MAX_NODES 2000       /* a guard; 150 are needed at t = 100 */
/* −log of the relative error of the quadrature: e^−34 = 2e-15 */
#define DIGITS 34
/* A node counts until |w|(1 + |σ|) is below this, relative to the largest |w|. */
#define NEGLIGIBLE 1e-15

/* log of the integrand at √σ = q on the real axis, up to a constant: its zero at 0 and the nearest ones
 * beyond, at distance `wall` in the q plane, act like those of sin²(πq/wall). */
static inline double height(double alpha, double wall, double q)
{
    double s, c;
    vm_sincos(VM_PI * q / wall, &s, &c);
    return q * q - 2 * alpha * vm_log(s) + vm_log(q);
}

/* The trapezoid error on a strip of width d is e^(−2πd/h) times the integrand at its edge. */
static inline double allowed_step(double alpha, double wall, double at, double q, double d)
{
    return 2 * VM_PI * d / (DIGITS + height(alpha, wall, q) - at);
}

/* ρ is right of the saddle s of e^σ D^(−α) √σ, away from the branch point, as on the sphere, but not too
 * close to the wall; h is the largest step that one of four strips on either side of the contour allows. */
static void place_contour(double alpha, const radial_lanes *x, contour *k)
{
    static const double part[4] = {0.4, 0.6, 0.8, 0.92}, reach[4] = {3, 4.5, 6, 7};
    double cap = alpha < 7 ? 0.5 : 0.57;
    lane wall, at, left, right;
    LANE_LOOP
    {
        double r = x->r[i], t = x->t[i];
        wall[i] = sqrt((VM_PI * VM_PI + VM_PI * sqrt(VM_PI * VM_PI + r * r)) / t);
        double scaled = wall[i] * wall[i] / (VM_PI * VM_PI);
        double s = vm_min(2.25, (alpha - 0.5) / (scaled + alpha / 3)) * scaled;
        k->rho[i] = vm_min(sqrt(s + 4 * vm_max(1, sqrt(s / 10))), cap * wall[i]);
        at[i] = height(alpha, wall[i], k->rho[i]);
        left[i] = right[i] = 0;
    }
    for (int n = 0; n < 4; n++)
        LANE_LOOP
        {
            double rho = k->rho[i], d = part[n] * rho;
            left[i] = vm_max(left[i], allowed_step(alpha, wall[i], at[i], rho - d, d));
            d = vm_min(part[n] * (wall[i] - rho), reach[n]);
            right[i] = vm_max(right[i], allowed_step(alpha, wall[i], at[i], rho + d, d));
        }
    LANE_LOOP k->step[i] = vm_min(MAX_STEP, vm_min(left[i], right[i]));
}

/* 1 − e^(−z); the real part is (1 − e^(−x)) + 2e^(−x) sin²(y/2). */
static inline cplx one_minus_exp(cplx z)
{
    double e = vm_expm1(-z.re), s, c;
    vm_sincos(0.5 * z.im, &s, &c);
    return (cplx){2 * (1 + e) * s * s - e, 2 * (1 + e) * s * c};
}

/* All of this is scaled by e^(−r): D, and if `second` D_r/2 = sinh r − rS and D_rr/2 = cosh r − S − r²T, S =
 * sinh u/u, T = (cosh u − S)/u². */
static inline __attribute__((always_inline)) void evaluate(bool second, int j,
                                                           const radial_lanes *x, contour *k)
{
    LANE_LOOP
    {
        double r = x->r[i], t = x->t[i], rho = k->rho[i], y = (j + 0.5) * k->step[i];
        cplx ts = {2 * t * (rho * rho - y * y), 4 * t * rho * y};
        cplx square = {r * r - ts.re, -ts.im}, u = c_sqrt(square);
        cplx plus = {r + u.re, u.im}, minus = c_mul(ts, c_inverse(plus));
        cplx g = one_minus_exp(plus), f = one_minus_exp(minus);
        c_store(&k->d, i, c_mul(f, g));
        if (second) {
            cplx over = c_inverse(u);
            cplx sinhc = c_scale(0.5, c_mul((cplx){g.re - f.re, g.im - f.im}, over));
            cplx rest = {1 - 0.5 * (g.re + f.re) - sinhc.re, -0.5 * (g.im + f.im) - sinhc.im};
            cplx tail = c_mul(rest, c_mul(over, over));
            double e = vm_exp(-2 * r), z = r * r;
            c_store(&k->d_r, i, (cplx){-0.5 * vm_expm1(-2 * r) - r * sinhc.re, -r * sinhc.im});
            c_store(&k->d_rr, i,
                    (cplx){0.5 * (1 + e) - sinhc.re - z * tail.re, -sinhc.im - z * tail.im});
        }
    }
}

/* Lanes whose weights have become negligible get the weight 0 from then on. Returns whether one is left. */
typedef struct ending {
    lane largest; /* |w|² */
    lane alive;   /* 1 or 0 */
} ending;

static bool end_lanes(int j, contour *k, ending *e)
{
    uint64_t left = 0;
    LANE_LOOP
    {
        double y = (j + 0.5) * k->step[i], rho = k->rho[i];
        double norm = c_norm(c_load(&k->w, i)), reach = 1 + rho * rho + y * y;
        e->largest[i] = vm_max(e->largest[i], norm);
        bool small = norm * reach * reach < NEGLIGIBLE * NEGLIGIBLE * e->largest[i];
        e->alive[i] = small ? 0 : e->alive[i];
        k->w.re[i] *= e->alive[i];
        k->w.im[i] *= e->alive[i];
        left |= vm_bits(e->alive[i]);
    }
    return left != 0;
}

static void contour_rows(const radial_space *space, bool second, radial_lanes *x)
{
    double alpha = ((double)space->m - 1) / 2;
    contour k;
    ending e;
    place_contour(alpha, x, &k);
    contour_start(&k);
    LANE_LOOP
    {
        e.largest[i] = 0;
        e.alive[i] = 1;
    }
    for (int j = 0; j < MAX_NODES; j++) {
        if (second)
            evaluate(true, j, x, &k);
        else
            evaluate(false, j, x, &k);
        contour_weigh(space->m, j, &k);
        if (!end_lanes(j, &k, &e))
            break;
        contour_add(j, &k);
        if (second)
            contour_add_second(alpha, &k);
    }
    contour_finish(space, &k, x);
    LANE_LOOP
    {
        double r = x->r[i], t = x->t[i], shift = r + alpha * t, slope = x->dr_over_sin[i];
        x->logp[i] -= 0.5 * shift * shift / t; /* α²t/2 + r²/2t, and αr from D^(−α) */
        x->dt[i] += 0.5 * r * r / (t * t) - 0.5 * alpha * alpha;
        x->dr_over_sin[i] = slope * vm_exp(-r);
        x->dr[i] = slope * (-0.5 * vm_expm1(-2 * r)); /* e^(−r) sinh r */
    }
}

const struct radial_hyperbolic_kernels HOT(radial_hyperbolic_kernels) = {
    .contour = contour_rows,
};
