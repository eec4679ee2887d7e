/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Fréchet means of Bures and Wasserstein: the covariance of the barycentre of normal laws, which exists and
 * is unique for positive definite data (Agueh and Carlier, 2011). */
#include "base/linalg.h"
#include "manifold/symmetric.h"
#include "stat/mean_support.h"
#include "support/spd_reference.h"

static mst_score *source_of(size_t n, mst_manifold **m)
{
    mst_score *source;
    ASSERT_OK(mst_spd_bures_new(m, n));
    ASSERT_OK(mst_score_log_new(&source, *m));
    return source;
}

static void power(size_t n, const double *p, double exponent, double *out)
{
    double values[SPD_LARGEST], w[SPD_ENTRIES], scaled[SPD_ENTRIES];
    ASSERT_OK(mst_eigen_symmetric(1, n, p, values, w, NULL));
    for (size_t e = 0; e < n * n; e++)
        scaled[e] = w[e] * pow(fmax(values[e / n], 0), exponent);
    mst_multiply_tn(n, w, scaled, out);
    symmetric_part(n, out, out);
}

/* S ← S^−½ (mean of (S^½ Q S^½)^½)² S^−½ until nothing changes (Álvarez-Esteban, del Barrio, Cuesta-Albertos
 * and Matrán, 2016). */
static void fixed_point(size_t n, size_t rows, const double *q, double *s)
{
    size_t D = n * n;
    double r[SPD_ENTRIES], sum[SPD_ENTRIES], a[SPD_ENTRIES], b[SPD_ENTRIES];
    memset(s, 0, D * sizeof *s);
    for (size_t e = 0; e < rows * D; e++)
        s[e % D] += q[e] / (double)rows;
    for (int round = 0; round < 500; round++) {
        memset(sum, 0, sizeof sum);
        power(n, s, 0.5, r);
        for (size_t i = 0; i < rows; i++) {
            congruent(n, r, q + i * D, a);
            power(n, a, 0.5, b);
            for (size_t e = 0; e < D; e++)
                sum[e] += b[e] / (double)rows;
        }
        mst_multiply(n, sum, sum, a);
        power(n, s, -0.5, r);
        congruent(n, r, a, s);
    }
}

/* Rows of different sizes and condition numbers: the same mean to ten digits of it, also with four starts. */
START_TEST(means_are_the_fixed_point)
{
    static const struct {
        size_t n, rows;
        double condition, scale;
    } cases[] = {{1, 5, 100, 1},   {2, 10, 100, 1}, {3, 20, 10, 1},     {3, 20, 1000, 1},
                 {3, 7, 30, 1e-6}, {4, 12, 50, 1},  {6, 30, 1000, 1e4}, {8, 20, 100, 1}};
    size_t n = cases[_i].n, rows = cases[_i].rows, D = n * n;
    dice d = {701 + (uint64_t)_i};
    mst_manifold *m;
    mst_score *source = source_of(n, &m);
    double *q = doubles(rows * D), want[SPD_ENTRIES];
    for (size_t i = 0; i < rows; i++)
        random_spd(&d, n, cases[_i].condition, cases[_i].scale, q + i * D);
    fixed_point(n, rows, q, want);
    mst_mean_result *r;
    ASSERT_OK(mst_mean_fit(&r, source, rows, q, NULL));
    ck_assert(r->converged && r->set_size == 1);
    double size = max_abs(D, want);
    for (size_t e = 0; e < D; e++)
        assert_near(r->mean[e], want[e], 1e-10 * size, "order %zu, %zu rows", n, rows);
    double sum = 0;
    for (size_t i = 0; i < rows; i++) {
        double distance;
        ASSERT_OK(mst_manifold_dist(m, 1, want, q + i * D, &distance));
        sum += distance * distance / (double)rows;
    }
    assert_near(r->variance, sum, 1e-10 * sum, "variance, order %zu", n);
    mst_mean_result_free(r);
    mst_score_free(source);
    mst_manifold_free(m);
    free(q);
}
END_TEST

/* Distances have the unit of the data: rows times c have the mean times c, and errors times √c, as recordings
 * in volts and microvolts have. */
START_TEST(means_do_not_depend_on_the_unit)
{
    enum { ORDER = 3, D = ORDER * ORDER, ROWS = 30 };
    dice d = {715};
    mst_manifold *m;
    mst_score *source = source_of(ORDER, &m);
    double q[ROWS * D], scaled[ROWS * D];
    for (size_t i = 0; i < ROWS; i++)
        random_spd(&d, ORDER, 50, 1, q + i * D);
    mst_mean_result *one, *other;
    ASSERT_OK(mst_mean_fit(&one, source, ROWS, q, NULL));
    for (int power_of_two = -88; power_of_two <= 88; power_of_two += 44) {
        for (size_t e = 0; e < ROWS * D; e++)
            scaled[e] = ldexp(q[e], power_of_two);
        ASSERT_OK(mst_mean_fit(&other, source, ROWS, scaled, NULL));
        ck_assert(other->converged && other->set_size == 1);
        for (size_t e = 0; e < D; e++)
            assert_near(ldexp(other->mean[e], -power_of_two), one->mean[e], 1e-10, "2^%d: mean",
                        power_of_two);
        assert_near(ldexp(other->standard_error, -power_of_two / 2), one->standard_error,
                    1e-5 * one->standard_error, "2^%d: error", power_of_two);
        mst_mean_result_free(other);
    }
    mst_mean_result_free(one);
    mst_score_free(source);
    mst_manifold_free(m);
}
END_TEST

/* Numbers: the square of the mean root. */
START_TEST(mean_of_numbers)
{
    mst_manifold *m;
    mst_score *source = source_of(1, &m);
    const double x[] = {1, 4, 9, 1e-8, 100};
    mst_mean_result *r;
    ASSERT_OK(mst_mean_fit(&r, source, 5, x, NULL));
    double want = (1 + 2 + 3 + 1e-4 + 10) / 5;
    assert_near(r->mean[0], want * want, 1e-12 * want * want, "mean");
    ck_assert(r->unique && r->converged);
    mst_mean_result_free(r);
    mst_score_free(source);
    mst_manifold_free(m);
}
END_TEST

/* Data T M T with random symmetric T of mean I have the mean M: 95 % regions hold it in 95 ± 3 % of 600 sets,
 * 3.4 standard deviations. */
START_TEST(regions_hold_the_mean)
{
    enum { ORDER = 2, D = ORDER * ORDER, ROWS = 150, SETS = 600 };
    dice d = {720};
    mst_manifold *m;
    mst_score *source = source_of(ORDER, &m);
    const double mean[D] = {4, 0.6, 0.6, 0.25};
    double *q = doubles((size_t)ROWS * D);
    size_t held = 0;
    for (size_t set = 0; set < SETS; set++) {
        for (size_t i = 0; i < ROWS; i++) {
            /* Off the diagonal, too: |a| ≤ 0.75, |b| ≤ 0.2 keep T positive definite. */
            double t[D] = {1 + dice_uniform(&d, -0.75, 0.75), dice_uniform(&d, -0.2, 0.2), 0,
                           1 + dice_uniform(&d, -0.75, 0.75)};
            t[2] = t[1];
            congruent(ORDER, t, mean, q + i * D);
        }
        mst_mean_options o = mst_mean_options_default();
        o.threads = 1;
        mst_mean_result *r;
        bool holds;
        ASSERT_OK(mst_mean_fit(&r, source, ROWS, q, &o));
        ASSERT_OK(mst_mean_region_holds(&holds, r, source, ROWS, q, &o, mean));
        held += holds;
        mst_mean_result_free(r);
    }
    double share = (double)held / SETS;
    ck_assert_msg(share >= 0.92 && share <= 0.98, "%.1f %% of the regions hold the mean",
                  100 * share);
    mst_score_free(source);
    mst_manifold_free(m);
    free(q);
}
END_TEST

/* Diagonal rows whose second root is about `thin`: the mean root. */
enum { THIN_ROWS = 20 };
static void thin_rows(dice *d, double thin, double *q, double *roots)
{
    roots[0] = roots[1] = 0;
    for (size_t i = 0; i < THIN_ROWS; i++) {
        double a = dice_uniform(d, 1, 2), b = thin * dice_uniform(d, 1, 2);
        roots[0] += a / THIN_ROWS;
        roots[1] += b / THIN_ROWS;
        memcpy(q + 4 * i, (double[4]){a * a, 0, 0, b * b}, 4 * sizeof *q);
    }
}

/* All rows nearly singular in the same direction: the mean is, too. It is right, or there is a failure that
 * says why. */
START_TEST(means_at_the_border)
{
    dice d = {730};
    mst_manifold *m;
    mst_score *source = source_of(2, &m);
    double q[THIN_ROWS * 4], roots[2];
    mst_mean_result *r;
    for (double thin = 1e-1; thin > 1e-9; thin /= 10) {
        thin_rows(&d, thin, q, roots);
        mst_status status = mst_mean_fit(&r, source, THIN_ROWS, q, NULL);
        ck_assert_msg(status == MST_OK || thin < 5e-3, "thin rows, %g", thin);
        if (status == MST_OK) {
            assert_near(r->mean[0], roots[0] * roots[0], 1e-10, "long axis, %g", thin);
            assert_near(r->mean[3], roots[1] * roots[1], 1e-9 * roots[1], "short axis, %g", thin);
            ck_assert(r->converged);
        } else {
            ck_assert_int_eq(status, MST_DOMAIN);
            ck_assert_ptr_nonnull(strstr(mst_error_detail(), "the border of spd:2?metric=bures"));
        }
        mst_mean_result_free(r);
    }
    mst_score_free(source);
    mst_manifold_free(m);
}
END_TEST

/* Nearly singular in different directions they have a mean in the midst: the same wherever the search starts,
 * and the gradient vanishes there. */
START_TEST(needles)
{
    enum { ROWS = 20, D = 4 };
    dice d = {731};
    mst_manifold *m;
    mst_score *source = source_of(2, &m);
    double q[ROWS * D], v[ROWS * D], base[ROWS * D], want[D], sum[D] = {0}, length;
    mst_mean_result *r;
    for (size_t i = 0; i < ROWS; i++) {
        double angle = dice_uniform(&d, 0, 3.14), c = cos(angle), s = sin(angle);
        memcpy(q + i * D, (double[D]){c * c + 1e-10, c * s, c * s, s * s + 1e-10}, D * sizeof *q);
    }
    ASSERT_OK(mst_mean_fit(&r, source, ROWS, q, NULL));
    fixed_point(2, ROWS, q, want);
    for (size_t e = 0; e < D; e++) /* roots of products of such matrices have six digits */
        assert_near(r->mean[e], want[e], 1e-6, "needles");
    ck_assert(r->mean[0] * r->mean[3] > 1e-3);
    for (size_t i = 0; i < ROWS; i++)
        memcpy(base + i * D, r->mean, sizeof want);
    ASSERT_OK(mst_manifold_log(m, ROWS, base, q, v, NULL));
    for (size_t e = 0; e < ROWS * D; e++)
        sum[e % D] += v[e] / ROWS;
    ASSERT_OK(mst_manifold_norm(m, 1, r->mean, sum, &length));
    assert_near(length, 0, 1e-8, "the mean logarithm");
    mst_mean_result_free(r);
    mst_score_free(source);
    mst_manifold_free(m);
}
END_TEST

int main(void)
{
    return RUN_SUITE("mean_bures", 120, {means_are_the_fixed_point, 8},
                     {means_do_not_depend_on_the_unit, 0}, {mean_of_numbers, 0},
                     {regions_hold_the_mean, 0}, {means_at_the_border, 0}, {needles, 0});
}
