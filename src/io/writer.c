/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Tables to files: CSV, TSV, NPY, and landmarks as TPS. */
#include "io/internal.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

struct mst_writer {
    mst_output *output;
    size_t cols; /* with the words */
    uint64_t rows;
    bool is_npy, has_words;
    size_t landmark_dim; /* TPS: points of this many coordinates; else 0 */
    size_t order;        /* rows are symmetric matrices of this order; 0: they are not */
    char separator;
};

/* ---- NPY: a header of fixed size, written twice, because the number of rows comes last ---- */

enum { NPY_HEADER = 128, NPY_DICTIONARY = NPY_HEADER - MST_NPY_MAGIC_SIZE - 4 };

static void npy_header(const mst_writer *w, char header[NPY_HEADER])
{
    memcpy(header, MST_NPY_MAGIC "\x01\x00", MST_NPY_MAGIC_SIZE + 2);
    header[MST_NPY_MAGIC_SIZE + 2] = (char)NPY_DICTIONARY;
    header[MST_NPY_MAGIC_SIZE + 3] = 0;
    char order = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? '<' : '>';
    char text[NPY_DICTIONARY];
    char shape[64];
    if (w->order > 0)
        snprintf(shape, sizeof shape, "%zu, %zu", w->order, w->order);
    else
        snprintf(shape, sizeof shape, "%zu", w->cols);
    int n = snprintf(text, sizeof text,
                     "{'descr': '%cf8', 'fortran_order': False, 'shape': (%" PRIu64 ", %s), }",
                     order, w->rows, shape);
    memset(text + n, ' ', sizeof text - (size_t)n);
    text[sizeof text - 1] = '\n';
    memcpy(header + MST_NPY_MAGIC_SIZE + 4, text, sizeof text);
}

static mst_status start_npy(mst_writer *w)
{
    if (!mst_output_can_rewrite(w->output))
        return mst_fail(MST_UNABLE, "%s is not a regular file; only CSV can be written to it",
                        mst_output_path(w->output));
    char header[NPY_HEADER];
    npy_header(w, header);
    return mst_output_write(w->output, header, sizeof header);
}

/* ---- Text ---- */

/* Quotes, doubling the quotes inside, what would not read back as the same name. */
static mst_status write_name(mst_writer *w, const char *name)
{
    size_t length = strlen(name);
    bool plain = strcspn(name, "\",;\t\r\n") == length && length > 0 && name[0] != '#' &&
                 name[0] != ' ' && name[length - 1] != ' ';
    if (plain)
        return mst_output_write(w->output, name, length);
    MST_TRY(mst_output_write(w->output, "\"", 1));
    for (const char *p = name; *p != '\0'; p++)
        MST_TRY(*p == '"' ? mst_output_write(w->output, "\"\"", 2)
                          : mst_output_write(w->output, *p == '\n' || *p == '\r' ? " " : p, 1));
    return mst_output_write(w->output, "\"", 1);
}

static mst_status write_names(mst_writer *w, const char *const *names)
{
    for (size_t i = 0; i < w->cols; i++) {
        MST_TRY(write_name(w, names[i]));
        MST_TRY(mst_output_write(w->output, i + 1 < w->cols ? &w->separator : "\n", 1));
    }
    return MST_OK;
}

/* Numbers, and behind them the words, if there are any. */
static mst_status write_text_rows(mst_writer *w, size_t n, const double *rows,
                                  const char *const *words)
{
    size_t numbers = w->cols - (words != NULL);
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < numbers; j++) {
            char *text;
            MST_TRY(mst_output_room(w->output, MST_DOUBLE_TEXT + 1, &text));
            size_t length = mst_format_double(rows[i * numbers + j], text);
            text[length] = j + 1 < w->cols ? w->separator : '\n';
            mst_output_advance(w->output, length + 1);
        }
        if (words == NULL)
            continue;
        MST_TRY(write_name(w, words[i]));
        MST_TRY(mst_output_write(w->output, "\n", 1));
    }
    return MST_OK;
}

/* The upper triangles of matrices (n, order, order). */
static mst_status write_triangles(mst_writer *w, size_t n, const double *rows)
{
    size_t order = w->order;
    for (size_t k = 0; k < n * order; k++)
        for (size_t j = k % order; j < order; j++) {
            char *text;
            MST_TRY(mst_output_room(w->output, MST_DOUBLE_TEXT + 1, &text));
            size_t length = mst_format_double(rows[k * order + j], text);
            text[length] = k % order + 1 < order ? w->separator : '\n';
            mst_output_advance(w->output, length + 1);
        }
    return MST_OK;
}

/* ---- TPS ---- */

/* `names` (n): what the specimens are called, or null: their numbers. */
static mst_status write_specimens(mst_writer *w, size_t n, const double *rows,
                                  const char *const *names)
{
    size_t dim = w->landmark_dim;
    for (size_t i = 0; i < n; i++) {
        char text[64];
        int length =
            snprintf(text, sizeof text, "%s=%zu\n", dim == 3 ? "LM3" : "LM", w->cols / dim);
        MST_TRY(mst_output_write(w->output, text, (size_t)length));
        for (size_t j = 0; j < w->cols; j++) {
            char *number;
            double x = rows[i * w->cols + j];
            MST_TRY(mst_output_room(w->output, MST_DOUBLE_TEXT + 1, &number));
            size_t used = 2;
            if (isnan(x))
                memcpy(number, "NA", 2);
            else
                used = mst_format_double(x, number);
            number[used] = (j + 1) % dim == 0 ? '\n' : ' ';
            mst_output_advance(w->output, used + 1);
        }
        length = snprintf(text, sizeof text, "%" PRIu64, w->rows + i + 1);
        MST_TRY(mst_output_write(w->output, "ID=", 3));
        MST_TRY(names != NULL ? mst_output_write(w->output, names[i], strlen(names[i]))
                              : mst_output_write(w->output, text, (size_t)length));
        MST_TRY(mst_output_write(w->output, "\n", 1));
    }
    return MST_OK;
}

/* ---- Life cycle ---- */

static bool ends_with(const char *path, const char *ending)
{
    size_t n = strlen(path), k = strlen(ending);
    return n >= k && strcmp(path + n - k, ending) == 0;
}

static mst_status open_table(mst_writer **out, const char *path, size_t cols, bool words,
                             size_t landmark_dim, const char *const *names, bool force)
{
    if (cols == 0)
        return mst_fail(MST_ARGUMENT, "a table needs at least one column");
    if (ends_with(path, ".tps") && landmark_dim == 0)
        return mst_fail(MST_UNABLE,
                        "%s: TPS files hold landmarks, and these rows are none; take CSV", path);
    mst_writer *w;
    MST_TRY(mst_allocate_zero(&w, 1));
    w->cols = cols;
    w->has_words = words;
    w->is_npy = ends_with(path, ".npy");
    w->landmark_dim = ends_with(path, ".tps") ? landmark_dim : 0;
    w->separator = ends_with(path, ".tsv") ? '\t' : ',';
    mst_status status = mst_output_open(&w->output, path, force);
    if (status == MST_OK && w->is_npy)
        status = start_npy(w);
    else if (status == MST_OK && names != NULL)
        status = write_names(w, names);
    if (status != MST_OK) {
        mst_writer_free(w);
        return status;
    }
    *out = w;
    return MST_OK;
}

mst_status mst_writer_open(mst_writer **out, const char *path, size_t cols,
                           const char *const *names, bool force)
{
    return open_table(out, path, cols, false, 0, names, force);
}

mst_status mst_writer_open_words(mst_writer **out, const char *path, size_t cols,
                                 const char *const *names, bool force)
{
    if (ends_with(path, ".npy"))
        return mst_fail(MST_UNABLE, "%s: NPY files hold numbers and no words; take CSV", path);
    return open_table(out, path, cols, true, 0, names, force);
}

mst_status mst_writer_open_matrices(mst_writer **out, const char *path, size_t order, bool force)
{
    MST_TRY(open_table(out, path, order * order, false, 0, NULL, force));
    (*out)->order = order;
    return MST_OK;
}

mst_status mst_writer_open_landmarks(mst_writer **out, const char *path, size_t cols, size_t dim,
                                     bool force)
{
    if ((dim != 2 && dim != 3) || cols % dim != 0)
        return mst_fail(MST_ARGUMENT,
                        "%zu columns are no landmarks of %zu coordinates; there may be 2 or 3",
                        cols, dim);
    return open_table(out, path, cols, false, dim, NULL, force);
}

mst_status mst_writer_rows(mst_writer *w, size_t n, const double *rows)
{
    if (w->has_words)
        return mst_fail(MST_ARGUMENT, "the words of the rows are missing");
    if (w->landmark_dim > 0)
        MST_TRY(write_specimens(w, n, rows, NULL));
    else if (w->order > 0 && !w->is_npy)
        MST_TRY(write_triangles(w, n, rows));
    else
        MST_TRY(w->is_npy ? mst_output_write(w->output, rows, n * w->cols * sizeof *rows)
                          : write_text_rows(w, n, rows, NULL));
    w->rows += n;
    return MST_OK;
}

mst_status mst_writer_rows_words(mst_writer *w, size_t n, const double *rows,
                                 const char *const *words)
{
    if (!w->has_words)
        return mst_fail(MST_ARGUMENT, "the table has no column of words");
    MST_TRY(write_text_rows(w, n, rows, words));
    w->rows += n;
    return MST_OK;
}

mst_status mst_writer_specimens(mst_writer *w, size_t n, const double *rows,
                                const char *const *names)
{
    if (w->landmark_dim == 0)
        return mst_writer_rows(w, n, rows);
    MST_TRY(write_specimens(w, n, rows, names));
    w->rows += n;
    return MST_OK;
}

mst_status mst_writer_commit(mst_writer *w)
{
    if (w->is_npy) {
        char header[NPY_HEADER];
        npy_header(w, header);
        MST_TRY(mst_output_rewrite(w->output, 0, header, sizeof header));
    }
    return mst_output_commit(w->output);
}

void mst_writer_free(mst_writer *w)
{
    if (w == NULL)
        return;
    mst_output_free(w->output);
    mst_release(w);
}
