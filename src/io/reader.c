/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Tables from files: finds out the format and hands on to the reader of it. */
#include "io/internal.h"

#include <math.h>
#include <stdio.h>
#include <strings.h>

/* Formats that people try and that would otherwise end as "not a number". */
static mst_status refuse_other_formats(const mst_source *s)
{
    static const struct {
        const char *magic;
        size_t size;
        const char *what;
    } others[] = {
        {"PK\x03\x04", 4, "a zip archive (.npz, .xlsx); save one array as .npy or CSV"},
        {"\x1f\x8b", 2, "compressed with gzip; unpack it first"},
        {"\xff\xfe", 2, "UTF-16 text; save it as UTF-8"},
        {"\xfe\xff", 2, "UTF-16 text; save it as UTF-8"},
        {"\x89HDF", 4, "an HDF5 file; save the array as .npy or CSV"},
    };
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (mst_source_available(s) >= others[i].size &&
            memcmp(mst_source_bytes(s), others[i].magic, others[i].size) == 0)
            return mst_fail(MST_FORMAT, "%s is %s", s->name, others[i].what);
    return MST_OK;
}

/* The last takes what no other knows. */
static const reader_format *const formats[] = {
#define FORMAT_ADDRESS(name) &reader_##name,
    READER_FORMATS(FORMAT_ADDRESS)
#undef FORMAT_ADDRESS
};

mst_status reader_find_format(mst_source *s, const reader_format **out)
{
    enum { FIRST_LOOK = 6 }; /* enough for the magic numbers of most formats */
    for (size_t want = FIRST_LOOK;; want = mst_source_available(s) + 1) {
        MST_TRY(mst_source_fill(s, want));
        reader_answer answer = READER_NO;
        for (size_t i = 0; answer == READER_NO && i < sizeof formats / sizeof *formats; i++) {
            *out = formats[i];
            answer = formats[i]->recognise == NULL
                         ? READER_YES
                         : formats[i]->recognise(mst_source_bytes(s), mst_source_available(s));
            if (answer == READER_MORE && s->ended)
                answer = READER_NO;
        }
        if (answer == READER_YES)
            return MST_OK;
    }
}

mst_status mst_reader_open(mst_reader **out, const char *path)
{
    mst_reader *r;
    const reader_format *format;
    MST_TRY(mst_allocate_zero(&r, 1));
    mst_status status = mst_source_open(&r->source, path);
    if (status == MST_OK)
        status = reader_find_format(&r->source, &format);
    if (status == MST_OK)
        status = refuse_other_formats(&r->source);
    if (status == MST_OK) {
        r->format = format;
        status = format->open(r);
    }
    if (status != MST_OK) {
        mst_reader_free(r);
        return status;
    }
    *out = r;
    return MST_OK;
}

size_t mst_reader_cols(const mst_reader *r)
{
    return r->cols;
}

const char *mst_reader_name(const mst_reader *r, size_t col)
{
    return r->names == NULL || col >= r->cols ? NULL : r->names[col];
}

const char *mst_reader_path(const mst_reader *r)
{
    return r->source.name;
}

bool reader_missing(const mst_reader *r, double *x)
{
    *x = NAN;
    return r->missing_allowed;
}

void mst_reader_allow_missing(mst_reader *r)
{
    r->missing_allowed = true;
}

mst_status mst_reader_missing_negative(mst_reader *r)
{
    if (r->landmark_dim == 0)
        return mst_fail(MST_ARGUMENT, "`missing_negative` is for TPS files, which %s is not",
                        r->source.name);
    r->missing_negative = true;
    return MST_OK;
}

mst_labels *reader_labels_of(const mst_reader *r, size_t col)
{
    if (r->all_labels != NULL)
        return r->all_labels[col];
    for (size_t k = 0; !r->label_rows && k < r->label_count; k++)
        if (r->labels[k].col == col)
            return r->labels[k].to;
    return NULL;
}

/* The labels of a column of numbers. */
static mst_status take_number_labels(const reader_labels *labels, size_t n, size_t cols,
                                     double *rows)
{
    for (size_t i = 0; i < n; i++) {
        char text[MST_DOUBLE_TEXT];
        double *label = &rows[i * cols + labels->col];
        MST_TRY(mst_labels_add(labels->to, text, mst_format_double(*label, text)));
        *label = 0;
    }
    return MST_OK;
}

mst_status mst_reader_next(mst_reader *r, size_t max, double *rows, size_t *got)
{
    size_t n = 0;
    r->row += r->last_got;
    r->last_got = 0;
    MST_TRY(r->format->next(r, max, rows, &n));
    for (size_t k = 0; !r->label_rows && !r->format->text && k < r->label_count; k++)
        MST_TRY(take_number_labels(&r->labels[k], n, r->cols, rows));
    *got = r->last_got = n;
    return MST_OK;
}

static mst_status no_such_column(const mst_reader *r, const char *column)
{
    char quoted[MST_QUOTED_TEXT], names[160] = "";
    mst_quote_text(column, strlen(column), quoted);
    for (size_t i = 0, used = 0; mst_reader_name(r, i) != NULL && used + 4 < sizeof names; i++)
        used += (size_t)snprintf(names + used, sizeof names - used, "%s%s", i > 0 ? ", " : "",
                                 mst_reader_name(r, i));
    if (strchr(column, ',') != NULL && names[0] != '\0')
        return mst_fail(MST_ARGUMENT, "one column is needed, not %s; %s has %s", quoted,
                        r->source.name, names);
    if (names[0] == '\0')
        return mst_fail(MST_ARGUMENT,
                        "%s is neither a file nor a column of %s, which has no header and %zu "
                        "column%s",
                        quoted, r->source.name, r->cols, r->cols == 1 ? "" : "s");
    return mst_fail(MST_ARGUMENT, "%s is neither a file nor a column of %s, which has %s", quoted,
                    r->source.name, names);
}

mst_status mst_reader_set_labels(mst_reader *r, const char *column, mst_labels *labels)
{
    double number;
    size_t found = r->cols;
    if (column != NULL && r->format->row_labels && strcasecmp(column, "id") == 0)
        column = NULL;
    if (column == NULL && !r->format->row_labels)
        return mst_fail(MST_UNABLE, "%s: the rows of %s files have no labels of their own",
                        r->source.name, r->format->name);
    if (column == NULL && r->label_count > 0)
        return mst_fail(MST_ARGUMENT, "the names of the rows of %s cannot be two kinds of labels",
                        r->source.name);
    if (column == NULL) {
        r->labels[0].to = labels;
        r->label_count = 1;
        r->label_rows = true;
        return MST_OK;
    }
    for (size_t i = 0; i < r->cols && found == r->cols; i++)
        if (mst_reader_name(r, i) != NULL && strcmp(mst_reader_name(r, i), column) == 0)
            found = i;
    if (found == r->cols && mst_parse_double(column, strlen(column), &number) && number >= 1 &&
        number <= (double)r->cols && number == (double)(size_t)number)
        found = (size_t)number - 1;
    if (found == r->cols)
        return no_such_column(r, column);
    if (reader_labels_of(r, found) != NULL)
        return mst_fail(MST_ARGUMENT, "column %zu of %s cannot be two kinds of labels at once",
                        found + 1, r->source.name);
    if (r->label_count == READER_LABELS)
        return mst_fail(MST_ARGUMENT, "more than %d columns of labels", READER_LABELS);
    r->labels[r->label_count++] = (reader_labels){labels, found};
    return MST_OK;
}

void mst_reader_where(const mst_reader *r, size_t k, uint64_t *row, uint64_t *line)
{
    *row = r->row + k + 1;
    *line = r->format->line != NULL ? r->format->line(r, k) : 0;
}

void mst_reader_free(mst_reader *r)
{
    if (r == NULL)
        return;
    if (r->format != NULL)
        r->format->close(r);
    for (size_t i = 0; r->names != NULL && i < r->cols; i++)
        mst_release(r->names[i]);
    mst_release(r->names);
    mst_source_close(&r->source);
    mst_release(r);
}
