/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* The heat kernel for many rows that share y and t. On spheres, rotations, hyperbolic spaces, circles and
 * their products it depends on a number for each factor, which rows give without transcendental functions:
 * z = 1 − cos r, cosh r − 1, or r itself on circles. What a sum over rows wants are smooth functions of z,
 * tabulated once for the time: polynomials of degree 8 on pieces, eight to an octave of z, and of what is
 * left of z to the cut locus. Close to the cut locus, and beyond the table on
 * hyperbolic space, the kernel itself answers. The error is measured between the nodes when the table is
 * made; where it is more than that of the kernel (radial.h) there is no table. */
#ifndef MST_HEAT_RADIAL_TABLE_H
#define MST_HEAT_RADIAL_TABLE_H

#include "base/internal.h"

#include <manistat/manifold.h>

typedef struct radial_tables radial_tables;

/* From this many rows on a table is worth making. */
enum { RADIAL_TABLE_PAYS = 16384 };

/* Are there tables for the space? */
bool radial_tables_fit(const mst_manifold *m);
/* *out is null, with MST_OK, where the table would not be accurate. */
MST_MUST_USE mst_status radial_tables_new(radial_tables **out, const mst_manifold *m,
                                          const double *y, double t);
void radial_tables_free(radial_tables *r);

/* Σ w … of rows, what is null not being wanted. Derivatives are by (y, log t), in the frame at y. */
typedef struct radial_sums {
    double *log_p;
    double *square;   /* Σ w (|s|² t + (t ∂_t log p)²), s the score */
    double *gradient; /* (d + 1) */
    double *hessian;  /* (d, d), by y alone */
    double *outer;    /* (d + 1, d + 1): products of the gradients of each row */
    double *cross;    /* (d + 1): ∂_log t of the gradient */
} radial_sums;

/* Adds rows x (n, D), n ≤ 256, with weights (n) or null. Rows of weight 0 may be anything. */
MST_MUST_USE mst_status radial_tables_add(const radial_tables *r, size_t n, const double *x,
                                          const double *weights, const radial_sums *sums);
/* Of each row, what is null not being wanted: log p (n), and its gradient by (y, log t) (n, d + 1). */
MST_MUST_USE mst_status radial_tables_rows(const radial_tables *r, size_t n, const double *x,
                                           double *log_p, double *gradient);

#endif
