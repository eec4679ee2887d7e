/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* The heat equation on a torus of revolution against a solution by separation of variables, on the half-plane
 * against the closed form, and how its error and its means behave in the plane. */
#include "support/pde_support.h"

#include <manistat/mean.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST = 600 };

typedef struct table {
    size_t n;
    double x[MOST][2], y[MOST][2], t[MOST], log_p[MOST], score[MOST][2], dt[MOST];
} table;

/* Rows of the torus. */
static void read_table(table *a)
{
    char line[400];
    FILE *f = fopen(MST_TEST_DATA "/reference/surface_kernels.csv", "r");
    ck_assert(f != NULL && fgets(line, sizeof line, f) != NULL);
    while (fgets(line, sizeof line, f) != NULL) {
        double row[10];
        char *at = line;
        for (int k = 0; k < 10; k++, at++)
            row[k] = strtod(at, &at);
        if (row[0] != 0 || row[5] < 0.05)
            continue;
        ck_assert_uint_lt(a->n, MOST);
        memcpy(a->x[a->n], row + 1, sizeof a->x[0]);
        memcpy(a->y[a->n], row + 3, sizeof a->y[0]);
        a->t[a->n] = row[5];
        a->log_p[a->n] = row[6];
        memcpy(a->score[a->n], row + 7, sizeof a->score[0]);
        a->dt[a->n++] = row[9];
    }
    fclose(f);
}

START_TEST(torus_of_the_table)
{
    table *a = calloc(1, sizeof *a);
    ck_assert(a != NULL);
    read_table(a);
    ck_assert_uint_gt(a->n, 150);
    mst_manifold *m = open_manifold(MST_TEST_DATA "/../../examples/manifolds/torus.manifold");
    mst_score *s;
    ASSERT_OK(mst_score_open(&s, "pde", m));
    double *log_p = doubles(6 * a->n), *dt = log_p + a->n, *v = dt + a->n, *score = v + a->n;
    const mst_pairs pairs = mst_pairs_rows(m, a->n, a->x[0], a->y[0], a->t);
    ASSERT_OK(mst_score_validity(
        s, &pairs, &(mst_heat_values){.log_p = log_p, .dt_log_p = dt, .score = score}, v));
    size_t declined = 0;
    for (size_t i = 0; i < a->n; i++) {
        double wide = 1 + 0.5 * cos(a->y[i][1]); /* unit vectors of the table */
        double u = score[2 * i] * wide, w = score[2 * i + 1] * 0.5;
        double size = hypot(a->score[i][0], a->score[i][1]);
        declined += v[i] < MST_VALIDITY_LIMIT ? 0 : 1;
        ck_assert_double_lt(fabs(log_p[i] - a->log_p[i]), 1e-3);
        ck_assert_double_lt(hypot(u - a->score[i][0], w - a->score[i][1]), 0.005 * size);
        ck_assert_double_lt(a->t[i] * fabs(dt[i] - a->dt[i]), 5e-3);
    }
    ck_assert_uint_le(declined, 2);
    free(log_p);
    free(a);
    mst_score_free(s);
    mst_manifold_free(m);
}
END_TEST

/* From the half-plane to the hyperboloid. */
static void to_hyperboloid(const double *z, double *x)
{
    double square = z[0] * z[0] + z[1] * z[1];
    x[0] = (1 + square) / (2 * z[1]);
    x[1] = (square - 1) / (2 * z[1]);
    x[2] = z[0] / z[1];
}

START_TEST(half_plane_is_hyperbolic)
{
    mst_manifold *m = open_manifold(MST_TEST_DATA "/../../examples/manifolds/half-plane.manifold");
    mst_manifold *closed = open_manifold("hyperbolic:2");
    mst_score *s = open_pde(m, "pde?grid=0.75"), *exact = open_pde(closed, "exact");
    dice die = {12};
    double x[2 * ROWS], y[2 * ROWS], t[ROWS], p[3 * ROWS], q[3 * ROWS], size;
    static answers a, b;
    for (size_t i = 0; i < ROWS; i++) {
        t[i] = dice_uniform(&die, 0.0045, 0.0075);
        double r = sqrt(2 * t[i] * dice_uniform(&die, 0, 6)), turn = dice_uniform(&die, 0, 6.28);
        double v[2] = {r * cos(turn), r * sin(turn)}; /* at (0, 1), a unit frame */
        x[2 * i] = 0;
        x[2 * i + 1] = 1;
        ASSERT_OK(mst_manifold_exp(m, 1, x + 2 * i, v, y + 2 * i));
        to_hyperboloid(x + 2 * i, p + 3 * i);
        to_hyperboloid(y + 2 * i, q + 3 * i);
    }
    ask(s, x, y, t, &a);
    ask(exact, p, q, t, &b);
    for (size_t i = 0; i < ROWS; i++) {
        ck_assert_double_lt(a.v[i], MST_VALIDITY_LIMIT);
        ck_assert_double_lt(fabs(a.log_p[i] - b.log_p[i]), 1e-3);
        ck_assert_double_lt(t[i] * fabs(a.dt[i] - b.dt[i]), 5e-3);
        ASSERT_OK(mst_manifold_norm(closed, 1, q + 3 * i, b.score[0] + 3 * i, &size));
        double own = hypot(packed(&a, i)[0], packed(&a, i)[1]) / y[2 * i + 1];
        ck_assert_double_lt(sqrt(t[i]) * fabs(own - size), 5e-3);
    }
    mst_score_free(s);
    mst_score_free(exact);
    mst_manifold_free(m);
    mst_manifold_free(closed);
}
END_TEST

START_TEST(finer_grids_are_better_and_the_second_tells)
{
    mst_manifold *m = from_text(flat_plane);
    const char *const grids[] = {"pde?grid=0.4", "pde?grid=0.55", "pde?grid=0.75"};
    dice die = {13};
    double x[2 * ROWS], y[2 * ROWS], t[ROWS], worst[3] = {0};
    static answers a;
    flat_pairs(&die, 8, 0.8, 0.99, x, y, t);
    for (size_t g = 0; g < 3; g++) {
        mst_score *s = open_pde(m, grids[g]);
        ask(s, x, y, t, &a);
        for (size_t i = 0; i < ROWS; i++) {
            double dx = y[2 * i] - x[2 * i], dy = y[2 * i + 1] - x[2 * i + 1],
                   r2 = dx * dx + dy * dy;
            double off = hypot(packed(&a, i)[0] + dx / t[i], packed(&a, i)[1] + dy / t[i]);
            off /= fmax(sqrt(r2) / t[i], 0.02 / sqrt(t[i]));
            worst[g] = fmax(worst[g], fabs(a.log_p[i] + r2 / (2 * t[i]) + log(2 * M_PI * t[i])));
            /* Rounding is not what the second grid sees. */
            ck_assert_double_lt(off, fmax(2 * a.v[i], 1e-7));
        }
        mst_score_free(s);
    }
    /* Of order 8: a grid finer by 1.4 is better by 15, or by far more where a step is too wide. */
    ck_assert_double_lt(worst[1], worst[0] / 4);
    ck_assert_double_lt(worst[2], worst[1] / 4);
    ck_assert_double_lt(worst[2], 1e-3);
    mst_manifold_free(m);
}
END_TEST

START_TEST(plane_means_are_averages)
{
    mst_manifold *m = from_text(flat_plane);
    mst_score *s = open_pde(m, "pde?grid=0.6");
    dice die = {14};
    double x[2 * ROWS], mean[2] = {0}, square = 0;
    for (size_t i = 0; i < 2 * ROWS; i++) {
        x[i] = 0.5 * dice_normal(&die);
        mean[i % 2] += x[i] / ROWS;
    }
    for (size_t i = 0; i < 2 * ROWS; i++)
        square += (x[i] - mean[i % 2]) * (x[i] - mean[i % 2]);
    mst_mean_result *r;
    mst_mean_options o = mst_mean_options_default();
    o.starts = 1;
    ASSERT_OK(mst_mean_fit(&r, s, ROWS, x, &o));
    ck_assert(r->converged);
    ck_assert_double_lt(hypot(r->mean[0] - mean[0], r->mean[1] - mean[1]), 1e-3);
    ck_assert_double_lt(fabs(r->time - square / (2 * ROWS)), 1e-3 * r->time);
    mst_mean_result_free(r);
    mst_score_free(s);
    mst_manifold_free(m);
}
END_TEST

int main(void)
{
    return RUN_SUITE("pde_slow", 600, {torus_of_the_table, 0}, {half_plane_is_hyperbolic, 0},
                     {finer_grids_are_better_and_the_second_tells, 0},
                     {plane_means_are_averages, 0});
}
