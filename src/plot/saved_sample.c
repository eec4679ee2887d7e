/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Results of `sample`: end points, or whole paths, which the result itself holds. */
#include "plot/saved.h"

#include "base/internal.h"

#include <math.h>
#include <stdio.h>

/* The columns x_1, x_2, … as points; paths that left the domain have rows without numbers. */
static mst_status read_columns(mst_saved *s, const mst_json_value *top, double **x, size_t *n)
{
    size_t width = mst_points_width(s->picture.m, &s->forms),
           D = mst_manifold_ambient(s->picture.m), count;
    const double **column;
    double *row;
    MST_TRY(stored_new(s, &column, width));
    MST_TRY(stored_new(s, &row, width));
    for (size_t k = 0; k < width; k++) {
        char key[32];
        snprintf(key, sizeof key, "x_%zu", k + 1);
        MST_TRY(stored_numbers(s, top, key, &column[k], &count));
        if (k > 0 && count != *n)
            return mst_fail(MST_FORMAT, "%s: \"%s\" has %zu numbers, not %zu", s->name, key, count,
                            *n);
        *n = count;
    }
    MST_TRY(stored_new(s, x, *n * D + 1));
    for (size_t i = 0; i < *n; i++) {
        bool known = true;
        for (size_t k = 0; k < width; k++) {
            row[k] = column[k][i];
            known = known && isfinite(row[k]);
        }
        for (size_t j = 0; j < D; j++)
            (*x)[i * D + j] = NAN;
        if (known && mst_points_decode(s->picture.m, width, row, &s->forms, *x + i * D) != MST_OK)
            return mst_fail(MST_FORMAT, "%s, row %zu: %s", s->name, i + 1, mst_error_detail());
    }
    return MST_OK;
}

/* Rows with one number of "path" after the other are a curve. */
static mst_status make_paths(mst_saved *s, size_t n, const double *x, const double *path)
{
    enum { MOST = 40 };
    size_t D = mst_manifold_ambient(s->picture.m), count = 0;
    mst_picture_curve *curves;
    MST_TRY(stored_new(s, &curves, MOST));
    for (size_t i = 0, end; i < n && count < MOST; i = end) {
        for (end = i + 1; end < n && path[end] == path[i];)
            end++;
        curves[count++] = (mst_picture_curve){.count = end - i, .points = x + i * D};
    }
    s->picture.curves = curves;
    s->picture.curve_count = count;
    MST_TRY(stored_text(s, &s->picture.title, "Brownian paths on %s", s->space));
    return stored_text(s, &s->picture.caption, "%zu path%s, simulated; nothing is estimated.%s",
                       count, count == 1 ? "" : "s",
                       count == MOST ? " Further paths are not drawn." : "");
}

mst_status stored_read_sample(mst_saved *s, const mst_json_value *top)
{
    double *x;
    size_t n = 0, count;
    const double *path;
    MST_TRY(read_columns(s, top, &x, &n));
    if (mst_json_member(top, "path") != NULL) {
        MST_TRY(stored_numbers(s, top, "path", &path, &count));
        if (count != n)
            return mst_fail(MST_FORMAT, "%s: \"path\" has %zu numbers, not %zu", s->name, count, n);
        return make_paths(s, n, x, path);
    }
    s->picture.x = x;
    s->picture.n = s->rows = n;
    MST_TRY(stored_text(s, &s->picture.title, "Brownian motion on %s", s->space));
    return stored_text(s, &s->picture.caption,
                       "n = %zu end points at time %.4g, simulated; nothing is estimated.", n,
                       stored_number(top, "time"));
}
