/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* The rectangle on which the heat equation is solved: all that is within a distance of the sources, with
 * knots that are as dense as the metric asks for. */
#ifndef MST_PDE_REGION_H
#define MST_PDE_REGION_H

#include "pde/axis.h"
#include "pde/plane.h"

typedef struct pde_region {
    pde_axis axis[2];
    unsigned char *active; /* (cells, cells): in the domain */
    bool at_edge;          /* the domain ends within the distance */
} pde_region;

typedef struct pde_wish {
    double spacing; /* length of cells */
    double change;  /* of the logarithm of the metric from cell to cell */
    size_t around;  /* the least number of cells of a period */
    double reach;   /* distance from the sources that is covered */
    size_t most;    /* cells */
} pde_wish;

/* For n sources (n, 2). MST_UNABLE if it takes too many cells. */
MST_MUST_USE mst_status pde_region_new(pde_region *r, const pde_plane *p, size_t n, const double *x,
                                       const pde_wish *wish);
void pde_region_free(pde_region *r);

#endif
