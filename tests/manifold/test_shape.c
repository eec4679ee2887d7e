/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Shape spaces beyond the conformance suite: what they do not depend on, closed forms,
 * the singular shapes. */
#include "support/support.h"

#include <complex.h>
#include <float.h>
#include <manistat/manifold.h>
#include <math.h>
#include <string.h>

enum { K = 7 };

static void random_rotation(dice *d, size_t dim, double *r)
{
    double a = dice_uniform(d, -3, 3), b = dice_uniform(d, -3, 3), c = dice_uniform(d, -3, 3);
    if (dim == 2) {
        memcpy(r, (double[]){cos(a), sin(a), -sin(a), cos(a)}, 4 * sizeof *r);
        return;
    }
    double ca = cos(a), sa = sin(a), cb = cos(b), sb = sin(b), cc = cos(c), sc = sin(c);
    memcpy(r,
           (double[]){ca * cb, ca * sb * sc - sa * cc, ca * sb * cc + sa * sc, sa * cb,
                      sa * sb * sc + ca * cc, sa * sb * cc - ca * sc, -sb, cb * sc, cb * cc},
           9 * sizeof *r);
}

/* y = s x r + shift */
static void move(dice *d, size_t dim, const double *x, double s, double *y)
{
    double r[9], shift[3];
    random_rotation(d, dim, r);
    for (size_t c = 0; c < dim; c++)
        shift[c] = dice_normal(d);
    for (size_t p = 0; p < K; p++)
        for (size_t c = 0; c < dim; c++) {
            y[p * dim + c] = shift[c];
            for (size_t b = 0; b < dim; b++)
                y[p * dim + c] += s * x[p * dim + b] * r[b * dim + c];
        }
}

static mst_manifold *space(size_t dim, bool sized)
{
    mst_manifold *m;
    ASSERT_OK(sized ? mst_size_and_shape_new(&m, K, dim) : mst_kendall_new(&m, K, dim));
    return m;
}

/* Moved, turned and scaled configurations are one row. */
START_TEST(one_row_per_shape)
{
    dice d = {91};
    for (int sized = 0; sized < 2; sized++)
        for (size_t dim = 2; dim <= 3; dim++) {
            mst_manifold *m = space(dim, sized);
            for (size_t round = 0; round < 50; round++) {
                double x[3 * K], y[3 * K], r;
                for (size_t j = 0; j < dim * K; j++)
                    x[j] = dice_normal(&d);
                move(&d, dim, x, sized ? 1 : exp(2 * dice_normal(&d)), y);
                ASSERT_OK(mst_manifold_project(m, 1, x, x));
                ASSERT_OK(mst_manifold_project(m, 1, y, y));
                for (size_t j = 0; j < dim * K; j++)
                    assert_near(y[j], x[j], 1e-11, "%s", mst_manifold_spec(m));
                ASSERT_OK(mst_manifold_dist(m, 1, x, y, &r));
                ck_assert_double_lt(r, 1e-12);
            }
            mst_manifold_free(m);
        }
}
END_TEST

/* In the plane cos ρ = |<x, y>|; the distance does not depend on the representatives. */
START_TEST(distances)
{
    mst_manifold *m = space(2, false), *in_space = space(3, false);
    for (size_t round = 0; round < 50; round++) {
        double x[2 * K], y[2 * K], r, other;
        double complex product = 0;
        ASSERT_OK(mst_manifold_random_point(m, (mst_random){7, round}, 0, 1, x));
        ASSERT_OK(mst_manifold_random_point(m, (mst_random){8, round}, 0, 1, y));
        for (size_t p = 0; p < K; p++)
            product += conj(x[2 * p] + I * x[2 * p + 1]) * (y[2 * p] + I * y[2 * p + 1]);
        ASSERT_OK(mst_manifold_dist(m, 1, x, y, &r));
        assert_near(r, acos(cabs(product)), 1e-13, "cos ρ = |<x, y>|");
        /* In space the same shapes may be nearer: turned over they are their mirror images. */
        double wide[2][3 * K] = {{0}}, mirror[2 * K];
        for (size_t p = 0; p < K; p++) {
            memcpy(wide[0] + 3 * p, x + 2 * p, 2 * sizeof *x);
            memcpy(wide[1] + 3 * p, y + 2 * p, 2 * sizeof *y);
            mirror[2 * p] = y[2 * p];
            mirror[2 * p + 1] = -y[2 * p + 1];
        }
        ASSERT_OK(mst_manifold_dist(m, 1, x, mirror, &other));
        for (int k = 0; k < 2; k++)
            ASSERT_OK(mst_manifold_project(in_space, 1, wide[k], wide[k]));
        double in_three;
        ASSERT_OK(mst_manifold_dist(in_space, 1, wide[0], wide[1], &in_three));
        /* Planes in space may do better than both by tilting. */
        ck_assert_double_le(in_three, fmin(r, other) + 1e-13);
    }
    mst_manifold_free(m);
    mst_manifold_free(in_space);
}
END_TEST

/* Triangles: a sphere of radius ½, so that distances are at most π/2, and area π. */
START_TEST(triangles)
{
    mst_manifold *m;
    ASSERT_OK(mst_kendall_new(&m, 3, 2));
    const mst_manifold_traits *t = mst_manifold_traits_of(m);
    ck_assert_double_eq(t->curvature, 4);
    ck_assert_uint_eq(mst_manifold_dim(m), 2);
    ck_assert_uint_eq(t->landmark_dim, 2);
    ck_assert(t->any_row && t->compact == MST_YES);
    /* The two equilateral triangles are poles. */
    double x[] = {0, 0, 1, 0, 0.5, sqrt(0.75)}, y[] = {0, 0, 1, 0, 0.5, -sqrt(0.75)},
           flat[] = {-1, 0, 0, 0, 1, 0}, r;
    ASSERT_OK(mst_manifold_project(m, 1, x, x));
    ASSERT_OK(mst_manifold_project(m, 1, y, y));
    ASSERT_OK(mst_manifold_project(m, 1, flat, flat));
    ASSERT_OK(mst_manifold_dist(m, 1, x, y, &r));
    assert_near(r, acos(0), 1e-15, "poles");
    ASSERT_OK(mst_manifold_dist(m, 1, x, flat, &r));
    assert_near(r, acos(0) / 2, 1e-15, "equator");
    unsigned char flag;
    double v[6];
    ASSERT_OK(mst_manifold_log(m, 1, x, y, v, &flag));
    ck_assert_int_eq(flag, MST_LOG_CUT);
    mst_manifold_free(m);
}
END_TEST

/* Shapes of rank below two, and cut points, in space. */
START_TEST(refusals)
{
    mst_manifold *m, *sized;
    ASSERT_OK(mst_kendall_new(&m, 4, 3));
    ASSERT_OK(mst_size_and_shape_new(&sized, 4, 3));
    double line[24], y[24], v[12];
    mst_manifold_start(m, line);
    for (size_t p = 0; p < 4; p++)
        for (size_t c = 0; c < 3; c++)
            line[12 + 3 * p + c] = 5 + (double)(p * p) * ((double)c - 0.7);
    ASSERT_FAILS(MST_DOMAIN, mst_manifold_project(m, 2, line, y));
    ck_assert_ptr_nonnull(strstr(mst_error_detail(), "row 2: the landmarks lie on a line"));
    ASSERT_FAILS(MST_DOMAIN, mst_manifold_project(sized, 2, line, y));
    for (size_t j = 0; j < 12; j++)
        line[j] = 3;
    ASSERT_FAILS(MST_DOMAIN, mst_manifold_project(m, 1, line, y));
    ck_assert_ptr_nonnull(strstr(mst_error_detail(), "row 1: all landmarks coincide"));
    /* The tetrahedron and its mirror image: any half-turn fits them equally well. */
    mst_manifold_start(m, y);
    for (size_t j = 0; j < 12; j++)
        y[12 + j] = -y[j];
    ASSERT_OK(mst_manifold_project(m, 2, y, y));
    ASSERT_FAILS(MST_DOMAIN, mst_manifold_log(m, 1, y, y + 12, v, NULL));
    ck_assert_ptr_nonnull(strstr(mst_error_detail(), "row 1: a cut point"));
    double r;
    ASSERT_OK(mst_manifold_dist(m, 1, y, y + 12, &r));
    assert_near(cos(r), 1.0 / 3, 1e-14, "the distance is known all the same");
    /* Straight to the point where all landmarks coincide. */
    mst_manifold_start(sized, y);
    for (size_t j = 0; j < 12; j++)
        v[j] = -2 * y[j];
    ASSERT_FAILS(MST_DOMAIN, mst_manifold_exp(sized, 1, y, v, v));
    ck_assert_ptr_nonnull(strstr(mst_error_detail(), "size 0"));
    mst_manifold_free(m);
    mst_manifold_free(sized);
}
END_TEST

int main(void)
{
    TCase *c = tcase_create("all");
    tcase_add_test(c, one_row_per_shape);
    tcase_add_test(c, distances);
    tcase_add_test(c, triangles);
    tcase_add_test(c, refusals);
    return run_case("shape", c);
}
