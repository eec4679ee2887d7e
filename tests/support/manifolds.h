/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* The manifolds that the conformance suite runs through, and what its identities share: points and vectors
 * that lean toward corners, distances between nearly equal results, and how much rounding is to be expected.
 *
 * Error argument. Rounding moves a point by about DBL_EPSILON times its coordinates. A point's *condition* is
 * the Riemannian length of such a move divided by DBL_EPSILON: 1 on spheres, the condition number on spd,
 * x₀² on the hyperboloid (a relative error of x₀ leaves the sheet by x₀²). A result that is backward stable
 * is then off by c·DBL_EPSILON·condition, where c covers the D-fold sums inside it. */
#ifndef TEST_MANIFOLDS_H
#define TEST_MANIFOLDS_H

#include "support/support.h"

#include <manistat/manifold.h>

typedef struct manifold_case {
    const char *spec;                       /* as mst_manifold_parse reads it, or a label */
    mst_status (*make)(mst_manifold **out); /* null: parse the spec */
    /* What the fall-backs of a table with gaps reach; zero for closed forms, which reach rounding. */
    double reach;          /* shooting is tested up to this distance */
    double longest;        /* geodesics are followed so far, step by step; 0: however far */
    double log_error;      /* shooting */
    double carry_error;    /* transport by differences of exp */
    double chart_error[3]; /* differences of exp: metric, Christoffel symbols, Ricci */
    /* coordinates grow exponentially along geodesics, which the family does not tell */
    bool
        spreads; /* coordinates grow exponentially along geodesics, which the family does not tell */
    double
        bends; /* rows and curvatures bend so many times as much as on the unit sphere; 0: no more */
    bool rolls;      /* walks roll a frame along, by steps that are not geodesics */
    bool slow_chart; /* a chart is a search for each point, too slow for a thousand paths */
} manifold_case;

extern const manifold_case manifold_cases[];
extern const size_t manifold_case_count;

/* A sphere of radius 2 in R³ with the required slots only, and any manifold scaled by a factor (lengths times
 * `factor`), with every slot filled. */
mst_status bare_sphere_new(mst_manifold **out);
/* The inner product of R^D, for tables of embedded surfaces. */
mst_status ambient_inner(const mst_manifold *m, size_t n, const double *x, const double *u,
                         const double *v, double *out);
mst_status scaled_new(mst_manifold **out, const char *spec, double factor);
/* Given by their metrics, see support/metric_manifolds.h. */
mst_status half_plane_new(mst_manifold **out);
mst_status chart_sphere_new(mst_manifold **out);
/* Of formulas, one of each kind, see support/formula_manifolds.c. */
mst_status formula_torus_new(mst_manifold **out);
mst_status formula_half_plane_new(mst_manifold **out);
mst_status formula_cometric_new(mst_manifold **out);
mst_status formula_ellipsoid_new(mst_manifold **out);
mst_status formula_clifford_new(mst_manifold **out);

/* The manifold under test with its dimensions. */
typedef struct subject {
    mst_manifold *m;
    const manifold_case *entry;
    size_t d, D;
    double injectivity; /* infinite if unlimited; `reach` where the table does not say */
    double bends;       /* at least 1 */
    double c;           /* rounding constant: sums of D terms */
    struct scratch_block *blocks;
    bool spreads; /* coordinates of a factor grow exponentially along geodesics */
} subject;
subject subject_open(size_t index);
subject subject_of(const manifold_case *entry);
void subject_close(subject *s);
/* n doubles that live until the subject is closed. */
double *scratch(subject *s, size_t n);

/* Corner-biased input. Points: the start, random points, points very near the start, along one vector of the
 * frame (repeated eigenvalues), far away (condition number 1e8 on spd), many times around compact spaces. */
void corner_point(const subject *s, dice *d, size_t kind, double *x);
enum { POINT_KINDS = 7 };
/* A tangent vector at x of this length, in a random direction or along one vector of the frame. */
void tangent_of_length(const subject *s, dice *d, const double *x, double length, double *v);

double condition(const subject *s, const double *x);
/* c·DBL_EPSILON·condition for exp, log and transport along a geodesic of length r from x to y; on spreading
 * spaces the far end magnifies by e^(√2 r), the largest ratio of eigenvalues that r can make on spd. */
double rounding(const subject *s, const double *x, const double *y, double r);

/* b − a, angles modulo 2π. */
void ambient_difference(const mst_manifold *m, const double *a, const double *b, double *out);
/* The ambient bilinear form of which `tangent` is the orthogonal projection: Minkowski's for hyperbolic. */
double ambient_form(const mst_manifold *m, const double *a, const double *b);
/* Riemannian length at x of the tangent part of y − x, and of v − w. */
double point_gap(const subject *s, const double *x, const double *y);
double vector_gap(const subject *s, const double *x, const double *v, const double *w);
double vector_norm(const subject *s, const double *x, const double *v);
double vector_inner(const subject *s, const double *x, const double *u, const double *v);
/* How far a row is from its projection, relative to its size. */
double off_manifold(const subject *s, const double *x);
/* The point exactly at the cut locus of x (the antipode of each factor that has one); false if none has. */
bool exact_cut_point(const mst_manifold *m, const double *x, double *y);

/* Derivatives in a chart by central differences of order eight with the step CHART_STEP: out (d, width) for a
 * field (n, d) → (n, width). Truncation is below 1e-12 for functions that vary on the scale one. */
typedef mst_status chart_field(const mst_manifold *m, size_t n, const double *c, const double *u,
                               double *out);
#define CHART_STEP 0.01
void chart_derivative(const subject *s, chart_field *field, size_t width, const double *c,
                      const double *u, double *out);
/* First or second derivative at 0 of rows given at s = −4h … 4h, f (9, width). */
void curve_derivative(int order, double h, size_t width, const double *f, double *out);

/* g⁻¹ (d, d), symmetric positive definite. */
void invert_metric(size_t d, const double *g, double *inverse);

#endif
