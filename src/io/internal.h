/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* What the files of this folder share: the two kinds of table reader, and labels. */
#ifndef MST_IO_INTERNAL_H
#define MST_IO_INTERNAL_H

#include "base/internal.h"
#include "util/message.h"
#include "util/number_text.h"
#include "util/output.h"
#include "util/source.h"

#include <manistat/io.h>
#include <string.h>

/* ---- Table readers ---- */

/* Rows of the last batch whose line does not follow from the row before. */
typedef struct mst_line_jump {
    size_t k;
    uint64_t line;
} mst_line_jump;

typedef struct mst_csv {
    char separator;  /* ' ' means any run of spaces and tabs */
    char **names;    /* (cols) or null */
    uint64_t line;   /* of the last line taken */
    uint64_t row;    /* rows handed out before the last batch */
    size_t last_got; /* rows in the last batch */
    mst_line_jump *jumps;
    size_t jump_count, jump_capacity;
    char *pending; /* the first data line, kept from detection; null once read */
    size_t pending_length;
    uint64_t pending_line;
} mst_csv;

typedef struct mst_npy {
    char kind;         /* 'f', 'i', 'u', 'b' */
    size_t item;       /* bytes of a number */
    bool swapped;      /* byte order is not the machine's */
    uint64_t rows;     /* in the file */
    uint64_t row;      /* rows handed out before the last batch */
    size_t last_got;   /* rows in the last batch */
    const char *whole; /* Fortran order: the array, in a mapping or in the source's buffer */
    uint64_t *offset;  /* Fortran order: (cols) number of the first item of a column */
    void *map;
    size_t map_size;
} mst_npy;

struct mst_reader {
    mst_source source;
    size_t cols;
    bool is_npy;
    mst_labels *labels; /* take the column label_col as text, its numbers are 0; or null */
    size_t label_col;
    union {
        mst_csv csv;
        mst_npy npy;
    };
};

MST_MUST_USE mst_status mst_csv_open(mst_reader *r);
MST_MUST_USE mst_status mst_csv_next(mst_reader *r, size_t max, double *rows, size_t *got);
void mst_csv_where(const mst_reader *r, size_t k, uint64_t *row, uint64_t *line);
void mst_csv_close(mst_reader *r);

MST_MUST_USE mst_status mst_npy_open(mst_reader *r);
MST_MUST_USE mst_status mst_npy_next(mst_reader *r, size_t max, double *rows, size_t *got);
void mst_npy_close(mst_reader *r);

/* ---- Labels: add them row by row, then finish, which sorts the names ---- */

MST_MUST_USE mst_status mst_labels_new(mst_labels **out);
MST_MUST_USE mst_status mst_labels_add(mst_labels *labels, const char *text, size_t length);
MST_MUST_USE mst_status mst_labels_finish(mst_labels *labels);
/* From now on the reader adds the cells of a column to `labels` (borrowed). The column is named by its
 * number, counted from 1, or by its name in the header. Before the first mst_reader_next only. */
MST_MUST_USE mst_status mst_reader_set_labels(mst_reader *r, const char *column,
                                              mst_labels *labels);

#define MST_NPY_MAGIC "\x93NUMPY"
enum { MST_NPY_MAGIC_SIZE = 6 };

#endif
