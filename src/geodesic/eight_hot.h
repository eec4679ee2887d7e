/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* What the *.hot.c files share. */
#ifndef MST_GEODESIC_EIGHT_HOT_H
#define MST_GEODESIC_EIGHT_HOT_H

#include "geodesic/eight.h"

#include <math.h>
#include <string.h>

#define INLINE static inline __attribute__((always_inline))

static const eight zero;

INLINE void root(eight *a)
{
    _Alignas(64) double of[EIGHT];
    memcpy(of, a, sizeof of);
    EACH_LANE of[k] = sqrt(of[k]);
    memcpy(a, of, sizeof of);
}

#endif
