/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Curves from x to y by a small-time limit: c' = Log_c(y)/(1 − s), with the Log of the source. */
#include "base/internal.h"

#include <manistat/score.h>
#include <string.h>

/* n curves that go forward together, all (n, D). */
typedef struct walk {
    const mst_score *log;
    const mst_manifold *m;
    size_t n, all; /* all = n D */
    double *at;    /* where the curves are */
    const double *y;
    double *stage;    /* points that a step looks at */
    double *slope;    /* there */
    double *velocity; /* the step to the stage, then its end velocity reversed */
    double *sum;      /* of the slopes, brought back to `at` */
} walk;

/* One of the four slopes of a Runge–Kutta step: h times the field at s + reach·h, at the point that the slope
 * before leads to, brought back to w->at along the way. A true geodesic is followed without error, since its
 * velocity is parallel. */
static mst_status add_slope(walk *w, double s, double h, double reach, double weight)
{
    for (size_t j = 0; j < w->all; j++)
        w->velocity[j] = reach * w->slope[j];
    MST_TRY(mst_manifold_exp(w->m, w->n, w->at, w->velocity, w->stage));
    MST_TRY(mst_score_evaluate_rows(w->log, w->n, w->y, w->stage, NULL,
                                    &(mst_heat_values){.score = w->slope}));
    if (reach > 0) {
        MST_TRY(mst_manifold_transport(w->m, w->n, w->at, w->velocity, w->velocity, w->velocity));
        for (size_t j = 0; j < w->all; j++)
            w->velocity[j] = -w->velocity[j];
        MST_TRY(mst_manifold_transport(w->m, w->n, w->stage, w->velocity, w->slope, w->slope));
    }
    for (size_t j = 0; j < w->all; j++) {
        w->slope[j] *= h / (1 - s - reach * h);
        w->sum[j] += weight * w->slope[j];
    }
    return MST_OK;
}

static mst_status walk_step(walk *w, double s, double h)
{
    static const double reach[] = {0, 0.5, 0.5, 1}, weight[] = {1. / 6, 1. / 3, 1. / 3, 1. / 6};
    memset(w->sum, 0, w->all * sizeof *w->sum);
    memset(w->slope, 0, w->all * sizeof *w->slope);
    for (int k = 0; k < 4; k++)
        MST_TRY(add_slope(w, s, h, reach[k], weight[k]));
    return mst_manifold_exp(w->m, w->n, w->at, w->sum, w->at);
}

mst_status mst_score_geodesic_step(const mst_score *limit, size_t n, const double *y, double s,
                                   double h, double *at)
{
    const mst_manifold *m = mst_score_manifold(limit);
    double *work;
    if (mst_score_gives(limit, MST_GIVES_TIME))
        return mst_fail(MST_ARGUMENT,
                        "geodesics need a small-time limit, and the source \"%s\" has a time",
                        mst_score_name(limit));
    if (!(s >= 0 && h > 0 && s + h < 1))
        return mst_fail(MST_ARGUMENT, "a step from %g by %g does not lie in [0, 1)", s, h);
    walk w = {.log = limit, .m = m, .n = n, .all = n * mst_manifold_ambient(m), .at = at, .y = y};
    MST_TRY(mst_allocate(&work, 4 * w.all));
    w.stage = work;
    w.slope = work + w.all;
    w.velocity = work + 2 * w.all;
    w.sum = work + 3 * w.all;
    mst_status status = walk_step(&w, s, h);
    mst_release(work);
    return status;
}

/* Row k of every curve. */
static void put(size_t n, size_t D, size_t steps, size_t k, const double *x, double *points)
{
    for (size_t i = 0; i < n; i++)
        memcpy(points + (i * (steps + 1) + k) * D, x + i * D, D * sizeof *x);
}

mst_status mst_score_geodesic(const mst_score *limit, size_t n, const double *x, const double *y,
                              size_t steps, double *points)
{
    size_t D = mst_manifold_ambient(mst_score_manifold(limit));
    double *at;
    mst_status status = MST_OK;
    if (steps < 1)
        return mst_fail(MST_ARGUMENT, "a geodesic needs one step at least");
    MST_TRY(mst_allocate(&at, n * D));
    if (n > 0)
        memcpy(at, x, n * D * sizeof *at);
    for (size_t k = 0; k < steps && status == MST_OK; k++) {
        put(n, D, steps, k, at, points);
        if (k + 1 < steps)
            status = mst_score_geodesic_step(limit, n, y, (double)k / (double)steps,
                                             1 / (double)steps, at);
    }
    if (status == MST_OK)
        put(n, D, steps, steps, y, points);
    mst_release(at);
    return status;
}
