/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* What a fuzz target says and does if a property fails. */
#ifndef FUZZ_REQUIRE_H
#define FUZZ_REQUIRE_H

#include <manistat/status.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

static inline void fuzz_require(bool holds, const char *property)
{
    if (holds)
        return;
    fprintf(stderr, "property does not hold: %s (%s)\n", property, mst_error_detail());
    abort();
}

#endif
