/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Rows of numbers, as they stand in files, to points and tangent vectors. */
#ifndef MST_MANIFOLD_POINT_DECODER_H
#define MST_MANIFOLD_POINT_DECODER_H

#include "manifold/internal.h"
#include "points/notices.h"

#include <manistat/points.h>

#define MST_DEGREE 0.017453292519943295769 /* π/180 */

/* How a point stands in a row. */
typedef enum mst_point_form {
    MST_FORM_FULL,
    MST_FORM_TRIANGLE,   /* of a symmetric matrix, vectors as well */
    MST_FORM_QUATERNION, /* w, x, y, z */
    MST_FORM_LATLON,     /* degrees */
} mst_point_form;

typedef struct mst_point_leaf mst_point_leaf;

/* Everything about a row but where it comes from. */
typedef struct mst_point_decoder {
    const mst_manifold *m;
    mst_points_options options;
    const char *layout; /* borrowed */
    mst_point_form form;
    size_t cols;
    size_t leaf_count;
    mst_point_leaf *leaves;
    const mst_reader *reader; /* for messages; null if the numbers are from elsewhere */
    size_t *columns;       /* (parts of the layout, D): where the numbers of a part stand in it */
    bool guessed_triangle; /* neither the header nor an option names the triangle */
    bool directions;       /* the header names two angles by the compass */
    mst_notices *notices;
} mst_point_decoder;

/* Finds the form from the number of columns: MST_FORMAT if there is none, MST_ARGUMENT for options that make
 * no sense for the manifold. Close it in either case. */
MST_MUST_USE mst_status mst_point_decoder_open(mst_point_decoder *d, const mst_manifold *m,
                                               const char *layout, size_t cols,
                                               const mst_points_options *options,
                                               const mst_reader *reader);
void mst_point_decoder_close(mst_point_decoder *d);
/* Writes to the report of the options, if there is one. */
MST_MUST_USE mst_status mst_point_decoder_report(const mst_point_decoder *d);
/* n rows (n, cols) to parts[k], behind `done` rows that are there already. `onto` is workspace (n, D). */
MST_MUST_USE mst_status mst_point_decode_rows(const mst_point_decoder *d, size_t n,
                                              const double *rows, double *const *parts, size_t done,
                                              double *onto);

MST_MUST_USE mst_status mst_points_check_options(const mst_manifold *m,
                                                 const mst_points_options *options);
bool mst_is_two_sphere(const mst_manifold *m); /* by its rows */

#endif
