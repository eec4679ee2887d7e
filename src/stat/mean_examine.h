/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

#ifndef MST_STAT_MEAN_EXAMINE_H
#define MST_STAT_MEAN_EXAMINE_H

#include "manifold/internal.h"

#include <manistat/mean.h>

/* Fills what `out` says of bridges, with the squared distances (n) of the rows from the mean, NAN where there
 * is none. */
MST_MUST_USE mst_status mean_examine_bridges(const mst_score *source, size_t n, const double *x,
                                             const mst_mean_result *r, const double *square,
                                             uint64_t seed, int threads, mst_mean_examination *out);

#endif
