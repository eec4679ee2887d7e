/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Radial heat kernels against Arb where the oracle takes long: large even m at small t, hyperbolic m to 100,
 * and many random rows of all dimensions. */
#include "heat/radial_rows.h"

static const double times[] = {1e-6, 1e-5, 1e-4, 1e-3, 0.01, 0.02};
enum { TIMES = sizeof times / sizeof *times };

static const size_t sphere_dims[] = {20, 30, 50, 100};
START_TEST(sphere_large_even)
{
    for (size_t j = 0; j < TIMES; j++)
        for (size_t i = 0; i < GRID; i++)
            check_row(grid_row(SPHERE, sphere_dims[_i], i, times[j]));
}
END_TEST

static const size_t large_dims[] = {120, 150, 199, 200};
START_TEST(sphere_largest)
{
    static const double late[] = {0.021, 0.04, 0.1, 1, 10};
    dice d = {(uint64_t)_i};
    for (size_t j = 0; j < 5; j++) {
        for (size_t i = 0; i < GRID; i++)
            check_row(grid_row(SPHERE, large_dims[_i], i, late[j]));
        for (int n = 0; n < 50; n++)
            check_row(random_row(&d, SPHERE, large_dims[_i], late[j]));
    }
}
END_TEST

START_TEST(sphere_random)
{
    dice d = {100 + (uint64_t)_i};
    for (int n = 0; n < 2000; n++) {
        size_t m = 1 + dice_below(&d, (size_t)4 << dice_below(&d, 6));
        double t = exp(dice_uniform(&d, log(1e-6), log(100)));
        if (m % 2 == 0 && m > 30 && t < SERIES_ORACLE_FROM)
            m++;
        check_row(random_row(&d, SPHERE, m, t));
    }
}
END_TEST

/* A fine grid of distances for small m. */
START_TEST(sphere_fine)
{
    for (int n = 0; n <= 200; n++)
        for (size_t j = 0; j < TIMES; j++) {
            check_row(row_at(SPHERE, (size_t)_i + 1, M_PI * n / 200, times[j]));
            check_row(row_before_cut(SPHERE, (size_t)_i + 1, pow(10, -0.06 * n), times[j]));
        }
}
END_TEST

START_TEST(so3_random)
{
    dice d = {1};
    for (int n = 0; n < 50000; n++)
        check_row(random_row(&d, SO3, 3, exp(dice_uniform(&d, log(1e-6), log(100)))));
}
END_TEST

START_TEST(hyperbolic_random)
{
    dice d = {200 + (uint64_t)_i};
    for (int n = 0; n < 600; n++) {
        size_t m = 1 + dice_below(&d, n % 3 == 0 ? 50 : 8);
        check_row(random_row(&d, HYPERBOLIC, m, exp(dice_uniform(&d, log(1e-6), log(100)))));
    }
}
END_TEST

START_TEST(hyperbolic_to_100)
{
    static const size_t dims[] = {61, 75, 99, 100};
    dice d = {300};
    for (size_t k = 0; k < 4; k++)
        for (int n = 0; n < 60; n++)
            check_row(
                random_row(&d, HYPERBOLIC, dims[k], exp(dice_uniform(&d, log(1e-6), log(10)))));
}
END_TEST

int main(void)
{
    return RUN_SUITE(
        "radial, slow", 1500, {sphere_large_even, sizeof sphere_dims / sizeof *sphere_dims},
        {sphere_largest, sizeof large_dims / sizeof *large_dims}, {sphere_random, 4},
        {sphere_fine, 5}, {so3_random, 0}, {hyperbolic_random, 2}, {hyperbolic_to_100, 0});
}
