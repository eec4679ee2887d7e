/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* What is noticed while rows are read: how far they were moved, and whether angles have the unit they should
 * have. */
#ifndef MST_POINTS_NOTICES_H
#define MST_POINTS_NOTICES_H

#include "base/internal.h"

#include <manistat/points.h>

typedef struct mst_notices {
    uint64_t rows;
    double *moves; /* (moved), relative */
    size_t moved, capacity;
    double largest_move;
    uint64_t largest_row;
    uint64_t raised, raised_row; /* rows with an eigenvalue that was raised, the last of them */
    uint64_t singular, singular_row, singular_last; /* how many rows, the first and the last */
    size_t rank, order;                             /* of the first */
    uint64_t shrunk, shrunk_last;
    double least_intensity, most_intensity;
    /* angles as they stand in the file */
    uint64_t angles, beyond_turn;
    double least, most, most_latitude;
    bool finer_than_tenths; /* some are no multiples of 0.1 */
    double neighbour_gap;   /* of landmarks, in widths of the kernel */
} mst_notices;

void mst_notices_begin(mst_notices *a);
void mst_notices_end(mst_notices *a);
/* A row, counted from 1, was moved so far. */
MST_MUST_USE mst_status mst_notice_move(mst_notices *a, double move, uint64_t row);
/* An eigenvalue of that row was not positive, and is a tiny one now. Rows come in order. */
void mst_notice_raised(mst_notices *a, uint64_t row);
/* That row is a matrix of this rank, up to rounding. Rows come in order. */
void mst_notice_singular(mst_notices *a, uint64_t row, size_t rank, size_t order);
/* That row was shrunk. Rows come in order. */
void mst_notice_shrunk(mst_notices *a, uint64_t row, double intensity);
void mst_notice_angle(mst_notices *a, double angle);
/* The report so far; `degrees`: that is how angles were read. */
MST_MUST_USE mst_status mst_notices_report(const mst_notices *a, bool degrees,
                                           mst_points_report *report);

#endif
