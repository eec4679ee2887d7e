/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* The parts of mst_mean_fit. */
#ifndef MST_STAT_MEAN_PARTS_H
#define MST_STAT_MEAN_PARTS_H

#include "stat/fit.h"

/* The mean of the coordinates brought onto the manifold (angles: the direction of the mean of their unit vectors);
 * MST_DOMAIN where it has no direction, as for antipodes. */
MST_MUST_USE mst_status mean_extrinsic(const mst_manifold *m, size_t n, const double *x,
                                       const double *weights, double *out);
/* Σ w dist²(x, y) / Σ w. */
MST_MUST_USE mst_status mean_squared_distance(const mst_manifold *m, size_t n, const double *x,
                                              const double *weights, const double *y, int threads,
                                              double *out);

/* Is there a time to tell, if only the edge of a range? */
static inline bool mean_has_time(mst_time_limit limit)
{
    return limit != MST_TIME_ZERO && limit != MST_TIME_INFINITY;
}

/* Basis, covariance, standard errors, interval and region of the result at its mean. `hessian` (q, q) is what the climb
 * has left there, for sources with a Hessian or a time. */
MST_MUST_USE mst_status mean_add_errors(mst_mean_result *result, const fit_problem *problem,
                                        const mst_mean_options *options, const double *hessian);

#endif
