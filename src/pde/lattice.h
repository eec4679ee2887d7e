/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Knots of two axes with the metric at their crossings, and how far these are from the sources. */
#ifndef MST_PDE_LATTICE_H
#define MST_PDE_LATTICE_H

#include "pde/plane.h"

typedef struct pde_lattice {
    size_t cells[2], nodes[2]; /* nodes: cells of a periodic axis, else one more */
    double period[2];
    double *at[2];         /* (cells + 1): ends of cells; node k is at[k] */
    double *g;             /* (nodes, nodes, 3) */
    double *dist;          /* (nodes, nodes); INFINITY: not reached */
    unsigned char *inside; /* (nodes, nodes) */
} pde_lattice;

/* Takes copies of `at`, which have cells + 1 numbers. */
MST_MUST_USE mst_status pde_lattice_new(pde_lattice *l, const pde_plane *p, const size_t cells[2],
                                        double *const at[2]);
void pde_lattice_free(pde_lattice *l);
/* Distances to the nearest of n sources, along edges to 16 neighbours: longer than they are by up to 3 %.
 * What is farther than `reach` need not be right. */
MST_MUST_USE mst_status pde_lattice_measure(pde_lattice *l, size_t n, const double *x,
                                            double reach);

#endif
