/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Points and tangent spaces of every manifold: project, validate, tangent, inner, frame, random_point. */
#include "support/manifolds.h"

#include <string.h>

enum { ROUNDS = 42 };

START_TEST(frames_are_orthonormal)
{
    subject s = subject_open((size_t)_i);
    size_t d = s.d, D = s.D;
    double *x = scratch(&s, D), *e = scratch(&s, d * D), *c = scratch(&s, d), *b = scratch(&s, d),
           *v = scratch(&s, D), *w = scratch(&s, D);
    dice die = {21};
    for (size_t round = 0; round < ROUNDS; round++) {
        corner_point(&s, &die, round % POINT_KINDS, x);
        double tolerance = s.c * DBL_EPSILON * condition(&s, x);
        ASSERT_OK(mst_manifold_frame(s.m, 1, x, e));
        for (size_t i = 0; i < d; i++)
            for (size_t j = 0; j <= i; j++)
                assert_near(vector_inner(&s, x, e + i * D, e + j * D), i == j, tolerance,
                            "%s: frame (%zu, %zu), kind %zu", s.entry->spec, i, j,
                            round % POINT_KINDS);
        for (size_t k = 0; k < d; k++)
            c[k] = dice_normal(&die);
        ASSERT_OK(mst_manifold_from_frame(s.m, 1, x, c, v));
        for (size_t a = 0; a < D; a++) { /* linear: the combination of the frame's vectors */
            w[a] = 0;
            for (size_t k = 0; k < d; k++)
                w[a] += c[k] * e[k * D + a];
        }
        double size = euclidean_norm(d, c) * (1 + euclidean_norm(D, x));
        assert_near(vector_gap(&s, x, v, w), 0, size * tolerance, "%s: from_frame", s.entry->spec);
        ASSERT_OK(mst_manifold_to_frame(s.m, 1, x, v, b));
        for (size_t k = 0; k < d; k++)
            assert_near(b[k], c[k], size * tolerance, "%s: to_frame from_frame", s.entry->spec);
        ASSERT_OK(mst_manifold_tangent(s.m, 1, x, v, w));
        assert_near(vector_gap(&s, x, v, w), 0, size * tolerance, "%s: frame is tangent",
                    s.entry->spec);
        for (size_t a = 0; a < D; a++)
            w[a] = dice_normal(&die);
        ASSERT_OK(mst_manifold_tangent(s.m, 1, x, w, w));
        ASSERT_OK(mst_manifold_to_frame(s.m, 1, x, w, c));
        ASSERT_OK(mst_manifold_from_frame(s.m, 1, x, c, v));
        assert_near(vector_gap(&s, x, v, w), 0, (1 + vector_norm(&s, x, w)) * tolerance,
                    "%s: from_frame to_frame", s.entry->spec);
    }
    subject_close(&s);
}
END_TEST

START_TEST(tangent_is_the_orthogonal_projection)
{
    subject s = subject_open((size_t)_i);
    size_t D = s.D;
    double *x = scratch(&s, D), *a = scratch(&s, D), *b = scratch(&s, D), *pa = scratch(&s, D),
           *pb = scratch(&s, D);
    dice die = {22};
    for (size_t round = 0; round < ROUNDS; round++) {
        corner_point(&s, &die, round % 5, x);
        for (size_t i = 0; i < D; i++) {
            a[i] = dice_normal(&die);
            b[i] = dice_normal(&die);
        }
        ASSERT_OK(mst_manifold_tangent(s.m, 1, x, a, pa));
        ASSERT_OK(mst_manifold_tangent(s.m, 1, x, b, pb));
        double largest = fmax(1, max_abs(D, x)), size = (double)D * pow(largest, 4) * 16;
        double tolerance = s.c * DBL_EPSILON * size;
        assert_near(ambient_form(s.m, a, pb), ambient_form(s.m, pa, b), tolerance,
                    "%s: tangent is self-adjoint", s.entry->spec);
        ASSERT_OK(mst_manifold_tangent(s.m, 1, x, pa, b));
        for (size_t i = 0; i < D; i++)
            assert_near(b[i], pa[i], tolerance, "%s: tangent twice", s.entry->spec);
        /* The inner product is symmetric, bilinear and positive. */
        double ab = vector_inner(&s, x, pa, pb), aa = vector_inner(&s, x, pa, pa),
               bb = vector_inner(&s, x, pb, pb);
        double rounded = s.c * DBL_EPSILON * condition(&s, x) * (aa + bb);
        assert_near(vector_inner(&s, x, pb, pa), ab, rounded, "%s: symmetry", s.entry->spec);
        for (size_t i = 0; i < D; i++)
            b[i] = 2 * pa[i] - 3 * pb[i];
        assert_near(vector_inner(&s, x, b, b), 4 * aa - 12 * ab + 9 * bb, 24 * rounded,
                    "%s: inner is bilinear", s.entry->spec);
        ck_assert_msg(aa > 0 && bb > 0, "%s: inner is positive", s.entry->spec);
        assert_near(vector_norm(&s, x, pa), sqrt(aa), 4 * DBL_EPSILON * sqrt(aa), "%s: norm",
                    s.entry->spec);
    }
    subject_close(&s);
}
END_TEST

START_TEST(project_and_validate)
{
    subject s = subject_open((size_t)_i);
    size_t D = s.D, row = 99;
    double *x = scratch(&s, D), *y = scratch(&s, D), *z = scratch(&s, D);
    dice die = {23};
    for (size_t round = 0; round < ROUNDS; round++) {
        corner_point(&s, &die, round % POINT_KINDS, x);
        ASSERT_OK(mst_manifold_validate(s.m, 1, x, &row));
        ASSERT_OK(mst_manifold_project(s.m, 1, x, y));
        double tolerance = s.c * DBL_EPSILON * condition(&s, x);
        assert_near(point_gap(&s, x, y), 0, tolerance, "%s: project keeps points", s.entry->spec);
        /* From a little off: the result is on the manifold and stays. */
        double size = max_abs(D, x) / condition(&s, x);
        for (size_t a = 0; a < D; a++)
            y[a] = x[a] + 1e-3 * size * dice_uniform(&die, -1, 1);
        ASSERT_OK(mst_manifold_project(s.m, 1, y, y));
        ASSERT_OK(mst_manifold_validate(s.m, 1, y, &row));
        ASSERT_OK(mst_manifold_project(s.m, 1, y, z));
        for (size_t a = 0; a < D; a++)
            assert_near(z[a], y[a], s.c * DBL_EPSILON * max_abs(D, y), "%s: project twice",
                        s.entry->spec);
        ck_assert_msg(point_gap(&s, x, y) <= 0.1, "%s: projection is %g away", s.entry->spec,
                      point_gap(&s, x, y));
    }
    mst_manifold_start(s.m, x);
    ASSERT_OK(mst_manifold_validate(s.m, 1, x, &row));
    assert_near(off_manifold(&s, x), 0, 4 * DBL_EPSILON, "%s: start", s.entry->spec);
    subject_close(&s);
}
END_TEST

START_TEST(rows_off_the_manifold_are_named)
{
    subject s = subject_open((size_t)_i);
    size_t D = s.D;
    enum { N = 9 };
    double *x = scratch(&s, N * D);
    static const double bad[] = {NAN, INFINITY, -INFINITY};
    for (size_t k = 0; k < 3; k++)
        for (size_t at = 0; at < N * D; at++) {
            for (size_t i = 0; i < N; i++)
                mst_manifold_start(s.m, x + i * D);
            x[at] = bad[k];
            size_t row = 99;
            ASSERT_FAILS(MST_DOMAIN, mst_manifold_validate(s.m, N, x, &row));
            ck_assert_msg(row == at / D, "%s: row %zu instead of %zu", s.entry->spec, row, at / D);
            ck_assert_msg(mst_manifold_project(s.m, N, x, x) == MST_DOMAIN,
                          "%s: a row with %g was projected", s.entry->spec, bad[k]);
        }
    /* A random row is off every curved manifold. */
    if (s.d < D) {
        for (size_t i = 0; i < N; i++)
            mst_manifold_start(s.m, x + i * D);
        dice die = {24};
        for (size_t a = 0; a < D; a++)
            x[5 * D + a] = 2 + dice_uniform(&die, -1, 1);
        size_t row = 99;
        ASSERT_FAILS(MST_DOMAIN, mst_manifold_validate(s.m, N, x, &row));
        ck_assert_uint_eq(row, 5);
    }
    subject_close(&s);
}
END_TEST

START_TEST(random_points)
{
    subject s = subject_open((size_t)_i);
    size_t D = s.D, row = 99;
    enum { N = 130 };
    double *x = scratch(&s, N * D), *y = scratch(&s, N * D);
    mst_random r = {5, 6};
    ASSERT_OK(mst_manifold_random_point(s.m, r, 0, N, x));
    ASSERT_OK(mst_manifold_validate(s.m, N, x, &row));
    for (size_t i = 0; i < N; i++)
        assert_near(off_manifold(&s, x + i * D), 0, s.c * DBL_EPSILON, "%s: random point",
                    s.entry->spec);
    ASSERT_OK(mst_manifold_random_point(s.m, r, 0, 1, y));
    ASSERT_OK(mst_manifold_random_point(s.m, r, 1, 66, y + D));
    ASSERT_OK(mst_manifold_random_point(s.m, r, 67, N - 67, y + 67 * D));
    ck_assert_msg(memcmp(x, y, N * D * sizeof *x) == 0, "%s: pieces differ", s.entry->spec);
    ASSERT_OK(mst_manifold_random_point(s.m, (mst_random){5, 7}, 0, 1, y));
    ck_assert_msg(memcmp(x, y, D * sizeof *x) != 0, "%s: streams agree", s.entry->spec);
    subject_close(&s);
}
END_TEST

int main(void)
{
    return RUN_SUITE("frames", 60, {frames_are_orthonormal, manifold_case_count},
                     {tangent_is_the_orthogonal_projection, manifold_case_count},
                     {project_and_validate, manifold_case_count},
                     {rows_off_the_manifold_are_named, manifold_case_count},
                     {random_points, manifold_case_count});
}
