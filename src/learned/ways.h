/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Ways along the data: a graph whose nodes are latent points, each linked to its nearest neighbours by
 * straight lines, of the length that the metric gives them. The shortest way on it is a first path for
 * geodesics that the straight line would lead astray. */
#ifndef MST_LEARNED_WAYS_H
#define MST_LEARNED_WAYS_H

#include "learned/learned.h"

/* Nodes; of more points, so many are taken. */
enum { WAYS_MOST = 400 };

typedef struct ways ways;
/* Of a manifold that is complete but for them. */
MST_MUST_USE mst_status ways_new(ways **out, const mst_manifold *m, size_t n, const double *points);
void ways_free(ways *w);
/* points (WAYS_MOST + 2, d) and along (WAYS_MOST + 2), as in the slot `way` of mst_metric_ops. */
MST_MUST_USE mst_status ways_find(const ways *w, const mst_manifold *m, const double *x,
                                  const double *y, double *points, double *along, size_t *count);

#endif
