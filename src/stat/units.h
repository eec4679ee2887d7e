/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* What is independent: rows, or clusters of rows. */
#ifndef MST_STAT_UNITS_H
#define MST_STAT_UNITS_H

#include "base/internal.h"

/* The rows (n) in an order in which clusters stand together, the first `count` entries of `end` telling where
 * each ends. Without clusters (null) every row is a unit. */
typedef struct stat_units {
    size_t count, *order, *end;
} stat_units;

MST_MUST_USE mst_status stat_units_new(stat_units *out, size_t n, const size_t *clusters);
void stat_units_free(stat_units *units);

#endif
