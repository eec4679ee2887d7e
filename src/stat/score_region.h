/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* The confidence region for μ that needs no estimate of it: the points y at which the mean of the rows'
 * scores is within its error of zero, as it is at the true μ for every t. */
#ifndef MST_STAT_SCORE_REGION_H
#define MST_STAT_SCORE_REGION_H

#include "stat/uniformity.h"
#include "stat/units.h"

#include <manistat/mean.h>

typedef struct score_region {
    const mst_score *source;
    const mst_manifold *m;
    const stat_pieces *pieces;
    size_t n, d, D;
    const double *x, *weights;
    bool counts; /* rows are as many as their weights say */
    double time; /* any */
    stat_units units;
    double independent; /* how many units there are, degrees of freedom + 1 */
    double factor;      /* that the spread of the sum is to be multiplied with */
    bool lengths;       /* they are too few for a covariance, but not for a length */
    double limit;       /* of the statistic */
    double confidence;
    bool has_mean; /* the uniform law is rejected */
    double
        *features; /* sums of the pieces' features over root of their spread, one after another */
    double *mean_log_p; /* (n) of the rows at the mean; null: not to be compared with */
    double unlikely;    /* by how many standard errors the likelihood may be less than there */
} score_region;

/* Weights as the fit takes them, with relative ones scaled; `mean` is the estimate. Release it also after a
 * failure. */
MST_MUST_USE mst_status score_region_open(score_region *g, const mst_score *source,
                                          const stat_pieces *pieces, size_t n, const double *x,
                                          const mst_mean_options *o, const double *mean,
                                          double time);
void score_region_close(score_region *g);
MST_MUST_USE mst_status score_region_holds(const score_region *g, const double *y, bool *holds);
/* √T² less the root of its limit: above 0 the point is not held, and INFINITY where it is opposite to the
 * mean. */
MST_MUST_USE mst_status score_region_excess(const score_region *g, const double *y, double *excess);
/* What one point costs: 1 is the score of one row. */
double score_region_price(const score_region *g);

/* Points of the region, (count, D), with room for ROOM_FOR_OTHERS more. Release them. */
enum { ROOM_FOR_OTHERS = 32 };
typedef struct score_held {
    size_t count;
    double *points;
} score_held;
/* Is it everything, and if not, what share of the volume? Looks at random points, at those a quarter turn
 * from `mean` and at the opposite one. The random points that are held are kept. The manifold is compact. */
MST_MUST_USE mst_status score_region_survey(const score_region *g, const double *mean,
                                            uint64_t seed, int threads, bool *whole, double *share,
                                            score_held *kept);

/* The edge of the region as it is seen from the mean. */
typedef struct score_edge {
    mst_no_axes no_axes;
    /* (d, d), E in the frame at the mean: the region is in {Exp(v) : vᵀE⁻¹v ≤ 1}; null without axes */
    double *ellipsoid;
    /* Part k is points end[k − 1] … end[k] − 1 of (end[parts − 1], D): d = 1: the two ends of an arc; d =
     * 2: a closed curve, its last point being its first; d ≥ 3: points of the edge. 0 parts: it was not
     * found. */
    size_t parts, *end;
    double *points;
} score_edge;
/* `covariance` (d, d), null or NAN: unknown, tells in which directions the region may be long, `others`
 * points that may be held besides. Costs as much as the survey, or little more. The first failure is
 * returned, and the caller releases the edge all the same. */
MST_MUST_USE mst_status score_region_edge(score_edge *out, const score_region *g,
                                          const double *mean, const double *covariance,
                                          const score_held *others, uint64_t seed, int threads);
void score_edge_free(score_edge *edge);
/* The same where the region is anything, by looking at about `count` points of the whole manifold: in one
 * dimension, with the axis; and in two, without axes. */
MST_MUST_USE mst_status score_trace_arcs(score_edge *out, const score_region *g, const double *mean,
                                         size_t count, int threads);
MST_MUST_USE mst_status score_trace_curves(score_edge *out, const score_region *g,
                                           const double *mean, size_t count, int threads);

#endif
