/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Tables of numbers in files: CSV and TSV (header, comments, BOM and CRLF are understood), NPY, and landmarks
 * in TPS files, a row for each specimen. Doubles
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

/* ---- Tables of covariates: columns with names, of numbers or of words ---- */
typedef struct mst_table_column {
    char *name;           /* of the header; without one "x1", "x2", … */
    double *numbers;      /* (n), NAN where one is missing; null for words */
    mst_labels *labels;   /* of words; null for numbers */
    size_t missing;       /* empty cells and those that say NA, NaN or null */
    size_t first_missing; /* the row of the first, from 0 */
} mst_table_column;
typedef struct mst_table {
    size_t n, cols;
    mst_table_column *columns; /* (cols) */
    char *path;                /* for messages */
} mst_table;
/* The whole file. A column in which each cell is a number or missing is one of numbers; where a word is
 * missing its label is empty. */
MST_API MST_MUST_USE mst_status mst_table_read(mst_table **out, const char *path);
MST_API void mst_table_free(mst_table *t);
/* The column of this name, or of this number, counted from 1; null: there is none. */
MST_API const mst_table_column *mst_table_find(const mst_table *t, const char *name);
/* Is this a word for a value that is missing? */
MST_API bool mst_is_missing(const char *text);

/* ---- Writing tables ---- */
typedef struct mst_writer mst_writer;
/* Format by the ending: .npy, .tsv, anything else CSV. `names` (cols) is the header line or null; NPY has
 * none. `force` as above. Standard output is CSV. NPY to a pipe is MST_UNABLE. */
MST_API MST_MUST_USE mst_status mst_writer_open(mst_writer **out, const char *path, size_t cols,
                                                const char *const *names, bool force);
MST_API MST_MUST_USE mst_status mst_writer_rows(mst_writer *w, size_t n, const double *rows);
/* The same with a last column of words, which `cols` counts and rows (n, cols − 1) do not; words (n). NPY has
 * no words: MST_UNABLE. */
MST_API MST_MUST_USE mst_status mst_writer_open_words(mst_writer **out, const char *path,
                                                      size_t cols, const char *const *names,
                                                      bool force);
MST_API MST_MUST_USE mst_status mst_writer_rows_words(mst_writer *w, size_t n, const double *rows,
                                                      const char *const *words);
/* Symmetric matrices, rows (n, order, order): NPY of this shape, or in text their upper triangles row by row,
 * without a header. */
MST_API MST_MUST_USE mst_status mst_writer_open_matrices(mst_writer **out, const char *path,
                                                         size_t order, bool force);
/* Rows of landmarks, cols/dim points of dim = 2 or 3 coordinates each: .tps as well, which any other table is
 * refused (MST_UNABLE); other endings as above, without a header. */
MST_API MST_MUST_USE mst_status mst_writer_open_landmarks(mst_writer **out, const char *path,
                                                          size_t cols, size_t dim, bool force);
/* The same as mst_writer_rows with the names (n) of the rows, which TPS writes as ID=;
 * null: their numbers. */
MST_API MST_MUST_USE mst_status mst_writer_specimens(mst_writer *w, size_t n, const double *rows,
                                                     const char *const *names);
MST_API MST_MUST_USE mst_status mst_writer_commit(mst_writer *w);
MST_API void mst_writer_free(mst_writer *w);

/* ---- Images ---- */
/* Does the name end in .png or .pgm? */
MST_API bool mst_image_is_name(const char *path);
/* Grey values (height, width) from 0, black, to 1, white; what is beyond is cut. By the ending of the path
 * PNG or PGM, 8 bits each, which appear whole or not at all. MST_ARGUMENT for other endings and
 * sizes. */
MST_API MST_MUST_USE mst_status mst_image_write(const char *path, size_t height, size_t width,
                                                const double *grey, bool force);

#ifdef __cplusplus
}
#endif
#endif
