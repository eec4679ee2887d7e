/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* The targets against the exact score and time derivative. Whatever function φ of (x, y, t) one takes, E[φ
 * (target − score)] = 0. The rows of a path are dependent, so means are over paths. Each comparison of a
 * correct program fails with probability below 1e-6 for a fresh seed (Z_LIMIT). */
#include "sample_sets.h"
#include "support/statistics.h"

#include <manistat/heat.h>
#include <string.h>

typedef struct target_case {
    const char *spec;
    bool sweep;
    size_t paths;
    double bias; /* of the discretisation, relative to the signal */
    /* Where points are reached in several ways, times at which that is common: what happens once in a million
     * samples, with a target a thousand times its mean, is no matter for a normal approximation. */
    double t_min, t_max;
    size_t steps;
} target_case;

static const target_case cases[] = {
    {"sphere:2", false, 16000, 2e-4, 0.02, 1, 32},
    {"sphere:5", false, 16000, 5e-4, 0.02, 1, 32},
    {"hyperbolic:2", false, 16000, 5e-4, 0.02, 1, 32},
    {"hyperbolic:3", false, 8000, 5e-4, 0.02, 1, 32},
    {"so3", false, 16000, 2e-4, 0.3, 2, 32},
    {"spd:2", false, 16000, 2e-4, 0.02, 1, 32},
    {"torus:2", false, 8000, 1e-14, 2, 6, 32},
    {"spd:2?metric=log-euclidean", false, 4000, 1e-14, 0.02, 1, 32},
    {"product(sphere:2,euclidean:1,so3)", false, 8000, 2e-4, 0.3, 1, 32},
    {"sphere:2", true, 4000, 5e-4, 0.02, 1, 32},
    {"sphere:5", true, 4000, 2e-3, 0.02, 1, 32},
    {"hyperbolic:2", true, 4000, 1e-3, 0.02, 1, 32},
    {"so3", true, 3000, 5e-4, 0.3, 2, 32},
    {"spd:2", true, 4000, 5e-4, 0.02, 1, 32},
    {"sphere:5", true, 4000, 1e-3, 0.02, 0.02, 1},
    {"sphere:5", false, 4000, 5e-4, 0.02, 0.02, 1},
};
enum { CASES = sizeof cases / sizeof *cases };

/* The φ: score and time derivative, flat (weighted by t), at long times only, and with
 * weight on far points. */
enum { WEIGHTS = 3 };
static void weigh(double t, double t_max, double square, double *weight)
{
    weight[0] = 1;
    weight[1] = t > 0.5 * t_max ? 1 : 0;
    weight[2] = t * square > 1 ? 1 : 0;
}

START_TEST(targets_have_the_right_means)
{
    const target_case *c = &cases[_i];
    sample_options o = sample_test_options();
    o.t_min = c->t_min;
    o.t_max = c->t_max;
    o.steps = c->steps;
    sample_set s = sample_set_plan(c->spec, c->sweep, &o);
    sample_set_draw(&s, 0, c->paths);
    size_t rows = s.rows, slots = o.slots;
    double *score = doubles(rows * s.D), *dt = doubles(rows), *product = doubles(rows),
           *square = doubles(rows);
    ASSERT_OK(mst_heat_kernel_times(s.m, rows, s.at.x, s.at.y, s.at.t, 1,
                                    &(mst_heat_values){.score = score, .dt_log_p = dt}));
    ASSERT_OK(mst_manifold_inner(s.m, rows, s.at.y, s.at.target, score, product));
    ASSERT_OK(mst_manifold_inner(s.m, rows, s.at.y, score, score, square));
    moments error[WEIGHTS] = {0}, time_error[WEIGHTS] = {0}, mean = {0};
    double signal[WEIGHTS] = {0}, time_signal[WEIGHTS] = {0};
    for (size_t i = 0; i < s.n; i++) {
        double sum[WEIGHTS] = {0}, time_sum[WEIGHTS] = {0}, plain = 0;
        for (size_t r = i; r < rows; r += s.n) {
            double t = s.at.t[r], weight[WEIGHTS], off = s.at.time_target[r] - dt[r];
            weigh(t, o.t_max, square[r], weight);
            plain += t * off;
            for (size_t k = 0; k < WEIGHTS; k++) {
                sum[k] += weight[k] * t * (product[r] - square[r]);
                time_sum[k] += weight[k] * t * t * off * dt[r];
                signal[k] += weight[k] * t * square[r] / (double)s.n;
                time_signal[k] += weight[k] * t * t * dt[r] * dt[r] / (double)s.n;
            }
        }
        moments_add(&mean, plain);
        for (size_t k = 0; k < WEIGHTS; k++) {
            moments_add(&error[k], sum[k]);
            moments_add(&time_error[k], time_sum[k]);
        }
    }
    assert_mean(&mean, 0, c->bias * (double)slots, "%s: mean of the time target", c->spec);
    for (size_t k = 0; k < WEIGHTS; k++) {
        ck_assert(signal[k] > 0 && time_signal[k] > 0);
        assert_mean(&error[k], 0, c->bias * signal[k], "%s: score, weight %zu", c->spec, k);
        assert_mean(&time_error[k], 0, 2 * c->bias * time_signal[k], "%s: time, weight %zu",
                    c->spec, k);
    }
    free(score), free(dt), free(product), free(square);
    sample_set_free(&s);
}
END_TEST

/* On the lowest eigenfunctions ⟨x, a⟩ the steps are exact, however coarse: E⟨x, y⟩ = e^(−κmt/2), and with the
 * gradients and time derivatives of these, E⟨x, w⟩ and E[⟨x, y⟩ v]. The sweep is of second order. */
static const struct {
    const char *spec;
    double sign, t;
    size_t steps;
    bool sweep;
    double bias;
} coarse[] = {
    {"sphere:2", 1, 2, 2, false, 0},      {"sphere:5", 1, 1, 4, false, 0},
    {"sphere:10", 1, 0.5, 3, false, 0},   {"sphere:10", 1, 0.5, 32, false, 0},
    {"hyperbolic:2", -1, 1, 2, false, 0}, {"hyperbolic:4", -1, 0.5, 3, false, 0},
    {"sphere:5", 1, 0.6, 6, true, 0.005}, {"hyperbolic:4", -1, 0.6, 6, true, 0.005},
};
enum { COARSE = sizeof coarse / sizeof *coarse };

START_TEST(coarse_steps_are_exact_on_first_eigenfunctions)
{
    double sign = coarse[_i].sign, t = coarse[_i].t;
    sample_options o = sample_test_options();
    o.t_min = o.t_max = t;
    o.steps = coarse[_i].steps;
    sample_set s = sample_set_plan(coarse[_i].spec, coarse[_i].sweep, &o);
    sample_set_draw(&s, 0, 40000);
    moments point = {0}, gradient = {0}, rate = {0};
    for (size_t r = 0; r < s.rows; r++) {
        const double *x = s.at.x + r * s.D, *y = s.at.y + r * s.D, *w = s.at.target + r * s.D;
        double xy = dot(s.D, x, y), xw = dot(s.D, x, w);
        if (sign < 0) { /* Lorentz: the form is positive on space, negative on time */
            xy = 2 * x[0] * y[0] - xy;
            xw -= 2 * x[0] * w[0];
        }
        moments_add(&point, xy);
        moments_add(&gradient, xw);
        moments_add(&rate, xy * s.at.time_target[r]);
    }
    double m = (double)(s.D - 1), q = exp(-sign * m * t / 2);
    const char *spec = coarse[_i].spec;
    double bias = coarse[_i].bias * m * q;
    assert_mean(&point, q, bias, "%s: points", spec);
    assert_mean(&gradient, m * q, bias, "%s: targets", spec);
    assert_mean(&rate, -sign * m / 2 * q, bias / 2, "%s: time targets", spec);
    sample_set_free(&s);
}
END_TEST

/* tr(A x) on positive definite matrices grows like e^(λt), λ = (n + 1)/4: from y = I, E[tr(Ax) ⟨w, B⟩] =
 * e^(λt) tr(AB) and E[tr(Ax) v] = λ e^(λt) tr A. */
static const struct {
    const char *spec;
    bool sweep;
    size_t paths;
} matrices[] = {
    {"spd:3", false, 20000}, {"spd:4", false, 20000}, {"spd:3", true, 4000}, {"spd:5", true, 128}};
enum { MATRICES = sizeof matrices / sizeof *matrices };

START_TEST(matrices_have_the_right_means)
{
    const char *spec = matrices[_i].spec;
    double t = 0.5;
    sample_options o = sample_test_options();
    o.t_min = o.t_max = t;
    o.steps = 16;
    o.spread = 0;
    sample_set s = sample_set_plan(spec, matrices[_i].sweep, &o);
    sample_set_draw(&s, 0, matrices[_i].paths);
    size_t n = (size_t)lround(sqrt((double)s.D));
    moments trace = {0}, free_part = {0}, rate = {0}, value = {0};
    for (size_t r = 0; r < s.rows; r++) {
        const double *x = s.at.x + r * s.D, *w = s.at.target + r * s.D;
        double tx = 0, tw = 0, square = 0;
        for (size_t i = 0; i < n; i++) {
            tx += x[i * (n + 1)];
            tw += w[i * (n + 1)];
        }
        for (size_t e = 0; e < s.D; e++)
            square += x[e] * w[e];
        moments_add(&value, tx);
        moments_add(&trace, tx * tw);
        moments_add(&free_part, square - tx * tw / (double)n);
        moments_add(&rate, tx * s.at.time_target[r]);
    }
    double order = (double)n, rise = (order + 1) / 4, q = exp(rise * t), bias = 1e-3;
    assert_mean(&value, order * q, bias * order * q, "%s: points", spec);
    assert_mean(&trace, order * q, bias * order * q, "%s: trace", spec);
    double dimension = order * (order + 1) / 2 - 1;
    assert_mean(&free_part, dimension * q, bias * dimension * q, "%s: trace-free part", spec);
    assert_mean(&rate, rise * order * q, bias * rise * order * q, "%s: time", spec);
    sample_set_free(&s);
}
END_TEST

/* The weights are those of least variance: noise/signal as published for them, K = 64 (a constant weight has
 * 0.065, 0.63 and 0.124). */
static const struct {
    const char *spec;
    bool sweep;
    double t, noise, time_noise;
} quiet[] = {{"sphere:2", false, 0.5, 0.043, 0.020},
             {"sphere:5", false, 0.5, 0.175, 0.10},
             {"sphere:5", true, 0.25, 0.035, 0.018}};
enum { QUIET = sizeof quiet / sizeof *quiet };

START_TEST(noise_is_least)
{
    sample_options o = sample_test_options();
    o.t_min = o.t_max = quiet[_i].t;
    sample_set s = sample_set_plan(quiet[_i].spec, quiet[_i].sweep, &o);
    sample_set_draw(&s, 0, 4000);
    double *score = doubles(s.rows * s.D), *dt = doubles(s.rows);
    ASSERT_OK(mst_heat_kernel_times(s.m, s.rows, s.at.x, s.at.y, s.at.t, 1,
                                    &(mst_heat_values){.score = score, .dt_log_p = dt}));
    double noise = 0, signal = 0, time_noise = 0, time_signal = 0;
    for (size_t e = 0; e < s.rows * s.D; e++) {
        noise += pow(s.at.target[e] - score[e], 2);
        signal += pow(score[e], 2);
    }
    for (size_t r = 0; r < s.rows; r++) {
        time_noise += pow(s.at.time_target[r] - dt[r], 2);
        time_signal += pow(dt[r], 2);
    }
    ck_assert_msg(noise / signal < 1.15 * quiet[_i].noise, "noise %g", noise / signal);
    ck_assert_msg(time_noise / time_signal < 1.3 * quiet[_i].time_noise, "noise %g",
                  time_noise / time_signal);
    free(score), free(dt);
    sample_set_free(&s);
}
END_TEST

/* −arrived/h has the score as its conditional mean up to O(h). */
static const struct {
    const char *spec;
    size_t paths;
    double bias;
} last[] = {{"sphere:2", 4000, 0.05},
            {"euclidean:2", 4000, 0.15},
            {"product(sphere:2,circle)", 3000, 0.05},
            {"hyperbolic:2", 3000, 0.05}};
enum { LAST = sizeof last / sizeof *last };

START_TEST(last_steps_point_along_the_score)
{
    sample_options o = sample_test_options();
    o.kind = SAMPLE_LAST_STEP;
    o.t_min = 0.5;
    sample_set s = sample_set_plan(last[_i].spec, false, &o);
    sample_set_draw(&s, 0, last[_i].paths);
    double *score = doubles(s.rows * s.D), *product = doubles(s.rows), *square = doubles(s.rows);
    ASSERT_OK(mst_heat_kernel_times(s.m, s.rows, s.at.x, s.at.y, s.at.t, 1,
                                    &(mst_heat_values){.score = score}));
    ASSERT_OK(mst_manifold_inner(s.m, s.rows, s.at.y, s.at.arrived, score, product));
    ASSERT_OK(mst_manifold_inner(s.m, s.rows, s.at.y, score, score, square));
    moments slope = {0};
    double signal = 0;
    for (size_t i = 0; i < s.n; i++) {
        double sum = 0;
        for (size_t r = i; r < s.rows; r += s.n) {
            sum += s.at.t[r] * (-product[r] / s.at.h[r] - square[r]);
            signal += s.at.t[r] * square[r] / (double)s.n;
        }
        moments_add(&slope, sum);
    }
    ck_assert_msg(moments_error(&slope) < 0.15 * signal, "error %g", moments_error(&slope));
    assert_mean(&slope, 0, last[_i].bias * signal, "%s", last[_i].spec);
    free(score), free(product), free(square);
    sample_set_free(&s);
}
END_TEST

START_TEST(last_steps_fit_together)
{
    sample_options o = sample_test_options();
    o.kind = SAMPLE_LAST_STEP;
    sample_set s = sample_set_plan("product(sphere:5,hyperbolic:2)", false, &o);
    sample_set_draw(&s, 7, 100);
    double *v = doubles(s.rows * s.D), *u = doubles(s.rows * s.D), h = o.t_max / (double)o.steps;
    ASSERT_OK(mst_manifold_log(s.m, s.rows, s.at.previous, s.at.y, v, NULL));
    ASSERT_OK(mst_manifold_transport(s.m, s.rows, s.at.previous, v, s.at.step, u));
    for (size_t r = 0; r < s.rows; r++) {
        assert_near(s.at.h[r], h, 1e-16, "length of the last step");
        double k = s.at.t[r] / h;
        assert_near(k, round(k), 1e-9, "number of steps");
        for (size_t a = 0; a < s.D; a++) {
            double ricci = a < 6 ? 4 : -1, part = h * ricci / 12;
            double scale = 1e-10 * (1 + fabs(s.at.y[r * s.D + a]));
            assert_near(v[r * s.D + a], (1 - part + part * part / 2) * s.at.step[r * s.D + a],
                        scale, "row %zu, corrected step", r);
            assert_near(s.at.arrived[r * s.D + a], u[r * s.D + a], scale, "row %zu, arrived", r);
        }
    }
    free(v), free(u);
    sample_set_free(&s);
}
END_TEST

/* Without slots for transport and Ricci tensor the sweep works by differences of exp, and
 * makes the same samples. */
static const char *const bare[] = {"sphere:3", "hyperbolic:2", "spd:3"};
enum { BARE = sizeof bare / sizeof *bare };

START_TEST(differences_make_the_same_samples)
{
    enum { PATHS = 40 };
    sample_options o = sample_test_options();
    o.steps = 8;
    mst_manifold *base;
    ASSERT_OK(mst_manifold_parse(&base, bare[_i]));
    mst_manifold_ops table[2] = {*mst_manifold_table(base), *mst_manifold_table(base)};
    table[1].transport = NULL;
    table[1].ricci = NULL;
    sample_set set[2] = {0};
    for (int k = 0; k < 2; k++) {
        table[k].free_data = NULL;
        table[k].weighted_walk = NULL;
        ASSERT_OK(mst_manifold_new(&set[k].m, &table[k], "own", mst_manifold_dim(base),
                                   mst_manifold_ambient(base), mst_manifold_data(base)));
        ASSERT_OK(sample_plan_new(&set[k].plan, set[k].m, &o));
        ck_assert(set[k].plan->factor[0].run == sample_sweep);
        set[k].D = mst_manifold_ambient(base);
        sample_set_draw(&set[k], 0, PATHS);
    }
    for (size_t i = 0; i < set[0].rows; i++) {
        for (size_t a = i * set[0].D; a < (i + 1) * set[0].D; a++) {
            double want = set[0].at.target[a];
            assert_near(set[1].at.x[a], set[0].at.x[a], 1e-6 * (1 + fabs(set[0].at.x[a])),
                        "%s, row %zu: x", bare[_i], i);
            assert_near(set[1].at.target[a], want, 1e-5 * (1 + fabs(want)), "%s, row %zu: target",
                        bare[_i], i);
        }
        double want = set[0].at.time_target[i];
        assert_near(set[1].at.time_target[i], want, 1e-5 * (1 + fabs(want)),
                    "%s, row %zu: time target", bare[_i], i);
    }
    for (int k = 0; k < 2; k++)
        sample_set_free(&set[k]);
    mst_manifold_free(base);
}
END_TEST

int main(void)
{
    return RUN_SUITE("samples", 60, {targets_have_the_right_means, CASES},
                     {coarse_steps_are_exact_on_first_eigenfunctions, COARSE},
                     {matrices_have_the_right_means, MATRICES}, {noise_is_least, QUIET},
                     {last_steps_point_along_the_score, LAST}, {last_steps_fit_together, 0},
                     {differences_make_the_same_samples, BARE});
}
