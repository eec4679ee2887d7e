/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* A manifold from the chart blocks of a formula file: every chart is a manifold of its own, and the atlas
 * sends each row to the one it is in. */
#ifndef MST_MANIFOLD_FORMULA_ATLAS_H
#define MST_MANIFOLD_FORMULA_ATLAS_H

#include "manifold/formula_metric.h"

#include <manistat/manifold.h>

/* Where points of a chart go. */
typedef struct atlas_way {
    size_t from, to;
    formula_program map; /* (x, v) to y and w = ∂y v */
} atlas_way;

typedef struct formula_atlas {
    size_t d, charts, ways;
    mst_manifold **chart;   /* (charts), with one chart each */
    formula_program *leave; /* (charts): to what is positive where points should leave; in order */
    size_t **target;        /* (charts, outputs of leave) */
    atlas_way *way;         /* (ways) */
    double *start;          /* (d), in chart 0 */
    mst_answer compact, hadamard;
    double injectivity;
} formula_atlas;

/* `text` is that of the file, for messages. What transitions say is tried on random points: MST_FORMAT with
 * the place if they are not inverse to each other, or do not keep lengths. */
MST_MUST_USE mst_status formula_atlas_new(mst_manifold **out, formula_file *file, const char *spec,
                                          const formula_text *text);

/* The way from one chart to another, or null. */
const atlas_way *formula_atlas_way(const formula_atlas *a, size_t from, size_t to);

/* The trial on loading (formula_atlas_check.c). */
MST_MUST_USE mst_status formula_atlas_check(const mst_manifold *m, const formula_file *file,
                                            const formula_text *text);

#endif
