/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Columns `at` … at + count − 1 of rows of `width` numbers, as rows of their own, and back. */
#ifndef MST_BASE_COLUMNS_H
#define MST_BASE_COLUMNS_H

#include <stddef.h>
#include <string.h>

static inline void mst_take_columns(size_t n, size_t width, size_t at, size_t count,
                                    const double *rows, double *out)
{
    for (size_t i = 0; i < n; i++)
        memcpy(out + i * count, rows + i * width + at, count * sizeof *out);
}

static inline void mst_put_columns(size_t n, size_t width, size_t at, size_t count,
                                   const double *in, double *rows)
{
    for (size_t i = 0; i < n; i++)
        memcpy(rows + i * width + at, in + i * count, count * sizeof *in);
}

#endif
