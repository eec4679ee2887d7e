/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Where a learned manifold knows nothing. */
#ifndef MST_CLI_LEARNED_REACH_H
#define MST_CLI_LEARNED_REACH_H

#include "common.h"
#include "util/json.h"

#include <manistat/learned.h>

/* Networks on manifolds of Gaussian processes make long times too short. From this time on that was measured;
 * INFINITY on other manifolds. */
double learned_long_time(const mst_manifold *m);
/* What to say of such times, in a sentence without its end. */
#define LONG_TIME_WORD "network-long-times"
enum { LONG_TIME_TEXT = 320 };
const char *learned_long_time_text(const mst_manifold *m, char text[LONG_TIME_TEXT]);

/* After a training or a check of a model for times up to t_max: the warning, and the member "warnings". */
void learned_warn(const invocation *inv, const mst_manifold *m, double t_max);
void learned_json_warnings(mst_json *j, const mst_manifold *m, double t_max);

/* How many of n points x are farther from all latent points that the manifold was learned from than the
 * length scale of its processes, of decoders than latent points are from each other; *first is the first of
 * them. 0 where there are no latent points. */
size_t learned_count_lost(const mst_manifold *m, size_t n, const double *x, size_t *first);

#endif
