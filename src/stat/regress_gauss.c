/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Least squares by Gauss and Newton where the source of distances has no Hessian: −1 is that of −½ dist² in
 * flat space, and the method needs no more than something near it. */
#include "stat/regress_parts.h"

#include <string.h>

static mst_status evaluate(const mst_score *s, const mst_pairs *pairs, const mst_heat_values *out)
{
    const mst_score *inner = *(const mst_score *const *)mst_score_data(s);
    size_t d = mst_manifold_dim(mst_score_manifold(s));
    mst_heat_values rest = *out;
    rest.hessian = NULL;
    for (size_t k = 0; out->hessian != NULL && k < pairs->n * d * d; k++)
        out->hessian[k] = k % (d * d) / d == k % d ? -1 : 0;
    return mst_score_evaluate(inner, pairs, &rest);
}

static void describe(const mst_score *s, mst_score_info *info)
{
    const mst_score *inner = *(const mst_score *const *)mst_score_data(s);
    *info = *mst_score_describe(inner);
    info->gives |= MST_GIVES_HESSIAN;
}

mst_status regress_gauss_source(mst_score **out, const mst_score *source)
{
    *out = NULL;
    if (mst_score_gives(source, MST_GIVES_TIME) || mst_score_gives(source, MST_GIVES_HESSIAN))
        return MST_OK;
    const mst_score **data;
    MST_TRY(mst_allocate(&data, 1));
    *data = source;
    mst_score_ops ops = {.size = sizeof ops,
                         .name = mst_score_name(source),
                         .describe = describe,
                         .evaluate = evaluate,
                         .free_data = mst_release};
    return mst_score_new(out, &ops, mst_score_manifold(source), data);
}
