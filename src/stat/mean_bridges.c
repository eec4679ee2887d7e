/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* The expansion that a diffusion mean rests on, held against bridges to a near, a median and a far row. Both
 * have −r²/2t and the power of t in common; what they say of the rest, at two times around that of the fit,
 * shows how far the expansion is off in log p and, by the difference, in the time: the likelihood of rows
 * has t ∂_t log p = r²/2t − d/2 + u, so that an error of u moves log t by 2/d of it. */
#include "stat/mean_examine.h"

#include <manistat/bridge.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Few paths do: led along geodesics they weigh nearly the same. Each row has groups of paths, whose scatter
 * is the error of what they say. */
enum { ROWS = 3, GROUPS = 4, PATHS = 4, STEPS = 8, ALL = ROWS * GROUPS };
static const double apart = 0.1; /* of the times, in log t */

typedef struct measured {
    double square;
    size_t row;
} measured;

static int by_square(const void *a, const void *b)
{
    double x = ((const measured *)a)->square, y = ((const measured *)b)->square;
    return (x > y) - (x < y);
}

/* Rows at 5, 50 and 95 % of the squared distances. */
static mst_status choose(size_t n, const double *square, size_t rows[ROWS], size_t *count)
{
    measured *m;
    size_t known = 0;
    MST_TRY(mst_allocate(&m, n));
    for (size_t i = 0; i < n; i++)
        if (!isnan(square[i]))
            m[known++] = (measured){square[i], i};
    qsort(m, known, sizeof *m, by_square);
    *count = known < ROWS ? known : ROWS;
    for (size_t k = 0; k < *count; k++)
        rows[k] = m[(size_t)((double)(known - 1) * (0.05 + 0.45 * (double)k) + 0.5)].row;
    mst_release(m);
    return MST_OK;
}

/* What bridges and the expansion say of log p at one time: (ALL) each. */
typedef struct log_values {
    double bridge[ALL], expansion[ALL], ess[ALL];
} log_values;

static mst_status evaluate(const mst_score *source, size_t n, const double *x, const double *centre,
                           double t, const mst_bridge_options *o, log_values *v)
{
    mst_pairs pairs = {.n = n, .x = x, .y = centre, .t = &t};
    MST_TRY(mst_score_evaluate(source, &pairs, &(mst_heat_values){.log_p = v->expansion}));
    return mst_bridge_pairs(mst_score_manifold(source), &pairs, o,
                            &(mst_bridge_values){.log_p = v->bridge, .ess = v->ess});
}

/* The effective share of all paths of a row, from the groups' means and effective sizes. */
static double effective(const double *log_p, const double *ess)
{
    double top = log_p[0], sum = 0, squares = 0;
    for (size_t i = 1; i < GROUPS; i++)
        top = fmax(top, log_p[i]);
    for (size_t i = 0; i < GROUPS; i++) {
        double all = exp(log_p[i] - top);
        sum += all;
        squares += all * all / ess[i];
    }
    return sum * sum / squares / (GROUPS * PATHS);
}

static void compare(size_t rows, double d, const log_values *early, const log_values *late,
                    mst_mean_examination *out)
{
    double time = 0, variance = 0;
    out->bridged = rows;
    out->bridge_log_p = 0;
    out->bridge_ess = 1;
    for (size_t k = 0; k < rows; k++) {
        size_t at = k * GROUPS;
        double level = 0, mean = 0, second = 0;
        for (size_t i = at; i < at + GROUPS; i++) {
            double before = early->expansion[i] - early->bridge[i];
            double after = late->expansion[i] - late->bridge[i];
            double slope = (after - before) / (2 * apart);
            level += 0.5 * (before + after) / GROUPS;
            mean += slope / GROUPS;
            second += slope * slope / GROUPS;
        }
        if (fabs(level) > fabs(out->bridge_log_p))
            out->bridge_log_p = level;
        out->bridge_ess = fmin(out->bridge_ess, effective(late->bridge + at, late->ess + at));
        time += mean;
        variance += fmax(second - mean * mean, 0) / (GROUPS - 1);
    }
    out->bridge_time = 2 * time / ((double)rows * d);
    out->bridge_error = 2 * sqrt(variance) / ((double)rows * d);
}

mst_status mean_examine_bridges(const mst_score *source, size_t n, const double *x,
                                const mst_mean_result *r, const double *square, uint64_t seed,
                                int threads, mst_mean_examination *out)
{
    const mst_manifold *m = mst_score_manifold(source);
    size_t D = mst_manifold_ambient(m), rows[ROWS], count;
    log_values early, late;
    double *ends;
    MST_TRY(choose(n, square, rows, &count));
    MST_TRY(mst_allocate(&ends, ALL * D));
    for (size_t k = 0; k < count; k++)
        mst_repeat_point(GROUPS, D, x + rows[k] * D, ends + k * GROUPS * D);
    mst_bridge_options o = mst_bridge_options_default();
    o.paths = PATHS;
    o.steps = STEPS;
    o.seed = seed;
    o.threads = threads;
    size_t all = count * GROUPS;
    mst_status status = evaluate(source, all, ends, r->mean, r->time * exp(-apart), &o, &early);
    if (status == MST_OK)
        status = evaluate(source, all, ends, r->mean, r->time * exp(apart), &o, &late);
    if (status == MST_BREAKDOWN) { /* the paths came where no geodesic to their end is found */
        out->bridged = count;
        status = MST_OK;
    } else if (status == MST_OK && count > 0)
        compare(count, (double)mst_manifold_dim(m), &early, &late, out);
    mst_release(ends);
    return status;
}
