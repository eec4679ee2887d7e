/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Semi-axes of regions. */
#include "support/support.h"

#include <manistat.h>
#include <math.h>

static mst_mean_result *fit(const mst_manifold *m, size_t n, const double *x, double time)
{
    mst_score *source;
    mst_mean_result *r;
    mst_mean_options o = mst_mean_options_default();
    o.time = time;
    ASSERT_OK(mst_score_exact_new(&source, m));
    ASSERT_OK(mst_mean_fit(&r, source, n, x, &o));
    mst_score_free(source);
    return r;
}

/* With a fixed time t the covariance is t/n I in flat space, and the 95 % quantile of χ² with 2 degrees of
 * freedom is −2 log 0.05. */
START_TEST(circles_in_the_plane)
{
    mst_manifold *m;
    const double x[] = {1, 2, 3, 4, 5, 9};
    double axes[2];
    ASSERT_OK(mst_euclidean_new(&m, 2));
    mst_mean_result *r = fit(m, 3, x, 6);
    ASSERT_OK(mst_mean_region_axes(r, m, 0, axes));
    double radius = sqrt(6.0 / 3 * -2 * log(0.05));
    ck_assert_double_eq_tol(axes[0], radius, 1e-9);
    ck_assert_double_eq_tol(axes[1], radius, 1e-9);
    ck_assert_int_eq(mst_mean_region_axes(r, m, 1, axes), MST_ARGUMENT);
    /* Any covariance: (5 3; 3 5) has the eigenvalues 8 and 2. */
    r->covariance[0] = r->covariance[3] = 5;
    r->covariance[1] = r->covariance[2] = 3;
    ASSERT_OK(mst_mean_region_axes(r, m, 0, axes));
    ck_assert_double_eq_tol(axes[0], sqrt(8 * r->region_radius2), 1e-12);
    ck_assert_double_eq_tol(axes[1], sqrt(2 * r->region_radius2), 1e-12);
    /* A diagonal one, the longest last. */
    r->covariance[0] = 2;
    r->covariance[1] = r->covariance[2] = 0;
    ASSERT_OK(mst_mean_region_axes(r, m, 0, axes));
    ck_assert_double_eq_tol(axes[0], sqrt(5 * r->region_radius2), 1e-12);
    ck_assert_double_eq_tol(axes[1], sqrt(2 * r->region_radius2), 1e-12);
    r->region_kind = MST_REGION_WHOLE;
    ck_assert_int_eq(mst_mean_region_axes(r, m, 0, axes), MST_UNABLE);
    mst_mean_result_free(r);
    mst_manifold_free(m);
}
END_TEST

/* The basis of a product is that of its factors, one after the other. */
START_TEST(shadows_in_the_factors)
{
    mst_manifold *m;
    const double x[] = {1, 2, 0.1, 3, 4, 0.2, 5, 9, 0.5};
    double axes[2];
    ASSERT_OK(mst_manifold_parse(&m, "product(euclidean:2,circle)"));
    mst_mean_result *r = fit(m, 3, x, 0.3);
    const double c[] = {5, 3, 1, 3, 5, 1, 1, 1, 7};
    for (size_t i = 0; i < 9; i++)
        r->covariance[i] = c[i];
    ck_assert(r->basis[2] == 0 && r->basis[5] == 0 && r->basis[6] == 0 && r->basis[7] == 0);
    ASSERT_OK(mst_mean_region_axes(r, m, 0, axes));
    ck_assert_double_eq_tol(axes[0], sqrt(8 * r->region_radius2), 1e-12);
    ck_assert_double_eq_tol(axes[1], sqrt(2 * r->region_radius2), 1e-12);
    ASSERT_OK(mst_mean_region_axes(r, m, 1, axes));
    ck_assert_double_eq_tol(axes[0], sqrt(7 * r->region_radius2), 1e-12);
    mst_mean_result_free(r);
    mst_manifold_free(m);
}
END_TEST

int main(void)
{
    return RUN_SUITE("semi-axes", 30, {circles_in_the_plane, 0}, {shadows_in_the_factors, 0});
}
