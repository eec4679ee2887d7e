/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Fréchet means of positive definite matrices by their own way (manifold/spd_mean.c): closed forms,
 * invariances, the climb row by row, and errors against it. */
#include "base/linalg.h"
#include "manifold/spd_kernels.h"
#include "stat/mean_support.h"

enum { ORDERS = 5 };
static const size_t orders[ORDERS] = {2, 3, 5, 12, 33};

static setting setting_of_order(size_t n)
{
    mst_manifold *m;
    ASSERT_OK(mst_spd_new(&m, n));
    return setting_of(m);
}

/* The gradient of the mean squared distance, halved, through LAPACK: its length. */
static double gradient_of(size_t n, size_t count, const double *x, const double *weights,
                          const double *mean)
{
    size_t D = n * n;
    mst_manifold *plain;
    ASSERT_OK(mst_spd_plain_new(&plain, n));
    double *v = doubles(D), *sum = doubles(D), total = 0, square;
    memset(sum, 0, D * sizeof *sum);
    for (size_t i = 0; i < count; i++) {
        double w = weights != NULL ? weights[i] : 1;
        ASSERT_OK(mst_manifold_log(plain, 1, mean, x + i * D, v, NULL));
        for (size_t k = 0; k < D; k++)
            sum[k] += w * v[k];
        total += w;
    }
    ASSERT_OK(mst_manifold_inner(plain, 1, mean, sum, sum, &square));
    mst_manifold_free(plain);
    free(v), free(sum);
    return sqrt(square) / total;
}

START_TEST(gradient_vanishes)
{
    enum { N = 23 };
    setting s = setting_of_order(orders[_i]);
    double *x = draw(&s, N, NULL, 0.4, 61), weights[N];
    mst_mean_options o = mst_mean_options_default();
    for (size_t i = 0; i < N; i++)
        weights[i] = (double)(i % 4);
    for (int weighted = 0; weighted < 2; weighted++) {
        o.weights = weighted ? weights : NULL;
        mst_mean_result *r = fit(s.log, N, x, &o);
        ck_assert(r->unique && r->uniqueness == MST_UNIQUENESS_PROVEN);
        ck_assert(gradient_of(orders[_i], N, x, o.weights, r->mean) < 1e-9);
        mst_mean_result_free(r);
    }
    free(x);
    setting_close(&s);
}
END_TEST

/* Of two points the middle of the geodesic. */
START_TEST(of_two_points)
{
    setting s = setting_of_order(orders[_i]);
    double *x = draw(&s, 2, NULL, 0.1, 62), *v = doubles(s.D), *middle = doubles(s.D);
    mst_mean_options o = mst_mean_options_default();
    ASSERT_OK(mst_manifold_log(s.m, 1, x, x + s.D, v, NULL));
    for (size_t k = 0; k < s.D; k++)
        v[k] /= 2;
    ASSERT_OK(mst_manifold_exp(s.m, 1, x, v, middle));
    mst_mean_result *r = fit(s.log, 2, x, &o);
    assert_near(gap(&s, r->mean, middle), 0, 1e-9, "the middle");
    mst_mean_result_free(r);
    free(x), free(v), free(middle);
    setting_close(&s);
}
END_TEST

/* A Xᵢ Aᵀ has the mean A M Aᵀ, and Xᵢ⁻¹ the mean M⁻¹; distances stay, and so do errors. */
START_TEST(invariances)
{
    enum { N = 17 };
    size_t n = orders[_i], D = n * n;
    setting s = setting_of_order(n);
    dice d = {63};
    double *x = draw(&s, N, NULL, 0.4, 64), *moved = doubles(N * D), *inverse = doubles(N * D);
    double *a = doubles(4 * D), *b = a + D, *want = b + D, *opposite = want + D;
    for (size_t k = 0; k < D; k++)
        a[k] = 1e-14 * (dice_normal(&d) + (k % (n + 1) == 0 ? 3 : 0));
    for (size_t i = 0; i < N; i++) {
        mst_multiply(n, a, x + i * D, b);
        mst_multiply_nt(n, b, a, moved + i * D);
        ck_assert(mst_dense_cholesky(n, x + i * D, inverse + i * D));
        mst_dense_cholesky_invert(n, inverse + i * D);
    }
    ASSERT_OK(mst_manifold_project(s.m, N, moved, moved));
    mst_mean_options o = mst_mean_options_default();
    mst_mean_result *r = fit(s.log, N, x, &o), *other = fit(s.log, N, moved, &o),
                    *third = fit(s.log, N, inverse, &o);
    mst_multiply(n, a, r->mean, b);
    mst_multiply_nt(n, b, a, want);
    ASSERT_OK(mst_manifold_project(s.m, 1, want, want));
    ck_assert(mst_dense_cholesky(n, r->mean, opposite));
    mst_dense_cholesky_invert(n, opposite);
    assert_near(gap(&s, other->mean, want), 0, 1e-9, "congruence");
    assert_near(gap(&s, third->mean, opposite), 0, 1e-9, "inversion");
    assert_near(other->variance / r->variance, 1, 1e-9, "variance");
    assert_near(third->variance / r->variance, 1, 1e-9, "variance of inverses");
    assert_near(other->standard_error / r->standard_error, 1, 1e-3, "standard error");
    mst_mean_result_free(r);
    mst_mean_result_free(other);
    mst_mean_result_free(third);
    free(x), free(moved), free(inverse), free(a);
    setting_close(&s);
}
END_TEST

/* Diagonal matrices: the geometric means of their entries; the covariance is that of the logarithms. */
START_TEST(of_diagonal_matrices)
{
    enum { N = 40, ORDER = 6, D = ORDER * ORDER };
    setting s = setting_of_order(ORDER);
    dice d = {65};
    double x[N * D] = {0}, mean[ORDER] = {0}, square = 0;
    for (size_t i = 0; i < N; i++)
        for (size_t k = 0; k < ORDER; k++) {
            double value = 2 * dice_normal(&d);
            x[i * D + k * (ORDER + 1)] = exp(value);
            mean[k] += value / N;
        }
    for (size_t i = 0; i < N; i++)
        for (size_t k = 0; k < ORDER; k++)
            square += pow(log(x[i * D + k * (ORDER + 1)]) - mean[k], 2);
    mst_mean_options o = mst_mean_options_default();
    mst_mean_result *r = fit(s.log, N, x, &o);
    for (size_t k = 0; k < D; k++)
        assert_near(r->mean[k] / exp(mean[k / ORDER]), k % (ORDER + 1) == 0 ? 1 : 0, 1e-9,
                    "entry %zu", k);
    assert_near(r->variance, square / N, 1e-9 * square, "variance");
    /* The Hessian is 1 along diagonal directions, and the rows' gradients lie in them. */
    assert_near(r->standard_error, sqrt(square) / N, 1e-9 * sqrt(square), "standard error");
    mst_mean_result_free(r);
    setting_close(&s);
}
END_TEST

/* The climb row by row, which `iterations` asks for, has the same mean and, by
 * differences, the same errors. */
START_TEST(as_the_climb)
{
    enum { N = 30 };
    setting s = setting_of_order(orders[_i % 3]);
    double *x = draw(&s, N, NULL, 0.5, 66);
    mst_mean_options o = mst_mean_options_default();
    mst_mean_result *r = fit(s.log, N, x, &o);
    o.iterations = 100;
    mst_mean_result *other = fit(s.log, N, x, &o);
    assert_same_fit(&s, r, other, 1e-9, "by rows");
    assert_near(r->variance, other->variance, 1e-9, "variance");
    for (size_t k = 0; k < s.d * s.d; k++)
        assert_near(r->covariance[k], other->covariance[k], 1e-6 * r->standard_error, "covariance");
    mst_mean_result_free(r);
    mst_mean_result_free(other);
    free(x);
    setting_close(&s);
}
END_TEST

START_TEST(threads_do_not_change_a_bit)
{
    enum { N = 41 };
    setting s = setting_of_order(13);
    double *x = draw(&s, N, NULL, 0.5, 67);
    mst_mean_options o = mst_mean_options_default();
    o.threads = 1;
    mst_mean_result *one = fit(s.log, N, x, &o);
    o.threads = 3;
    mst_mean_result *three = fit(s.log, N, x, &o);
    ck_assert_mem_eq(one->mean, three->mean, s.D * sizeof *one->mean);
    ck_assert(one->variance == three->variance && one->standard_error == three->standard_error);
    mst_mean_result_free(one);
    mst_mean_result_free(three);
    free(x);
    setting_close(&s);
}
END_TEST

/* Nearly singular matrices, of condition 1e10 and more, and scales from 1e-27 to 1e5: rounding ends the steps
 * before the tolerance does, and the answer is right to what the digits allow. */
START_TEST(wild_matrices)
{
    enum { N = 12, ORDER = 9, D = ORDER * ORDER, FREEDOM = ORDER + 1 };
    setting s = setting_of_order(ORDER);
    dice d = {68};
    double x[N * D], g[ORDER * FREEDOM];
    for (size_t i = 0; i < N; i++) {
        for (size_t k = 0; k < ORDER * FREEDOM; k++)
            g[k] = dice_normal(&d) * pow(10, -4 * (double)(k / FREEDOM) / ORDER);
        for (size_t a = 0; a < ORDER; a++)
            for (size_t b = 0; b <= a; b++)
                x[i * D + a * ORDER + b] = x[i * D + b * ORDER + a] =
                    (i % 2 == 0 ? 1e-27 : 1e5) * dot(FREEDOM, g + a * FREEDOM, g + b * FREEDOM);
    }
    mst_mean_options o = mst_mean_options_default();
    mst_mean_result *r = fit(s.log, N, x, &o);
    ck_assert(gradient_of(ORDER, N, x, NULL, r->mean) < 1e-7 * sqrt(r->variance));
    mst_mean_result_free(r);
    setting_close(&s);
}
END_TEST

START_TEST(all_points_are_one)
{
    enum { N = 7, ORDER = 7, D = ORDER * ORDER };
    setting s = setting_of_order(ORDER);
    double *one = draw(&s, 1, NULL, 1, 69), x[N * D];
    for (size_t i = 0; i < N; i++)
        memcpy(x + i * D, one, D * sizeof *x);
    mst_mean_options o = mst_mean_options_default();
    mst_mean_result *r = fit(s.log, N, x, &o);
    assert_near(gap(&s, r->mean, one), 0, 1e-12, "the point");
    ck_assert_int_eq(r->no_errors, MST_ERRORS_TOO_FEW_ROWS);
    mst_mean_result_free(r);
    free(one);
    setting_close(&s);
}
END_TEST

int main(void)
{
    return RUN_SUITE("means of matrices", 60, {gradient_vanishes, ORDERS}, {of_two_points, ORDERS},
                     {invariances, ORDERS}, {of_diagonal_matrices, 0}, {as_the_climb, 3},
                     {threads_do_not_change_a_bit, 0}, {wild_matrices, 0}, {all_points_are_one, 0});
}
