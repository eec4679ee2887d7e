/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

#include "points/notices.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void mst_notices_begin(mst_notices *a)
{
    *a = (mst_notices){.least = INFINITY, .most = -INFINITY};
}

void mst_notices_end(mst_notices *a)
{
    mst_release(a->moves);
}

/* ---- Moves ---- */

mst_status mst_notice_move(mst_notices *a, double move, uint64_t row)
{
    MST_TRY(mst_grow(&a->moves, a->moved, &a->capacity));
    a->moves[a->moved++] = move;
    if (a->moved == 1 || move > a->largest_move) {
        a->largest_move = move;
        a->largest_row = row;
    }
    return MST_OK;
}

void mst_notice_raised(mst_notices *a, uint64_t row)
{
    a->raised += a->raised == 0 || row != a->raised_row; /* a product may have several matrices */
    a->raised_row = row;
}

void mst_notice_singular(mst_notices *a, uint64_t row, size_t rank, size_t order)
{
    if (a->singular == 0) {
        a->singular_row = row;
        a->rank = rank;
        a->order = order;
    }
    a->singular += a->singular == 0 || row != a->singular_last;
    a->singular_last = row;
}

void mst_notice_shrunk(mst_notices *a, uint64_t row, double intensity)
{
    a->least_intensity = a->shrunk == 0 ? intensity : fmin(a->least_intensity, intensity);
    a->most_intensity = a->shrunk == 0 ? intensity : fmax(a->most_intensity, intensity);
    a->shrunk += a->shrunk == 0 || row != a->shrunk_last;
    a->shrunk_last = row;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static mst_status median(size_t n, const double *x, double *out)
{
    double *sorted;
    *out = 0;
    if (n == 0)
        return MST_OK;
    MST_TRY(mst_allocate(&sorted, n));
    memcpy(sorted, x, n * sizeof *sorted);
    qsort(sorted, n, sizeof *sorted, compare);
    *out = 0.5 * sorted[(n - 1) / 2] + 0.5 * sorted[n / 2];
    mst_release(sorted);
    return MST_OK;
}

/* ---- Units ---- */

void mst_notice_angle(mst_notices *a, double angle)
{
    a->angles++;
    a->beyond_turn += fabs(angle) > 2 * M_PI;
    a->least = fmin(a->least, angle);
    a->most = fmax(a->most, angle);
    double tenths = 10 * angle;
    a->finer_than_tenths |= fabs(tenths - round(tenths)) > 1e-9 * fabs(tenths);
}

/* Radians fill [−π, π] or [0, 2π]. Degrees that stay within are few, lie close together or are rounded: a
 * spread of more than one is asked for, and digits behind the first. */
static bool like_radians(const mst_notices *a)
{
    const double slack = 0.01;
    bool inside = (a->least >= -M_PI - slack && a->most <= M_PI + slack) ||
                  (a->least >= -slack && a->most <= 2 * M_PI + slack);
    return inside && a->most_latitude <= M_PI / 2 + slack && a->most - a->least > 1 &&
           a->finer_than_tenths;
}

/* Radians that were not reduced may lie beyond a turn; most of them do so only if they count many turns. */
static bool like_degrees(const mst_notices *a)
{
    return 2 * a->beyond_turn > a->angles && a->least >= -360 && a->most <= 360;
}

mst_status mst_notices_report(const mst_notices *a, bool degrees, mst_points_report *report)
{
    enum { FEWEST = 5 };
    report->rows = a->rows;
    report->moved = a->moved;
    report->largest_move = a->largest_move;
    report->largest_row = a->largest_row;
    report->raised = a->raised;
    report->raised_row = a->raised_row;
    report->singular = a->singular;
    report->singular_row = a->singular_row;
    report->neighbour_gap = a->neighbour_gap;
    report->rank = a->rank;
    report->order = a->order;
    report->shrunk = a->shrunk;
    report->least_intensity = a->least_intensity;
    report->most_intensity = a->most_intensity;
    report->angles = MST_ANGLES_FINE;
    if (a->rows >= FEWEST && a->angles > 0 && degrees && like_radians(a))
        report->angles = MST_ANGLES_LIKE_RADIANS;
    else if (a->rows >= FEWEST && a->angles > 0 && !degrees && like_degrees(a))
        report->angles = MST_ANGLES_LIKE_DEGREES;
    return median(a->moved, a->moves, &report->median_move);
}
