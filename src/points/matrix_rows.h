/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Rows that are covariance matrices: channels that are missing, matrices that are singular, and shrinkage. */
#ifndef MST_POINTS_MATRIX_ROWS_H
#define MST_POINTS_MATRIX_ROWS_H

#include "points/point_parts.h"

/* "channels 3, 17 are missing (nan in their rows and columns of the matrix)", if that is where all numbers of
 * the symmetric matrix x (order, order) that are none stand; else false. */
enum { MISSING_TEXT = 160 };
bool mst_missing_channels(size_t order, const double *x, char text[MISSING_TEXT]);

/* Shrinks the matrices of points x (n, D) as the options say. MST_DOMAIN, unless forced, for one that is
 * indefinite: it is no covariance matrix. */
MST_MUST_USE mst_status mst_shrink_points(const mst_point_decoder *d, size_t n, double *x);
/* Is one of the matrices of the point x (D) singular, and not worse than that? */
bool mst_point_is_singular(const mst_point_decoder *d, const double *x);
/* Takes down which of the points x (n, D), before they are projected, have a Cholesky factor, but one whose
 * smallest pivots are rounding. */
MST_MUST_USE mst_status mst_notice_singular_points(const mst_point_decoder *d, size_t n,
                                                   const double *x);

#endif
