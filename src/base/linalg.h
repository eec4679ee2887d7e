/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Dense linear algebra on batches of small square matrices, row-major (count, n, n). Orders up to
 * MST_SMALL_ORDER run in lanes (linalg_small.h), larger ones through LAPACK. Of symmetric matrices the lower
 * triangle is read. */
#ifndef MST_BASE_LINALG_H
#define MST_BASE_LINALG_H

#include "base/internal.h"

enum { MST_SMALL_ORDER = 4 };

/* ---- Batches. Entries must be finite, else MST_DOMAIN. On failure *bad (or null) is the index of the first
 * matrix that fails, and the outputs hold nothing of use. Other failures: MST_MEMORY, MST_BREAKDOWN if
 * LAPACK gives up. Outputs must not overlap inputs unless it is said. ---- */

/* Symmetric eigenproblem A = Vᵀ diag(λ) V: values (count, n) ascending, row i of vectors (count, n, n) the
 * eigenvector of value i. vectors may be a. */
MST_MUST_USE mst_status mst_eigen_symmetric(size_t count, size_t n, const double *a, double *values,
                                            double *vectors, size_t *bad);

/* A = L Lᵀ, L lower triangular with zeros above; MST_DOMAIN if A is not positive definite. l may be a. */
MST_MUST_USE mst_status mst_cholesky(size_t count, size_t n, const double *a, double *l,
                                     size_t *bad);

/* A = U diag(σ) Vt: sigma (count, n) descending, u and vt (count, n, n) orthogonal. u or vt may be a. The
 * lanes keep the relative accuracy of small singular values of B·D, B well conditioned and D diagonal, down
 * to 1e-67 of the largest; what is smaller is 0. */
MST_MUST_USE mst_status mst_svd(size_t count, size_t n, const double *a, double *u, double *sigma,
                                double *vt, size_t *bad);

/* A x = b for `sides` right-hand sides per matrix, each one row: b and x (count, sides, n). x may be b.
 * MST_DOMAIN if A is singular. */
MST_MUST_USE mst_status mst_solve(size_t count, size_t n, size_t sides, const double *a,
                                  const double *b, double *x, size_t *bad);

/* ---- One matrix of any order through LAPACK, without checks: what the batches use beyond
 * MST_SMALL_ORDER, and the reference for the lanes below it. ---- */
typedef struct mst_dense {
    size_t n;
    int work_size, iwork_size;
    double *work;
    int *iwork;   /* also holds pivots */
    double *copy; /* (n, n) */
} mst_dense;

/* The workspace; release it also after a failure. */
MST_MUST_USE mst_status mst_dense_new(mst_dense *d, size_t n);
void mst_dense_release(mst_dense *d);

MST_MUST_USE mst_status mst_dense_eigen(mst_dense *d, const double *a, double *values,
                                        double *vectors);
MST_MUST_USE mst_status mst_dense_svd(mst_dense *d, const double *a, double *u, double *sigma,
                                      double *vt);
/* False if A is not positive definite. */
MST_MUST_USE bool mst_dense_cholesky(size_t n, const double *a, double *l);
/* With its factor: x = A⁻¹ b for `sides` right-hand sides of n numbers each, in place; and A⁻¹, both
 * triangles, in the place of the factor. */
void mst_dense_cholesky_solve(size_t n, const double *l, size_t sides, double *b);
void mst_dense_cholesky_invert(size_t n, double *l);
/* False if A is singular. */
MST_MUST_USE bool mst_dense_solve(mst_dense *d, size_t sides, const double *a, const double *b,
                                  double *x);

/* ---- Products and triangular solves, plain loops; out overlaps nothing. ---- */
void mst_multiply(size_t n, const double *a, const double *b, double *out);    /* A B */
void mst_multiply_nt(size_t n, const double *a, const double *b, double *out); /* A Bᵀ */
void mst_multiply_tn(size_t n, const double *a, const double *b, double *out); /* Aᵀ B */
void mst_transpose(size_t n, double *a);
/* B ← L⁻¹ B */
void mst_lower_solve(size_t n, const double *l, double *b);
bool mst_all_finite(size_t n, const double *a);

#endif
