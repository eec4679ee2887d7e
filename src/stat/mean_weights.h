/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* What weights and copies say, for all estimators that take them. */
#ifndef MST_STAT_MEAN_WEIGHTS_H
#define MST_STAT_MEAN_WEIGHTS_H

#include "base/internal.h"

#include <manistat/mean.h>

/* Relative weights become counts that sum to (Σw)²/Σw², in a copy to be released; *weights points to it. */
MST_MUST_USE mst_status mean_take_weights(size_t n, const double **weights,
                                          mst_weight_meaning meaning, double **copy);
/* Rows that were written down several times (rows_copies) become clusters of the options, with *names to be
 * released; null where there are none. Weights and clusters say themselves what rows are worth. */
MST_MUST_USE mst_status mean_take_copies(size_t n, size_t D, const double *x, mst_mean_options *o,
                                         size_t **names, size_t *different);
/* Do counts sum to about one, or to less than any counts of several rows could? */
bool mean_weights_look_relative(const mst_mean_options *o, size_t n);

#endif
