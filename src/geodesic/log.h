/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* The slots `log` and `dist` of manifolds whose geodesics are searched for. */
#ifndef MST_GEODESIC_LOG_H
#define MST_GEODESIC_LOG_H

#include <manistat/geodesic.h>

MST_MUST_USE mst_status geodesic_log(const mst_manifold *m, size_t n, const double *x,
                                     const double *y, double *v, unsigned char *flag);
MST_MUST_USE mst_status geodesic_dist(const mst_manifold *m, size_t n, const double *x,
                                      const double *y, double *r);
/* Lengths r (n) with the status (n) of each; those without one are NAN or, if `best`, what was found. */
MST_MUST_USE mst_status geodesic_lengths(const mst_manifold *m, size_t n, const double *x,
                                         const double *y, bool best, double *r,
                                         mst_geodesic_status *status);
/* geodesic_log that begins with kept paths, those of pair `first` on, and keeps what it finds. */
MST_MUST_USE mst_status geodesic_log_again(const mst_manifold *m, mst_geodesics *kept, size_t first,
                                           size_t n, const double *x, const double *y, double *v);

/* Of manifolds with a way of their own (own.h), on one thread: lengths r (n), and velocities v (n, D) at x or
 * null, to a tolerance. kept (n, keep): first guesses, NAN where there is none, and what was found. */
MST_MUST_USE mst_status geodesic_own_again(const mst_manifold *m, size_t n, const double *x,
                                           const double *y, double tolerance, double *kept,
                                           double *r, double *v);

/* Log_x(y) on one thread; where none is found what leads toward y, so that every row has a vector. */
MST_MUST_USE mst_status geodesic_log_or_toward(const mst_manifold *m, size_t n, const double *x,
                                               const double *y, double *v);

#endif
