/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Components of a manifold by equations, from random points of it that are linked to their neighbours. */
#ifndef MST_GEODESIC_GRAPH_POINTS_H
#define MST_GEODESIC_GRAPH_POINTS_H

#include "geodesic/graph.h"

/* GRAPH_APART or GRAPH_UNSURE. */
MST_MUST_USE mst_status points_find(const geodesic_problem *p, const double *x, const double *y,
                                    graph_answer *out);

#endif
