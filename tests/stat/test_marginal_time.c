/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* The likelihood of the time alone: shapes of peaks against quadrature, the integral over all means against
 * quadrature and simulation, and the interval that follows. */
#include "stat/distributions.h"
#include "stat/marginal_time.h"
#include "stat/mean_support.h"
#include "stat/peak.h"

/* ---- Shapes ---- */

/* The mean of e^(k cos r − k) over a sphere, by the midpoint rule. */
START_TEST(shapes_of_von_mises_and_fisher)
{
    static const double sharpness[] = {0, 0.01, 1, 7, 50, 59, 61, 400, 3000};
    for (size_t m = 1; m <= 50; m += 7)
        for (size_t i = 0; i < sizeof sharpness / sizeof *sharpness; i++) {
            enum { NODES = 40000 };
            double k = sharpness[i], sum = 0, area = 0;
            for (size_t j = 0; j < NODES; j++) {
                double r = M_PI * ((double)j + 0.5) / NODES, w = pow(sin(r), (double)m - 1);
                sum += w * exp(k * (cos(r) - 1));
                area += w;
            }
            assert_near(peak_log_bessel(((double)m - 1) / 2, k), log(sum / area), 1e-7,
                        "dimension %zu, k = %g", m, k);
        }
}
END_TEST

/* S = s I: tr R = 1 + 2 cos θ, and θ has the density (1 − cos θ)/π. Two equal to s and one −s is the same
 * space turned: a rotation by π about an axis takes diag(s, s, −s) … to itself, and the
 * sharp limit is Laplace's. */
START_TEST(shapes_of_the_matrix_fisher_law)
{
    enum { NODES = 40000 };
    for (double s = 0.01; s < 2e3; s *= 10) {
        double sum = 0;
        for (size_t j = 0; j < NODES; j++) {
            double r = M_PI * ((double)j + 0.5) / NODES;
            sum += (1 - cos(r)) / NODES * exp(2 * s * (cos(r) - 1));
        }
        assert_near(peak_log_fisher(s, s, s), log(sum), 1e-8, "s = %g", s);
    }
    /* (2π)^(3/2)/(8π² √((s1+s2)(s1+s3)(s2+s3))) */
    double laplace = 1.5 * log(2 * M_PI) - log(8 * M_PI * M_PI) - 0.5 * log(5e4 * 4e4 * 3e4);
    assert_near(peak_log_fisher(3e4, 2e4, 1e4), laplace, 1e-4, "sharp");
}
END_TEST

/* ---- The integral ---- */

typedef struct curve_case {
    const char *spec;
    size_t n;
    double time, tolerance;
} curve_case;

/* How far the shapes may be from the truth: the interval falls by 1.92. Spread-out laws, where Laplace's
 * method would be off by any amount, and concentrated ones. */
static const curve_case curves[] = {
    {"circle", 200, 3, 0.01},   {"circle", 60, 1, 0.01},
    {"sphere:2", 100, 3, 0.03}, {"sphere:2", 60, 1, 0.05},
    {"so3", 100, 2, 0.05},      {"torus:2", 100, 2.5, 0.02},
    {"sphere:5", 100, 1, 0.15}, {"product(sphere:2,circle)", 100, 2.5, 0.15}};
enum { CURVES = sizeof curves / sizeof *curves };

/* log of the mean over μ of Π p_t(x_i, μ) V, by random μ; on the circle by an even grid. */
static double integral(const setting *s, size_t n, const double *x, double t)
{
    enum { DRAWS = 40000 };
    double *mu = doubles(DRAWS * s->D), *log_p = doubles(n), *sums = doubles(DRAWS),
           best = -INFINITY, mean = 0, volume = 0;
    stat_pieces pieces;
    ASSERT_OK(stat_pieces_new(&pieces, s->m));
    for (size_t k = 0; k < pieces.count; k++)
        volume += stat_log_volume(&pieces.piece[k]);
    stat_pieces_free(&pieces);
    ASSERT_OK(mst_manifold_random_point(s->m, (mst_random){3, 3}, 0, DRAWS, mu));
    for (size_t k = 0; k < DRAWS && s->D == 1; k++)
        mu[k] = 2 * M_PI * (double)k / DRAWS;
    for (size_t k = 0; k < DRAWS; k++) {
        mst_pairs pairs = {.n = n, .x = x, .y = mu + k * s->D, .t = &t};
        ASSERT_OK(mst_score_evaluate(s->exact, &pairs, &(mst_heat_values){.log_p = log_p}));
        sums[k] = 0;
        for (size_t i = 0; i < n; i++)
            sums[k] += log_p[i] + volume;
        best = fmax(best, sums[k]);
    }
    for (size_t k = 0; k < DRAWS; k++)
        mean += exp(sums[k] - best) / DRAWS;
    free(mu), free(log_p), free(sums);
    return best + log(mean);
}

START_TEST(the_integral_is_that_of_all_means)
{
    const curve_case *c = &curves[_i];
    setting s = setting_open(c->spec);
    double *x = draw(&s, c->n, NULL, c->time, 17);
    mst_mean_result *r = fit(s.exact, c->n, x, NULL);
    fit_rows rows = {.n = c->n, .x = x};
    fit_means model = fit_one_mean(s.exact, &rows, true, 1);
    stat_pieces pieces;
    ASSERT_OK(stat_pieces_new(&pieces, s.m));
    for (double factor = 0.8; factor < 2; factor *= 1.5) {
        double t = factor * r->time, value;
        ASSERT_OK(marginal_time_value(&model, &pieces, r->mean, t, &value));
        /* The simulated integral has an error of its own where the peak is narrow. */
        assert_near(value, integral(&s, c->n, x, t), c->tolerance + 0.02, "%s: t = %g", c->spec, t);
    }
    stat_pieces_free(&pieces);
    mst_mean_result_free(r);
    free(x);
    setting_close(&s);
}
END_TEST

/* ---- What a fit says ---- */

/* 2000 points on S⁵⁰ at time 0.3: the fitted time is half of that, with an error of 4 %. */
START_TEST(data_that_say_nothing)
{
    setting s = setting_open("sphere:50");
    enum { N = 2000 };
    double *x = doubles(N * s.D);
    for (size_t i = 0; i < N; i++)
        mst_manifold_start(s.m, x + i * s.D);
    mst_brownian_options b = mst_brownian_options_default();
    b.method = MST_BROWNIAN_EXACT;
    b.seed = 4;
    ASSERT_OK(mst_brownian_endpoints(s.m, N, x, 0.3, &b, x));
    mst_mean_result *r = fit(s.exact, N, x, NULL);
    ck_assert_double_lt(r->time + 5 * r->time_standard_error, 0.3);
    ck_assert((r->notes & MST_NOTE_TIME_BIASED) != 0);
    ck_assert_msg(r->time_low < 0.3 && isinf(r->time_high), "%g to %g", r->time_low, r->time_high);
    ck_assert(r->time_corrected > 1.1 * r->time);
    mst_mean_result_free(r);
    free(x);
    setting_close(&s);
}
END_TEST

/* Concentrated data: the usual interval but for terms of order 1/n. */
START_TEST(concentrated_data_have_the_usual_interval)
{
    static const char *const specs[] = {"circle",
                                        "sphere:2",
                                        "sphere:5",
                                        "so3",
                                        "torus:3",
                                        "hyperbolic:2",
                                        "product(sphere:2,euclidean:1)",
                                        "spd:2"};
    for (size_t k = 0; k < 8; k++) {
        setting s = setting_open(specs[k]);
        enum { N = 2000 };
        double *x = draw(&s, N, NULL, 0.1, 6);
        mst_mean_result *r = fit(s.exact, N, x, NULL);
        double error = r->time_standard_error / r->time;
        assert_near(log(r->time_low / r->time), -1.96 * error, 0.1 * error, "%s: low", specs[k]);
        assert_near(log(r->time_high / r->time), 1.96 * error, 0.1 * error, "%s: high", specs[k]);
        /* The mean costs one row. */
        assert_near(r->time_corrected / r->time - 1, 1.0 / N, 0.4 / N, "%s: corrected", specs[k]);
        ck_assert((r->notes & MST_NOTE_TIME_BIASED) == 0);
        mst_mean_result_free(r);
        free(x);
        setting_close(&s);
    }
}
END_TEST

START_TEST(where_it_is_not_known_nothing_is_said)
{
    setting s = setting_open("sphere:2");
    double *x = draw(&s, 100, NULL, 0.5, 7);
    mst_mean_options o = mst_mean_options_default();
    o.time = 0.5;
    mst_mean_result *r = fit(s.exact, 100, x, &o);
    ck_assert(isnan(r->time_corrected) && isnan(r->time_low));
    mst_mean_result_free(r);
    r = fit(s.log, 100, x, NULL);
    ck_assert(isnan(r->time_corrected) && (r->notes & MST_NOTE_TIME_BIASED) == 0);
    mst_mean_result_free(r);
    free(x);
    setting_close(&s);
}
END_TEST

/* The interval is where the likelihood has fallen by half the quantile, and a robust one holds both. */
START_TEST(intervals_end_where_the_likelihood_falls)
{
    setting s = setting_open("sphere:10");
    enum { N = 300 };
    double *x = draw(&s, N, NULL, 0.45, 9);
    mst_mean_options o = mst_mean_options_default();
    mst_mean_result *r = fit(s.exact, N, x, &o);
    fit_rows rows = {.n = N, .x = x};
    fit_means model = fit_one_mean(s.exact, &rows, true, 1);
    stat_pieces pieces;
    double top, low, high;
    ASSERT_OK(stat_pieces_new(&pieces, s.m));
    ASSERT_OK(marginal_time_value(&model, &pieces, r->mean, r->time_corrected, &top));
    ASSERT_OK(marginal_time_value(&model, &pieces, r->mean, r->time_low, &low));
    ck_assert(isfinite(r->time_high) && r->time_corrected > r->time);
    ASSERT_OK(marginal_time_value(&model, &pieces, r->mean, r->time_high, &high));
    double half = 0.5 * mst_chi_square_quantile(0.95, 1);
    assert_near(top - low, half, 0.01 * half, "low");
    assert_near(top - high, half, 0.01 * half, "high");
    for (double f = 0.9; f < 1.2; f += 0.05) {
        double beside;
        ASSERT_OK(marginal_time_value(&model, &pieces, r->mean, f * r->time_corrected, &beside));
        ck_assert_double_le(beside, top + 1e-4);
    }
    o.covariance = MST_COVARIANCE_SANDWICH;
    mst_mean_result *robust = fit(s.exact, N, x, &o);
    ck_assert(robust->time_low <= 1.001 * r->time_low && robust->time_high >= 0.999 * r->time_high);
    ck_assert(robust->time_low < robust->time);
    stat_pieces_free(&pieces);
    mst_mean_result_free(robust);
    mst_mean_result_free(r);
    free(x);
    setting_close(&s);
}
END_TEST

int main(void)
{
    return RUN_SUITE(
        "marginal_time", 120, {shapes_of_von_mises_and_fisher, 0},
        {shapes_of_the_matrix_fisher_law, 0}, {the_integral_is_that_of_all_means, CURVES},
        {data_that_say_nothing, 0}, {concentrated_data_have_the_usual_interval, 0},
        {where_it_is_not_known_nothing_is_said, 0}, {intervals_end_where_the_likelihood_falls, 0});
}
