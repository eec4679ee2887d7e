/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* dist --all: distances of all pairs of points, a matrix. */
#ifndef MST_CLI_DIST_ALL_H
#define MST_CLI_DIST_ALL_H

#include "options.h"

extern const option option_all;

MST_MUST_USE mst_status run_dist_all(invocation *inv);

#endif
