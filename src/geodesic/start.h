/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* First paths. */
#ifndef MST_GEODESIC_START_H
#define MST_GEODESIC_START_H

#include "geodesic/mesh.h"
#include "geodesic/problem.h"

/* The line between the ends, bent to a parabola and brought onto the manifold, at constant speed. */
typedef struct start_line {
    const double *x, *y; /* (width) */
    const double *bend;  /* (width): what the middle is off; null: nothing */
} start_line;

typedef struct start_room {
    double *block;
    problem_rows rows;
} start_room;
MST_MUST_USE mst_status start_room_new(start_room *s, const geodesic_problem *p);
void start_room_free(start_room *s);

MST_MUST_USE mst_status start_path(start_room *s, const geodesic_problem *p, const start_line *line,
                                   const rule *r, size_t elements, path *out);

/* How many lines besides the first are worth a try if `several` geodesics are wanted, at most `most`, and the
 * bend of number `which`. */
size_t start_others(const geodesic_problem *p, size_t several, size_t most);
MST_MUST_USE mst_status start_bend(start_room *s, const geodesic_problem *p, const double *x,
                                   const double *y, size_t which, double *bend);
/* Ends y + multiples of the periods, the nearest `each` of every periodic coordinate; number 0 is the nearest
 * of all. False: there are not so many. And how many of each are worth a try. */
bool start_wrap(const geodesic_problem *p, const double *x, const double *y, size_t each,
                size_t which, double *wrapped);
size_t start_wraps(const geodesic_problem *p, size_t several);

#endif
