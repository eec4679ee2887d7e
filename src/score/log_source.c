/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* The small-time limit of the score: t·s → Log_y(x), t·log p → −½ dist². */
#include "geodesic/log.h"
#include "geodesic/own.h"
#include "heat/kernel_parts.h"
#include "manifold/internal.h"
#include "manifold/metric.h"
#include "score/score_internal.h"

#include <manistat/score.h>
#include <math.h>
#include <string.h>

/* √κ r cot(√κ r): the Hessian of ½ dist² across the direction of x where the curvature is a constant κ; along
 * it the Hessian is 1. */
static double across(double curvature, double r)
{
    double x = sqrt(fabs(curvature)) * r;
    if (!(x > 1e-4))
        return 1 - copysign(x * x, curvature) / 3;
    return curvature > 0 ? x / tan(x) : x / tanh(x);
}

static bool has_hessian(const mst_manifold *m)
{
    if (mst_manifold_factor(m, 0) == m)
        return !isnan(m->traits.curvature);
    for (size_t f = 0; f < mst_manifold_factor_count(m); f++)
        if (!has_hessian(mst_manifold_factor(m, f)))
            return false;
    return true;
}

/* Up to HEAT_BLOCK rows, v = Log_y(x). */
static mst_status fill_values(const mst_manifold *m, size_t n, const double *y, const double *v,
                              double *c, const mst_heat_values *out)
{
    size_t d = m->dim, D = m->ambient;
    double square[HEAT_BLOCK];
    mst_status status = mst_manifold_inner(m, n, y, v, v, square);
    if (status == MST_OK && out->score != NULL)
        memcpy(out->score, v, n * D * sizeof *v);
    for (size_t i = 0; status == MST_OK && out->log_p != NULL && i < n; i++)
        out->log_p[i] = -0.5 * square[i];
    double curvature = m->traits.curvature;
    if (status == MST_OK && out->hessian != NULL && !isnan(curvature)) {
        status = mst_manifold_to_frame(m, n, y, v, c);
        for (size_t i = 0; status == MST_OK && i < n; i++)
            heat_radial_hessian(d, c + i * d, -1, -across(curvature, sqrt(square[i])),
                                out->hessian + i * d * d);
    }
    return status;
}

static mst_status log_block(const mst_manifold *m, size_t n, const double *x, const double *y,
                            const double *t, const mst_heat_values *out)
{
    if (mst_manifold_factor(m, 0) != m)
        return heat_add_factors(m, n, x, y, t, out, log_block);
    double *v;
    MST_TRY(mst_allocate(&v, n * (m->ambient + m->dim)));
    mst_status status = mst_manifold_log(m, n, y, x, v, NULL);
    if (status == MST_OK)
        status = fill_values(m, n, y, v, v + n * m->ambient, out);
    mst_release(v);
    return status;
}

/* Paths of geodesics from y to the rows. */
typedef struct memory {
    mst_geodesics *kept;
    size_t rows;
} memory;

static void memory_free(void *data)
{
    memory *kept = data;
    if (kept != NULL)
        mst_geodesics_free(kept->kept);
    mst_release(kept);
}

static mst_status log_again(const mst_manifold *m, memory *from, size_t first, size_t n,
                            const double *x, const double *y, const mst_heat_values *out)
{
    double *v;
    MST_TRY(mst_allocate(&v, n * (m->ambient + m->dim)));
    mst_status status = geodesic_log_again(m, from->kept, first, n, y, x, v);
    if (status == MST_OK)
        status = fill_values(m, n, y, v, v + n * m->ambient, out);
    mst_release(v);
    return status;
}

static mst_status evaluate(const mst_score *s, const mst_pairs *pairs, const mst_heat_values *out)
{
    const mst_manifold *m = mst_score_manifold(s);
    bool shared = pairs->y_stride == 0;
    size_t most = pairs->n < HEAT_BLOCK ? pairs->n : HEAT_BLOCK;
    double *y;
    MST_TRY(mst_allocate(&y, shared ? most * m->ambient : 0));
    if (shared)
        mst_repeat_point(most, m->ambient, pairs->y, y);
    mst_status status = MST_OK;
    for (size_t at = 0; status == MST_OK && at < pairs->n; at += HEAT_BLOCK) {
        size_t n = pairs->n - at < HEAT_BLOCK ? pairs->n - at : HEAT_BLOCK;
        mst_pairs part = mst_pairs_part(m, pairs, at, n);
        mst_heat_values values = heat_values_at(out, m, at);
        values.dt_log_p = NULL;
        memory *kept = mst_score_data(s);
        bool known = kept != NULL && part.first < kept->rows && n <= kept->rows - part.first;
        const double *from = shared ? y : part.y;
        status = known ? log_again(m, kept, (size_t)part.first, n, part.x, from, &values)
                       : log_block(m, n, part.x, from, NULL, &values);
    }
    mst_release(y);
    return status;
}

static void describe(const mst_score *s, mst_score_info *info)
{
    const mst_manifold *m = mst_score_manifold(s);
    info->gives = MST_GIVES_LOG_P | (has_hessian(m) ? MST_GIVES_HESSIAN : 0);
    /* A search for a geodesic takes a thousand times as long as a formula. */
    for (size_t f = 0; f < mst_manifold_factor_count(m); f++)
        info->precision = fmax(info->precision, 100 * metric_precision(mst_manifold_factor(m, f)));
    info->cost = (m->traits.closed & MST_CLOSED_LOG) != 0 ? 0.1 : 100;
}

static mst_status factor(const mst_score *s, size_t i, mst_score **out)
{
    return mst_score_log_new(out, mst_manifold_factor(mst_score_manifold(s), i));
}

static mst_status remember(const mst_score *s, size_t rows, mst_score **out);

static const mst_score_ops log_ops = {
    .size = sizeof log_ops,
    .name = "log",
    .describe = describe,
    .evaluate = evaluate,
    .free_data = memory_free,
    .factor = factor,
    .remember = remember,
};

static mst_status remember(const mst_score *s, size_t rows, mst_score **out)
{
    const mst_manifold *m = mst_score_manifold(s);
    if (!mst_geodesic_is_searched(m))
        return MST_OK;
    memory *kept;
    MST_TRY(mst_allocate_zero(&kept, 1));
    kept->rows = rows;
    mst_status status = mst_geodesics_new(&kept->kept, m, rows);
    if (status == MST_OK)
        return mst_score_new(out, &log_ops, m, kept);
    memory_free(kept);
    return status;
}

void score_hint_log(const mst_score *s, const double *guesses)
{
    memory *own = mst_score_data(s);
    geodesics_put_own(own->kept, guesses);
}

bool score_is_log(const mst_score *s)
{
    return score_is(s, &log_ops);
}

mst_status mst_score_log_new(mst_score **out, const mst_manifold *m)
{
    return mst_score_new(out, &log_ops, m, NULL);
}
