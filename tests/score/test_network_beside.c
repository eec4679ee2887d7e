/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Networks beside the expansion and the sum over eigenfunctions: these answer where they are valid, the
 * network where they are not, and both next to the limit. */
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

/* What a source's share adds to the answers of a row. */
static void add_share(double v, size_t i, const answers *from, answers *to)
{
    double share = fmin(fmax(2 - v / MST_VALIDITY_LIMIT, 0), 1);
    if (!(share > 0))
        return;
    for (size_t k = 2 * i; k < 2 * i + 2; k++)
        to->score[k] += share * (from->score[k] - to->score[k]);
    for (size_t k = 4 * i; k < 4 * i + 4; k++)
        to->hessian[k] += share * (from->hessian[k] - to->hessian[k]);
    to->dt[i] += share * (from->dt[i] - to->dt[i]);
}

START_TEST(each_answers_where_it_is_better)
{
    double x[2 * N], y[2 * N], t[N], v[2][N];
    mst_manifold *m = open_manifold(TORUS);
    mst_network *net = random_network(m, (network_design){.width = 16, .depth = 2}, 3);
    mst_score *joined, *alone, *other[2];
    answers a, b, e[2];
    ASSERT_OK(mst_score_network_new(&joined, net, true));
    ASSERT_OK(mst_score_network_alone_new(&alone, net, true));
    ASSERT_OK(mst_score_spectral_new(&other[0], m, 0));
    ASSERT_OK(mst_score_expansion_new(&other[1], m));
    make_rows(x, y, t);
    ask(joined, x, y, t, &a);
    ask(alone, x, y, t, &b);
    mst_pairs pairs = mst_pairs_rows(m, N, x, y, t);
    for (int k = 0; k < 2; k++) {
        ask(other[k], x, y, t, &e[k]);
        ASSERT_OK(mst_score_validity(other[k], &pairs, &(mst_heat_values){0}, v[k]));
    }
    size_t count[3] = {0};
    for (size_t i = 0; i < N; i++) {
        bool settled = v[0][i] <= MST_VALIDITY_LIMIT;
        count[settled ? 0 : v[1][i] <= MST_VALIDITY_LIMIT ? 1 : 2]++;
        add_share(v[0][i], i, &e[0], &b);
        if (!settled)
            add_share(v[1][i], i, &e[1], &b);
        for (size_t k = 2 * i; k < 2 * i + 2; k++)
            ck_assert_double_eq_tol(a.score[k], b.score[k], 1e-9 * (1 + fabs(a.score[k])));
        ck_assert_double_eq_tol(a.dt[i], b.dt[i], 1e-9 * (1 + fabs(b.dt[i])));
        for (size_t k = 4 * i; k < 4 * i + 4; k++)
            ck_assert_double_eq_tol(a.hessian[k], b.hessian[k], 1e-9 * (1 + fabs(a.hessian[k])));
    }
    ck_assert_msg(count[0] > N / 10 && count[1] > N / 10 && count[2] > 0, "%zu, %zu, %zu", count[0],
                  count[1], count[2]);
    ck_assert(mst_score_describe(joined)->cost > 10 * mst_score_describe(alone)->cost);
    ck_assert_ptr_eq(mst_score_network(joined), net);
    mst_score_free(joined);
    mst_score_free(alone);
    for (int k = 0; k < 2; k++)
        mst_score_free(other[k]);
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
    return RUN_SUITE("network_beside", 60, {each_answers_where_it_is_better, 0},
                     {spheres_are_learned_alone, 0});
}
