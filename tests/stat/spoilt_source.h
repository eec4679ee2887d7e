/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* A source like a network: the exact kernel, rounded to float and a little wrong, without
 * log p, in a range of times. */
#ifndef TEST_SPOILT_SOURCE_H
#define TEST_SPOILT_SOURCE_H

#include "stat/mean_support.h"

#include <stdatomic.h>

/* The exact kernel, spoilt. Tests run one after another, each in its own process. */
typedef struct spoilt {
    double wrong;          /* relative size of a smooth error */
    double noise;          /* relative size of an error like rounding */
    double least, largest; /* range of times */
    bool time, hessian;    /* what it gives */
    double precision;
    atomic_size_t rows, slow_rows; /* evaluated, and of those with more than the score */
    atomic_size_t calls;
    const mst_score *exact;
} spoilt;

/* Between −1 and 1, as if at random but always the same for the same number. */
static double scramble(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    dice d = {bits};
    return dice_uniform(&d, -1, 1);
}

static double spoil(const spoilt *s, double value, double size, double smooth)
{
    return (double)(float)(value + size * (s->wrong * smooth + s->noise * scramble(value)));
}

static mst_status spoilt_evaluate(const mst_score *source, const mst_pairs *pairs,
                                  const mst_heat_values *out)
{
    size_t n = pairs->n;
    const double *x = pairs->x, *y = pairs->y, *t = pairs->t;
    spoilt *s = mst_score_data(source);
    const mst_manifold *m = mst_score_manifold(source);
    size_t d = mst_manifold_dim(m), D = mst_manifold_ambient(m);
    ck_assert(out->log_p == NULL && out->score != NULL);
    atomic_fetch_add(&s->rows, n);
    atomic_fetch_add(&s->calls, 1);
    atomic_fetch_add(&s->slow_rows, out->dt_log_p != NULL || out->hessian != NULL ? n : 0);
    for (size_t i = 0; s->time && i < n; i++)
        if (!(t[i * pairs->t_stride] >= s->least && t[i * pairs->t_stride] <= s->largest))
            return mst_fail(MST_DOMAIN, "the time %g is not in the range", t[i * pairs->t_stride]);
    mst_status status = mst_score_evaluate(s->exact, pairs, out);
    for (size_t i = 0; status == MST_OK && i < n; i++) {
        double time = s->time ? t[i * pairs->t_stride] : 1, smooth = sin(3 * x[i * D] + log(time));
        double norm;
        status = mst_manifold_norm(m, 1, y + i * pairs->y_stride, out->score + i * D, &norm);
        /* Along the score itself: tangent vectors stay tangent. */
        for (size_t a = 0; a < D; a++)
            out->score[i * D + a] = out->score[i * D + a] * spoil(s, 1, 1, smooth);
        if (out->dt_log_p != NULL)
            out->dt_log_p[i] = spoil(s, out->dt_log_p[i], norm * norm + 1 / time, smooth);
        for (size_t k = 0; out->hessian != NULL && k < d * d; k++)
            out->hessian[i * d * d + k] =
                spoil(s, out->hessian[i * d * d + k], k % (d + 1) == 0 ? 1 / time : 0, smooth);
    }
    return status;
}

static void spoilt_describe(const mst_score *source, mst_score_info *info)
{
    const spoilt *s = mst_score_data(source);
    info->gives = (s->time ? MST_GIVES_TIME : 0) | (s->hessian ? MST_GIVES_HESSIAN : 0);
    info->precision = s->precision;
    info->cost = 10;
    if (s->time) {
        info->t_least = s->least;
        info->t_largest = s->largest;
    }
}

static const mst_score_ops spoilt_ops = {.size = sizeof spoilt_ops,
                                         .name = "network",
                                         .describe = spoilt_describe,
                                         .evaluate = spoilt_evaluate};

static inline mst_score *spoilt_open(const setting *s, spoilt *data)
{
    mst_score *source;
    data->exact = data->time ? s->exact : s->log;
    ASSERT_OK(mst_score_new(&source, &spoilt_ops, s->m, data));
    return source;
}

/* Like a network, and like the small-time limit of one. */
static inline mst_score *network_open(const setting *s, bool hessian, double precision,
                                      spoilt *data)
{
    data->time = true;
    data->hessian = hessian;
    data->precision = precision;
    return spoilt_open(s, data);
}

static inline mst_score *limit_open(const setting *s, spoilt *data)
{
    data->time = data->hessian = false;
    data->precision = 1e-6;
    return spoilt_open(s, data);
}

#endif
