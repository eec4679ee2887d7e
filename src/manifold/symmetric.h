/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Symmetric n×n matrices and their d = n(n+1)/2 orthonormal coordinates for the Frobenius inner product: the
 * upper triangle row by row, diagonal entries as they are, the others times √2. */
#ifndef MST_MANIFOLD_SYMMETRIC_H
#define MST_MANIFOLD_SYMMETRIC_H

#include "base/lanes.h"

#include <manistat/manifold.h>
#include <math.h>

#define SYMMETRIC_SQRT_HALF 0.70710678118654752440

static inline size_t symmetric_dim(size_t n)
{
    return n * (n + 1) / 2;
}

/* Positive definite matrices P with the metric tr(P⁻¹A P⁻¹B)? The frame coordinates of V at P = L Lᵀ are then
 * those of L⁻¹V L⁻ᵀ. */
bool mst_is_affine_invariant(const mst_manifold *m);

/* The n of a manifold whose rows are n×n matrices. */
static inline size_t symmetric_order(size_t ambient)
{
    return (size_t)lround(sqrt((double)ambient));
}

/* How many rows to work on together: whole blocks of lanes, a batch of wide_matrices.h, or one large matrix,
 * so that workspaces stay small. */
static inline size_t symmetric_chunk(size_t ambient)
{
    return ambient <= 16 ? 4 * MST_LANES : ambient <= 128 * 128 ? 8 : 1;
}

/* The number of the coordinate that entries (i, j) and (j, i) share. */
static inline size_t symmetric_index(size_t n, size_t i, size_t j)
{
    size_t row = i < j ? i : j, column = i < j ? j : i;
    return row * (2 * n - row - 1) / 2 + column;
}

/* Coordinates c (d) to the full matrix s and back. */
static inline void symmetric_unpack(size_t n, const double *c, double *s)
{
    for (size_t i = 0; i < n; i++)
        for (size_t j = i; j < n; j++, c++)
            s[i * n + j] = s[j * n + i] = i == j ? *c : *c * SYMMETRIC_SQRT_HALF;
}

static inline void symmetric_pack(size_t n, const double *s, double *c)
{
    for (size_t i = 0; i < n; i++)
        for (size_t j = i; j < n; j++, c++)
            *c = i == j ? s[i * n + j] : (s[i * n + j] + s[j * n + i]) * SYMMETRIC_SQRT_HALF;
}

/* (A + Aᵀ)/2, without overflow; a and s may be the same. */
static inline void symmetric_part(size_t n, const double *a, double *s)
{
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j <= i; j++)
            s[i * n + j] = s[j * n + i] = 0.5 * a[i * n + j] + 0.5 * a[j * n + i];
}

/* Slots that the manifolds of symmetric matrices share: finite, and symmetric up to MST_SYMMETRY_TOLERANCE of
 * the largest entry; symmetric parts. */
mst_status mst_symmetric_validate(const mst_manifold *m, size_t n, const double *x, size_t *row);
mst_status mst_symmetric_tangent(const mst_manifold *m, size_t n, const double *x, const double *w,
                                 double *v);
/* Of the Frobenius metric: the same frame everywhere, and its coordinates about a centre. */
mst_status mst_symmetric_from_frame(const mst_manifold *m, size_t n, const double *x,
                                    const double *c, double *v);
mst_status mst_symmetric_to_frame(const mst_manifold *m, size_t n, const double *x, const double *v,
                                  double *c);
mst_status mst_symmetric_chart_coords(const mst_manifold *m, size_t n, const double *c,
                                      const double *x, double *u);

#endif
