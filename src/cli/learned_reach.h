/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Where a learned manifold knows nothing. */
#ifndef MST_CLI_LEARNED_REACH_H
#define MST_CLI_LEARNED_REACH_H

#include <manistat/learned.h>

/* How many of n points x are farther from all latent points that the manifold was learned from than the
 * length scale of its processes, of decoders than latent points are from each other; *first is the first of
 * them. 0 where there are no latent points. */
size_t learned_count_lost(const mst_manifold *m, size_t n, const double *x, size_t *first);

#endif
