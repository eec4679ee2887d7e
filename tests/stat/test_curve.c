/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Curves by a network: gradients, learning, files and checkpoints. */
#include "stat/curve_parts.h"
#include "stat/regress_support.h"

#include <manistat/curve.h>
#include <stdio.h>
#include <unistd.h>

/* A curve that no geodesic follows: along one direction as sin 2x, along another as x². */
typedef struct bent {
    setting s;
    size_t n;
    double *x, *y;
} bent;

static bent bent_rows(const char *spec, size_t n, double noise)
{
    bent b = {.s = setting_open(spec), .n = n, .x = doubles(n)};
    b.y = doubles(n * b.s.D);
    double base[16], frame[16] = {0}, v[16];
    mst_manifold_start(b.s.m, base);
    for (size_t i = 0; i < n; i++) {
        b.x[i] = 4 * (double)i / (double)(n - 1) - 2;
        frame[0] = 0.6 * sin(2 * b.x[i]);
        frame[1] = 0.2 * b.x[i] * b.x[i];
        ASSERT_OK(mst_manifold_from_frame(b.s.m, 1, base, frame, v));
        ASSERT_OK(mst_manifold_exp(b.s.m, 1, base, v, b.y + i * b.s.D));
    }
    mst_brownian_options o = mst_brownian_options_default();
    o.steps = 5;
    ASSERT_OK(mst_brownian_endpoints(b.s.m, n, b.y, noise, &o, b.y));
    return b;
}

static void bent_free(bent *b)
{
    free(b->x);
    free(b->y);
    setting_close(&b->s);
}

static mst_curve_options quick(void)
{
    mst_curve_options o = mst_curve_options_default();
    o.width = 32;
    o.batch = 32;
    o.epochs = 60;
    o.patience = 60;
    o.restarts = 2;
    return o;
}

/* Gradients of Σ <w, y> + c log t by central differences in single precision: step 1e-2, error of order 1e-4
 * of the gradient, and rounding 1e-7/1e-2. */
START_TEST(gradients_are_those_of_the_outputs)
{
    static const char *const specs[] = {"sphere:2", "hyperbolic:2", "spd:2", "so3"};
    enum { N = 3 };
    setting s = setting_open(specs[_i]);
    mst_curve *c;
    ASSERT_OK(curve_new(&c, s.m, 2, 8, 2, _i % 2 == 1));
    size_t p = curve_parameters(&c->shape), D = s.D;
    mlp_initialise(&c->shape, (mst_random){1, 1}, 1, c->theta);
    mst_manifold_start(s.m, c->base);
    c->spread = 0.3;
    c->time = 0.1;
    c->scale[0] = c->scale[1] = 1;
    double x[2 * N] = {0.3, -1, 0.7, 0.2, -0.5, 1.1}, y[N * 9], t[N], w[N * 9],
                 by_time[N] = {1, -2, 3};
    curve_work work;
    ASSERT_OK(curve_work_new(&work, c, N));
    float *gradient = calloc(p, sizeof *gradient);
    ASSERT_OK(curve_forward(c, c->theta, N, x, y, t, &work));
    dice rng = {7};
    for (size_t k = 0; k < N * D; k++)
        w[k] = dice_normal(&rng);
    ASSERT_OK(mst_manifold_tangent(s.m, N, y, w, w));
    ASSERT_OK(curve_backward(c, c->theta, N, w, by_time, 1, gradient, &work));
    double largest = 0;
    for (size_t k = 0; k < p; k++)
        largest = fmax(largest, fabs((double)gradient[k]));
    for (size_t k = 0; k < p; k += k < mlp_parameters(&c->shape) - 20 ? 7 : 1) {
        double value[2], moved[N * 9], at[N], v[N * 9], inner[N];
        float kept = c->theta[k];
        for (size_t side = 0; side < 2; side++) {
            c->theta[k] = kept + (side == 0 ? -1e-2F : 1e-2F);
            ASSERT_OK(curve_forward(c, c->theta, N, x, moved, at, &work));
            ASSERT_OK(mst_manifold_log(s.m, N, y, moved, v, NULL));
            ASSERT_OK(mst_manifold_inner(s.m, N, y, w, v, inner));
            value[side] = 0;
            for (size_t i = 0; i < N; i++)
                value[side] += inner[i] + by_time[i] * log(at[i]);
        }
        c->theta[k] = kept;
        assert_near((double)gradient[k], (value[1] - value[0]) / 2e-2, 2e-3 * largest,
                    "%s: gradient %zu", specs[_i], k);
    }
    free(gradient);
    curve_work_free(&work);
    mst_curve_free(c);
    setting_close(&s);
}
END_TEST

/* What a geodesic cannot follow a network does, with the noise that is there within 30 %. */
START_TEST(bent_curves_are_learnt)
{
    static const char *const specs[] = {"sphere:2", "hyperbolic:2"};
    bent b = bent_rows(specs[_i], 600, 0.01);
    mst_curve_options o = quick();
    mst_curve *c;
    ASSERT_OK(mst_curve_train(&c, b.s.exact, b.n, b.y, 1, b.x, &o));
    mst_curve_info info = mst_curve_describe(c);
    mst_regress_options straight = mst_regress_options_default();
    straight.without_tests = true;
    mst_regress_result *r;
    ASSERT_OK(mst_regress_fit(&r, b.s.exact, b.n, b.y, 1, b.x, &straight));
    ck_assert_msg(info.held_out_r_squared > 0.85 && r->r_squared < 0.3, "%s: R^2 %g, geodesic %g",
                  specs[_i], info.held_out_r_squared, r->r_squared);
    assert_near(info.noise / 0.01, 1, 0.3, "noise");
    ck_assert(info.rows == 600 && info.held_out == 90 && info.finished);
    ck_assert(info.projected == (_i == 0) && info.held_out_log_likelihood > 0);
    mst_regress_result_free(r);
    mst_curve_free(c);
    bent_free(&b);
}
END_TEST

/* Least squares has no noise; a network for the noise finds where it is large. */
START_TEST(noise_is_learnt_too)
{
    bent b = bent_rows("sphere:2", 800, 0.005);
    /* More of it in the right half. */
    mst_brownian_options w = mst_brownian_options_default();
    w.steps = 5;
    w.seed = 3;
    ASSERT_OK(mst_brownian_endpoints(b.s.m, 400, b.y + 400 * 3, 0.05, &w, b.y + 400 * 3));
    mst_curve_options o = quick();
    o.noise_network = true;
    mst_curve *c;
    ASSERT_OK(mst_curve_train(&c, b.s.exact, b.n, b.y, 1, b.x, &o));
    double at[2] = {-1, 1}, noise[2];
    ASSERT_OK(mst_curve_predict(c, 2, at, NULL, noise));
    ck_assert_msg(noise[1] > 4 * noise[0], "noise %g and %g", noise[0], noise[1]);
    mst_curve_free(c);
    ck_assert_int_eq(mst_curve_train(&c, b.s.log, b.n, b.y, 1, b.x, &o), MST_ARGUMENT);
    o.noise_network = false;
    o.epochs = 5;
    ASSERT_OK(mst_curve_train(&c, b.s.log, b.n, b.y, 1, b.x, &o));
    ck_assert(isnan(mst_curve_describe(c).noise) && mst_curve_describe(c).r_squared > 0);
    mst_curve_free(c);
    bent_free(&b);
}
END_TEST

START_TEST(files_keep_curves)
{
    char path[] = "/tmp/manistat-curve-XXXXXX";
    ck_assert(mkdtemp(path) != NULL);
    char file[100];
    snprintf(file, sizeof file, "%s/c.safetensors", path);
    bent b = bent_rows("hyperbolic:2", 60, 0.01);
    mst_curve_options o = quick();
    o.epochs = 3;
    o.terms = "x\nnumbers\tx\n";
    mst_curve *c, *read;
    ASSERT_OK(mst_curve_train(&c, b.s.exact, b.n, b.y, 1, b.x, &o));
    ASSERT_OK(mst_curve_write(c, file, false));
    ASSERT_FAILS(MST_IO, mst_curve_write(c, file, false));
    ASSERT_OK(mst_curve_read(&read, file, NULL));
    double here[60 * 3], there[60 * 3], noise[60], again[60];
    ASSERT_OK(mst_curve_predict(c, b.n, b.x, here, noise));
    ASSERT_OK(mst_curve_predict(read, b.n, b.x, there, again));
    ck_assert(memcmp(here, there, sizeof here) == 0 && memcmp(noise, again, sizeof noise) == 0);
    mst_curve_info one = mst_curve_describe(c), two = mst_curve_describe(read);
    ck_assert_str_eq(one.manifold, two.manifold);
    ck_assert(mst_manifold_is_same(mst_curve_manifold(read), b.s.m));
    ck_assert_str_eq(two.terms, "x\nnumbers\tx\n");
    ck_assert(one.noise == two.noise && one.epochs == two.epochs && two.rows == 60);
    mst_curve_free(read);
    /* A file that is cut off, and one of something else. */
    ck_assert_int_eq(truncate(file, 900), 0);
    ASSERT_FAILS(MST_FORMAT, mst_curve_read(&read, file, NULL));
    ASSERT_FAILS(MST_FORMAT,
                 mst_curve_read(&read, MST_TEST_DATA "/models/sphere2_format1.safetensors", NULL));
    mst_curve_free(c);
    bent_free(&b);
    remove(file);
    rmdir(path);
}
END_TEST

static int stop_after(void *user, const mst_curve_state *s)
{
    return s->epoch >= *(size_t *)user;
}

/* A training that was stopped and goes on ends where one without a stop does, bit by bit. */
START_TEST(interruptions_change_nothing)
{
    char path[] = "/tmp/manistat-curve-XXXXXX";
    ck_assert(mkdtemp(path) != NULL);
    char file[100];
    snprintf(file, sizeof file, "%s/c.checkpoint", path);
    bent b = bent_rows("sphere:2", 100, 0.01);
    mst_curve_options o = quick();
    o.epochs = 20;
    mst_curve *whole, *part, *rest;
    ASSERT_OK(mst_curve_train(&whole, b.s.exact, b.n, b.y, 1, b.x, &o));
    size_t limit = 10;
    o.checkpoint = file;
    o.report = (mst_curve_report){stop_after, &limit};
    ck_assert_int_eq(mst_curve_train(&part, b.s.exact, b.n, b.y, 1, b.x, &o), MST_INTERRUPTED);
    ck_assert(part != NULL && !mst_curve_describe(part).finished);
    o.report = (mst_curve_report){0};
    o.resume = true;
    o.threads = 1;
    ASSERT_OK(mst_curve_train(&rest, b.s.exact, b.n, b.y, 1, b.x, &o));
    double here[300], there[300];
    ASSERT_OK(mst_curve_predict(whole, b.n, b.x, here, NULL));
    ASSERT_OK(mst_curve_predict(rest, b.n, b.x, there, NULL));
    ck_assert(memcmp(here, there, sizeof here) == 0);
    o.width = 16;
    mst_curve *none;
    ASSERT_FAILS(MST_ARGUMENT, mst_curve_train(&none, b.s.exact, b.n, b.y, 1, b.x, &o));
    ck_assert(strstr(mst_error_detail(), "other options") != NULL);
    mst_curve_free(whole);
    mst_curve_free(part);
    mst_curve_free(rest);
    bent_free(&b);
    remove(file);
    rmdir(path);
}
END_TEST

START_TEST(few_rows_are_refused)
{
    bent b = bent_rows("sphere:2", 40, 0.01);
    mst_curve *c;
    ASSERT_FAILS(MST_ARGUMENT, mst_curve_train(&c, b.s.exact, 3, b.y, 1, b.x, NULL));
    ASSERT_FAILS(MST_ARGUMENT, mst_curve_train(&c, b.s.exact, 40, b.y, 0, b.x, NULL));
    mst_curve_options o = quick();
    o.validation = 1;
    ASSERT_FAILS(MST_ARGUMENT, mst_curve_train(&c, b.s.exact, 40, b.y, 1, b.x, &o));
    b.x[5] = NAN;
    ASSERT_FAILS(MST_ARGUMENT, mst_curve_train(&c, b.s.exact, 40, b.y, 1, b.x, NULL));
    ck_assert(strstr(mst_error_detail(), "row 6") != NULL);
    bent_free(&b);
}
END_TEST

/* As many rows are held out as the training says, each once, and others with another seed. */
START_TEST(held_out_rows_are_known)
{
    enum { N = 41 };
    mst_curve_options o = mst_curve_options_default();
    size_t rows[N], others[N], count, same = 0;
    bool seen[N] = {false};
    ASSERT_OK(mst_curve_held_out(N, &o, rows, &count));
    ck_assert_uint_eq(count, 7); /* 0.15 of 41, rounded up */
    for (size_t i = 0; i < count; i++) {
        ck_assert(rows[i] < N && !seen[rows[i]]);
        seen[rows[i]] = true;
    }
    o.seed++;
    ASSERT_OK(mst_curve_held_out(N, &o, others, &count));
    for (size_t i = 0; i < count; i++)
        same += seen[others[i]];
    ck_assert_uint_lt(same, count);
    o.validation = 1;
    ck_assert_int_eq(mst_curve_held_out(N, &o, rows, &count), MST_ARGUMENT);
}
END_TEST

int main(void)
{
    return RUN_SUITE("network curves", 120, {gradients_are_those_of_the_outputs, 4},
                     {bent_curves_are_learnt, 2}, {noise_is_learnt_too, 0}, {files_keep_curves, 0},
                     {interruptions_change_nothing, 0}, {few_rows_are_refused, 0},
                     {held_out_rows_are_known, 1});
}
