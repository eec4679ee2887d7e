/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

#include "support/manifolds.h"

#include <manistat/points.h>

/* Forms go by what the rows are: a manifold of somebody else has them too, and its factors. */
START_TEST(other_manifolds_have_the_forms)
{
    mst_points_options degrees = mst_points_options_default(), latlon = degrees;
    degrees.degrees = true;
    latlon.latlon = true;
    mst_manifold *m, *line, *pair;
    double x[9], text[9];
    ASSERT_OK(scaled_new(&m, "so3", 2));
    ASSERT_OK(mst_points_decode(m, 4, (double[]){0, 0, 0, 1}, NULL, x));
    ck_assert(x[0] == -1 && x[4] == -1 && x[8] == 1);
    mst_manifold_free(m);
    ASSERT_OK(scaled_new(&m, "spd:2", 2));
    ASSERT_OK(mst_points_decode(m, 3, (double[]){2, 1, 3}, NULL, x));
    ck_assert(x[0] == 2 && x[1] == 1 && x[2] == 1 && x[3] == 3);
    mst_manifold_free(m);
    ASSERT_OK(scaled_new(&m, "sphere:2", 2));
    ASSERT_OK(mst_points_decode(m, 2, (double[]){90, 0}, &latlon, x));
    ck_assert(x[0] == 0 && x[1] == 0 && x[2] == 1);
    mst_manifold_free(m);
    ASSERT_OK(scaled_new(&m, "circle", 2));
    ASSERT_OK(mst_euclidean_new(&line, 1));
    ASSERT_OK(mst_product_new(&pair, 2, (mst_manifold *[]){line, m}));
    ASSERT_OK(mst_points_decode(pair, 2, (double[]){7, 450}, &degrees, x));
    ck_assert(x[0] == 7 && fabs(x[1] - M_PI / 2) < 1e-15);
    ASSERT_OK(mst_points_encode(pair, 1, x, &degrees, text));
    ck_assert(text[0] == 7 && fabs(text[1] - 90) < 1e-12);
    mst_manifold_free(pair);
}
END_TEST

int main(void)
{
    return RUN_SUITE("row kinds", 30, {other_manifolds_have_the_forms, 0});
}
