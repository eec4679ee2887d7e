/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Does the source find the mean and the time that points were simulated with? */
#include "check/parts.h"

#include <manistat/brownian.h>
#include <manistat/mean.h>
#include <math.h>
#include <string.h>

enum { POINTS = 1000 };

/* A gradient of the mean log-likelihood of this size, in units of √t and log t, is 3e-4 standard errors of
 * 1000 points; networks compute in float, and their own rounding is much below it. */
static const double gradient = 1e-5;

/* Both fits, either of which may be missing. */
typedef struct fits {
    mst_mean_result *source, *reference;
} fits;

/* A random start, drawn as paths draw theirs, in row 0 and the points from there in the others. */
static mst_status simulate(const check_subject *s, size_t interval, double t, mst_progress progress,
                           double *x)
{
    sample_plan *plan;
    double *y = x + s->D;
    MST_TRY(check_plan(s, t, check_seed(s, interval, CHECK_START), &plan));
    mst_status status = sample_draw(plan, 0, 1, &(sample_rows){.y = x});
    sample_plan_free(plan);
    MST_TRY(status);
    mst_brownian_options o = mst_brownian_options_default();
    o.method = mst_brownian_has_exact(s->m) ? MST_BROWNIAN_EXACT : MST_BROWNIAN_TANGENT;
    o.seed = check_seed(s, interval, CHECK_POINTS);
    o.threads = s->o->threads;
    o.progress = progress;
    for (size_t i = 0; i < POINTS; i++)
        memcpy(y + i * s->D, x, s->D * sizeof *x);
    return mst_brownian_endpoints(s->m, POINTS, y, t, &o, y);
}

/* *out is null where the fit fails as fits do; only memory is a failure of ours. */
static mst_status fit(const check_subject *s, const mst_score *source, double t, const double *x,
                      mst_mean_result **out)
{
    mst_mean_options o = mst_mean_options_default();
    o.threads = s->o->threads;
    o.time = s->fixed_time ? t : 0;
    o.start = x;
    o.starts = 1;
    o.tolerance = gradient;
    *out = NULL;
    mst_status status = mst_mean_fit(out, source, POINTS, x + s->D, &o);
    bool timed = mst_score_gives(source, MST_GIVES_TIME);
    bool found =
        status == MST_OK && (*out)->standard_error > 0 && (!timed || isfinite((*out)->time));
    if (!found) {
        mst_mean_result_free(*out);
        *out = NULL;
    }
    return status == MST_MEMORY ? status : MST_OK;
}

/* A difference of times in standard errors; NAN where one of them is none. */
static double times_apart(double a, double b, const mst_mean_result *unit)
{
    return fabs(a - b) / unit->time_standard_error;
}

static mst_status distances(const check_subject *s, double t, const double *truth, const fits *f,
                            mst_check_band *b)
{
    const mst_mean_result *unit = f->reference != NULL ? f->reference : f->source;
    b->mean_shift = INFINITY;
    b->time_shift = s->time && !s->fixed_time ? INFINITY : NAN;
    if (f->reference != NULL) {
        b->mean_gap = b->mean_shift;
        b->time_gap = check_times_compare(s) ? b->time_shift : NAN;
    }
    if (f->source == NULL)
        return MST_OK;
    MST_TRY(mst_manifold_dist(s->m, 1, f->source->mean, truth, &b->mean_shift));
    b->mean_shift /= unit->standard_error;
    b->time_shift = times_apart(f->source->time, t, unit);
    if (f->reference == NULL)
        return MST_OK;
    MST_TRY(mst_manifold_dist(s->m, 1, f->source->mean, f->reference->mean, &b->mean_gap));
    b->mean_gap /= unit->standard_error;
    b->time_gap = times_apart(f->source->time, f->reference->time, unit);
    return MST_OK;
}

static mst_status run(const check_subject *s, double t, const double *x, fits *f, mst_check_band *b)
{
    if (s->reference != NULL) {
        MST_TRY(fit(s, s->reference, t, x, &f->reference));
        if (f->reference == NULL) /* such points tell nothing about the source */
            return MST_OK;
    }
    MST_TRY(fit(s, s->source, t, x, &f->source));
    return distances(s, t, x, f, b);
}

mst_status check_recover(const check_subject *s, size_t interval, mst_progress progress,
                         mst_check_band *b)
{
    double t = b->t_low + (b->t_high - b->t_low) / 2, *x;
    fits f = {0};
    MST_TRY(mst_allocate(&x, (POINTS + 1) * s->D));
    mst_status status = simulate(s, interval, t, progress, x);
    if (status == MST_OK)
        status = run(s, t, x, &f, b);
    mst_mean_result_free(f.source);
    mst_mean_result_free(f.reference);
    mst_release(x);
    return status;
}
