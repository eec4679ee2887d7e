/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Pushed paths: far pairs are there, and with their weights targets have the same
 * conditional means as before. */
#include "support/support.h"
#include "train/samples.h"

#include <manistat/heat.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PATHS = 16384, SLOTS = 4, ROWS = PATHS * SLOTS, D = 3 };

#define SPHERE MST_TEST_DATA "/../../examples/manifolds/ellipsoid.manifold?c=1"

typedef struct drawn {
    double *x, *y, *t, *target, *time, *weight, *score, *dt;
} drawn;

static drawn draw(double push)
{
    drawn s = {.x = malloc(ROWS * (4 * D + 4) * sizeof(double))};
    mst_manifold *m, *sphere;
    sample_plan *plan;
    s.y = s.x + ROWS * D;
    s.target = s.y + ROWS * D;
    s.score = s.target + ROWS * D;
    s.t = s.score + ROWS * D;
    s.time = s.t + ROWS;
    s.weight = s.time + ROWS;
    s.dt = s.weight + ROWS;
    ASSERT_OK(mst_manifold_parse(&m, SPHERE));
    ASSERT_OK(mst_manifold_parse(&sphere, "sphere:2"));
    sample_options o = {.kind = SAMPLE_BEL,
                        .t_min = 0.02,
                        .t_max = 0.5,
                        .steps = 24,
                        .slots = SLOTS,
                        .seed = 5,
                        .push = push};
    ASSERT_OK(sample_plan_new(&plan, m, &o));
    ASSERT_OK(sample_draw(plan, 0, PATHS,
                          &(sample_rows){.x = s.x,
                                         .y = s.y,
                                         .t = s.t,
                                         .target = s.target,
                                         .time_target = s.time,
                                         .weight = s.weight}));
    ASSERT_OK(mst_heat_kernel_times(sphere, ROWS, s.x, s.y, s.t, 1,
                                    &(mst_heat_values){.score = s.score, .dt_log_p = s.dt}));
    sample_plan_free(plan);
    mst_manifold_free(m);
    mst_manifold_free(sphere);
    return s;
}

/* Rows with r²/2t in a band: their number, the slope of targets on the exact score and its standard error,
 * the same for time targets, and the mean weight. */
typedef struct band {
    double rows, slope, error, time_slope, time_error, weight;
} band;

static band look(const drawn *s, double low, double high)
{
    double sum[8] = {0};
    band b = {0};
    for (int pass = 0; pass < 2; pass++)
        for (size_t i = 0; i < ROWS; i++) {
            double cosine = 0, along = 0, square = 0, w = s->weight[i] * s->t[i];
            for (size_t k = 0; k < D; k++) {
                cosine += s->x[i * D + k] * s->y[i * D + k];
                along += s->target[i * D + k] * s->score[i * D + k];
                square += s->score[i * D + k] * s->score[i * D + k];
            }
            double r = acos(fmin(fmax(cosine, -1), 1)), far = r * r / (2 * s->t[i]);
            if (far < low || far >= high)
                continue;
            double time = s->time[i] * s->dt[i], time_square = s->dt[i] * s->dt[i], v = w * s->t[i];
            if (pass == 0) {
                b.rows++;
                b.weight += s->weight[i];
                sum[0] += w * along, sum[1] += w * square;
                sum[2] += v * time, sum[3] += v * time_square;
            } else {
                sum[4] += pow(w * (along - b.slope * square), 2);
                sum[5] += pow(v * (time - b.time_slope * time_square), 2);
            }
            b.slope = pass == 0 ? sum[0] / sum[1] : b.slope;
            b.time_slope = pass == 0 ? sum[2] / sum[3] : b.time_slope;
        }
    b.error = sqrt(sum[4]) / sum[1];
    b.time_error = sqrt(sum[5]) / sum[3];
    b.weight /= b.rows;
    return b;
}

START_TEST(far_pairs_are_there_and_right)
{
    static const double edges[] = {0, 2, 5, 9, 12, 25};
    drawn plain = draw(0), pushed = draw(3);
    for (size_t k = 0; k + 1 < sizeof edges / sizeof *edges; k++) {
        band p = look(&plain, edges[k], edges[k + 1]), q = look(&pushed, edges[k], edges[k + 1]);
        /* False alarms one in ten thousand; the steps' own bias is below 0.3 %. */
        ck_assert_double_eq_tol(q.slope, 1, 0.003 + 4 * q.error);
        ck_assert_double_eq_tol(q.time_slope, 1, 0.01 + 4 * q.time_error);
        ck_assert(q.error < 0.03);
        if (edges[k] >= 9)
            ck_assert(q.rows > 60 && q.rows > 30 * p.rows);
    }
    for (size_t i = 0; i < ROWS; i++)
        ck_assert(plain.weight[i] == 1 && pushed.weight[i] > 0 && pushed.weight[i] < 100);
    free(plain.x), free(pushed.x);
}
END_TEST

int main(void)
{
    return RUN_SUITE("samples_push", 60, {far_pairs_are_there_and_right, 0});
}
