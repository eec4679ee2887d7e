/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Procrustes alignment against closed forms and what it must not depend on. */
#include "support/support.h"

#include <complex.h>
#include <float.h>
#include <lapacke.h>
#include <manistat/align.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { N = 40, K = 9 };

/* A random rotation of R^dim (Gram–Schmidt), made a reflection on demand. */
static void random_rotation(dice *d, size_t dim, bool reflect, double *r)
{
    for (size_t i = 0; i < dim; i++) {
        double norm = 0;
        for (size_t c = 0; c < dim; c++)
            r[i * dim + c] = dice_normal(d);
        for (size_t j = 0; j < i; j++) {
            double along = dot(dim, r + i * dim, r + j * dim);
            for (size_t c = 0; c < dim; c++)
                r[i * dim + c] -= along * r[j * dim + c];
        }
        norm = euclidean_norm(dim, r + i * dim);
        for (size_t c = 0; c < dim; c++)
            r[i * dim + c] /= norm;
    }
    double determinant = dim == 2 ? r[0] * r[3] - r[1] * r[2]
                                  : r[0] * (r[4] * r[8] - r[5] * r[7]) -
                                        r[1] * (r[3] * r[8] - r[5] * r[6]) +
                                        r[2] * (r[3] * r[7] - r[4] * r[6]);
    for (size_t c = 0; (determinant < 0) != reflect && c < dim; c++)
        r[c] = -r[c];
}

/* out = s (x + noise) r + shift */
static void disturb(dice *d, size_t k, size_t dim, const double *x, double noise, double s,
                    bool reflect, double *out)
{
    double r[9], shift[3];
    random_rotation(d, dim, reflect, r);
    for (size_t c = 0; c < dim; c++)
        shift[c] = 10 * dice_normal(d);
    for (size_t p = 0; p < k; p++) {
        double y[3];
        for (size_t c = 0; c < dim; c++)
            y[c] = x[p * dim + c] + noise * dice_normal(d);
        for (size_t c = 0; c < dim; c++) {
            out[p * dim + c] = shift[c];
            for (size_t b = 0; b < dim; b++)
                out[p * dim + c] += s * y[b] * r[b * dim + c];
        }
    }
}

static void random_shape(dice *d, size_t n, double *x)
{
    for (size_t j = 0; j < n; j++)
        x[j] = dice_normal(d);
}

static mst_alignment *align(size_t n, size_t k, size_t dim, const double *x,
                            const mst_align_options *o)
{
    mst_alignment *a = NULL;
    ASSERT_OK(mst_align(&a, n, k, dim, x, o));
    return a;
}

/* The leading eigenvector of Σ zz*∕|z|², by LAPACK. */
static void full_procrustes_mean(size_t n, size_t k, const double *x, double complex *mean)
{
    double complex a[K * K] = {0};
    double values[K];
    for (size_t i = 0; i < n; i++) {
        double complex z[K], centroid = 0;
        double square = 0;
        for (size_t p = 0; p < k; p++)
            centroid += (z[p] = x[(i * k + p) * 2] + I * x[(i * k + p) * 2 + 1]) / (double)k;
        for (size_t p = 0; p < k; p++) {
            z[p] -= centroid;
            square += creal(z[p] * conj(z[p]));
        }
        for (size_t p = 0; p < k; p++)
            for (size_t q = 0; q < k; q++)
                a[p * k + q] += z[p] * conj(z[q]) / square;
    }
    ck_assert_int_eq(
        LAPACKE_zheev(LAPACK_ROW_MAJOR, 'V', 'U', (lapack_int)k, a, (lapack_int)k, values), 0);
    for (size_t p = 0; p < k; p++)
        mean[p] = a[p * k + k - 1];
}

START_TEST(planar_mean_is_the_leading_eigenvector)
{
    dice d = {71};
    double base[2 * K], *x = doubles(N * 2 * K);
    mst_align_options o = mst_align_options_default();
    o.scale = true;
    static const double noises[] = {0.001, 0.1, 0.5};
    for (size_t round = 0; round < 9; round++) {
        random_shape(&d, 2 * K, base);
        for (size_t i = 0; i < N; i++)
            disturb(&d, K, 2, base, noises[round % 3], exp(dice_normal(&d)), false, x + i * 2 * K);
        mst_alignment *a = align(N, K, 2, x, &o);
        ck_assert(a->converged);
        double complex mean[K], product = 0;
        full_procrustes_mean(N, K, x, mean);
        for (size_t p = 0; p < K; p++)
            product += conj(mean[p]) * (a->mean[2 * p] + I * a->mean[2 * p + 1]);
        for (size_t p = 0; p < K; p++)
            assert_near(
                cabs(a->mean[2 * p] + I * a->mean[2 * p + 1] - mean[p] * product / cabs(product)),
                0, 1e-12, "landmark %zu, noise %g", p, noises[round % 3]);
        mst_alignment_free(a);
    }
    free(x);
}
END_TEST

/* Copies of one configuration, moved, turned and scaled, are one shape. */
START_TEST(copies_are_one_shape)
{
    dice d = {72};
    for (size_t dim = 2; dim <= 3; dim++)
        for (int scaled = 0; scaled < 2; scaled++)
            for (int mirrored = 0; mirrored < 2; mirrored++) {
                double base[3 * K], x[12 * 3 * K], sizes[12];
                mst_align_options o = mst_align_options_default();
                o.scale = scaled;
                o.reflect = mirrored;
                random_shape(&d, dim * K, base);
                for (size_t i = 0; i < 12; i++) {
                    sizes[i] = scaled ? exp(3 * dice_normal(&d)) : 1;
                    disturb(&d, K, dim, base, 0, sizes[i], mirrored && i % 3 == 1, x + i * dim * K);
                }
                mst_alignment *a = align(12, K, dim, x, &o);
                for (size_t i = 0; i < 12; i++) {
                    /* Centring at distances of ten costs so many digits of the smallest sizes. */
                    double rounding =
                        1e3 * DBL_EPSILON * fmax(1, 1 / sizes[i]) * (scaled ? 1 : a->sizes[0]);
                    assert_near(a->residuals[i], 0, rounding, "specimen %zu in %zu-D", i, dim);
                    assert_near(a->sizes[i] / sizes[i], a->sizes[0] / sizes[0],
                                1e3 * DBL_EPSILON * a->sizes[0] / sizes[0] *
                                    fmax(1, fmax(1 / sizes[i], 1 / sizes[0])),
                                "centroid size %zu", i);
                }
                ck_assert(a->converged);
                ck_assert_uint_eq(a->reflected, mirrored ? 4 : 0);
                mst_alignment_free(a);
            }
}
END_TEST

/* No other mean or rotation is better: the sum of squares of the result against that after changes of it. */
START_TEST(nothing_nearby_is_better)
{
    dice d = {73};
    for (size_t dim = 2; dim <= 3; dim++)
        for (int scaled = 0; scaled < 2; scaled++) {
            double base[3 * K], x[12 * 3 * K], weights[K];
            size_t width = dim * K;
            mst_align_options o = mst_align_options_default();
            o.scale = scaled;
            o.weights = weights;
            random_shape(&d, width, base);
            for (size_t p = 0; p < K; p++)
                weights[p] = dice_uniform(&d, 0.5, 2);
            for (size_t i = 0; i < 12; i++)
                disturb(&d, K, dim, base, 0.2, dice_uniform(&d, 0.5, 2), false, x + i * width);
            mst_alignment *a = align(12, K, dim, x, &o);
            double sum = 0;
            for (size_t i = 0; i < 12; i++)
                sum += a->residuals[i] * a->residuals[i];
            assert_near(sum, a->sum_of_squares, 1e-13 * sum, "sum of squares");
            for (size_t trial = 0; trial < 50; trial++) {
                size_t i = dice_below(&d, 12), axis = dice_below(&d, dim - 1);
                double angle = 0.01 * dice_normal(&d),
                       stretch = scaled ? 0.01 * dice_normal(&d) : 0;
                double shift = 0.01 * dice_normal(&d), changed = 0;
                for (size_t p = 0; p < K; p++) {
                    double y[3];
                    memcpy(y, a->aligned + i * width + p * dim, dim * sizeof *y);
                    double u = y[axis], v = y[axis + 1];
                    y[axis] = cos(angle) * u - sin(angle) * v;
                    y[axis + 1] = sin(angle) * u + cos(angle) * v;
                    for (size_t c = 0; c < dim; c++) {
                        double e = y[c] * (1 + stretch) + shift - a->mean[p * dim + c];
                        changed += weights[p] * e * e;
                    }
                }
                ck_assert_double_ge(changed, a->residuals[i] * a->residuals[i] - 1e-12);
            }
            mst_alignment_free(a);
        }
}
END_TEST

START_TEST(weights)
{
    dice d = {74};
    double base[2 * K], x[10 * 2 * K], w[K];
    mst_align_options o = mst_align_options_default();
    o.scale = true;
    o.weights = w;
    random_shape(&d, 2 * K, base);
    for (size_t i = 0; i < 10; i++) {
        disturb(&d, K, 2, base, 0, 1, false, x + i * 2 * K);
        x[i * 2 * K + 6] += dice_normal(&d); /* the fourth landmark is anywhere */
    }
    for (size_t p = 0; p < K; p++)
        w[p] = p != 3;
    mst_alignment *a = align(10, K, 2, x, &o);
    ck_assert_double_le(sqrt(a->sum_of_squares), 1e-12);
    ck_assert_double_gt(a->landmark_residuals[3], 0.01);
    ck_assert_double_le(a->landmark_residuals[4], 1e-12);
    mst_alignment_free(a);
}
END_TEST

/* Points of a parabola between fixed landmarks, each displaced along its own chord. */
START_TEST(semilandmarks_slide)
{
    enum { POINTS = 13, SPECIMENS = 20, MIDDLE = 10 };
    dice d = {75};
    double x[SPECIMENS * 2 * POINTS];
    mst_slider sliders[8];
    for (size_t s = 0; s < 8; s++)
        sliders[s] = (mst_slider){s, s + 1, s + 2};
    for (size_t i = 0; i < SPECIMENS; i++) {
        double y[2 * POINTS];
        for (size_t p = 0; p < MIDDLE; p++) {
            double t = -1 + 2.0 * (double)p / (MIDDLE - 1);
            if (p > 0 && p + 1 < MIDDLE)
                t += 0.05 * dice_normal(&d);
            y[2 * p] = t;
            y[2 * p + 1] = 0.3 * t * t;
        }
        memcpy(y + 2 * MIDDLE, (double[]){-1, 1, 1, 1.2, 0.2, 2}, 6 * sizeof *y);
        disturb(&d, POINTS, 2, y, 0, exp(dice_normal(&d)), false, x + i * 2 * POINTS);
    }
    mst_align_options o = mst_align_options_default();
    o.scale = true;
    mst_alignment *fixed = align(SPECIMENS, POINTS, 2, x, &o);
    o.sliders = sliders;
    o.slider_count = 8;
    for (int by = 0; by < 2; by++) {
        o.slide_by = by == 0 ? MST_SLIDE_BENDING : MST_SLIDE_DISTANCE;
        mst_alignment *a = align(SPECIMENS, POINTS, 2, x, &o);
        ck_assert(a->converged);
        /* What is left is the bend of the curve, of second order in the displacement of 5 %. */
        ck_assert_double_lt(a->sum_of_squares, 0.02 * fixed->sum_of_squares);
        mst_alignment_free(a);
    }
    mst_alignment_free(fixed);
}
END_TEST

static void refused(mst_status status, const char *detail, size_t n, size_t k, size_t dim,
                    const double *x, const mst_align_options *o)
{
    mst_alignment *a;
    ck_assert_int_eq(mst_align(&a, n, k, dim, x, o), status);
    ck_assert_msg(strstr(mst_error_detail(), detail) != NULL, "%s", mst_error_detail());
}

START_TEST(refusals)
{
    double x[16] = {0, 0, 1, 0, 0, 1, 1, 1, 2, 2, 2, 2, 2, 2, 2, 2}, w[4] = {1, 1, 0, 0};
    mst_align_options o = mst_align_options_default();
    refused(MST_ARGUMENT, "no specimens", 0, 4, 2, x, &o);
    refused(MST_ARGUMENT, "cannot be aligned", 1, 2, 2, x, &o);
    refused(MST_ARGUMENT, "cannot be aligned", 1, 2, 4, x, &o);
    refused(MST_DOMAIN, "specimen 2: all of its landmarks coincide", 2, 4, 2, x, &o);
    x[9] = NAN;
    refused(MST_DOMAIN, "specimen 2: landmark 1 is not finite", 2, 4, 2, x, &o);
    o.weights = w;
    refused(MST_ARGUMENT, "2 landmarks have a weight", 1, 4, 2, x, &o);
    w[2] = -1;
    refused(MST_ARGUMENT, "the weight of landmark 3 is -1", 1, 4, 2, x, &o);
    o.weights = NULL;
    mst_slider s[2] = {{0, 4, 1}, {0, 2, 1}};
    o.sliders = s;
    o.slider_count = 2;
    refused(MST_ARGUMENT, "slider 1: there is no landmark 5", 1, 4, 2, x, &o);
    s[0].slide = 0;
    refused(MST_ARGUMENT, "slider 1: its three landmarks are not different", 1, 4, 2, x, &o);
    s[0].slide = 2;
    refused(MST_ARGUMENT, "landmark 3 slides twice", 1, 4, 2, x, &o);
    s[0] = (mst_slider){1, 3, 2};
    s[1] = (mst_slider){1, 0, 2};
    refused(MST_BREAKDOWN, "not determined", 1, 4, 2, x, &o);
}
END_TEST

START_TEST(coincident_landmarks)
{
    bool found;
    size_t first, second;
    double x[] = {5, 1, 2, 3, 7, 7, 2, 3, 5, 1};
    ASSERT_OK(mst_landmarks_coincide(5, 2, x, &found, &first, &second));
    ck_assert(found && first == 0 && second == 4);
    x[9] = 2;
    ASSERT_OK(mst_landmarks_coincide(5, 2, x, &found, &first, &second));
    ck_assert(found && first == 1 && second == 3);
    x[7] = nextafter(3, 4);
    ASSERT_OK(mst_landmarks_coincide(5, 2, x, &found, &first, &second));
    ck_assert(!found);
}
END_TEST

int main(void)
{
    TCase *c = tcase_create("all");
    tcase_add_test(c, planar_mean_is_the_leading_eigenvector);
    tcase_add_test(c, copies_are_one_shape);
    tcase_add_test(c, nothing_nearby_is_better);
    tcase_add_test(c, weights);
    tcase_add_test(c, semilandmarks_slide);
    tcase_add_test(c, refusals);
    tcase_add_test(c, coincident_landmarks);
    return run_case("align", c);
}
