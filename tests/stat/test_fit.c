/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* The sums behind means and two-sample tests: gradient and Hessian against differences of the value, with
 * groups that share means and times. */
#include "stat/fit_steps.h"
#include "stat/mean_support.h"

#include <stdio.h>

enum { GROUPS = 3, ROWS = 40, MEANS = 2, TIMES = 2 };

/* Three groups; the first two share a time, the last two a mean. */
typedef struct problem_case {
    setting s;
    double *x, *weights, *state; /* state: means, then times */
    fit_rows rows[GROUPS];
    fit_means means;
    size_t parameters;
} problem_case;

static const fit_model *model_of(const problem_case *c)
{
    return &c->means.model;
}

static void open_case(problem_case *c, const char *spec, bool with_time, bool time_is_free)
{
    c->s = setting_open(spec);
    c->x = draw(&c->s, GROUPS * ROWS, NULL, 0.4, 11);
    double *mean = draw(&c->s, MEANS, NULL, 0.1, 12);
    c->state = doubles(MEANS * c->s.D + TIMES);
    memcpy(c->state, mean, MEANS * c->s.D * sizeof *mean);
    free(mean);
    c->state[MEANS * c->s.D] = 0.5;
    c->state[MEANS * c->s.D + 1] = 0.3;
    c->weights = doubles(ROWS);
    for (size_t i = 0; i < ROWS; i++)
        c->weights[i] = (double)(i % 4);
    static const size_t mean_of[GROUPS] = {0, 1, 1}, time_of[GROUPS] = {0, 0, 1};
    for (size_t g = 0; g < GROUPS; g++)
        c->rows[g] = (fit_rows){
            .n = ROWS, .x = c->x + g * ROWS * c->s.D, .weights = g == 2 ? c->weights : NULL};
    c->means = fit_many_means(with_time ? c->s.exact : c->s.log, GROUPS, c->rows, MEANS, mean_of,
                              TIMES, time_of, time_is_free, 1);
    c->parameters = model_of(c)->parameters;
    ck_assert_uint_eq(c->parameters, MEANS * c->s.d + (time_is_free ? TIMES : 0));
}

static void close_case(problem_case *c)
{
    free(c->x);
    free(c->state);
    free(c->weights);
    setting_close(&c->s);
}

/* The value after a move by `scale` times the direction in parameter space. */
static double value_at(const problem_case *c, const double *direction, double scale)
{
    const setting *s = &c->s;
    double *state = doubles(model_of(c)->size), *v = doubles(s->D), *step = doubles(s->d);
    double *gradient = doubles(c->parameters);
    for (size_t k = 0; k < MEANS; k++) {
        for (size_t a = 0; a < s->d; a++)
            step[a] = scale * direction[k * s->d + a];
        ASSERT_OK(mst_manifold_from_frame(s->m, 1, c->state + k * s->D, step, v));
        ASSERT_OK(mst_manifold_exp(s->m, 1, c->state + k * s->D, v, state + k * s->D));
    }
    for (size_t k = 0; k < TIMES; k++)
        state[MEANS * s->D + k] =
            c->state[MEANS * s->D + k] *
            (model_of(c)->time_is_free ? exp(scale * direction[MEANS * s->d + k]) : 1);
    fit_sums sums = {.gradient = gradient};
    ASSERT_OK(fit_evaluate(model_of(c), state, &sums));
    free(state), free(v), free(step), free(gradient);
    return sums.value;
}

static void check_case(problem_case *c, const char *what)
{
    size_t q = c->parameters;
    double *gradient = doubles(q), *hessian = doubles(q * q), *direction = doubles(q);
    fit_sums sums = {.gradient = gradient, .hessian = hessian};
    ASSERT_OK(fit_evaluate(model_of(c), c->state, &sums));
    assert_near(sums.total_weight, 2 * ROWS + 60, 1e-9, "%s: Σ w", what);
    /* Differences of order four with h = 0.01: h⁴ and 1e-16/h² times Σ w = 140 and
     * derivatives of some hundreds. */
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

/* Σ w g gᵀ and squared scores from rows that are evaluated one by one. */
START_TEST(outer_products_are_those_of_the_rows)
{
    problem_case c;
    open_case(&c, "sphere:2", true, true);
    size_t q = c.parameters;
    double *gradient = doubles(q), *outer = doubles(q * q), *want = doubles(q * q), square = 0;
    memset(want, 0, q * q * sizeof *want);
    for (size_t g = 0; g < GROUPS; g++)
        for (size_t i = 0; i < ROWS; i++) {
            fit_rows one = c.rows[g];
            double w = one.weights != NULL ? one.weights[i] : 1;
            one.n = 1;
            one.x += i * c.s.D;
            one.weights = NULL;
            fit_means alone = c.means;
            alone.model.groups = 1;
            alone.model.rows = &one;
            alone.mean_of += g;
            alone.time_of += g;
            fit_sums sums = {.gradient = gradient};
            ASSERT_OK(fit_evaluate(&alone.model, c.state, &sums));
            square += w * sums.score_square;
            for (size_t a = 0; a < q; a++)
                for (size_t b = 0; b < q; b++)
                    want[a * q + b] += w * gradient[a] * gradient[b];
        }
    fit_sums sums = {.gradient = gradient, .outer = outer};
    ASSERT_OK(fit_evaluate(model_of(&c), c.state, &sums));
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
    ASSERT_OK(fit_climb(model_of(&c), c.state, &o, &outcome));
    ck_assert_int_eq(outcome.end, MST_FIT_SETTLED);
    ck_assert(outcome.least_curvature > 0 && outcome.decrement < 1e-15);
    double together = outcome.value;
    double apart = 0, state[4];
    for (size_t g = 0; g < GROUPS; g++) {
        fit_means one = fit_one_mean(c.s.exact, &c.rows[g], true, 1);
        mst_manifold_start(c.s.m, state);
        state[3] = 1;
        ASSERT_OK(fit_climb(&one.model, state, &o, &outcome));
        ck_assert_int_eq(outcome.end, MST_FIT_SETTLED);
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
    const fit_model *m = model_of(&c);
    fit_work r;
    ASSERT_OK(fit_work_new(&r, m, 1e-10, false));
    fit_sums sums = {.gradient = r.gradient}, next = {.gradient = r.trial_gradient};
    ASSERT_OK(fit_evaluate(m, c.state, &sums));
    double size = fit_norm(m->parameters, r.gradient), gain;
    for (double length = 0.01; length < 0.1; length *= 3) {
        for (size_t k = 0; k < m->parameters; k++)
            r.step[k] = length * r.gradient[k] / size;
        ASSERT_OK(m->ops->move(m, c.state, r.step, r.trial));
        ASSERT_OK(fit_evaluate(m, r.trial, &next));
        ASSERT_OK(fit_gain(c.state, r.gradient, r.step, r.trial, r.trial_gradient, &r, &gain));
        assert_near(gain, next.value - sums.value, 0.02 * fabs(gain), "%s, %g", specs[_i], length);
    }
    mst_release(r.memory);
    close_case(&c);
}
END_TEST

/* Moving by the difference of two states leads from one to the other, and so does the way between them. */
START_TEST(states_are_told_apart)
{
    problem_case c;
    open_case(&c, specs[_i], true, true);
    const fit_model *m = model_of(&c);
    size_t q = m->parameters;
    double *step = doubles(q), *to = doubles(m->size), *back = doubles(q), *way = doubles(m->size);
    double *velocity = doubles(q), *near = doubles(m->size);
    for (size_t k = 0; k < q; k++)
        step[k] = 0.1 * (double)(k + 1) / (double)q;
    ASSERT_OK(m->ops->move(m, c.state, step, to));
    ASSERT_OK(m->ops->difference(m, c.state, to, back));
    for (size_t k = 0; k < q; k++)
        assert_near(back[k], step[k], 1e-12, "%s: difference %zu", specs[_i], k);
    /* The velocity at a third of the way leads on along it. */
    ASSERT_OK(m->ops->between(m, c.state, to, 1.0 / 3, way, velocity));
    for (size_t k = 0; k < q; k++)
        back[k] = velocity[k] / 3;
    ASSERT_OK(m->ops->move(m, way, back, near));
    ASSERT_OK(m->ops->between(m, c.state, to, 2.0 / 3, way, velocity));
    for (size_t k = 0; k < m->size; k++)
        assert_near(way[k], near[k], 1e-12, "%s: state %zu", specs[_i], k);
    /* Integrated along it, the gradient is the difference of the values. */
    fit_sums sums = {.gradient = back};
    double difference, variation, before;
    ASSERT_OK(fit_evaluate(m, c.state, &sums));
    before = sums.value;
    ASSERT_OK(fit_evaluate(m, to, &sums));
    ASSERT_OK(fit_difference(m, c.state, to, &difference, &variation));
    assert_near(difference, sums.value - before, 1e-9 * fabs(before), "%s: values", specs[_i]);
    ck_assert(variation >= fabs(difference) * (1 - 1e-12));
    free(step), free(to), free(back), free(way), free(velocity), free(near);
    close_case(&c);
}
END_TEST

/* A product has a part per factor, each with a reach of its own. */
START_TEST(parts_are_those_of_the_factors)
{
    problem_case c;
    open_case(&c, "product(sphere:2,euclidean:1)", true, true);
    const fit_model *m = model_of(&c);
    static const struct {
        size_t first, count;
        bool log_time;
    } want[] = {{0, 2, false}, {2, 1, false}, {3, 2, false},
                {5, 1, false}, {6, 1, true},  {7, 1, true}};
    ck_assert_uint_eq(m->parts, 6);
    for (size_t k = 0; k < m->parts; k++) {
        fit_part part = m->ops->part(m, k);
        ck_assert_msg(part.first == want[k].first && part.count == want[k].count &&
                          part.log_time == want[k].log_time,
                      "part %zu", k);
        if (k == 0 || k == 2)
            assert_near(part.reach, acos(-1) / 2, 1e-15, "reach %zu", k);
        else
            ck_assert(isinf(part.reach));
    }
    close_case(&c);
}
END_TEST

int main(void)
{
    return RUN_SUITE("fit", 60, {derivatives_are_those_of_the_value, SPECS},
                     {outer_products_are_those_of_the_rows, 0}, {groups_climb_together, 0},
                     {gains_are_differences_of_the_value, SPECS}, {states_are_told_apart, SPECS},
                     {parts_are_those_of_the_factors, 0});
}
