/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Brownian motion on manifolds given by their metrics: cosh r and cos r are eigenfunctions of ½Δ, so their
 * means are e^t and e^−t, and the direction is uniform. Five standard errors each: a
 * false alarm in 1.7 million. */
#include "support/metric_manifolds.h"
#include "support/statistics.h"

#include <manistat/brownian.h>
#include <stdlib.h>
#include <string.h>

START_TEST(end_points_have_the_exact_moments)
{
    enum { N = 6000, WIDE = 3 };
    const metric_twin *twin = &metric_twins[_i];
    mst_manifold *m, *closed;
    ASSERT_OK(twin->make(&m));
    ASSERT_OK(mst_manifold_parse(&closed, twin->spec));
    size_t D = mst_manifold_ambient(m);
    /* A point off the start, on the sphere near the border of its chart. */
    const double from[METRIC_TWINS][WIDE] = {{0.5, 2}, {1.2, 1.3, 1}};
    static const mst_brownian_method methods[] = {MST_BROWNIAN_TANGENT, MST_BROWNIAN_CHART,
                                                  MST_BROWNIAN_EXACT};
    double *x = doubles(N * D), *ends = doubles(N * WIDE), start[WIDE], v[WIDE], c[2], t = 0.4;
    twin->there(1, from[_i], start);
    for (size_t k = 0; k < 3; k++) {
        mst_brownian_options o = mst_brownian_options_default();
        o.method = methods[k];
        o.steps = k == 1 ? 80 : 8;
        for (size_t i = 0; i < N; i++)
            memcpy(x + i * D, from[_i], D * sizeof *x);
        ASSERT_OK(mst_brownian_endpoints(m, N, x, t, &o, x));
        twin->there(N, x, ends);
        moments level = {0}, side[2] = {0};
        for (size_t i = 0; i < N; i++) {
            double r;
            ASSERT_OK(mst_manifold_dist(closed, 1, start, ends + i * WIDE, &r));
            ASSERT_OK(mst_manifold_log(closed, 1, start, ends + i * WIDE, v, NULL));
            ASSERT_OK(mst_manifold_to_frame(closed, 1, start, v, c));
            moments_add(&level, _i == HALF_PLANE ? cosh(r) : cos(r));
            for (size_t a = 0; a < 2; a++)
                moments_add(&side[a], c[a]);
        }
        /* Euler steps of 1/200 are off by a few thousandths. */
        double bias = k == 1 ? 0.005 : 2e-4;
        assert_mean(&level, exp(_i == HALF_PLANE ? t : -t), bias, "%s, method %zu", twin->spec, k);
        for (size_t a = 0; a < 2; a++)
            assert_mean(&side[a], 0, bias, "%s, method %zu: side %zu", twin->spec, k, a);
    }
    free(x), free(ends);
    mst_manifold_free(m);
    mst_manifold_free(closed);
}
END_TEST

int main(void)
{
    return RUN_SUITE("brownian motion of metrics", 60,
                     {end_points_have_the_exact_moments, METRIC_TWINS});
}
