/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Regressions on a torus that a formula file describes cover and test as they say, see regress_coverage.h: by
 * least squares and by the expansion. */
#include "stat/regress_coverage.h"

#define TORUS MST_TEST_DATA "/../../examples/manifolds/torus.manifold"

/* A fit takes 0.5 s by least squares and 1.1 s by the expansion: 15 minutes of one core. MST_SETS=2000 is
 * a long run, which MST_FIRST_SET and MST_COVERAGE_CASE divide. The slack is three standard deviations. */
static const coverage_case cases[] = {
    {TORUS, 0.01, 0.5, "log", 1000, 0.021},
    {TORUS, 0.01, 0.5, "expansion", 400, 0.033},
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
