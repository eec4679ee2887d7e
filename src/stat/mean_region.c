/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Is a point in the confidence region of a mean? */
#include "base/linalg.h"
#include "base/options.h"
#include "stat/mean_weights.h"
#include "stat/score_region.h"

#include <math.h>

static mst_status ellipsoid_holds(const mst_mean_result *r, const mst_manifold *m, const double *y,
                                  bool *holds)
{
    size_t d = mst_manifold_dim(m), D = mst_manifold_ambient(m);
    double *v, square = 0;
    MST_TRY(mst_allocate(&v, D + d + d * d));
    double *c = v + D, *l = c + d;
    mst_status status = mst_manifold_log(m, 1, r->mean, y, v, NULL);
    if (status == MST_OK)
        status = mst_manifold_to_frame(m, 1, r->mean, v, c);
    if (status == MST_OK)
        status = mst_cholesky(1, d, r->covariance, l, NULL);
    for (size_t i = 0; i < d && status == MST_OK; i++) {
        for (size_t k = 0; k < i; k++)
            c[i] -= l[i * d + k] * c[k];
        c[i] /= l[i * d + i];
        square += c[i] * c[i];
    }
    *holds = square <= r->region_radius2;
    mst_release(v);
    return status;
}

static mst_status scores_hold(const mst_mean_result *r, const mst_score *source, size_t n,
                              const double *x, const mst_mean_options *o, const double *y,
                              bool *holds)
{
    stat_pieces pieces;
    score_region region;
    MST_TRY(stat_pieces_new(&pieces, mst_score_manifold(source)));
    mst_status status =
        score_region_open(&region, source, &pieces, n, x, o, r->mean, r->region_time);
    if (status == MST_OK)
        status = score_region_holds(&region, y, holds);
    score_region_close(&region);
    stat_pieces_free(&pieces);
    return status;
}

mst_status mst_mean_region_holds(bool *holds, const mst_mean_result *r, const mst_score *source,
                                 size_t n, const double *x, const mst_mean_options *options,
                                 const double *y)
{
    mst_mean_options o;
    double *weights;
    bool found = true;
    MST_TRY(MST_TAKE_OPTIONS(&o, mst_mean_options, options));
    if (r->region_kind == MST_REGION_NONE)
        return mst_fail(MST_UNABLE, "the mean has no confidence region");
    if (r->region_kind == MST_REGION_ELLIPSOID)
        MST_TRY(ellipsoid_holds(r, mst_score_manifold(source), y, &found));
    if (r->region_kind == MST_REGION_SCORE) {
        size_t *names, different;
        MST_TRY(mean_take_copies(n, mst_manifold_ambient(mst_score_manifold(source)), x, &o, &names,
                                 &different));
        mst_status status = mean_take_weights(n, &o.weights, o.weights_are, &weights);
        if (status == MST_OK)
            status = scores_hold(r, source, n, x, &o, y, &found);
        mst_release(weights);
        mst_release(names);
        MST_TRY(status);
    }
    *holds = found;
    return MST_OK;
}
