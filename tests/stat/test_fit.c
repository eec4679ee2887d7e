/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* The sums behind means and two-sample tests: gradient and Hessian against differences of the value, with groups that
 * share means and times. */
#include "stat/fit_steps.h"
#include "stat/mean_support.h"

#include <stdio.h>

enum { GROUPS = 3, ROWS = 40, MEANS = 2, TIMES = 2 };

/* Three groups; the first two share a time, the last two a mean. */
typedef struct problem_case {
    setting s;
    double *x, *weights, *mean, time[TIMES];
    fit_group group[GROUPS];
    fit_problem problem;
    size_t parameters;
} problem_case;

static void open_case(problem_case *c, const char *spec, bool with_time, bool time_is_free)
{
    c->s = setting_open(spec);
    c->x = draw(&c->s, GROUPS * ROWS, NULL, 0.4, 11);
    c->mean = draw(&c->s, MEANS, NULL, 0.1, 12);
    c->weights = doubles(ROWS);
    for (size_t i = 0; i < ROWS; i++)
        c->weights[i] = (double)(i % 4);
    static const size_t mean[GROUPS] = {0, 1, 1}, time[GROUPS] = {0, 0, 1};
    for (size_t g = 0; g < GROUPS; g++)
        c->group[g] = (fit_group){.n = ROWS,
                                  .x = c->x + g * ROWS * c->s.D,
                                  .weights = g == 2 ? c->weights : NULL,
                                  .mean = mean[g],
                                  .time = time[g]};
    c->time[0] = 0.5;
    c->time[1] = 0.3;
    c->problem = (fit_problem){.source = with_time ? c->s.exact : c->s.log,
                               .groups = GROUPS,
                               .group = c->group,
                               .means = MEANS,
                               .times = TIMES,
                               .time_is_free = time_is_free,
                               .threads = 1};
    c->parameters = fit_parameters(&c->problem);
    ck_assert_uint_eq(c->parameters, MEANS * c->s.d + (time_is_free ? TIMES : 0));
}

static void close_case(problem_case *c)
{
    free(c->x);
    free(c->mean);
    free(c->weights);
    setting_close(&c->s);
}

/* The value after a move by `scale` times the direction in parameter space. */
static double value_at(const problem_case *c, const double *direction, double scale)
{
    const setting *s = &c->s;
    double *mean = doubles(MEANS * s->D), *v = doubles(s->D), *step = doubles(s->d);
    double *gradient = doubles(c->parameters), time[TIMES];
    for (size_t k = 0; k < MEANS; k++) {
        for (size_t a = 0; a < s->d; a++)
            step[a] = scale * direction[k * s->d + a];
        ASSERT_OK(mst_manifold_from_frame(s->m, 1, c->mean + k * s->D, step, v));
        ASSERT_OK(mst_manifold_exp(s->m, 1, c->mean + k * s->D, v, mean + k * s->D));
    }
    for (size_t k = 0; k < TIMES; k++)
        time[k] =
            c->time[k] * (c->problem.time_is_free ? exp(scale * direction[MEANS * s->d + k]) : 1);
    fit_sums sums = {.gradient = gradient};
    ASSERT_OK(fit_evaluate(&c->problem, &(fit_state){mean, time}, &sums));
    free(mean), free(v), free(step), free(gradient);
    return sums.value;
}

static void check_case(problem_case *c, const char *what)
{
    size_t q = c->parameters;
    double *gradient = doubles(q), *hessian = doubles(q * q), *direction = doubles(q);
    fit_sums sums = {.gradient = gradient, .hessian = hessian};
    ASSERT_OK(fit_evaluate(&c->problem, &(fit_state){c->mean, c->time}, &sums));
    assert_near(sums.total_weight, 2 * ROWS + 60, 1e-9, "%s: Σ w", what);
    /* Differences of order four with h = 0.01: h⁴ and 1e-16/h² times Σ w = 140 and derivatives of some hundreds. */
    const double h = 0.01;
    for (size_t i = 0; i < q; i++)
        for (size_t k = 0; k <= i; k++) {
            memset(direction, 0, q * sizeof *direction);
            direction[i] += 1;
            direction[k] += 1;
            double f[5];
            for (size_t a = 0; a < 5; a++)
                f[a] = value_at(c, direction, ((double)a - 2) * h);
            assert_near(f[2], sums.value, 1e-12 * fabs(sums.value), "%s: value", what);
            assert_near(gradient[i] + gradient[k], (f[0] - 8 * f[1] + 8 * f[3] - f[4]) / (12 * h),
                        2e-4, "%s: gradient %zu, %zu", what, i, k);
            double along = (-f[0] + 16 * f[1] - 30 * f[2] + 16 * f[3] - f[4]) / (12 * h * h);
            double want =
                hessian[i * q + i] + hessian[k * q + k] + hessian[i * q + k] + hessian[k * q + i];
            assert_near(want, along, 2e-3, "%s: Hessian %zu, %zu", what, i, k);
        }
    free(gradient), free(hessian), free(direction);
}

static const char *const specs[] = {"euclidean:2", "sphere:2", "hyperbolic:2",
                                    "so3",         "torus:2",  "product(sphere:2,euclidean:1)"};
enum { SPECS = sizeof specs / sizeof *specs };

START_TEST(derivatives_are_those_of_the_value)
{
    static const struct {
        const char *what;
        bool with_time, is_free;
    } kinds[] = {{"free times", true, true}, {"fixed times", true, false}, {"log", false, false}};
    for (size_t k = 0; k < 3; k++) {
        problem_case c;
        char what[100];
        snprintf(what, sizeof what, "%s, %s", specs[_i], kinds[k].what);
        open_case(&c, specs[_i], kinds[k].with_time, kinds[k].is_free);
        check_case(&c, what);
        close_case(&c);
    }
}
END_TEST

/* Σ w² g gᵀ and squared scores from rows that are evaluated one by one. */
START_TEST(outer_products_are_those_of_the_rows)
{
    problem_case c;
    open_case(&c, "sphere:2", true, true);
    size_t q = c.parameters;
    double *gradient = doubles(q), *outer = doubles(q * q), *want = doubles(q * q), square = 0;
    memset(want, 0, q * q * sizeof *want);
    for (size_t g = 0; g < GROUPS; g++)
        for (size_t i = 0; i < ROWS; i++) {
            fit_group one = c.group[g];
            double w = one.weights != NULL ? one.weights[i] : 1;
            one.n = 1;
            one.x += i * c.s.D;
            one.weights = NULL;
            fit_problem p = c.problem;
            p.groups = 1;
            p.group = &one;
            fit_sums sums = {.gradient = gradient};
            ASSERT_OK(fit_evaluate(&p, &(fit_state){c.mean, c.time}, &sums));
            square += w * sums.score_square;
            for (size_t a = 0; a < q; a++)
                for (size_t b = 0; b < q; b++)
                    want[a * q + b] += w * w * gradient[a] * gradient[b];
        }
    fit_sums sums = {.gradient = gradient, .outer = outer};
    ASSERT_OK(fit_evaluate(&c.problem, &(fit_state){c.mean, c.time}, &sums));
    assert_near(sums.score_square, square, 1e-11 * square, "squared scores");
    for (size_t k = 0; k < q * q; k++)
        assert_near(outer[k], want[k], 1e-9, "outer %zu", k);
    free(gradient), free(outer), free(want);
    close_case(&c);
}
END_TEST

/* The joint maximum of groups that share nothing is that of each alone, and a shared time is a compromise. */
START_TEST(groups_climb_together)
{
    problem_case c;
    open_case(&c, "sphere:2", true, true);
    fit_options o = {.method = MST_MEAN_NEWTON, .tolerance = 1e-10, .rate = 0.1, .iterations = 100};
    fit_outcome outcome;
    ASSERT_OK(fit_climb(&c.problem, &(fit_state){c.mean, c.time}, &o, &outcome));
    ck_assert(outcome.converged && outcome.least_curvature > 0 && outcome.decrement < 1e-15);
    double together = outcome.value;
    double apart = 0, mean[3], time;
    for (size_t g = 0; g < GROUPS; g++) {
        fit_group one = c.group[g];
        one.mean = one.time = 0;
        fit_problem p = c.problem;
        p.groups = p.means = p.times = 1;
        p.group = &one;
        mst_manifold_start(c.s.m, mean);
        time = 1;
        ASSERT_OK(fit_climb(&p, &(fit_state){mean, &time}, &o, &outcome));
        ck_assert(outcome.converged);
        apart += outcome.value;
    }
    ck_assert_msg(apart > together && apart < together + 10, "apart %g, together %g", apart,
                  together);
    close_case(&c);
}
END_TEST

/* Without log p the gradients at both ends of a step stand for the difference of the values. */
START_TEST(gains_are_differences_of_the_value)
{
    problem_case c;
    open_case(&c, specs[_i], true, true);
    fit_room r;
    ASSERT_OK(fit_room_new(&r, &c.problem));
    fit_state from = {c.mean, c.time};
    fit_sums sums = {.gradient = r.gradient}, next = {.gradient = r.trial_gradient};
    ASSERT_OK(fit_evaluate(&c.problem, &from, &sums));
    double size = fit_norm(r.parameters, r.gradient), gain;
    for (double length = 0.01; length < 0.1; length *= 3) {
        for (size_t k = 0; k < r.parameters; k++)
            r.step[k] = length * r.gradient[k] / size;
        ASSERT_OK(fit_move(&c.problem, &from, r.step, &r, &r.trial));
        ASSERT_OK(fit_evaluate(&c.problem, &r.trial, &next));
        ASSERT_OK(
            fit_gain(&c.problem, &from, r.gradient, r.step, &r.trial, r.trial_gradient, &r, &gain));
        assert_near(gain, next.value - sums.value, 0.02 * fabs(gain), "%s, %g", specs[_i], length);
    }
    mst_release(r.block);
    close_case(&c);
}
END_TEST

int main(void)
{
    return RUN_SUITE("fit", 60, {derivatives_are_those_of_the_value, SPECS},
                     {outer_products_are_those_of_the_rows, 0}, {groups_climb_together, 0},
                     {gains_are_differences_of_the_value, SPECS});
}
