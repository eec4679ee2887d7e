/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* The heat equation on a torus of revolution against a solution by separation of variables. */
#include "support/score_support.h"

#include <manistat/score.h>
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

int main(void)
{
    return RUN_SUITE("pde_slow", 600, {torus_of_the_table, 0});
}
