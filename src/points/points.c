/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Points and tangent vectors in files. */
#include "base/options.h"
#include "io/internal.h"
#include "points/point_decoder.h"

#include <math.h>
#include <string.h>

enum { BLOCK_NUMBERS = 1 << 15 };

mst_points_options mst_points_options_default(void)
{
    return (mst_points_options){.size = sizeof(mst_points_options)};
}

/* ---- Readers ---- */

struct mst_points_reader {
    mst_reader *reader;
    char *layout;
    mst_point_decoder decoder;
    size_t block;        /* rows decoded at a time */
    double *rows, *onto; /* (block, cols), (block, D) */
};

/* Labels to read along with the points. */
typedef struct label_columns {
    size_t count;
    const char *const *columns;
    mst_labels **labels;
} label_columns;

/* As mst_points_open, without the columns that are labels; the column null stands for the labels that rows
 * have of their own. */
static mst_status open_reader(mst_points_reader **out, const mst_manifold *m, const char *layout,
                              const char *path, const label_columns *by,
                              const mst_points_options *options)
{
    size_t left_out = 0;
    mst_points_reader *r;
    MST_TRY(mst_allocate_zero(&r, 1));
    mst_status status = mst_copy_string(&r->layout, layout);
    /* A program that was built with an older header has not all members. */
    mst_points_options known;
    if (status == MST_OK)
        status = MST_TAKE_OPTIONS(&known, mst_points_options, options);
    /* Options first: they are wrong whatever the file holds, and standard input would block. */
    if (status == MST_OK)
        status = mst_points_check_options(m, &known);
    if (status == MST_OK)
        status = mst_reader_open(&r->reader, path);
    if (status == MST_OK && known.missing_negative)
        status = mst_reader_missing_negative(r->reader);
    for (size_t k = 0; status == MST_OK && k < by->count; k++) {
        status = mst_reader_set_labels(r->reader, by->columns[k], by->labels[k]);
        left_out += status == MST_OK && !r->reader->label_rows;
    }
    if (status == MST_OK) {
        size_t file_cols = mst_reader_cols(r->reader);
        status = mst_point_decoder_open(&r->decoder, m, r->layout, file_cols - left_out, options,
                                        r->reader);
        if (status == MST_FORMAT && left_out > 0)
            status = mst_fail(status, "without the labels, %s", mst_error_detail());
    }
    if (status == MST_OK) {
        size_t D = mst_manifold_ambient(m), cols = mst_reader_cols(r->reader);
        r->block = BLOCK_NUMBERS / (cols > D ? cols : D) + 1;
        status = mst_allocate(&r->rows, r->block * cols);
        if (status == MST_OK)
            status = mst_allocate(&r->onto, r->block * D);
    }
    if (status != MST_OK) {
        mst_points_reader_free(r);
        return status;
    }
    *out = r;
    return MST_OK;
}

mst_status mst_points_open(mst_points_reader **out, const mst_manifold *m, const char *layout,
                           const char *path, const mst_points_options *options)
{
    if (*layout == '\0' || strspn(layout, "pvsw") != strlen(layout))
        return mst_fail(MST_ARGUMENT, "\"%s\" is not a layout of a row", layout);
    bool turns = strchr(layout, 'w') != NULL;
    if (turns && m->traits.rows != MST_ROWS_ROTATIONS)
        return mst_fail(MST_ARGUMENT, "rotation vectors need so3, not %s", mst_manifold_spec(m));
    return open_reader(out, m, layout, path, &(label_columns){0}, options);
}

/* Closes the gaps that columns of labels leave. */
static void drop_labels(const mst_reader *r, size_t n, double *rows)
{
    double *to = rows;
    size_t cols = mst_reader_cols(r);
    for (size_t i = 0; i < n * cols; i++)
        if (reader_labels_of(r, i % cols) == NULL)
            *to++ = rows[i];
}

mst_status mst_points_next(mst_points_reader *r, size_t max, double *const *parts, size_t *got)
{
    size_t done = 0;
    while (done < max) {
        size_t want = max - done < r->block ? max - done : r->block, n;
        MST_TRY(mst_reader_next(r->reader, want, r->rows, &n));
        if (n == 0)
            break;
        if (r->reader->label_count > 0)
            drop_labels(r->reader, n, r->rows);
        MST_TRY(mst_point_decode_rows(&r->decoder, n, r->rows, parts, done, r->onto));
        done += n;
    }
    *got = done;
    return mst_point_decoder_report(&r->decoder);
}

void mst_points_reader_free(mst_points_reader *r)
{
    if (r == NULL)
        return;
    mst_reader_free(r->reader);
    mst_point_decoder_close(&r->decoder);
    mst_release(r->layout);
    mst_release(r->rows);
    mst_release(r->onto);
    mst_release(r);
}

/* Closes the reader. */
static mst_status read_rest(mst_points_reader *r, double **x, size_t *n)
{
    size_t D = mst_manifold_ambient(r->decoder.m), capacity = r->block, count = 0;
    double *all;
    mst_status status = mst_allocate(&all, capacity * D);
    while (status == MST_OK) {
        size_t got = 0;
        status = mst_points_next(r, capacity - count, &(double *){all + count * D}, &got);
        count += got;
        if (status != MST_OK || count < capacity)
            break;
        status = mst_grow_bytes((void **)&all, count, &capacity, D * sizeof *all);
    }
    mst_points_reader_free(r);
    if (status != MST_OK) {
        mst_release(all);
        return status;
    }
    *x = all;
    *n = count;
    return MST_OK;
}

mst_status mst_points_read(double **x, size_t *n, const mst_manifold *m, const char *path,
                           const mst_points_options *options)
{
    mst_points_reader *r;
    MST_TRY(mst_points_open(&r, m, "p", path, options));
    return read_rest(r, x, n);
}

mst_status mst_points_read_labelled(double **x, size_t *n, size_t columns,
                                    const char *const *column, mst_labels **labels,
                                    const mst_manifold *m, const char *path,
                                    const mst_points_options *options)
{
    mst_points_reader *r;
    mst_labels *found[READER_LABELS] = {NULL};
    double *all = NULL;
    size_t count;
    mst_status status = MST_OK;
    if (columns > READER_LABELS)
        return mst_fail(MST_ARGUMENT, "more than %d columns of labels", READER_LABELS);
    for (size_t k = 0; status == MST_OK && k < columns; k++)
        status = mst_labels_new(&found[k]);
    if (status == MST_OK)
        status = open_reader(&r, m, "p", path, &(label_columns){columns, column, found}, options);
    if (status == MST_OK)
        status = read_rest(r, &all, &count);
    for (size_t k = 0; status == MST_OK && k < columns; k++)
        status = mst_labels_finish(found[k]);
    if (status != MST_OK) {
        mst_release(all);
        for (size_t k = 0; k < columns; k++)
            mst_labels_free(found[k]);
        return status;
    }
    *x = all;
    *n = count;
    memcpy(labels, found, columns * sizeof *labels);
    return MST_OK;
}

mst_status mst_points_read_by(double **x, size_t *n, mst_labels **labels, const mst_manifold *m,
                              const char *path, const char *column,
                              const mst_points_options *options)
{
    return mst_points_read_labelled(x, n, 1, &column, labels, m, path, options);
}

void mst_points_free(double *x)
{
    mst_release(x);
}

mst_status mst_points_decode(const mst_manifold *m, size_t cols, const double *row,
                             const mst_points_options *options, double *x)
{
    mst_point_decoder d;
    double *work = NULL;
    size_t D = mst_manifold_ambient(m);
    mst_status status = mst_point_decoder_open(&d, m, "p", cols, options, NULL);
    if (status == MST_OK)
        status = mst_allocate(&work, 2 * D);
    if (status == MST_OK)
        status = mst_point_decode_rows(&d, 1, row, &work, 0, work + D);
    if (status == MST_OK)
        status = mst_point_decoder_report(&d);
    if (status == MST_OK)
        memcpy(x, work, D * sizeof *x);
    mst_release(work);
    mst_point_decoder_close(&d);
    return status;
}

/* ---- Writing ---- */

size_t mst_points_width(const mst_manifold *m, const mst_points_options *options)
{
    mst_points_options o;
    if (MST_TAKE_OPTIONS(&o, mst_points_options, options) != MST_OK)
        return 0;
    if (o.latlon && mst_is_two_sphere(m))
        return 2;
    if (o.quaternion && m->traits.rows == MST_ROWS_ROTATIONS)
        return 4;
    return mst_manifold_ambient(m);
}

/* To (−180, 180], also where rounding has gone past the end. */
static double to_degrees(double radians)
{
    double degrees = fmin(radians / MST_DEGREE, 180);
    return degrees <= -180 ? 180 : degrees;
}

static void to_latlon(const double *x, double *text)
{
    text[0] = atan2(x[2], hypot(x[0], x[1])) / MST_DEGREE;
    text[1] = to_degrees(atan2(x[1], x[0]));
}

/* Rows (n, D) in place: reduce the angles of each factor, or scale them if they are those of vectors. */
static mst_status encode_angles(const mst_manifold *m, size_t n, bool vectors, bool degrees,
                                double *rows)
{
    size_t at = 0;
    for (size_t f = 0; f < mst_manifold_factor_count(m); f++) {
        const mst_manifold *factor = mst_manifold_factor(m, f);
        for (size_t i = 0; factor->traits.rows == MST_ROWS_ANGLES && i < n; i++) {
            double *y = rows + i * m->ambient + at;
            if (!vectors)
                MST_TRY(mst_manifold_project(factor, 1, y, y));
            for (size_t a = 0; degrees && a < factor->ambient; a++)
                y[a] = vectors ? y[a] / MST_DEGREE : to_degrees(y[a]);
        }
        at += factor->ambient;
    }
    return MST_OK;
}

mst_status mst_points_encode(const mst_manifold *m, size_t n, const double *x,
                             const mst_points_options *options, double *text)
{
    mst_points_options o;
    MST_TRY(MST_TAKE_OPTIONS(&o, mst_points_options, options));
    size_t D = mst_manifold_ambient(m);
    MST_TRY(mst_points_check_options(m, &o));
    if (o.latlon || o.quaternion) {
        for (size_t i = 0; i < n; i++)
            if (o.latlon)
                to_latlon(x + 3 * i, text + 2 * i);
            else
                mst_so3_to_quaternion(x + 9 * i, text + 4 * i);
        return MST_OK;
    }
    if (n > 0)
        memmove(text, x, n * D * sizeof *text);
    return encode_angles(m, n, false, o.degrees, text);
}

mst_status mst_points_encode_vectors(const mst_manifold *m, size_t n, const double *v,
                                     const mst_points_options *options, double *text)
{
    mst_points_options o;
    MST_TRY(MST_TAKE_OPTIONS(&o, mst_points_options, options));
    size_t D = mst_manifold_ambient(m);
    MST_TRY(mst_points_check_options(m, &o));
    if (n > 0)
        memmove(text, v, n * D * sizeof *text);
    return encode_angles(m, n, true, o.degrees, text);
}
