/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Errors of means whose likelihood is simulated: what the random numbers of the source do is in them. */
#include "stat/mean_search.h"
#include "stat/mean_support.h"

#include <lapacke.h>
#include <math.h>

enum { ROWS = 60 };

static mst_score *bridges(const setting *s, size_t paths, uint64_t seed)
{
    mst_bridge_options b = mst_bridge_options_default();
    mst_score *source;
    b.paths = paths;
    b.steps = 8;
    b.seed = seed;
    ASSERT_OK(mst_score_bridge_new(&source, s->m, &b));
    return source;
}

/* The spread that two seeds tell, against that of the gradients of many: a sum of d + 1 = 6 variances of 160
 * gradients is right to √(2/160/6), 4.6 %, and the estimate from 60 rows to √(2/60/6), 7.5 %, if all six
 * count alike; the tail of the weights doubles that. Right code fails at 40 % once in a hundred or less. */
START_TEST(spread_of_gradients)
{
    enum { SEEDS = 160 };
    setting s = setting_open("sphere:5");
    double *x = draw(&s, ROWS, NULL, 0.5, 61), state[7], gradient[6], sum[6] = {0}, square[6] = {0},
           outer[36], told = 0, seen = 0;
    mst_manifold_start(s.m, state);
    state[6] = 0.5;
    fit_rows rows = {.n = ROWS, .x = x};
    for (size_t k = 0; k < SEEDS; k++) {
        mst_score *source = bridges(&s, 3, 100 + k);
        fit_means model = fit_one_mean(source, &rows, true, 1);
        fit_sums sums = {.gradient = gradient};
        ASSERT_OK(fit_evaluate(&model.model, state, &sums));
        for (size_t a = 0; a < 6; a++) {
            sum[a] += gradient[a];
            square[a] += gradient[a] * gradient[a];
        }
        if (k < 4) {
            bool random;
            ASSERT_OK(mean_simulation_spread(&model, state, outer, &random));
            ck_assert(random);
            for (size_t a = 0; a < 6; a++)
                told += outer[7 * a] / 4;
        }
        mst_score_free(source);
    }
    for (size_t a = 0; a < 6; a++)
        seen += (square[a] - sum[a] * sum[a] / SEEDS) / (SEEDS - 1);
    assert_near(told / seen, 1, 0.4, "variance of the gradient");
    free(x);
    setting_close(&s);
}
END_TEST

/* How far estimates of 24 seeds scatter, 120 squares, right to √(2/120) = 13 %, against C B C, C the
 * covariance by the exact kernel and B the spread of the gradient. */
START_TEST(estimates_of_many_seeds)
{
    enum { SEEDS = 24, d = 5 };
    setting s = setting_open("sphere:5");
    double *x = draw(&s, ROWS, NULL, 0.5, 61), scatter = 0, told = 0, sum[6] = {0}, state[7],
           outer[36];
    mst_mean_options o = mst_mean_options_default();
    o.starts = 1;
    o.tolerance = 1e-6;
    mst_mean_result *exact = fit(s.exact, ROWS, x, &o);
    memcpy(state, exact->mean, 6 * sizeof *state);
    state[6] = exact->time;
    fit_rows rows = {.n = ROWS, .x = x};
    for (size_t k = 0; k < SEEDS; k++) {
        mst_score *source = bridges(&s, 6, 300 + k);
        mst_mean_result *r = fit(source, ROWS, x, &o);
        for (size_t a = 0; a < 6; a++) {
            sum[a] += r->mean[a];
            scatter += r->mean[a] * r->mean[a] / (SEEDS - 1);
        }
        fit_means model = fit_one_mean(source, &rows, true, 1);
        bool random;
        ASSERT_OK(mean_simulation_spread(&model, state, outer, &random));
        for (size_t a = 0; a < d; a++)
            for (size_t b = 0; b < d; b++)
                for (size_t c = 0; c < d; c++)
                    told += exact->covariance[a * d + b] * outer[b * 6 + c] *
                            exact->covariance[c * d + a] / SEEDS;
        mst_mean_result_free(r);
        mst_score_free(source);
    }
    for (size_t a = 0; a < 6; a++)
        scatter -= sum[a] * sum[a] / SEEDS / (SEEDS - 1);
    assert_near(told / scatter, 1, 0.5, "variance of the mean by the bridges");
    mst_mean_result_free(exact);
    free(x);
    setting_close(&s);
}
END_TEST

/* The covariance of a fit is A + A B A with A⁻¹ = −H, H at its own mean or within 0.03 natural units of it,
 * where t, and with it H, is the same to 3 %. */
START_TEST(errors_count_the_bridges)
{
    enum { d = 5, q = 6 };
    setting s = setting_open("sphere:5");
    double *x = draw(&s, ROWS, NULL, 0.5, 61), state[7], gradient[q], a[q * q], noise[q * q],
           with = 0;
    mst_score *source = bridges(&s, 4, 7);
    mst_mean_options o = mst_mean_options_default();
    o.starts = 1;
    o.tolerance = 1e-6;
    mst_mean_result *r = fit(source, ROWS, x, &o);
    memcpy(state, r->mean, 6 * sizeof *state);
    state[6] = r->time;
    fit_rows rows = {.n = ROWS, .x = x};
    fit_means model = fit_one_mean(source, &rows, true, 1);
    fit_sums sums = {.gradient = gradient, .hessian = a};
    bool random;
    ASSERT_OK(fit_evaluate(&model.model, state, &sums));
    ASSERT_OK(mean_simulation_spread(&model, state, noise, &random));
    for (size_t k = 0; k < q * q; k++)
        a[k] = -a[k];
    ck_assert_int_eq(LAPACKE_dpotrf(LAPACK_ROW_MAJOR, 'L', q, a, q), 0);
    ck_assert_int_eq(LAPACKE_dpotri(LAPACK_ROW_MAJOR, 'L', q, a, q), 0);
    for (size_t i = 0; i < q; i++)
        for (size_t k = i + 1; k < q; k++)
            a[i * q + k] = a[k * q + i];
    for (size_t i = 0; i < d; i++)
        for (size_t k = 0; k < d; k++) {
            double want = a[i * q + k];
            for (size_t u = 0; u < q; u++)
                for (size_t v = 0; v < q; v++)
                    want += a[i * q + u] * noise[u * q + v] * a[v * q + k];
            with += i == k ? want - a[i * q + i] : 0;
            assert_near(r->covariance[i * d + k], want, 0.05 * a[0], "covariance (%zu, %zu)", i, k);
        }
    ck_assert_msg(with > 0, "the bridges add %g", with);
    mst_mean_result_free(r);
    mst_score_free(source);
    free(x);
    setting_close(&s);
}
END_TEST

/* Sources without random numbers have nothing to add. */
START_TEST(others_are_not_random)
{
    setting s = setting_open("sphere:2");
    double x[3] = {0, 0, 1}, state[4] = {0, 0, 1, 0.5}, outer[9];
    fit_rows rows = {.n = 1, .x = x};
    fit_means model = fit_one_mean(s.exact, &rows, true, 1);
    bool random = true;
    ASSERT_OK(mean_simulation_spread(&model, state, outer, &random));
    ck_assert(!random);
    setting_close(&s);
}
END_TEST

/* Bridges whose number is left open take as many as their noise asks for: 16 in small regions of matrices,
 * and more of wide rows. A share of up to √2 tenths is left as it is. */
START_TEST(paths_are_chosen_by_the_noise)
{
    static const struct {
        const char *spec;
        double time;
        bool few;
    } cases[] = {{"spd:3", 0.1, true}, {"sphere:2", 0.7, false}};
    setting s = setting_open(cases[_i].spec);
    double *x = draw(&s, ROWS, NULL, cases[_i].time, 62);
    mst_bridge_options b = mst_bridge_options_default();
    mst_score *source;
    b.steps = 8;
    ASSERT_OK(mst_score_bridge_new(&source, s.m, &b));
    mst_mean_options o = mst_mean_options_default();
    o.starts = 1;
    mst_mean_result *r = fit(source, ROWS, x, &o);
    ck_assert_msg((r->bridge_paths == 16) == cases[_i].few, "%zu paths", r->bridge_paths);
    ck_assert_msg(r->bridge_share > 0 && r->bridge_share < 0.15, "a share of %g", r->bridge_share);
    ck_assert_uint_eq(r->notes & MST_NOTE_SIMULATION, 0);
    mst_mean_result_free(r);
    /* Resamples tell no share, and ask for no more paths. */
    o.covariance = MST_COVARIANCE_BOOTSTRAP;
    o.resamples = 2;
    r = fit(source, ROWS, x, &o);
    ck_assert(r->bridge_paths < 200 && isnan(r->bridge_share));
    mst_mean_result_free(r);
    mst_score_free(source);
    free(x);
    setting_close(&s);
}
END_TEST

/* As few paths as one likes never make a second mean where curvature is nowhere positive, and their noise is
 * told. */
START_TEST(few_paths_make_no_second_mean)
{
    enum { FEW = 20 };
    setting s = setting_open("spd:3"), wide = setting_open("sphere:5");
    double *x = draw(&s, FEW, NULL, 2, 63), *far = draw(&wide, ROWS, NULL, 1, 64);
    mst_mean_options o = mst_mean_options_default();
    for (size_t paths = 2; paths <= 20; paths *= 3) {
        mst_score *source = bridges(&s, paths, 5);
        mst_mean_result *r = NULL;
        mst_status status = mst_mean_fit(&r, source, FEW, x, &o);
        ck_assert(status == MST_OK || status == MST_CONVERGENCE);
        ck_assert_msg(r->unique || r->uniqueness == MST_UNIQUENESS_NOT_ESTABLISHED,
                      "%zu paths: not unique", paths);
        ck_assert_uint_eq(r->bridge_paths, paths);
        mst_mean_result_free(r);
        mst_score_free(source);
    }
    o.starts = 1;
    mst_score *source = bridges(&wide, 2, 5);
    mst_mean_result *r = fit(source, ROWS, far, &o);
    ck_assert_msg(r->bridge_share > 0.3 && (r->notes & MST_NOTE_SIMULATION) != 0, "a share of %g",
                  r->bridge_share);
    mst_mean_result_free(r);
    mst_score_free(source);
    free(x), free(far);
    setting_close(&s);
    setting_close(&wide);
}
END_TEST

int main(void)
{
    return RUN_SUITE("simulation", 300, {spread_of_gradients, 0}, {estimates_of_many_seeds, 0},
                     {errors_count_the_bridges, 0}, {others_are_not_random, 0},
                     {paths_are_chosen_by_the_noise, 2}, {few_paths_make_no_second_mean, 0});
}
