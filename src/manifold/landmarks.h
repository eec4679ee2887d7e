/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Landmark manifolds of large deformations: N points of R², or R³, with the cometric K ⊗ I,
 * K_ab = k(|q_a − q_b|²) + nugget δ_ab, so that H(q, p) = ½ Σ K_ab p_a·p_b is the Hamiltonian of geodesics. A
 * row has the coordinates of one landmark after the other; inside, rows go by columns
 * (landmarks_kernels.h). */
#ifndef MST_MANIFOLD_LANDMARKS_H
#define MST_MANIFOLD_LANDMARKS_H

#include "manifold/internal.h"
#include "manifold/landmarks_kernels.h"

#include <manistat/geodesic.h>

typedef struct landmarks {
    landmark_shape shape;
    size_t d; /* count·space */
} landmarks;

/* Rows to columns and back. */
void landmark_columns(const landmark_shape *s, const double *row, double *columns);
void landmark_row(const landmark_shape *s, const double *columns, double *row);

/* One point: its pairs, and Cholesky's factor of K. */
typedef struct landmark_place {
    const landmark_shape *shape;
    const struct landmark_kernels *kernels;
    size_t half;                     /* numbers of a point by columns */
    double *q;                       /* (half) */
    double *pair[LANDMARK_ORDERS];   /* (count, wide) */
    double *root;                    /* U of K = UᵀU, (count, wide) */
    double *room, *by_rows, *memory; /* (4, half), (count, 8) */
} landmark_place;
MST_MUST_USE mst_status landmark_place_new(landmark_place *p, const landmark_shape *s);
void landmark_place_free(landmark_place *p);
/* Moves to a row, with derivatives of the kernel up to an order; false: K is not positive definite. */
bool landmark_place_at(landmark_place *p, const double *row, int order);
/* The same for a point by columns. */
bool landmark_place_columns(landmark_place *p, const double *q, int order);
/* By columns, in place: K⁻¹v; L⁻¹v and L ξ with K = L Lᵀ; and L⁻ᵀ ξ. */
void landmark_lower(const landmark_place *p, double *v);
void landmark_whiten(const landmark_place *p, double *v);
void landmark_colour(const landmark_place *p, double *xi);
void landmark_momentum(const landmark_place *p, double *xi);
void landmark_inverse(const landmark_place *p, double *inverse); /* K⁻¹ (count, wide) */
double landmark_log_det(const landmark_place *p);                /* of K */
/* By columns, with derivatives up to the second: w −= (∂_dx K) p; and how −∂H/∂x changes along (dx, dp). */
void landmark_turn(const landmark_place *at, const double *p, const double *dx, double *w);
void landmark_bend(const landmark_place *at, const double *p, const double *dx, const double *dp,
                   double *out);
/* The drift of Brownian motion, ½ Δ of the coordinates; with derivatives up to the first. */
void landmark_drift_at(landmark_place *at, double *b);

/* ---- Flow (landmarks_flow.c) ---- */

/* Room to follow one geodesic by steps of order eight, alone or with the matrix M (2d, width) of solutions of
 * its linearised equations: rows 0 … d − 1 are variations of q, the others of p, in the order of rows. */
typedef struct landmark_flow {
    const landmark_shape *shape;
    const struct landmark_kernels *kernels;
    size_t half, d, lead, width;           /* lead: d rounded up; width: 0, lead or 2·lead */
    double *base;                          /* (half): the start, from where the state counts */
    double *state, *trial, *stage;         /* (way, p) (2·half) each, and (stages, 2·half) */
    double *point;                         /* (half) */
    double *pair[LANDMARK_ORDERS], *room;  /* (count, wide), (4, wide) */
    double *matrix, *moved, *matrix_stage; /* (2d, width) twice and (stages, 2d, width) */
    double *slope;                         /* (2d, 2·lead): A of M' = A M */
    double error; /* of the last run: largest difference of the pair of methods in q */
    double *memory;
} landmark_flow;
/* width: the columns of M, 0 or `lead` or twice that. */
MST_MUST_USE mst_status landmark_flow_new(landmark_flow *f, const landmark_shape *s, size_t width);
void landmark_flow_free(landmark_flow *f);
/* From the point y with momentum p, by columns; p null: it is there. */
void landmark_flow_start(landmark_flow *f, const double *y, const double *p);
/* state and M over a time h. */
void landmark_advance(landmark_flow *f, double h, bool with_matrix);
/* The same by methods of order five and, for short steps, four, which give no error. */
void landmark_advance_roughly(landmark_flow *f, double h, bool with_matrix);
void landmark_advance_shortly(landmark_flow *f, double h, bool with_matrix);
/* M = (0, I), the derivative by p; or with 2·lead columns (0, I | I, 0). */
void landmark_flow_begin(landmark_flow *f);
/* A of M' = A M at (q, p), with kernel values in f->pair afterwards. */
void landmark_linearise(landmark_flow *f, const double *q, const double *p);
/* The point by columns where the state is, in f->point. */
double *landmark_flow_point(landmark_flow *f);
double landmark_energy(landmark_flow *f, const double *q, const double *p); /* 2H = |v|² */

/* ---- Relaxation of a path (landmarks_relax.c) ---- */

enum { LANDMARK_PIECES = 24 }; /* at most */
typedef struct landmark_path {
    double *corner;    /* (pieces + 1, half) */
    double *p, *force; /* (pieces, half) */
    double *k;         /* (pieces, count, wide) */
} landmark_path;
typedef struct landmark_relaxer {
    const landmark_shape *shape;
    size_t half, pieces;
    landmark_place at;
    landmark_path now, trial;
    double *sum; /* (count, wide) */
    double *work, *room, *memory;
} landmark_relaxer;
MST_MUST_USE mst_status landmark_relaxer_new(landmark_relaxer *r, const landmark_shape *s);
void landmark_relaxer_free(landmark_relaxer *r);
/* The momentum p at y of a path to x of little energy, all by columns, after at most so many rounds, or one
 * that gains less than a share `least` of the energy; false: the metric is singular on the way. r->sum: the
 * mean of K along it. */
bool landmark_relax(landmark_relaxer *r, const double *y, const double *x, size_t pieces,
                    int rounds, double least, double *p);

/* ---- Shooting (landmarks_shoot.c) ---- */

typedef struct landmark_shooter landmark_shooter;
MST_MUST_USE mst_status landmark_shooter_new(landmark_shooter **out, const mst_manifold *m);
void landmark_shooter_free(landmark_shooter *s);

typedef struct landmark_shot {
    bool found;
    double square;     /* r² */
    double error;      /* relative, of the length */
    size_t steps;      /* of order eight that this took */
    int shots, slopes; /* how many flows were followed, and with M */
} landmark_shot;
/* The momentum p at y (rows, d) of a geodesic to x, followed to `tolerance` of its length. It ends within a
 * share `within` of the length of x, which is made good in r² to the first order. `warm`: p is a guess. */
void landmark_shoot(landmark_shooter *s, const double *y, const double *x, double tolerance,
                    double within, bool warm, double *p, landmark_shot *shot);
/* log of the Jacobian of Exp_y at p in orthonormal frames; false beyond a conjugate point. */
bool landmark_distortion(landmark_shooter *s, const double *y, const double *p, size_t steps,
                         double *log_theta);

/* ---- Slots ---- */
extern const struct mst_own_geodesics landmark_geodesics;
mst_status landmark_exp(const mst_manifold *m, size_t n, const double *x, const double *v,
                        double *y);
mst_status landmark_exp_derivative(const mst_manifold *m, size_t n, const double *x,
                                   const double *v, const double *dx, const double *dv, double *dy);
mst_status landmark_toward(const mst_manifold *m, size_t n, const double *x, const double *y,
                           double *f, double *v, double *laplace);
mst_status landmark_walk(const mst_manifold *m, size_t n, double *x, double h, size_t steps,
                         mst_noise noise);
/* Of shapes that can roll (landmarks_roll.h). */
mst_status landmark_roll(const mst_manifold *m, const mst_rolling_paths *p);
mst_status landmark_near_log(const mst_manifold *m, size_t n, const double *x, const double *y,
                             double *v);
mst_status landmark_drift(const mst_manifold *m, size_t n, const double *x, double *b);
mst_status landmark_ricci(const mst_manifold *m, size_t n, const double *x, const double *v,
                          double *out);

#endif
