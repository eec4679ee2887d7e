/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Points for people: vectors on a line, matrices as matrices. */
#include "estimate.h"

#include <stdlib.h>
#include <string.h>

enum { DIGITS = 10, FEWER_DIGITS = 6, CELL = 32, SMALL = 4, MOST_SHOWN = 8 };

/* The order of the matrices that points are written as; 0 if they are none. */
static size_t order_of(const mst_manifold *m, const mst_points_options *o)
{
    mst_row_kind rows = mst_manifold_traits_of(m)->rows;
    size_t order = 1;
    if (rows != MST_ROWS_SYMMETRIC && (rows != MST_ROWS_ROTATIONS || o->quaternion))
        return 0;
    while (order * order < mst_manifold_ambient(m))
        order++;
    return order;
}

/* Which entries of a symmetric matrix were read, and so are shown. */
static bool is_shown(mst_triangle triangle, size_t row, size_t col)
{
    return triangle == MST_TRIANGLE_ANY ||
           (triangle == MST_TRIANGLE_UPPER ? col >= row : col <= row);
}

static mst_status print_matrix(FILE *out, size_t order, mst_triangle triangle, const double *a,
                               size_t indent)
{
    size_t shown = order < MOST_SHOWN ? order : MOST_SHOWN;
    int widths[MOST_SHOWN] = {0}, digits = order <= SMALL ? DIGITS : FEWER_DIGITS;
    char cell[CELL];
    for (size_t i = 0; i < shown; i++)
        for (size_t j = 0; j < shown; j++) {
            int width = snprintf(cell, sizeof cell, "%.*g", digits, a[i * order + j] + 0.0);
            if (is_shown(triangle, i, j) && width > widths[j])
                widths[j] = width;
        }
    for (size_t i = 0; i < shown; i++) {
        size_t last = triangle == MST_TRIANGLE_LOWER ? i + 1 : shown;
        fprintf(out, "%*s", i > 0 ? (int)indent : 0, "");
        for (size_t j = 0; j < last; j++) {
            snprintf(cell, sizeof cell, "%.*g", digits, a[i * order + j] + 0.0);
            fprintf(out, "%s%*s", j > 0 ? "  " : "", widths[j],
                    is_shown(triangle, i, j) ? cell : "");
        }
        fprintf(out, "%s\n", order > shown && last == shown ? "  ..." : "");
    }
    if (order > shown)
        fprintf(out, "%*s... (%zu by %zu; --json has all of it)\n", (int)indent, "", order, order);
    return MST_OK;
}

static void print_numbers(FILE *out, size_t n, const double *x, const char *what)
{
    for (size_t i = 0; i < n; i++)
        fprintf(out, "%s%.*g", i > 0 ? ", " : "", DIGITS, x[i] + 0.0); /* zeros have no sign */
    fprintf(out, "%s\n", what);
}

/* The factors of a product below each other, if one of them is a matrix. */
static mst_status print_factors(const estimation *e, FILE *out, const double *coded, size_t indent)
{
    size_t at = 0, width = 0;
    mst_status status = MST_OK;
    for (size_t f = 0; f < mst_manifold_factor_count(e->m); f++) {
        size_t length = strlen(mst_manifold_spec(mst_manifold_factor(e->m, f)));
        width = length > width ? length : width;
    }
    for (size_t f = 0; f < mst_manifold_factor_count(e->m) && status == MST_OK; f++) {
        const mst_manifold *m = mst_manifold_factor(e->m, f);
        size_t order = order_of(m, &e->points);
        fprintf(out, "%*s%-*s  ", f > 0 ? (int)indent : 0, "", (int)width, mst_manifold_spec(m));
        if (order > 0)
            status = print_matrix(out, order, MST_TRIANGLE_ANY, coded + at, indent + width + 2);
        else
            print_numbers(out, mst_manifold_ambient(m), coded + at, "");
        at += mst_manifold_ambient(m);
    }
    return status;
}

mst_status print_point(const estimation *e, FILE *out, const double *x, size_t indent)
{
    double *coded;
    bool matrices = false;
    mst_status status = new_doubles(&coded, 1, e->width);
    if (status == MST_OK)
        status = mst_points_encode(e->m, 1, x, &e->points, coded);
    for (size_t f = 0; f < mst_manifold_factor_count(e->m); f++)
        matrices |= order_of(mst_manifold_factor(e->m, f), &e->points) > 0;
    if (status == MST_OK && matrices && mst_manifold_factor(e->m, 0) == e->m)
        status = print_matrix(out, order_of(e->m, &e->points), e->report.triangle, coded, indent);
    else if (status == MST_OK && matrices)
        status = print_factors(e, out, coded, indent);
    else if (status == MST_OK)
        print_numbers(out, e->width, coded,
                      e->points.latlon       ? " (latitude, longitude)"
                      : e->points.quaternion ? " (w, x, y, z)"
                                             : "");
    free(coded);
    return status;
}

/* ---- Columns of a table ---- */

bool column_shown(const estimation *e, size_t col)
{
    size_t order = order_of(e->m, &e->points);
    return order == 0 || is_shown(e->report.triangle, col / order, col % order);
}

size_t columns_shown(const estimation *e)
{
    size_t count = 0;
    for (size_t k = 0; k < e->width; k++)
        count += column_shown(e, k);
    return count;
}

const char *column_name(const estimation *e, size_t col, char name[COLUMN_NAME])
{
    static const char *const latlon[] = {"lat", "lon"};
    static const char letters[] = "wxyz";
    size_t order = order_of(e->m, &e->points);
    if (e->points.latlon)
        snprintf(name, COLUMN_NAME, "%s", latlon[col]);
    else if (e->points.quaternion)
        snprintf(name, COLUMN_NAME, "%c", letters[col]);
    else if (order > 0)
        snprintf(name, COLUMN_NAME, order < 10 ? "x_%zu%zu" : "x_%zu_%zu", col / order + 1,
                 col % order + 1);
    else
        snprintf(name, COLUMN_NAME, "x_%zu", col + 1);
    return name;
}
