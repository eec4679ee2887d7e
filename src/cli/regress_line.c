/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

#include "regress_line.h"

#include <math.h>
#include <stdlib.h>

mst_status regress_line_make(regress_line *line, const estimation *e, const regress_rows *rows,
                             const mst_regress_result *r)
{
    enum { POINTS = 101 };
    if (rows->k != 1 || rows->n == 0)
        return MST_OK;
    double low = rows->x[0], high = low;
    for (size_t i = 0; i < rows->n; i++) {
        low = fmin(low, rows->x[i]);
        high = fmax(high, rows->x[i]);
    }
    mst_status status = new_doubles(&line->x, POINTS, 1);
    for (size_t i = 0; i < POINTS && status == MST_OK; i++)
        line->x[i] = low + (high - low) * (double)i / (POINTS - 1);
    if (status == MST_OK)
        status = regress_predictions_new(&line->at, POINTS, r->dim, e->ambient);
    if (status != MST_OK)
        return status;
    mst_prediction wanted = {.points = line->at.at.points, .band = line->at.at.band};
    if (mst_regress_predict(r, e->source, POINTS, line->x, &wanted) == MST_OK)
        return MST_OK;
    /* Fits without noise have no predictions, and geodesics may leave the manifold: the
     * result is one without. */
    regress_line_free(line);
    *line = (regress_line){0};
    return MST_OK;
}

mst_status regress_line_json(const estimation *e, mst_json *j, const regress_rows *rows,
                             const regress_line *line)
{
    if (line->at.n == 0)
        return MST_OK;
    double unit = length_unit(e), *band;
    mst_status status = new_doubles(&band, line->at.n, 1);
    if (status != MST_OK)
        return status;
    for (size_t i = 0; i < line->at.n; i++)
        band[i] = line->at.at.band[i] / unit;
    mst_json_key(j, "line");
    mst_json_object(j);
    json_member_numbers(j, "x", line->at.n, line->x);
    status = json_member_points(e, j, "points", line->at.n, line->at.at.points);
    json_member_numbers(j, "band", line->at.n, band);
    json_member_numbers(j, "rows", rows->n, rows->x);
    if (lengths_in_degrees(e))
        json_member_string(j, "units", "degrees");
    mst_json_end(j);
    free(band);
    return status;
}

void regress_line_free(regress_line *line)
{
    regress_predictions_free(&line->at);
    free(line->x);
}
