/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Manifolds that simulate weighted paths themselves, from independent y for each slot. */
#include "manifold/internal.h"
#include "train/samples_parts.h"

#include <math.h>

/* Of the weights of constant curvature; other manifolds say so when they run. */
mst_status sample_weighted_check(const mst_manifold *m, double h, double t)
{
    if (isnan(m->traits.curvature))
        return MST_OK;
    double size = fabs(m->traits.curvature) * (double)m->dim;
    if (size * h > 20)
        return mst_fail(
            MST_ARGUMENT,
            "steps of time %g are too coarse for %s; take %.0f steps a path or more (`path_steps`)",
            h, m->spec, ceil(size * t / 20));
    if (size * t > 500)
        return mst_fail(MST_ARGUMENT, "paths of time %g are too long for %s; at most %g", t,
                        m->spec, 500 / size);
    /* Coordinates grow like e^r on hyperbolic space, and e^2r of their rounding is what distances have. */
    double d = (double)m->dim, time = fabs(m->traits.curvature) * t;
    double reach = 0.5 * (d - 1) * time + sqrt(d * time) + 4 * sqrt(time);
    if (m->traits.curvature < 0 && reach > 18)
        return mst_fail(MST_ARGUMENT,
                        "paths of time %g on %s go so far that no digits of their distances are "
                        "left; take a smaller `t_max`",
                        t, m->spec);
    return MST_OK;
}

mst_status sample_weighted(const sample_job *job)
{
    const mst_manifold *m = job->factor->m;
    const sample_options *o = &job->plan->options;
    uint32_t *begin;
    mst_path_event *event = NULL;
    mst_status status = mst_allocate(&begin, o->steps + 2);
    if (status == MST_OK)
        status = mst_allocate(&event, job->slots * job->n);
    for (size_t slot = 0; status == MST_OK && slot < job->slots; slot++)
        status = sample_starts(job, slot, job->y + slot * job->n * m->ambient);
    if (status == MST_OK) {
        sample_events(job, begin, event);
        uint64_t seed = sample_seed(job->root, SAMPLE_SEED_NOISE, job->factor->index);
        mst_weighted_paths paths = {.n = job->n,
                                    .slots = job->slots,
                                    .steps = o->steps,
                                    .h = job->h,
                                    .longest = o->t_max / (double)o->steps,
                                    .noise = {.seed = seed, .first_path = job->first},
                                    .begin = begin,
                                    .event = event,
                                    .y = job->y,
                                    .x = job->x,
                                    .target = job->target,
                                    .time_target = job->time_target};
        status = m->ops.weighted_walk(m, &paths);
    }
    mst_release(event);
    mst_release(begin);
    return status;
}
