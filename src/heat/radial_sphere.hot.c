/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Heat kernel of Sᵐ, m ≥ 2, for small t: see radial_contour.h for the integral. The zeros of D = 2 cos √x −
 * 2 cos r, x = r² − 2tσ, are 0 and −2πk(r + πk)/t, one per image of the source: all on the negative axis,
 * inside the contour.
 *
 * D must be known to relative accuracy although it is as small as t. C(x) = cos √x obeys the duplication
 * C(4x) = 2C(x)² − 1, so the difference Δ(x) = C(x) − C(r²) obeys Δ(4x) = 2Δ(x)(Δ(x) + 2C(r²)): start with
 * the Taylor series about r² at x/64, where the difference is explicit, and double three times. The factor
 * that vanishes at the cut locus, cos(r/2) = sin((π−r)/2), comes from π − r. No root of x and no division
 * is needed. */
#include "heat/radial_contour.h"

/* Against 60 nodes at 7/64 and Arb, for 2 ≤ m ≤ 200 and all r and t of the region: 1e-13 in log p and ∂_r,
 * 3e-13 in ∂_t, for large m 1e-12 from rounding. STEP and ρ have few bits, so that y, σ and the phase 2ρy
 * are exact. */
enum { NODES = 18 };
#define STEP (21.0 / 64)
#define ROUND_RHO (VM_ROUND / 65536) /* adding and subtracting it leaves 16 bits after the point */

enum {
    DOUBLINGS = 3,
    /* |x − r²|/64 < 0.7 on the contour and the k-th Taylor coefficient is about 1/(2k)!, so that the first
     * term left out of Δ is 0.7^9/18! = 6e-18. The second derivative T loses two terms more, 1e-14 of it, but
     * only at the last node, whose weight is 1e-14. */
    TERMS = 8,
};
#define SCALE (1.0 / 64) /* 4^−DOUBLINGS */

typedef struct sphere {
    lane sine;              /* of r */
    lane half[DOUBLINGS];   /* cos(r/8), cos(r/4), cos(r/2) */
    lane taylor[TERMS + 1]; /* taylor[n]: coefficient of the n-th power of C at r²/64 */
} sphere;

/* Vertex of the parabola: the saddle s of e^σ D^(−α) √σ on the positive axis, and a little to the right of
 * it, away from the branch point at 0. The rule is not sensitive to s: take the saddle for the two zeros of D
 * nearest to the vertex, 0 and −e, and a factor for the others, which matters where αt is large. */
static void place_vertex(double alpha, const radial_lanes *x, contour *k)
{
    LANE_LOOP
    {
        double t = x->t[i], e = 2 * VM_PI * x->eps[i] / t;
        /* 1 = (α − ½)/s + α/(s + e) */
        double b = 2 * alpha - 0.5 - e, q = sqrt(b * b + 4 * (alpha - 0.5) * e);
        double s = b >= 0 ? 0.5 * (b + q) : 2 * (alpha - 0.5) * e / (q - b);
        s /= 1 - vm_min(0.11 * alpha * t / (1 + t * s / 50), 0.8);
        double rho = sqrt(s + 4 * vm_max(1, sqrt(s / 10)));
        k->rho[i] = (rho + ROUND_RHO) - ROUND_RHO;
        k->step[i] = STEP;
    }
}

/* taylor[n], n ≥ 1, of cos √x at r²/64: the two highest by their power series, the others by the recursion
 * that 4x C″ + 2C′ + C = 0 gives, downwards, where it is stable. */
static void expand_cosine(const radial_lanes *x, sphere *g)
{
    double factorial = 1; /* of 2·TERMS */
    for (int n = 2; n <= 2 * TERMS; n++)
        factorial *= n;
    double top = 1 / factorial; /* TERMS is even */
    double below = -top * (2 * TERMS) * (2 * TERMS - 1);
    LANE_LOOP
    {
        double q = x->r[i] * x->r[i] * SCALE, high = 1, low = 1;
        /* Σ_j binomial(n+j, j) (2n)!/(2n+2j)! (−q)^j for n = TERMS and TERMS − 1, by Horner; q ≤ π²/64. */
        for (int j = 6; j > 0; j--) {
            double n = TERMS + j;
            high = 1 - high * q * (n / (j * (2 * n) * (2 * n - 1)));
            n -= 1;
            low = 1 - low * q * (n / (j * (2 * n) * (2 * n - 1)));
        }
        double c1 = below * low, c2 = top * high;
        g->taylor[TERMS][i] = c2;
        g->taylor[TERMS - 1][i] = c1;
        for (int n = TERMS - 2; n > 0; n--) {
            double c0 = -(n + 1) * ((4 * n + 2) * c1 + 4 * q * (n + 2) * c2);
            g->taylor[n][i] = c0;
            c2 = c1;
            c1 = c0;
        }
    }
}

static void measure(const radial_lanes *x, sphere *g)
{
    LANE_LOOP
    {
        bool far = x->r[i] > 1.6;
        double s, c;
        vm_sincos(0.5 * (far ? x->eps[i] : x->r[i]), &s, &c);
        g->sine[i] = 2 * s * c;
        g->half[2][i] = far ? s : c;
        g->half[1][i] = sqrt(0.5 * (1 + g->half[2][i]));
        g->half[0][i] = sqrt(0.5 * (1 + g->half[1][i]));
    }
    expand_cosine(x, g);
}

/* Σ_(n=0)^(count−1) c_n d^n with c_n = scale(n)·taylor[n + shift]. For real coefficients the division by
 * (x − d)(x − d̄) takes two multiplications per term: b_n = c_n + 2 Re d·b_(n+1) − |d|² b_(n+2). */
#define TAYLOR(result, count, scale, shift)                                                      \
    do {                                                                                         \
        double b1 = 0, b2 = 0;                                                                   \
        _Pragma("GCC unroll 16") for (int n = (count)-1; n > 0; n--)                             \
        {                                                                                        \
            double next = (scale)*g->taylor[n + (shift)][i] + 2 * d.re * b1 - norm * b2;         \
            b2 = b1;                                                                             \
            b1 = next;                                                                           \
        }                                                                                        \
        const int n = 0;                                                                         \
        (result) = (cplx){(scale)*g->taylor[n + (shift)][i] + b1 * d.re - norm * b2, b1 * d.im}; \
    } while (0)

/* D at node y and, if `second`, its r-derivatives for fixed σ. Those are D_r = 2(sin r − rS) and
 * D_rr = 2(cos r − S − r²T) with S = −2C′ and T = 2S′ at x, or, since the same combinations vanish at r²,
 * −2rδS and −2(δS + r²δT) with differences that follow Δ through the duplications S(4x) = S(x)C(x) and
 * 4T(4x) = T(x)C(x) − S(x)². */
static inline __attribute__((always_inline)) void evaluate(bool second, int j, const sphere *g,
                                                           const radial_lanes *x, contour *k)
{
    double y = (j + 0.5) * STEP;
    LANE_LOOP
    {
        double rho = k->rho[i], s = -2 * SCALE * x->t[i];
        cplx d = {s * (rho * rho - y * y), s * (2 * rho * y)};
        double norm = c_norm(d);
        cplx sum, diff;
        TAYLOR(sum, TERMS, 1, 1);
        diff = c_mul(d, sum);
        if (second) {
            cplx ds, dt;
            TAYLOR(ds, TERMS - 1, -2 * (n + 2), 2);
            TAYLOR(dt, TERMS - 2, -4 * (n + 2) * (n + 3), 3);
            ds = c_mul(d, ds);
            dt = c_mul(d, dt);
            double at_s = -2 * g->taylor[1][i], at_t = -8 * g->taylor[2][i]; /* S and T at r² */
            for (int n = 0; n < DOUBLINGS; n++) {
                double at_c = g->half[n][i];
                cplx c = {diff.re + at_c, diff.im};
                cplx sum_s = {ds.re + 2 * at_s, ds.im};
                dt = c_scale(0.25, c_add(c_add(c_mul(dt, c), c_scale(at_t, diff)),
                                         c_scale(-1, c_mul(ds, sum_s))));
                ds = c_add(c_mul(ds, c), c_scale(at_s, diff));
                diff = c_mul(diff, (cplx){2 * (c.re + at_c), 2 * c.im});
                at_t = 0.25 * (at_t * at_c - at_s * at_s);
                at_s *= at_c;
            }
            c_store(&k->d_r, i, c_scale(-x->r[i], ds));
            c_store(&k->d_rr, i, c_scale(-1, c_add(ds, c_scale(x->r[i] * x->r[i], dt))));
        } else {
            for (int n = 0; n < DOUBLINGS; n++)
                diff = c_mul(diff, (cplx){2 * diff.re + 4 * g->half[n][i], 2 * diff.im});
        }
        c_store(&k->d, i, c_scale(2, diff));
    }
}

static void contour_rows(const radial_space *space, bool second, radial_lanes *x)
{
    double alpha = ((double)space->m - 1) / 2;
    sphere g;
    contour k;
    measure(x, &g);
    place_vertex(alpha, x, &k);
    contour_start(&k);
    for (int j = 0; j < NODES; j++) {
        if (second)
            evaluate(true, j, &g, x, &k);
        else
            evaluate(false, j, &g, x, &k);
        contour_weigh(space->m, j, &k);
        contour_add(j, &k);
        if (second)
            contour_add_second(alpha, &k);
    }
    contour_finish(space, &k, x);
    LANE_LOOP
    {
        double r = x->r[i], t = x->t[i];
        x->logp[i] += 0.5 * alpha * alpha * t - 0.5 * r * r / t;
        x->dt[i] += 0.5 * alpha * alpha + 0.5 * r * r / (t * t);
        x->dr[i] = g.sine[i] * x->dr_over_sin[i];
    }
}

const struct radial_sphere_kernels HOT(radial_sphere_kernels) = {
    .contour = contour_rows,
};
