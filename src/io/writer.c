/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Tables to files: CSV, TSV and NPY. */
#include "io/internal.h"

#include <inttypes.h>
#include <stdio.h>

struct mst_writer {
    mst_output *output;
    size_t cols;
    uint64_t rows;
    bool is_npy;
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
    int n = snprintf(text, sizeof text,
                     "{'descr': '%cf8', 'fortran_order': False, 'shape': (%" PRIu64 ", %zu), }",
                     order, w->rows, w->cols);
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

static mst_status write_text_rows(mst_writer *w, size_t n, const double *rows)
{
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < w->cols; j++) {
            char *text;
            MST_TRY(mst_output_room(w->output, MST_DOUBLE_TEXT + 1, &text));
            size_t length = mst_format_double(rows[i * w->cols + j], text);
            text[length] = j + 1 < w->cols ? w->separator : '\n';
            mst_output_advance(w->output, length + 1);
        }
    return MST_OK;
}

/* ---- Life cycle ---- */

static bool ends_with(const char *path, const char *ending)
{
    size_t n = strlen(path), k = strlen(ending);
    return n >= k && strcmp(path + n - k, ending) == 0;
}

mst_status mst_writer_open(mst_writer **out, const char *path, size_t cols,
                           const char *const *names, bool force)
{
    if (cols == 0)
        return mst_fail(MST_ARGUMENT, "a table needs at least one column");
    mst_writer *w;
    MST_TRY(mst_allocate_zero(&w, 1));
    w->cols = cols;
    w->is_npy = ends_with(path, ".npy");
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

mst_status mst_writer_rows(mst_writer *w, size_t n, const double *rows)
{
    MST_TRY(w->is_npy ? mst_output_write(w->output, rows, n * w->cols * sizeof *rows)
                      : write_text_rows(w, n, rows));
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
