/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Networks beside the expansion. On manifolds from formulas or a metric the expansion along geodesics is far
 * better than a network at short times, and knows how good it is; at long times it is the other way round. So
 * the expansion answers where its validity number is below the limit, the network where it is twice the limit
 * or more, and in between both have a share, so that estimators see no jump. */
#include "heat/kernel_parts.h"
#include "manifold/in_space.h"
#include "score/network.h"

#include <math.h>

enum { ROWS = 128 };

/* Of the expansion. */
static double share_of(double validity)
{
    double beyond = validity / MST_VALIDITY_LIMIT - 1;
    return isnan(beyond) ? 0 : fmin(fmax(1 - beyond, 0), 1);
}

/* Rows of `width` numbers, null if they are not wanted. A share of nothing may be of what is no number. */
static void blend(size_t n, size_t width, const double *share, const double *from, double *to)
{
    for (size_t k = 0; to != NULL && k < n * width; k++)
        if (share[k / width] > 0)
            to[k] += share[k / width] * (from[k] - to[k]);
}

bool network_has_short_times(const mst_network *net)
{
    return !net->info.plain && (net->features->sharp || mst_has_root(net->m));
}

mst_status network_join(const mst_score *expansion, const mst_pairs *pairs,
                        const mst_heat_values *out)
{
    const mst_manifold *m = mst_score_manifold(expansion);
    size_t D = mst_manifold_ambient(m), d = mst_manifold_dim(m);
    size_t matrix = out->hessian != NULL ? d * d : 0;
    double *work;
    MST_TRY(mst_allocate(&work, ROWS * (D + 2 + matrix)));
    double *share = work + ROWS, *score = share + ROWS;
    mst_heat_values short_times = {
        .dt_log_p = work, .score = score, .hessian = matrix > 0 ? score + ROWS * D : NULL};
    mst_status status = MST_OK;
    for (size_t at = 0; status == MST_OK && at < pairs->n; at += ROWS) {
        size_t n = pairs->n - at < ROWS ? pairs->n - at : ROWS;
        mst_pairs part = mst_pairs_part(m, pairs, at, n);
        mst_heat_values values = heat_values_at(out, m, at);
        status = mst_score_validity(expansion, &part, &short_times, share);
        for (size_t i = 0; status == MST_OK && i < n; i++)
            share[i] = share_of(share[i]);
        if (status != MST_OK)
            break;
        blend(n, D, share, short_times.score, values.score);
        blend(n, 1, share, short_times.dt_log_p, values.dt_log_p);
        blend(n, d * d, share, short_times.hessian, values.hessian);
    }
    mst_release(work);
    return status;
}
