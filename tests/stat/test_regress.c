/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Geodesic regression against linear regression in flat space, an independent implementation on the sphere,
 * and what it must keep whatever the space is. */
#include "base/linalg.h"
#include "stat/distributions.h"
#include "stat/regress_support.h"

#include <stdio.h>

/* n rows of k covariates with means that are not 0. */
static double *covariates(size_t n, size_t k, uint64_t seed)
{
    dice rng = {seed};
    double *x = doubles(n * k);
    for (size_t i = 0; i < n * k; i++)
        x[i] = 3 + 0.5 * (double)(i % k) + dice_normal(&rng);
    return x;
}

/* ---- Flat space ---- */

/* Ordinary least squares of column c of y on [1, x], by the normal equations of the centred columns: slopes
 * (k), and (XᵀX)⁻¹ of them. */
static void ordinary(size_t n, size_t k, size_t D, const double *x, const double *y, size_t c,
                     double *slopes, double *inverse, double *mean)
{
    double gram[9] = {0}, right[3] = {0}, centre[3] = {0}, unit[9] = {0};
    *mean = 0;
    for (size_t i = 0; i < n; i++) {
        *mean += y[i * D + c] / (double)n;
        for (size_t a = 0; a < k; a++)
            centre[a] += x[i * k + a] / (double)n;
    }
    for (size_t i = 0; i < n; i++)
        for (size_t a = 0; a < k; a++) {
            right[a] += (x[i * k + a] - centre[a]) * y[i * D + c];
            for (size_t b = 0; b < k; b++)
                gram[a * k + b] += (x[i * k + a] - centre[a]) * (x[i * k + b] - centre[b]);
        }
    for (size_t a = 0; a < k; a++)
        unit[a * k + a] = 1;
    ASSERT_OK(mst_solve(1, k, 1, gram, right, slopes, NULL));
    ASSERT_OK(mst_solve(1, k, k, gram, unit, inverse, NULL));
}

/* Estimates, errors, R² and Fisher's test are those of linear regression, to the tolerance of the climb. */
START_TEST(flat_space_is_linear_regression)
{
    enum { N = 60, K = 2, D = 3 };
    setting s = setting_open("euclidean:3");
    true_curve c = curve_at_random(&s, K, 0.4, 0.7, 3);
    double *x = covariates(N, K, 1), *y = doubles(N * D), rest = 0, without = 0, total = 0;
    ASSERT_OK(rows_about(&s, &c, N, x, 0, y));
    mst_regress_result *r = fit_curve(MST_OK, s.exact, N, y, K, x, NULL);
    ck_assert(r->converged && r->n == N && r->columns == K && r->parameters == D * (K + 1) + 1);
    for (size_t a = 0; a < D; a++) {
        double slopes[3], inverse[9], mean, one[3], ignored[9], first[N];
        ordinary(N, K, D, x, y, a, slopes, inverse, &mean);
        for (size_t i = 0; i < N; i++)
            first[i] = x[i * K];
        ordinary(N, 1, D, first, y, a, one, ignored, &mean);
        assert_near(r->intercept[a], mean, 1e-9, "intercept %zu", a);
        for (size_t j = 0; j < K; j++)
            assert_near(r->velocities[j * D + a], slopes[j], 1e-9, "velocity %zu of %zu", a, j);
        for (size_t i = 0; i < N; i++) {
            double e = y[i * D + a] - mean, f = e - one[0] * (x[i * K] - r->origin[0]);
            total += e * e;
            without += f * f;
            for (size_t j = 0; j < K; j++)
                e -= slopes[j] * (x[i * K + j] - r->origin[j]);
            rest += e * e;
        }
    }
    double sigma2 = rest / (N * D), unbiased = rest / (D * (N - K - 1));
    assert_near(r->noise, sigma2, 1e-8 * sigma2, "noise");
    assert_near(r->noise_unbiased, unbiased, 1e-8 * unbiased, "unbiased noise");
    assert_near(r->r_squared, 1 - rest / total, 1e-8, "R^2");
    double slopes[3], inverse[9], mean;
    ordinary(N, K, D, x, y, 0, slopes, inverse, &mean);
    for (size_t j = 0; j < K; j++)
        assert_near(r->standard_errors[(1 + j) * D], sqrt(unbiased * inverse[j * K + j]), 1e-6,
                    "error of velocity %zu", j);
    /* √(2/(n d)) is the error of log σ². */
    assert_near(r->noise_standard_error / r->noise, sqrt(2.0 / (N * D)), 1e-5,
                "error of the noise");
    const double degrees = D * (N - K - 1);
    assert_near(r->noise_low, degrees * unbiased / mst_chi_square_quantile(0.975, degrees),
                1e-4 * unbiased, "lower end of the noise");
    assert_near(r->noise_high, degrees * unbiased / mst_chi_square_quantile(0.025, degrees),
                1e-4 * unbiased, "upper end of the noise");
    assert_near(r->interval_factor, sqrt(mst_f_quantile(0.95, 1, D * (N - K - 1))), 1e-9,
                "interval");
    double f = (without - rest) / D / (rest / (D * (N - K - 1)));
    assert_near(r->p_values[1], mst_f_survival(f, D, D * (N - K - 1)), 1e-7, "p value");
    double leverage = 0;
    for (size_t i = 0; i < N; i++)
        leverage += r->leverage[i];
    assert_near(leverage, K + 1, 1e-8, "sum of leverages");
    mst_regress_result_free(r);
    curve_free(&c);
    free(x);
    free(y);
    setting_close(&s);
}
END_TEST

/* Least squares is the same curve in flat space, with the robust covariance of linear regression (HC2). */
START_TEST(least_squares_has_robust_errors)
{
    enum { N = 50 };
    setting s = setting_open("euclidean:1");
    true_curve c = curve_at_random(&s, 1, 0.4, 0.7, 3);
    double *x = covariates(N, 1, 2), y[N], mean = 0, square = 0, middle = 0;
    ASSERT_OK(rows_about(&s, &c, N, x, 0, y));
    mst_regress_result *r = fit_curve(MST_OK, s.log, N, y, 1, x, NULL);
    for (size_t i = 0; i < N; i++)
        mean += x[i] / N;
    for (size_t i = 0; i < N; i++) {
        double z = x[i] - mean;
        square += z * z;
    }
    for (size_t i = 0; i < N; i++) {
        double z = x[i] - mean, e = y[i] - r->intercept[0] - z * r->velocities[0];
        middle += z * z * e * e / (1 - 1.0 / N - z * z / square);
    }
    assert_near(r->standard_errors[1], sqrt(middle) / square, 1e-8, "error");
    ck_assert(isnan(r->log_likelihood) && isnan(r->aic) && isnan(r->noise_standard_error));
    ck_assert_int_eq(r->whole.method, MST_REGRESS_WALD);
    mst_regress_result_free(r);
    curve_free(&c);
    free(x);
    setting_close(&s);
}
END_TEST

/* ---- The sphere, against another implementation ---- */

static double number_of(const char *text, const char *key, size_t index)
{
    const char *at = strstr(text, key);
    ck_assert_msg(at != NULL, "%s is missing", key);
    at += strlen(key);
    for (size_t k = 0;; k++) {
        at += strcspn(at, "-0123456789");
        char *end;
        double x = strtod(at, &end);
        if (k == index)
            return x;
        at = end;
    }
}

START_TEST(sphere_agrees_with_an_independent_fit)
{
    enum { N = 150 };
    char text[4000] = "", line[400];
    double x[N], y[3 * N];
    FILE *in = fopen(MST_TEST_DATA "/reference/regress_S2.csv", "r");
    ck_assert(in != NULL && fgets(line, sizeof line, in) != NULL);
    for (size_t i = 0; i < N; i++)
        ck_assert_int_eq(
            fscanf(in, "%lf,%lf,%lf,%lf", &x[i], &y[3 * i], &y[3 * i + 1], &y[3 * i + 2]), 4);
    fclose(in);
    in = fopen(MST_TEST_DATA "/reference/regress_S2.json", "r");
    ck_assert(in != NULL && fread(text, 1, sizeof text - 1, in) > 0);
    fclose(in);
    setting s = setting_open("sphere:2");
    mst_regress_result *r = fit_curve(MST_OK, s.exact, N, y, 1, x, NULL);
    for (size_t a = 0; a < 3; a++) {
        assert_near(r->intercept[a], number_of(text, "\"intercept\"", a), 1e-9, "intercept");
        assert_near(r->velocities[a], number_of(text, "\"velocity\"", a), 1e-10, "velocity");
    }
    assert_near(r->noise, number_of(text, "\"noise\"", 0), 1e-9, "noise");
    assert_near(r->log_likelihood, number_of(text, "\"log_likelihood\"", 0), 1e-8, "likelihood");
    mst_regress_result_free(r);
    setting_close(&s);
}
END_TEST

/* The exact kernel without its log p, as a network has none. */
static mst_status mute_values(const mst_score *s, const mst_pairs *pairs,
                              const mst_heat_values *out)
{
    mst_heat_values rest = *out;
    rest.log_p = NULL;
    return mst_score_evaluate(mst_score_data(s), pairs, &rest);
}

static void mute_describe(const mst_score *s, mst_score_info *info)
{
    *info = *mst_score_describe(mst_score_data(s));
    info->gives &= ~MST_GIVES_LOG_P;
}

/* Sources without log p have the same curve; their errors are robust, their tests Wald's. */
START_TEST(scores_alone_are_enough)
{
    enum { N = 60 };
    static const mst_score_ops mute = {
        .size = sizeof mute, .name = "mute", .describe = mute_describe, .evaluate = mute_values};
    setting s = setting_open("sphere:2");
    true_curve c = curve_at_random(&s, 1, 0.4, 0.05, 7);
    double x[N], y[3 * N];
    for (size_t i = 0; i < N; i++)
        x[i] = 2 * (double)i / (N - 1) - 1;
    ASSERT_OK(rows_about(&s, &c, N, x, 1, y));
    mst_score *source;
    ASSERT_OK(mst_score_new(&source, &mute, s.m, s.exact));
    mst_regress_result *known = fit_curve(MST_OK, s.exact, N, y, 1, x, NULL);
    mst_regress_result *r = fit_curve(MST_OK, source, N, y, 1, x, NULL);
    assert_near(gap(&s, r->intercept, known->intercept), 0, 1e-7, "intercept");
    assert_near(r->noise, known->noise, 1e-7, "noise");
    ck_assert(r->covariance_kind == MST_COVARIANCE_SANDWICH && r->whole.method == MST_REGRESS_WALD);
    ck_assert(isnan(r->log_likelihood) && isnan(r->aic) && isnan(r->bic));
    ck_assert(known->covariance_kind == MST_COVARIANCE_OBSERVED && r->whole.p_value < 1e-4);
    mst_regress_result_free(known);
    mst_regress_result_free(r);
    mst_score_free(source);
    curve_free(&c);
    setting_close(&s);
}
END_TEST

/* ---- Every space ---- */

typedef struct space_case {
    const char *spec, *source;
    double noise;
} space_case;
static const space_case spaces[] = {
    {"circle", "exact", 0.05},
    {"sphere:2", "exact", 0.05},
    {"sphere:3", "log", 0.03},
    {"hyperbolic:2", "exact", 0.1},
    {"so3", "exact", 0.05},
    {"spd:2", "exact", 0.05},
    {"spd:3", "log", 0.02},
    {"torus:2", "exact", 0.05},
    {"product(sphere:2,euclidean:1)", "exact", 0.05},
    {MST_TEST_DATA "/../../examples/manifolds/torus.manifold", "log", 0.01},
};
enum { SPACES = sizeof spaces / sizeof *spaces };

/* The truth is within five standard errors of every coordinate, which right code leaves once in a million;
 * and with one column another origin is the same curve. */
START_TEST(curves_are_recovered_from_any_origin)
{
    enum { N = 80 };
    const space_case *t = &spaces[_i];
    setting s = setting_open(t->spec);
    mst_score *source;
    ASSERT_OK(mst_score_open(&source, t->source, s.m));
    true_curve c = curve_at_random(&s, 1, 0.4, t->noise, 11);
    double x[N], *y = doubles(N * s.D), zero = 0, point[16], c0[16];
    for (size_t i = 0; i < N; i++)
        x[i] = 2 * (double)i / (N - 1) - 0.7;
    ASSERT_OK(rows_about(&s, &c, N, x, 3, y));
    mst_regress_options o = mst_regress_options_default();
    o.without_tests = true;
    mst_regress_result *r = fit_curve(MST_OK, source, N, y, 1, x, &o);
    o.origin = &zero;
    mst_regress_result *at_zero = fit_curve(MST_OK, source, N, y, 1, x, &o);
    /* Points of the two curves, which are found to a ten-thousandth of their error at least. */
    mst_prediction p = {.points = point};
    for (size_t i = 0; i < N; i += 20) {
        ASSERT_OK(mst_regress_predict(r, source, 1, &x[i], &p));
        assert_near(gap(&s, point, r->fitted + i * s.D), 0, 1e-9, "%s: fitted", t->spec);
        ASSERT_OK(mst_regress_predict(at_zero, source, 1, &x[i], &p));
        assert_near(gap(&s, point, r->fitted + i * s.D), 0, 1e-5 * sqrt(t->noise), "%s: origin",
                    t->spec);
    }
    double v[16];
    ASSERT_OK(mst_manifold_log(s.m, 1, at_zero->intercept, c.point, v, NULL));
    ASSERT_OK(mst_manifold_to_frame(s.m, 1, at_zero->intercept, v, c0));
    for (size_t a = 0; a < s.d; a++)
        assert_near(c0[a] / at_zero->standard_errors[a], 0, 5, "%s: intercept", t->spec);
    mst_regress_result_free(r);
    mst_regress_result_free(at_zero);
    curve_free(&c);
    free(y);
    mst_score_free(source);
    setting_close(&s);
}
END_TEST

/* ---- Noise ---- */

/* Log-linear noise is found where it is, within five standard errors, and tested. */
START_TEST(noise_may_depend_on_covariates)
{
    enum { N = 400 };
    setting s = setting_open("sphere:2");
    double x[N], y[3 * N], slope = 0.8;
    for (size_t i = 0; i < N; i++) {
        true_curve c = {
            .k = 1, .noise = 0, .point = (double[]){0, 0, 1}, .velocities = (double[]){0.3, 0, 0}};
        x[i] = 4 * (double)i / (N - 1) - 2;
        c.noise = 0.02 * exp(slope * x[i]);
        ASSERT_OK(rows_about(&s, &c, 1, &x[i], i, y + 3 * i));
    }
    mst_regress_options o = mst_regress_options_default();
    o.noise = MST_REGRESS_LOGLINEAR;
    mst_regress_result *r = fit_curve(MST_OK, s.exact, N, y, 1, x, &o);
    double error = r->standard_errors[r->parameters - 1];
    assert_near(r->noise_slopes[0], slope, 5 * error, "slope");
    /* Var(x) n d/2 is its information. */
    assert_near(error, 1 / sqrt(N * 4.0 / 3), 0.1 * error, "error of the slope");
    ck_assert(r->equal_noise.p_value < 1e-6 && r->p_values[0] < 1e-6);
    assert_near(r->fitted_noise[N - 1] / r->fitted_noise[0], exp(4 * r->noise_slopes[0]), 1e-6,
                "noise of the rows");
    mst_regress_result_free(r);
    setting_close(&s);
}
END_TEST

/* ---- Many coordinates ---- */

/* With more coordinates than rows the covariance says nothing, and permutations decide: clearly for a curve
 * that moves, and not for one that does not. */
START_TEST(permutations_where_rows_are_few)
{
    enum { N = 20, K = 1 };
    setting s = setting_open("euclidean:60");
    double x[N], *y = doubles(N * s.D);
    dice rng = {5};
    for (size_t i = 0; i < N; i++) {
        x[i] = (double)i;
        for (size_t a = 0; a < s.D; a++)
            y[i * s.D + a] = dice_normal(&rng) + (_i == 0 && a < 10 ? 0.3 * x[i] : 0);
    }
    mst_regress_result *r = fit_curve(MST_OK, s.log, N, y, K, x, NULL);
    ck_assert_int_eq(r->whole.method, MST_REGRESS_PERMUTATION);
    if (_i == 0)
        ck_assert(r->whole.p_value < 0.002);
    else
        ck_assert(r->whole.p_value > 0.05);
    mst_regress_result_free(r);
    free(y);
    setting_close(&s);
}
END_TEST

/* ---- Predictions ---- */

/* The band is that of linear regression in flat space, and a prediction region holds new points. */
START_TEST(bands_and_regions)
{
    enum { N = 60 };
    setting s = setting_open("euclidean:2");
    true_curve c = curve_at_random(&s, 1, 0.4, 0.5, 3);
    double *x = covariates(N, 1, 9), y[2 * N], point[2], noise, band, region, spread[4], at = 5;
    unsigned char beyond = 7;
    ASSERT_OK(rows_about(&s, &c, N, x, 0, y));
    mst_regress_result *r = fit_curve(MST_OK, s.exact, N, y, 1, x, NULL);
    mst_prediction p = {point, &noise, spread, &band, &region, &beyond};
    ASSERT_OK(mst_regress_predict(r, s.exact, 1, &at, &p));
    double square = 0, z = at - r->origin[0], nu = 2 * (N - 2);
    for (size_t i = 0; i < N; i++)
        square += (x[i] - r->origin[0]) * (x[i] - r->origin[0]);
    double h = 1.0 / N + z * z / square, f = mst_f_quantile(0.95, 2, nu);
    assert_near(point[0], r->intercept[0] + z * r->velocities[0], 1e-12, "point");
    assert_near(band, sqrt(2 * f * r->noise_unbiased * h), 1e-6, "band");
    assert_near(region, sqrt(2 * f * r->noise_unbiased * (1 + h)), 1e-6, "region");
    ck_assert(beyond == 0 && noise == r->noise_unbiased);
    mst_regress_result_free(r);
    curve_free(&c);
    free(x);
    setting_close(&s);
}
END_TEST

/* The transform of distances is uniform for the noise that is there, and far from it for half of that; with
 * the seed as it is. On spd:2 the law is simulated. */
START_TEST(calibration_knows_right_from_wrong)
{
    static const char *const specs[] = {"euclidean:3", "sphere:2", "hyperbolic:3", "spd:2",
                                        "circle"};
    enum { N = 300 };
    setting s = setting_open(specs[_i]);
    double *base = doubles(N * s.D), *y = doubles(N * s.D), noise[N], pit[N];
    for (size_t i = 0; i < N; i++) {
        mst_manifold_start(s.m, base + i * s.D);
        noise[i] = 0.1;
    }
    mst_brownian_options o = mst_brownian_options_default();
    ASSERT_OK(mst_brownian_endpoints(s.m, N, base, 0.1, &o, y));
    mst_calibration c;
    ASSERT_OK(mst_regress_calibrate(&c, s.m, N, y, base, noise, false, 1, pit));
    ck_assert_msg(c.p_value > 0.01, "%s: p %g", specs[_i], c.p_value);
    /* Three standard deviations of the mean of uniform numbers. */
    assert_near(c.mean, 0.5, 3 / sqrt(12.0 * N), "%s: mean", specs[_i]);
    for (size_t i = 0; i < N; i++)
        ck_assert(pit[i] >= 0 && pit[i] <= 1);
    double exact = c.p_value;
    ASSERT_OK(mst_regress_calibrate(&c, s.m, N, y, base, noise, true, 1, NULL));
    ck_assert(c.p_value > 0 && c.p_value <= exact + 0.05);
    for (size_t i = 0; i < N; i++)
        noise[i] = 0.05;
    ASSERT_OK(mst_regress_calibrate(&c, s.m, N, y, base, noise, false, 1, NULL));
    ck_assert(c.p_value < 1e-6 && c.mean > 0.6);
    noise[3] = 0;
    ASSERT_FAILS(MST_ARGUMENT, mst_regress_calibrate(&c, s.m, N, y, base, noise, false, 1, NULL));
    double radius;
    ASSERT_OK(mst_regress_radius(s.m, 1e-4, 0.95, &radius));
    assert_near(radius / sqrt(1e-4 * mst_chi_square_quantile(0.95, (double)s.d)), 1, 1e-3,
                "radius");
    free(base);
    free(y);
    setting_close(&s);
}
END_TEST

/* ---- Data without an answer ---- */

START_TEST(trouble_is_named)
{
    enum { N = 30 };
    setting s = setting_open("sphere:2");
    true_curve c = curve_at_random(&s, 1, 0.4, 0.05, 7);
    double x[3 * N], y[3 * N], z[N];
    const char *names[] = {"age", "size", "both"};
    mst_regress_options o = mst_regress_options_default();
    mst_regress_result *r;
    o.names = names;
    for (size_t i = 0; i < N; i++) {
        z[i] = 2 * (double)i / (N - 1) - 1;
        x[3 * i] = z[i];
        x[3 * i + 1] = sin(5.0 * (double)i);
        x[3 * i + 2] = 2 * z[i] - x[3 * i + 1];
    }
    ASSERT_OK(rows_about(&s, &c, N, z, 1, y));
    ASSERT_FAILS(MST_ARGUMENT, mst_regress_fit(&r, s.exact, N, y, 3, x, &o));
    ck_assert(strstr(mst_error_detail(), "\"both\" is a combination of age, size") != NULL);
    for (size_t i = 0; i < N; i++)
        x[i] = 4;
    ASSERT_FAILS(MST_ARGUMENT, mst_regress_fit(&r, s.exact, N, y, 1, x, &o));
    ck_assert(strstr(mst_error_detail(), "\"age\" is 4 in every row") != NULL);
    ASSERT_FAILS(MST_ARGUMENT, mst_regress_fit(&r, s.exact, 2, y, 1, z, &o));
    ck_assert(strstr(mst_error_detail(), "2 rows cannot determine") != NULL);
    ASSERT_FAILS(MST_ARGUMENT, mst_regress_fit(&r, s.exact, N, y, 0, z, &o));
    z[3] = NAN;
    ASSERT_FAILS(MST_ARGUMENT, mst_regress_fit(&r, s.exact, N, y, 1, z, &o));
    ck_assert(strstr(mst_error_detail(), "row 4") != NULL);
    o.noise = MST_REGRESS_LOGLINEAR;
    ASSERT_FAILS(MST_ARGUMENT, mst_regress_fit(&r, s.log, N, y, 1, x + N, &o));
    curve_free(&c);
    setting_close(&s);
}
END_TEST

/* Points on a curve have no noise: the likelihood has no maximum, least squares has. */
START_TEST(exact_curves_have_no_noise)
{
    enum { N = 20 };
    setting s = setting_open("sphere:2");
    true_curve c = curve_at_random(&s, 1, 0.4, 0, 7);
    double x[N], y[3 * N];
    for (size_t i = 0; i < N; i++)
        x[i] = (double)i / 10;
    ASSERT_OK(rows_about(&s, &c, N, x, 1, y));
    mst_regress_result *r = fit_curve(MST_CONVERGENCE, s.exact, N, y, 1, x, NULL);
    ck_assert(r->noise_limit == MST_TIME_ZERO && !r->converged);
    mst_regress_result_free(r);
    r = fit_curve(MST_OK, s.log, N, y, 1, x, NULL);
    assert_near(r->r_squared, 1, 1e-12, "R^2");
    mst_regress_result_free(r);
    curve_free(&c);
    setting_close(&s);
}
END_TEST

/* A curve that goes round the circle more than once passes the cut locus of its intercept; predictions far
 * out do as well. */
START_TEST(cut_locus_is_told)
{
    enum { N = 100 };
    setting s = setting_open("circle");
    true_curve c = {.k = 1, .noise = 0.01, .point = (double[]){0.3}, .velocities = (double[]){2}};
    double x[N], y[N], far[2] = {0.5, 9};
    unsigned char beyond[2];
    for (size_t i = 0; i < N; i++)
        x[i] = 4 * (double)i / (N - 1) - 2;
    ASSERT_OK(rows_about(&s, &c, N, x, 1, y));
    mst_regress_result *r = fit_curve(MST_OK, s.exact, N, y, 1, x, NULL);
    assert_near(r->velocities[0], 2, 0.1, "velocity");
    ck_assert((r->notes & MST_REGRESS_BEYOND_CUT) != 0 && r->beyond_cut > 10 &&
              r->first_beyond == 0);
    mst_prediction p = {.beyond = beyond};
    ASSERT_OK(mst_regress_predict(r, s.exact, 2, far, &p));
    ck_assert(beyond[0] == 0 && beyond[1] == 1);
    mst_regress_result_free(r);
    setting_close(&s);
}
END_TEST

int main(void)
{
    return RUN_SUITE(
        "regression", 120, {flat_space_is_linear_regression, 0},
        {least_squares_has_robust_errors, 0}, {sphere_agrees_with_an_independent_fit, 0},
        {scores_alone_are_enough, 0}, {curves_are_recovered_from_any_origin, SPACES},
        {noise_may_depend_on_covariates, 0}, {permutations_where_rows_are_few, 2},
        {bands_and_regions, 0}, {calibration_knows_right_from_wrong, 5}, {trouble_is_named, 0},
        {exact_curves_have_no_noise, 0}, {cut_locus_is_told, 0});
}
