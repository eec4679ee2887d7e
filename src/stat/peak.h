/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Integrals over a homogeneous space of functions with one peak, from the second derivatives there. The peak
 * is matched to a shape whose integral is known: on spheres and circles to that of von Mises and Fisher, on
 * so3 to that of the matrix Fisher law, in infinite volume to a Gaussian. Right for sharp peaks, as Laplace's
 * method is, and for functions that are nearly constant, whose first terms have these shapes exactly. */
#ifndef MST_STAT_PEAK_H
#define MST_STAT_PEAK_H

#include "stat/pieces.h"

/* log of the mean over the piece of e^(f − max f), with `information` (dim, dim) = −Hess f at the maximum. In
 * infinite volume: log of the integral. Upward curvature counts as none; PIECE_UNKNOWN has no answer, NAN. */
MST_MUST_USE mst_status peak_log_share(const stat_piece *piece, const double *information,
                                       double *share);

/* log(Γ(ν + 1) (2/k)^ν I_ν(k) e^(−k)), ν ≥ 0, k ≥ 0: of the mean of e^(k cos r − k) over the sphere of
 * dimension 2ν + 1. */
double peak_log_bessel(double nu, double k);
/* log of the mean over all rotations R of e^(tr(S R) − tr S), S = diag(s1, s2, s3), s1 ≥ s2 ≥ |s3|. */
double peak_log_fisher(double s1, double s2, double s3);

#endif
