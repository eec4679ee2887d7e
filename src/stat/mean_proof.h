/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Where a theorem says that a mean is the only one, nobody needs to search. */
#ifndef MST_STAT_MEAN_PROOF_H
#define MST_STAT_MEAN_PROOF_H

#include "base/internal.h"

#include <manistat/score.h>

/* n rows at distances r (n) from a local Fréchet mean, with weights (n) or null: is no other point as good?
 * What is known of the manifold is its injectivity radius and an upper bound of its
 * curvatures; NAN: unknown. */
bool frechet_mean_is_only(double radius, double curvature_above, size_t n, const double *r,
                          const double *weights);
/* The same on a space of shapes. gap and rate (n), and the rank of the mean, as mst_shape_gaps has them;
 * `unit`: sizes do not count. */
bool shape_mean_is_only(bool unit, size_t n, const double *r, const double *gap, const double *rate,
                        double rank, const double *weights);
/* A lower bound of the second derivative of ½d² from one such row, r away from the mean, along unit speed
 * geodesics from the mean, at the distance s. */
double shape_bend(bool unit, double r, double gap, double rate, double rank, double s);
/* How F curves about the mean: the least mean value of √K r cot √K r, the second derivative across the rows'
 * directions, to expect there. `wall`: less what rows near a cut locus of codimension one take away, 2R times
 * their density there, in d dimensions. */
double frechet_curvature(double radius, double curvature_above, bool wall, size_t d, size_t n,
                         const double *r, const double *weights);

/* Has the likelihood of the exact kernel one maximum, whatever the rows are? So it has on Euclidean and
 * hyperbolic spaces and on their products, where −log p is a convex function of the mean. */
bool diffusion_mean_is_only(const mst_manifold *m);

#endif
