/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* The order in which a sparse symmetric matrix of a plane grid or mesh is eliminated. */
#ifndef MST_PDE_ORDER_H
#define MST_PDE_ORDER_H

#include "base/internal.h"

/* Unknowns k with the neighbours column[line[k]] … column[line[k + 1] − 1], themselves among them or not, at
 * places on a lattice. Neighbours are at most `reach` apart in both coordinates, but for those around a
 * period. */
typedef struct pde_graph {
    size_t n;
    const size_t *line;
    const int *column;
    const int (*at)[2];
    int reach;
} pde_graph;

/* Nested dissection: a part of more than `leaf` unknowns is cut along a coordinate where few unknowns
 * separate two large halves; those come first and the separator after them. Smaller parts and separators are
 * in the order of their longer coordinate. O(neighbours · log n). */
MST_MUST_USE mst_status pde_dissect(const pde_graph *g, size_t leaf, int *order);

#endif
