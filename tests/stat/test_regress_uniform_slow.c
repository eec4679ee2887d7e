/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Responses that are spread over a whole compact space: tests keep their size, whether there is a mean or
 * none, curves are not made of uniform points, and where there is a trend it is seen. Over 500 data sets the
 * binomial standard deviation of 5 % is 1 %, so right code leaves the limits of 2 and 8 % about once in 400
 * freshly chosen seeds; the seed is fixed. What is refused for want of convergence counts as not rejected. */
#include "stat/regress_support.h"
#include "util/clock.h"

#include <stdio.h>

typedef struct spread_case {
    const char *spec, *source;
    size_t n;
    double time;        /* of Brownian motion about the curve; INFINITY: uniform */
    double speed;       /* of the first column, over two standard deviations of it */
    size_t terms;       /* 1, or 2 of which the second does nothing */
    double least, most; /* share of sets in which the last column's p value is at most 0.05 */
} spread_case;

static const spread_case cases[] = {
    {"circle", "exact", 60, INFINITY, 0, 1, 0.02, 0.08},
    {"sphere:2", "exact", 60, INFINITY, 0, 1, 0.02, 0.08},
    {"so3", "exact", 60, INFINITY, 0, 1, 0.02, 0.08},
    {"torus:2", "exact", 60, INFINITY, 0, 1, 0.02, 0.08},
    {"sphere:2", "log", 60, INFINITY, 0, 1, 0.02, 0.08},
    {"circle", "exact", 60, 2, 0, 1, 0.02, 0.08},
    {"circle", "exact", 60, 0.5, 0, 1, 0.02, 0.08},
    {"sphere:2", "exact", 60, 1, 0, 1, 0.02, 0.08},
    {"sphere:2", "exact", 60, 0.4, 0, 1, 0.02, 0.08},
    {"sphere:2", "exact", 60, 0.2, 0, 1, 0.02, 0.08},
    {"so3", "exact", 60, 1, 0, 1, 0.02, 0.08},
    {"so3", "exact", 60, 0.2, 0, 1, 0.02, 0.08},
    {"torus:2", "exact", 60, 1, 0, 1, 0.02, 0.08},
    /* A second column beside one that moves the curve far over the space. */
    {"sphere:2", "exact", 60, 0.5, 1, 2, 0.02, 0.08},
    {"circle", "exact", 60, 1, 1, 2, 0.02, 0.08},
    /* Trends. */
    {"sphere:2", "exact", 60, 0.5, 0.8, 1, 0.95, 1},
    {"circle", "exact", 60, 1, 1, 1, 0.95, 1},
    {"circle", "exact", 60, 0.1, 3, 1, 0.99, 1},
};
enum { CASES = sizeof cases / sizeof *cases, MOST_N = 60 };

typedef struct outcome {
    size_t rejected, curves, refused, failed;
} outcome;

/* The first column is 2 (i + ½)/n − 1 in an order by chance. */
static mst_status one_set(const spread_case *c, const setting *s, const mst_score *source,
                          const true_curve *curve, size_t k, outcome *out)
{
    double x[2 * MOST_N], z[MOST_N], y[9 * MOST_N];
    dice rng = {77 + 1000 * k};
    for (size_t i = 0; i < c->n; i++) {
        z[i] = dice_uniform(&rng, -1.7, 1.7);
        x[c->terms * i] = z[i];
        if (c->terms > 1)
            x[2 * i + 1] = 0.5 * z[i] + dice_normal(&rng);
    }
    mst_status status = isinf(c->time)
                            ? mst_manifold_random_point(s->m, (mst_random){91, k}, 0, c->n, y)
                            : rows_about(s, curve, c->n, z, k, y);
    mst_regress_options o = mst_regress_options_default();
    o.threads = 1;
    o.resamples = 199;
    o.seed = 5 + k;
    mst_regress_result *r = NULL;
    if (status == MST_OK)
        status = mst_regress_fit(&r, source, c->n, y, c->terms, x, &o);
    if (status == MST_OK) {
        out->rejected = r->p_values[c->terms - 1] <= 0.05;
        out->curves = (r->notes & MST_REGRESS_NO_CURVE) == 0;
    }
    out->refused = status == MST_CONVERGENCE;
    out->failed = status != MST_OK && status != MST_CONVERGENCE;
    mst_regress_result_free(r);
    return status;
}

typedef struct spread_job {
    const spread_case *c;
    const setting *s;
    const mst_score *source;
    const true_curve *curve;
    outcome *each; /* set */
} spread_job;

static void run_set(void *data, size_t k)
{
    spread_job *j = data;
    (void)!one_set(j->c, j->s, j->source, j->curve, k, &j->each[k]);
}

START_TEST(tests_keep_their_size_on_spread_points)
{
    const spread_case *c = &cases[_i];
    if (!is_simulated(_i))
        return;
    setting s = setting_open(c->spec);
    mst_score *source;
    ASSERT_OK(mst_score_open(&source, c->source, s.m));
    true_curve curve =
        curve_at_random(&s, 1, c->speed, isinf(c->time) ? 0 : c->time, 5 + (uint64_t)_i);
    size_t sets = simulated_sets(500), rejected = 0, curves = 0, refused = 0, failed = 0;
    double begin = mst_clock_seconds();
    spread_job j = {c, &s, source, &curve, calloc(sets, sizeof *j.each)};
    each_in_parallel(sets, run_set, &j);
    for (size_t k = 0; k < sets; k++) {
        outcome one = j.each[k];
        rejected += one.rejected;
        curves += one.curves;
        refused += one.refused;
        failed += one.failed;
    }
    double n = (double)sets, share = (double)rejected / n;
    printf("%-9s %-5s time %4g, speed %g, %zu terms: p <= 0.05 in %.1f %%, a curve in %.1f %%, "
           "refused "
           "%.1f %%, %zu failed, %.0f s\n",
           c->spec, c->source, c->time, c->speed, c->terms, 100 * share, 100 * (double)curves / n,
           100 * (double)refused / n, failed, mst_clock_seconds() - begin);
    fflush(stdout);
    ck_assert_uint_eq(failed, 0);
    ck_assert_msg(share >= (refused > sets / 20 ? 0 : c->least) && share <= c->most,
                  "%s, time %g: p <= 0.05 in %.4f", c->spec, c->time, share);
    /* Uniform points: a curve where its test says so, and about as often where uniformity is rejected. */
    if (isinf(c->time))
        ck_assert_double_le((double)curves / n, 0.14);
    free(j.each);
    curve_free(&curve);
    mst_score_free(source);
    setting_close(&s);
}
END_TEST

int main(void)
{
    return RUN_SUITE("regression of spread points", 1750,
                     {tests_keep_their_size_on_spread_points, CASES});
}
