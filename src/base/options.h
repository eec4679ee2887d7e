/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Options that a caller gives: null means the defaults, and a program that was built when the struct was
 * shorter gets the defaults of what came later. */
#ifndef MST_BASE_OPTIONS_H
#define MST_BASE_OPTIONS_H

#include <manistat/status.h>

/* *out = type_default(), then the caller's members over it. `type` begins with `size_t size`, and a member
 * that is added later goes to the end, not into padding that older programs leave undefined. MST_ARGUMENT for
 * a size that is no struct of ours. */
#define MST_TAKE_OPTIONS(out, type, given) \
    mst_take_options((*(out) = type##_default(), (out)), sizeof(type), (given), #type)

/* `out` (size bytes) holds the defaults; `given` is null or begins with its own size. */
MST_MUST_USE mst_status mst_take_options(void *out, size_t size, const void *given,
                                         const char *type);

#endif
