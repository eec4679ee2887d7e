/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* `manistat manifolds SPEC --check`. */
#ifndef MST_CLI_EXAMINE_H
#define MST_CLI_EXAMINE_H

#include "options.h"

extern const option option_examine, option_examine_points;

/* Prints what the examination of the manifold found. MST_CONVERGENCE, with the result printed, if something
 * is wrong. */
MST_MUST_USE mst_status print_examination(invocation *inv, const mst_manifold *m);

#endif
