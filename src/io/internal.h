/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* What the files of this folder share: powers of ten, buffered input, the two kinds of table reader. */
#ifndef MST_IO_INTERNAL_H
#define MST_IO_INTERNAL_H

#include "base/internal.h"
#include <manistat/io.h>
#include <string.h>

/* ---- Numbers as text ---- */

/* The leading 128 bits of 10^k, rounded down; exact for 0 ≤ k ≤ 55. */
typedef struct mst_power_of_ten {
    uint64_t high, low;
} mst_power_of_ten;
#define MST_POWER_FIRST (-342)
#define MST_POWER_LAST 324
extern const mst_power_of_ten mst_powers_of_ten[MST_POWER_LAST - MST_POWER_FIRST + 1];

/* Reads the longest number that starts at `text`; returns where it stops, or null if none starts there. */
const char *mst_parse_prefix(const char *text, const char *end, double *x);

/* ---- Messages ---- */

enum { MST_QUOTED_TEXT = 64 };
/* Text from a file, fit for a one-line message: in quotes, control bytes as \xNN, long text cut. */
const char *mst_quote_text(const char *text, size_t length, char quoted[MST_QUOTED_TEXT]);
/* A path fit for a message: control bytes replaced, the beginning of a long path left out. To be released. */
MST_MUST_USE mst_status mst_path_for_messages(char **out, const char *path);

/* ---- Output ---- */

/* As mst_output_open, but without an unnamed file even where the file system has them. */
MST_MUST_USE mst_status mst_output_open_named(mst_output **out, const char *path, bool force);
/* Room for n ≤ MST_OUTPUT_ROOM bytes in the buffer, null on failure; `advance` says how many were used. */
enum { MST_OUTPUT_ROOM = 1 << 12 };
MST_MUST_USE mst_status mst_output_room(mst_output *o, size_t n, char **out);
void mst_output_advance(mst_output *o, size_t n);
bool mst_output_can_rewrite(const mst_output *o);
const char *mst_output_path(const mst_output *o);

/* ---- Input: a file, pipe or standard input behind a buffer that grows on demand ---- */

typedef struct mst_source {
    int fd;
    bool owned;        /* close it at the end; false for standard input */
    bool regular;      /* a regular file opened by name, positioned at its start when opened */
    uint64_t size;     /* bytes in the file, if regular */
    uint64_t consumed; /* bytes before buffer[begin] */
    char *name;        /* for messages */
    char *buffer;      /* unread bytes are begin … end−1 */
    size_t capacity, begin, end;
    bool ended; /* nothing comes after buffer[end − 1] */
} mst_source;

MST_MUST_USE mst_status mst_source_open(mst_source *s, const char *path);
void mst_source_close(mst_source *s);
/* Reads until `want` bytes are available or the input ends; may move the buffer. Memory grows with what
 * arrives, not with what is wanted, so `want` may come from an untrusted header. */
MST_MUST_USE mst_status mst_source_fill(mst_source *s, size_t want);

static inline size_t mst_source_available(const mst_source *s)
{
    return s->end - s->begin;
}

static inline const char *mst_source_bytes(const mst_source *s)
{
    return s->buffer + s->begin;
}

static inline void mst_source_skip(mst_source *s, size_t n)
{
    s->begin += n;
    s->consumed += n;
}

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
    mst_labels
        *labels; /* where the column label_col goes as text, or null; its numbers are then 0 */
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
/* From now on the reader adds the cells of a column to `labels` (borrowed). The column is named by its number, counted
 * from 1, or by its name in the header. Before the first mst_reader_next only. */
MST_MUST_USE mst_status mst_reader_set_labels(mst_reader *r, const char *column,
                                              mst_labels *labels);

#define MST_NPY_MAGIC "\x93NUMPY"
enum { MST_NPY_MAGIC_SIZE = 6 };

#endif
