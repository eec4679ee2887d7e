/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* What a user should know about the rows of a file that were read without an error. */
#include "common.h"
#include "kernel.h"
#include "provenance.h"
#include "shrinkage.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* However little a matrix was moved, its place on the manifold is one that the projection has made up. */
static void describe_raised(const mst_points_report *r, size_t size, char *text)
{
    text[0] = '\0';
    if (r->raised == 0)
        return;
    if (r->raised == 1 && r->moved == 1)
        snprintf(text, size, "; it was");
    else if (r->raised == 1)
        snprintf(text, size, "; row %" PRIu64 " was", r->raised_row);
    else
        snprintf(text, size, "; %" PRIu64 " of them, the last row %" PRIu64 ", were", r->raised,
                 r->raised_row);
    size_t used = strlen(text);
    snprintf(
        text + used, size - used,
        " not positive definite, %s an eigenvalue near 0 now, and may decide the result: leave "
        "%s out or correct %s",
        r->raised == 1 ? "has" : "have", r->raised == 1 ? "it" : "them",
        r->raised == 1 ? "it" : "them");
}

static void tell_moves(const invocation *inv, const mst_manifold *m, const char *path,
                       const mst_points_report *r)
{
    const double much = 0.1;
    const char *warning = r->largest_move > much || r->raised > 0 ? "warning: " : "",
               *rows = r->rows == 1 ? "" : "s";
    char raised[240];
    describe_raised(r, sizeof raised, raised);
    if (r->moved == 1)
        warn(inv,
             "%s%s: 1 of %" PRIu64 " row%s was moved onto %s, by %.3g %% of its size (row %" PRIu64
             ")%s",
             warning, shown_path(path), r->rows, rows, mst_manifold_spec(m), 100 * r->largest_move,
             r->largest_row, raised);
    else if (r->moved > 1)
        warn(inv,
             "%s%s: %" PRIu64 " of %" PRIu64
             " rows were moved onto %s, by %.3g %% of their size in "
             "the median and %.3g %% at most (row %" PRIu64 ")%s",
             warning, shown_path(path), r->moved, r->rows, mst_manifold_spec(m),
             100 * r->median_move, 100 * r->largest_move, r->largest_row, raised);
}

/* What rounding makes of an eigenvalue that should be zero is on spd as far away as any number can be. */
static void tell_singular(const invocation *inv, const char *path, const mst_points_report *r)
{
    if (r->singular == 1)
        warn(inv,
             "warning: %s, row %" PRIu64
             ": the matrix is singular up to rounding, of rank %zu instead of %zu, and may decide "
             "the result: pass --shrink, or leave it out",
             shown_path(path), r->singular_row, r->rank, r->order);
    else if (r->singular > 1)
        warn(inv,
             "warning: %s: %" PRIu64 " of %" PRIu64
             " matrices are singular up to rounding (the first is row %" PRIu64
             ", of rank %zu instead of %zu), and rounding may decide the result: pass --shrink",
             shown_path(path), r->singular, r->rows, r->singular_row, r->rank, r->order);
}

void tell_points(const invocation *inv, const mst_manifold *m, const char *path,
                 const mst_points_report *r)
{
    note_rows(inv, path, r->rows);
    tell_moves(inv, m, path, r);
    tell_singular(inv, path, r);
    count_shrunk(inv, r->shrunk, r->least_intensity, r->most_intensity);
    const char *sigma = option_get(inv, &option_sigma)->text;
    if (r->neighbour_gap > 6 && (sigma == NULL || strcmp(sigma, "auto") != 0))
        warn(inv,
             "warning: %s: neighbouring landmarks are %.3g widths (sigma) of the kernel apart, so "
             "that each moves by itself, and a mean is that of the coordinates",
             shown_path(path), r->neighbour_gap);
    if (r->directions)
        warn(inv,
             "%s: the angles are read, and written, as latitude (above or below the horizon) and "
             "longitude (from north to east) of directions",
             shown_path(path));
    if (r->angles == MST_ANGLES_LIKE_DEGREES)
        warn(inv,
             "warning: most angles of %s lie beyond a turn, as degrees do, and are read as "
             "radians; did you mean --degrees?",
             shown_path(path));
    else if (r->angles == MST_ANGLES_LIKE_RADIANS)
        warn(inv,
             "warning: all angles of %s lie within a turn of radians and are read as degrees; %s",
             shown_path(path),
             option_given(inv, &option_latlon) ? "convert them if they are radians"
                                               : "leave out --degrees if they are radians");
}
