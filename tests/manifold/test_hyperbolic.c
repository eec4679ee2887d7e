/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Far out on the hyperboloid, where its products lose x₀²·ε: the geometry loses x₀·ε, and
 * says where that is too much. */
#include "support/support.h"

#include <check.h>
#include <float.h>
#include <manistat.h>
#include <math.h>

/* At radius r in the direction of the angle, in the plane of the first two axes. */
static void place(double r, double angle, double *x)
{
    x[0] = cosh(r);
    x[1] = sinh(r) * cos(angle);
    x[2] = sinh(r) * sin(angle);
    x[3] = 0;
}

START_TEST(neighbours_far_out)
{
    mst_manifold *m;
    ASSERT_OK(mst_hyperbolic_new(&m, 3));
    for (double r = 1; r < 20; r += 1.5) {
        double x[4], y[4], v[4], back[4], got, length;
        double error = 32 * DBL_EPSILON * cosh(r), angle = 1 / sinh(r);
        /* along a ray */
        place(r, 0.7, x);
        place(r + 0.8, 0.7, y);
        ASSERT_OK(mst_manifold_dist(m, 1, x, y, &got));
        assert_near(got, 0.8, error, "radius %g, along the ray", r);
        /* across: sinh(d/2) = sinh r sin(angle/2) */
        place(r, 0.7 + angle, y);
        ASSERT_OK(mst_manifold_dist(m, 1, x, y, &got));
        double want = 2 * asinh(sinh(r) * sin(angle / 2));
        assert_near(got, want, error, "radius %g, across", r);
        ASSERT_OK(mst_manifold_log(m, 1, x, y, v, NULL));
        ASSERT_OK(mst_manifold_inner(m, 1, x, v, v, &length));
        assert_near(sqrt(length), want, error, "radius %g, length of the logarithm", r);
        ASSERT_OK(mst_manifold_exp(m, 1, x, v, back));
        ASSERT_OK(mst_manifold_dist(m, 1, back, y, &got));
        assert_near(got, 0, 2 * error, "radius %g, there and back", r);
        /* from the other side, where nothing cancels */
        place(r, 0.7 + M_PI, y);
        ASSERT_OK(mst_manifold_dist(m, 1, x, y, &got));
        assert_near(got, 2 * r, 16 * DBL_EPSILON * (1 + r), "radius %g, opposite", r);
    }
    mst_manifold_free(m);
}
END_TEST

START_TEST(too_far_out)
{
    mst_manifold *m;
    size_t row;
    double x[8] = {1, 0, 0, 0, 1e16, 1e16, 0, 0}, y[8];
    ASSERT_OK(mst_hyperbolic_new(&m, 3));
    ASSERT_FAILS(MST_DOMAIN, mst_manifold_validate(m, 2, x, &row));
    ck_assert_uint_eq(row, 1);
    ASSERT_FAILS(MST_DOMAIN, mst_manifold_project(m, 2, x, y));
    x[4] = x[5] = 1e9;
    ASSERT_OK(mst_manifold_project(m, 2, x, y));
    ASSERT_OK(mst_manifold_validate(m, 2, y, &row));
    mst_manifold_free(m);
}
END_TEST

int main(void)
{
    return RUN_SUITE("hyperbolic", 60, {neighbours_far_out, 0}, {too_far_out, 0});
}
