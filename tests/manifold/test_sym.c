/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

#include "manifold/internal.h"
#include "manifold/symmetric.h"
#include "support/support.h"

#include <stdlib.h>
#include <string.h>

START_TEST(coordinates)
{
    size_t n = (size_t)_i + 1, d = symmetric_dim(n);
    dice dice_ = {51};
    double c[21] = {0}, back[21], s[36];
    ck_assert_uint_eq(symmetric_order(n * n), n);
    for (size_t k = 0; k < d; k++)
        c[k] = dice_normal(&dice_);
    symmetric_unpack(n, c, s);
    symmetric_pack(n, s, back);
    for (size_t k = 0; k < d; k++)
        assert_near(back[k], c[k], 2 * DBL_EPSILON * fabs(c[k]), "coordinate %zu", k);
    assert_near(euclidean_norm(n * n, s), euclidean_norm(d, c), 1e-14, "norm");
    for (size_t i = 0, next = 0; i < n; i++)
        for (size_t j = i; j < n; j++, next++) {
            ck_assert_uint_eq(symmetric_index(n, i, j), next);
            ck_assert_uint_eq(symmetric_index(n, j, i), next);
        }
}
END_TEST

START_TEST(flat_geometry)
{
    mst_manifold *m;
    ASSERT_OK(mst_sym_new(&m, 2));
    ck_assert_str_eq(mst_manifold_spec(m), "sym:2");
    ck_assert_uint_eq(mst_manifold_dim(m), 3);
    ck_assert_uint_eq(mst_manifold_ambient(m), 4);
    ck_assert(mst_manifold_is_flat(m));
    ck_assert(isinf(mst_manifold_injectivity(m)) && isinf(mst_manifold_chart_radius(m)));
    double x[4], y[4] = {1, 2, 2, -3}, v[4], u[3], r;
    mst_manifold_start(m, x);
    ck_assert(max_abs(4, x) == 0);
    ASSERT_OK(mst_manifold_log(m, 1, x, y, v, NULL));
    ck_assert_mem_eq(v, y, sizeof v);
    ASSERT_OK(mst_manifold_dist(m, 1, x, y, &r));
    assert_near(r, sqrt(18), 1e-15, "Frobenius norm");
    ASSERT_OK(mst_manifold_chart_coords(m, 1, x, y, u));
    assert_near(euclidean_norm(3, u), sqrt(18), 1e-14, "norm of the coordinates");
    ASSERT_OK(mst_manifold_chart_point(m, 1, y, u, v));
    for (size_t k = 0; k < 4; k++)
        assert_near(v[k], 2 * y[k], 1e-15, "entry %zu", k);
    mst_manifold_free(m);
}
END_TEST

START_TEST(validation)
{
    mst_manifold *m;
    ASSERT_OK(mst_sym_new(&m, 2));
    size_t row = 7;
    double x[8] = {0, 0, 0, 0, 1, 3, 3 * (1 + 1e-9), -5}, y[8];
    ASSERT_OK(mst_manifold_validate(m, 2, x, &row));
    x[6] = 3.001;
    ASSERT_FAILS(MST_DOMAIN, mst_manifold_validate(m, 2, x, &row));
    ck_assert_uint_eq(row, 1);
    ck_assert_ptr_nonnull(strstr(mst_error_detail(), "not symmetric"));
    ASSERT_OK(mst_manifold_project(m, 2, x, y));
    ck_assert(y[5] == y[6]);
    assert_near(y[5], 3.0005, 1e-15, "symmetric part");
    x[0] = NAN;
    ASSERT_FAILS(MST_DOMAIN, mst_manifold_validate(m, 2, x, &row));
    ck_assert_uint_eq(row, 0);
    ASSERT_FAILS(MST_DOMAIN, mst_manifold_project(m, 2, x, y));
    mst_manifold_free(m);
    ASSERT_FAILS(MST_ARGUMENT, mst_sym_new(&m, 0));
    ck_assert_ptr_null(m);
}
END_TEST

int main(void)
{
    return RUN_SUITE("sym", 20, {coordinates, 6}, {flat_geometry, 0}, {validation, 0});
}
