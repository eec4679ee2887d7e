/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Bridges against kernels that are known: how far off, in standard errors. */
#ifndef TESTS_HEAT_BRIDGE_CASES_H
#define TESTS_HEAT_BRIDGE_CASES_H

#include "support/score_support.h"

#include <manistat/bridge.h>

typedef struct bridge_pairs_of {
    size_t n, D;
    double *x, *y, *t;
    double *log_p, *dt, *score; /* what is true; score (n, D) */
} bridge_pairs_of;

static inline bridge_pairs_of bridge_pairs_new(size_t n, size_t D)
{
    bridge_pairs_of p = {.n = n, .D = D, .x = doubles(n * D), .y = doubles(n * D)};
    p.score = doubles(n * D);
    p.t = doubles(n);
    p.log_p = doubles(n);
    p.dt = doubles(n);
    return p;
}

static inline void bridge_pairs_free(bridge_pairs_of *p)
{
    free(p->x);
    free(p->y);
    free(p->t);
    free(p->log_p);
    free(p->dt);
    free(p->score);
}

/* Pairs at distances up to 3√(t d), t from 0.05 to 1; or uniform ones at the time `fixed` > 0. */
static inline bridge_pairs_of exact_pairs(const mst_manifold *m, size_t n, double fixed, dice *die)
{
    size_t D = mst_manifold_ambient(m);
    bridge_pairs_of p = bridge_pairs_new(n, D);
    mst_random r = {.seed = dice_bits(die)};
    ASSERT_OK(mst_manifold_random_point(m, r, 0, n, p.y));
    r.seed++;
    ASSERT_OK(mst_manifold_random_point(m, r, 0, n, p.x));
    for (size_t i = 0; i < n; i++) {
        p.t[i] = fixed > 0 ? fixed : 0.05 * pow(20, dice_uniform(die, 0, 1));
        double most = 3 * sqrt(p.t[i] * (double)mst_manifold_dim(m));
        if (!(fixed > 0))
            random_neighbour(m, die, p.y + i * D, dice_uniform(die, 0, most), p.x + i * D);
    }
    ASSERT_OK(mst_heat_kernel_times(
        m, n, p.x, p.y, p.t, 1,
        &(mst_heat_values){.log_p = p.log_p, .dt_log_p = p.dt, .score = p.score}));
    return p;
}

/* Of log p, time derivative and score: the share of rows within three standard errors, and the mean of z²
 * over the rows with an effective sample size of 100; the mean of the standard errors,
 * and of the effective sizes. */
typedef struct bridge_verdict {
    double within[3], square[3], error[3], ess;
    size_t counted;
} bridge_verdict;

static inline bridge_verdict judge_bridges(const mst_manifold *m, const bridge_pairs_of *p,
                                           const mst_bridge_options *o)
{
    size_t n = p->n, D = p->D;
    double *numbers = doubles(6 * n), *score = doubles((n + 1) * D), *off = score + n * D;
    mst_bridge_values got = {.log_p = numbers,
                             .dt_log_p = numbers + n,
                             .score = score,
                             .log_p_se = numbers + 2 * n,
                             .dt_log_p_se = numbers + 3 * n,
                             .score_se = numbers + 4 * n,
                             .ess = numbers + 5 * n};
    mst_pairs pairs = mst_pairs_rows(m, n, p->x, p->y, p->t);
    ASSERT_OK(mst_bridge_pairs(m, &pairs, o, &got));
    bridge_verdict v = {0};
    for (size_t i = 0; i < n; i++) {
        double square;
        for (size_t a = 0; a < D; a++)
            off[a] = score[i * D + a] - p->score[i * D + a];
        ASSERT_OK(mst_manifold_inner(m, 1, p->y + i * D, off, off, &square));
        double z[3] = {got.log_p[i] - p->log_p[i], got.dt_log_p[i] - p->dt[i], sqrt(square)};
        double se[3] = {got.log_p_se[i], got.dt_log_p_se[i], got.score_se[i]};
        /* What is exact has no standard error but rounding. */
        double size[3] = {fabs(p->log_p[i]) + 1, fabs(p->dt[i]) + 1 / p->t[i], 1 / p->t[i]};
        v.ess += got.ess[i] / (double)n;
        v.counted += got.ess[i] >= 100;
        for (int k = 0; k < 3; k++) {
            double by = fabs(z[k]) / (se[k] + 1e-11 * size[k]);
            v.within[k] += (by <= 3) / (double)n;
            v.error[k] += se[k] / (double)n;
            v.square[k] += got.ess[i] >= 100 ? by * by : 0;
        }
    }
    for (int k = 0; k < 3; k++)
        v.square[k] /= (double)(v.counted > 0 ? v.counted : 1);
    free(numbers);
    free(score);
    return v;
}

#endif
