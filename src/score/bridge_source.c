/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* The heat kernel by bridges, as a score source. Every row draws its own random numbers, the same ones
 * whenever it is asked for, so that a likelihood is a smooth function of its parameters. */
#include "base/internal.h"
#include "base/options.h"
#include "heat/bridge_parts.h"
#include "score/score_internal.h"

#include <manistat/bridge.h>
#include <math.h>

typedef struct bridges {
    mst_bridge_options o; /* first: what mst_score_bridge returns */
    bool open;            /* the number of paths was left open */
} bridges;

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
    const mst_bridge_options *o = &((const bridges *)mst_score_data(s))->o;
    info->gives = MST_GIVES_LOG_P | MST_GIVES_TIME;
    info->noise = 0.1 / sqrt((double)o->paths);
    info->cost = 0.2 * (double)(o->paths * o->steps);
}

static mst_status factor(const mst_score *s, size_t i, mst_score **out)
{
    const bridges *b = mst_score_data(s);
    mst_bridge_options o = b->o;
    o.paths = b->open ? 0 : o.paths;
    return mst_score_bridge_new(out, mst_manifold_factor(mst_score_manifold(s), i), &o);
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
    mst_bridge_options o;
    bridges *own;
    *out = NULL;
    MST_TRY(MST_TAKE_OPTIONS(&o, mst_bridge_options, options));
    MST_TRY(mst_bridge_pairs(m, &(mst_pairs){0}, &o, &(mst_bridge_values){0})); /* checks them */
    MST_TRY(mst_allocate(&own, 1));
    *own = (bridges){.o = o, .open = o.paths == 0};
    own->o.paths = o.paths > 0 ? o.paths : BRIDGE_USUAL_PATHS;
    own->o.threads = 1;
    return mst_score_new(out, &bridge_ops, m, own);
}

const mst_bridge_options *mst_score_bridge(const mst_score *s)
{
    return score_is(s, &bridge_ops) ? mst_score_data(s) : NULL;
}

bool score_bridge_is_open(const mst_score *s)
{
    return score_is(s, &bridge_ops) && ((const bridges *)mst_score_data(s))->open;
}
