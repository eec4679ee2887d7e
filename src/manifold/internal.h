/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* The manifold object, and what the manifold files share. */
#ifndef MST_MANIFOLD_INTERNAL_H
#define MST_MANIFOLD_INTERNAL_H

#include "base/internal.h"

#include <manistat/manifold.h>

struct mst_manifold {
    mst_manifold_ops ops; /* slots that the table of an older program does not have are null */
    mst_manifold_traits traits; /* asked once */
    size_t dim;                 /* d */
    size_t ambient;             /* D */
    char *spec;
    void *data;
    const struct mst_product *product;   /* null: it is none */
    struct mst_metric *metric;           /* its root, see manistat/metric.h; null: `exp` is */
    const struct mst_own_geodesics *own; /* null: geodesics are found by the general solver */
    /* null: Fréchet means are searched for row by row */
    const struct mst_barycentre_ops *barycentre;
    struct mst_constraint *constraint;     /* or its root, see manistat/constraint.h */
    const struct formula_columns *columns; /* null: it is not made of formulas */
    struct mst_formula_content *formula;   /* the same */
    const struct learned *learned;         /* null: it is not learned from data */
};

/* One point (D) as n rows. */
void mst_repeat_point(size_t n, size_t D, const double *x, double *rows);
/* mst_manifold_to_frame of vectors v (n, D) at one point x, and the distances r (n) of
 * rows x (n, D) to one point y. */
MST_MUST_USE mst_status mst_to_frame_at(const mst_manifold *m, size_t n, const double *x,
                                        const double *v, double *c);
MST_MUST_USE mst_status mst_dist_to(const mst_manifold *m, size_t n, const double *x,
                                    const double *y, double *r);
/* The numbers of a prepared point; 0: there is nothing to prepare, and `dist` answers. */
size_t mst_prepared_size(const mst_manifold *m);
/* The constant curvature; of a closed curve that of the circle of its length; NAN: not
 * constant, or unknown. */
double mst_round_curvature(const mst_manifold *m);

/* v (n, D) ≈ Log_x(y), smooth and without a search: the slot `near_log`, or else what `toward` leads
 * along. */
MST_MUST_USE mst_status mst_near_log(const mst_manifold *m, size_t n, const double *x,
                                     const double *y, double *v);

/* Where landmarks may be moved together: moves those of x and of y (n, D) such that the
 * centre of x is at 0. */
void mst_move_together(const mst_manifold *m, size_t n, double *x, double *y);

/* Ric v and Ric Ric v, at the price of one where the tensor is found by differences. Neither may alias v. */
MST_MUST_USE mst_status mst_ricci_twice(const mst_manifold *m, size_t n, const double *x,
                                        const double *v, double *first, double *second);

/* Ric(e, e) of the vectors of the frames at x, out (n, d): their sum is the scalar curvature. */
MST_MUST_USE mst_status mst_ricci_diagonal(const mst_manifold *m, size_t n, const double *x,
                                           double *out);

/* The vectors of the frames at x, frame (n, d, D). */
MST_MUST_USE mst_status mst_frames(const mst_manifold *m, size_t n, const double *x, double *frame);

/* Tolerances of `validate`, as promised in the documentation of file formats. */
#define MST_POINT_TOLERANCE 1e-6
#define MST_SYMMETRY_TOLERANCE 1e-8

/* Below this distance to the cut locus, relative to the size of the space, half of the digits of a
 * direction are gone: flag it. */
#define MST_CUT_TOLERANCE 1e-8

/* Largest dimensions: a row of matrices of order 1024 has a million entries. */
#define MST_MAX_VECTOR 100000
#define MST_MAX_ORDER 1024

/* For constructors: sets *out to null, and MST_ARGUMENT unless 1 ≤ order ≤ largest. */
mst_status mst_check_order(mst_manifold **out, const char *family, size_t order, size_t largest);

/* Chart slots of the spaces of constant curvature κ, whose data point to κ (a double): the conformal chart
 * with metric λ² I, λ = 1/(1 + κ|u|²/4), stereographic projection for κ > 0 and the
 * Poincaré ball for κ < 0. */
mst_status mst_conformal_metric(const mst_manifold *m, size_t n, const double *c, const double *u,
                                double *g);
mst_status mst_conformal_christoffel(const mst_manifold *m, size_t n, const double *c,
                                     const double *u, double *gamma);
mst_status mst_conformal_diffusion(const mst_manifold *m, size_t n, const double *c,
                                   const double *u, double *b, double *sigma);

/* The slot weighted_walk of constant curvature κ. Its paths leave the last unit vector e of R^(d+1); `place`
 * takes the end z (d + 1) of one and the tangent vector w (d) at e by an isometry with e
 * ↦ y: x and target. */
typedef void mst_placement(size_t d, const double *y, const double *z, const double *w, double *x,
                           double *target);
mst_status mst_weighted_curved(const mst_manifold *m, double curvature, mst_placement *place,
                               const mst_weighted_paths *paths);

/* Unit quaternions w, x, y, z and rotation matrices; of ±q the one with w ≥ 0. */
void mst_so3_from_quaternion(const double *q, double *r);
void mst_so3_to_quaternion(const double *r, double *q);

#endif
