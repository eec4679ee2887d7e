/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* What the files that make a manifold of equations share. At a point, with G the gradients (c, D) of the
 * constraints, M = G Gᵀ and A_k the Hessians: the normal part of w is Gᵀ M⁻¹ G w, and the second fundamental
 * form is II(a, b) = −Gᵀ M⁻¹ (aᵀ A_k b)_k. Everything intrinsic follows from it by Gauss's equation, so no
 * third derivatives appear. */
#ifndef MST_MANIFOLD_CONSTRAINT_H
#define MST_MANIFOLD_CONSTRAINT_H

#include "manifold/internal.h"

#include <manistat/constraint.h>

struct mst_constraint {
    mst_constraint_ops ops;
    size_t count; /* c */
};

/* What is known at a few points. */
typedef struct constraint_room {
    size_t rows;
    double *h, *gradient; /* (rows, c), (rows, c, D) */
    double *normal;       /* (rows, c, D): M⁻¹ G, whose rows are dual to G's */
    double *hessian;      /* (c, rows, D, D) */
    double *lambda;       /* (rows, c) */
    double *work;         /* c (c + 2) + 3 D */
    double *block;
} constraint_room;
MST_MUST_USE mst_status constraint_room_new(constraint_room *r, const mst_manifold *m, size_t rows);
void constraint_room_free(constraint_room *r);

/* h, G and M⁻¹G at n ≤ rows points; rows where the gradients depend on each other become NAN. */
MST_MUST_USE mst_status constraint_gradients(const mst_manifold *m, size_t n, const double *x,
                                             constraint_room *r);
/* And the Hessians. */
MST_MUST_USE mst_status constraint_hessians(const mst_manifold *m, size_t n, const double *x,
                                            constraint_room *r);
/* w ← w less its normal part, at point i of the room. */
void constraint_make_tangent(const mst_manifold *m, const constraint_room *r, size_t i, double *w);
/* out = II(a, b) at point i. */
void constraint_bend(const mst_manifold *m, const constraint_room *r, size_t i, const double *a,
                     const double *b, double *out);
/* out = R(j, v)v at point i, for tangent vectors. */
void constraint_curvature(const mst_manifold *m, const constraint_room *r, size_t i,
                          const double *j, const double *v, double *out);
/* The nearest point of the manifold, along the gradients, by Newton's method; x and y may be the same.
 * MST_DOMAIN if that does not converge; *row is which one. */
MST_MUST_USE mst_status constraint_project(const mst_manifold *m, size_t n, const double *x,
                                           double *y, size_t *row);

/* ---- Slots (constraint_flow.c) ---- */
mst_status constraint_exp(const mst_manifold *m, size_t n, const double *x, const double *v,
                          double *y);
mst_status constraint_transport(const mst_manifold *m, size_t n, const double *x, const double *v,
                                const double *u, double *out);
mst_status constraint_exp_derivative(const mst_manifold *m, size_t n, const double *x,
                                     const double *v, const double *dx, const double *dv,
                                     double *dy);

#endif
