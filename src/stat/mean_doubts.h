/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* How far a fitted mean is to be believed: is there one at all, does the time pay for it, and what of the
 * manifold do the data exclude? */
#ifndef MST_STAT_MEAN_DOUBTS_H
#define MST_STAT_MEAN_DOUBTS_H

#include "stat/mean_search.h"
#include "stat/pieces.h"

/* Test of uniformity, corrected time, region and notes of a result that has its error bars. */
MST_MUST_USE mst_status mean_add_doubts(mst_mean_result *result, const fit_means *model,
                                        const mst_mean_options *options, const mean_cut_term *cut);

#endif
