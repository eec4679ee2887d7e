/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Sources that know a range of times only: the climb stays inside, and a time at an edge from which the likelihood rises
 * outwards has come to its end. */
#include "stat/fit.h"

#include <math.h>

double fit_clamp_time(const mst_score *source, double time)
{
    double least, largest;
    mst_score_time_range(source, &least, &largest);
    return fmin(fmax(time, least), largest);
}

mst_status fit_check_time(const mst_score *source, double time)
{
    double least, largest;
    mst_score_time_range(source, &least, &largest);
    if (!mst_score_table(source)->time || time == 0 || (time >= least && time <= largest))
        return MST_OK;
    return mst_fail(MST_DOMAIN, "the time %g is outside the range of the source \"%s\", %g to %g",
                    time, mst_score_table(source)->name, least, largest);
}

double fit_given_time(const mst_score *source, double time)
{
    double least, largest;
    mst_score_time_range(source, &least, &largest);
    return time == 0 && least == largest ? least : time;
}

mst_time_limit fit_edge(const mst_score *source, double time, double slope)
{
    double least, largest;
    mst_score_time_range(source, &least, &largest);
    if (time <= least && slope <= 0)
        return MST_TIME_LEAST;
    return time >= largest && slope >= 0 ? MST_TIME_LARGEST : MST_TIME_FINITE;
}

mst_time_limit fit_hold_times(const fit_problem *p, const fit_state *state, double *gradient)
{
    mst_time_limit limit = MST_TIME_FINITE;
    double *slope = gradient + p->means * mst_manifold_dim(mst_score_manifold(p->source));
    for (size_t k = 0; p->time_is_free && k < p->times; k++) {
        mst_time_limit edge = fit_edge(p->source, state->time[k], slope[k]);
        if (edge == MST_TIME_FINITE)
            continue;
        slope[k] = 0;
        limit = edge;
    }
    return limit;
}
