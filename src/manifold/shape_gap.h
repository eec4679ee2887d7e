/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* How far shapes are from where the rotation between them is no longer unique. */
#ifndef MST_MANIFOLD_SHAPE_GAP_H
#define MST_MANIFOLD_SHAPE_GAP_H

#include "manifold/internal.h"

/* Is it a space of shapes, and do sizes not count? */
bool mst_is_shape_space(const mst_manifold *m, bool *unit);

/* For configurations x (n, D) and y (D), as numbers of the singular values λ of xᵀy, the last with the sign
 * of the determinant: gap (n), the sum of the last two, 0 where the rotation that fits is not unique; rate
 * (n), how fast that can fall at most when y moves; and *rank, the root of the sum of the squares of the last
 * two singular values of y. */
MST_MUST_USE mst_status mst_shape_gaps(const mst_manifold *m, size_t n, const double *x,
                                       const double *y, double *gap, double *rate, double *rank);

#endif
