/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Where a command's rows go: to a table that is written as they come or, with --json, to memory and then
 * into one object, a column at a time. */
#ifndef MST_CLI_RESULT_H
#define MST_CLI_RESULT_H

#include "options.h"
#include "util/json.h"
#include "util/output.h"
#include "util/text_stream.h"

#include <stdio.h>

typedef struct result_layout {
    const char *lead;   /* columns before the coordinates, joined by commas ("pair,s"), or null */
    const char *prefix; /* then prefix_1 … prefix_width */
    size_t width;
    const char *json_tail; /* a last column that only JSON has, or null */
    bool header;           /* do the names stand in the first line of a CSV file? */
    /* may rows lack an answer? then JSON has a last column "status" of words; CSV has one
     * with --status, whatever this says */
    bool status;
    size_t landmark_dim; /* rows are landmarks of so many coordinates each, which .tps can hold */
} result_layout;

typedef struct result result;

/* Opens the output at once, so that a file in the way is found before the work. */
MST_MUST_USE mst_status result_open(result **out, invocation *inv, const result_layout *layout);
/* Columns of a row for result_rows, the JSON tail included if there is JSON, the status not. */
size_t result_cols(const result *r);
MST_MUST_USE mst_status result_rows(result *r, size_t n, const double *rows);
/* The same with the status of each row, (n) constant words, for commands that take --status. */
MST_MUST_USE mst_status result_rows_status(result *r, size_t n, const double *rows,
                                           const char *const *status);
/* The same with the names of the rows, (n) or null, for results that are landmarks. */
MST_MUST_USE mst_status result_specimens(result *r, size_t n, const double *rows,
                                         const char *const *names);
/* For a result of one column: n labels as its rows. */
MST_MUST_USE mst_status result_labels(result *r, size_t n, const size_t *labels);
/* The JSON object, begun with the members "command" and "manifold" (left out if null), for the command's
 * own members after the last row; null without --json. */
mst_json *result_json(result *r, const char *manifold);
/* Writes the columns, the closing members and makes the output visible. */
MST_MUST_USE mst_status result_finish(result *r);
void result_free(result *r);

/* Marks a failure as one of writing, which has its own exit status. */
mst_status note_output(invocation *inv, mst_status status);

/* The same for a command without rows: an object or a text, to be sent when complete. */
MST_MUST_USE mst_status json_begin(invocation *inv, mst_output **sink, mst_json **j);
/* Takes both, which become null: the object is closed by json_close when all has been said. */
void json_end(invocation *inv, mst_output **sink, mst_json **j);
/* At the end of a command, with its status. */
MST_MUST_USE mst_status json_close(invocation *inv, mst_status status);
/* Text that a command writes for people or, with --json, one object; opened at once as a result is. */
typedef struct report {
    invocation *inv;
    mst_output *sink;
    mst_json *json; /* with --json: begun with "command" */
    FILE *text;     /* without: that of `stream` */
    mst_text_stream *stream;
    mst_writer *points; /* of report_open_points, and whether its rows end in a word */
    bool words;
} report;
/* A file of -o whose ending is that of a table is bad usage, unless --json goes there. */
MST_MUST_USE mst_status report_open(report *r, invocation *inv);
/* For texts that may be tables themselves. */
MST_MUST_USE mst_status report_open_to(report *r, invocation *inv, const char *path);
/* The file of -o if it is to be a table, by its ending, and not JSON; else null. */
const char *report_table(const invocation *inv);
MST_MUST_USE mst_status report_finish(report *r);
void report_close(report *r);

/* ---- Members of an object ---- */
void json_member_string(mst_json *j, const char *key, const char *text);
void json_member_number(mst_json *j, const char *key, double x);
void json_member_integer(mst_json *j, const char *key, uint64_t x);
void json_member_bool(mst_json *j, const char *key, bool x);
void json_member_numbers(mst_json *j, const char *key, size_t n, const double *x);
void json_member_sizes(mst_json *j, const char *key, size_t n, const size_t *x);
/* rows × cols numbers as an array of arrays; null if the first is not a number. */
void json_member_matrix(mst_json *j, const char *key, size_t rows, size_t cols, const double *x);

/* A text that is complete. */
MST_MUST_USE mst_status write_text_to(invocation *inv, const char *path, const char *text,
                                      size_t length);

#endif
