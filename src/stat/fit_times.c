/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Sources that know a range of times only: the climb stays inside, and a time at an edge from which the
 * likelihood rises outwards has come to its end. */
#include "stat/fit_steps.h"

#include <math.h>

bool fit_is_slow(const mst_score *source)
{
    return mst_score_describe(source)->cost >= 0.25;
}

bool fit_takes_differences(const mst_score *source)
{
    return mst_score_gives(source, MST_GIVES_TIME) && !mst_score_gives(source, MST_GIVES_HESSIAN);
}

double fit_clamp_time(const mst_score *source, double time)
{
    const mst_score_info *info = mst_score_describe(source);
    return fmin(fmax(time, info->t_least), info->t_largest);
}

mst_status fit_check_time(const mst_score *source, double time)
{
    const mst_score_info *info = mst_score_describe(source);
    if (!mst_score_gives(source, MST_GIVES_TIME) || time == 0 ||
        (time >= info->t_least && time <= info->t_largest))
        return MST_OK;
    return mst_fail(MST_DOMAIN, "the time %g is outside the range of the source \"%s\", %g to %g",
                    time, mst_score_name(source), info->t_least, info->t_largest);
}

double fit_given_time(const mst_score *source, double time)
{
    const mst_score_info *info = mst_score_describe(source);
    return time == 0 && info->t_least == info->t_largest ? info->t_least : time;
}

mst_time_limit fit_edge(const mst_score *source, double time, double slope)
{
    const mst_score_info *info = mst_score_describe(source);
    if (time <= info->t_least && slope <= 0)
        return MST_TIME_LEAST;
    return time >= info->t_largest && slope >= 0 ? MST_TIME_LARGEST : MST_TIME_FINITE;
}

mst_time_limit fit_hold_times(const fit_model *m, const double *state, double *gradient)
{
    mst_time_limit limit = MST_TIME_FINITE;
    for (size_t k = 0; m->time_is_free && k < m->parts; k++) {
        fit_part part = m->ops->part(m, k);
        if (!part.log_time)
            continue;
        mst_time_limit edge = fit_edge(m->source, state[part.time], gradient[part.first]);
        if (edge == MST_TIME_FINITE)
            continue;
        gradient[part.first] = 0;
        limit = edge;
    }
    return limit;
}
