/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* The smallest ellipsoid about the origin that contains given points. */
#ifndef MST_STAT_ENCLOSING_H
#define MST_STAT_ENCLOSING_H

#include "base/internal.h"

/* bᵀM⁻¹b, by the factor L (d, d) of M = LLᵀ; z has d numbers. */
double square_in(size_t d, const double *l, const double *b, double *z);

/* {z : zᵀM⁻¹z ≤ 1} with the points (count, d): L of M = LLᵀ. By the D-optimal design (Titterington 1976),
 * whose weights converge slowly, and so it contains them all but may be larger than the smallest by some
 * per cent. MST_DOMAIN if the points do not span the space. */
MST_MUST_USE mst_status smallest_ellipsoid(size_t d, size_t count, const double *points, double *l);

#endif
