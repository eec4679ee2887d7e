/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Symmetric positive definite matrices with the metric of Bures and Wasserstein (Bhatia, Jain and Lim, 2019;
 * Malagò, Montrucchio and Pistone, 2018). They are the quotient of the invertible matrices Z, with the flat
 * metric tr(AᵀB), by rotations from the right: P = Z Zᵀ. A tangent vector v at P is L P + P L with one
 * symmetric L = L_P[v], its lift to Z is L Z, and ⟨u, v⟩ = ½ tr(L_P[u] v). A geodesic is the straight line
 * (I + tL) Z as long as I + tL is positive definite.
 *
 * Everything is computed in the eigenbasis W of P, where P = diag(p), Z = diag(√p) and L_ij = v_ij/(p_i +
 * p_j). Matrices in it are called turned: W v Wᵀ. */
#ifndef MST_MANIFOLD_BURES_H
#define MST_MANIFOLD_BURES_H

#include "manifold/spd_spectra.h"

enum { BURES_SINGLES = 8 };

typedef struct bures {
    size_t n, D, most;
    spd_spectra base;
    double *a, *b, *c;             /* (most, n, n) */
    double *values;                /* (most, n) */
    double *single[BURES_SINGLES]; /* (n, n) */
    double *product;               /* (n, n), of bures_turn and bures_turn_back alone */
    double *memory;
} bures;

MST_MUST_USE mst_status bures_open(bures *w, const mst_manifold *m);
mst_status bures_close(bures *w, mst_status status);

/* out = W v Wᵀ and back, Wᵀ s W, of row k; the result is symmetric to the last bit. out may be the input. */
void bures_turn(bures *w, size_t k, const double *v, double *out);
void bures_turn_back(bures *w, size_t k, const double *s, double *out);
/* The turned L_P[v] of a turned v, in place; and its inverse L ↦ L P + P L. */
void bures_divide(const bures *w, size_t k, double *v);
void bures_multiply(const bures *w, size_t k, double *l);
/* out = A diag(p) B + (A diag(p) B)ᵀ, all turned. out overlaps nothing. */
void bures_sandwich(bures *w, size_t k, const double *a, const double *b, double *out);

/* Begins a loop over chunks of the n rows: row numbers i … i+count−1, whose spectra are w.base. */
#define BURES_CHUNKS(w, n, status)                                                           \
    for (size_t i = 0, count;                                                                \
         i < (n) && (status) == MST_OK && (count = (n)-i < (w).most ? (n)-i : (w).most) > 0; \
         i += count)

/* bures_log.c */
mst_status mst_bures_log(const mst_manifold *m, size_t n, const double *x, const double *y,
                         double *v, unsigned char *flag);
mst_status mst_bures_dist(const mst_manifold *m, size_t n, const double *x, const double *y,
                          double *r);
/* bures_flow.c */
mst_status mst_bures_transport(const mst_manifold *m, size_t n, const double *x, const double *v,
                               const double *u, double *out);
/* bures_derivative.c */
mst_status mst_bures_exp_derivative(const mst_manifold *m, size_t n, const double *x,
                                    const double *v, const double *dx, const double *dv,
                                    double *dy);
mst_status mst_bures_exp_adjoint(const mst_manifold *m, size_t n, const double *x, const double *v,
                                 const double *u, double *dx, double *dv);

#endif
