/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Points from a text, with what was noticed while they were read. */
#ifndef TEST_POINTS_READ_TEXT_H
#define TEST_POINTS_READ_TEXT_H

#include "support/scratch.h"

#include <manistat/points.h>

static mst_points_report report;

/* Up to 64 points; the report in `report`. */
static inline mst_status read_text(const char *spec, const char *text, mst_points_options options,
                                   double *x, size_t *n)
{
    mst_manifold *m;
    double *all = NULL;
    ASSERT_OK(mst_manifold_parse(&m, spec));
    options.report = &report;
    mst_status status = mst_points_read(&all, n, m, scratch_text("t.csv", text), &options);
    if (status == MST_OK)
        memcpy(x, all, *n * mst_manifold_ambient(m) * sizeof *x);
    mst_points_free(all);
    mst_manifold_free(m);
    return status;
}

#endif
