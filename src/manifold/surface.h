/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Geodesics and Gauss's curvature K of a surface from formulas, whatever they are of: an embedding, a metric,
 * a cometric or equations. The geodesic equation x'' = a(x, v) is quadratic in v = x', and with
 * S f = ∂_x f·v + ∂_v f·a the derivatives of K along the geodesic that leaves x with velocity v are S K, S S
 * K, S S S K: covariant derivatives without Christoffel symbols. */
#ifndef MST_MANIFOLD_SURFACE_H
#define MST_MANIFOLD_SURFACE_H

#include "formula/program.h"

#include <manistat/manifold.h>

/* What `jet` gives, for unit vectors ν and T: derivatives of K by them. */
typedef enum surface_jet {
    JET_K,
    JET_N,
    JET_NN,
    JET_NNN,
    JET_T,
    JET_NT,
    JET_COUNT,
} surface_jet;

/* What `diagonal` gives, derivatives in the same directions: what makes the next term where x = y. */
typedef enum surface_diagonal {
    DIAGONAL_LAPLACIAN, /* ΔK */
    DIAGONAL_N,         /* of ΔK, but for products of lower derivatives */
    DIAGONAL_T,
    DIAGONAL_COUNT,
} surface_diagonal;

typedef struct surface {
    size_t D;
    formula_program spray;    /* x, v, u (D each) to a(x, v) and u' of u that is parallel along v */
    formula_program jet;      /* x, ν, T (D each) to JET_COUNT numbers */
    formula_program diagonal; /* the same to DIAGONAL_COUNT numbers */
} surface;

/* Is it one? */
bool surface_fits(const mst_manifold *m);
/* Release it also after a failure. */
MST_MUST_USE mst_status surface_new(surface *s, const mst_manifold *m);
void surface_release(surface *s);

#endif
