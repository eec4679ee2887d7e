/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* What the names of columns say about the order in which a point's numbers stand in a row. */
#ifndef MST_POINTS_ROW_HEADER_H
#define MST_POINTS_ROW_HEADER_H

#include "base/internal.h"

/* What the columns hold, in the order that rows without a header have. */
typedef enum mst_header_kind {
    MST_HEADER_LATLON,     /* latitude, longitude */
    MST_HEADER_QUATERNION, /* w, x, y, z */
    MST_HEADER_VECTOR,     /* x, y, z, or 1, 2, … */
    MST_HEADER_NUMBERED,   /* 0, 1, … or 1, 2, … */
    MST_HEADER_MATRIX,     /* the entries by rows */
    MST_HEADER_TRIANGLE,   /* the upper triangle by rows */
    MST_HEADER_LANDMARKS,  /* x and y (and z) of each landmark together */
} mst_header_kind;

typedef struct mst_header {
    mst_header_kind kind;
    const char *path;         /* of the file, for messages */
    size_t count;             /* of the columns */
    const char *const *names; /* (count); null: a column has no name */
    size_t order;             /* of matrices: rows; of landmarks: coordinates of each */
} mst_header;

/* columns[k] is the column where number k of the usual order stands. *told: the names say so; otherwise
 * columns[k] = k. MST_FORMAT if names are known, but contradict the usual order and tell no other one. */
MST_MUST_USE mst_status mst_header_order(const mst_header *h, size_t *columns, bool *told);
/* Are the two columns angles of a direction, such as declination and inclination, not a place on a map? */
bool mst_header_is_direction(const char *first, const char *second);
/* Coordinates of a landmark if all names have a letter of x, y (and z), each as often; else 0. */
size_t mst_header_landmark_dim(const mst_header *h);
/* columns[k] for triangles of which the lower one stands in a row. */
void mst_lower_triangle(size_t order, size_t *columns);

#endif
