/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

#include "support/arb_jet.h"

#include <math.h>
#include <stdlib.h>

/* From the sum in VALUE, those of its terms times −λ in TIME and the sum of the slopes in OVER: all
 * derivatives of the kernel. `spare` is three numbers. */
static void finish_jet(arb_t *jet, size_t m, const arb_t distance, const arb_t cosine, bool at_end,
                       arb_t *spare, slong bits)
{
    arb_mul_2exp_si(jet[TIME], jet[TIME], -1);
    arb_div_ui(jet[OVER], jet[OVER], m, bits);
    arb_sin(spare[0], distance, bits);
    if (at_end)
        arb_zero(spare[0]);
    arb_mul(jet[SLOPE], jet[OVER], spare[0], bits);
    /* ∂²_r p = 2∂_t p − (m−1) cos r · (∂_r p/sin r) */
    arb_mul(spare[0], cosine, jet[OVER], bits);
    arb_mul_2exp_si(jet[SECOND], jet[TIME], 1);
    arb_submul_ui(jet[SECOND], spare[0], m - 1, bits);
    /* divide by the volume 2π^a/Γ(a) */
    arb_set_ui(spare[1], m + 1);
    arb_mul_2exp_si(spare[1], spare[1], -1);
    arb_gamma(spare[0], spare[1], bits);
    arb_const_pi(spare[2], bits);
    arb_pow(spare[2], spare[2], spare[1], bits);
    arb_mul_2exp_si(spare[2], spare[2], 1);
    arb_div(spare[0], spare[0], spare[2], bits);
    for (int i = 0; i < JET; i++)
        arb_mul(jet[i], jet[i], spare[0], bits);
    if (!jet_is_accurate(jet))
        abort();
}

/* Σ_l d_l e^(−λ_l t/2) P_l(cos r) with the recursion of the Gegenbauer polynomials, and of those of m + 2
 * for the slope. The sum is smaller than its terms by e^(r²/2t), which the precision makes up for. */
oracle_row oracle_sphere_series(size_t m, double r, double eps, double t)
{
    slong bits = 300 + (slong)(1.5 * M_PI * M_PI / 2 / t) + 4 * (slong)m;
    arb_t jet[JET], distance, x, q[4], degree, spare[3], *y = spare, *w = spare + 1,
                                                         *one = spare + 2;
    jet_init(jet);
    arb_init(distance);
    arb_init(x);
    for (int i = 0; i < 4; i++)
        arb_init(q[i]);
    for (int i = 0; i < 3; i++)
        arb_init(spare[i]);
    set_distance(distance, r, eps, bits);
    arb_cos(x, distance, bits);
    arb_one(q[0]);    /* P_0 */
    arb_set(q[1], x); /* P_1 */
    arb_zero(q[2]);   /* Q_0 */
    arb_one(q[3]);    /* Q_1 */
    arb_one(jet[VALUE]);
    arb_init(degree);
    arb_set_ui(degree, m + 1);
    for (slong l = 1;; l++) {
        slong mm = (slong)m, lambda = l * (l + mm - 1);
        arb_set_d(*w, t);
        arb_mul_si(*w, *w, -lambda, bits);
        arb_mul_2exp_si(*w, *w, -1);
        arb_exp(*w, *w, bits);
        arb_mul(*w, *w, degree, bits);
        arb_mul(*y, *w, q[1], bits);
        arb_add(jet[VALUE], jet[VALUE], *y, bits);
        arb_mul_si(*y, *y, lambda, bits);
        arb_sub(jet[TIME], jet[TIME], *y, bits);
        arb_mul_si(*y, *w, lambda, bits);
        arb_mul(*y, *y, q[3], bits);
        arb_sub(jet[OVER], jet[OVER], *y, bits);
        arb_one(*one);
        if (l > 4 && is_negligible(*w, *one, bits - 60))
            break;
        arb_mul_si(degree, degree, (2 * l + mm + 1) * (l + mm - 1), bits);
        arb_div_si(degree, degree, (2 * l + mm - 1) * (l + 1), bits);
        arb_mul(*y, x, q[1], bits);
        arb_mul_si(*y, *y, 2 * l + mm - 1, bits);
        arb_submul_si(*y, q[0], l, bits);
        arb_div_si(*y, *y, l + mm - 1, bits);
        arb_swap(q[0], q[1]);
        arb_swap(q[1], *y);
        arb_mul(*y, x, q[3], bits);
        arb_mul_si(*y, *y, 2 * l + mm - 1, bits);
        arb_submul_si(*y, q[2], l - 1, bits);
        arb_div_si(*y, *y, l + mm, bits);
        arb_swap(q[2], q[3]);
        arb_swap(q[3], *y);
    }
    finish_jet(jet, m, distance, x, r <= 0 || eps <= 0, spare, bits);
    oracle_row row = jet_row(jet);
    jet_clear(jet);
    arb_clear(distance);
    arb_clear(x);
    arb_clear(degree);
    for (int i = 0; i < 4; i++)
        arb_clear(q[i]);
    for (int i = 0; i < 3; i++)
        arb_clear(spare[i]);
    return row;
}
