/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

#include "table_file.h"

#include "common.h"

#include <math.h>
#include <stdlib.h>

static mst_status grow(table_file *t, size_t *capacity)
{
    size_t wanted = *capacity * 2 + 64, bytes;
    double *x = NULL;
    if (!__builtin_mul_overflow(wanted, t->cols * sizeof *x, &bytes))
        x = realloc(t->x, bytes);
    if (x == NULL)
        return mst_fail(MST_MEMORY, "not enough memory for %zu rows", wanted);
    t->x = x;
    *capacity = wanted;
    return MST_OK;
}

static mst_status check_rows(const table_file *t, const mst_reader *r, size_t got)
{
    for (size_t i = 0; i < got; i++)
        for (size_t k = 0; k < t->cols; k++)
            if (!isfinite(t->x[(t->rows + i) * t->cols + k]))
                return mst_fail(MST_FORMAT, "%s, row %zu, column %zu: not a finite number",
                                mst_reader_path(r), t->rows + i + 1, k + 1);
    return MST_OK;
}

mst_status table_file_read(table_file *t, const char *path)
{
    mst_reader *r;
    size_t capacity = 0, got = 1;
    *t = (table_file){0};
    mst_status status = mst_reader_open(&r, path);
    if (status != MST_OK)
        return status;
    t->cols = mst_reader_cols(r);
    while (status == MST_OK && got > 0) {
        if (t->rows == capacity)
            status = grow(t, &capacity);
        if (status == MST_OK)
            status = mst_reader_next(r, capacity - t->rows, t->x + t->rows * t->cols, &got);
        if (status == MST_OK)
            status = check_rows(t, r, got);
        if (status == MST_OK)
            t->rows += got;
        if (status == MST_OK && interrupted())
            status = mst_fail(MST_INTERRUPTED, "interrupted");
    }
    mst_reader_free(r);
    return status;
}

void table_file_free(table_file *t)
{
    free(t->x);
    *t = (table_file){0};
}
