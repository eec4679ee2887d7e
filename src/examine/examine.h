/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* What the tests of a manifold share: the points, where it may be, and the list of findings. */
#ifndef MST_EXAMINE_EXAMINE_H
#define MST_EXAMINE_EXAMINE_H

#include "manifold/constraint.h"
#include "manifold/metric.h"

#include <manistat/examine.h>

/* How far a coordinate may go from the start. */
typedef struct extent {
    double low, high; /* infinite: no end was found */
    double period;    /* 0: none */
    double scale;     /* what counts as far */
} extent;

typedef struct examiner {
    const mst_manifold *m;
    mst_examine_options o;
    mst_examination *out;
    size_t capacity; /* of the findings */
    size_t d, D;
    mst_random random;
    uint64_t drawn;
    extent *extents; /* (d) of a metric in one chart, else null */
    size_t n;        /* usable points */
    double *x;       /* (n, D), the first is the start */
    double size;     /* of equations: how far apart points are */
    /* What was found, for tests that come later */
    size_t tried, undefined, indefinite;
    double *bad; /* (D) one of those */
    bool rough;  /* the metric is none, degenerates or is not smooth somewhere */
    bool incomplete, disconnected;
    double positive_curvature;
    double *positive_at; /* (D) */
} examiner;

/* ---- Findings (examine.c) ---- */
MST_MUST_USE mst_status finding_add(examiner *e, mst_finding_level level, const char *topic,
                                    const double *point, const char *format, ...)
    __attribute__((format(printf, 5, 6)));
/* "(0.5, -1.25)", for one message. */
enum { POINT_TEXT = 160 };
const char *finding_point(const examiner *e, const double *x, char text[POINT_TEXT]);

/* ---- Random numbers, one after the other ---- */
double examine_normal(examiner *e);
double examine_uniform(examiner *e);
size_t examine_index(examiner *e, size_t n);
/* A tangent vector at x in a random direction; false where there is none. */
bool examine_tangent(examiner *e, const double *x, double length, double *v);

/* ---- Points (points.c) ---- */
MST_MUST_USE mst_status examine_points(examiner *e);
/* Is the row finite and in the domain? */
bool examine_inside(const examiner *e, const double *x);
/* The nearest solution of the equations; x and y may be the same. */
bool examine_home(const examiner *e, const double *x, double *y);
/* The way from x to y in coordinates, periods taken off. */
void examine_way(const examiner *e, const double *x, const double *y, double *way);
/* The point at s from x to y: of a chart on the straight line `way`, else on the chord and brought home. */
bool examine_between(const examiner *e, const double *x, const double *way, double s, double *out);

/* ---- Eigenvalues (rank.c) ---- */
/* Ascending eigenvalues (k) of the metric, or of G Gᵀ of equations, k = d or c. False: not finite. */
bool examine_eigenvalues(const examiner *e, const double *x, double *values);

/* ---- The tests, each with at least one finding ---- */
MST_MUST_USE mst_status examine_metric(examiner *e);
MST_MUST_USE mst_status examine_rank(examiner *e);
MST_MUST_USE mst_status examine_derivatives(examiner *e);
MST_MUST_USE mst_status examine_kinks(examiner *e);
MST_MUST_USE mst_status examine_periods(examiner *e);
MST_MUST_USE mst_status examine_curvature(examiner *e);
MST_MUST_USE mst_status examine_connectedness(examiner *e);
MST_MUST_USE mst_status examine_completeness(examiner *e);
MST_MUST_USE mst_status examine_compactness(examiner *e);
MST_MUST_USE mst_status examine_claims(examiner *e);

#endif
