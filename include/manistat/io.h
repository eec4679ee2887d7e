/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Tables of numbers in files: CSV and TSV (header, comments, BOM and CRLF are understood) and NPY. Doubles
 * make the round trip exactly. Readers and writers stream, so a file may be larger than memory. Failures
 * are MST_IO (the system said no) or MST_FORMAT, and the detail names the file and, for FORMAT, the row
 * and column. Nothing here depends on the locale. */
#ifndef MANISTAT_IO_H
#define MANISTAT_IO_H

#include <manistat/status.h>
#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Numbers as text ---- */
#define MST_DOUBLE_TEXT 32 /* enough for any double and the terminating zero */
/* The shortest decimal text that reads back as the same double ("nan", "inf", "-inf" for the rest).
 * Returns its length. */
MST_API size_t mst_format_double(double x, char text[MST_DOUBLE_TEXT]);
/* Reads all `length` bytes of text as one number, correctly rounded; false if they are not one, and then *x
 * is untouched. Takes decimal and exponent notation, nan and inf; no hexadecimal, no white space, no decimal
 * too large for a double. */
MST_API bool mst_parse_double(const char *text, size_t length, double *x);

/* ---- Files that appear whole or not at all ---- */
typedef struct mst_output mst_output;
/* Opens `path` for writing ("-": standard output). What is written goes to an unnamed or temporary file beside
 * it, and only mst_output_commit makes it visible (fsync, then rename or link). An existing file is MST_IO
 * unless `force`, found out at once, not after the work; it stays as it is until the commit. A path that is
 * neither a regular file nor absent (a pipe, /dev/null) is written directly. */
MST_API MST_MUST_USE mst_status mst_output_open(mst_output **out, const char *path, bool force);
MST_API MST_MUST_USE mst_status mst_output_write(mst_output *o, const void *bytes, size_t n);
/* Overwrite bytes written earlier (fixed-size headers); MST_UNABLE on standard output and pipes. */
MST_API MST_MUST_USE mst_status mst_output_rewrite(mst_output *o, uint64_t offset,
                                                   const void *bytes, size_t n);
MST_API MST_MUST_USE mst_status mst_output_commit(mst_output *o);
/* Frees; what was not committed is gone. Accepts null. */
MST_API void mst_output_free(mst_output *o);

/* ---- Reading tables. A signal handler installed without SA_RESTART ends a read that waits for a pipe or a
 * terminal with MST_INTERRUPTED; writing likewise. ---- */
typedef struct mst_reader mst_reader;
/* `path` "-" is standard input. The format is told by the content. A table without a row is MST_FORMAT. A file
 * must not be made shorter while it is being read. */
MST_API MST_MUST_USE mst_status mst_reader_open(mst_reader **out, const char *path);
MST_API size_t mst_reader_cols(const mst_reader *r);
/* Name of a column as in the header line, or null without one. */
MST_API const char *mst_reader_name(const mst_reader *r, size_t col);
/* "name.csv", or "standard input"; for messages. */
MST_API const char *mst_reader_path(const mst_reader *r);
/* Up to max rows into rows (max, cols); *got = 0 at the end. nan and inf are read as such. */
MST_API MST_MUST_USE mst_status mst_reader_next(mst_reader *r, size_t max, double *rows,
                                                size_t *got);
/* Where the k-th row of the last mst_reader_next stands: row counted from 1 without header, comments and
 * blank lines, and the line in the file (0 if the format has no lines). */
MST_API void mst_reader_where(const mst_reader *r, size_t k, uint64_t *row, uint64_t *line);
MST_API void mst_reader_free(mst_reader *r);

/* ---- Labels: a text per row, which says what group the row is in ---- */
typedef struct mst_labels {
    size_t n;      /* rows */
    size_t count;  /* different labels */
    char **names;  /* (count), by value if all of them are numbers, else by their bytes */
    size_t *index; /* (n): the label of a row */
} mst_labels;
/* A file with one label per line, or an NPY array of one column. Blank lines, lines that begin with #, blanks and quotes
 * around a label do not count. `n` is the number of rows that should be there: a line more is a header, anything
 * else is MST_FORMAT. */
MST_API MST_MUST_USE mst_status mst_labels_read(mst_labels **out, const char *path, size_t n);
MST_API void mst_labels_free(mst_labels *labels);

/* ---- Writing tables ---- */
typedef struct mst_writer mst_writer;
/* Format by the ending: .npy, .tsv, anything else CSV. `names` (cols) is the header line or null; NPY has
 * none. `force` as above. Standard output is CSV. NPY to a pipe is MST_UNABLE. */
MST_API MST_MUST_USE mst_status mst_writer_open(mst_writer **out, const char *path, size_t cols,
                                                const char *const *names, bool force);
MST_API MST_MUST_USE mst_status mst_writer_rows(mst_writer *w, size_t n, const double *rows);
MST_API MST_MUST_USE mst_status mst_writer_commit(mst_writer *w);
MST_API void mst_writer_free(mst_writer *w);

/* ---- Writing JSON: one value, built in order; commas and escapes are taken care of. Not-a-number and
 * infinities become null. Errors stick and are returned by mst_json_finish. ---- */
typedef struct mst_json mst_json;
MST_API MST_MUST_USE mst_status mst_json_new(mst_json **out, mst_output *sink);
MST_API void mst_json_object(mst_json *j);
MST_API void mst_json_array(mst_json *j);
MST_API void mst_json_end(mst_json *j); /* of the innermost object or array */
MST_API void mst_json_key(mst_json *j, const char *key);
MST_API void mst_json_string(mst_json *j, const char *utf8);
MST_API void mst_json_number(mst_json *j, double x);
MST_API void mst_json_integer(mst_json *j, uint64_t x);
MST_API void mst_json_bool(mst_json *j, bool x);
MST_API void mst_json_null(mst_json *j);
/* An array of n numbers x[0], x[stride], … */
MST_API void mst_json_numbers(mst_json *j, size_t n, const double *x, size_t stride);
/* Ends the line and tells what went wrong on the way: MST_IO, MST_MEMORY, or MST_ARGUMENT for calls that do
 * not make one value. The sink is left to be committed. */
MST_API MST_MUST_USE mst_status mst_json_finish(mst_json *j);
MST_API void mst_json_free(mst_json *j);

/* ---- Reading JSON (RFC 8259), a whole text at a time. Strict: no comments, no trailing commas, no NaN; an object
 * with the same key twice and more than 100 levels are refused too. ---- */
typedef struct mst_json_value mst_json_value;
typedef enum mst_json_kind {
    MST_JSON_NULL,
    MST_JSON_BOOL,
    MST_JSON_NUMBER,
    MST_JSON_STRING,
    MST_JSON_ARRAY,
    MST_JSON_OBJECT,
} mst_json_kind;
/* `path` "-" is standard input. MST_FORMAT names the line. Free the top-level value only. */
MST_API MST_MUST_USE mst_status mst_json_read(mst_json_value **out, const char *path);
/* The same for n bytes of text in memory; `name` stands for the file in messages. */
MST_API MST_MUST_USE mst_status mst_json_parse(mst_json_value **out, const char *name, size_t n,
                                               const char *text);
MST_API void mst_json_value_free(mst_json_value *top);
MST_API mst_json_kind mst_json_kind_of(const mst_json_value *v);
/* What the value holds; 0, false and null if it is of another kind or null itself. */
MST_API double mst_json_as_number(const mst_json_value *v);
MST_API bool mst_json_as_bool(const mst_json_value *v);
MST_API const char *mst_json_as_string(const mst_json_value *v);
MST_API size_t
mst_json_length(const mst_json_value *v); /* elements of an array, members of an object */
/* The member of an object, or null. */
MST_API const mst_json_value *mst_json_member(const mst_json_value *object, const char *key);
/* The first element of an array, and the one after an element; null if there is none. */
MST_API const mst_json_value *mst_json_first(const mst_json_value *array);
MST_API const mst_json_value *mst_json_next(const mst_json_value *element);

#ifdef __cplusplus
}
#endif
#endif
