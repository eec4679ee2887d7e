/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

#include "base/rotation.h"
#include "support/support.h"

#include <float.h>
#include <math.h>
#include <string.h>

static double determinant(size_t n, const double *r)
{
    return n == 2 ? r[0] * r[3] - r[1] * r[2]
                  : r[0] * (r[4] * r[8] - r[5] * r[7]) - r[1] * (r[3] * r[8] - r[5] * r[6]) +
                        r[2] * (r[3] * r[7] - r[4] * r[6]);
}

static double trace_of(size_t n, const double *r, const double *g)
{
    return dot(n * n, r, g);
}

/* Orthogonal, of the right determinant, and no rotation nearby is better; nor is any of many random ones. */
START_TEST(best_rotation)
{
    dice d = {81};
    for (size_t round = 0; round < 400; round++) {
        size_t n = 2 + round % 2;
        bool reflect = round / 2 % 2;
        double g[9], r[9], trace, gap, other[9];
        for (size_t k = 0; k < n * n; k++)
            g[k] = dice_normal(&d) * (round % 5 == 0 ? 1e-150 : 1);
        if (round % 7 == 0) /* rank one */
            for (size_t k = 0; k < n * n; k++)
                g[k] = g[k % n];
        ASSERT_OK(mst_fit_rotation(1, n, g, reflect, r, &trace, &gap));
        double size = euclidean_norm(n * n, g);
        for (size_t i = 0; i < n; i++)
            for (size_t j = 0; j < n; j++)
                assert_near(dot(n, r + i * n, r + j * n), i == j, 32 * DBL_EPSILON, "orthogonal");
        assert_near(trace_of(n, r, g), trace, 64 * DBL_EPSILON * size, "trace");
        ck_assert_double_ge(gap, -64 * DBL_EPSILON * size);
        if (!reflect)
            assert_near(determinant(n, r), 1, 64 * DBL_EPSILON, "a rotation");
        for (size_t trial = 0; trial < 20; trial++) {
            double angle = trial < 10 ? 0.01 * dice_normal(&d) : dice_uniform(&d, -3, 3);
            size_t axis = dice_below(&d, n - 1);
            memcpy(other, r, sizeof other);
            for (size_t i = 0; i < n; i++) {
                double u = r[i * n + axis], v = r[i * n + axis + 1];
                other[i * n + axis] = cos(angle) * u - sin(angle) * v;
                other[i * n + axis + 1] = sin(angle) * u + cos(angle) * v;
            }
            ck_assert_double_le(trace_of(n, other, g), trace + 64 * DBL_EPSILON * size);
        }
    }
}
END_TEST

START_TEST(mirror_images)
{
    double r[9], trace, gap;
    ASSERT_OK(mst_fit_rotation(1, 2, (double[]){2, 0, 0, -1}, true, r, &trace, &gap));
    ck_assert_double_eq(trace, 3);
    ck_assert_double_eq(determinant(2, r), -1);
    ASSERT_OK(
        mst_fit_rotation(1, 3, (double[]){3, 0, 0, 0, 2, 0, 0, 0, -1}, false, r, &trace, &gap));
    assert_near(trace, 4, 1e-14, "the smallest one has the sign");
    assert_near(gap, 1, 1e-14, "gap");
    ASSERT_OK(
        mst_fit_rotation(1, 3, (double[]){3, 0, 0, 0, 2, 0, 0, 0, -2}, false, r, &trace, &gap));
    assert_near(gap, 0, 1e-14, "not the only one");
    ck_assert_int_eq(mst_fit_rotation(1, 2, (double[]){NAN, 0, 0, 1}, false, r, &trace, &gap),
                     MST_DOMAIN);
}
END_TEST

int main(void)
{
    TCase *c = tcase_create("all");
    tcase_add_test(c, best_rotation);
    tcase_add_test(c, mirror_images);
    return run_case("rotation", c);
}
