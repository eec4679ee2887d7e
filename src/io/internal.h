/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* What the files of this folder share: table readers, and labels. */
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

typedef enum reader_answer { READER_NO, READER_YES, READER_MORE } reader_answer;

/* A file format. A new one is a file with such a table, and its line in reader.c; CONTRIBUTING.md has the
 * recipe. */
typedef struct reader_format {
    const char *name; /* "NPY" */
    bool text;        /* the content of a cell is text */
    bool row_labels;  /* each row has a label that is in no column */
    /* Are these the first n bytes of such a file? MORE: it takes more bytes to tell. Null: what is of no
     * other format. */
    reader_answer (*recognise)(const char *bytes, size_t n);
    /* The source is at its first byte. Sets cols, and names if the columns have some. The table has a row
     * at least. */
    mst_status (*open)(mst_reader *r);
    /* Up to max rows into rows (max, cols); *got = 0 at the end. A number that the file says is missing
     * goes through reader_missing. Text formats hand the cells of columns with labels (reader_labels_of) to
     * mst_labels_add and put 0 in their place; those with labels of rows hand these to labels[0] if
     * label_rows. */
    mst_status (*next)(mst_reader *r, size_t max, double *rows, size_t *got);
    /* The line of the k-th row of the last `next`; null if the format has no lines. */
    uint64_t (*line)(const mst_reader *r, size_t k);
    /* Frees r->data, also after an `open` that failed. */
    void (*close)(mst_reader *r);
} reader_format;

/* Where the labels of a column go. */
typedef struct reader_labels {
    mst_labels *to;
    size_t col;
} reader_labels;
enum { READER_LABELS = 4, READER_AXES = 4 };

struct mst_reader {
    const reader_format *format;
    mst_source source;
    size_t cols;
    char **names;    /* (cols) or null */
    uint64_t row;    /* rows handed out before the last batch */
    size_t last_got; /* rows in the last batch */
    reader_labels labels[READER_LABELS];
    size_t label_count;
    bool label_rows; /* labels[0] takes those that rows have of their own, and is of no column */
    mst_labels **all_labels; /* (cols) or null: every column is one of labels; borrowed */
    bool missing_allowed, missing_negative;
    size_t
        landmark_dim; /* rows are points of this many coordinates each; 0: the format does not say */
    size_t axes;      /* of an array, 0: the format has rows and columns only */
    uint64_t shape[READER_AXES]; /* of the first axes */
    void *data;                  /* of the format */
};

/* The formats, in the order in which they are tried; CSV takes what no other knows. */
#define READER_FORMATS(X) X(npy) X(tps) X(csv)
#define DECLARE_FORMAT(name) extern const reader_format reader_##name;
READER_FORMATS(DECLARE_FORMAT)
#undef DECLARE_FORMAT

/* The format of what comes from a source that is at its first byte. */
MST_MUST_USE mst_status reader_find_format(mst_source *s, const reader_format **out);
/* For `next` of a format: true, and *x not a number, if missing numbers are allowed. */
bool reader_missing(const mst_reader *r, double *x);
/* Where the cells of the column go; null if they are numbers. */
mst_labels *reader_labels_of(const mst_reader *r, size_t col);

/* Missing numbers, which are MST_FORMAT otherwise, become not-a-number. */
void mst_reader_allow_missing(mst_reader *r);

/* Negative coordinates of landmarks stand for missing points; MST_ARGUMENT unless the file is one of
 * landmarks. Before the first mst_reader_next only. */
MST_MUST_USE mst_status mst_reader_missing_negative(mst_reader *r);

/* ---- Labels: add them row by row, then finish, which sorts the names ---- */

MST_MUST_USE mst_status mst_labels_new(mst_labels **out);
MST_MUST_USE mst_status mst_labels_add(mst_labels *labels, const char *text, size_t length);
MST_MUST_USE mst_status mst_labels_finish(mst_labels *labels);
/* From now on the reader adds the cells of a column to `labels` (borrowed). The column is named by its
 * number, counted from 1, or by its name in the header; null, and "id" where rows have some, means the labels
 * that the rows have of their own, MST_UNABLE if the format has none. Several columns may be named, each
 * once: else MST_ARGUMENT. Before the first mst_reader_next only. */
MST_MUST_USE mst_status mst_reader_set_labels(mst_reader *r, const char *column,
                                              mst_labels *labels);

#define MST_NPY_MAGIC "\x93NUMPY"
enum { MST_NPY_MAGIC_SIZE = 6 };

#endif
