/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Whole tables whose columns hold numbers or words. Every cell is read as a label first; a column of which
 * all labels are numbers is one of numbers. */
#include "io/internal.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>

bool mst_is_missing(const char *text)
{
    static const char *const words[] = {"", "na", "n/a", "nan", "null"};
    for (size_t k = 0; k < sizeof words / sizeof *words; k++)
        if (strcasecmp(text, words[k]) == 0)
            return true;
    return false;
}

void mst_table_free(mst_table *t)
{
    if (t == NULL)
        return;
    for (size_t c = 0; t->columns != NULL && c < t->cols; c++) {
        mst_release(t->columns[c].name);
        mst_release(t->columns[c].numbers);
        mst_labels_free(t->columns[c].labels);
    }
    mst_release(t->columns);
    mst_release(t->path);
    mst_release(t);
}

const mst_table_column *mst_table_find(const mst_table *t, const char *name)
{
    double number;
    for (size_t c = 0; c < t->cols; c++)
        if (strcmp(t->columns[c].name, name) == 0)
            return &t->columns[c];
    if (!mst_parse_double(name, strlen(name), &number) || !(number >= 1) ||
        number > (double)t->cols || number != floor(number))
        return NULL;
    return &t->columns[(size_t)number - 1];
}

static void count_missing(mst_table_column *c)
{
    for (size_t i = c->labels->n; i-- > 0;)
        if (mst_is_missing(c->labels->names[c->labels->index[i]])) {
            c->missing++;
            c->first_missing = i;
        }
}

/* Labels that are numbers become numbers. */
static mst_status settle_column(mst_table_column *c)
{
    mst_labels *l = c->labels;
    double *values;
    bool numbers = true;
    count_missing(c);
    MST_TRY(mst_allocate(&values, l->count));
    for (size_t k = 0; k < l->count; k++)
        if (mst_is_missing(l->names[k]))
            values[k] = NAN;
        else
            numbers = numbers && mst_parse_double(l->names[k], strlen(l->names[k]), &values[k]);
    mst_status status = numbers ? mst_allocate(&c->numbers, l->n) : mst_labels_finish(l);
    for (size_t i = 0; status == MST_OK && numbers && i < l->n; i++)
        c->numbers[i] = values[l->index[i]];
    if (status == MST_OK && numbers) {
        mst_labels_free(l);
        c->labels = NULL;
    }
    mst_release(values);
    return status;
}

static mst_status open_columns(mst_table *t, const mst_reader *r, mst_labels **labels)
{
    for (size_t c = 0; c < t->cols; c++) {
        char number[32];
        const char *name = mst_reader_name(r, c);
        snprintf(number, sizeof number, "x%zu", c + 1);
        MST_TRY(
            mst_copy_string(&t->columns[c].name, name != NULL && name[0] != '\0' ? name : number));
        MST_TRY(mst_labels_new(&labels[c]));
        t->columns[c].labels = labels[c];
    }
    return MST_OK;
}

/* Formats that have numbers only hand these out; text becomes labels. */
static mst_status read_rows(mst_table *t, mst_reader *r)
{
    enum { ROWS = 64 };
    double *rows;
    MST_TRY(mst_allocate(&rows, ROWS * t->cols));
    mst_status status = MST_OK;
    for (size_t got = 1; status == MST_OK && got > 0;) {
        status = mst_reader_next(r, ROWS, rows, &got);
        for (size_t k = 0; status == MST_OK && !r->format->text && k < got * t->cols; k++) {
            char text[MST_DOUBLE_TEXT];
            status = mst_labels_add(t->columns[k % t->cols].labels, text,
                                    mst_format_double(rows[k], text));
        }
        t->n += status == MST_OK ? got : 0;
    }
    mst_release(rows);
    return status;
}

mst_status mst_table_read(mst_table **out, const char *path)
{
    *out = NULL;
    mst_reader *r;
    mst_table *t = NULL;
    mst_labels **labels = NULL;
    MST_TRY(mst_reader_open(&r, path));
    mst_status status = mst_allocate_zero(&t, 1);
    if (status == MST_OK) {
        t->cols = mst_reader_cols(r);
        status = mst_allocate_zero(&t->columns, t->cols);
    }
    if (status == MST_OK)
        status = mst_copy_string(&t->path, mst_reader_path(r));
    if (status == MST_OK)
        status = mst_allocate_zero(&labels, t->cols);
    if (status == MST_OK)
        status = open_columns(t, r, labels);
    if (status == MST_OK) {
        mst_reader_allow_missing(r);
        r->all_labels = labels;
        status = read_rows(t, r);
    }
    for (size_t c = 0; status == MST_OK && c < t->cols; c++)
        status = settle_column(&t->columns[c]);
    mst_release(labels);
    mst_reader_free(r);
    if (status != MST_OK)
        mst_table_free(t);
    else
        *out = t;
    return status;
}
