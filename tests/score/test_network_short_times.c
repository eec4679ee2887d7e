/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Networks beside the expansion: it answers where it is valid, the network where it is not, and both next to
 * the limit. */
#include "support/score_support.h"

#include <manistat/network.h>
#include <math.h>

#define TORUS MST_TEST_DATA "/../../examples/manifolds/torus.manifold"

enum { N = 200 };

typedef struct answers {
    double score[2 * N], dt[N], hessian[4 * N];
} answers;

static void ask(const mst_score *s, const double *x, const double *y, const double *t, answers *a)
{
    ASSERT_OK(mst_score_evaluate_rows(
        s, N, x, y, t,
        &(mst_heat_values){.score = a->score, .dt_log_p = a->dt, .hessian = a->hessian}));
}

/* Pairs at all distances, times from 0.01 to 1. */
static void make_rows(double *x, double *y, double *t)
{
    dice die = {5};
    for (size_t i = 0; i < 2 * N; i++) {
        x[i] = dice_uniform(&die, 0, 6.28);
        y[i] = x[i] + dice_normal(&die);
    }
    for (size_t i = 0; i < N; i++)
        t[i] = 0.01 * pow(100, dice_uniform(&die, 0, 1));
}

START_TEST(each_answers_where_it_is_better)
{
    double x[2 * N], y[2 * N], t[N], v[N];
    mst_manifold *m = open_manifold(TORUS);
    mst_network *net = random_network(m, (network_design){.width = 16, .depth = 2}, 3);
    mst_score *joined, *alone, *expansion;
    answers a, b, e;
    ASSERT_OK(mst_score_network_new(&joined, net, true));
    ASSERT_OK(mst_score_network_alone_new(&alone, net, true));
    ASSERT_OK(mst_score_expansion_new(&expansion, m));
    make_rows(x, y, t);
    ask(joined, x, y, t, &a);
    ask(alone, x, y, t, &b);
    ask(expansion, x, y, t, &e);
    mst_pairs pairs = mst_pairs_rows(m, N, x, y, t);
    ASSERT_OK(mst_score_validity(expansion, &pairs, &(mst_heat_values){0}, v));
    size_t count[3] = {0};
    for (size_t i = 0; i < N; i++) {
        double share = fmin(fmax(2 - v[i] / MST_VALIDITY_LIMIT, 0), 1);
        count[share == 1 ? 0 : share > 0 ? 1 : 2]++;
        for (size_t k = 2 * i; k < 2 * i + 2; k++)
            ck_assert_double_eq_tol(
                a.score[k], share > 0 ? b.score[k] + share * (e.score[k] - b.score[k]) : b.score[k],
                1e-9 * (1 + fabs(a.score[k])));
        double dt = share > 0 ? b.dt[i] + share * (e.dt[i] - b.dt[i]) : b.dt[i];
        ck_assert_double_eq_tol(a.dt[i], dt, 1e-9 * (1 + fabs(dt)));
        for (size_t k = 4 * i; k < 4 * i + 4 && (share == 1 || share == 0); k++)
            ck_assert_double_eq_tol(a.hessian[k], share > 0 ? e.hessian[k] : b.hessian[k],
                                    1e-9 * (1 + fabs(a.hessian[k])));
    }
    ck_assert(count[0] > N / 10 && count[1] > 0 && count[2] > N / 10);
    ck_assert(mst_score_describe(joined)->cost > 10 * mst_score_describe(alone)->cost);
    ck_assert_ptr_eq(mst_score_network(joined), net);
    mst_score_free(joined);
    mst_score_free(alone);
    mst_score_free(expansion);
    mst_network_free(net);
    mst_manifold_free(m);
}
END_TEST

/* Where the logarithm has a closed form nothing changes. */
START_TEST(spheres_are_learned_alone)
{
    mst_manifold *m = open_manifold("sphere:2");
    mst_network *net = random_network(m, (network_design){.width = 16, .depth = 2}, 3);
    mst_score *joined, *alone;
    ASSERT_OK(mst_score_network_new(&joined, net, true));
    ASSERT_OK(mst_score_network_alone_new(&alone, net, true));
    const double x[] = {0, 0, 1}, y[] = {0.6, 0, 0.8}, t = 0.05;
    double s[3], r[3];
    ASSERT_OK(mst_score_evaluate_rows(joined, 1, x, y, &t, &(mst_heat_values){.score = s}));
    ASSERT_OK(mst_score_evaluate_rows(alone, 1, x, y, &t, &(mst_heat_values){.score = r}));
    for (size_t k = 0; k < 3; k++)
        ck_assert(s[k] == r[k]);
    ck_assert(mst_score_describe(joined)->cost == mst_score_describe(alone)->cost);
    mst_score_free(joined);
    mst_score_free(alone);
    mst_network_free(net);
    mst_manifold_free(m);
}
END_TEST

int main(void)
{
    return RUN_SUITE("network_short_times", 60, {each_answers_where_it_is_better, 0},
                     {spheres_are_learned_alone, 0});
}
