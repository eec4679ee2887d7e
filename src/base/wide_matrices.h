/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Square matrices of one order n side by side, one per lane, for orders beyond those of linalg_small.h. A
 * batch has `lanes` of them, and entry (i, j) of all is an array of so many doubles, number i·n + j; arrays
 * are aligned to 64 bytes. Of symmetric and triangular matrices the lower triangle, j ≤ i, is read and
 * written unless it is said. Matrices that all lanes share are plain (n, n). What happens to a matrix does
 * not depend on the others of its batch. */
#ifndef MST_BASE_WIDE_MATRICES_H
#define MST_BASE_WIDE_MATRICES_H

#include "base/internal.h"
#include "base/isa.h"

#include <stdbool.h>
#include <stddef.h>

/* Beyond this order a batch does not fit the caches, and blocks of one matrix win. */
enum { WIDE_ORDER = 128, WIDE_MOST = 8 }; /* lanes of any instruction set */

struct wide_eigen_kernels {
    size_t lanes;
    /* A = Z diag(values) Zᵀ, values not sorted, eigenvectors the columns of z (all of it); null: none. a is
     * overwritten; room for 6n numbers of each. Returns a bit for every lane that has not converged. */
    unsigned (*eigen)(size_t n, double *a, double *values, double *z, double *room);
};
MST_DECLARE_HOT(struct wide_eigen_kernels, wide_eigen_kernels);

/* Lower triangular matrices have zeros above. */
struct wide_kernels {
    /* A = L Lᵀ, in place; a bit for every lane that is not positive definite. */
    unsigned (*cholesky)(size_t n, double *a);
    /* out += Σ w A⁻¹ from the factor L of A, w (lanes); the lower triangle. room for n². */
    void (*add_inverse)(size_t n, const double *l, const double *w, double *out, double *room);
    /* B ← L⁻¹ B; `triangular`: B, too, is lower triangular. */
    void (*lower_solve)(size_t n, const double *l, bool triangular, double *b);
    /* W A Wᵀ: W lower triangular and shared; all of A is read. room for n². */
    void (*shared_congruence)(size_t n, const double *w, const double *a, double *out,
                              double *room);
    void (*shared_times_lower)(size_t n, const double *w, const double *b, double *out); /* W B */
    void (*lower_gram)(size_t n, const double *b, double *out);                   /* B Bᵀ */
    void (*times_lower)(size_t n, const double *z, const double *b, double *out); /* Zᵀ B */
    void (*lower_times)(size_t n, const double *l, const double *z, double *out); /* L Z */
    void (*gram)(size_t n, const double *c, double *out);                         /* C Cᵀ */
    /* Z diag(f) Zᵀ; added to out if `add`. room for n². */
    void (*spectral)(size_t n, const double *z, const double *f, bool add, double *out,
                     double *room);
    /* Z S Zᵀ, S symmetric; its upper triangle is written. room for n². */
    void (*turned)(size_t n, const double *z, double *s, bool add, double *out, double *room);
    /* out += Z (Φ ∘ (Zᵀ D Z)) Zᵀ, D symmetric, all of it, and shared; Φ symmetric. room for 2n². */
    void (*between)(size_t n, const double *z, const double *phi, const double *d, double *out,
                    double *room);
};
MST_DECLARE_HOT(struct wide_kernels, wide_kernels);

/* `count` ≤ side matrices (count, n, n), all of them, to a batch and the identity to the lanes beyond; and
 * lane k to a matrix, both triangles from the lower one. */
void wide_load(size_t n, size_t side, size_t count, const double *rows, double *a);
void wide_store_symmetric(size_t n, size_t side, size_t k, const double *a, double *row);

/* As mst_eigen_symmetric and mst_cholesky, for 2 ≤ n ≤ WIDE_ORDER. failed (count): has not converged; *bad:
 * the first that is not positive definite, or count. */
MST_MUST_USE mst_status wide_eigen(size_t count, size_t n, const double *a, double *values,
                                   double *vectors, unsigned char *failed);
MST_MUST_USE mst_status wide_cholesky(size_t count, size_t n, const double *a, double *l,
                                      size_t *bad);

#endif
