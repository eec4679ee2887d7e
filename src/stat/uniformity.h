/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* The parts of the test of uniformity that the fit of a mean uses as well. */
#ifndef MST_STAT_UNIFORMITY_H
#define MST_STAT_UNIFORMITY_H

#include "stat/pieces.h"

#include <manistat/uniformity.h>

/* Of one piece, with s the weighted sum of the features of an independent unit: */
typedef struct uniform_tally {
    double length2;        /* |Σ s|² */
    double square, fourth; /* Σ |s|², Σ |s|⁴; of counts those of rows that stand there so often */
} uniform_tally;

/* One per piece that has features; the others are zero. */
MST_MUST_USE mst_status uniform_tallies(const stat_pieces *pieces, size_t n, const double *x,
                                        const mst_uniformity_options *o, uniform_tally *out);
/* The p-value of each piece by itself, of rows that are more than a few; NAN without features. */
MST_MUST_USE mst_status uniform_by_piece(const stat_pieces *pieces, size_t n, const double *x,
                                         const mst_uniformity_options *o, double *p_values);
/* The axial part of a test, added to what the other has found. */
MST_MUST_USE mst_status uniform_axial(mst_uniformity *out, const stat_pieces *pieces, size_t n,
                                      size_t D, const double *x, const mst_uniformity_options *o);
/* The test without its axial part. The pieces must be compact. */
MST_MUST_USE mst_status uniform_test(mst_uniformity *out, const mst_manifold *m,
                                     const stat_pieces *pieces, size_t n, const double *x,
                                     const mst_uniformity_options *o);

#endif
