/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Regressions cover and test as they say, see regress_coverage.h: with exact kernels. */
#include "stat/regress_coverage.h"

static const coverage_case cases[] = {
    {"sphere:2", 0.05, 0.5, "exact", 2000, 0.015},    {"sphere:3", 0.05, 0.5, "exact", 2000, 0.015},
    {"hyperbolic:2", 0.1, 0.7, "exact", 2000, 0.015}, {"spd:2", 0.1, 0.7, "exact", 2000, 0.015},
    {"so3", 0.05, 0.5, "exact", 2000, 0.015},
};
enum { CASES = sizeof cases / sizeof *cases };

START_TEST(regions_cover_and_tests_keep_their_size)
{
    if (is_simulated(_i))
        run_coverage(&cases[_i], (size_t)_i);
}
END_TEST

int main(void)
{
    return RUN_SUITE("regression coverage", 1750, {regions_cover_and_tests_keep_their_size, CASES});
}
