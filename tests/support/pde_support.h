/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Sources that solve the heat equation, and what they say of a list of pairs. */
#ifndef TESTS_PDE_SUPPORT_H
#define TESTS_PDE_SUPPORT_H

#include "manifold/formula_metric.h"
#include "support/score_support.h"

#include <manistat/score.h>

static const char flat_plane[] = "coordinates x y\nmetric = 1\nstart = 0, 0\n";

static inline mst_manifold *from_text(const char *text)
{
    mst_manifold *m;
    ASSERT_OK(mst_formula_manifold_new(&m, "text", "text", text, strlen(text), 0, NULL));
    return m;
}

static inline mst_score *open_pde(const mst_manifold *m, const char *text)
{
    mst_score *s;
    ASSERT_OK(mst_score_open(&s, text, m));
    return s;
}

enum { ROWS = 40 };

/* What a source says of ROWS pairs. */
typedef struct answers {
    double log_p[ROWS], dt[ROWS], score[ROWS][3], hessian[ROWS][4], v[ROWS];
} answers;

static inline void ask(const mst_score *s, const double *x, const double *y, const double *t,
                       answers *a)
{
    const mst_pairs pairs = mst_pairs_rows(mst_score_manifold(s), ROWS, x, y, t);
    const mst_heat_values out = {a->log_p, a->dt, a->score[0], a->hessian[0]};
    ASSERT_OK(mst_score_gives(s, MST_GIVES_VALIDITY) ? mst_score_validity(s, &pairs, &out, a->v)
                                                     : mst_score_evaluate(s, &pairs, &out));
}

/* Pairs with a few x, up to `deep` of −log p away in the plane. */
static inline void flat_pairs(dice *die, double deep, double low, double high, double *x, double *y,
                              double *t)
{
    for (size_t i = 0; i < ROWS; i++) {
        t[i] = dice_uniform(die, low, high);
        double r = sqrt(2 * t[i] * dice_uniform(die, 0, deep)), a = dice_uniform(die, 0, 6.28);
        for (size_t k = 0; k < 2; k++) {
            x[2 * i + k] = i % 20 == 0 ? dice_uniform(die, -0.5, 0.5) : x[2 * (i - 1) + k];
            y[2 * i + k] = x[2 * i + k] + r * (k == 0 ? cos(a) : sin(a));
        }
    }
}

/* Rows (n, 2) of scores stand packed. */
static inline const double *packed(const answers *a, size_t i)
{
    return (const double *)a->score + 2 * i;
}

#endif
