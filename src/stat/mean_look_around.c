/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Which way there is to find, or to rule out, other maxima. */
#include "base/columns.h"
#include "manifold/internal.h"
#include "manifold/shape_gap.h"
#include "score/score_internal.h"
#include "stat/mean_proof.h"
#include "stat/mean_search.h"

#include <math.h>
#include <string.h>

/* Points far away for mean_look_farther, the first of them opposite to the mean, and their stream of random
 * numbers. */
enum { FAR = 3, STREAM_FAR = 7 };

static const double pi = 3.141592653589793;

/* Distances r (n) of the rows from `mean` in factor f, whose first column is `at`; part: (n, width of it). */
static mst_status factor_distances(const mean_search *s, const mst_manifold *factor, size_t at,
                                   const double *mean, double *part, double *r)
{
    size_t n = s->rows.n, D = mst_manifold_ambient(factor);
    if (D == s->D)
        return mst_dist_to(factor, n, s->rows.x, mean, r);
    mst_take_columns(n, s->D, at, D, s->rows.x, part);
    return mst_dist_to(factor, n, part, mean + at, r);
}

typedef struct verdict {
    bool only;  /* in every factor */
    bool rough; /* in one */
} verdict;

/* Each angle is a factor of its own. */
static void judge_angles(const mean_search *s, size_t first, size_t count, const double *mean,
                         double *r, verdict *v)
{
    for (size_t a = first; a < first + count; a++) {
        for (size_t i = 0; i < s->rows.n; i++)
            r[i] = fabs(remainder(s->rows.x[i * s->D + a] - mean[a], 2 * pi));
        v->only = v->only && frechet_mean_is_only(pi, 0, s->rows.n, r, s->rows.weights);
        v->rough |= frechet_curvature(pi, 0, true, 1, s->rows.n, r, s->rows.weights) < 0.5;
    }
}

/* Shapes, where no radius and no bound of the curvatures is known. */
static mst_status judge_shapes(const mean_search *s, const mst_manifold *factor, size_t at,
                               const double *mean, double *work, verdict *v)
{
    size_t n = s->rows.n, D = mst_manifold_ambient(factor);
    double *r = work, *part = work + n, *gap, rank;
    bool unit;
    if (!v->only || !mst_is_shape_space(factor, &unit)) {
        v->only = false;
        return MST_OK;
    }
    MST_TRY(factor_distances(s, factor, at, mean, part, r));
    MST_TRY(mst_allocate(&gap, 2 * n));
    mst_status status =
        mst_shape_gaps(factor, n, D == s->D ? s->rows.x : part, mean + at, gap, gap + n, &rank);
    if (status == MST_OK)
        v->only = shape_mean_is_only(unit, n, r, gap, gap + n, rank, s->rows.weights);
    mst_release(gap);
    return status;
}

static mst_status judge_factor(const mean_search *s, const mst_manifold *factor, size_t at,
                               const double *mean, double *work, verdict *v)
{
    const mst_manifold_traits *t = mst_manifold_traits_of(factor);
    size_t n = s->rows.n;
    double radius = mst_manifold_injectivity(factor), *r = work;
    if (t->hadamard == MST_YES)
        return MST_OK;
    if (t->angles) {
        judge_angles(s, at, mst_manifold_ambient(factor), mean, r, v);
        return MST_OK;
    }
    if ((t->closed & MST_CLOSED_DIST) == 0 || isnan(radius) || isnan(t->curvature_above))
        return judge_shapes(s, factor, at, mean, work, v);
    MST_TRY(factor_distances(s, factor, at, mean, work + n, r));
    v->only = v->only && frechet_mean_is_only(radius, t->curvature_above, n, r, s->rows.weights);
    v->rough |= frechet_curvature(radius, t->curvature_above, t->cut_is_wall,
                                  mst_manifold_dim(factor), n, r, s->rows.weights) < 0.5;
    return MST_OK;
}

static mst_status judge_distances(const mean_search *s, const double *mean, verdict *v)
{
    double *work;
    *v = (verdict){.only = true};
    if (mst_manifold_traits_of(s->m)->hadamard == MST_YES)
        return MST_OK;
    MST_TRY(mst_allocate(&work, s->rows.n * (s->D + 1)));
    mst_status status = MST_OK;
    size_t at = 0;
    for (size_t f = 0; status == MST_OK && f < mst_manifold_factor_count(s->m); f++) {
        const mst_manifold *factor = mst_manifold_factor(s->m, f);
        status = judge_factor(s, factor, at, mean, work, v);
        at += mst_manifold_ambient(factor);
    }
    mst_release(work);
    return status;
}

mst_status mean_prove(mean_search *s)
{
    const mst_score *source = s->model.model.source;
    const mean_candidate *c = &s->candidates[0];
    verdict v = {0};
    if (!fit_has_converged(c->outcome.end))
        return MST_OK;
    if (score_is_log(source))
        MST_TRY(judge_distances(s, c->state, &v));
    if (v.only || (score_is_exact(source) && diffusion_mean_is_only(s->m)))
        s->scope = MEAN_ONLY;
    return MST_OK;
}

mst_status mean_is_rough(const mean_search *s, size_t k, bool *rough)
{
    verdict v;
    MST_TRY(judge_distances(s, s->candidates[k].state, &v));
    *rough = v.rough;
    return MST_OK;
}

/* Is log p a sum over several parts, factors or angles, or are there angles whose means can be listed? */
static bool has_parts(const mean_search *s)
{
    const mst_score *source = s->model.model.source;
    const mst_manifold_traits *t = mst_manifold_traits_of(s->m);
    bool circle = t->angles || (t->unit_rows && s->d == 1);
    if (score_is_log(source) && circle)
        return true;
    return (score_is_log(source) || score_is_exact(source)) &&
           (mst_manifold_factor_count(s->m) > 1 || (t->angles && s->d > 1));
}

mst_status mean_look_around(mean_search *s)
{
    const mst_score *source = s->model.model.source;
    if (s->o->method != MST_MEAN_NEWTON || !mst_score_gives(source, MST_GIVES_LOG_P) ||
        fit_is_slow(source))
        return MST_OK;
    if (has_parts(s))
        return mean_look_in_parts(s);
    return mst_manifold_traits_of(s->m)->compact == MST_YES ? mean_explore(s) : MST_OK;
}

static bool has_wall(const mst_manifold *m)
{
    for (size_t f = 0; f < mst_manifold_factor_count(m); f++) {
        const mst_manifold_traits *t = mst_manifold_traits_of(mst_manifold_factor(m, f));
        if (t->cut_is_wall || t->angles)
            return true;
    }
    return false;
}

/* On spheres the opposite point. */
static void turn_over(const mst_manifold *m, double *x)
{
    for (size_t f = 0; f < mst_manifold_factor_count(m); f++) {
        const mst_manifold *factor = mst_manifold_factor(m, f);
        size_t D = mst_manifold_ambient(factor);
        for (size_t a = 0; mst_manifold_traits_of(factor)->unit_rows && a < D; a++)
            x[a] = -x[a];
        x += D;
    }
}

mst_status mean_look_farther(mean_search *s)
{
    bool rough;
    mean_candidate *c;
    MST_TRY(mean_is_rough(s, 0, &rough));
    if (rough && (has_wall(s->m) || s->o->method != MST_MEAN_NEWTON))
        return MST_OK;
    for (size_t k = 0; rough && k < FAR; k++) {
        MST_TRY(mean_next_candidate(s, &c));
        if (k == 0) {
            memcpy(c->state, s->candidates[0].state, s->D * sizeof *c->state);
            turn_over(s->m, c->state);
        } else if (mst_manifold_traits_of(s->m)->compact == MST_YES) {
            MST_TRY(mst_manifold_random_point(s->m, (mst_random){s->o->seed, STREAM_FAR}, k, 1,
                                              c->state));
        } else {
            break;
        }
        MST_TRY(mean_climb_next(s, true));
    }
    s->scope = MEAN_SEARCHED;
    return MST_OK;
}
