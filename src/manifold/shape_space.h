/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Configurations of k landmarks in R^dim, dim = 2 or 3, as k×dim matrices X by rows: what Kendall's shape
 * space and the size-and-shape space share. Both are quotients by rotations X ↦ X R of centred matrices, of
 * norm 1 or of any norm > 0, with the metric of R^(k·dim). Tangent vectors at a shape are those at its
 * representative X that are horizontal, orthogonal to all X A with A skew: XᵀV is symmetric. */
#ifndef MST_MANIFOLD_SHAPE_SPACE_H
#define MST_MANIFOLD_SHAPE_SPACE_H

#include "manifold/internal.h"

typedef struct shape_space {
    size_t k, dim, width; /* width = k·dim */
    bool unit;            /* sizes do not count: matrices of norm 1 */
    double *reference;    /* (width): representatives are turned to it as well as can be */
    double *start;        /* (width): the regular polygon in its place */
} shape_space;

/* Skew matrices as vectors: one number a for [0 −a; a 0], three for the cross product. */
typedef struct shape_turn {
    double a[3];
} shape_turn;

/* S = XᵀX prepared for solving S A + A S = B with skew A and B. */
typedef struct shape_spin {
    double factor[6]; /* tr S, or the Cholesky factor of (tr S) I − S */
} shape_spin;

double shape_dot(const shape_space *s, const double *x, const double *y);
double shape_norm(const shape_space *s, const double *x);
/* x less its centroid. */
void shape_centre(const shape_space *s, double *x);
/* y (width) turned: y r. out may be y. */
void shape_rotate(const shape_space *s, const double *y, const double *r, double *out);
/* The product xᵀy (dim, dim). */
void shape_product(const shape_space *s, const double *x, const double *y, double *g);

/* False where the rank is below dim − 1: a rotation leaves such a matrix where it is. */
bool shape_spin_open(const shape_space *s, const double *x, shape_spin *out);
/* B = XᵀW − WᵀX. */
shape_turn shape_torque(const shape_space *s, const double *x, const double *w);
shape_turn shape_solve(const shape_space *s, const shape_spin *spin, shape_turn b);
/* out += f · x A. */
void shape_add_turn(const shape_space *s, double f, const double *x, shape_turn t, double *out);
/* The horizontal part of w at x, in place. */
void shape_horizontal(const shape_space *s, const double *x, const shape_spin *spin, double *w);

/* Is the rank dim − 1 at least, with room for rounding? σ₂ > SHAPE_RANK·|X| in space. */
#define SHAPE_RANK 1e-6
MST_MUST_USE mst_status shape_has_rank(const shape_space *s, const double *x, bool *has);
/* The rotation that brings x to its place beside the reference. */
MST_MUST_USE mst_status shape_place(const shape_space *s, const double *x, double *r);
/* y R − x for the rotation R that makes it least, with the digits of a small difference. *gap: how well
 * R is determined, relative to |x| |y|; 0 is the cut locus. */
MST_MUST_USE mst_status shape_difference(const shape_space *s, const double *x, const double *y,
                                         double *out, double *gap);

/* The failure of row number `row`, from 0, where there is no tangent space. */
mst_status shape_lower_rank(size_t row);
/* The end of the horizontal geodesic, not yet turned to its place. */
MST_MUST_USE mst_status shape_arrive(const shape_space *s, size_t row, const double *x,
                                     const double *v, double *y);

/* shape_derivative.c: slots. */
mst_status shape_exp_derivative(const mst_manifold *m, size_t n, const double *x, const double *v,
                                const double *dx, const double *dv, double *dy);
mst_status shape_exp_adjoint(const mst_manifold *m, size_t n, const double *x, const double *v,
                             const double *w, double *dx, double *dv);

/* shape_frame.c: the number of reflections, the reflectors h (shape_normals(s), width), false where the rank
 * is too low, and vectors to and from the frame that they make; work (width). */
size_t shape_normals(const shape_space *s);
bool shape_reflectors(const shape_space *s, const double *x, double *h);
/* The c-th of the orthonormal vectors that are orthogonal to the frame. */
void shape_normal(const shape_space *s, const double *h, size_t c, double *out);
void shape_from_frame(const shape_space *s, const double *h, const double *c, double *v);
void shape_to_frame(const shape_space *s, const double *h, const double *v, double *work,
                    double *c);

/* shape_transport.c: parallel transport of u (width) along the horizontal geodesic from x with velocity v, to
 * its end, not yet turned to its place. In the plane a closed form. */
MST_MUST_USE mst_status shape_transport(const shape_space *s, const double *x, const double *v,
                                        double *u);

#endif
