/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* The likelihood of t alone: that of (μ, t) integrated over all μ of a homogeneous space. A fitted mean
 * follows the noise and makes the fitted time too low, by (n − 1)/n in flat space and by any factor where the
 * points are nearly uniform; the integral pays for that. */
#ifndef MST_STAT_MARGINAL_TIME_H
#define MST_STAT_MARGINAL_TIME_H

#include "stat/fit.h"
#include "stat/pieces.h"

typedef struct marginal_time {
    double time;      /* of the maximum; INFINITY if the uniform law is as good as any */
    double low, high; /* where the likelihood is not too far below it; `high` may be INFINITY */
} marginal_time;

/* Is it known for this source, with times of all sizes? */
bool marginal_time_is_known(const mst_score *source, const stat_pieces *pieces);

/* `mean` (D) and `time` are the joint maximum, which is close by, `log_error` the standard error of log t or
 * NAN; `variance` is the mean squared distance to the mean. */
MST_MUST_USE mst_status marginal_time_find(marginal_time *out, const fit_means *model,
                                           const stat_pieces *pieces, const double *mean,
                                           double time, double log_error, double variance,
                                           double confidence);
/* The log-likelihood itself at t, relative to that of the uniform law where there is one, for tests. */
MST_MUST_USE mst_status marginal_time_value(const fit_means *model, const stat_pieces *pieces,
                                            const double *mean, double time, double *value);

#endif
