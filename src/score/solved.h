/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* What sources that solve an equation have in common: rows they can take, and rows without an answer. */
#ifndef MST_SCORE_SOLVED_H
#define MST_SCORE_SOLVED_H

#include "base/internal.h"

#include <manistat/score.h>

/* MST_ARGUMENT or MST_DOMAIN, by row, for times that are beyond 1e±50 and coordinates that are not finite;
 * `what` is solved, for the message. *least becomes the shortest time. */
MST_MUST_USE mst_status solved_check_rows(const mst_manifold *m, const mst_pairs *p,
                                          const char *what, double *least);
/* A row without an answer: the Gaussian of the smooth potential that stands in for ½r², which points the
 * right way. */
MST_MUST_USE mst_status solved_stand_in(const mst_manifold *m, const double *x, const double *y,
                                        double t, const mst_heat_values *out);

#endif
