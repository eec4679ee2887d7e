/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Chained targets: the exact score of the sample before in the place of its target leaves the conditional
 * mean as it is, and takes most of the noise away. On spheres as constraints, whose kernel is known. */
#include "manifold/formula_metric.h"
#include "support/support.h"
#include "train/samples.h"

#include <manistat/heat.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PATHS = 4096, SLOTS = 12, ROWS = PATHS * SLOTS, STEPS = 24 };

typedef struct sphere_case {
    const char *text, *spec;
    size_t d, D;
    double push;
} sphere_case;

static const sphere_case cases[] = {
    {"coordinates x y z\nconstraint = x^2 + y^2 + z^2 - 1\ncompact = yes\nstart = 0, 0, 1\n",
     "sphere:2", 2, 3, 0},
    {"coordinates x y z\nconstraint = x^2 + y^2 + z^2 - 1\ncompact = yes\nstart = 0, 0, 1\n",
     "sphere:2", 2, 3, 3},
    {"coordinates x y z w\nconstraint = x^2 + y^2 + z^2 + w^2 - 1\ncompact = yes\n"
     "start = 0, 0, 0, 1\n",
     "sphere:3", 3, 4, 0},
};
enum { CASES = sizeof cases / sizeof *cases };

typedef struct drawn {
    double kappa;
    double *x, *y, *t, *target, *weight, *chain, *frame, *score;
} drawn;

static drawn draw(const sphere_case *c)
{
    size_t D = c->D, d = c->d;
    drawn s = {.x = malloc(ROWS * (4 * D + 2 + d * d + d * D) * sizeof(double))};
    s.y = s.x + ROWS * D;
    s.target = s.y + ROWS * D;
    s.score = s.target + ROWS * D;
    s.t = s.score + ROWS * D;
    s.weight = s.t + ROWS;
    s.chain = s.weight + ROWS;
    s.frame = s.chain + ROWS * d * d;
    mst_manifold *m, *sphere;
    sample_plan *plan;
    ASSERT_OK(mst_formula_manifold_new(&m, "sphere.manifold", "sphere", c->text, strlen(c->text), 0,
                                       NULL));
    ASSERT_OK(mst_manifold_parse(&sphere, c->spec));
    /* Short paths have fewer steps beyond t_min than slots: samples of theirs stand at the same point. */
    sample_options o = {.kind = SAMPLE_BEL,
                        .t_min = 0.05,
                        .t_max = 1,
                        .steps = STEPS,
                        .slots = SLOTS,
                        .seed = 5,
                        .push = c->push};
    ASSERT_OK(sample_plan_new(&plan, m, &o));
    ck_assert(sample_plan_has_chains(plan));
    sample_plan_targets(plan, &s.kappa);
    ASSERT_OK(sample_draw(plan, 0, PATHS,
                          &(sample_rows){.x = s.x,
                                         .y = s.y,
                                         .t = s.t,
                                         .target = s.target,
                                         .weight = s.weight,
                                         .chain = s.chain,
                                         .frame = s.frame}));
    ASSERT_OK(mst_heat_kernel_times(sphere, ROWS, s.x, s.y, s.t, 1,
                                    &(mst_heat_values){.score = s.score}));
    sample_plan_free(plan);
    mst_manifold_free(m);
    mst_manifold_free(sphere);
    return s;
}

static double along(size_t D, const double *u, const double *v)
{
    double sum = 0;
    for (size_t k = 0; k < D; k++)
        sum += u[k] * v[k];
    return sum;
}

/* w + Σ E C <E', s' − w'> of a row; is it chained? */
static bool chained(const sphere_case *c, const drawn *s, size_t row, double *w)
{
    size_t D = c->D, d = c->d, before = (row + ROWS - PATHS) % ROWS;
    double rest[4], largest = 0;
    memcpy(w, s->target + row * D, D * sizeof *w);
    for (size_t k = 0; k < D; k++)
        rest[k] = s->score[before * D + k] - s->target[before * D + k];
    for (size_t a = 0; a < d; a++)
        for (size_t b = 0; b < d; b++) {
            double entry = s->chain[(row * d + a) * d + b];
            double share = entry * along(D, s->frame + (before * d + b) * D, rest);
            largest = fmax(largest, fabs(entry));
            for (size_t k = 0; k < D; k++)
                w[k] += s->frame[(row * d + a) * D + k] * share;
        }
    return largest > 0;
}

/* The matrix between samples j and i < j steps of h before the end, where Ric = d − 1: a multiple of the
 * identity. */
static double known_chain(const sphere_case *c, double kappa, double h, int j, int i)
{
    double half = 0.5 * h * (double)(c->d - 1), growth = exp(-kappa * h), sums[STEPS + 1] = {0};
    double curl = 1 / ((double)c->d - 1);
    double damped =
        c->d == 2 ? 1 / (1 + half + half * half) : 1 - half + 0.5 * half * half * (1 - curl);
    for (int n = 1; n <= j; n++)
        sums[n] = 1 + growth * sums[n - 1];
    return pow(growth * damped, j - i) * sums[i] / sums[j];
}

/* The chains of the paths that are as long as any: half of them. */
static void compare_chains(const sphere_case *c, const drawn *s)
{
    const double h = 1.0 / STEPS;
    size_t compared = 0;
    for (size_t row = 0; row < ROWS; row++) {
        size_t before = (row + ROWS - PATHS) % ROWS, d = c->d;
        double last = s->t[row] / h, first = s->t[before] / h;
        bool whole = fabs(last - round(last)) < 1e-9 && fabs(first - round(first)) < 1e-9;
        if (!whole || first >= last)
            continue;
        double known = known_chain(c, s->kappa, h, (int)round(last), (int)round(first));
        for (size_t k = 0; k < d * d; k++)
            ck_assert_double_eq_tol(s->chain[row * d * d + k], k % (d + 1) == 0 ? known : 0, 1e-9);
        compared++;
    }
    ck_assert_uint_gt(compared, ROWS / 4);
}

static void look(const sphere_case *c)
{
    drawn s = draw(c);
    compare_chains(c, &s);
    size_t D = c->D, linked = 0;
    double signal = 0, product = 0, spread = 0, noise = 0, full = 0;
    for (size_t row = 0; row < ROWS; row++) {
        double w[4], error[4], g = s.weight[row] * s.t[row];
        const double *score = s.score + row * D;
        if (!chained(c, &s, row, w) || s.t[row] < 0.3)
            continue;
        linked++;
        ck_assert(s.t[(row + ROWS - PATHS) % ROWS] < s.t[row]);
        for (size_t k = 0; k < D; k++)
            error[k] = w[k] - score[k];
        signal += g * along(D, score, score);
        product += g * along(D, error, score);
        spread += pow(g * along(D, error, score), 2);
        noise += g * along(D, error, error);
        for (size_t k = 0; k < D; k++)
            error[k] = s.target[row * D + k] - score[k];
        full += g * along(D, error, error);
    }
    /* False alarms one in ten thousand; the steps' own bias is below 0.5 %. */
    ck_assert_double_eq_tol(product / signal, 0, 0.005 + 4 * sqrt(spread) / signal);
    ck_assert_msg(noise < 0.5 * full, "%s: noise %g of %g", c->spec, noise, full);
    ck_assert_uint_gt(linked, ROWS / 3);
    free(s.x);
}

START_TEST(the_score_of_the_sample_before_stands_for_its_target)
{
    look(&cases[_i]);
}
END_TEST

START_TEST(plans_with_one_time_have_none)
{
    mst_manifold *m;
    sample_plan *plan;
    ASSERT_OK(mst_formula_manifold_new(&m, "sphere.manifold", "sphere", cases[0].text,
                                       strlen(cases[0].text), 0, NULL));
    sample_options o = {
        .kind = SAMPLE_BEL, .t_min = 0.5, .t_max = 0.5, .steps = 8, .slots = 4, .seed = 5};
    ASSERT_OK(sample_plan_new(&plan, m, &o));
    ck_assert(!sample_plan_has_chains(plan));
    sample_plan_free(plan);
    mst_manifold_free(m);
}
END_TEST

int main(void)
{
    return RUN_SUITE("samples_chain", 60,
                     {the_score_of_the_sample_before_stands_for_its_target, CASES},
                     {plans_with_one_time_have_none, 0});
}
