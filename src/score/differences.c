/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Second derivatives of log p for sources that have none: central differences of the score at Exp_y(±h e),
 * each carried back to y the way it went. Rows keep their random numbers, so the noise of a simulated source
 * is the same on both sides and changes with y no faster than the score itself. */
#include "manifold/internal.h"
#include "score/score_internal.h"

#include <math.h>
#include <string.h>

/* Truncation h² against error over h, in units of √t, the length on which log p varies. */
static double natural_step(const mst_score *s)
{
    const mst_score_info *info = mst_score_describe(s);
    return fmax(1e-4, cbrt(fmax(info->precision, info->noise)));
}

/* The points to differ from, one for each row or one for all, and the workspace of n rows. */
typedef struct differences {
    const mst_manifold *m;
    size_t n, points, d, D;
    double *h;                           /* (points) */
    double *v, *moved, *back;            /* (points, D) */
    double *at, *home, *score, *carried; /* (n, D) */
    double *c;                           /* (n, d) */
} differences;

static mst_status differences_new(differences *w, const mst_manifold *m, const mst_pairs *pairs)
{
    size_t n = pairs->n, d = mst_manifold_dim(m), D = mst_manifold_ambient(m);
    *w = (differences){.m = m, .n = n, .points = pairs->y_stride > 0 ? n : 1, .d = d, .D = D};
    MST_TRY(mst_allocate(&w->h, w->points * (1 + 3 * D) + n * (4 * D + d)));
    w->v = w->h + w->points;
    w->moved = w->v + w->points * D;
    w->back = w->moved + w->points * D;
    w->at = w->back + w->points * D;
    w->home = w->at + n * D;
    w->score = w->home + n * D;
    w->carried = w->score + n * D;
    w->c = w->carried + n * D;
    return MST_OK;
}

static void spread_rows(const differences *w, const double *from, double *to)
{
    if (w->points == w->n)
        memcpy(to, from, w->n * w->D * sizeof *to);
    else
        mst_repeat_point(w->n, w->D, from, to);
}

/* Scores at the points moved by `sign` h along direction k of their frames, in those frames: w->c. */
static mst_status scores_beside(const mst_score *s, const mst_pairs *pairs, size_t k, double sign,
                                const differences *w)
{
    size_t n = w->n, d = w->d, D = w->D;
    mst_pairs beside = *pairs;
    beside.y = w->moved;
    for (size_t i = 0; i < w->points * d; i++)
        w->c[i] = i % d == k ? sign * w->h[i / d] : 0;
    MST_TRY(mst_manifold_from_frame(w->m, w->points, pairs->y, w->c, w->v));
    MST_TRY(mst_manifold_exp(w->m, w->points, pairs->y, w->v, w->moved));
    MST_TRY(mst_manifold_transport(w->m, w->points, pairs->y, w->v, w->v, w->back));
    for (size_t a = 0; a < w->points * D; a++)
        w->back[a] = -w->back[a];
    MST_TRY(mst_score_evaluate(s, &beside, &(mst_heat_values){.score = w->score}));
    spread_rows(w, w->moved, w->at);
    spread_rows(w, w->back, w->home);
    MST_TRY(mst_manifold_transport(w->m, n, w->at, w->home, w->score, w->carried));
    spread_rows(w, pairs->y, w->at);
    return mst_manifold_to_frame(w->m, n, w->at, w->carried, w->c);
}

static mst_status difference(const mst_score *s, const mst_pairs *pairs, const differences *w,
                             double *hessian)
{
    size_t d = w->d;
    memset(hessian, 0, w->n * d * d * sizeof *hessian);
    for (size_t k = 0; k < 2 * d; k++) {
        double sign = k % 2 == 0 ? 1 : -1;
        MST_TRY(scores_beside(s, pairs, k / 2, sign, w));
        for (size_t i = 0; i < w->n; i++)
            for (size_t a = 0; a < d; a++) {
                double h = w->h[w->points > 1 ? i : 0], half = sign * w->c[i * d + a] / (4 * h);
                hessian[(i * d + a) * d + k / 2] += half;
                hessian[(i * d + k / 2) * d + a] += half;
            }
    }
    return MST_OK;
}

mst_status score_differences(const mst_score *s, const mst_pairs *pairs, double *hessian)
{
    const mst_manifold *m = mst_score_manifold(s);
    bool timed = mst_score_gives(s, MST_GIVES_TIME);
    double share = natural_step(s), widest = mst_manifold_injectivity(m) / M_PI;
    differences w;
    if (pairs->n == 0)
        return MST_OK;
    MST_TRY(differences_new(&w, m, pairs));
    mst_status status = MST_DOMAIN;
    /* Where points nearby are not on the manifold, or have no answer, those that are nearer may have. */
    for (int tries = 0; tries < 4; tries++, share /= 4) {
        for (size_t i = 0; i < w.points; i++) /* unknown: fmin takes the other */
            w.h[i] = share * (timed ? fmin(sqrt(pairs->t[i * pairs->t_stride]), widest) : 1);
        status = difference(s, pairs, &w, hessian);
        if (status != MST_DOMAIN && status != MST_BREAKDOWN && status != MST_CONVERGENCE)
            break;
    }
    mst_release(w.h);
    return status;
}

mst_status score_evaluate_curved(const mst_score *s, const mst_pairs *pairs,
                                 const mst_heat_values *out)
{
    mst_heat_values rest = *out;
    if (out->hessian == NULL || mst_score_gives(s, MST_GIVES_HESSIAN))
        return mst_score_evaluate(s, pairs, out);
    rest.hessian = NULL;
    MST_TRY(mst_score_evaluate(s, pairs, &rest));
    return score_differences(s, pairs, out->hessian);
}
