/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Let L = −(1/sin_k s) d/ds (sin_k = sin or sinh). Heat kernels climb two dimensions by p_(m+2) =
 * e^(κmt/2)/(2π) L p_m, so with j the number of steps everything follows from A_i = L^i A_0, i = j, j+1, j+2:
 *
 *     ∂_r p ∝ −sin_k A_(j+1),   ∂²_r p ∝ sin_k² A_(j+2) − cos_k A_(j+1),
 *     2 ∂_t p ∝ sin_k² A_(j+2) − m cos_k A_(j+1).
 *
 * Odd m start from m = 1, A_0 = Σ_k exp(−(r + 2πk)²/2t) (hyperbolic: k = 0 only). Even m start from m = 2,
 * whose kernel is an Abel integral of f(s) = Σ_k (−1)^k (s + 2πk) exp(−(s + 2πk)²/2t) over s from r on:
 *
 *     sphere      ∫ f(s)/sin(s/2) dφ,   cos(s/2) = cos(r/2) sin φ,   0 < φ < π/2
 *     hyperbolic  ∫ f(s)/sinh s dw,     cosh s = cosh r + w²,        0 < w < ∞,
 *
 * in which L acts under the integral sign (on the sphere L^i brings a factor sin^(2i) φ). Both integrands
 * are analytic and even, and the trapezoid rule converges geometrically. L acts on Taylor polynomials. */
#include "support/arb_jet.h"

#include <arb_poly.h>
#include <math.h>
#include <stdlib.h>

enum { ORDERS = 3, ENOUGH = 80, MAX_BITS = 1 << 17 };

typedef struct problem {
    size_t m;
    bool sphere;
    double time;
    arb_t r, t;
    bool pole; /* r = 0, or r = π: L needs even Taylor polynomials there */
} problem;

/* Taylor polynomial of sin_k or, if halved, of sin_k(s/2), at s. */
static void sine_series(arb_poly_t out, const problem *p, const arb_t s, bool halved, slong length,
                        slong bits)
{
    arb_poly_t x;
    arb_poly_init(x);
    arb_poly_set_coeff_arb(x, 0, s);
    arb_poly_set_coeff_si(x, 1, 1);
    if (halved)
        arb_poly_scalar_mul_2exp_si(x, x, -1);
    if (p->sphere)
        arb_poly_sin_series(out, x, length, bits);
    else
        arb_poly_sinh_series(out, x, length, bits);
    arb_poly_clear(x);
}

/* Taylor polynomial at s of Σ_k exp(−(s + 2πk)²/2t), or of Σ_k (−1)^k (s + 2πk) exp(…). */
static void theta_series(arb_poly_t out, const problem *p, const arb_t s, bool odd, slong length,
                         slong bits)
{
    slong images = p->sphere ? 2 + (slong)(sqrt(2 * p->time * (double)bits + 10) / 6) : 0;
    arb_poly_t x, square, term;
    arb_t shift;
    arb_poly_init(x);
    arb_poly_init(square);
    arb_poly_init(term);
    arb_init(shift);
    arb_poly_zero(out);
    /* From −images − 1 to images: symmetric about s = π. About s = 0 the last is negligible. */
    for (slong k = p->sphere ? -images - 1 : 0; k <= images; k++) {
        arb_const_pi(shift, bits);
        arb_mul_si(shift, shift, 2 * k, bits);
        arb_add(shift, shift, s, bits);
        arb_poly_zero(x);
        arb_poly_set_coeff_arb(x, 0, shift);
        arb_poly_set_coeff_si(x, 1, 1);
        arb_poly_mullow(square, x, x, length, bits);
        arb_poly_scalar_div(square, square, p->t, bits);
        arb_poly_scalar_mul_2exp_si(square, square, -1);
        arb_poly_neg(square, square);
        arb_poly_exp_series(term, square, length, bits);
        if (odd) {
            arb_poly_mullow(term, term, x, length, bits);
            if (k % 2 != 0)
                arb_poly_neg(term, term);
        }
        arb_poly_add(out, out, term, bits);
    }
    arb_poly_clear(x);
    arb_poly_clear(square);
    arb_poly_clear(term);
    arb_clear(shift);
}

/* Where the function is even, its odd coefficients are 0 exactly. */
static void drop_odd(arb_poly_t f)
{
    for (slong i = 1; i < arb_poly_length(f); i += 2)
        arb_poly_set_coeff_si(f, i, 0);
}

/* out[i] = L^(j+i) f at s for the function f of this dimension's parity. */
static void climb(arb_t out[ORDERS], const problem *p, const arb_t s, bool pole, slong bits)
{
    slong j = (slong)(p->m - 1) / 2, steps = j + ORDERS - 1;
    slong length = (pole ? 2 * steps : steps) + 2;
    bool even_m = p->m % 2 == 0;
    arb_poly_t f, g;
    arb_poly_init(f);
    arb_poly_init(g);
    theta_series(f, p, s, even_m, length + 1, bits);
    sine_series(g, p, s, even_m && p->sphere, length + 1, bits);
    if (even_m) {
        /* f is odd about 0 and divided by a function with a zero there. */
        if (pole && arb_is_zero(s)) {
            arb_poly_shift_right(f, f, 1);
            arb_poly_shift_right(g, g, 1);
        }
        arb_poly_div_series(f, f, g, length, bits);
    }
    sine_series(g, p, s, false, length, bits);
    if (pole) {
        drop_odd(f);
        arb_poly_shift_right(g, g, 1);
    }
    for (slong i = 0; i <= steps; i++) {
        if (i >= j)
            arb_poly_get_coeff_arb(out[i - j], f, 0);
        arb_poly_derivative(f, f, bits);
        if (pole)
            arb_poly_shift_right(f, f, 1);
        arb_poly_div_series(f, f, g, length, bits);
        arb_poly_neg(f, f);
        if (pole)
            drop_odd(f);
        length -= pole ? 2 : 1;
        arb_poly_truncate(f, length > 0 ? length : 1);
    }
    arb_poly_clear(f);
    arb_poly_clear(g);
}

/* s and the factors of L^j … L^(j+2) at node x: φ = π/2 − x on the sphere, w = λ sinh x on Hᵐ (dw = λ cosh x
 * dx). `end` marks x = π/2, where s = π. Returns whether s is a pole of L. */
static bool place_node(arb_t s, arb_t factor[ORDERS], const problem *p, double lambda,
                       const arb_t x, bool end, slong bits)
{
    slong j = (slong)(p->m - 1) / 2;
    bool pole = arb_is_zero(x) && p->pole;
    arb_t c, u;
    arb_init(c);
    arb_init(u);
    if (p->sphere) {
        arb_cos(c, x, bits); /* sin φ */
        if (end)
            arb_zero(c);
        arb_mul(u, c, c, bits);
        arb_pow_ui(factor[0], u, (ulong)j, bits);
        for (int i = 1; i < ORDERS; i++)
            arb_mul(factor[i], factor[i - 1], u, bits);
        arb_mul_2exp_si(s, p->r, -1);
        arb_cos(s, s, bits);
        arb_mul(s, s, c, bits);
        arb_acos(s, s, bits);
        arb_mul_2exp_si(s, s, 1);
        bool always = p->pole && !arb_is_zero(p->r); /* r = π, and so is every s */
        pole = pole || always || end;
        if (always || end)
            arb_const_pi(s, bits);
    } else {
        arb_sinh_cosh(u, c, x, bits);
        arb_set_d(s, lambda);
        arb_mul(u, u, s, bits);
        arb_mul(c, c, s, bits);
        for (int i = 0; i < ORDERS; i++)
            arb_set(factor[i], c);
        arb_mul(u, u, u, bits);
        arb_cosh(s, p->r, bits);
        arb_add(s, s, u, bits);
        arb_acosh(s, s, bits);
    }
    if (arb_is_zero(x))
        arb_set(s, p->r);
    arb_clear(c);
    arb_clear(u);
    return pole;
}

/* Add the nodes first·h, (first + stride)·h, … of the trapezoid rule, h = 2^(−level), on the sphere times
 * π/2, until they are negligible. */
static void add_nodes(arb_t sum[ORDERS], const problem *p, double lambda, slong level, slong first,
                      slong stride, slong bits)
{
    arb_t s, x, factor[ORDERS], value[ORDERS];
    arb_init(s);
    arb_init(x);
    for (int i = 0; i < ORDERS; i++) {
        arb_init(factor[i]);
        arb_init(value[i]);
    }
    slong last = WORD(1) << level;
    bool small = false;
    for (slong n = first; !small && !(p->sphere && n > last); n += stride) {
        bool end = p->sphere && n == last;
        arb_set_si(x, n);
        arb_mul_2exp_si(x, x, -level);
        if (p->sphere) {
            arb_const_pi(s, bits);
            arb_mul_2exp_si(s, s, -1);
            arb_mul(x, x, s, bits);
        }
        bool pole = place_node(s, factor, p, lambda, x, end, bits);
        climb(value, p, s, pole, bits);
        small = n > 0;
        for (int i = 0; i < ORDERS; i++) {
            arb_mul(value[i], value[i], factor[i], bits);
            if (n == 0 || end)
                arb_mul_2exp_si(value[i], value[i], -1);
            arb_add(sum[i], sum[i], value[i], bits);
            small = small && is_negligible(value[i], sum[i], 90);
        }
        for (int i = 0; i < ORDERS; i++) /* give up: the precision does not suffice */
            small = small || arb_rel_accuracy_bits(sum[i]) < ENOUGH;
    }
    for (int i = 0; i < ORDERS; i++) {
        arb_clear(factor[i]);
        arb_clear(value[i]);
    }
    arb_clear(s);
    arb_clear(x);
}

/* Halve the step until nothing changes; false if the precision does not suffice. The result counts both
 * halves of the even integrand. */
static bool quadrature(arb_t out[ORDERS], const problem *p, double r, slong bits)
{
    /* The integrand falls like exp(−(s² − r²)/2t), s² − r² ≈ 2w² r/sinh r. */
    double lambda = p->sphere ? 1 : sqrt(p->time * (r > 1 ? exp(r) / r : 1));
    arb_t sum[ORDERS], change;
    arb_init(change);
    for (int i = 0; i < ORDERS; i++)
        arb_init(sum[i]);
    add_nodes(sum, p, lambda, 0, 0, 1, bits);
    bool done = false, hopeless = false;
    for (slong level = 1; level < 20 && !done && !hopeless; level++) {
        for (int i = 0; i < ORDERS; i++)
            arb_set(out[i], sum[i]);
        add_nodes(sum, p, lambda, level, 1, 2, bits);
        done = true;
        for (int i = 0; i < ORDERS; i++) {
            hopeless = hopeless || arb_rel_accuracy_bits(sum[i]) < ENOUGH;
            arb_mul_2exp_si(change, out[i], 1);
            arb_sub(change, sum[i], change, bits);
            done = done && is_negligible(change, sum[i], 70);
            arb_mul_2exp_si(out[i], sum[i], 1 - level);
            if (p->sphere) {
                arb_const_pi(change, bits);
                arb_mul_2exp_si(change, change, -1);
                arb_mul(out[i], out[i], change, bits);
            }
        }
    }
    arb_clear(change);
    for (int i = 0; i < ORDERS; i++)
        arb_clear(sum[i]);
    return done && !hopeless;
}

/* log of the factor in front of A_j. */
static void log_constant(arb_t out, const problem *p, slong bits)
{
    double alpha = ((double)p->m - 1) / 2;
    slong j = (slong)(p->m - 1) / 2;
    arb_t x;
    arb_init(x);
    arb_set_d(x, (p->sphere ? 1 : -1) * alpha * alpha / 2);
    arb_mul(out, x, p->t, bits);
    arb_const_pi(x, bits);
    arb_mul_2exp_si(x, x, 1);
    arb_log(x, x, bits);
    arb_submul_si(out, x, j, bits);
    arb_const_pi(x, bits);
    arb_mul(x, x, p->t, bits);
    arb_mul_2exp_si(x, x, 1);
    arb_log(x, x, bits);
    arb_mul_2exp_si(x, x, -1);
    arb_submul_si(out, x, p->m % 2 == 0 ? 3 : 1, bits);
    if (p->m % 2 == 0) {
        /* 2 ∫_0^(π/2) on the sphere, 2√2 ∫_0^∞ on Hᵐ; the integrals already count both halves */
        arb_const_log2(x, bits);
        arb_mul_2exp_si(x, x, -1);
        if (!p->sphere)
            arb_add(out, out, x, bits);
    }
    arb_clear(x);
}

static bool try_jet(arb_t jet[JET], const problem *p, double r, slong bits)
{
    arb_t a[ORDERS], s, c, x;
    for (int i = 0; i < ORDERS; i++)
        arb_init(a[i]);
    arb_init(s);
    arb_init(c);
    arb_init(x);
    bool good = true;
    if (p->m % 2 == 0)
        good = quadrature(a, p, r, bits);
    else
        climb(a, p, p->r, p->pole, bits);
    if (good) {
        log_constant(x, p, bits);
        arb_exp(x, x, bits);
        for (int i = 0; i < ORDERS; i++)
            arb_mul(a[i], a[i], x, bits);
        if (p->sphere)
            arb_sin_cos(s, c, p->r, bits);
        else
            arb_sinh_cosh(s, c, p->r, bits);
        if (p->pole)
            arb_zero(s);
        arb_set(jet[VALUE], a[0]);
        arb_neg(jet[OVER], a[1]);
        arb_mul(jet[SLOPE], jet[OVER], s, bits);
        arb_mul(jet[SECOND], s, s, bits);
        arb_mul(jet[SECOND], jet[SECOND], a[2], bits);
        arb_mul(x, c, a[1], bits);
        arb_set(jet[TIME], jet[SECOND]);
        arb_submul_ui(jet[TIME], x, p->m, bits);
        arb_mul_2exp_si(jet[TIME], jet[TIME], -1);
        arb_sub(jet[SECOND], jet[SECOND], x, bits);
        good = jet_is_accurate(jet);
    }
    for (int i = 0; i < ORDERS; i++)
        arb_clear(a[i]);
    arb_clear(s);
    arb_clear(c);
    arb_clear(x);
    return good;
}

/* Raise the precision until the balls are small enough. */
static oracle_row solve(problem *p, double r, double eps)
{
    arb_t jet[JET];
    jet_init(jet);
    bool good = false;
    for (slong bits = 256; !good && bits <= MAX_BITS; bits *= 2) {
        if (p->sphere)
            set_distance(p->r, r, eps, bits);
        else
            arb_set_d(p->r, r);
        good = try_jet(jet, p, r, bits);
    }
    if (!good)
        abort(); /* the oracle has no answer: the test must not go on */
    oracle_row row = jet_row(jet);
    jet_clear(jet);
    return row;
}

oracle_row oracle_sphere(size_t m, double r, double eps, double t)
{
    problem p = {.m = m, .sphere = true, .time = t, .pole = r <= 0 || eps <= 0};
    arb_init(p.r);
    arb_init(p.t);
    arb_set_d(p.t, t);
    oracle_row row = solve(&p, r, eps);
    arb_clear(p.r);
    arb_clear(p.t);
    return row;
}

oracle_row oracle_hyperbolic(size_t m, double r, double t)
{
    problem p = {.m = m, .sphere = false, .time = t, .pole = r <= 0};
    arb_init(p.r);
    arb_init(p.t);
    arb_set_d(p.t, t);
    oracle_row row = solve(&p, r, 0);
    arb_clear(p.r);
    arb_clear(p.t);
    return row;
}

/* SO(3) = S³ of radius 2 modulo ±1: p = (q(r/2) + q(π − r/2))/8 with q the kernel of S³ at time t/4. */
oracle_row oracle_so3(double r, double eps, double t)
{
    arb_t near[JET], far[JET];
    problem p = {.m = 3, .sphere = true, .time = t / 4};
    jet_init(near);
    jet_init(far);
    arb_init(p.r);
    arb_init(p.t);
    arb_set_d(p.t, t / 4);
    bool good = false;
    for (slong bits = 512; !good && bits <= MAX_BITS; bits *= 2) {
        arb_t pi;
        arb_init(pi);
        arb_const_pi(pi, bits);
        set_distance(p.r, r, eps, bits);
        arb_mul_2exp_si(p.r, p.r, -1);
        p.pole = r <= 0;
        good = try_jet(near, &p, r, bits);
        arb_sub(p.r, pi, p.r, bits);
        good = good && try_jet(far, &p, r, bits);
        arb_clear(pi);
        /* ∂_r = ½ ∂_φ for the near one, −½ ∂_φ for the far one, ∂_t = ¼ ∂; sin_k(r) = 2 sin φ */
        static const int sign[JET] = {1, -1, -1, 1, 1};
        static const slong power[JET] = {-3, -4, -5, -5, -5};
        for (int i = 0; i < JET; i++) {
            if (sign[i] > 0)
                arb_add(near[i], near[i], far[i], bits);
            else
                arb_sub(near[i], near[i], far[i], bits);
            arb_mul_2exp_si(near[i], near[i], power[i]);
        }
        if (eps <= 0)
            arb_zero(near[SLOPE]), arb_zero(near[OVER]);
        good = good && jet_is_accurate(near);
    }
    if (!good)
        abort();
    oracle_row row = jet_row(near);
    jet_clear(near);
    jet_clear(far);
    arb_clear(p.r);
    arb_clear(p.t);
    return row;
}
