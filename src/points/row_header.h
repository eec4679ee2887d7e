/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* What the names of columns say about the order in which a point's numbers stand in a row. */
#ifndef MST_POINTS_ROW_HEADER_H
#define MST_POINTS_ROW_HEADER_H

#include "base/internal.h"

/* Are the two columns a longitude and a latitude, in this order? Names may be null. */
bool mst_header_longitude_first(const char *first, const char *second);

/* Places of the entries of a triangle in the matrix of this order: place[k] = i·order + j, i ≤ j, for column
 * k of order(order+1)/2. *told is false, and nothing to rely on in `place`, unless the names tell every entry
 * once: by two letters of x, y, z, or two numbers from 0 or from 1 on, behind anything. */
MST_MUST_USE mst_status mst_header_triangle(size_t order, const char *const *names, size_t *place,
                                            bool *told);
/* The same for triangles by rows. */
void mst_upper_triangle(size_t order, size_t *place);
void mst_lower_triangle(size_t order, size_t *place);

#endif
