/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* The rotation nearest to a matrix does not depend on the matrix's size, whichever way it is found: near
 * rotations by a series, others by an eigenvector. */
#include "support/support.h"

#include <manistat/manifold.h>
#include <math.h>

enum { D = 9 };

static double orthogonality(const double *r)
{
    double worst = 0;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            double sum = i == j ? -1 : 0;
            for (int k = 0; k < 3; k++)
                sum += r[3 * k + i] * r[3 * k + j];
            worst = fmax(worst, fabs(sum));
        }
    return worst;
}

START_TEST(near_rotations_have_the_projection_of_their_multiples)
{
    static const double off[] = {0, 1e-15, 1e-12, 1e-9, 1e-7, 2e-6, 4e-6, 1e-4};
    mst_manifold *m;
    dice die = {3};
    ASSERT_OK(mst_manifold_parse(&m, "so3"));
    for (uint64_t k = 0; k < 200; k++)
        for (size_t e = 0; e < sizeof off / sizeof *off; e++) {
            double r[D], near[D], twice[D], got[D], want[D];
            ASSERT_OK(mst_manifold_random_point(m, (mst_random){1, 0}, k, 1, r));
            for (int a = 0; a < D; a++) {
                near[a] = r[a] + off[e] * dice_uniform(&die, -1, 1);
                twice[a] = 2 * near[a];
            }
            ASSERT_OK(mst_manifold_project(m, 1, near, got));
            ASSERT_OK(mst_manifold_project(m, 1, twice, want));
            for (int a = 0; a < D; a++)
                ck_assert_msg(fabs(got[a] - want[a]) < 3e-15, "%g off: %.17g, not %.17g", off[e],
                              got[a], want[a]);
            ck_assert_double_lt(orthogonality(got), 1e-14);
        }
    mst_manifold_free(m);
}
END_TEST

/* A reflection is not near any rotation, however orthogonal it is. */
START_TEST(reflections_are_not_taken_for_rotations)
{
    mst_manifold *m;
    double mirror[D] = {1, 0, 0, 0, 0.6, 0.8, 0, 0.8, -0.6}, out[D];
    ASSERT_OK(mst_manifold_parse(&m, "so3"));
    mst_status status = mst_manifold_project(m, 1, mirror, out);
    if (status == MST_OK)
        ck_assert_double_lt(orthogonality(out), 1e-12);
    double det = status != MST_OK ? 1
                                  : out[0] * (out[4] * out[8] - out[5] * out[7]) -
                                        out[1] * (out[3] * out[8] - out[5] * out[6]) +
                                        out[2] * (out[3] * out[7] - out[4] * out[6]);
    ck_assert_double_gt(det, 0.9);
    mst_manifold_free(m);
}
END_TEST

int main(void)
{
    return RUN_SUITE("so3", 0, {near_rotations_have_the_projection_of_their_multiples, 0},
                     {reflections_are_not_taken_for_rotations, 0});
}
