/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* safetensors files: named arrays and metadata strings. 8 bytes little-endian length, a
 * JSON header, the data. */
#ifndef MST_IO_TENSORS_H
#define MST_IO_TENSORS_H

#include "base/internal.h"
#include "util/output.h"

/* The format has more types (F16, BF16, I64, …), which are refused. */
typedef enum tensor_type { TENSOR_F32, TENSOR_F64, TENSOR_U64 } tensor_type;

enum { TENSOR_RANK = 4 };

typedef struct tensor {
    const char *name;
    tensor_type type;
    size_t rank, shape[TENSOR_RANK]; /* rank 0 is a single number; C order */
    const void *data;                /* on a 64-byte boundary and not null where it was read */
} tensor;

typedef struct tensor_text {
    const char *key, *value;
} tensor_text;

/* Number of elements. */
size_t tensor_size(const tensor *t);

/* Writes to a temporary name, fsyncs and renames; the rule says what happens to a file that is there. "-" is
 * standard output. Tensors and metadata in the given order, the data one after the other, so for readers that
 * map files the wider types should come first; the header is padded with spaces to a multiple of 8. Names and
 * keys must be UTF-8 and differ (MST_ARGUMENT); in values, bytes that are not UTF-8 become U+FFFD. The data
 * of an empty tensor may be null. */
MST_MUST_USE mst_status tensors_write(const char *path, mst_output_rule rule, size_t count,
                                      const tensor *list, size_t texts, const tensor_text *text);

/* The same bytes in memory; release *out. */
MST_MUST_USE mst_status tensors_pack(char **out, size_t *size, size_t count, const tensor *list,
                                     size_t texts, const tensor_text *text);

/* A whole file in memory; "-" is standard input. Everything is checked before it is believed: lengths, JSON,
 * types, shapes whose product overflows, offsets that overlap, leave gaps or exceed the file, duplicate
 * names. Numbers may be anything, NaN too. MST_IO, MST_FORMAT: one line that names the
 * file and what is wrong. */
typedef struct tensors tensors;
MST_MUST_USE mst_status tensors_read(tensors **out, const char *path);
/* The same from memory; `name` for messages. The bytes are copied. */
MST_MUST_USE mst_status tensors_parse(tensors **out, const char *name, const void *bytes,
                                      size_t size);
void tensors_free(tensors *t); /* null allowed */

/* Null where there is none. Valid until tensors_free. */
const tensor *tensors_find(const tensors *t, const char *name);
const char *tensors_text(const tensors *t, const char *key);
/* All of them, in the order of the header. */
size_t tensors_count(const tensors *t);
const tensor *tensors_at(const tensors *t, size_t i);
size_t tensors_text_count(const tensors *t);
tensor_text tensors_text_at(const tensors *t, size_t i);

#endif
