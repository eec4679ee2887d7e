/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* What learn and info say of learned manifolds, and the sizes of their images. */
#ifndef MST_CLI_LEARNED_REPORT_H
#define MST_CLI_LEARNED_REPORT_H

#include "result.h"

/* To the report; warnings go to standard error. */
MST_MUST_USE mst_status learned_tell(report *r, const char *path, const mst_manifold *m);

/* "28x28" of an option; 0 and 0 if it is not given. And whether that makes up rows of `outputs` numbers. */
MST_MUST_USE mst_status read_shape(const invocation *inv, const option *o, size_t *height,
                                   size_t *width);
MST_MUST_USE mst_status check_shape(const option *o, size_t outputs, size_t height, size_t width);

#endif
