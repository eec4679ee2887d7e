/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* The heat equation as a source: against closed forms, against itself, and what it declines. */
#include "support/pde_support.h"

#define SHIPPED MST_TEST_DATA "/../../examples/manifolds/"

static const char flat_torus[] = "coordinates u v\nperiod u 2*pi\nperiod v 2*pi\nmetric = 1\n"
                                 "compact = yes\nstart = 0, 0\n";

START_TEST(flat_torus_has_its_closed_form)
{
    mst_manifold *m = from_text(flat_torus), *closed = open_manifold("torus:2");
    mst_score *s = open_pde(m, "pde?grid=0.8"), *exact = open_pde(closed, "exact");
    dice die = {11};
    double x[2 * ROWS], y[2 * ROWS], t[ROWS];
    static answers a, b;
    flat_pairs(&die, 9, 0.3, 1.9, x, y, t);
    ask(s, x, y, t, &a);
    ask(exact, x, y, t, &b);
    for (size_t i = 0; i < ROWS; i++) {
        double apart =
            hypot(packed(&a, i)[0] - packed(&b, i)[0], packed(&a, i)[1] - packed(&b, i)[1]);
        ck_assert_double_lt(a.v[i], MST_VALIDITY_LIMIT);
        ck_assert_double_lt(fabs(a.log_p[i] - b.log_p[i]), 1e-3);
        ck_assert_double_lt(t[i] * fabs(a.dt[i] - b.dt[i]), 5e-3);
        ck_assert_double_lt(sqrt(t[i]) * apart, 5e-3);
        for (size_t k = 0; k < 4; k++)
            ck_assert_double_lt(t[i] * fabs(a.hessian[i][k] - b.hessian[i][k]), 0.05);
    }
    mst_score_free(s);
    mst_score_free(exact);
    mst_manifold_free(m);
    mst_manifold_free(closed);
}
END_TEST

START_TEST(kernel_is_symmetric_whoever_is_the_source)
{
    mst_manifold *m = open_manifold(SHIPPED "torus.manifold");
    mst_score *s = open_pde(m, "pde?grid=0.8");
    double ends[4] = {0.3, -0.4, 1.6, 2.2}, back[4] = {1.6, 2.2, 0.3, -0.4}, t[2] = {1.3, 1.3};
    double p[2];
    ASSERT_OK(mst_score_prepare(s, 2, ends));
    ASSERT_OK(mst_score_evaluate_rows(s, 2, ends, back, t, &(mst_heat_values){.log_p = p}));
    ck_assert_double_lt(fabs(p[0] - p[1]), 1e-9);
    /* A period more is the same point. */
    double far[4] = {0.3 + 4 * M_PI, -0.4, 1.6, 2.2 - 2 * M_PI}, q[2];
    ASSERT_OK(mst_score_evaluate_rows(s, 2, far, back, t, &(mst_heat_values){.log_p = q}));
    ck_assert_double_lt(fabs(p[0] - q[0]) + fabs(p[1] - q[1]), 1e-12);
    mst_score_free(s);
    mst_manifold_free(m);
}
END_TEST

START_TEST(rows_without_an_answer_say_so)
{
    mst_manifold *m = from_text("coordinates x y\nmetric = 1\ndomain 0 < x < 1\nstart = 0.5, 0\n");
    mst_manifold *plane = from_text(flat_plane);
    mst_score *strip = open_pde(m, "pde?grid=0.6"), *s = open_pde(plane, "pde?unknowns=100");
    double x[2] = {0.5, 0}, y[2] = {0.6, 0.1}, t = 0.5, v, log_p;
    mst_pairs pairs = mst_pairs_rows(m, 1, x, y, &t);
    const mst_heat_values out = {.log_p = &log_p};
    /* Half of the heat has left by the edges. */
    ASSERT_OK(mst_score_validity(strip, &pairs, &out, &v));
    ck_assert_double_ge(v, MST_VALIDITY_LIMIT);
    /* Too early for so small a grid: still a value for estimators. */
    ASSERT_OK(mst_score_validity(s, &pairs, &out, &v));
    ck_assert(isinf(v) && isfinite(log_p));
    mst_score_free(s);
    /* Too far. */
    s = open_pde(plane, "pde?grid=0.5");
    y[0] = 10;
    ASSERT_OK(mst_score_validity(s, &pairs, &out, &v));
    ck_assert(isinf(v) && log_p < -80);
    y[0] = NAN;
    ck_assert_int_eq(mst_score_validity(s, &pairs, &out, &v), MST_DOMAIN);
    y[0] = 0.6;
    t = 0;
    ck_assert_int_eq(mst_score_validity(s, &pairs, &out, &v), MST_ARGUMENT);
    mst_score_free(s);
    mst_score_free(strip);
    mst_manifold_free(m);
    mst_manifold_free(plane);
}
END_TEST

START_TEST(other_manifolds_and_options_are_refused)
{
    static const struct {
        const char *manifold, *score, *says;
        mst_status status;
    } cases[] = {
        {"sphere:2", "pde", "no chart", MST_UNABLE},
        {"euclidean:3", "pde", "2 dimensions", MST_UNABLE},
        {SHIPPED "ellipsoid.manifold", "pde", "no chart", MST_UNABLE},
        {SHIPPED "sphere-charts.manifold", "pde", "several charts", MST_UNABLE},
        {SHIPPED "torus.manifold", "pde?grid=0", "> 0", MST_ARGUMENT},
        {SHIPPED "torus.manifold", "pde?grid=9", "0.25 to 8", MST_ARGUMENT},
        {SHIPPED "torus.manifold", "pde?unknowns=3", "100 to", MST_ARGUMENT},
        {SHIPPED "torus.manifold", "pde?memory=3", "memory", MST_ARGUMENT},
        {SHIPPED "torus.manifold", "pde?mesh=3", "it has grid, unknowns, memory", MST_ARGUMENT},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        mst_manifold *m = open_manifold(cases[k].manifold);
        mst_score *s;
        ck_assert_int_eq(mst_score_open(&s, cases[k].score, m), cases[k].status);
        ck_assert_msg(strstr(mst_error_detail(), cases[k].says) != NULL, "%s", mst_error_detail());
        mst_manifold_free(m);
    }
    /* Solutions that need more than they may have. */
    mst_manifold *m = from_text(flat_plane);
    mst_pde_options o = mst_pde_options_default();
    o.memory = 1e6;
    mst_score *s;
    double x[2 * ROWS] = {0}, t[ROWS], p[ROWS];
    for (size_t i = 0; i < ROWS; i++) {
        x[2 * i] = 0.01 * (double)i;
        t[i] = 1;
    }
    ASSERT_OK(mst_score_pde_new(&s, m, &o));
    ck_assert_int_eq(mst_score_evaluate_rows(s, ROWS, x, x, t, &(mst_heat_values){.log_p = p}),
                     MST_MEMORY);
    mst_score_free(s);
    mst_manifold_free(m);
}
END_TEST

int main(void)
{
    return RUN_SUITE("pde", 300, {flat_torus_has_its_closed_form, 0},
                     {kernel_is_symmetric_whoever_is_the_source, 0},
                     {rows_without_an_answer_say_so, 0},
                     {other_manifolds_and_options_are_refused, 0});
}
