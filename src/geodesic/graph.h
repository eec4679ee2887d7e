/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Where Newton's method finds no geodesic: is there a way at all, and where does it go? Charts of two
 * dimensions are covered by a grid, surfaces by equations with random points. */
#ifndef MST_GEODESIC_GRAPH_H
#define MST_GEODESIC_GRAPH_H

#include "geodesic/problem.h"

typedef enum graph_answer {
    GRAPH_UNSURE, /* nothing is known, as always in more dimensions */
    GRAPH_APART,  /* no way, as far as the grid or the points can see */
    GRAPH_WAY,
} graph_answer;

/* A polygon; in a chart, the shortest along the edges of the grid. */
typedef struct graph_way {
    size_t count;
    double *x;     /* (count, width), ends included */
    double *along; /* (count), the length so far */
} graph_way;
void graph_way_free(graph_way *w);

/* From x to y, both (width). The way is filled for charts only, and is to be freed in any case. */
MST_MUST_USE mst_status graph_find(const geodesic_problem *p, const double *x, const double *y,
                                   graph_way *way, graph_answer *out);

#endif
