/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* The activations and their derivatives on every instruction set, against libm in double precision. */
#include "base/hot.h"
#include "net/activation_kernels.h"
#include "plain_mlp.h"
#include "support/support.h"

#include <stdlib.h>

enum { COLUMNS = 32, ROWS = 1000 };

static float bias[COLUMNS], z[ROWS * COLUMNS], value[ROWS * COLUMNS], slope[ROWS * COLUMNS],
    curve[ROWS * COLUMNS];

static const struct activation_kernels *kernels_of(int isa)
{
    mst_isa_choose(mst_isa_name((enum mst_isa)isa));
    return MST_PICK(activation_kernels);
}

/* An even grid over ±20, and both signs of magnitudes 1e-6 … 1e4. */
static void fill(void)
{
    size_t n = ROWS * COLUMNS;
    for (size_t i = 0; i < n / 2; i++)
        z[i] = (float)(-20 + 40 * (double)i / (double)(n / 2));
    for (size_t i = n / 2; i < n; i++)
        z[i] = (float)((i % 2 == 0 ? 1 : -1) *
                       pow(10, -6 + 10 * (double)(i - n / 2) / (double)(n / 2)));
}

/* Errors in units of 2^-24·(size of the result), or of the function's own size near 1 where a derivative
 * crosses zero. */
static void check(const char *what, size_t i, float got, double want, double floor, double ulps)
{
    double size = fmax(fabs(want), floor);
    assert_near((double)got, want, ulps * size * 0x1p-24, "%s at %.9g", what, (double)z[i]);
}

START_TEST(derivatives_are_exact_to_rounding)
{
    const struct activation_kernels *k = kernels_of(_i / 2);
    mlp_activation kind = _i % 2 == 0 ? MLP_SILU : MLP_TANH;
    fill();
    memcpy(value, z, sizeof z);
    k->forward_curved[kind](ROWS, COLUMNS, bias, value, slope, curve);
    for (size_t i = 0; i < ROWS * COLUMNS; i++) {
        double x = (double)z[i];
        /* Beyond −80 SiLU is taken to be that of −80, which is 1e-33. */
        check("value", i, value[i], plain_act(kind, x), 1e-25, 4);
        if (fabs(x) < 300) {
            check("slope", i, slope[i], plain_slope(kind, x), kind == MLP_TANH ? 1e-25 : 0.1, 8);
            check("curve", i, curve[i], plain_curve(kind, x), kind == MLP_TANH ? 1e-25 : 0.1, 8);
        }
        ck_assert(isfinite(slope[i]) && isfinite(curve[i]));
    }
}
END_TEST

START_TEST(plain_pass_is_the_curved_one)
{
    const struct activation_kernels *k = kernels_of(_i / 2);
    mlp_activation kind = _i % 2 == 0 ? MLP_SILU : MLP_TANH;
    static float again[ROWS * COLUMNS], slope_again[ROWS * COLUMNS];
    fill();
    for (int j = 0; j < COLUMNS; j++)
        bias[j] = (float)j / 8;
    memcpy(value, z, sizeof z);
    memcpy(again, z, sizeof z);
    k->forward_curved[kind](ROWS, COLUMNS, bias, value, slope, curve);
    k->forward[kind](ROWS, COLUMNS, bias, again, slope_again);
    for (size_t i = 0; i < ROWS * COLUMNS; i++) {
        ck_assert_float_eq(value[i], again[i]);
        ck_assert_float_eq(slope[i], slope_again[i]);
        double x = (double)(z[i] + bias[i % COLUMNS]);
        check("value with bias", i, value[i], plain_act(kind, x), 1e-25, 4);
    }
}
END_TEST

START_TEST(nan_stays)
{
    const struct activation_kernels *k = kernels_of(_i / 2);
    for (int j = 0; j < COLUMNS; j++)
        z[j] = j % 3 == 0 ? NAN : 1;
    k->forward[_i % 2](1, COLUMNS, bias, z, slope);
    for (int j = 0; j < COLUMNS; j++) {
        ck_assert_int_eq(isnan(z[j]) != 0, j % 3 == 0);
        ck_assert_int_eq(isnan(slope[j]) != 0, j % 3 == 0);
    }
}
END_TEST

int main(void)
{
    return RUN_SUITE("activation", 60, {derivatives_are_exact_to_rounding, 6},
                     {plain_pass_is_the_curved_one, 6}, {nan_stays, 6});
}
