/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Landmarks as they stand in a file: of any number, not yet points of a manifold. */
#include "base/options.h"
#include "io/internal.h"
#include "points/row_header.h"

#include <inttypes.h>
#include <manistat/points.h>
#include <math.h>
#include <string.h>

mst_landmarks_options mst_landmarks_options_default(void)
{
    return (mst_landmarks_options){.size = sizeof(mst_landmarks_options)};
}

/* Sets *columns to where x1, y1, x2, … stand, and l->dim, if the header names them; else *columns is null. */
static mst_status order_columns(const mst_reader *r, mst_landmarks *l, size_t **columns)
{
    mst_header h = {.kind = MST_HEADER_LANDMARKS, .path = mst_reader_path(r), .count = l->cols};
    const char **names;
    bool told = false;
    *columns = NULL;
    MST_TRY(mst_allocate(&names, l->cols));
    for (size_t k = 0; k < l->cols; k++)
        names[k] = mst_reader_name(r, k);
    h.names = names;
    h.order = l->dim > 0 ? 0 : mst_header_landmark_dim(&h);
    mst_status status = MST_OK;
    if (h.order > 0)
        status = mst_allocate(columns, l->cols);
    if (h.order > 0 && status == MST_OK)
        status = mst_header_order(&h, *columns, &told);
    if (status == MST_OK && told)
        l->dim = h.order;
    mst_release(names);
    return status;
}

/* Rows (n, cols) in place. */
static mst_status put_in_order(size_t n, size_t cols, const size_t *columns, double *x)
{
    double *row;
    MST_TRY(mst_allocate(&row, cols));
    for (size_t i = 0; i < n; i++) {
        memcpy(row, x + i * cols, cols * sizeof *row);
        for (size_t k = 0; k < cols; k++)
            x[i * cols + k] = row[columns[k]];
    }
    mst_release(row);
    return MST_OK;
}

/* Every row into l->x, the numbers of rows into l->n. */
static mst_status read_rows(mst_reader *r, mst_landmarks *l)
{
    enum { BLOCK = 64 };
    size_t capacity = 0, got = 1;
    mst_reader_allow_missing(r);
    while (got > 0) {
        for (size_t k = 0; k < BLOCK; k++)
            if (l->n + k >= capacity)
                MST_TRY(
                    mst_grow_bytes((void **)&l->x, capacity, &capacity, l->cols * sizeof *l->x));
        MST_TRY(mst_reader_next(r, BLOCK, l->x + l->n * l->cols, &got));
        for (size_t i = 0; i < got * l->cols; i++)
            if (isinf(l->x[l->n * l->cols + i])) {
                uint64_t row, line;
                mst_reader_where(r, i / l->cols, &row, &line);
                return mst_fail(MST_FORMAT, "%s, row %" PRIu64 ", column %zu: not a finite number",
                                mst_reader_path(r), row, i % l->cols + 1);
            }
        l->n += got;
    }
    return MST_OK;
}

mst_status mst_landmarks_read(mst_landmarks **out, const char *path,
                              const mst_landmarks_options *options)
{
    mst_landmarks_options o;
    MST_TRY(MST_TAKE_OPTIONS(&o, mst_landmarks_options, options));
    mst_landmarks *l;
    mst_reader *r = NULL;
    size_t *columns = NULL;
    MST_TRY(mst_allocate_zero(&l, 1));
    mst_status status = mst_reader_open(&r, path);
    if (status == MST_OK) {
        l->cols = mst_reader_cols(r);
        l->dim = r->landmark_dim;
    }
    if (status == MST_OK && o.missing_negative)
        status = mst_reader_missing_negative(r);
    if (status == MST_OK && r->format->row_labels) {
        status = mst_labels_new(&l->labels);
        if (status == MST_OK)
            status = mst_reader_set_labels(r, NULL, l->labels);
    }
    if (status == MST_OK)
        status = order_columns(r, l, &columns);
    if (status == MST_OK)
        status = read_rows(r, l);
    if (status == MST_OK && columns != NULL)
        status = put_in_order(l->n, l->cols, columns, l->x);
    if (status == MST_OK && l->labels != NULL)
        status = mst_labels_finish(l->labels);
    mst_reader_free(r);
    mst_release(columns);
    if (status != MST_OK)
        mst_landmarks_free(l);
    else
        *out = l;
    return status;
}

void mst_landmarks_free(mst_landmarks *l)
{
    if (l == NULL)
        return;
    mst_release(l->x);
    mst_labels_free(l->labels);
    mst_release(l);
}
