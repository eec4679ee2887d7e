/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Points so near that the space between them is flat to rounding, while the differences of places in R^D that
 * the ambient forms work with have lost their digits. */
#ifndef MST_GEODESIC_NEAR_H
#define MST_GEODESIC_NEAR_H

#include "geodesic/problem.h"

typedef struct near_answer {
    double length, error;
    double *log_x, *log_y; /* (width) */
} near_answer;

/* Not *found: the points are not so near, or the form does not need it. */
MST_MUST_USE mst_status near_solve(const geodesic_problem *p, const double *x, const double *y,
                                   near_answer *out, bool *found);

#endif
