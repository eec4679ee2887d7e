/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Networks that are trained on manifolds given by their metrics, against the exact kernels of their twins. */
#ifndef TEST_METRIC_LEARNING_H
#define TEST_METRIC_LEARNING_H

#include "support/metric_manifolds.h"
#include "train/samples.h"

#include <manistat/train.h>
#include <stdlib.h>

/* The times of samples are between these. */
static const double metric_t_min = 0.05, metric_t_max = 0.5;

typedef struct learning_errors {
    double score,
        time; /* root mean squares, weighted by t and t², against those of the exact values */
} learning_errors;

static inline learning_errors compare_with_twin(const metric_twin *twin, const mst_manifold *m,
                                                const mst_network *net)
{
    enum { N = 4000, WIDE = 3 };
    size_t D = mst_manifold_ambient(m);
    mst_manifold *closed;
    mst_score *source;
    sample_plan *plan;
    sample_options o = {.kind = SAMPLE_BEL,
                        .t_min = metric_t_min,
                        .t_max = metric_t_max,
                        .steps = 16,
                        .slots = 1,
                        .seed = 77,
                        .spread = 0.1};
    ASSERT_OK(mst_manifold_parse(&closed, twin->spec));
    ASSERT_OK(mst_score_network_new(&source, net, true));
    ASSERT_OK(sample_plan_new(&plan, m, &o));
    double *x = doubles(N * D), *y = doubles(N * D), *t = doubles(N), *s = doubles(N * D),
           *dt = doubles(N), *X = doubles(N * WIDE), *Y = doubles(N * WIDE), *S = doubles(N * WIDE),
           *want = doubles(N * WIDE), *want_dt = doubles(N), *off = doubles(N), *size = doubles(N);
    ASSERT_OK(sample_draw(plan, 0, N, &(sample_rows){.x = x, .y = y, .t = t}));
    mst_pairs pairs = mst_pairs_rows(m, N, x, y, t);
    ASSERT_OK(mst_score_evaluate(source, &pairs, &(mst_heat_values){.score = s, .dt_log_p = dt}));
    twin->there(N, x, X);
    twin->there(N, y, Y);
    twin->push(N, y, s, S);
    ASSERT_OK(mst_heat_kernel_times(closed, N, X, Y, t, 1,
                                    &(mst_heat_values){.score = want, .dt_log_p = want_dt}));
    for (size_t k = 0; k < N * WIDE; k++)
        S[k] -= want[k];
    ASSERT_OK(mst_manifold_tangent(closed, N, Y, S, S));
    ASSERT_OK(mst_manifold_inner(closed, N, Y, S, S, off));
    ASSERT_OK(mst_manifold_inner(closed, N, Y, want, want, size));
    double sums[4] = {0};
    for (size_t i = 0; i < N; i++) {
        double gap = t[i] * (dt[i] - want_dt[i]), whole = t[i] * want_dt[i];
        sums[0] += t[i] * off[i];
        sums[1] += t[i] * size[i];
        sums[2] += gap * gap;
        sums[3] += whole * whole;
    }
    double *all[] = {x, y, t, s, dt, X, Y, S, want, want_dt, off, size};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
        free(all[k]);
    sample_plan_free(plan);
    mst_score_free(source);
    mst_manifold_free(closed);
    return (learning_errors){sqrt(sums[0] / sums[1]), sqrt(sums[2] / sums[3])};
}

/* A network with a time head, after so many steps of training. */
static inline learning_errors learn_metric(const metric_twin *twin, uint64_t steps, size_t batch,
                                           size_t width)
{
    mst_manifold *m;
    mst_network *net;
    mst_train_options o = mst_train_options_default();
    o.steps = steps;
    o.batch = batch;
    o.width = width;
    o.path_steps = 16;
    o.path_samples = 16;
    o.t_min = metric_t_min;
    o.t_max = metric_t_max;
    o.time_head = true;
    ASSERT_OK(twin->make(&m));
    ASSERT_OK(mst_train(&net, m, &o));
    learning_errors errors = compare_with_twin(twin, m, net);
    mst_network_free(net);
    mst_manifold_free(m);
    return errors;
}

#endif
