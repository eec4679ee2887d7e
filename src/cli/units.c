/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Lengths are in degrees where the coordinates of points are; times, variances and everything else that is a
 * square of a length stay in radians squared, as --time takes them. */
#include "estimate.h"

#include <math.h>
#include <stdio.h>

#define DEGREE 0.017453292519943295769 /* π/180 */

bool factor_in_degrees(const estimation *e, size_t factor)
{
    const mst_manifold *m = mst_manifold_factor(e->m, factor);
    return e->points.latlon ||
           (e->points.degrees && mst_manifold_traits_of(m)->rows == MST_ROWS_ANGLES);
}

bool lengths_in_degrees(const estimation *e)
{
    for (size_t f = 0; f < mst_manifold_factor_count(e->m); f++)
        if (!factor_in_degrees(e, f))
            return false;
    return true;
}

double length_unit(const estimation *e)
{
    return lengths_in_degrees(e) ? DEGREE : 1;
}

double factor_unit(const estimation *e, size_t factor)
{
    return factor_in_degrees(e, factor) ? DEGREE : 1;
}

bool units_differ(const estimation *e)
{
    for (size_t f = 0; f < mst_manifold_factor_count(e->m); f++)
        if (factor_in_degrees(e, f))
            return !lengths_in_degrees(e);
    return false;
}

double factor_error(const estimation *e, const mst_mean_result *r, size_t factor)
{
    size_t d = mst_manifold_dim(e->m), first = 0;
    double sum = 0;
    if (r->covariance == NULL) /* of one factor, see mean.h */
        return r->standard_error;
    for (size_t f = 0; f < factor; f++)
        first += mst_manifold_dim(mst_manifold_factor(e->m, f));
    for (size_t i = 0; i < mst_manifold_dim(mst_manifold_factor(e->m, factor)); i++)
        sum += r->covariance[(first + i) * d + first + i];
    return sqrt(sum);
}

/* ---- In tables ---- */

size_t error_columns(const estimation *e)
{
    return units_differ(e) ? mst_manifold_factor_count(e->m) : 1;
}

const char *error_name(const estimation *e, size_t col, const char *error, char name[COLUMN_NAME])
{
    if (units_differ(e))
        snprintf(name, COLUMN_NAME, "%s_%zu%s", error, col + 1,
                 factor_in_degrees(e, col) ? " (deg)" : "");
    else
        snprintf(name, COLUMN_NAME, "%s%s", error, lengths_in_degrees(e) ? " (deg)" : "");
    return name;
}

double error_in_column(const estimation *e, const mst_mean_result *r, size_t col)
{
    return units_differ(e) ? factor_error(e, r, col) / factor_unit(e, col)
                           : r->standard_error / length_unit(e);
}

const char *squared_unit(const estimation *e)
{
    return lengths_in_degrees(e) ? " (rad^2)" : "";
}
