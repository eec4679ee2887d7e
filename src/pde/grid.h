/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Finite elements: products of B-splines on a region, their mass matrix M and stiffness matrix K, and the
 * factor of M + ½γK. ∂_t p = ½Δp becomes M u' = −½K u. */
#ifndef MST_PDE_GRID_H
#define MST_PDE_GRID_H

#include "pde/region.h"

/* A Cholesky factor by supernodes, dense blocks of columns that share their rows: block s has the columns
 * super[s] … super[s + 1] − 1, the rows row[begin[s]] … in ascending order and its numbers, by columns, at
 * value[at[s]]. Row k of the factor is row order[k] of the matrix. */
typedef struct pde_factor {
    size_t n, supers;
    int *order, *super, *row;
    size_t *begin, *at;
    double *value;
} pde_factor;

typedef struct pde_grid {
    pde_region region;
    size_t n;         /* unknowns */
    int *unknown;     /* (count, count) of the axes: number of a product; −1: there is none */
    size_t *line;     /* (n + 1): rows of M */
    int *column;      /* (line[n]) */
    double *mass;     /* (line[n]) */
    double *integral; /* (n): of the products */
    unsigned char *on_rim; /* (n): is it at an end of an axis? */
    pde_factor factor;
} pde_grid;

/* Takes the region, also when it fails. MST_UNABLE for more than `most` unknowns. */
MST_MUST_USE mst_status pde_grid_new(pde_grid *g, const pde_plane *p, pde_region *region,
                                     double gamma, size_t most);
void pde_grid_free(pde_grid *g);

enum { PDE_STENCIL = PDE_SIDE * PDE_SIDE };

/* The products that are not 0 at a point, PDE_SIDE times the number in u plus that in v: their numbers, −1
 * for those that do not exist, and their values and derivatives 1, u, v, uu, uv, vv. False: the point lies in
 * no cell that is active. */
typedef struct pde_stencil {
    int unknown[PDE_STENCIL];
    double value[6][PDE_STENCIL];
} pde_stencil;
bool pde_grid_stencil(const pde_grid *g, const double *x, pde_stencil *s);

/* ---- What grid.c and elements.c share ---- */

/* Offsets of functions that have cells in common. */
enum { PDE_BAND = 2 * PDE_DEGREE + 1, PDE_NEAR = PDE_BAND * PDE_BAND };

/* The metric at the nodes of Gauss's rule of all cells, which are left out where it is not defined. */
MST_MUST_USE mst_status pde_cells_metric(pde_region *r, const pde_plane *p, double **metric);
/* M and K (n, PDE_NEAR): entry (du, dv) of a row belongs to the product du and dv functions farther on; and
 * the integrals (n) of the products. All come in as 0. */
void pde_cells_matrices(const pde_region *r, const int *unknown, const double *metric, double *mass,
                        double *stiff, double *integral);

#endif
