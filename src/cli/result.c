/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

#include "result.h"

#include "common.h"
#include "provenance.h"
#include "shrinkage.h"
#include "util/clock.h"
#include "util/json.h"
#include "util/output.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct result {
    invocation *inv;
    char *names_text; /* all names, one after the other */
    const char **names;
    size_t cols;        /* numbers of a row */
    bool status;        /* is there a column of words behind them? */
    mst_writer *writer; /* without --json */
    mst_output *sink;   /* with --json */
    mst_json *json;
    double *rows;       /* with --json: all rows so far */
    const char **words; /* and their status */
    size_t count, capacity;
};

/* Writing has an exit status of its own: remember that this is what failed. */
mst_status note_output(invocation *inv, mst_status status)
{
    if (status != MST_OK)
        inv->output_failed = true;
    return status;
}

static bool to_json(const invocation *inv)
{
    return option_given(inv, &option_json);
}

/* A command without -o, or with one of its own for something else, writes to standard output. */
static const char *output_path(const invocation *inv)
{
    const char *path = option_get(inv, &option_output)->text;
    return path != NULL ? path : "-";
}

static size_t lead_count(const char *lead)
{
    size_t count = lead != NULL;
    for (; lead != NULL && *lead != '\0'; lead++)
        count += *lead == ',';
    return count;
}

static mst_status make_names(result *r, const result_layout *layout)
{
    enum { LONGEST = 40 }; /* "x_" and twenty digits fit, and so do the names of the lead */
    size_t lead = lead_count(layout->lead);
    r->cols = lead + layout->width + (layout->json_tail != NULL && to_json(r->inv));
    r->status = option_given(r->inv, &option_status) || (layout->status && to_json(r->inv));
    r->names = calloc(r->cols + 1, sizeof *r->names);
    r->names_text = calloc(r->cols, LONGEST);
    if (r->names == NULL || r->names_text == NULL)
        return mst_fail(MST_MEMORY, "not enough memory for the names of %zu columns", r->cols);
    r->names[r->cols] = "status";
    const char *next = layout->lead;
    for (size_t i = 0; i < r->cols; i++) {
        char *name = r->names_text + i * LONGEST;
        r->names[i] = name;
        if (i < lead) {
            size_t length = strcspn(next, ",");
            snprintf(name, LONGEST, "%.*s", (int)length, next);
            next += length + 1;
        } else if (i < lead + layout->width) {
            snprintf(name, LONGEST, "%s_%zu", layout->prefix, i - lead + 1);
        } else {
            snprintf(name, LONGEST, "%s", layout->json_tail);
        }
    }
    return MST_OK;
}

mst_status result_open(result **out, invocation *inv, const result_layout *layout)
{
    *out = NULL;
    result *r = calloc(1, sizeof *r);
    if (r == NULL)
        return mst_fail(MST_MEMORY, "not enough memory");
    r->inv = inv;
    mst_status status = make_names(r, layout);
    if (status == MST_OK && to_json(inv))
        status = json_begin(inv, &r->sink, &r->json);
    else if (status == MST_OK && layout->landmark_dim > 0 && !r->status)
        status = note_output(inv, mst_writer_open_landmarks(&r->writer, output_path(inv), r->cols,
                                                            layout->landmark_dim,
                                                            option_given(inv, &option_force)));
    else if (status == MST_OK)
        status = note_output(inv, (r->status ? mst_writer_open_words : mst_writer_open)(
                                      &r->writer, output_path(inv), r->cols + r->status,
                                      layout->header ? r->names : NULL,
                                      option_given(inv, &option_force)));
    if (status == MST_OK)
        *out = r;
    else
        result_free(r);
    return status;
}

size_t result_cols(const result *r)
{
    return r->cols;
}

static mst_status reserve(result *r, size_t more)
{
    if (r->capacity - r->count >= more)
        return MST_OK;
    size_t capacity = r->capacity + r->capacity / 2 + more, bytes;
    double *rows = NULL;
    if (!__builtin_mul_overflow(capacity, r->cols * sizeof *rows, &bytes))
        rows = realloc(r->rows, bytes);
    if (rows == NULL)
        return mst_fail(MST_MEMORY,
                        "not enough memory for %zu rows in JSON; without --json rows "
                        "are written as they come",
                        r->count + more);
    r->rows = rows;
    const char **words = r->status ? realloc(r->words, capacity * sizeof *words) : NULL;
    if (r->status && words == NULL)
        return mst_fail(MST_MEMORY, "not enough memory for the status of %zu rows", capacity);
    r->words = words;
    r->capacity = capacity;
    return MST_OK;
}

mst_status result_rows(result *r, size_t n, const double *rows)
{
    if (r->json == NULL)
        return note_output(r->inv, mst_writer_rows(r->writer, n, rows));
    mst_status status = reserve(r, n);
    if (status != MST_OK)
        return status;
    memcpy(r->rows + r->count * r->cols, rows, n * r->cols * sizeof *rows);
    r->count += n;
    return MST_OK;
}

mst_status result_rows_status(result *r, size_t n, const double *rows, const char *const *words)
{
    if (r->status && r->json == NULL)
        return note_output(r->inv, mst_writer_rows_words(r->writer, n, rows, words));
    mst_status status = result_rows(r, n, rows);
    if (status == MST_OK && r->status)
        memcpy(r->words + r->count - n, words, n * sizeof *words);
    return status;
}

mst_status result_specimens(result *r, size_t n, const double *rows, const char *const *names)
{
    if (r->json != NULL)
        return result_rows(r, n, rows);
    return note_output(r->inv, mst_writer_specimens(r->writer, n, rows, names));
}

mst_status result_labels(result *r, size_t n, const size_t *labels)
{
    double rows[1024];
    mst_status status = MST_OK;
    for (size_t done = 0, piece; done < n && status == MST_OK; done += piece) {
        piece = n - done < 1024 ? n - done : 1024;
        for (size_t i = 0; i < piece; i++)
            rows[i] = (double)labels[done + i];
        status = result_rows(r, piece, rows);
    }
    return status;
}

mst_json *result_json(result *r, const char *manifold)
{
    if (r->json != NULL && manifold != NULL) {
        mst_json_key(r->json, "manifold");
        mst_json_string(r->json, manifold);
    }
    return r->json;
}

mst_status result_finish(result *r)
{
    char shrunk[SHRINK_TEXT];
    if (*shrink_text(r->inv, shrunk) != '\0' && r->json == NULL)
        warn(r->inv, "%s", shrunk);
    if (r->json == NULL)
        return note_output(r->inv, mst_writer_commit(r->writer));
    for (size_t i = 0; i < r->cols; i++) {
        mst_json_key(r->json, r->names[i]);
        mst_json_numbers(r->json, r->count, r->rows + i, r->cols);
    }
    if (r->status) {
        mst_json_key(r->json, "status");
        mst_json_array(r->json);
        for (size_t i = 0; i < r->count; i++)
            mst_json_string(r->json, r->words[i]);
        mst_json_end(r->json);
    }
    json_end(r->inv, &r->sink, &r->json);
    return MST_OK;
}

void result_free(result *r)
{
    if (r == NULL)
        return;
    mst_json_free(r->json);
    mst_output_free(r->sink);
    mst_writer_free(r->writer);
    free(r->rows);
    free(r->words);
    free(r->names);
    free(r->names_text);
    free(r);
}

mst_status json_begin(invocation *inv, mst_output **sink, mst_json **j)
{
    mst_status status =
        note_output(inv, mst_output_open(sink, output_path(inv), option_given(inv, &option_force)));
    if (status == MST_OK)
        status = mst_json_new(j, *sink);
    if (status != MST_OK)
        return status;
    mst_json_object(*j);
    mst_json_key(*j, "command");
    mst_json_string(*j, inv->command->name);
    return MST_OK;
}

void json_end(invocation *inv, mst_output **sink, mst_json **j)
{
    inv->said->sink = *sink;
    inv->said->json = *j;
    *sink = NULL;
    *j = NULL;
}

static mst_status close_object(invocation *inv, mst_output *sink, mst_json *j)
{
    if (inv->said->count > 0) {
        mst_json_key(j, "messages");
        mst_json_array(j);
        for (size_t i = 0; i < inv->said->count; i++)
            mst_json_string(j, inv->said->text[i]);
        mst_json_end(j);
    }
    json_shrink(inv, j);
    if (option_get(inv, &option_seed)->text != NULL) {
        mst_json_key(j, "seed");
        mst_json_integer(j, option_get(inv, &option_seed)->count);
    }
    mst_json_key(j, "seconds");
    mst_json_number(j, mst_clock_seconds() - inv->started);
    mst_json_key(j, "version");
    mst_json_string(j, mst_version());
    json_made_by(inv, j);
    mst_json_end(j);
    mst_status status = mst_json_finish(j);
    if (status == MST_OK)
        status = mst_output_commit(sink);
    return note_output(inv, status);
}

mst_status json_close(invocation *inv, mst_status status)
{
    struct messages *said = inv->said;
    if (said->json != NULL) {
        mst_status closed = close_object(inv, said->sink, said->json);
        status = closed == MST_OK ? status : closed;
    }
    mst_json_free(said->json);
    mst_output_free(said->sink);
    for (size_t i = 0; i < said->count; i++)
        free(said->text[i]);
    free(said->text);
    *said = (struct messages){0};
    return status;
}

mst_status write_text_to(invocation *inv, const char *path, const char *text, size_t length)
{
    mst_output *sink = NULL;
    mst_status status = mst_output_open(&sink, path, option_given(inv, &option_force));
    if (status == MST_OK)
        status = mst_output_write(sink, text, length);
    if (status == MST_OK)
        status = mst_output_commit(sink);
    mst_output_free(sink);
    return note_output(inv, status);
}

const char *report_table(const invocation *inv)
{
    static const char *const endings[] = {".csv", ".tsv", ".npy", ".tps"};
    const char *path = output_path(inv);
    size_t length = strlen(path);
    for (size_t i = 0; !to_json(inv) && i < sizeof endings / sizeof *endings; i++)
        if (length >= 4 && strcmp(path + length - 4, endings[i]) == 0)
            return path;
    return NULL;
}

mst_status report_open(report *r, invocation *inv)
{
    *r = (report){.inv = inv};
    const char *table = report_table(inv);
    if (table != NULL)
        return mst_fail(MST_ARGUMENT,
                        "%s writes text or, with --json, JSON, not %s: -o %s; name the file .txt "
                        "or .json",
                        inv->command->name,
                        strcmp(table + strlen(table) - 4, ".npy") == 0 ? "NPY" : "a table", table);
    return report_open_to(r, inv, output_path(inv));
}

mst_status report_open_to(report *r, invocation *inv, const char *path)
{
    *r = (report){.inv = inv};
    if (to_json(inv))
        return json_begin(inv, &r->sink, &r->json);
    mst_status status =
        note_output(inv, mst_output_open(&r->sink, path, option_given(inv, &option_force)));
    if (status != MST_OK)
        return status;
    status = mst_text_open(&r->stream);
    if (status == MST_OK)
        r->text = mst_text_file(r->stream);
    return status;
}

mst_status report_finish(report *r)
{
    if (r->json != NULL) {
        json_end(r->inv, &r->sink, &r->json);
        return MST_OK;
    }
    char *text, shrunk[SHRINK_TEXT];
    size_t length;
    if (*shrink_text(r->inv, shrunk) != '\0')
        fprintf(r->text, "%s\n", shrunk);
    mst_status status = mst_text_close(r->stream, &text, &length);
    r->stream = NULL;
    if (status != MST_OK)
        return status;
    status = mst_output_write(r->sink, text, length);
    if (status == MST_OK)
        status = mst_output_commit(r->sink);
    free(text);
    if (status == MST_OK && r->points != NULL)
        status = mst_writer_commit(r->points);
    return note_output(r->inv, status);
}

void report_close(report *r)
{
    mst_writer_free(r->points);
    mst_text_discard(r->stream);
    mst_json_free(r->json);
    mst_output_free(r->sink);
}

/* ---- Members ---- */

void json_member_string(mst_json *j, const char *key, const char *text)
{
    mst_json_key(j, key);
    mst_json_string(j, text);
}

void json_member_number(mst_json *j, const char *key, double x)
{
    mst_json_key(j, key);
    mst_json_number(j, x);
}

void json_member_integer(mst_json *j, const char *key, uint64_t x)
{
    mst_json_key(j, key);
    mst_json_integer(j, x);
}

void json_member_bool(mst_json *j, const char *key, bool x)
{
    mst_json_key(j, key);
    mst_json_bool(j, x);
}

void json_member_numbers(mst_json *j, const char *key, size_t n, const double *x)
{
    mst_json_key(j, key);
    mst_json_numbers(j, n, x, 1);
}

void json_member_sizes(mst_json *j, const char *key, size_t n, const size_t *x)
{
    mst_json_key(j, key);
    mst_json_array(j);
    for (size_t i = 0; i < n; i++)
        mst_json_integer(j, x[i]);
    mst_json_end(j);
}

void json_member_matrix(mst_json *j, const char *key, size_t rows, size_t cols, const double *x)
{
    mst_json_key(j, key);
    if (x == NULL || (rows > 0 && cols > 0 && isnan(x[0]))) {
        mst_json_null(j);
        return;
    }
    mst_json_array(j);
    for (size_t i = 0; i < rows; i++)
        mst_json_numbers(j, cols, x + i * cols, 1);
    mst_json_end(j);
}
