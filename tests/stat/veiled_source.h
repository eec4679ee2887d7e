/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* A source of which nothing is known but its values: estimators go the plain way. */
#ifndef TEST_VEILED_SOURCE_H
#define TEST_VEILED_SOURCE_H

#include <manistat/score.h>

static inline mst_status veiled_values(const mst_score *s, const mst_pairs *pairs,
                                       const mst_heat_values *out)
{
    return mst_score_evaluate(mst_score_data(s), pairs, out);
}

static inline void veiled_describe(const mst_score *s, mst_score_info *info)
{
    *info = *mst_score_describe(mst_score_data(s));
}

/* The data of the source are the one behind it. */
static const mst_score_ops veiled_ops = {
    .size = sizeof veiled_ops,
    .name = "exact",
    .describe = veiled_describe,
    .evaluate = veiled_values,
};

#endif
