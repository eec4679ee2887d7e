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
    double independent; /* how many units there are */
    bool lengths;       /* they are too few for a covariance, but not for a length */
    double limit;       /* of the statistic */
    double confidence;
    bool has_mean; /* the uniform law is rejected */
    double
        *features; /* sums of the pieces' features over root of their spread, one after another */
} score_region;

/* Weights as the fit takes them, with relative ones scaled. Release it also after a failure. */
MST_MUST_USE mst_status score_region_open(score_region *g, const mst_score *source,
                                          const stat_pieces *pieces, size_t n, const double *x,
                                          const mst_mean_options *o, double time);
void score_region_close(score_region *g);
MST_MUST_USE mst_status score_region_holds(const score_region *g, const double *y, bool *holds);
/* Is it everything, and if not, what share of the volume? Looks at random points, at those a quarter turn
 * from `mean` and at the opposite one. The manifold is compact. */
MST_MUST_USE mst_status score_region_survey(const score_region *g, const double *mean,
                                            uint64_t seed, int threads, bool *whole, double *share);

#endif
