/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* What a manifold says of itself agrees with what its operations do. */
#include "support/manifolds.h"

#include <string.h>

START_TEST(traits_agree_with_each_other)
{
    subject s = subject_open((size_t)_i);
    const mst_manifold_traits *t = mst_manifold_traits_of(s.m);
    double radius = mst_manifold_injectivity(s.m);
    if (t->compact == MST_YES)
        ck_assert_msg(!isinf(radius), "%s: compact without a cut locus", s.entry->spec);
    if (t->hadamard == MST_YES) {
        ck_assert(isinf(radius) && t->compact != MST_YES);
        ck_assert(t->curvature_above <= 0);
    }
    ck_assert_int_eq(mst_manifold_is_flat(s.m), t->flat == MST_YES);
    if (t->flat == MST_YES)
        ck_assert(t->curvature == 0 && t->curvature_above == 0);
    if (!isnan(t->curvature))
        ck_assert(t->curvature_above == t->curvature);
    ck_assert(!t->angles || (t->flat == MST_YES && t->compact == MST_YES));
    ck_assert(!t->unit_rows || s.D == s.d + 1);
    if (t->line != NULL)
        assert_near(euclidean_norm(s.d, t->line), 1, 4 * DBL_EPSILON, "%s: line", s.entry->spec);
    subject_close(&s);
}
END_TEST

/* Constant curvature κ means Ric = (d − 1)κ; a line beside curvature κ means (d − 2)κ across it and 0 along
 * it; an upper bound of the curvature bounds Ric from above. */
START_TEST(curvature_is_as_told)
{
    subject s = subject_open((size_t)_i);
    const mst_manifold_traits *t = mst_manifold_traits_of(s.m);
    dice die = {2301};
    double *x = scratch(&s, s.D), *u = scratch(&s, s.D), *got = scratch(&s, s.D),
           *want = scratch(&s, s.D), *c = scratch(&s, s.d), d = (double)s.d;
    TAKES_PART(!isnan(t->curvature) || t->line != NULL);
    for (size_t kind = 0; kind < POINT_KINDS; kind++) {
        corner_point(&s, &die, kind, x);
        tangent_of_length(&s, &die, x, 1, u);
        ASSERT_OK(mst_manifold_ricci(s.m, 1, x, u, got));
        if (!isnan(t->embedding))
            assert_near(t->embedding * dot(s.D, u, u), 1, rounding(&s, x, x, 1), "%s: embedding",
                        s.entry->spec);
        double tolerance = rounding(&s, x, x, 1) + s.entry->chart_error[2];
        if (!isnan(t->curvature_above))
            ck_assert(vector_inner(&s, x, u, got) <= (d - 1) * t->curvature_above + tolerance);
        bool constant = !isnan(t->curvature);
        if (!constant && t->line == NULL)
            continue;
        ASSERT_OK(mst_manifold_to_frame(s.m, 1, x, u, c));
        double along = constant ? 0 : dot(s.d, c, t->line);
        double factor = constant ? (d - 1) * t->curvature : (d - 2) * t->beside_line;
        for (size_t k = 0; k < s.d; k++)
            c[k] = factor * (c[k] - (constant ? 0 : along * t->line[k]));
        ASSERT_OK(mst_manifold_from_frame(s.m, 1, x, c, want));
        assert_near(vector_gap(&s, x, got, want), 0, tolerance, "%s: Ricci", s.entry->spec);
    }
    subject_close(&s);
}
END_TEST

/* A manifold that unrolls is R^d, or a convex part of it, by its chart, about any centre, and its frame is
 * that of the coordinates. */
START_TEST(charts_unroll)
{
    subject s = subject_open((size_t)_i);
    bool unrolls = mst_manifold_traits_of(s.m)->unrolls;
    TAKES_PART(unrolls);
    dice die = {78};
    double *c = scratch(&s, s.D), *x = scratch(&s, s.D), *y = scratch(&s, s.D),
           *v = scratch(&s, s.D), *u = scratch(&s, s.d), *w = scratch(&s, s.d),
           *f = scratch(&s, s.d), r;
    ck_assert(!unrolls || mst_manifold_traits_of(s.m)->hadamard == MST_YES ||
              mst_manifold_traits_of(s.m)->has_border);
    ck_assert(!unrolls || mst_manifold_is_flat(s.m));
    for (size_t kind = 0; unrolls && kind < POINT_KINDS; kind++) {
        corner_point(&s, &die, kind, c);
        tangent_of_length(&s, &die, c, 0.7, v);
        ASSERT_OK(mst_manifold_exp(s.m, 1, c, v, x));
        tangent_of_length(&s, &die, x, 1.2, v);
        ASSERT_OK(mst_manifold_exp(s.m, 1, x, v, y));
        ASSERT_OK(mst_manifold_chart_coords(s.m, 1, c, x, u));
        ASSERT_OK(mst_manifold_chart_coords(s.m, 1, c, y, w));
        ASSERT_OK(mst_manifold_to_frame(s.m, 1, x, v, f));
        ASSERT_OK(mst_manifold_dist(s.m, 1, x, y, &r));
        double tolerance = 4 * rounding(&s, c, y, 2), apart = 0;
        for (size_t k = 0; k < s.d; k++) {
            assert_near(w[k] - u[k], f[k], tolerance, "%s: frame", s.entry->spec);
            apart = hypot(apart, w[k] - u[k]);
        }
        assert_near(apart, r, tolerance, "%s: isometry", s.entry->spec);
    }
    subject_close(&s);
}
END_TEST

/* Rows are of the kind that they are said to be. */
START_TEST(rows_are_as_told)
{
    subject s = subject_open((size_t)_i);
    mst_row_kind rows = mst_manifold_traits_of(s.m)->rows;
    TAKES_PART(rows != MST_ROWS_PLAIN);
    dice die = {77};
    double *x = scratch(&s, s.D), *y = scratch(&s, s.D), r;
    for (size_t kind = 0; kind < POINT_KINDS; kind++) {
        corner_point(&s, &die, kind, x);
        double square = dot(s.D, x, x), size = max_abs(s.D, x);
        if (rows == MST_ROWS_UNIT_VECTORS)
            assert_near(square, 1, 1e-12, "%s: norm", s.entry->spec);
        if (rows == MST_ROWS_HYPERBOLOID)
            assert_near((square - 2 * x[0] * x[0]) / (x[0] * x[0]), -1 / (x[0] * x[0]), 1e-12,
                        "%s: hyperboloid", s.entry->spec);
        if (rows == MST_ROWS_ROTATIONS)
            for (size_t i = 0; i < 9; i++)
                assert_near(dot(3, x + i / 3 * 3, x + i % 3 * 3), i % 4 == 0, 1e-12, "%s: rotation",
                            s.entry->spec);
        size_t order = (size_t)lround(sqrt((double)s.D));
        for (size_t i = 0; rows == MST_ROWS_SYMMETRIC && i < s.D; i++)
            assert_near(x[i], x[i % order * order + i / order], 1e-12 * size, "%s: symmetric",
                        s.entry->spec);
        if (rows == MST_ROWS_ANGLES) {
            for (size_t i = 0; i < s.D; i++)
                y[i] = x[i] + 2 * M_PI;
            ASSERT_OK(mst_manifold_dist(s.m, 1, x, y, &r));
            assert_near(r, 0, 1e-12 * (1 + size), "%s: a turn", s.entry->spec);
        }
    }
    subject_close(&s);
}
END_TEST

/* Opposite geodesics as long as the injectivity radius end in one point, that far away. */
START_TEST(walls_are_where_they_should_be)
{
    subject s = subject_open((size_t)_i);
    dice die = {2303};
    double *x = scratch(&s, s.D), *v = scratch(&s, s.D), *y = scratch(&s, s.D),
           *z = scratch(&s, s.D), radius = mst_manifold_injectivity(s.m), r;
    TAKES_PART(mst_manifold_traits_of(s.m)->cut_is_wall);
    for (size_t kind = 0; mst_manifold_traits_of(s.m)->cut_is_wall && kind < POINT_KINDS; kind++) {
        corner_point(&s, &die, kind, x);
        tangent_of_length(&s, &die, x, radius, v);
        ASSERT_OK(mst_manifold_exp(s.m, 1, x, v, y));
        ASSERT_OK(mst_manifold_dist(s.m, 1, x, y, &r));
        assert_near(r, radius, 1e-7 * radius, "%s: distance of the wall", s.entry->spec);
        for (size_t a = 0; a < s.D; a++)
            v[a] = -v[a];
        ASSERT_OK(mst_manifold_exp(s.m, 1, x, v, z));
        ASSERT_OK(mst_manifold_dist(s.m, 1, y, z, &r));
        assert_near(r, 0, 1e-7 * radius, "%s: the other side", s.entry->spec);
    }
    subject_close(&s);
}
END_TEST

START_TEST(products_have_what_their_factors_share)
{
    mst_manifold *m = NULL;
    ASSERT_OK(mst_manifold_parse(&m, "product(sphere:2,euclidean:1)"));
    const mst_manifold_traits *t = mst_manifold_traits_of(m);
    ck_assert(t->compact == MST_NO && t->flat == MST_NO && t->hadamard == MST_NO);
    ck_assert(isnan(t->curvature) && t->curvature_above == 1 && !t->unit_rows && !t->angles);
    mst_manifold_free(m);
    ASSERT_OK(mst_manifold_parse(&m, "product(circle,torus:2)"));
    t = mst_manifold_traits_of(m);
    ck_assert(t->compact == MST_YES && t->flat == MST_YES && t->angles && t->curvature == 0);
    mst_manifold_free(m);
    ASSERT_OK(mst_manifold_parse(&m, "product(hyperbolic:2,spd:2)"));
    t = mst_manifold_traits_of(m);
    ck_assert(t->hadamard == MST_YES && t->flat == MST_NO && t->curvature_above == 0 &&
              t->line == NULL);
    mst_manifold_free(m);
    /* What nobody knows of one factor is not known of the product, unless another factor decides. */
    mst_manifold *bare = NULL, *line = NULL;
    ASSERT_OK(bare_sphere_new(&bare));
    ASSERT_OK(mst_manifold_parse(&line, "euclidean:1"));
    ASSERT_OK(mst_product_new(&m, 2, (mst_manifold *[]){bare, line}));
    t = mst_manifold_traits_of(m);
    ck_assert(t->compact == MST_NO && t->flat == MST_UNKNOWN && t->hadamard == MST_UNKNOWN);
    ck_assert(isnan(t->curvature_above) && t->closed == MST_CLOSED_EXP);
    mst_manifold_free(m);
}
END_TEST

/* A program that was built when the table was shorter keeps working, and finds the
 * fall-backs of what came later. */
START_TEST(tables_of_older_programs_are_taken)
{
    mst_manifold *sphere = NULL, *m = NULL;
    ASSERT_OK(mst_sphere_new(&sphere, 2));
    mst_manifold_ops table = *mst_manifold_table(sphere);
    table.size = offsetof(mst_manifold_ops, traits);
    ASSERT_OK(mst_manifold_new(&m, &table, "old", 2, 3, mst_manifold_data(sphere)));
    ck_assert_ptr_null(mst_manifold_table(m)->log);
    const mst_manifold_traits *t = mst_manifold_traits_of(m);
    ck_assert(t->closed == MST_CLOSED_EXP && t->compact == MST_UNKNOWN && isnan(t->curvature));
    double x[3] = {0, 0, 1}, y[3] = {0.6, 0, 0.8}, r;
    ASSERT_OK(mst_manifold_dist(m, 1, x, y, &r));
    assert_near(r, acos(0.8), 1e-9, "distance by shooting");
    mst_manifold_free(m);
    table.size = 0;
    ASSERT_FAILS(MST_ARGUMENT, mst_manifold_new(&m, &table, "none", 2, 3, NULL));
    mst_manifold_free(sphere);
}
END_TEST

/* Zero is a symmetric matrix, but not a positive definite one. */
START_TEST(matrices_are_as_told)
{
    subject s = subject_open((size_t)_i);
    const mst_manifold_traits *t = mst_manifold_traits_of(s.m);
    double *zero = scratch(&s, s.D);
    size_t row;
    TAKES_PART(t->rows == MST_ROWS_SYMMETRIC);
    memset(zero, 0, s.D * sizeof *zero);
    if (t->rows == MST_ROWS_SYMMETRIC)
        ck_assert_msg((mst_manifold_validate(s.m, 1, zero, &row) != MST_OK) == t->positive_definite,
                      "%s", s.entry->spec);
    else
        ck_assert_msg(!t->positive_definite, "%s", s.entry->spec);
    subject_close(&s);
}
END_TEST

int main(void)
{
    return RUN_SUITE(
        "traits", 60, {traits_agree_with_each_other, manifold_case_count},
        {curvature_is_as_told, manifold_case_count}, {rows_are_as_told, manifold_case_count},
        {charts_unroll, manifold_case_count}, {matrices_are_as_told, manifold_case_count},
        {walls_are_where_they_should_be, manifold_case_count},
        {products_have_what_their_factors_share, 0}, {tables_of_older_programs_are_taken, 0});
}
