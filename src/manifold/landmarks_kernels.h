/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Hot loops of landmark manifolds. Points, momenta and their slopes go by columns: coordinate c of landmark a
 * at c·wide + a, `wide` being the number of landmarks rounded up to eight; what is beyond the last landmark
 * is zero. Matrices of pairs are (count, wide). */
#ifndef MST_MANIFOLD_LANDMARKS_KERNELS_H
#define MST_MANIFOLD_LANDMARKS_KERNELS_H

#include "base/isa.h"

#include <stdbool.h>
#include <stddef.h>

typedef enum landmark_kind {
    LANDMARK_GAUSS,
    LANDMARK_MATERN32,
    LANDMARK_MATERN52,
    LANDMARK_LAPLACE,
} landmark_kind;

enum { LANDMARK_SPACE = 3, LANDMARK_ORDERS = 4 };

/* A kernel k of u = r², and its shape. */
typedef struct landmark_shape {
    landmark_kind kind;
    double sigma, alpha, nugget;
    size_t count, wide, space; /* landmarks, the same rounded up, 2 or 3 */
} landmark_shape;

struct landmark_kernels {
    /* k, 2k', 4k'' and 8k''' of all pairs, up to the given order; the last three are zero on the diagonal,
     * where k has the nugget in it. */
    void (*pairs)(const landmark_shape *s, const double *q, int order,
                  double *const k[LANDMARK_ORDERS]);
    /* Hamilton's equations: dq, dp at (q, p). room (4, wide). */
    void (*slopes)(const landmark_shape *s, const double *q, const double *p, double *dq,
                   double *dp, double *room);
    /* A of the linearised equations M' = A M at (q, p), by rows of `lead`, for M with the variations of q
     * above those of p in the order of rows; and the pairs up to order 2. */
    void (*linearise)(const landmark_shape *s, const double *q, const double *p,
                      double *const k[LANDMARK_ORDERS], size_t lead, double *slope);
    /* out = from + h Σ weights·stages, which are `apart`; sizes are multiples of sixteen. */
    void (*blend)(size_t size, size_t stages, double h, const double *weights, size_t apart,
                  const double *from, const double *stage, double *out);
    /* C = A B, or C += A B: A (rows, inner) by `la` numbers a row, B and C of `width` columns, a multiple of
     * eight. */
    void (*multiply)(size_t rows, size_t inner, size_t width, const double *a, size_t la,
                     const double *b, size_t lb, double *c, size_t lc, bool add);
    /* Cholesky's factor in place, A = UᵀU, U by rows of `lead`, a multiple of eight; false: not positive
     * definite. */
    bool (*cholesky)(size_t n, size_t lead, double *a);
    /* B ← U⁻ᵀ B and B ← U⁻¹ B, B (n, width) by rows of `lead_b`. */
    void (*solve_lower)(size_t n, size_t lead, const double *u, size_t width, size_t lead_b,
                        double *b);
    void (*solve_upper)(size_t n, size_t lead, const double *u, size_t width, size_t lead_b,
                        double *b);
    /* LU in place with the rows exchanged as `pivot` says; false: singular. *log_det = log|det|, *sign. */
    bool (*factor)(size_t n, size_t lead, double *a, size_t *pivot, double *log_det, double *sign);
    /* B ← A⁻¹ B. */
    void (*solve)(size_t n, size_t lead, const double *lu, const size_t *pivot, size_t width,
                  size_t lead_b, double *b);
};
MST_DECLARE_HOT(struct landmark_kernels, landmark_kernels);

#endif
