/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

#include "util/clock.h"

#include <time.h>

double mst_clock_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}
