/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Heat kernels of the circle and of SO(3) for small t, as sums over the images x_k = r + 2πk of the point:
 *
 *     circle   p = (2πt)^(−1/2) Σ exp(−x_k²/2t)
 *     SO(3)    p = (2πt)^(−3/2) e^(t/8) Σ (−1)^k x_k exp(−x_k²/2t) / (2 sin(r/2)),
 *
 * the second from S³ of radius 2, where p is the same sum over every other image, added over ±. Relative to
 * k = 0 the image −1 has the weight e^(−2πε/t), ε = π − r, the image 1 e^(−2π(π+r)/t) and the image −2
 * e^(−4π(π+ε)/t); for t ≤ 1 the others are below 1e-34. Differences of weights that vanish at r = 0 or at
 * ε = 0 are taken with expm1, which keeps ∂_r accurate relative to itself. */
#include "heat/radial_lanes.h"

#define TINY 1e-200 /* stands for 0 in quotients with a limit */

/* Near the cut locus pair the images 0, −1 and 1, −2 (mirror images at ε = 0); near 0 pair 1, −1. */
static inline bool is_far(double r)
{
    return r > VM_PI_2;
}

typedef struct images {
    double left, right, left2; /* weights of −1, 1, −2 */
    double gap0;               /* left − right */
    double gap1, gap2;         /* 1 − left, right − left2 */
} images;

static inline images weigh(double r, double eps, double t)
{
    double left = vm_exp(-2 * VM_PI * eps / t), right = vm_exp(-2 * VM_PI * (VM_PI + r) / t);
    return (images){
        .left = left,
        .right = right,
        .left2 = vm_exp(-4 * VM_PI * (VM_PI + eps) / t),
        .gap0 = -left * vm_expm1(-4 * VM_PI * r / t),
        .gap1 = -vm_expm1(-2 * VM_PI * eps / t),
        .gap2 = -right * vm_expm1(-6 * VM_PI * eps / t),
    };
}

static void circle_rows(const radial_space *space, bool second, radial_lanes *x)
{
    (void)space;
    (void)second; /* costs little here */
    LANE_LOOP
    {
        double r = vm_max(x->r[i], TINY), eps = vm_max(x->eps[i], TINY), t = x->t[i];
        bool far = is_far(r);
        images w = weigh(r, eps, t);
        double sum = 1 + (w.left + w.right + w.left2);
        /* The mean of x_k, as r + 2π⟨k⟩ or as −ε + π⟨2k + 1⟩. Near 0 the image −2 (below 1e-25) would break
         * the symmetry, because the image 2 is missing. */
        double mean =
            far ? VM_PI * (w.gap1 + 3 * w.gap2) / sum - eps : r - 2 * VM_PI * w.gap0 / sum;
        /* ⟨x_k² − r²⟩ */
        double square =
            4 * VM_PI * (eps * w.left + (VM_PI + r) * w.right + 2 * (VM_PI + eps) * w.left2) / sum;
        double k1 = (w.right - w.left - 2 * w.left2) / sum;
        double k2 = (w.right + w.left + 4 * w.left2) / sum;
        double sine, cosine, exact, other;
        vm_sincos(far ? eps : r, &sine, &cosine);
        vm_sincos(far ? x->eps[i] : x->r[i], &exact, &other);
        x->logp[i] = -0.5 * r * r / t - 0.5 * vm_log(2 * VM_PI * t) + vm_log(sum);
        x->dr_over_sin[i] = -mean / (t * sine);
        x->dr[i] = exact * x->dr_over_sin[i];
        x->dt[i] = (0.5 * (r * r + square) / t - 0.5) / t;
        x->drr[i] = (4 * VM_PI * VM_PI * (k2 - k1 * k1) / t - 1) / t;
    }
}

/* |B_2n|/(2n)!: 1/r − ½ cot(r/2) = Σ_(n≥1) of these times r^(2n−1). At r = π/2 the first term left out is
 * 4^−26 of the first. */
enum { COT_TERMS = 13 };
static const double cot_terms[COT_TERMS] = {
    0.0833333333333333333,   0.00138888888888888889,  0.0000330687830687830688,
    8.2671957671957672e-7,   2.0876756987868099e-8,   5.28419013868749318e-10,
    1.33825365306846788e-11, 3.38968029632258287e-13, 8.58606205627784456e-15,
    2.17486869855806187e-16, 5.50900282836022952e-18, 1.39544646858125233e-19,
    3.53470703962946747e-21,
};

/* Σ_(k≥1) 2k s^(2k−2)/(2k+1)! = (cosh s − sinh s/s)/s² for s ≤ 1, to 1e-17. */
static inline double cosh_minus_sinhc(double s)
{
    double z = s * s, sum = 1;
    for (int k = 8; k > 1; k--)
        sum = 1 + sum * z / (2 * (k - 1) * (2 * k + 1));
    return sum / 3;
}

/* With weights q_k ∝ (−1)^k x_k e^(−x_k²/2t), ∂_r log Σ = ⟨1/x_k − x_k/t⟩ =: slope, of which ½ cot(r/2) is
 * taken. Near 0 its 1/r cancels; dividing by r, with s = 2πr/t and E = e^(−2π²/t), what is left is
 *
 *     (−1/t + (2/t) E cosh s − (8π/tr) E sinh s + (32π⁴/t³) E (cosh s − sinh s/s)/s²) / (Σ/r)
 *       + (1/r² − cot(r/2)/2r).
 *
 * The fourth and the series keep their digits as r → 0. */
static inline double so3_slope_near(images w, double r, double t, double norm)
{
    double s = 2 * VM_PI * r / t, z = r * r, cot = 0;
    double cosh_s = 0.5 * (w.left + w.right), sinh_s = 0.5 * w.gap0; /* times E */
    double limit = vm_exp(-2 * VM_PI * VM_PI / t) * cosh_minus_sinhc(vm_min(s, 1));
    double direct = (cosh_s - sinh_s / s) / (s * s);
    for (int n = COT_TERMS - 1; n >= 0; n--)
        cot = cot_terms[n] + z * cot;
    double image = 2 * cosh_s - 8 * VM_PI * sinh_s / r +
                   32 * VM_PI * VM_PI * VM_PI * VM_PI / (t * t) * (s > 1 ? direct : limit);
    return r * ((image - 1) / (t * norm) + cot);
}

/* The same with x_0 = π − ε, x_(−1) = −π − ε, x_1 = 3π − ε, x_(−2) = −3π − ε. */
static inline double so3_slope_far(images w, double eps, double t, double sum)
{
    double square = eps * eps, pi2 = VM_PI * VM_PI;
    double top = w.gap1 * (1 - (pi2 + square) / t) + 2 * VM_PI * eps * (1 + w.left) / t -
                 w.gap2 * (1 - (9 * pi2 + square) / t) - 6 * VM_PI * eps * (w.right + w.left2) / t;
    double s, c;
    vm_sincos(0.5 * eps, &s, &c);
    return top / sum - 0.5 * s / c;
}

/* ∂²_r by the heat equation subtracts terms of size (r/t)². Below this t only the images 0 and −1 exist, and
 * the variance of 1/x_k − x_k/t over the two has no such cancellation. */
#define TWO_IMAGES 0.02

static inline double so3_second(images w, double r, double t)
{
    double z = r * r, bend = 0, s, c; /* bend = 1/(4 sin²(r/2)) − 1/r² */
    vm_sincos(0.5 * r, &s, &c);
    for (int n = COT_TERMS - 1; n >= 0; n--)
        bend = (2 * n + 1) * cot_terms[n] + z * bend;
    double far = vm_max(r, 1),
           opposite = 2 * VM_PI - far; /* for r < 1 the image −1 has no weight */
    bend = is_far(r) ? 0.25 / (s * s) - 1 / z : bend;
    double q = opposite * w.left / (far + opposite * w.left);
    double jump = 2 * VM_PI / t - 2 * VM_PI / (far * opposite);
    return bend + q * (1 / (far * far) - 1 / (opposite * opposite)) +
           (q * (1 - q) * jump * jump - 1 / t);
}

static void so3_rows(const radial_space *space, bool second, radial_lanes *x)
{
    (void)space;
    (void)second;
    LANE_LOOP
    {
        double r = vm_max(x->r[i], TINY), eps = x->eps[i], t = x->t[i];
        images w = weigh(r, eps, t);
        /* near 0 without the image −2, as on the circle */
        double left = w.left, right = w.right, left2 = is_far(r) ? w.left2 : 0;
        double norm = 1 - (left + right) + 2 * VM_PI * w.gap0 / r - (4 * VM_PI / r - 1) * left2;
        double s, c;
        vm_sincos(0.5 * r, &s, &c);
        double radius = 2 * s;
        double slope =
            is_far(r) ? so3_slope_far(w, eps, t, r * norm) : so3_slope_near(w, r, t, norm);
        /* ⟨x_k² − r²⟩ */
        double square = 4 * VM_PI *
                        ((2 * VM_PI * VM_PI + r * r) * (w.gap0 / r) - 3 * VM_PI * (left + right) -
                         2 * (VM_PI + eps) * (4 * VM_PI / r - 1) * left2) /
                        norm;
        x->logp[i] =
            0.125 * t - 1.5 * vm_log(2 * VM_PI * t) - 0.5 * r * r / t + vm_log(norm * (r / radius));
        x->dr_over_sin[i] = slope / radius;
        x->dr[i] = slope * (x->r[i] / r);
        x->dt[i] = 0.125 + (0.5 * (r * r + square) / t - 1.5) / t;
        x->drr[i] = t < TWO_IMAGES ? so3_second(w, r, t)
                                   : 2 * x->dt[i] - slope * slope - 2 * c * x->dr_over_sin[i];
    }
}

const struct radial_image_kernels HOT(radial_image_kernels) = {
    .circle = circle_rows,
    .so3 = so3_rows,
};
