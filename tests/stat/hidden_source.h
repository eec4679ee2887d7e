/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* A source that has no second derivatives, and rows that scatter unequally. */
#ifndef TEST_HIDDEN_SOURCE_H
#define TEST_HIDDEN_SOURCE_H

#include "stat/mean_support.h"

/* The exact kernel without its Hessian; and rounded to floats, without log p, as networks are. */
typedef struct hidden {
    const mst_score *behind;
    bool rounded;
} hidden;

static inline mst_status hidden_values(const mst_score *s, const mst_pairs *pairs,
                                       const mst_heat_values *out)
{
    const hidden *h = mst_score_data(s);
    size_t D = mst_manifold_ambient(mst_score_manifold(s));
    ck_assert_ptr_null(out->hessian);
    mst_status status = mst_score_evaluate(h->behind, pairs, out);
    for (size_t k = 0; h->rounded && out->score != NULL && k < pairs->n * D; k++)
        out->score[k] = (double)(float)out->score[k];
    for (size_t i = 0; h->rounded && out->dt_log_p != NULL && i < pairs->n; i++)
        out->dt_log_p[i] = (double)(float)out->dt_log_p[i];
    return status;
}

static inline void hidden_describe(const mst_score *s, mst_score_info *info)
{
    const hidden *h = mst_score_data(s);
    *info = *mst_score_describe(h->behind);
    info->gives = MST_GIVES_TIME | (h->rounded ? 0 : MST_GIVES_LOG_P);
    info->precision = h->rounded ? 1e-6 : 0;
}

static inline mst_score *hide(hidden *h)
{
    static const mst_score_ops ops = {.size = sizeof ops,
                                      .name = "hidden",
                                      .describe = hidden_describe,
                                      .evaluate = hidden_values};
    mst_score *s;
    ASSERT_OK(mst_score_new(&s, &ops, mst_score_manifold(h->behind), h));
    return s;
}

/* Exp of normal vectors at the default start: deviation 0.4 along the first direction of the frame, 0.06
 * along the others. */
static inline double *elongated(const setting *s, size_t n, uint64_t seed)
{
    double *x = doubles(n * s->D), *c = doubles(s->d), *v = doubles(s->D), *start = doubles(s->D);
    dice rng = {seed};
    mst_manifold_start(s->m, start);
    for (size_t i = 0; i < n; i++) {
        for (size_t a = 0; a < s->d; a++)
            c[a] = (a == 0 ? 0.4 : 0.06) * dice_normal(&rng);
        ASSERT_OK(mst_manifold_from_frame(s->m, 1, start, c, v));
        ASSERT_OK(mst_manifold_exp(s->m, 1, start, v, x + i * s->D));
    }
    free(c), free(v), free(start);
    return x;
}

#endif
