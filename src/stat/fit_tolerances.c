/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

#include "score/score_internal.h"
#include "stat/fit.h"

#include <math.h>

/* Rounding leaves a share of the rows' own scores, which have the size 1/√t or, without a time, of the
 * distances. How it adds up over the rows is not known: a few times that of one row is always enough. */
static const double rounding_of_sums = 4;

/* Second derivatives by log t take a sweep of their own. Where all sweeps cost the same, those of an earlier
 * state will do until the mean is near. */
static bool may_wait(const fit_model *m)
{
    return fit_is_slow(m->source) && mst_score_gives(m->source, MST_GIVES_HESSIAN) &&
           fit_has_one_time(m) && m->memory == NULL && !score_solves(m->source) &&
           !(mst_score_describe(m->source)->noise > 0);
}

fit_tolerances fit_tolerances_of(const fit_model *model, double asked)
{
    const mst_score_info *info = mst_score_describe(model->source);
    double error = info->precision;
    if (info->noise > 0) {
        double rows = 0;
        for (size_t g = 0; g < model->groups; g++)
            rows += (double)model->rows[g].n;
        error = fmax(error, info->noise / sqrt(fmax(1, rows)));
    }
    return (fit_tolerances){
        .error = error,
        .asked = asked,
        /* Noise is the same at every state, and a climb can go on below it. */
        .gradient = (info->noise > 0 ? 1 : rounding_of_sums) * error,
        .gain = rounding_of_sums * fmax(1e-15, error),
        .value = fmax(1e-13, error),
        .decrement = fmax(1e-15, error),
        .radius = fmax(1e-15, error),
        .share = fmax(1e-10, error),
        .curvature = fmax(1e-8, 10 * error),
        /* Differences leave an error of 1e-9 in the second derivatives by log t of one
         * row, or the root of the error. */
        .time_noise = fmax(1e-7, sqrt(error)),
        .near = fit_is_slow(model->source) ? 3e-3 : 0,
        .kept = fit_takes_differences(model->source) ? 0.3 : 0,
        .kept_to_end = !fit_takes_differences(model->source) ? INFINITY
                       : info->noise > 0                     ? 0.03
                                                             : 3e-3,
        .roughly = may_wait(model) ? 0.3 : 0,
        .unique = fmax(1e-10, 10 * error),
        .invertible = fmax(1e-12, 10 * error),
        /* or closer than what the least tolerance leaves open */
        .same_mean = fmin(0.3, fmax(1e-5, 1e3 * error)),
        /* Truncation h² against rounding over h. */
        .difference = fmax(1e-4, cbrt(error)),
    };
}
