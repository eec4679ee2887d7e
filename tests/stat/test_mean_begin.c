/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Climbs that begin on some of the rows, against those on all of them, of a source like a network. */
#include "stat/fit.h"
#include "stat/spoilt_source.h"

#include <manistat/random.h>

enum { N = 1000 };

/* A given number of iterations is one on all rows. */
static mst_mean_options on_all_rows(mst_mean_options o)
{
    o.iterations = 100;
    return o;
}

static mst_mean_options from(const double *start)
{
    mst_mean_options o = mst_mean_options_default();
    o.threads = 1;
    o.starts = 1;
    o.start = start;
    return o;
}

static void assert_same(const setting *s, const mst_mean_result *r, const mst_mean_result *all)
{
    /* Either has stopped where the gradient is within the error of the source, 1e-6. */
    double far = 1e-5 * fmax(1, r->standard_error);
    assert_near(gap(s, r->mean, all->mean), 0, far, "mean");
    assert_near(r->standard_error, all->standard_error, 3e-3 * all->standard_error, "error");
    if (isnan(all->time_standard_error))
        return;
    assert_near(r->time, all->time, 1e-5 * all->time, "time");
    assert_near(r->time_standard_error, all->time_standard_error, 3e-3 * all->time_standard_error,
                "error of the time");
}

/* From another row, far from the mean, with a time that is too short. */
START_TEST(saves_sweeps_over_all_rows)
{
    static const char *const specs[] = {"sphere:2", "sphere:5", "hyperbolic:2"};
    for (size_t k = 0; k < 3; k++) {
        setting s = setting_open(specs[k]);
        double *x = draw(&s, N, NULL, 0.3, 7 + k);
        spoilt data = {.noise = 1e-6, .least = 0.005, .largest = 2};
        mst_score *source = network_open(&s, true, 1e-6, &data);
        mst_mean_options o = from(x), all = on_all_rows(o);
        o.start_time = all.start_time = 0.12;
        mst_mean_result *want = fit(source, N, x, &all);
        size_t plain = data.slow_rows;
        data.slow_rows = 0;
        mst_mean_result *r = fit(source, N, x, &o);
        assert_same(&s, r, want);
        ck_assert_msg(data.slow_rows <= 7 * N && plain >= 8 * N, "%s: %zu rows against %zu",
                      specs[k], (size_t)data.slow_rows, plain);
        mst_mean_result_free(want);
        mst_mean_result_free(r);
        mst_score_free(source);
        free(x);
        setting_close(&s);
    }
}
END_TEST

/* The second derivatives by the time are those of the mean, to three digits: by the exact kernel with none
 * left for later. */
START_TEST(errors_are_those_of_all_rows)
{
    setting s = setting_open("sphere:5");
    for (uint64_t seed = 1; seed <= 5; seed++) {
        double *x = draw(&s, N, NULL, 0.25, seed);
        spoilt data = {.least = 0.005, .largest = 2};
        mst_score *source = network_open(&s, true, 1e-6, &data);
        mst_mean_options o = from(x);
        mst_mean_result *want = fit(s.exact, N, x, &o), *r = fit(source, N, x, &o);
        assert_same(&s, r, want);
        ck_assert(r->notes == want->notes);
        mst_mean_result_free(want);
        mst_mean_result_free(r);
        mst_score_free(source);
        free(x);
    }
    setting_close(&s);
}
END_TEST

/* What a climb leaves behind is what a sweep finds where it ended, to the three digits of second derivatives
 * by the time. */
START_TEST(matrices_are_those_of_the_last_state)
{
    setting s = setting_open("sphere:2");
    double *x = draw(&s, N, NULL, 0.3, 15), gradient[3], hessian[9], outer[9], kept[9], spread[9];
    double state[4] = {[3] = 0.15};
    spoilt data = {.least = 0.005, .largest = 2};
    mst_score *source = network_open(&s, true, 1e-6, &data);
    fit_rows rows = {.n = N, .x = x};
    fit_means m = fit_one_mean(source, &rows, true, 1);
    fit_options o = {.method = MST_MEAN_NEWTON,
                     .tolerance = 1e-10,
                     .rate = 0.1,
                     .iterations = 100,
                     .hessian = kept,
                     .outer = spread};
    fit_outcome outcome;
    fit_sums sums = {.gradient = gradient, .hessian = hessian, .outer = outer};
    memcpy(state, x, 3 * sizeof *state);
    ASSERT_OK(fit_climb(&m.model, state, &o, &outcome));
    ck_assert(fit_has_converged(outcome.end) && outcome.iterations > 3);
    ASSERT_OK(fit_evaluate(&m.model, state, &sums));
    double largest = fabs(hessian[0]);
    for (size_t k = 0; k < 9; k++) {
        assert_near(spread[k], outer[k], 1e-12 * outer[0], "spread %zu", k);
        assert_near(kept[k], hessian[k], 3e-3 * largest, "Hessian %zu", k);
    }
    mst_score_free(source);
    free(x);
    setting_close(&s);
}
END_TEST

/* Of few rows, too, every thread has some, and of many none has more than a network's workspace holds. */
START_TEST(rows_are_shared_among_threads)
{
    static const struct {
        size_t n, calls;
    } sums[] = {{1, 1}, {32, 1}, {33, 2}, {128, 4}, {1000, 4}, {1025, 5}, {2560, 10}};
    setting s = setting_open("sphere:2");
    double *x = draw(&s, 2560, NULL, 0.3, 8), gradient[3], state[4] = {[3] = 0.3};
    spoilt data = {.least = 0.005, .largest = 2};
    mst_score *source = network_open(&s, true, 1e-6, &data);
    memcpy(state, x, 3 * sizeof *state);
    for (size_t k = 0; k < sizeof sums / sizeof *sums; k++) {
        fit_rows rows = {.n = sums[k].n, .x = x};
        fit_means m = fit_one_mean(source, &rows, true, 2);
        data.calls = 0;
        ASSERT_OK(fit_evaluate(&m.model, state, &(fit_sums){.gradient = gradient}));
        ck_assert_uint_eq(data.calls, sums[k].calls);
    }
    mst_score_free(source);
    free(x);
    setting_close(&s);
}
END_TEST

/* Rows about a great circle have a maximum at either side of it: each start leads to the one where it leads
 * on all rows, also next to the circle. */
START_TEST(starts_lead_to_the_same_of_two_maxima)
{
    setting s = setting_open("sphere:2");
    double *x = doubles(3 * N);
    dice d = {11};
    for (size_t i = 0; i < N; i++) {
        double angle = dice_uniform(&d, 0, 2 * M_PI), z = dice_uniform(&d, -0.4, 0.4);
        x[3 * i] = sqrt(1 - z * z) * cos(angle);
        x[3 * i + 1] = sqrt(1 - z * z) * sin(angle);
        x[3 * i + 2] = z;
    }
    spoilt data = {.noise = 1e-6, .least = 0.005, .largest = 2};
    mst_score *source = network_open(&s, true, 1e-6, &data);
    for (size_t fixed = 0; fixed < 2; fixed++) {
        size_t north = 0, count = 0;
        for (double from_pole = 0.3; from_pole < 2.9; from_pole += 0.1, count++) {
            double start[3] = {sin(from_pole), 0, cos(from_pole)};
            mst_mean_options o = from(start), all;
            o.time = fixed ? 0.5 : 0;
            o.start_time = fixed ? 0 : 0.4;
            all = on_all_rows(o);
            mst_mean_result *want = fit(source, N, x, &all), *r = fit(source, N, x, &o);
            ck_assert_msg(gap(&s, r->mean, want->mean) < 1e-4, "from %g, time %g", from_pole,
                          o.time);
            north += r->mean[2] > 0;
            mst_mean_result_free(want);
            mst_mean_result_free(r);
        }
        ck_assert(north > count / 3 && count - north > count / 3);
    }
    mst_score_free(source);
    free(x);
    setting_close(&s);
}
END_TEST

/* Rows that are chosen for the beginning and lie apart from all others lead astray, and the climb begins
 * again. */
START_TEST(begins_again_when_led_astray)
{
    setting s = setting_open("sphere:2");
    size_t rows[256];
    double *x = draw(&s, N, NULL, 0.02, 5), *v = doubles(s.D), *other = doubles(s.D);
    double c[2] = {1.2, 0};
    mst_manifold_start(s.m, v);
    ASSERT_OK(mst_manifold_from_frame(s.m, 1, v, c, other));
    ASSERT_OK(mst_manifold_exp(s.m, 1, v, other, other));
    double *there = draw(&s, 128, other, 0.02, 6);
    mst_mean_options o = from(x + 5 * s.D), all;
    /* The stream of the sample in mean_starts.c. */
    ASSERT_OK(mst_random_choice((mst_random){o.seed, 2}, N, 256, rows));
    for (size_t i = 0; i < 128; i++)
        memcpy(x + rows[i] * s.D, there + i * s.D, s.D * sizeof *x);
    o.start_time = 0.1;
    all = on_all_rows(o);
    spoilt data = {.noise = 1e-6, .least = 0.005, .largest = 2};
    mst_score *source = network_open(&s, true, 1e-6, &data);
    mst_mean_result *want = fit(source, N, x, &all);
    size_t plain = data.slow_rows;
    data.slow_rows = 0;
    mst_mean_result *r = fit(source, N, x, &o);
    ck_assert_uint_gt(data.slow_rows, plain + N); /* the vain beginning */
    ck_assert_uint_eq(r->iterations, want->iterations);
    ck_assert(memcmp(r->mean, want->mean, s.D * sizeof *r->mean) == 0 && r->time == want->time);
    mst_mean_result_free(want);
    mst_mean_result_free(r);
    mst_score_free(source);
    free(x), free(v), free(other), free(there);
    setting_close(&s);
}
END_TEST

int main(void)
{
    return RUN_SUITE("mean_begin", 60, {saves_sweeps_over_all_rows, 0},
                     {errors_are_those_of_all_rows, 0}, {matrices_are_those_of_the_last_state, 0},
                     {rows_are_shared_among_threads, 0}, {starts_lead_to_the_same_of_two_maxima, 0},
                     {begins_again_when_led_astray, 0});
}
