/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* What weights say, for all estimators that take them. */
#ifndef MST_STAT_MEAN_WEIGHTS_H
#define MST_STAT_MEAN_WEIGHTS_H

#include "base/internal.h"

#include <manistat/mean.h>

/* Relative weights become counts that sum to (Σw)²/Σw², in a copy to be released; *weights points to it. */
MST_MUST_USE mst_status mean_take_weights(size_t n, const double **weights,
                                          mst_weight_meaning meaning, double **copy);
/* Do counts sum to about one, or to less than any counts of several rows could? */
bool mean_weights_look_relative(const mst_mean_options *o, size_t n);

#endif
