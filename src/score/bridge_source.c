/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* The heat kernel by bridges, as a score source. Every row draws its own random numbers, the same ones
 * whenever it is asked for, so that a likelihood is a smooth function of its parameters. */
#include "base/internal.h"
#include "base/options.h"
#include "score/score_internal.h"

#include <manistat/bridge.h>
#include <math.h>

static mst_status evaluate(const mst_score *s, const mst_pairs *pairs, const mst_heat_values *out)
{
    mst_bridge_values values = {
        .log_p = out->log_p, .dt_log_p = out->dt_log_p, .score = out->score};
    return mst_bridge_pairs(mst_score_manifold(s), pairs, mst_score_data(s), &values);
}

/* Of a row for its time; with the same random numbers for the same row most of it is common to all steps of a
 * climb. */
static void describe(const mst_score *s, mst_score_info *info)
{
    const mst_bridge_options *o = mst_score_data(s);
    info->gives = MST_GIVES_LOG_P | MST_GIVES_TIME;
    info->noise = 0.1 / sqrt((double)o->paths);
    info->cost = 0.2 * (double)(o->paths * o->steps);
}

static mst_status factor(const mst_score *s, size_t i, mst_score **out)
{
    return mst_score_bridge_new(out, mst_manifold_factor(mst_score_manifold(s), i),
                                mst_score_data(s));
}

static void free_data(void *data)
{
    mst_release(data);
}

static const mst_score_ops bridge_ops = {
    .size = sizeof bridge_ops,
    .name = "bridge",
    .describe = describe,
    .evaluate = evaluate,
    .free_data = free_data,
    .factor = factor,
};

mst_status mst_score_bridge_new(mst_score **out, const mst_manifold *m,
                                const mst_bridge_options *options)
{
    mst_bridge_options *own, o;
    *out = NULL;
    MST_TRY(MST_TAKE_OPTIONS(&o, mst_bridge_options, options));
    MST_TRY(mst_bridge_pairs(m, &(mst_pairs){0}, &o, &(mst_bridge_values){0})); /* checks them */
    MST_TRY(mst_allocate(&own, 1));
    *own = o;
    own->threads = 1;
    return mst_score_new(out, &bridge_ops, m, own);
}

const mst_bridge_options *mst_score_bridge(const mst_score *s)
{
    return score_is(s, &bridge_ops) ? mst_score_data(s) : NULL;
}
