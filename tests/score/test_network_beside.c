/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Networks beside the expansion and the sum over eigenfunctions: these answer where they are valid, the
 * network where they are not, and both next to the limit. */
#include "support/score_support.h"
#include "support/scratch.h"

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

static double share_at(double v)
{
    return fmin(fmax(2 - v / MST_VALIDITY_LIMIT, 0), 1);
}

/* What a source's share adds to the answers of a row. */
static void add_share(double v, size_t i, const answers *from, answers *to)
{
    double share = share_at(v);
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

/* The shares are those of the blend, row by row. */
START_TEST(shares_are_counted)
{
    double x[2 * N], y[2 * N], t[N], v[2][N], want[3] = {0};
    mst_manifold *m = open_manifold(TORUS);
    mst_network *net = random_network(m, (network_design){.width = 16, .depth = 2}, 3);
    mst_score *joined, *alone, *other[2];
    mst_source_share got[MST_SOURCE_SHARES];
    size_t count;
    ASSERT_OK(mst_score_network_new(&joined, net, true));
    ASSERT_OK(mst_score_network_alone_new(&alone, net, true));
    ASSERT_OK(mst_score_spectral_new(&other[0], m, 0));
    ASSERT_OK(mst_score_expansion_new(&other[1], m));
    make_rows(x, y, t);
    mst_pairs pairs = mst_pairs_rows(m, N, x, y, t);
    for (int k = 0; k < 2; k++)
        ASSERT_OK(mst_score_validity(other[k], &pairs, &(mst_heat_values){0}, v[k]));
    for (size_t i = 0; i < N; i++) {
        double spectral = share_at(v[0][i]), expansion = spectral < 1 ? share_at(v[1][i]) : 0;
        want[0] += (1 - spectral) * (1 - expansion) / N;
        want[1] += expansion / N;
        want[2] += spectral * (1 - expansion) / N;
    }
    ASSERT_OK(mst_score_shares(joined, &pairs, got, &count));
    static const char *const names[] = {"network", "expansion", "spectral"};
    ck_assert_uint_eq(count, 3);
    for (size_t k = 0; k < 3; k++) {
        ck_assert_str_eq(got[k].name, names[k]);
        ck_assert_msg(want[k] > 0.001, "%s answers %g", names[k], want[k]);
        assert_near(got[k].share, want[k], 1e-12, "%s", names[k]);
    }
    ASSERT_OK(mst_score_shares(joined, &(mst_pairs){0}, got, &count));
    ck_assert(count == 3 && got[0].share == 1); /* there are others, which have nothing to do */
    const mst_score *single[] = {alone, other[0], other[1]};
    for (size_t k = 0; k < 3; k++) {
        ASSERT_OK(mst_score_shares(single[k], &pairs, got, &count));
        ck_assert(count == 1 && got[0].share == 1);
        ck_assert_str_eq(got[0].name, mst_score_name(single[k]));
    }
    mst_score_free(joined);
    mst_score_free(alone);
    for (int k = 0; k < 2; k++)
        mst_score_free(other[k]);
    mst_network_free(net);
    mst_manifold_free(m);
}
END_TEST

static void score_of(const char *text, const double *x, const double *y, const double *t, double *s)
{
    mst_score *source;
    ASSERT_OK(mst_score_open(&source, text, NULL));
    ASSERT_OK(mst_score_evaluate_rows(source, 1, x, y, t, &(mst_heat_values){.score = s}));
    mst_score_free(source);
}

/* FILE?alone is the network alone, in every way to write it, and so are its small-time limits. */
START_TEST(files_alone)
{
    static const char *const same[] = {"alone", "alone=yes", "expansion=no", "beyond&alone"};
    static const char *const others[] = {"alone=no", "expansion=yes", "beyond"};
    scratch_open();
    mst_manifold *m = open_manifold(TORUS);
    mst_network *net = random_network(m, (network_design){.width = 16, .depth = 2}, 3);
    char path[400], text[500];
    snprintf(path, sizeof path, "%s", scratch("model"));
    ASSERT_OK(mst_network_write(net, path, false));
    const double x[] = {0.3, 0.2}, y[] = {0.5, 0.4}, t = 0.05;
    double want[2], joined[2], got[2], limit[2], v[2], square;
    mst_score *alone, *source, *at;
    ASSERT_OK(mst_score_network_alone_new(&alone, net, true));
    ASSERT_OK(mst_score_evaluate_rows(alone, 1, x, y, &t, &(mst_heat_values){.score = want}));
    score_of(path, x, y, &t, joined);
    ck_assert(joined[0] != want[0]);
    for (size_t k = 0; k < sizeof same / sizeof *same; k++) {
        snprintf(text, sizeof text, "%s?%s", path, same[k]);
        score_of(text, x, y, &t, got);
        ck_assert_mem_eq(got, want, sizeof got);
    }
    for (size_t k = 0; k < sizeof others / sizeof *others; k++) {
        snprintf(text, sizeof text, "%s?%s", path, others[k]);
        score_of(text, x, y, &t, got);
        ck_assert_mem_eq(got, joined, sizeof got);
    }
    /* t·s at t = 0.05, by a limit of the file and by that of a source. */
    snprintf(text, sizeof text, "%s?alone&t=0.05", path);
    score_of(text, x, y, NULL, got);
    ASSERT_OK(mst_score_open(&source, text, NULL));
    ASSERT_OK(mst_score_network_limit_new(&at, source));
    ASSERT_OK(mst_score_evaluate_rows(at, 1, x, y, NULL, &(mst_heat_values){.score = limit}));
    ASSERT_OK(mst_score_network_log(source, 1, y, x, v, &square));
    for (size_t k = 0; k < 2; k++) {
        ck_assert(got[k] == t * want[k] && limit[k] == got[k] && v[k] == got[k]);
        ck_assert(square > 0);
    }
    mst_score_free(at);
    mst_score_free(source);
    mst_manifold *sphere = open_manifold("sphere:2");
    ASSERT_OK(mst_score_open(&source, "exact", sphere));
    ASSERT_FAILS(MST_ARGUMENT, mst_score_network_limit_new(&at, source));
    ASSERT_FAILS(MST_ARGUMENT, mst_score_network_log(source, 1, x, y, v, NULL));
    mst_score_free(source);
    mst_manifold_free(sphere);
    mst_score_free(alone);
    mst_network_free(net);
    mst_manifold_free(m);
    scratch_close();
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
                     {shares_are_counted, 0}, {files_alone, 0}, {spheres_are_learned_alone, 0});
}
