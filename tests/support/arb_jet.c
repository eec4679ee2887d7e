/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

#include "support/arb_jet.h"

bool is_negligible(const arb_t x, const arb_t y, slong bits)
{
    arb_t z;
    mag_t small, large;
    arb_init(z);
    mag_init(small);
    mag_init(large);
    arb_mul_2exp_si(z, x, bits);
    arb_get_mag(small, z);
    arb_get_mag_lower(large, y);
    bool result = mag_cmp(small, large) < 0;
    mag_clear(small);
    mag_clear(large);
    arb_clear(z);
    return result;
}

void jet_init(arb_t jet[JET])
{
    for (int i = 0; i < JET; i++)
        arb_init(jet[i]);
}

void jet_clear(arb_t jet[JET])
{
    for (int i = 0; i < JET; i++)
        arb_clear(jet[i]);
}

bool jet_is_accurate(arb_t jet[JET])
{
    bool good = arb_is_finite(jet[VALUE]) && !arb_contains_zero(jet[VALUE]);
    for (int i = 0; good && i < JET; i++)
        good = arb_is_zero(jet[i]) || arb_rel_accuracy_bits(jet[i]) >= 67 ||
               is_negligible(jet[i], jet[VALUE], 200);
    return good;
}

static double ratio(const arb_t x, const arb_t y)
{
    arb_t z;
    arb_init(z);
    arb_div(z, x, y, 128);
    double result = arf_get_d(arb_midref(z), ARF_RND_NEAR);
    arb_clear(z);
    return result;
}

oracle_row jet_row(arb_t jet[JET])
{
    arb_t x, y;
    arb_init(x);
    arb_init(y);
    arb_log(x, jet[VALUE], 128);
    oracle_row row = {
        .logp = arf_get_d(arb_midref(x), ARF_RND_NEAR),
        .dr = ratio(jet[SLOPE], jet[VALUE]),
        .dr_over_sin = ratio(jet[OVER], jet[VALUE]),
        .dt = ratio(jet[TIME], jet[VALUE]),
    };
    /* p″/p − (p′/p)² */
    arb_mul(x, jet[SECOND], jet[VALUE], 512);
    arb_submul(x, jet[SLOPE], jet[SLOPE], 512);
    arb_mul(y, jet[VALUE], jet[VALUE], 512);
    row.drr = ratio(x, y);
    arb_clear(x);
    arb_clear(y);
    return row;
}

void set_distance(arb_t out, double r, double eps, slong bits)
{
    if (r < 1.6) {
        arb_set_d(out, r);
    } else {
        arb_t x;
        arb_init(x);
        arb_set_d(x, eps);
        arb_const_pi(out, bits);
        arb_sub(out, out, x, bits);
        arb_clear(x);
    }
}
