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

/* ---- Reading tables. A signal handler installed without SA_RESTART ends a read that waits for a pipe or a
 * terminal with MST_INTERRUPTED; writing likewise. ---- */
typedef struct mst_reader mst_reader;
/* `path` "-" is standard input. The format is told by the content. A table without a row is MST_FORMAT. A
 * file must not be made shorter while it is being read. */
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
/* A file with one label per line, or an NPY array of one column. Blank lines, lines that begin with #, blanks
 * and quotes around a label do not count. `n` is the number of rows that should be there: a line more is a
 * header, anything else is MST_FORMAT, and so are several columns: the same number of commas, semicolons or
 * tabs outside of quotes in every line. */
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

#ifdef __cplusplus
}
#endif
#endif
