/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* B-splines of one coordinate on knots of unequal distance. The support of a function is PDE_DEGREE + 1 cells
 * long: of a periodic axis, function k begins with cell k; of an open one, whose ends are knots many times
 * over, it ends with cell k, and what is beyond the ends is cut off. */
#ifndef MST_PDE_AXIS_H
#define MST_PDE_AXIS_H

#include "base/internal.h"

enum {
    PDE_DEGREE = 7,
    PDE_SIDE = PDE_DEGREE + 1, /* functions that are not 0 in a cell */
    PDE_LEAST_CELLS = 2 * PDE_DEGREE + 2,
};

typedef struct pde_axis {
    double period; /* 0: open */
    size_t cells;
    size_t count; /* of functions */
    double *knot; /* (cells + 1 + 2·PDE_DEGREE): number PDE_DEGREE begins the first cell */
} pde_axis;

/* From the ends of the cells, at (cells + 1). */
MST_MUST_USE mst_status pde_axis_new(pde_axis *a, size_t cells, const double *at, double period);
void pde_axis_free(pde_axis *a);

/* The cell of *u, which is brought to the period of the knots; SIZE_MAX: beyond the ends. */
size_t pde_axis_cell(const pde_axis *a, double *u);
double pde_axis_begin(const pde_axis *a, size_t cell);
/* The functions of a cell: values, first and second derivatives at u. */
void pde_axis_values(const pde_axis *a, size_t cell, double u, double b[3][PDE_SIDE]);
/* Number of function k of a cell; and the cells first … last of a function, modulo the period. */
size_t pde_axis_function(const pde_axis *a, size_t cell, size_t k);
void pde_axis_support(const pde_axis *a, size_t function, size_t *first, size_t *last);
/* Does it reach one of the last cells before an end? */
bool pde_axis_at_end(const pde_axis *a, size_t function);

#endif
