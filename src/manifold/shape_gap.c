/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

#include "manifold/shape_gap.h"

#include "base/linalg.h"
#include "base/rotation.h"
#include "manifold/shape_space.h"

#include <math.h>

bool mst_is_shape_space(const mst_manifold *m, bool *unit)
{
    bool shapes = m->ops.exp_derivative == shape_exp_derivative;
    *unit = shapes && ((const shape_space *)m->data)->unit;
    return shapes;
}

/* Squares of the singular values, ascending. */
static mst_status squares_of(const shape_space *s, const double *x, double *squares)
{
    double g[9], vectors[9];
    shape_product(s, x, x, g);
    return mst_eigen_symmetric(1, s->dim, g, squares, vectors, NULL);
}

mst_status mst_shape_gaps(const mst_manifold *m, size_t n, const double *x, const double *y,
                          double *gap, double *rate, double *rank)
{
    const shape_space *s = m->data;
    size_t dim = s->dim;
    double squares[3], g[9], r[9];
    MST_TRY(squares_of(s, y, squares));
    *rank = sqrt(fmax(squares[0], 0) + fmax(squares[1], 0));
    for (size_t i = 0; i < n; i++) {
        MST_TRY(squares_of(s, x + i * m->ambient, squares));
        /* The gradient of the gap is x times a rotation and a projection to a plane. */
        rate[i] = sqrt(squares[dim - 1] + squares[dim - 2]);
        shape_product(s, x + i * m->ambient, y, g);
        MST_TRY(mst_fit_rotation(1, dim, g, false, r, NULL, &gap[i]));
    }
    return MST_OK;
}
