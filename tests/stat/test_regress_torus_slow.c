/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Regressions on a torus that a formula file describes cover and test as they say, see regress_coverage.h: by
 * least squares and by the expansion. */
#include "stat/regress_coverage.h"

#define TORUS MST_TEST_DATA "/../../examples/manifolds/torus.manifold"

/* A fit by the expansion takes about two seconds. */
static const coverage_case cases[] = {
    {TORUS, 0.01, 0.5, "log", 2000, 0.015},
    {TORUS, 0.01, 0.5, "expansion", 200, 0.046},
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
    return RUN_SUITE("regression coverage on a torus", 1750,
                     {regions_cover_and_tests_keep_their_size, CASES});
}
