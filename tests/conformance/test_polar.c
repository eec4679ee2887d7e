/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Polar coordinates agree with the logarithm, and know more near the cut locus. */
#include "manifold/internal.h"
#include "support/manifolds.h"

#include <stdlib.h>

static double sine(double curvature, double r)
{
    double root = sqrt(fabs(curvature));
    return curvature > 0 ? sin(root * r) / root : curvature < 0 ? sinh(root * r) / root : r;
}

START_TEST(polar_coordinates_are_those_of_log)
{
    subject s = subject_open((size_t)_i);
    double curvature = mst_round_curvature(s.m), r, rest, length;
    double *x = scratch(&s, s.D), *y = scratch(&s, s.D), *v = scratch(&s, s.D),
           *u = scratch(&s, s.D);
    dice die = {991};
    mst_manifold_start(s.m, x);
    if (isnan(curvature)) {
        ASSERT_FAILS(MST_UNABLE, mst_manifold_polar(s.m, 1, x, x, v, &r, &rest));
        subject_close(&s);
        return;
    }
    for (size_t k = 0; k < 3 * POINT_KINDS; k++) {
        double wanted = k % 3 == 0 ? 1e-7 : k % 3 == 1 ? 0.3 : 0.9 * fmin(s.injectivity, 3);
        if (s.entry->reach > 0)
            wanted = fmin(wanted, s.entry->reach);
        corner_point(&s, &die, k / 3, x);
        tangent_of_length(&s, &die, x, wanted, u);
        ASSERT_OK(mst_manifold_exp(s.m, 1, x, u, y));
        ASSERT_OK(mst_manifold_log(s.m, 1, x, y, u, NULL));
        ASSERT_OK(mst_manifold_norm(s.m, 1, x, u, &length));
        ASSERT_OK(mst_manifold_polar(s.m, 1, x, y, v, &r, &rest));
        double tolerance = rounding(&s, x, y, length) + s.entry->log_error;
        assert_near(r, length, tolerance, "%s: distance", s.entry->spec);
        if (isfinite(mst_manifold_injectivity(s.m)))
            assert_near(rest, mst_manifold_injectivity(s.m) - length, tolerance, "%s: rest",
                        s.entry->spec);
        for (size_t a = 0; a < s.D; a++)
            u[a] *= length > 0 ? sine(curvature, length) / length : 1;
        assert_near(vector_gap(&s, x, u, v), 0, 4 * tolerance * cosh(length), "%s: vector",
                    s.entry->spec);
    }
    subject_close(&s);
}
END_TEST

/* A step of 1e-12 from the antipode: `rest` has its digits, π − r has four of them. */
START_TEST(the_way_to_the_cut_locus_has_its_digits)
{
    static const char *const specs[] = {"sphere:1", "sphere:2", "sphere:7", "so3"};
    mst_manifold *m;
    ASSERT_OK(mst_manifold_parse(&m, specs[_i]));
    size_t D = mst_manifold_ambient(m), d = mst_manifold_dim(m);
    double *x = doubles(D), *y = doubles(D), *v = doubles(D), *c = doubles(d), r, rest;
    const double near = 1e-12;
    mst_manifold_start(m, x);
    ck_assert(exact_cut_point(m, x, y));
    for (size_t k = 0; k < d; k++)
        c[k] = 0;
    c[d - 1] = near; /* on so3 along the axis of the half-turn, on spheres all ways lead back */
    ASSERT_OK(mst_manifold_from_frame(m, 1, y, c, v));
    ASSERT_OK(mst_manifold_exp(m, 1, y, v, y));
    ASSERT_OK(mst_manifold_polar(m, 1, x, y, v, &r, &rest));
    assert_near(rest, near, 1e-3 * near, "%s", specs[_i]);
    free(x), free(y), free(v), free(c);
    mst_manifold_free(m);
}
END_TEST

int main(void)
{
    return RUN_SUITE("polar", 60, {polar_coordinates_are_those_of_log, manifold_case_count},
                     {the_way_to_the_cut_locus_has_its_digits, 4});
}
