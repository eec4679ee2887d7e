/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Numbers worked on side by side. Rows (n, width) become `width` arrays of MST_LANES numbers, number e of all
 * rows in the e-th; loops over them vectorise. What is kept in lanes has its own header: random_lanes.h,
 * linalg_small.h, heat/radial_lanes.h (of another length). */
#ifndef MST_BASE_LANES_H
#define MST_BASE_LANES_H

#include "base/hot.h"

#include <stddef.h>

enum { MST_LANES = 64 };

typedef double lanes[MST_LANES];

/* Lanes on the stack, aligned for the widest vectors. */
#define LANES(name, count) _Alignas(64) lanes name[count]

#define LANES_LOOP \
    MST_SIMD       \
    for (size_t k = 0; k < MST_LANES; k++)

/* `count` rows of `width` numbers; the lanes beyond get `pad`. */
static inline void lanes_load_rows(size_t width, size_t count, const double *rows, double pad,
                                   lanes *out)
{
    for (size_t e = 0; e < width; e++) {
        for (size_t k = 0; k < count; k++)
            out[e][k] = rows[k * width + e];
        for (size_t k = count; k < MST_LANES; k++)
            out[e][k] = pad;
    }
}

/* The same; the lanes beyond repeat the last row. */
static inline void lanes_repeat_rows(size_t width, size_t count, const double *rows,
                                     lanes *restrict out)
{
    for (size_t e = 0; e < width; e++)
        for (size_t k = 0; k < MST_LANES; k++)
            out[e][k] = rows[(k < count ? k : count - 1) * width + e];
}

static inline void lanes_store_rows(size_t width, size_t count, const lanes *restrict in,
                                    double *rows)
{
    for (size_t k = 0; k < count; k++)
        for (size_t e = 0; e < width; e++)
            rows[k * width + e] = in[e][k];
}

#endif
