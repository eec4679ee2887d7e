/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* What the files of the decoder share. */
#ifndef MST_POINTS_POINT_PARTS_H
#define MST_POINTS_POINT_PARTS_H

#include "points/point_decoder.h"

#include <math.h>

/* Columns offset … offset+width−1 of a point, those of a factor. */
struct mst_point_leaf {
    mst_row_kind rows;
    bool positive; /* matrices that must be positive definite */
    size_t offset, width;
};

static inline size_t mst_matrix_order(size_t ambient)
{
    size_t n = (size_t)sqrt((double)ambient);
    return n * n < ambient ? n + 1 : n;
}

static inline size_t mst_triangle_size(const mst_point_decoder *d)
{
    size_t order = mst_matrix_order(mst_manifold_ambient(d->m));
    return order * (order + 1) / 2;
}

/* The matrix a of the upper triangle c. */
static inline void mst_from_triangle(size_t order, const double *c, double *a)
{
    for (size_t i = 0; i < order; i++)
        for (size_t j = i; j < order; j++)
            a[i * order + j] = a[j * order + i] = *c++;
}

/* The number of row k of the present batch, counted from 1; 0 without a file. */
uint64_t mst_point_row(const mst_point_decoder *d, size_t k);
/* MST_DOMAIN about row k; `advice` if `project` would help. */
MST_MUST_USE mst_status mst_point_off(const mst_point_decoder *d, size_t k, const char *what,
                                      bool advice);

/* Points x (n, D), near the manifold or to be projected. `onto` is workspace (n, D). */
MST_MUST_USE mst_status mst_settle_points(const mst_point_decoder *d, size_t n, double *x,
                                          double *onto);
/* Finds how far apart neighbouring landmarks of points x (n, D) are, for the report and `check_kernel`. */
MST_MUST_USE mst_status mst_check_kernel(const mst_point_decoder *d, size_t n, const double *x);
/* Vectors w (n, D) at the points x, or at no known points if x is null. `onto` is workspace (n, D). */
MST_MUST_USE mst_status mst_settle_vectors(const mst_point_decoder *d, size_t n, const double *x,
                                           double *w, double *onto);

#endif
